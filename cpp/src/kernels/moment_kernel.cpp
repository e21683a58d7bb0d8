// The kernel of two moments for any processor, and the choice.
#include "treewright/kernels/moment_kernel.hpp"

#include "treewright/kernels/log_table.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

#include "treewright/kernels/lanes_impl.hpp"
#include "treewright/kernels/look_up_plain.inc"
#include "treewright/kernels/log_lanes_impl.hpp"
#include "treewright/kernels/moment_kernel_impl.hpp"

namespace treewright::ranked {

const MomentKernels& moment_kernels_plain() { return kKernels; }

const MomentKernels& moment_kernels(Simd level) {
    return kernels_for(level, moment_kernels_plain, moment_kernels_avx2, moment_kernels_avx512);
}

}  // namespace treewright::ranked
