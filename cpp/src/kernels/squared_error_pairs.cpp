#include "treewright/kernels/squared_error_pairs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace treewright::ranked {

namespace {

bool all_one(const std::vector<std::int64_t>& weights) {
    return std::all_of(weights.begin(), weights.end(), [](std::int64_t w) { return w == 1; });
}

}  // namespace

SquaredErrorPairs::SquaredErrorPairs(const SquaredError& objective, const Options& options, Control& control)
    : MomentPairSolver(objective, options, control,
                       {Gain::square, 2, 0, std::ldexp(1.0, -objective.shift()), 0, objective.tie_bits(), 0,
                        options.compact_rows && all_one(objective.data().weight)}),
      squared_(objective) {}

// Targets about the node's mean, rounded to a whole number: exact as before, and no gain is much larger than the loss.
double SquaredErrorPairs::load(const Node& node) {
    const TargetTable& data = squared_.data();
    const std::int64_t weight = node.sums[SquaredError::kWeight], sum = node.sums[SquaredError::kFirst];
    centre_ = weight > 0 ? sum / weight : 0;
    for (std::uint32_t i = 0; i < node.n; ++i) {
        const std::uint32_t row = row_of(node.orders[0][i]);
        const std::int64_t w = data.weight[row], s = data.weighted_of(0, row);
        if (is_compact()) {  // less than all targets together in size: of n, S is off the mean by (n - 1) / n of these
            compact(numbers_rows() ? i : row) = std::bit_cast<std::uint64_t>(static_cast<double>(s - centre_));
            continue;
        }
        double* const to = numbers(row);
        to[0] = static_cast<double>(w);
        to[1] = static_cast<double>(s - centre_ * w);
        to[MomentTask::kAboveAt] = std::max(to[1], 0.0);
        // Its square as an integer is rounded up to a whole number: less than one more.
        to[own_at()] = to[1] * to[1] / std::max(to[0], 1.0) + 1.0;
    }
    total_[0] = static_cast<double>(weight);
    total_[1] = static_cast<double>(sum - centre_ * weight);
    own_total_ = static_cast<double>(SquaredError::square(node.sums.data()) - 2 * Wide{centre_} * sum +
                                     Wide{centre_} * centre_ * weight);
    // A gain g <= Q has a relative error below 16 * 2^-53. Sums of squares have one of 2^-53 for each row, and each
    // square is less than one too large.
    return (own_total_ + node.n) * std::ldexp(64.0 + node.n, -53) + node.n;
}

}  // namespace treewright::ranked
