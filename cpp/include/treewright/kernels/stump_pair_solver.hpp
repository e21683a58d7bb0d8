// Optimal trees of depth two for any objective: every split that the bounds leave open is made, and both its sides are
// solved by the objective's best_stump(). Portable and exact; a kernel of many splits in one pass is faster.
#pragma once

#include "treewright/bounds/interval_bounds.hpp"
#include "treewright/core/control.hpp"
#include "treewright/kernels/pair_solver.hpp"
#include "treewright/objective/ranked_objective.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace treewright::ranked {

class StumpPairSolver : public PairSolver {
   public:
    // `any_size`: the objective tells Stump::any_size. Where leaves have a least size, part of a side may cost more
    // than the side (rule M), but not with leaves of any size: then these are the bounds of the sides, and few splits
    // are open.
    StumpPairSolver(const RankedObjective& objective, const Options& options, Control& control, bool any_size = false);

    [[nodiscard]] Outcome solve(const Node& node, bool three_leaves, Cost budget,
                                std::span<const Neighbour> neighbours = {}) override;
    [[nodiscard]] std::int64_t pace() const override { return 8; }
    void keep(const Node& node, Cost target, Memo& memo) const override;

   protected:
    // Solves a split exactly, tells its column's bounds and offers the tree.
    void solve_split(const Node& node, std::size_t at, std::uint32_t split, bool three_leaves, Outcome& result);
    // Improves the bounds until no split of any column is open below min(result.upper, budget).
    virtual void search_splits(const Node& node, bool three_leaves, Cost budget, Outcome& result);

    const RankedObjective& objective_;
    Control& control_;
    bool any_size_;
    std::vector<IntervalBounds> bounds_;  // [number of the node's column]
    Stack stack_;
    std::vector<std::uint8_t> goes_left_;
    Node left_, right_;
};

}  // namespace treewright::ranked
