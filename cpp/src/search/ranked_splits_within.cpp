#include "treewright/search/ranked_splits_within.hpp"

#include <algorithm>

namespace treewright::ranked {

bool SplitsWithin::find(const Node& node, std::uint32_t depth, Cost budget, bool together,
                        std::vector<SolvedSplit>& found) {
    found.clear();
    if (node.columns.empty() || node.n < 2 * objective_.data().min_leaf) return !control_.stopped();
    if (depth == 1)
        of_leaves(node, budget, found);
    else if (depth == 2)
        pairs_.within(node, budget, found);
    else
        search_.splits_within(node, depth, budget, together, found);
    std::sort(found.begin(), found.end(), [](const SolvedSplit& a, const SolvedSplit& b) {
        return a.at != b.at ? a.at < b.at : a.position < b.position;
    });
    return !control_.stopped();
}

void SplitsWithin::of_leaves(const Node& node, Cost budget, std::vector<SolvedSplit>& found) {
    const LabelledTable& data = objective_.data();
    const Cost one = objective_.leaf_penalty(), unit = objective_.unit();
    if (control_.step(1 + std::int64_t{node.n} * static_cast<std::int64_t>(node.columns.size()) / 4096)) return;
    if (data.binary()) return of_leaves_of_two_classes(node, budget, found);
    for (std::size_t at = 0; at < node.columns.size(); ++at) {
        left_.assign(data.n_classes, 0);
        const std::uint32_t* order = node.orders[at];
        for (std::uint32_t i = 0; i < node.n; ++i) {
            if (i >= data.min_leaf && node.n - i >= data.min_leaf && starts_group(order[i])) {
                std::int64_t left = left_[0], right = node.sums[0] - left_[0];
                for (std::size_t c = 1; c < data.n_classes; ++c) {
                    left = std::min(left, left_[c]);
                    right = std::min(right, node.sums[c] - left_[c]);
                }
                if ((left + right) * unit + 2 * one <= budget)
                    found.push_back({static_cast<std::uint32_t>(at), i, left * unit + one, right * unit + one});
            }
            const std::uint32_t row = row_of(order[i]);
            const std::int32_t* cost = &data.cost[std::size_t{data.label[row]} * data.n_classes];
            for (std::size_t c = 0; c < data.n_classes; ++c) left_[c] += std::int64_t{data.weight[row]} * cost[c];
        }
    }
}

// Most nodes of a graph are asked here: of two classes a row has a cost for one at most, so one number says both.
void SplitsWithin::of_leaves_of_two_classes(const Node& node, Cost budget, std::vector<SolvedSplit>& found) const {
    const LabelledTable& data = objective_.data();
    const Cost one = objective_.leaf_penalty(), unit = objective_.unit();
    if (budget < 2 * one) return;
    const std::int64_t most = (budget - 2 * one) / unit;  // costs of rows
    for (std::size_t at = 0; at < node.columns.size(); ++at) {
        std::int64_t left_0 = 0, left_1 = 0;
        const std::uint32_t* order = node.orders[at];
        for (std::uint32_t i = 0; i + data.min_leaf <= node.n; ++i) {
            const std::int64_t left = std::min(left_0, left_1);
            const std::int64_t right = std::min(node.sums[0] - left_0, node.sums[1] - left_1);
            if (left + right <= most && starts_group(order[i]) && i >= data.min_leaf)
                found.push_back({static_cast<std::uint32_t>(at), i, left * unit + one, right * unit + one});
            const std::int64_t weight = data.signed_weight[row_of(order[i])];
            left_0 += std::max<std::int64_t>(weight, 0);
            left_1 += std::max<std::int64_t>(-weight, 0);
        }
    }
}

}  // namespace treewright::ranked
