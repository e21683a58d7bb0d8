#include "treewright/objective/action_costs.hpp"

#include "treewright/kernels/action_pairs.hpp"

#include <algorithm>
#include <utility>

namespace treewright::ranked {

ActionCosts::ActionCosts(std::shared_ptr<const ActionTable> data, int tie_bits, Cost leaf_penalty)
    : TableObjective(data, leaf_penalty, Cost{1} << tie_bits, data->n_actions, {true, true, true}),
      tie_bits_(tie_bits) {
    span_.resize(data_->n_rows);
    for (std::uint32_t row = 0; row < data_->n_rows; ++row)
        span_[row] = *std::max_element(costs_of(row), costs_of(row) + data_->n_actions);
}

Cost ActionCosts::leaf_cost(const Node& node) const {
    return (*std::min_element(node.sums.begin(), node.sums.end()) << tie_bits_) + leaf_penalty();
}

Stump ActionCosts::best_stump(const Node& node) const {
    const std::size_t n_actions = node.sums.size();
    Stump best{leaf_cost(node), Stump::kLeaf, 0};
    std::vector<std::int64_t> left(n_actions);
    for (std::size_t c = 0; c < node.columns.size(); ++c) {
        std::fill(left.begin(), left.end(), 0);
        const auto cost_here = [&] {
            std::int64_t on_left = left[0], on_right = node.sums[0] - left[0];
            for (std::size_t k = 1; k < n_actions; ++k) {
                on_left = std::min(on_left, left[k]);
                on_right = std::min(on_right, node.sums[k] - left[k]);
            }
            return ((on_left + on_right) << tie_bits_) + 2 * leaf_penalty();
        };
        const auto move = [&](std::uint32_t row) {
            const std::int64_t* cost = costs_of(row);
            for (std::size_t k = 0; k < n_actions; ++k) left[k] += cost[k];
        };
        walk(node, c, best, cost_here, move, [&](std::uint32_t row) { return costs_of(row); });
    }
    return best;
}

std::unique_ptr<PairSolver> ActionCosts::pair_solver(const Options& options, Control& control) const {
    if (data_->n_actions <= ActionPairs::kMaxActions) return std::make_unique<ActionPairs>(*this, options, control);
    return RankedObjective::pair_solver(options, control);
}

}  // namespace treewright::ranked
