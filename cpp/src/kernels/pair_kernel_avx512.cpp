// Depth-two kernels for avx512.
#include "treewright/kernels/pair_kernel.hpp"

#include <cstddef>
#include <new>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(TREEWRIGHT_WITHOUT_AVX512)
#include <immintrin.h>
#define TREEWRIGHT_AVX512  // compilers do not all tell the target of a pragma

#include "treewright/kernels/begin_avx512.inc"
#include "treewright/kernels/pair_kernel_impl.hpp"
#include "treewright/kernels/end_simd.inc"

const treewright::ranked::PairKernels& treewright::ranked::pair_kernels_avx512() { return table<64>(); }
#else
const treewright::ranked::PairKernels& treewright::ranked::pair_kernels_avx512() { return pair_kernels_plain(); }
#endif
