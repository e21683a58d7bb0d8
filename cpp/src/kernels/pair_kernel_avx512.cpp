// Depth-two kernels for avx512.
#include "treewright/kernels/pair_kernel.hpp"

#include <cstddef>
#include <new>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define TREEWRIGHT_AVX512  // compilers do not all tell the target of a pragma

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512vl,avx2,bmi,bmi2,popcnt"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx2,bmi,bmi2,popcnt")
#endif
#include "treewright/kernels/pair_kernel_impl.hpp"

namespace treewright::ranked {

const PairKernels& pair_kernels_avx512() { return table<64>(); }

}  // namespace treewright::ranked
#if defined(__clang__)
#pragma clang attribute pop
#endif
#else
namespace treewright::ranked {

const PairKernels& pair_kernels_avx512() { return pair_kernels_plain(); }

}  // namespace treewright::ranked
#endif
