// Depth-two kernels for any processor.
#include "treewright/kernels/pair_kernel.hpp"

#include <cstddef>
#include <new>

#include "treewright/kernels/pair_kernel_impl.hpp"

namespace treewright::ranked {

const PairKernels& pair_kernels_plain() { return table<16>(); }

}  // namespace treewright::ranked
