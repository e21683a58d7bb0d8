// What a split does to the rows in sorted order: kernels over entries (row * 2 + "starts a group", see
// ranked_table.hpp).
#pragma once

#include "treewright/core/cpu.hpp"

#include <cstddef>
#include <cstdint>

namespace treewright::ranked {

struct OrderKernels {
    // Stable partition of `n` entries by goes_left[row], which has kPadding readable bytes beyond the last row. An
    // entry starts a group on its side if one since the last entry of that side did. Each side has kPadding entries of
    // room beyond its own, which are overwritten.
    void (*partition)(const std::uint32_t* order, std::size_t n, const std::uint8_t* goes_left, std::uint32_t* left,
                      std::uint32_t* right);
    // Positions from 1 on at which a group starts, in order; returns how many. Room for n + kPadding.
    std::size_t (*group_starts)(const std::uint32_t* order, std::size_t n, std::uint32_t* positions);

    static constexpr std::size_t kPadding = 16;
};

[[nodiscard]] const OrderKernels& order_kernels(Simd level);

// One table per translation unit.
[[nodiscard]] const OrderKernels& order_kernels_plain();
[[nodiscard]] const OrderKernels& order_kernels_avx512();

}  // namespace treewright::ranked
