// Trees of depth two for squared error with one output: weights and targets about the node's mean.
#pragma once

#include "treewright/kernels/moment_pair_solver.hpp"
#include "treewright/objective/squared_error.hpp"

namespace treewright::ranked {

class SquaredErrorPairs final : public MomentPairSolver {
   public:
    SquaredErrorPairs(const SquaredError& objective, const Options& options, Control& control);

    [[nodiscard]] std::int64_t pace() const override { return 4; }

   private:
    [[nodiscard]] double load(const Node& node) override;

    const SquaredError& squared_;
    std::int64_t centre_ = 0;  // that targets are taken about
};

}  // namespace treewright::ranked
