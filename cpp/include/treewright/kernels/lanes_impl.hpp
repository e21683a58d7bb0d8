// Vectors of any number of lanes, made of the vectors of the processor: TREEWRIGHT_VECTOR_BYTES, which begin_*.inc
// defines, or the 16 bytes that every 64-bit processor has. GCC compares and selects wider vectors one lane at a time.
// Included once per instruction set, inside its target pragma; everything has internal linkage.
#ifndef TREEWRIGHT_VECTOR_BYTES
#define TREEWRIGHT_VECTOR_BYTES 16
#endif
#define TREEWRIGHT_INLINE [[gnu::always_inline]] inline

namespace treewright::ranked {
namespace {

template <class T, int N, bool kFits = N * sizeof(T) <= TREEWRIGHT_VECTOR_BYTES>
struct LanesOf {  // one vector
    typedef T Vector __attribute__((vector_size(N * sizeof(T))));
};
template <class T, int N>
using Lanes = typename LanesOf<T, N>::Vector;

// Two halves. A number stands for as many of itself.
template <class T, int N>
struct Halves {
    using Half = Lanes<T, N / 2>;
    Half low, high;

    Halves() = default;
    TREEWRIGHT_INLINE Halves(T x) : low(Half{} + x), high(low) {}
    TREEWRIGHT_INLINE Halves(Half first, Half second) : low(first), high(second) {}

    TREEWRIGHT_INLINE friend Halves operator+(Halves a, Halves b) { return {a.low + b.low, a.high + b.high}; }
    TREEWRIGHT_INLINE friend Halves operator-(Halves a, Halves b) { return {a.low - b.low, a.high - b.high}; }
    TREEWRIGHT_INLINE friend Halves operator*(Halves a, Halves b) { return {a.low * b.low, a.high * b.high}; }
    TREEWRIGHT_INLINE friend Halves operator/(Halves a, Halves b) { return {a.low / b.low, a.high / b.high}; }
    TREEWRIGHT_INLINE friend Halves operator&(Halves a, Halves b) { return {a.low & b.low, a.high & b.high}; }
    TREEWRIGHT_INLINE friend Halves operator|(Halves a, Halves b) { return {a.low | b.low, a.high | b.high}; }
    TREEWRIGHT_INLINE friend Halves operator-(Halves a) { return {-a.low, -a.high}; }
    TREEWRIGHT_INLINE friend Halves operator>>(Halves a, int bits) { return {a.low >> bits, a.high >> bits}; }
    TREEWRIGHT_INLINE friend auto operator<(Halves a, Halves b) { return both(a.low < b.low, a.high < b.high); }
    TREEWRIGHT_INLINE friend auto operator>(Halves a, Halves b) { return b < a; }
    TREEWRIGHT_INLINE friend auto operator>=(Halves a, Halves b) { return both(a.low >= b.low, a.high >= b.high); }
    TREEWRIGHT_INLINE friend auto operator==(Halves a, Halves b) { return both(a.low == b.low, a.high == b.high); }
    TREEWRIGHT_INLINE friend Halves& operator+=(Halves& a, Halves b) { return a = a + b; }
    TREEWRIGHT_INLINE friend Halves& operator*=(Halves& a, Halves b) { return a = a * b; }

