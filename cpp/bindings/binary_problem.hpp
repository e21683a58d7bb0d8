// What every problem over binary columns is made of, checked: splits, labels, weights and costs.
#pragma once

#include "arrays.hpp"
#include "check.hpp"
#include "treewright/objective/largest_numbers.hpp"

#include <cstdint>
#include <vector>

namespace treewright {

inline constexpr std::int64_t kMaxCost = ranked::largest::kBinaryTotal;  // of weights times costs, all added up

// Splits are rows of zeros and ones, or of bits where they are `packed`.
inline void require_binary_problem(const Matrix<std::uint8_t>& splits, const Vector<std::int32_t>& y,
                                   const Vector<std::int64_t>& weight, const Matrix<std::int64_t>& costs, bool packed) {
    const std::size_t n = y.shape(0);
    require(splits.shape(1) == (packed ? (n + 7) / 8 : n) && weight.shape(0) == n, "arrays of different lengths");
    require(n < (std::size_t{1} << 32) - 1 && splits.shape(0) < (std::size_t{1} << 31) - 1, "table too large");
    require(costs.shape(0) >= 1 && costs.shape(1) >= 1, "costs need a row and a column");
    require_within(span_of(y), std::int64_t{0}, static_cast<std::int64_t>(costs.shape(0)) - 1, "y");
    require_sum(span_of(weight), kMaxCost, "weight");
    std::vector<std::int64_t> of_label(costs.shape(0));
    for (std::size_t t = 0; t < of_label.size(); ++t)
        of_label[t] = require_sum(std::span<const std::int64_t>{costs.data() + t * costs.shape(1), costs.shape(1)},
                                  kMaxCost, "costs");
    std::int64_t left = kMaxCost;
    for (std::size_t r = 0; r < n; ++r) {
        const std::int64_t cost = of_label[static_cast<std::size_t>(y(r))];
        require(cost == 0 || weight(r) <= left / cost, "weights times costs sum to more than 2^58");
        left -= cost * weight(r);
    }
}

}  // namespace treewright
