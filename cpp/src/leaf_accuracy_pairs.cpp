#include "treewright/leaf_accuracy/pair_table.hpp"

namespace treewright::leaf_accuracy {

const PairTableKernels& pair_table_kernels(Simd level) {
    switch (level) {
        case Simd::avx512:
            return pair_table_kernels_avx512();
        case Simd::avx2:
            return pair_table_kernels_avx2();
        case Simd::plain:
            break;
    }
    return pair_table_kernels_plain();
}

}  // namespace treewright::leaf_accuracy
