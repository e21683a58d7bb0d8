// The kernel of two moments for any processor, and the choice.
#include "treewright/kernels/moment_kernel.hpp"

#include "treewright/kernels/moment_kernel_impl.hpp"

namespace treewright::ranked {

const MomentKernels& moment_kernels_plain() { return kKernels; }

const MomentKernels& moment_kernels(Simd level) {
    switch (level) {
        case Simd::avx512:
            return moment_kernels_avx512();
        case Simd::avx2:
            return moment_kernels_avx2();
        case Simd::plain:
            break;
    }
    return moment_kernels_plain();
}

}  // namespace treewright::ranked
