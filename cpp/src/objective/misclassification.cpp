#include "treewright/objective/misclassification.hpp"

#include "treewright/bounds/core_rows.hpp"
#include "treewright/bounds/label_odds.hpp"
#include "treewright/kernels/class_pair_solver.hpp"

#include <algorithm>
#include <utility>

namespace treewright::ranked {

Misclassification::Misclassification(std::shared_ptr<const LabelledTable> data, Cost unit, Cost leaf_penalty)
    : TableObjective(data, leaf_penalty, unit, data->n_classes, {true, true, true}) {}

Cost Misclassification::leaf_cost(const Node& node) const {
    return *std::min_element(node.sums.begin(), node.sums.end()) * unit() + leaf_penalty();
}

Stump Misclassification::best_stump(const Node& node) const {
    const LabelledTable& data = *data_;
    Stump best{leaf_cost(node), Stump::kLeaf, 0};
    std::vector<std::int64_t> left(data.n_classes);
    for (std::size_t at = 0; at < node.columns.size(); ++at) {
        std::fill(left.begin(), left.end(), 0);
        const auto cost_here = [&] {
            std::int64_t on_left = left[0], on_right = node.sums[0] - left[0];
            for (std::size_t c = 1; c < data.n_classes; ++c) {
                on_left = std::min(on_left, left[c]);
                on_right = std::min(on_right, node.sums[c] - left[c]);
            }
            return (on_left + on_right) * unit() + 2 * leaf_penalty();
        };
        const auto move = [&](std::uint32_t row) {
            const std::int32_t* cost = costs_of(row);
            for (std::size_t c = 0; c < data.n_classes; ++c) left[c] += std::int64_t{data.weight[row]} * cost[c];
        };
        walk(
            node, at, best, cost_here, move, [&](std::uint32_t row) { return data.label.data() + row; },
            [&](std::uint32_t row) { return data.weight.data() + row; });
    }
    return best;
}

std::unique_ptr<PairSolver> Misclassification::pair_solver(const Options& options, Control& control) const {
    return std::make_unique<ClassPairSolver>(*this, options, control);
}

void Misclassification::prefix_spans(std::span<const std::uint32_t> order, std::span<const std::uint32_t> positions,
                                     std::vector<Cost>& prefix) const {
    if (!data_->unit_spans) add_up(data_->span, order, positions, prefix);
}

std::unique_ptr<CoreRows> Misclassification::core_rows(double factor, double most, Control& control) const {
    const auto are_few = [&](const std::vector<float>& odds) { return CoreRows(*this, odds).size_at(factor) <= most; };
    const std::vector<float> odds = label_odds(*data_, control, are_few);
    if (odds.empty()) return nullptr;
    auto core = std::make_unique<CoreRows>(*this, odds);
    return core->size_at(factor) <= most ? std::move(core) : nullptr;
}

}  // namespace treewright::ranked
