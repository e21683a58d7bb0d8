// In which share of the trees of a near-optimal set a node is a leaf, in floating point: answers that are shares, so
// that no digit of a count beyond the sixteenth matters.
//
// Inside.  H(n)[l, e], the number of subtrees of node n with l leaves and e errors (inside_pass.hpp).
// Outside. O(n)[l, e] counts the ways to complete a subtree at n to a tree, by the leaves and errors beside it:
//     O(root) = {(0, 0): 1},  O(L_j) += copies(j) * conv(O(n), H(R_j)).
// The trees in which n is a leaf of label k are the sum of O(n)[l, e] over the cells with e + error(n, k) <=
// max_errors[l + 1], without the trees in which that leaf's parent is redundant.
//
// Rounding. All is made by adding and multiplying numbers that are not negative, so relative errors grow by a rounding
// a step and never by cancellation: a share has about twelve right digits, and is zero exactly if no tree is counted. A
// count is below 2^1000 (tree_counts.hpp refuses more), and every number here counts parts of trees of the set, so
// nothing overflows.
#pragma once

#include "treewright/core/control.hpp"
#include "treewright/kernels/ways_kernel.hpp"
#include "treewright/search/inside_pass.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace treewright::binary {

class TreeShares {
   public:
    TreeShares(const NearOptimalGraph& graph, SetRule rule, Control& control);
    TreeShares(const TreeShares&) = delete;
    TreeShares& operator=(const TreeShares&) = delete;

    [[nodiscard]] bool complete() const { return complete_; }
    // [node][class]: the trees in which the node is a leaf of that class; empty if stopped. `to_side`, if given, says
    // for each edge how many of its columns send one row to either side: then the trees in which that row falls into
    // the leaf.
    [[nodiscard]] std::vector<double> leaves_in_trees(std::span<const std::uint32_t> to_side, Control& control) const;

   private:
    InsidePass<Ways> pass_;
    bool complete_ = false;
};

}  // namespace treewright::binary
