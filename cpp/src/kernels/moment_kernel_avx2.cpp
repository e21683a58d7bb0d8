// The kernel of two moments for avx2.
#include "treewright/kernels/moment_kernel.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,popcnt"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi,bmi2,popcnt")
#endif
#include "treewright/kernels/moment_kernel_impl.hpp"

namespace treewright::ranked {

const MomentKernels& moment_kernels_avx2() { return kKernels; }

}  // namespace treewright::ranked
#if defined(__clang__)
#pragma clang attribute pop
#endif
#else
namespace treewright::ranked {

const MomentKernels& moment_kernels_avx2() { return moment_kernels_plain(); }

}  // namespace treewright::ranked
#endif
