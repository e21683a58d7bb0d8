// Depth-two kernels for avx512.
#include "treewright/leaf_accuracy/pair_sweep.hpp"
#include "treewright/leaf_accuracy/pair_table.hpp"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(TREEWRIGHT_WITHOUT_AVX512)
#include <immintrin.h>

#include "treewright/kernels/begin_avx512.inc"
#include "treewright/leaf_accuracy/pair_table_impl.hpp"

namespace treewright::leaf_accuracy {

namespace {

struct Avx512Bits {
    using V = Lanes<std::uint64_t, 64>::Vector;
    static inline __attribute__((always_inline)) V popcount(V x) {
        return reinterpret_cast<V>(_mm512_popcnt_epi64(reinterpret_cast<__m512i>(x)));
    }
    static void compare(const std::uint8_t* codes, std::size_t n_words, std::uint8_t least, std::uint64_t* words) {
        const __m512i bound = _mm512_set1_epi8(static_cast<char>(least));
        for (std::size_t w = 0; w < n_words; ++w)
            words[w] = _mm512_cmpge_epu8_mask(_mm512_loadu_si512(codes + w * 64), bound);
    }
};

}  // namespace

}  // namespace treewright::leaf_accuracy
#include "treewright/kernels/end_simd.inc"

const treewright::leaf_accuracy::PairTableKernels& treewright::leaf_accuracy::pair_table_kernels_avx512() {
    return kernels<64, Avx512Bits>();
}
#else
const treewright::leaf_accuracy::PairTableKernels& treewright::leaf_accuracy::pair_table_kernels_avx512() {
    return pair_table_kernels_plain();
}
#endif
