// Depth-two kernels for any processor, and the choice.
#include "treewright/kernels/pair_kernel.hpp"

#include <cstddef>
#include <new>

#include "treewright/kernels/pair_kernel_impl.hpp"

namespace treewright::ranked {

const PairKernels& pair_kernels_plain() { return table<16>(); }

const PairKernels& pair_kernels(Simd level) {
    return kernels_for(level, pair_kernels_plain, pair_kernels_avx2, pair_kernels_avx512);
}

}  // namespace treewright::ranked
