// The cell kernel for any processor, and the choice.
#include "treewright/kernels/cell_kernel.hpp"

#include "treewright/kernels/cell_kernel_tables.hpp"

#include <cstring>
#include <limits>

namespace treewright::ranked {
namespace {

inline Eight look_up(const double* table, EightBits index) {
    Eight x{};
    for (int i = 0; i < 8; ++i) x[i] = table[index[i]];
    return x;
}

}  // namespace
}  // namespace treewright::ranked

#include "treewright/kernels/cell_kernel_impl.hpp"

namespace treewright::ranked {

const CellKernels& cell_kernels_plain() { return kKernels; }

const CellKernels& cell_kernels(Simd level) {
    return kernels_for(level, cell_kernels_plain, cell_kernels_avx2, cell_kernels_avx512);
}

}  // namespace treewright::ranked
