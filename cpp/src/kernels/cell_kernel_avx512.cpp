// The cell kernel for avx512.
#include "treewright/kernels/cell_kernel.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#include "treewright/kernels/cell_kernel_tables.hpp"

#include <cstring>
#include <immintrin.h>
#include <limits>

#include "treewright/kernels/begin_avx512.inc"

namespace treewright::ranked {
namespace {

inline Eight look_up(const double* table, EightBits index) {
    __m512i which;
    std::memcpy(&which, &index, sizeof which);
    const __m512d found = _mm512_permutex2var_pd(_mm512_load_pd(table), which, _mm512_load_pd(table + 8));
    Eight x;
    std::memcpy(&x, &found, sizeof x);
    return x;
}

}  // namespace
}  // namespace treewright::ranked

#include "treewright/kernels/cell_kernel_impl.hpp"
#include "treewright/kernels/end_simd.inc"

const treewright::ranked::CellKernels& treewright::ranked::cell_kernels_avx512() { return kKernels; }
#else
const treewright::ranked::CellKernels& treewright::ranked::cell_kernels_avx512() { return cell_kernels_plain(); }
#endif
