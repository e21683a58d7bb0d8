// Bounds of what lines gain, for any processor, and the choice.
#include "treewright/kernels/line_kernel.hpp"

#include <cstring>
#include <type_traits>

#include "treewright/kernels/lanes_impl.hpp"
#include "treewright/kernels/line_kernel_impl.hpp"

namespace treewright::ranked {

const LineKernels& line_kernels_plain() { return kKernels; }

const LineKernels& line_kernels(Simd level) {
    return kernels_for(level, line_kernels_plain, line_kernels_avx2, line_kernels_avx512);
}

}  // namespace treewright::ranked
