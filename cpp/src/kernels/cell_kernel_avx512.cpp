// The cell kernel for avx512.
#include "treewright/kernels/cell_kernel.hpp"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(TREEWRIGHT_WITHOUT_AVX512)
#include "treewright/kernels/log_table.hpp"

#include <cstring>
#include <immintrin.h>
#include <limits>
#include <type_traits>

#include "treewright/kernels/begin_avx512.inc"

#include "treewright/kernels/lanes_impl.hpp"
#include "treewright/kernels/look_up_avx512.inc"
#include "treewright/kernels/log_lanes_impl.hpp"
#include "treewright/kernels/cell_kernel_impl.hpp"
#include "treewright/kernels/end_simd.inc"

const treewright::ranked::CellKernels& treewright::ranked::cell_kernels_avx512() { return kKernels; }
#else
const treewright::ranked::CellKernels& treewright::ranked::cell_kernels_avx512() { return cell_kernels_plain(); }
#endif
