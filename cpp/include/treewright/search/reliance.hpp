// How much trees of a near-optimal set rely on a column: by how much the cost of a tree rises if the column's values are drawn anew
// from all rows, whatever the rest of a row says (A. Fisher, C. Rudin, F. Dominici, 2019, "All Models are Wrong, but Many are Useful",
// JMLR 20, with the expectation over all pairs of rows in place of one permutation); the least and the most of it over all trees.
//
// A leaf is reached by the rows that pass the conditions of its path. With the column drawn anew these are two independent events:
// of R, the rows that pass the conditions on other columns, each has the chance w(V) / w that the drawn value passes those on the
// column, V being the rows that pass these. So, times the total weight w, a leaf of label k adds
//     cost(R, k) * w(V) - cost(R and V, k) * w,
// which depends on the leaf alone once R and V are part of a node. A graph is made of such nodes (node of the set's graph, R, V),
// top-down, equal ones once; the extremes of a sum over leaves are then one inside pass. A split on the column divides V and leaves
// R as it is, any other one divides R. Before the first split on the column V is all rows and R those of the node, so these nodes are
// those of the set's graph, and they add nothing.
//
// Only the front of each node is kept: a subtree of at least two leaves with no more leaves, no more errors and no smaller sum than
// another replaces it in every tree, since a set's most errors fall with the leaves, and a split is redundant only by single leaves.
#pragma once

#include "treewright/core/control.hpp"
#include "treewright/search/inside_pass.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace treewright::bits {

__extension__ using WideInt = __int128;  // costs times weights

struct RelianceTask {
    std::span<const std::uint32_t> copies_of;  // [edge]: how many of its copies are on the column
    std::span<const std::uint64_t> ones;       // as in node_rows.hpp
    std::size_t n_rows = 0;
    std::span<const std::int64_t> weight;  // [row]
    std::span<const std::int64_t> cost;    // [row][class]: of predicting it, weights included
    bool leaf_at_root = true;              // whether a tree of one leaf belongs to the set
};

// The least and the most, times the total weight; nothing if there is no tree, or if it was stopped (see `control`).
[[nodiscard]] std::optional<std::pair<double, double>> reliance(const NearOptimalGraph& graph, const SetRule& rule,
                                                                const RelianceTask& task, Control& control);

}  // namespace treewright::bits
