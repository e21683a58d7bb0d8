// What no tree of a set of groups can undercut, of whatever depth: the cheapest clusters of the groups, on a line.
//
// Groups of equal rows (row_groups.hpp) are whole in one leaf of any tree, so a tree is a partition of the groups, and
// costs no less than the best partition does, a cluster costing what a leaf does. A loss of two sums (A, B) is the
// least over theta of a sum of losses A phi(theta) + B psi(theta), so of two values of theta a group prefers one by its
// ratio B / A alone: some best partition has clusters that are contiguous in the order of the ratios (for squared
// error: Fisher 1958, "On grouping for maximum homogeneity"). OSRT (Zhang et al., AAAI 2023) bounds regression trees by
// clusters, too; here the order of the groups is fixed once, and events and hazards are served as well.
//
// With groups 1 .. G in that order, F(j) = min over i < j of F(i) + w(i, j), w(i, j) = g(i + 1 .. j) + leaf. Claim, for
// i < i' < j < j':
//     w(i, j) + w(i', j') <= w(i, j') + w(i', j).
// Let theta be best for i + 1 .. j', theta' for i' + 1 .. j. If theta' is nearer to the large ratios, take theta for i
// + 1 .. j and theta' for i' + 1 .. j': what is between is counted once with each on both sides, and the groups after
// j, whose ratios are beyond all that theta' was chosen for, lose no more with theta' than with theta. Else the other
// way round, by the groups before i' + 1. So where a later beginning i' of the last cluster is better than i for one j,
// it is for all later j: a queue of beginnings, each with the first j that it is best for, needs O(G log G) values of
// w.
//
// Rounding. Sums are whole numbers below 2^53, exact. A value of F + w is computed with an error of at most `e` = 2^-49
// M, M the largest |F| + |w|, so a comparison drops a beginning that is better by 2 e at most. The best beginning for a
// j may have been dropped for another, and that one for a third, at most G times: F(j) exceeds the least by at most (2
// G + 1) e more than the F(i) it is made of, so F(G) by (2 G + 1) G e. Integer costs of leaves are below their real
// ones by at most TwoSums::leaf_error each, which is taken off the price of each cluster.
#pragma once

#include "treewright/core/control.hpp"
#include "treewright/core/cost.hpp"
#include "treewright/objective/two_sums.hpp"
#include "treewright/space/row_groups.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace treewright::ranked {

class Segmentation {
   public:
    // Both stay in use.
    Segmentation(const RowGroups& groups, const TwoSums& sums, Control& control);

    // Whether the prices of clusters count: else those of one group are best, or nearly, which RowGroups::loss tells.
    // They do where one for each group adds up to a thousandth of what all groups apart lose less than together.
    [[nodiscard]] bool useful() const;
    // The groups in the order of their ratios; groups that weigh nothing stand anywhere.
    [[nodiscard]] std::vector<std::uint32_t> order() const;
    // No tree of `set`, a sequence in that order, costs less; `one_leaf` is the cost of one. 0 after a stop.
    [[nodiscard]] Cost bound(std::span<const std::uint32_t> set, Cost one_leaf);

    // About what good clusters of `set` cost, one after the other in that order: bound() is no more, up to rounding. A
    // fraction of the time of bound(), which is not worth it where this is too little.
    [[nodiscard]] Cost some_clusters(std::span<const std::uint32_t> set, Cost one_leaf) const;

    std::int64_t n_values = 0;  // of w, that were computed

   private:
    // The last cluster begins behind `from` where it ends at `first` or later.
    struct Beginning {
        std::uint32_t from, first;
    };
    [[nodiscard]] double loss(double a, double b) const;
    [[nodiscard]] double value(std::uint32_t from, std::uint32_t to);

    const RowGroups& groups_;
    const TwoSums& sums_;
    Control& control_;
    double leaf_;                    // of a cluster
    std::vector<double> a_, b_, f_;  // [j]: sums of the first j groups, and F
    std::vector<Beginning> queue_;
    std::int64_t n_polled_ = 0;
};

}  // namespace treewright::ranked
