// The cell kernel for any processor, and the choice.
#include "treewright/kernels/cell_kernel.hpp"

#include "treewright/kernels/log_table.hpp"

#include <cstring>
#include <limits>
#include <type_traits>

#include "treewright/kernels/lanes_impl.hpp"
#include "treewright/kernels/look_up_plain.inc"
#include "treewright/kernels/log_lanes_impl.hpp"
#include "treewright/kernels/cell_kernel_impl.hpp"

namespace treewright::ranked {

const CellKernels& cell_kernels_plain() { return kKernels; }

const CellKernels& cell_kernels(Simd level) {
    return kernels_for(level, cell_kernels_plain, cell_kernels_avx2, cell_kernels_avx512);
}

}  // namespace treewright::ranked
