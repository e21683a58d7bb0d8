// Sums of what each row carries (a price, a guess) over the rows of a subproblem, and of each of its children.
#pragma once

#include "treewright/space/binary_dataset.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

namespace treewright::binary {

[[nodiscard]] inline std::int64_t sum_over(std::span<const std::int64_t> value, std::span<const std::uint32_t> rows) {
    if (value.empty()) return 0;
    std::int64_t sum = 0;
    for (const std::uint32_t r : rows) sum += value[r];
    return sum;
}

// out[j] = sum over the rows where column j is one, for the columns of `mask`; `out` has room for all words' bits.
inline void sum_by_column(const Dataset& data, std::span<const std::int64_t> value, std::span<const std::uint32_t> rows,
                          std::span<const std::uint64_t> mask, std::span<std::int64_t> out) {
    std::fill(out.begin(), out.end(), 0);
    for (const std::uint32_t r : rows) {
        if (value[r] == 0) continue;
        for (std::size_t w = 0; w < data.n_words; ++w)
            for (std::uint64_t left = data.bits[r * data.n_words + w] & mask[w]; left != 0; left &= left - 1)
                out[w * 64 + static_cast<std::size_t>(std::countr_zero(left))] += value[r];
    }
}

}  // namespace treewright::binary