   private:
    // Lanes that are all ones where a comparison holds.
    using Mask = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
    TREEWRIGHT_INLINE static Lanes<Mask, N> both(Lanes<Mask, N / 2> first, Lanes<Mask, N / 2> second) {
        return {first, second};
    }
};
template <class T, int N>
struct LanesOf<T, N, false> {
    using Vector = Halves<T, N>;
};

using Eight = Lanes<double, 8>;
using EightBits = Lanes<std::uint64_t, 8>;
using EightMasks = Lanes<std::int64_t, 8>;
using Floats = Lanes<float, 8>;
using FloatBits = Lanes<std::uint32_t, 8>;
using FloatMasks = Lanes<std::int32_t, 8>;

template <class V>
inline constexpr bool kIsHalves = false;
template <class T, int N>
inline constexpr bool kIsHalves<Halves<T, N>> = true;

// N numbers that lie one after the other, and back.
template <class V, class T>
TREEWRIGHT_INLINE V load_as(const T* from) {
    V x;
    if constexpr (kIsHalves<V>) {
        using Half = typename V::Half;
        x = {load_as<Half>(from), load_as<Half>(from + sizeof(Half) / sizeof(T))};
    } else {
        std::memcpy(&x, from, sizeof x);
    }
    return x;
}
template <class V, class T>
TREEWRIGHT_INLINE void store(T* to, V x) {
    if constexpr (kIsHalves<V>) {
        store(to, x.low);
        store(to + sizeof x.low / sizeof(T), x.high);
    } else {
        std::memcpy(to, &x, sizeof x);
    }
}
TREEWRIGHT_INLINE Eight load(const double* from) { return load_as<Eight>(from); }

// As numbers of single precision.
template <class V>
TREEWRIGHT_INLINE auto floats_of(V x) {
    if constexpr (kIsHalves<V>) {
        const auto low = floats_of(x.low), high = floats_of(x.high);
        using Both = Lanes<float, 2 * sizeof low / sizeof(float)>;
        if constexpr (kIsHalves<Both>)
            return Both{low, high};
        else if constexpr (sizeof low == 8)
            return __builtin_shufflevector(low, high, 0, 1, 2, 3);
        else
            return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
    } else {
        return __builtin_convertvector(x, Lanes<float, sizeof x / sizeof(double)>);
    }
}
template <class V>
TREEWRIGHT_INLINE void store_floats(float* to, V x) {
    store(to, floats_of(x));
}

// Two rows of numbers that take turns.
template <class V>
TREEWRIGHT_INLINE void load_turns(const double* from, V& even, V& odd) {
    if constexpr (kIsHalves<V>) {
        load_turns(from, even.low, odd.low);
        load_turns(from + sizeof(V) / sizeof(double), even.high, odd.high);
    } else {
        const V x = load_as<V>(from), y = load_as<V>(from + sizeof(V) / sizeof(double));
        if constexpr (sizeof(V) == 16) {
            even = __builtin_shufflevector(x, y, 0, 2);
            odd = __builtin_shufflevector(x, y, 1, 3);
        } else if constexpr (sizeof(V) == 32) {
            even = __builtin_shufflevector(x, y, 0, 2, 4, 6);
            odd = __builtin_shufflevector(x, y, 1, 3, 5, 7);
        } else {
            even = __builtin_shufflevector(x, y, 0, 2, 4, 6, 8, 10, 12, 14);
            odd = __builtin_shufflevector(x, y, 1, 3, 5, 7, 9, 11, 13, 15);
        }
    }
}

// The same bits as lanes of another type.
template <class To, class V>
TREEWRIGHT_INLINE To bits_as(V x) {
    if constexpr (kIsHalves<V>) {
        using Half = typename To::Half;
        return {bits_as<Half>(x.low), bits_as<Half>(x.high)};
    } else {
        return (To)x;
    }
}

// Lane by lane, a where the mask is all ones and b where it is 0.
template <class M, class V>
TREEWRIGHT_INLINE V choose(M mask, V a, V b) {
    if constexpr (kIsHalves<V>)
        return {choose(mask.low, a.low, b.low), choose(mask.high, a.high, b.high)};
    else
        return mask ? a : b;
}
template <class V>
TREEWRIGHT_INLINE V larger(V a, V b) {
    return choose(a > b, a, b);
}
template <class V>
TREEWRIGHT_INLINE V smaller(V a, V b) {
    return choose(a < b, a, b);
}

// Whether any bit is set.
template <class M>
TREEWRIGHT_INLINE bool any(M x) {
    if constexpr (kIsHalves<M>) {
        return any(x.low | x.high);
    } else if constexpr (sizeof x == 64) {
        x |= __builtin_shufflevector(x, x, 4, 5, 6, 7, 0, 1, 2, 3);
        x |= __builtin_shufflevector(x, x, 2, 3, 0, 1, 6, 7, 4, 5);
        return (x[0] | x[1]) != 0;
    } else {
        std::int64_t words[sizeof x / 8], all = 0;
        std::memcpy(words, &x, sizeof x);
        for (const std::int64_t word : words) all |= word;
        return all != 0;
    }
}

template <class V>
TREEWRIGHT_INLINE double last(V x) {
    if constexpr (kIsHalves<V>)
        return last(x.high);
    else
        return x[sizeof x / sizeof(double) - 1];
}
TREEWRIGHT_INLINE Eight spread(double x) { return Eight{} + x; }
TREEWRIGHT_INLINE Floats spread(float x) { return Floats{} + x; }
TREEWRIGHT_INLINE double largest(Eight x) {
    double all[8];
    store(all, x);
    double most = all[0];
    for (int i = 1; i < 8; ++i) most = all[i] > most ? all[i] : most;
    return most;
}
TREEWRIGHT_INLINE double least(Eight x) { return -largest(-x); }

}  // namespace
}  // namespace treewright::ranked
