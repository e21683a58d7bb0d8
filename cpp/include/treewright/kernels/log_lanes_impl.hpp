// Eight lanes and their logarithm. Included once per instruction set, inside its target pragma; everything has internal
// linkage. Before, the includer takes log_lanes.hpp and defines
//     Eight look_up(const double* table, EightBits index)        table[index] in every lane
namespace treewright::ranked {
namespace {

inline Eight spread(double x) { return Eight{} + x; }
inline Eight larger(Eight a, Eight b) { return a > b ? a : b; }
inline Eight smaller(Eight a, Eight b) { return a < b ? a : b; }
inline Eight load(const double* from) {
    Eight x;
    std::memcpy(&x, from, sizeof x);
    return x;
}
inline void store(double* to, Eight x) { std::memcpy(to, &x, sizeof x); }

// log x for normal x > 0. With m the mantissa in the sixteenth number i of [1, 2) and c the inverse of its middle,
// log x = e log 2 - log c + log(1 + r), r = m c - 1, |r| < .0304; the series up to r^6 is off by less than r^7 / 7 / (1
// - r) < 4e-12, all roundings together by less than 2e-14.
inline Eight log_of(Eight x) {
    EightBits bits;
    std::memcpy(&bits, &x, sizeof bits);
    const EightBits mantissa = (bits & 0x000fffffffffffffu) | 0x3ff0000000000000u;
    const EightBits exponent = (bits >> 52) | 0x4330000000000000u;  // 2^52 + biased exponent
    Eight m, e;
    std::memcpy(&m, &mantissa, sizeof m);
    std::memcpy(&e, &exponent, sizeof e);
    const EightBits index = (bits >> 48) & 15u;
    const Eight r = m * look_up(kInverse, index) - 1.0;
    const Eight series = r * (1.0 + r * (-0.5 + r * (1.0 / 3 + r * (-0.25 + r * (0.2 + r * (-1.0 / 6))))));
    return (e - 4503599627371519.0) * 0.6931471805599453 + (look_up(kLogarithm, index) + series);
}

}  // namespace
}  // namespace treewright::ranked
