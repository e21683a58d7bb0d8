#include "treewright/core/cpu.hpp"

#include <algorithm>
#include <atomic>

namespace treewright {

namespace {

Simd detect() noexcept {
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512vpopcntdq"))
        return Simd::avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt"))
        return Simd::avx2;
#endif
    return Simd::plain;
}

std::atomic<Simd> limit{Simd::avx512};

}  // namespace

Simd detected_simd() noexcept {
    static const Simd level = detect();
    return level;
}

Simd simd() noexcept { return std::min(detected_simd(), limit.load(std::memory_order_relaxed)); }

void set_simd_limit(Simd value) noexcept { limit.store(value, std::memory_order_relaxed); }

}  // namespace treewright
