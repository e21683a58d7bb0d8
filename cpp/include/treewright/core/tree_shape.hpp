// A tree over the columns of a reduced dataset, and what it costs.
#pragma once

#include "treewright/space/binary_dataset.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace treewright::bits {

// Inner nodes hold a column of the dataset, leaves -1; depth first, the side of zeros first.
using Shape = std::vector<std::int32_t>;

[[nodiscard]] inline std::int64_t count_leaves(const Shape& shape) {
    return std::count_if(shape.begin(), shape.end(), [](std::int32_t column) { return column < 0; });
}

// What the tree costs on the reduced rows, in cost units: 2^unit_shift to a weight unit.
[[nodiscard]] inline std::int64_t cost_of(const Dataset& data, const Shape& shape, std::int64_t leaf_price,
                                          int unit_shift) {
    std::vector<std::vector<std::uint32_t>> pending(1, std::vector<std::uint32_t>(data.n_rows));
    std::iota(pending.back().begin(), pending.back().end(), 0U);
    std::int64_t cost = 0;
    for (const std::int32_t column : shape) {
        const std::vector<std::uint32_t> rows = std::move(pending.back());
        pending.pop_back();
        if (column < 0) {
            std::vector<std::int64_t> price(data.n_classes, 0);
            for (const std::uint32_t r : rows)
                for (std::size_t k = 0; k < price.size(); ++k) price[k] += data.cost[r * data.n_classes + k];
            cost += (*std::min_element(price.begin(), price.end()) << unit_shift) + leaf_price;
            continue;
        }
        std::vector<std::uint32_t> side[2];
        for (const std::uint32_t r : rows) side[data.bit(r, static_cast<std::size_t>(column)) ? 1 : 0].push_back(r);
        pending.push_back(std::move(side[1]));
        pending.push_back(std::move(side[0]));
    }
    return cost;
}

}  // namespace treewright::bits
