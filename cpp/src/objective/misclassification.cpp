#include "treewright/objective/misclassification.hpp"

#include "treewright/bounds/core_rows.hpp"
#include "treewright/bounds/label_odds.hpp"
#include "treewright/kernels/class_pair_solver.hpp"

#include <algorithm>
#include <utility>

namespace treewright::ranked {

Misclassification::Misclassification(std::shared_ptr<const LabelledTable> data, Cost unit, Cost leaf_penalty)
    : RankedObjective(*data, leaf_penalty, unit, data->n_classes, {true, true, true}), data_(std::move(data)) {}

void Misclassification::add_rows(const std::uint32_t* order, std::uint32_t begin, std::uint32_t end, Node& node) const {
    const LabelledTable& data = *data_;
    node.n += end - begin;
    for (std::uint32_t i = begin; i < end; ++i) {
        const std::uint32_t row = row_of(order[i]);
        const std::int32_t* cost = &data.cost[static_cast<std::size_t>(data.label[row]) * data.n_classes];
        for (std::size_t k = 0; k < data.n_classes; ++k) node.sums[k] += std::int64_t{data.weight[row]} * cost[k];
        node.span += data.span[row];
        node.rows.add(data.key[row]);
    }
}

Cost Misclassification::leaf_cost(const Node& node) const {
    return *std::min_element(node.sums.begin(), node.sums.end()) * unit() + leaf_penalty();
}

Stump Misclassification::best_stump(const Node& node) const {
    const LabelledTable& data = *data_;
    Stump best{leaf_cost(node), Stump::kLeaf, 0};
    std::vector<std::int64_t> left(data.n_classes);
    for (std::size_t at = 0; at < node.columns.size(); ++at) {
        std::fill(left.begin(), left.end(), 0);
        const std::uint32_t* order = node.orders[at];
        for (std::uint32_t i = 0; i < node.n; ++i) {
            ask_ahead(order, i, node.n, [&](std::uint32_t row) { return data.label.data() + row; });
            ask_ahead(order, i, node.n, [&](std::uint32_t row) { return data.weight.data() + row; });
            if (i >= data.min_leaf && node.n - i >= data.min_leaf && starts_group(order[i])) {
                std::int64_t on_left = left[0], on_right = node.sums[0] - left[0];
                for (std::size_t c = 1; c < data.n_classes; ++c) {
                    on_left = std::min(on_left, left[c]);
                    on_right = std::min(on_right, node.sums[c] - left[c]);
                }
                const Cost cost = (on_left + on_right) * unit() + 2 * leaf_penalty();
                if (cost < best.cost) best = {cost, node.columns[at], data.rank_of(node.columns[at], row_of(order[i]))};
            }
            const std::uint32_t row = row_of(order[i]);
            const std::int32_t* row_cost = &data.cost[static_cast<std::size_t>(data.label[row]) * data.n_classes];
            for (std::size_t c = 0; c < data.n_classes; ++c) left[c] += std::int64_t{data.weight[row]} * row_cost[c];
        }
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

std::unique_ptr<RankedObjective> Misclassification::with_leaf_penalty(Cost penalty) const {
    return std::make_unique<Misclassification>(data_, unit(), penalty);
}

std::unique_ptr<RankedObjective> Misclassification::part(std::span<const std::uint32_t> rows, Cost penalty) const {
    const auto part = std::make_shared<LabelledTable>();
    part->take(*data_, rows);
    part->n_classes = data_->n_classes;
    part->cost = data_->cost;
    for (const std::uint32_t row : rows) {
        part->label.push_back(data_->label[row]);
        part->weight.push_back(data_->weight[row]);
    }
    part->prepare();
    return std::make_unique<Misclassification>(part, unit(), penalty);
}

std::unique_ptr<CoreRows> Misclassification::core_rows(Control& control) const {
    return std::make_unique<CoreRows>(*this, label_odds(*data_, control));
}

}  // namespace treewright::ranked
