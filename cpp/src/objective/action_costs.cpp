#include "treewright/objective/action_costs.hpp"

#include "treewright/kernels/action_pairs.hpp"

#include <algorithm>
#include <utility>

namespace treewright::ranked {

ActionCosts::ActionCosts(std::shared_ptr<const ActionTable> data, int tie_bits, Cost leaf_penalty)
    : RankedObjective(*data, leaf_penalty, Cost{1} << tie_bits, data->n_actions, {true, true, true}),
      data_(std::move(data)),
      tie_bits_(tie_bits),
      span_(data_->n_rows) {
    for (std::uint32_t row = 0; row < data_->n_rows; ++row)
        span_[row] = *std::max_element(costs_of(row), costs_of(row) + data_->n_actions);
}

void ActionCosts::add_rows(const std::uint32_t* order, std::uint32_t begin, std::uint32_t end, Node& node) const {
    node.n += end - begin;
    for (std::uint32_t i = begin; i < end; ++i) {
        const std::uint32_t row = row_of(order[i]);
        const std::int64_t* cost = costs_of(row);
        for (std::size_t k = 0; k < node.sums.size(); ++k) node.sums[k] += cost[k];
        node.span += span_[row];
        node.rows.add(data_->key[row]);
    }
}

Cost ActionCosts::leaf_cost(const Node& node) const {
    return (*std::min_element(node.sums.begin(), node.sums.end()) << tie_bits_) + leaf_penalty();
}

Stump ActionCosts::best_stump(const Node& node) const {
    const std::uint32_t least = data_->min_leaf;
    const std::size_t n_actions = node.sums.size();
    Stump best{leaf_cost(node), Stump::kLeaf, 0};
    std::vector<std::int64_t> left(n_actions);
    for (std::size_t c = 0; c < node.columns.size(); ++c) {
        std::fill(left.begin(), left.end(), 0);
        const std::uint32_t* order = node.orders[c];
        for (std::uint32_t i = 0; i < node.n; ++i) {
            ask_ahead(order, i, node.n, [&](std::uint32_t row) { return costs_of(row); });
            const std::uint32_t row = row_of(order[i]);
            if (i >= least && node.n - i >= least && starts_group(order[i])) {
                std::int64_t on_left = left[0], on_right = node.sums[0] - left[0];
                for (std::size_t k = 1; k < n_actions; ++k) {
                    on_left = std::min(on_left, left[k]);
                    on_right = std::min(on_right, node.sums[k] - left[k]);
                }
                const Cost cost = ((on_left + on_right) << tie_bits_) + 2 * leaf_penalty();
                if (cost < best.cost) best = {cost, node.columns[c], data_->rank_of(node.columns[c], row)};
            }
            const std::int64_t* cost = costs_of(row);
            for (std::size_t k = 0; k < n_actions; ++k) left[k] += cost[k];
        }
    }
    return best;
}

std::unique_ptr<PairSolver> ActionCosts::pair_solver(const Options& options, Control& control) const {
    if (data_->n_actions <= ActionPairs::kMaxActions) return std::make_unique<ActionPairs>(*this, options, control);
    return RankedObjective::pair_solver(options, control);
}

void ActionCosts::prefix_spans(std::span<const std::uint32_t> order, std::span<const std::uint32_t> positions,
                               std::vector<Cost>& prefix) const {
    add_up(span_, order, positions, prefix);
}

std::unique_ptr<RankedObjective> ActionCosts::with_leaf_penalty(Cost penalty) const {
    return std::make_unique<ActionCosts>(data_, tie_bits_, penalty);
}

std::unique_ptr<RankedObjective> ActionCosts::part(std::span<const std::uint32_t> rows, Cost penalty) const {
    const auto part = std::make_shared<ActionTable>();
    part->take(*data_, rows);
    part->n_actions = data_->n_actions;
    for (const std::uint32_t row : rows)
        part->cost.insert(part->cost.end(), costs_of(row), costs_of(row) + data_->n_actions);
    part->prepare();
    return std::make_unique<ActionCosts>(part, tie_bits_, penalty);
}

}  // namespace treewright::ranked
