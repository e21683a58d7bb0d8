// Trees of depth two for log loss: the weight of each class.
//
// In units of the natural logarithm, with x_k the weight of class k in a leaf, n their sum and c = log(number of
// classes) + 1,
//     g(X) = c n - n log n + sum x_k log x_k,
// which is c n less the log loss of the leaf. That loss is at most n log(number of classes), so g >= 0. A row of weight
// w loses nothing as a leaf of its own, so it gains c w; the four slacks of a row (log_loss.hpp) are added to that, and
// the three that a leaf lacks are Form::leaf.
#pragma once

#include "treewright/kernels/moment_pair_solver.hpp"
#include "treewright/objective/log_loss.hpp"

namespace treewright::ranked {

class SharePairs final : public MomentPairSolver {
   public:
    // Classes beyond which log loss is for StumpPairSolver.
    static constexpr std::uint32_t kMaxClasses = MomentTask::kMaxSums;

    SharePairs(const LogLoss& objective, const Options& options, Control& control);

    [[nodiscard]] std::int64_t pace() const override { return 8; }

   private:
    [[nodiscard]] double load(const Node& node) override;

    double logarithm_;  // largest of a sum of weights, and c
    double slacks_;     // what rounding to integers moves the cost of two leaves, in units of gain
};

}  // namespace treewright::ranked
