// All trees within a budget, as one graph (the "Rashomon set" of Xin et al. 2022, who list its trees one by one).
//
// A node of the graph is a set of rows with the depth that is left, an edge a split of it. A tree of the set is what
// one gets by choosing at the root, and again at either side, to stop at a leaf or to follow an edge. The graph is far
// smaller than the set: 10^24 trees may share 10^5 nodes.
//
// With f(S, d) the least cost of a tree for the rows S and depth d, and b(S, d) the largest cost that a subtree there
// may have in a tree of the set:
//     edge j of (S, d) exists  <=>  f(L_j, d-1) + f(R_j, d-1) <= b(S, d)
//     b(L_j, d-1) = max over the edges that lead to it of  b(S, d) - f(R_j, d-1),  likewise for R_j.
// Complete: a tree T of the set that has subtree T' at (S, d) completes it with parts that cost at least their optima,
// so T' costs at most the budget less these optima, which is one of the terms of the maximum. Tight: an edge is
// completed by the optimal subtrees of everything beside it, so every node and edge lies in a tree of the set. Budgets
// come from parents, so one pass from the root down, level by level, gives every node its final budget before it is
// opened. The budget is a field of a node and no part of its key.
//
// Rows that cost nothing whatever a leaf predicts are rows of a side, so they count where it is asked whether a split
// is one. They change no f: a split that sends only such rows to one side can be left out of a tree, which then pays
// for a leaf less. So f is searched over the others alone, without counting rows, unless leaves have a larger minimum
// size.
//
// Threads divide the nodes of a level, and where a level has few, the splits of each: its edges depend on nothing but
// its rows, its depth and its budget.
//
// Costs are the integers of the search, rounded down: a leaf pays floor(price * 2^shift). The graph then holds all
// trees of the set and perhaps some whose exact cost is a hair above the budget; tree_counts.hpp leaves those out
// exactly.
#pragma once

#include "treewright/space/binary_dataset.hpp"
#include "treewright/search/binary_search.hpp"
#include "treewright/core/control.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace treewright::binary {

struct SetNode {
    std::int32_t depth;        // splits that may still follow
    std::int64_t budget;       // most that a subtree here costs in a tree of the set, in cost units
    std::uint32_t first_edge;  // its edges, ascending by column
    std::uint32_t last_edge;
};

struct SetEdge {
    std::int32_t column;
    std::uint32_t child[2];  // nodes where the column is zero, one
};

// Node 0 is the root; children have larger numbers than their parents.
struct NearOptimalGraph {
    std::size_t n_classes = 0;
    std::size_t key_words = 0;
    std::vector<SetNode> nodes;
    std::vector<SetEdge> edges;
    std::vector<std::int64_t> leaf_cost;  // node x class: weight units above what every tree pays
    std::vector<std::int64_t> leaf_rows;  // node: input rows
    std::vector<std::uint64_t> keys;      // node x key_words: closed pattern (ones, zeros)
    bool complete = false;

    [[nodiscard]] std::span<const std::int64_t> costs(std::size_t node) const {
        return std::span(leaf_cost).subspan(node * n_classes, n_classes);
    }
    [[nodiscard]] std::span<const SetEdge> edges_of(std::size_t node) const {
        return std::span(edges).subspan(nodes[node].first_edge, nodes[node].last_edge - nodes[node].first_edge);
    }
    [[nodiscard]] std::size_t bytes() const {
        return nodes.capacity() * sizeof(SetNode) + edges.capacity() * sizeof(SetEdge) +
               (leaf_cost.capacity() + leaf_rows.capacity() + keys.capacity()) * 8;
    }
};

// The graph of all trees that cost at most `budget`; `complete` is false if the run was stopped. `data` keeps rows that
// cost nothing. `search` is one over `data` with a minimum leaf size of at least one, or without one over its first
// rows, all that cost anything; what it knows is used and kept.
template <class Acc>
[[nodiscard]] NearOptimalGraph near_optimal_graph(const Dataset& data, Search<Acc>& search, std::int32_t max_depth,
                                                  std::int64_t budget, Control& control);

}  // namespace treewright::binary
