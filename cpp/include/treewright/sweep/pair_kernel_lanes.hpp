// Vectors of lanes, and what the depth-two kernels do with them.
// Part of pair_kernel_impl.hpp, and compiled once per instruction set like it.

namespace treewright::sweep {
namespace {

template <class T, int kBytes>
struct Lanes {
    typedef T Vector __attribute__((vector_size(kBytes)));
    static constexpr int kCount = kBytes / static_cast<int>(sizeof(T));
};

template <class T>
constexpr std::int64_t kMost = sizeof(T) == 2 ? 32767 : 2147483647;

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
        at[lane / kPer][lane % kPer] = static_cast<T>(value < kMost<T> ? value : kMost<T>);
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

// mask[b] has all bits set in the lanes k >= b: those where a row of bucket b is on the left side.
template <class T, int kBytes, int kRegisters>
struct Masks {
    using V = typename Lanes<T, kBytes>::Vector;
    static constexpr int kPer = Lanes<T, kBytes>::kCount;
    static constexpr int kLanes = kPer * kRegisters;
    V left[(kLanes + 1) * kRegisters];

    Masks() {
        for (int b = 0; b <= kLanes; ++b)
            for (int k = 0; k < kLanes; ++k)
                left[b * kRegisters + k / kPer][k % kPer] = static_cast<T>(k >= b ? -1 : 0);
    }
};

}  // namespace
}  // namespace treewright::sweep
