// Trees of depth two for costs of actions: for each action, what it costs a row less than the row's worst.
//
// With t_i the largest cost of a row, sum over rows of t_i - max over actions of sum (t_i - cost) is the least cost of
// an action. Costs are divided by a power of two and rounded, where their sums would be beyond what a double holds.
#pragma once

#include "treewright/kernels/moment_pair_solver.hpp"
#include "treewright/objective/action_costs.hpp"

namespace treewright::ranked {

class ActionPairs final : public MomentPairSolver {
   public:
    // Actions beyond which costs are for StumpPairSolver.
    static constexpr std::uint32_t kMaxActions = MomentTask::kMaxSums;

    ActionPairs(const ActionCosts& objective, const Options& options, Control& control);

    [[nodiscard]] std::int64_t pace() const override { return 5; }

   private:
    [[nodiscard]] double load(const Node& node) override;

    bool rounded_;
};

}  // namespace treewright::ranked
