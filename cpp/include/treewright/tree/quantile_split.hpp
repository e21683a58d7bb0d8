// The best split of all rows in two leaves for absolute error and quantile loss, whose leaves are no function of few
// sums. As single_split.hpp, it is for runs that end before their columns are ranked.
//
// A leaf of rows i with targets y_i and weights w_i costs the least, over its value q, of
//     L(q) = sum_i w_i (up (y_i - q)+ + down (q - y_i)+),
// which is convex in q and least at a quantile of the targets. Two looks at a column:
//
// 1. Bounds from sums. The targets are divided into bins of neighbours. Of a set of rows, W_t and S_t are the sums of
//    w and w y in bin t. Let q* be a best value, and t its bin, from its smallest target l to its largest h (the bin
//    in which the sum of the weights reaches up / (up + down) of all). For q in [l, h], rows of other bins cost exactly
//    what the sums say, a linear function of q, and those of bin t at least what they would cost all at their mean
//    (Jensen's inequality). So L(q*) is at least the least of a function with kinks at S_t / W_t only, over [l, h]: it
//    is taken at l, at h or at the mean. At q = l and q = h the sums give L itself, and the lesser of both is at least
//    L(q*). As in single_split.hpp the rows of a column are added to buckets of neighbouring values, here one for each
//    bin of targets, and the losses are superadditive: a split inside a bucket costs at least the lower bounds of
//    the rows on the left of the bucket and of those on its right. Splits between buckets have both bounds.
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
