// The convolution of rounded counts for any processor, and the choice.
#include "treewright/kernels/ways_kernel.hpp"

#include "treewright/kernels/ways_kernel_impl.hpp"

namespace treewright::binary {

const WaysKernels& ways_kernels_plain() { return kKernels; }

const WaysKernels& ways_kernels(Simd level) {
    return kernels_for(level, ways_kernels_plain, ways_kernels_avx2, ways_kernels_avx512);
}

}  // namespace treewright::binary
