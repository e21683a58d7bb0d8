// Which instruction sets this machine has, asked once. Kernels that gain from them are compiled several times
// with function attributes and chosen through this value, so that one portable build runs fast everywhere.
#pragma once

#include <cstdint>

namespace treewright {

enum class Simd : std::uint8_t { plain = 0, avx2 = 1, avx512 = 2 };

// The best level that both the processor and the operating system support; avx512 means F, BW, VL and VPOPCNTDQ.
[[nodiscard]] Simd detected_simd() noexcept;

// The level in use: the detected one unless limited by set_simd_limit (for tests and ablation).
[[nodiscard]] Simd simd() noexcept;
void set_simd_limit(Simd limit) noexcept;

// The one of three versions of the same kernels that `level` names. Functions, not kernels: code for a newer processor
// is not even looked up on an older one.
template <class Kernels>
[[nodiscard]] const Kernels& kernels_for(Simd level, const Kernels& (*plain)(), const Kernels& (*avx2)(),
                                         const Kernels& (*avx512)()) {
    return level == Simd::avx512 ? avx512() : level == Simd::avx2 ? avx2() : plain();
}

}  // namespace treewright
