// Trees of depth two for survival trees: events and hazards.
//
// In units of the natural logarithm, with v the unit of the rounded hazards H' (two_sums.hpp) and c = log(sum of all
// H') + 1,
//     g(D, H') = D (c - log(H' / D)) >= 0,      q_i = d_i (c + log v) - constant_i / unit,
// the loss Q - g is D log(v H' / D) - K: that of survival.hpp but for three slacks a leaf.
#pragma once

#include "treewright/kernels/moment_pair_solver.hpp"
#include "treewright/objective/survival.hpp"
#include "treewright/objective/two_sums.hpp"

namespace treewright::ranked {

class SurvivalPairs final : public MomentPairSolver {
   public:
    SurvivalPairs(const Survival& objective, const TwoSums& sums, const Options& options, Control& control);

    [[nodiscard]] std::int64_t pace() const override { return 8; }

   private:
    [[nodiscard]] double load(const Node& node) override;

    double error_;
};

}  // namespace treewright::ranked
