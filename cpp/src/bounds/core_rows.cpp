#include "treewright/bounds/core_rows.hpp"

#include <algorithm>
#include <limits>

namespace treewright::ranked {

CoreRows::CoreRows(const Misclassification& objective, std::vector<float> odds)
    : objective_(objective),
      data_(objective.data()),
      drawn_(data_.drawn()),
      factor_(data_.n_rows),
      taken_(data_.n_rows) {
    const LabelledTable& data = data_;
    for (std::uint32_t i = 0; i < data.n_rows; ++i) {
        const std::uint32_t row = drawn_[i];
        const float uniform = (static_cast<float>(i) + 0.5F) / static_cast<float>(data.n_rows);
        factor_[row] = odds[row] > 0 ? uniform / odds[row] : std::numeric_limits<float>::infinity();
    }
}

void CoreRows::take_row(std::uint32_t row) {
    taken_[row] = 1;
    ++size_;
}

void CoreRows::take(double factor) {
    for (std::uint32_t row = 0; row < data_.n_rows; ++row)
        if (!taken_[row] && factor_[row] < factor) take_row(row);
}

double CoreRows::size_at(double factor) const {
    return static_cast<double>(std::count_if(factor_.begin(), factor_.end(), [&](float own) { return own < factor; }));
}

void CoreRows::cover(std::span<const TreeNode> tree) {
    std::vector<std::uint32_t> rows = drawn_;
    cover(tree, 0, rows);
}

std::size_t CoreRows::cover(std::span<const TreeNode> tree, std::size_t at, std::span<std::uint32_t> rows) {
    const TreeNode& node = tree[at];
    if (node.column == TreeNode::kLeaf) {
        cover_leaf(rows);
        return at + 1;
    }
    const auto right = std::stable_partition(
        rows.begin(), rows.end(), [&](std::uint32_t row) { return data_.rank_of(node.column, row) < node.high; });
    const auto n_left = static_cast<std::size_t>(right - rows.begin());
    at = cover(tree, at + 1, rows.first(n_left));
    return cover(tree, at, rows.subspan(n_left));
}

// The best label costs `least` on all rows; every label shall cost as much on the core.
void CoreRows::cover_leaf(std::span<const std::uint32_t> rows) {
    const std::size_t n_classes = data_.n_classes;
    const auto cost = [&](std::uint32_t row, std::size_t k) {
        return std::int64_t{data_.weight[row]} * data_.cost[data_.label[row] * n_classes + k];
    };
    std::vector<std::int64_t> all(n_classes), core(n_classes);
    for (const std::uint32_t row : rows)
        for (std::size_t k = 0; k < n_classes; ++k) {
            all[k] += cost(row, k);
            if (taken_[row]) core[k] += cost(row, k);
        }
    const std::int64_t least = *std::min_element(all.begin(), all.end());
    for (const std::uint32_t row : rows) {
        if (taken_[row]) continue;
        bool wanted = false;
        for (std::size_t k = 0; k < n_classes; ++k) wanted = wanted || (core[k] < least && cost(row, k) > 0);
        if (!wanted) continue;
        take_row(row);
        for (std::size_t k = 0; k < n_classes; ++k) core[k] += cost(row, k);
    }
}

std::unique_ptr<RankedObjective> CoreRows::objective() const {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < data_.n_rows; ++row)
        if (taken_[row]) rows.push_back(row);
    return objective_.part(rows, objective_.leaf_penalty());
}

}  // namespace treewright::ranked
