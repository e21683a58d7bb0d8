// Depth-two kernels for avx2.
#include "treewright/kernels/pair_kernel.hpp"

#include <cstddef>
#include <new>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define TREEWRIGHT_AVX2  // compilers do not all tell the target of a pragma

#include "treewright/kernels/begin_avx2.inc"
#include "treewright/kernels/pair_kernel_impl.hpp"
#include "treewright/kernels/end_simd.inc"

const treewright::ranked::PairKernels& treewright::ranked::pair_kernels_avx2() { return table<32>(); }
#else
const treewright::ranked::PairKernels& treewright::ranked::pair_kernels_avx2() { return pair_kernels_plain(); }
#endif
