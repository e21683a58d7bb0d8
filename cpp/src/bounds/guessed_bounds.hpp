// CONDITIONAL lower bounds, guessed from a reference model (McTavish et al. 2022, section 4.3).
//
// Let g_r be what the reference's own prediction for row r costs, and g(S) its sum. Equation 4 guesses that no tree on
// a subset S costs less than g(S) + c. That is NOT proven: a tree may be right where the reference is wrong. What a
// search with these bounds still proves is Theorem 4.3, and the argument is one line longer than for plain bounds:
//
//   Let F(S, d) be the optimum of the MODIFIED problem in which predicting class k for row r costs max(cost_k, g_r).
//   Every row costs at least g_r there, so a tree of L leaves on S costs at least g(S) + L*c. Each `lower` of a
//   subproblem is kept at most F: true lower bounds are (true costs are at most modified ones), the guesses are,
//   sums and minima of such bounds are. Each `upper` is the TRUE cost of a tree that exists. When lower >= upper at the
//   root, the tree found costs at most F(root): no more than any tree t pays if every row that the reference gets
//   wrong were charged to t as well, which is the theorem.
//
// The section's steps, and where they happen here:
//   step 1  ub(S) <= lb_guess(S) + c  =>  leaf.       A tree that splits has two leaves: F >= min(leaf, g(S) + 2c).
//   step 2a accept a tree at most the current bound.   lower >= upper ends a subproblem, for whichever reason.
//   step 2b lb = max(lb, min(ub, min_j lb_j0 + lb_j1)).  B5 in solve().
// B2 and B3 look two and three leaves further, as step 2b applied to children and grandchildren would:
// F >= min(best of at most two leaves, g + 3c) and F >= min(best of at most three leaves, g + 4c).
//
// B6 (similar subsets) is switched off: it carries a bound from one set to another with the true cost of the rows
// between, and a bound that is at most F would need their modified cost.
//
// The front (front.hpp) keeps the same invariant for every number of leaves l. With F(S, d, l) the optimum of the
// modified problem with at most l leaves and no leaf penalty, F >= g(S), so min(upper(l), g(S)) is a lower bound for a
// front as guesses are above: at most F, or the cost of a tree that exists and is no better than it needs to be. Adding
// c*l and taking the minimum over l gives Theorem 4.3 among trees of at most K leaves.
//
// Rows merged by the reduction have one guess, max(0, sum of g_i - base): the modified cost of the merged row is at
// least the maximum of its true cost and of the sum of its g_i, so this is at most what F charges above base. A merged
// row that every class costs the same is dropped with its guess (without a least size of leaves): F charges every tree
// the same for it, so without it the theorem says more, not less. Kept, it would be in no matrix and in no key of the
// cache: a bound of a set with it would be taken for one of the set without.
#pragma once

#include "space/row_values.hpp"
#include "treewright/search/binary_search.hpp"

#include <algorithm>

namespace treewright::binary {

template <class Acc>
std::int64_t Search<Acc>::guess_of(std::span<const std::uint32_t> rows) const {
    return sum_over(data_.guess, rows) << settings_.unit_shift;
}

// Raises the bounds of both children of every split: one pass over the rows that the reference gets wrong.
template <class Acc>
void Search<Acc>::guess_children(const Node& node, Children& children) const {
    if (node.guess == 0) return;
    ArenaScope scope(arena_);
    const auto by_column = arena_.take<std::int64_t>(data_.n_words * 64);
    sum_by_column(data_, data_.guess, node.rows, node.active.mask, by_column);
    const std::int64_t leaves = !options_.lookahead ? c_ : !options_.two_leaves ? 2 * c_ : 3 * c_;
    for (std::size_t i = 0; i < node.pairs.size; ++i) {
        const std::int64_t one = by_column[static_cast<std::size_t>(node.active.columns[i])] << settings_.unit_shift;
        for (int side : {0, 1}) {
            const std::int64_t guess = leaves + (side == 1 ? one : node.guess - one);
            children.lower[side][i] = std::min(children.upper[side][i], std::max(children.lower[side][i], guess));
        }
    }
}

}  // namespace treewright::binary
