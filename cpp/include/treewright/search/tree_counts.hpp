// How many trees of a near-optimal set there are, by leaves and errors, at every node of its graph.
//
// Inside.  H(n)[l, e] counts the subtrees of node n with l leaves and e errors (weight units) that fit into the node's budget:
//     H(n) = leaves of n + sum over edges j of copies(j) * conv(H(L_j), H(R_j)), less the redundant splits,
// where a redundant split has a leaf of the same label on both sides, and copies(j) is the number of input columns that
// split all rows as j does. Cells hold l and e apart, so that any price of a leaf stays exact: at the root a cell is in the set
// if e <= most_errors[l].
// Outside. O(n)[l, e] counts the ways to complete a subtree at n to a tree, by the leaves and errors beside it:
//     O(root) = {(0, 0): 1},  O(L_j) += copies(j) * conv(O(n), H(R_j)).
// The trees in which n is a leaf of label k are the sum of O(n)[l, e] over the cells with e + error(n, k) <=
// most_errors[l + 1], less the trees in which that leaf's parent is redundant.
//
// Counts are exact: a pass in floating point bounds the largest count first, and says how many words one needs.
#pragma once

#include "treewright/search/near_optimal.hpp"
#include "treewright/core/control.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace treewright::bits {

struct CountRule {
    std::vector<std::int64_t> most_errors;     // [leaves]: of a tree of the set, above what every tree pays; -1: none
    std::int64_t leaf_price = 0;               // in cost units, as the graph was made
    int unit_shift = 0;
    bool any_label = false;                    // a leaf may predict any class, not only the cheapest (first of equals)
    bool redundant = false;                    // splits with the same label on both sides count
    std::int64_t min_rows = 1;                 // in a leaf
    std::span<const std::uint32_t> copies;     // [edge]: input columns that make this split; 0 closes the edge
    std::size_t n_words = 0;                   // of a count; 0: as many as needed. A smaller set needs no more than a larger one
    std::size_t most_bytes = static_cast<std::size_t>(-1);
};

// Counts of all nodes; those of a cell are `n_words` 64-bit words, lowest first. Cells of a node ascend by leaves, then errors.
struct TreeCounts {
    std::size_t n_words = 1;
    std::vector<std::size_t> first_cell;  // [node], and the end
    std::vector<std::uint32_t> leaves;    // [cell]
    std::vector<std::int64_t> errors;     // [cell]
    std::vector<std::uint64_t> counts;    // [cell][word]
    std::vector<std::uint64_t> root_edges;  // [edge of the root][word]: trees that begin with it
    bool complete = false;                // false: stopped, or more than 2^1000 trees (`too_many`)
    bool too_many = false;
};

[[nodiscard]] TreeCounts count_trees(const NearOptimalGraph& graph, const CountRule& rule, Control& control);

// [node][class][word]: the trees of the set in which the node is a leaf of that class; empty if stopped.
[[nodiscard]] std::vector<std::uint64_t> count_leaves_in_trees(const NearOptimalGraph& graph, const CountRule& rule,
                                                               const TreeCounts& inside, Control& control);

}  // namespace treewright::bits
