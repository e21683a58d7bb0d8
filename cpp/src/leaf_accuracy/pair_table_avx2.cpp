// Depth-two kernels for avx2.
#include "treewright/leaf_accuracy/pair_sweep.hpp"
#include "treewright/leaf_accuracy/pair_table.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#include "treewright/kernels/begin_avx2.inc"
#include "treewright/leaf_accuracy/pair_table_impl.hpp"

namespace treewright::leaf_accuracy {

namespace {

struct Avx2Bits {
    using V = Lanes<std::uint64_t, 32>::Vector;
    static inline __attribute__((always_inline)) V popcount(V x) {  // Mula, Kurz and Lemire 2018: nibbles by table
        const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3,
                                               1, 2, 2, 3, 2, 3, 3, 4);
        const __m256i nibble = _mm256_set1_epi8(15);
        const __m256i bits = reinterpret_cast<__m256i>(x);
        const __m256i low = _mm256_shuffle_epi8(table, _mm256_and_si256(bits, nibble));
        const __m256i high = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(bits, 4), nibble));
        return reinterpret_cast<V>(_mm256_sad_epu8(_mm256_add_epi8(low, high), _mm256_setzero_si256()));
    }
    static void compare(const std::uint8_t* codes, std::size_t n_words, std::uint8_t least, std::uint64_t* words) {
        const __m256i bound = _mm256_set1_epi8(static_cast<char>(least));
        const auto half = [&](const std::uint8_t* at) {
            const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
            return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_max_epu8(x, bound), x)));
        };
        for (std::size_t w = 0; w < n_words; ++w)
            words[w] = half(codes + w * 64) | (std::uint64_t{half(codes + w * 64 + 32)} << 32);
    }
};

}  // namespace

}  // namespace treewright::leaf_accuracy
#include "treewright/kernels/end_simd.inc"

const treewright::leaf_accuracy::PairTableKernels& treewright::leaf_accuracy::pair_table_kernels_avx2() {
    return kernels<32, Avx2Bits>();
}
#else
const treewright::leaf_accuracy::PairTableKernels& treewright::leaf_accuracy::pair_table_kernels_avx2() {
    return pair_table_kernels_plain();
}
#endif
