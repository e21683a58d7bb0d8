// The best split of all rows in two leaves for absolute error and quantile loss, whose leaves are no function of few
// sums. As single_split.hpp, it is for runs that end before their columns are ranked.
//
// A leaf of rows i with targets y_i and weights w_i costs the least, over its value q, of
//     L(q) = sum_i w_i (up (y_i - q)+ + down (q - y_i)+),
// which is convex in q and least at a quantile of the targets. Two looks at a column:
//
// 1. Bounds from sums over bins of targets (objective/target_bins.hpp). As in single_split.hpp the rows of a column are
//    added to buckets of neighbouring values, here one for each bin of targets, and the losses are superadditive: a
//    split inside a bucket costs at least the lower bounds of the rows on the left of the bucket and of those on its
//    right. Splits between buckets have both bounds.
// 2. A walk. A column whose lower bound is below the loss that some split is known to have is ranked. Rows are taken
//    out one after the other, from the largest value down for the left leaves, from the smallest up for the right ones.
//    The targets stand in a list in their order, in which the best value is a place; to take a row out unlinks at most
//    one target and moves the place by a few.
//
// Cost: a pass over each column, and for those that may hold the best split a sort and two passes.
#pragma once

#include "treewright/tree/single_split.hpp"

#include <cstddef>
#include <optional>
#include <span>

namespace treewright::tree {

struct TargetRows {
    std::span<const double> target;
    std::span<const double> weight;  // positive
    double up = 1.0, down = 1.0;     // what a unit above and below the value of the leaf costs; both positive
};

struct QuantileSplit {
    std::optional<SingleSplit> best;
    std::size_t n_walked = 0;  // columns that were ranked
};

// As best_single_split.
[[nodiscard]] QuantileSplit best_quantile_split(const EncodedRows& table, const TargetRows& rows, std::size_t min_leaf,
                                                double below);

}  // namespace treewright::tree
