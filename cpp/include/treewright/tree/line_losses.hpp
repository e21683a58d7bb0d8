// What the best line in one column leaves of the targets of a leaf, for each of some columns, in double precision.
#pragma once

#include "treewright/tree/split_list.hpp"

#include <cstdint>
#include <span>

namespace treewright::tree {

// The rows of a leaf, what their targets are apart from their weighted mean, and their weights, which are positive.
struct LeafTargets {
    std::span<const std::int64_t> rows;
    std::span<const double> apart;
    std::span<const double> weight;
};

// For each column the least sum of w (apart - a - b x)^2 over a and b; infinity where the values of the rows do not
// vary, or one is missing.
void line_losses(const EncodedRows& table, const LeafTargets& leaf, std::span<const std::int64_t> columns,
                 std::span<double> loss);

}  // namespace treewright::tree
