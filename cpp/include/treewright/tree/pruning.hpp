// Prunings of a tree: a leaf, or one of the two children, in the place of an inner node.
//
// No optimal tree has a better pruning: depth, leaves and the sizes of leaves only become easier to keep, and the
// splits are splits of the tree itself. So the check costs nothing in generality. It refutes a false proof, and it
// makes the tree of a stopped run at least as good as all of its own subtrees.
//
// From the leaves up, each node becomes the best of: its split above its pruned children, a leaf, either child. A child
// that takes the place of its parent gets the rows of the other side as well; they are routed through it, and its
// leaves predict again. It then has other rows than before, so rounds go on until nothing changes; each makes the tree
// better or smaller, so they end.
//
// Costs are exact integers. Rows make no leaf cheaper (costs are at least 0), so a child is given up as soon as the
// rows routed so far have made it more expensive than what it would replace. A round takes rows x depth steps for the
// routing, and at most rows x depth^2 / 2 for the children, of which few are ever routed whole.
#pragma once

#include "treewright/tree/split_list.hpp"

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

namespace treewright::tree {

__extension__ typedef __int128 Wide;

// Rows and what they cost: predicting class c for a row of class k costs weight * costs[k * n_classes + c].
struct Labels {
    std::span<const std::int32_t> y;
    std::span<const std::int64_t> weight;
    std::span<const std::int64_t> costs;
    std::size_t n_classes = 1;
};

// Every wrong prediction of a row costs its weight, every right one nothing.
[[nodiscard]] bool is_plain(const Labels& labels);

// Rows and what a leaf loses of them, as a function of sums over its rows. No row makes a leaf lose less.
struct LossSums {
    enum class Kind : std::uint8_t {
        least,     // the least of the sums: one cost for each action
        squares,   // of the weights, weights * squared targets, weights * each target: squared error about the means
        deviance,  // of events, hazards, events * log(hazards / events): half the deviance of one hazard ratio
        entropy,   // of the weights of each class: log loss of their shares
    };
    static constexpr std::int64_t kUnits = std::int64_t{1} << 46;  // of cost, in the loss of one leaf

    Kind kind = Kind::least;
    std::span<const std::int64_t> sums;  // of each row: n_sums numbers, whose absolute values add up to less than 2^63
    std::size_t n_sums = 1;
    std::span<const double> unit;  // of each of the n_sums
    double one_leaf = 1.0;         // loss of a single leaf
};

// An additive objective: a tree costs unit * (costs of its rows) + leaf * (number of leaves). Less is better; among
// equals, fewer leaves.
struct CostRates {
    Wide unit = 1;
    Wide leaf = 0;
};

// What a leaf is worth: its accuracy, or with z > 0 the lower end of the Wilson interval of it with `scale`
// observations for each unit of weight.
struct LeafWorth {
    double z = 0.0;
    double scale = 1.0;

    [[nodiscard]] double of(std::int64_t correct, std::int64_t total) const;
};

struct PrunedTree {
    std::vector<std::int32_t>
        source;  // for each node of the pruned tree, depth-first: its split in the given list, -1 a leaf
    std::size_t merged_leaves = 0;  // of the given tree, once sibling leaves of the same prediction are one
};

using Deadline = std::chrono::steady_clock::time_point;

// The cheapest tree that rounds of prunings reach, with every leaf worth at least `least` (0: any; asked of plain costs
// only). No round begins after the deadline; the first always runs.
[[nodiscard]] PrunedTree cheapest_pruning(const SplitList& splits, const EncodedRows& rows, const Labels& labels,
                                          const CostRates& rates, double least, const LeafWorth& worth,
                                          Deadline deadline);

// The same for another additive loss, in units of LossSums::kUnits: a leaf costs `leaf` of these beside its loss.
[[nodiscard]] PrunedTree cheapest_pruning(const SplitList& splits, const EncodedRows& rows, const LossSums& loss,
                                          std::int64_t leaf, Deadline deadline);

// The tree whose worst leaf is best, of those that single prunings reach; then the cheapest with a worst leaf as good.
[[nodiscard]] PrunedTree best_worst_leaf(const SplitList& splits, const EncodedRows& rows, const Labels& labels,
                                         const CostRates& rates, const LeafWorth& worth, Deadline deadline);

}  // namespace treewright::tree
