// Depth-two kernels for any processor.
#include "treewright/sweep/pair_kernel.hpp"

#include <cstddef>
#include <new>

#include "treewright/sweep/pair_kernel_impl.hpp"

namespace treewright::sweep {

const PairKernels& pair_kernels_plain() { return table<16>(); }

}  // namespace treewright::sweep
