// The convolution of rounded counts for avx512.
#include "treewright/kernels/ways_kernel.hpp"

#include <algorithm>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(TREEWRIGHT_WITHOUT_AVX512)
#include "treewright/kernels/begin_avx512.inc"
#include "treewright/kernels/ways_kernel_impl.hpp"
#include "treewright/kernels/end_simd.inc"

const treewright::binary::WaysKernels& treewright::binary::ways_kernels_avx512() { return kKernels; }
#else
const treewright::binary::WaysKernels& treewright::binary::ways_kernels_avx512() { return ways_kernels_plain(); }
#endif
