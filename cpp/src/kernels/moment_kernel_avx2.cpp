// The kernel of two moments for avx2.
#include "treewright/kernels/moment_kernel.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#include "treewright/kernels/log_table.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <immintrin.h>
#include <limits>
#include <type_traits>

#include "treewright/kernels/begin_avx2.inc"
#include "treewright/kernels/lanes_impl.hpp"
#include "treewright/kernels/look_up_avx2.inc"
#include "treewright/kernels/log_lanes_impl.hpp"
#include "treewright/kernels/moment_kernel_impl.hpp"
#include "treewright/kernels/end_simd.inc"

const treewright::ranked::MomentKernels& treewright::ranked::moment_kernels_avx2() { return kKernels; }
#else
const treewright::ranked::MomentKernels& treewright::ranked::moment_kernels_avx2() { return moment_kernels_plain(); }
#endif
