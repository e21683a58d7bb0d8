// A tree over the columns of a reduced dataset, and what it costs.
#pragma once

#include "treewright/space/binary_dataset.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace treewright::binary {

// Inner nodes hold a column of the dataset, leaves -1; depth first, the side of zeros first.
using Shape = std::vector<std::int32_t>;

[[nodiscard]] inline std::int64_t count_leaves(const Shape& shape) {
    return std::count_if(shape.begin(), shape.end(), [](std::int32_t column) { return column < 0; });
}

// Calls visit(rows, class, cost) for every leaf of the tree: its reduced rows, its cheapest class (the first of
// equals), and what they cost there, in weight units.
template <class Visit>
void for_each_leaf(const Dataset& data, const Shape& shape, const Visit& visit) {
    std::vector<std::vector<std::uint32_t>> pending(1, std::vector<std::uint32_t>(data.n_rows));
    std::iota(pending.back().begin(), pending.back().end(), 0U);
    for (const std::int32_t column : shape) {
        const std::vector<std::uint32_t> rows = std::move(pending.back());
        pending.pop_back();
        if (column < 0) {
            std::vector<std::int64_t> cost(data.n_classes, 0);
            for (const std::uint32_t r : rows)
                for (std::size_t k = 0; k < cost.size(); ++k) cost[k] += data.cost[r * data.n_classes + k];
            const auto best = std::min_element(cost.begin(), cost.end());
            visit(rows, static_cast<std::size_t>(best - cost.begin()), *best);
            continue;
        }
        std::vector<std::uint32_t> side[2];
        for (const std::uint32_t r : rows) side[data.bit(r, static_cast<std::size_t>(column)) ? 1 : 0].push_back(r);
        pending.push_back(std::move(side[1]));
        pending.push_back(std::move(side[0]));
    }
}

// What the tree costs on the reduced rows, in cost units: 2^unit_shift to a weight unit.
[[nodiscard]] inline std::int64_t cost_of(const Dataset& data, const Shape& shape, std::int64_t leaf_penalty,
                                          int unit_shift) {
    std::int64_t sum = 0;
    for_each_leaf(data, shape,
                  [&](const auto&, std::size_t, std::int64_t cost) { sum += (cost << unit_shift) + leaf_penalty; });
    return sum;
}

}  // namespace treewright::binary
