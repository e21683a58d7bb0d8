#include "treewright/kernels/pair_kernel.hpp"

namespace treewright::ranked {

const PairKernels& pair_kernels(Simd level) {
    switch (level) {
        case Simd::avx512:
            return pair_kernels_avx512();
        case Simd::avx2:
            return pair_kernels_avx2();
        case Simd::plain:
            break;
    }
    return pair_kernels_plain();
}

}  // namespace treewright::ranked
