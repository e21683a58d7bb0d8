// Vectors of lanes, and what the depth-two kernels do with them.
// Part of pair_kernel_impl.hpp, and compiled once per instruction set like it.

namespace treewright::ranked {
namespace {

template <class T, int kBytes>
struct Lanes {
    typedef T Vector __attribute__((vector_size(kBytes)));
    static constexpr int kCount = kBytes / static_cast<int>(sizeof(T));
};

template <class T>
constexpr std::int64_t kMax = sizeof(T) == 2 ? 32767 : 2147483647;

template <class V>
inline __attribute__((always_inline)) V larger(V a, V b) {
    return a > b ? a : b;
}
template <class V>
inline __attribute__((always_inline)) V smaller(V a, V b) {
    return a < b ? a : b;
}

// One T for every lane of 8 bits.
template <class T, int kBytes>
struct Wide {
    using V = typename Lanes<T, kBytes>::Vector;
    static constexpr int kRegisters = static_cast<int>(sizeof(T));
    static constexpr int kPer = Lanes<T, kBytes>::kCount;
    V at[kRegisters];

    void set(int lane, std::int64_t value) {
        at[lane / kPer][lane % kPer] = static_cast<T>(value < kMax<T> ? value : kMax<T>);
    }
    [[nodiscard]] T get(int lane) const { return at[lane / kPer][lane % kPer]; }
};

// Register r of the lanes of 8 bits as numbers of T.
template <class T, int kBytes, class Small>
inline __attribute__((always_inline)) typename Lanes<T, kBytes>::Vector widen(const Small& small, int r) {
    constexpr int kPart = Lanes<T, kBytes>::kCount;
    typedef std::int8_t Part __attribute__((vector_size(kPart)));
    Part part;
    __builtin_memcpy(&part, reinterpret_cast<const std::int8_t*>(&small) + r * kPart, kPart);
    return __builtin_convertvector(part, typename Lanes<T, kBytes>::Vector);
}

// Register r of the lanes of 16 bits as numbers of T.
template <class T, int kBytes>
inline __attribute__((always_inline)) typename Lanes<T, kBytes>::Vector widen(const Wide<std::int16_t, kBytes>& numbers,
                                                                              int r) {
    constexpr int kPart = Lanes<T, kBytes>::kCount;
    typedef std::int16_t Part __attribute__((vector_size(2 * kPart)));
    Part part;
    __builtin_memcpy(&part, reinterpret_cast<const std::int16_t*>(&numbers) + r * kPart, 2 * kPart);
    return __builtin_convertvector(part, typename Lanes<T, kBytes>::Vector);
}

// Numbers of T as lanes of 8 bits, held at -64 where they are less.
template <class T, int kBytes, class Register>
inline __attribute__((always_inline)) typename Lanes<std::int8_t, kBytes>::Vector narrow(const Register& numbers) {
    constexpr int kPart = Lanes<T, kBytes>::kCount;
    typedef std::int8_t Part __attribute__((vector_size(kPart)));
    typename Lanes<std::int8_t, kBytes>::Vector small;
    for (int r = 0; r < static_cast<int>(sizeof(T)); ++r) {
        using V = typename Lanes<T, kBytes>::Vector;
        const Part part = __builtin_convertvector(larger(V{} - 64, V{numbers(r)}), Part);
        __builtin_memcpy(reinterpret_cast<std::int8_t*>(&small) + r * kPart, &part, kPart);
    }
    return small;
}

template <class V>
inline __attribute__((always_inline)) bool any(const V& mask) {
    constexpr std::size_t kWords = sizeof(V) / sizeof(std::uint64_t);
    std::uint64_t words[kWords], all = 0;
    __builtin_memcpy(words, &mask, sizeof(V));
    for (std::size_t i = 0; i < kWords; ++i) all |= words[i];
    return all != 0;
}

// All bits set in the lanes whose bit is set in `lanes`; bits beyond the last lane do not matter.
template <class T, int kBytes>
inline __attribute__((always_inline)) typename Lanes<T, kBytes>::Vector expand(std::uint64_t lanes) {
    using V = typename Lanes<T, kBytes>::Vector;
    constexpr int kCount = Lanes<T, kBytes>::kCount;
    // Lane k has bit k % (8 * sizeof(T)); written by words, which the compiler turns into a constant.
    using Words = typename Lanes<std::uint64_t, kBytes>::Vector;
    constexpr int kWords = kBytes / 8, kPerWord = kCount / kWords;
    constexpr std::uint64_t kFirst = sizeof(T) == 1   ? 0x8040201008040201u
                                     : sizeof(T) == 2 ? 0x0008000400020001u
                                                      : 0x0000000200000001u;
    Words bits;
    for (int w = 0; w < kWords; ++w) bits[w] = sizeof(T) == 1 ? kFirst : kFirst << w * kPerWord;
    const V bit = (V)bits;
    V spread;
    if constexpr (sizeof(T) > 1) {
        spread = V{} + static_cast<T>(lanes);
#if defined(TREEWRIGHT_AVX2)
    } else if constexpr (kBytes == 32) {  // byte k / 8 of the bits in lane k
        const __m256i byte = _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
        spread = (V)_mm256_shuffle_epi8(_mm256_set1_epi32(static_cast<int>(lanes)), byte);
#endif
    } else {
        Words bytes;
        for (int w = 0; w < kWords; ++w) bytes[w] = (lanes >> 8 * w & 0xffu) * 0x0101010101010101u;
        spread = (V)bytes;
    }
    return (spread & bit) == bit;
}

// `sum` with `value` added in the lanes whose bit is set.
template <class T, int kBytes, class V>
inline __attribute__((always_inline)) V added(const V& sum, std::uint64_t lanes, const V& value) {
#if defined(TREEWRIGHT_AVX512)
    if constexpr (kBytes == 64 && sizeof(T) == 1)
        return (V)_mm512_mask_add_epi8((__m512i)sum, lanes, (__m512i)sum, (__m512i)value);
    if constexpr (kBytes == 64 && sizeof(T) == 2)
        return (V)_mm512_mask_add_epi16((__m512i)sum, static_cast<__mmask32>(lanes), (__m512i)sum, (__m512i)value);
    if constexpr (kBytes == 64 && sizeof(T) == 4)
        return (V)_mm512_mask_add_epi32((__m512i)sum, static_cast<__mmask16>(lanes), (__m512i)sum, (__m512i)value);
#endif
    return sum + (expand<T, kBytes>(lanes) & value);
}

}  // namespace
}  // namespace treewright::ranked
