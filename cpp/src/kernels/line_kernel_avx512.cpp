// Bounds of what lines gain, for avx512.
#include "treewright/kernels/line_kernel.hpp"
#include "treewright/space/ranked_table.hpp"

#include <cstring>
#include <type_traits>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(TREEWRIGHT_WITHOUT_AVX512)
#include "treewright/kernels/begin_avx512.inc"
#include "treewright/kernels/lanes_impl.hpp"
#include "treewright/kernels/line_kernel_impl.hpp"
#include "treewright/kernels/end_simd.inc"

const treewright::ranked::LineKernels& treewright::ranked::line_kernels_avx512() { return kKernels; }
#else
const treewright::ranked::LineKernels& treewright::ranked::line_kernels_avx512() { return line_kernels_plain(); }
#endif
