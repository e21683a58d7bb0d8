// The cell kernel for avx2.
#include "treewright/kernels/cell_kernel.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#include "treewright/kernels/cell_kernel_tables.hpp"

#include <cstring>
#include <immintrin.h>
#include <limits>

#include "treewright/kernels/begin_avx2.inc"

namespace treewright::ranked {
namespace {

inline Eight look_up(const double* table, EightBits index) {
    const auto half = [&](const void* from) {
        __m256i part;
        std::memcpy(&part, from, sizeof part);
        return _mm256_i64gather_pd(table, part, 8);
    };
    std::uint64_t indices[8];
    std::memcpy(indices, &index, sizeof indices);
    const __m256d halves[2] = {half(indices), half(indices + 4)};
    Eight x;
    std::memcpy(&x, halves, sizeof x);
    return x;
}

}  // namespace
}  // namespace treewright::ranked

#include "treewright/kernels/cell_kernel_impl.hpp"
#include "treewright/kernels/end_simd.inc"

const treewright::ranked::CellKernels& treewright::ranked::cell_kernels_avx2() { return kKernels; }
#else
const treewright::ranked::CellKernels& treewright::ranked::cell_kernels_avx2() { return cell_kernels_plain(); }
#endif
