// The logarithm of eight lanes, in both precisions. Included once per instruction set, inside its target pragma, behind
// lanes_impl.hpp, log_table.hpp and look_up_*.inc; everything has internal linkage.
namespace treewright::ranked {
namespace {

// log x for normal x > 0. With m the mantissa in the sixteenth number i of [1, 2) and c the inverse of its middle,
// log x = e log 2 - log c + log(1 + r), r = m c - 1, |r| < .0304; the series up to r^6 is off by less than r^7 / 7 / (1
// - r) < 4e-12, all roundings together by less than 2e-14.
inline Eight log_of(Eight x) {
    const auto bits = bits_as<EightBits>(x);
    const EightBits mantissa = (bits & 0x000fffffffffffffu) | 0x3ff0000000000000u;
    const EightBits exponent = (bits >> 52) | 0x4330000000000000u;  // 2^52 + biased exponent
    const auto m = bits_as<Eight>(mantissa), e = bits_as<Eight>(exponent);
    const EightBits index = (bits >> 48) & 15u;
    const Eight r = m * look_up(kInverse, index) - 1.0;
    const Eight series = r * (1.0 + r * (-0.5 + r * (1.0 / 3 + r * (-0.25 + r * (0.2 + r * (-1.0 / 6))))));
    return (e - 4503599627371519.0) * 0.6931471805599453 + (look_up(kLogarithm, index) + series);
}

// The same in single precision, the series up to r^4: off by less than u (4.7 + 2.3 |log x|), u = 2^-24. r is off by
// 2.1 u, the tables and sums by 1.6 u, the series by .1 u; e log 2 by 1.3 u of itself, which is at most |log x| + log
// 2.
inline Floats log_of(Floats x) {
    const auto bits = bits_as<FloatBits>(x);
    const FloatBits mantissa = (bits & 0x007fffffu) | 0x3f800000u;
    const FloatBits exponent = (bits >> 23) | 0x4b000000u;  // 2^23 + biased exponent
    const auto m = bits_as<Floats>(mantissa), e = bits_as<Floats>(exponent);
    const FloatBits index = (bits >> 19) & 15u;
    const Floats r = m * look_up(kInverseFloats.data(), index) - 1.0f;
    const Floats series = r * (1.0f + r * (-0.5f + r * (1.0f / 3 + r * -0.25f)));
    return (e - 8388735.0f) * 0.6931471805599453f + (look_up(kLogarithmFloats.data(), index) + series);
}

}  // namespace
}  // namespace treewright::ranked
