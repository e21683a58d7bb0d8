#include "treewright/objective/column_bounds.hpp"

#include <algorithm>
#include <cmath>

namespace treewright::ranked {

ColumnBounds::ColumnBounds(const QuantileTable& data, std::span<const std::int64_t> weight_of) : data_(data) {
    const auto up = static_cast<double>(data.up), down = static_cast<double>(data.down);
    double total = 0;
    for (const std::int64_t weight : weight_of) total += static_cast<double>(weight);
    if (!(total * (up + down) < 0x1p52)) return;
    double before = 0;
    std::size_t middle = 0;
    for (std::size_t v = 0; v < weight_of.size() && 2 * before <= total; ++v) {
        middle = v;
        before += static_cast<double>(weight_of[v]);
    }
    const auto value_of = [&](std::size_t v) { return static_cast<double>(data.target[v] - data.target[middle]); };
    bins_.emplace(value_of, weight_of, total, kBins, up, down);
    double size = 0;
    for (std::size_t v = 0; v < weight_of.size(); ++v) {
        if (weight_of[v] == 0) continue;
        const auto [value, bin] = bins_->target(v);
        const auto weight = static_cast<double>(weight_of[v]);
        sums_[bin] += {weight, weight * value};
        all_ += {weight, weight * value};
        size += std::abs(weight * value);
    }
    // Weights are exact. Each row adds once to a sum and once to the whole, with an error of 2^-53 of at most `size`
    // each; a loss takes up to five such sums, none more than `up` or `down` times, and rounds in as many steps as
    // there are bins.
    error_ = 8 * (up + down) * size * 0x1p-52;
}

double ColumnBounds::least_loss(std::span<const std::uint32_t> order) const {
    const auto n = static_cast<std::uint32_t>(order.size());
    const TargetBins& bins = *bins_;
    const std::uint32_t step = std::max(kFewest, (n + kStretches - 1) / kStretches);
    std::array<Sums, kBins> left{};
    Sums all_left;
    double before = 0;  // loss of the rows before the stretch
    double least = HUGE_VAL;
    for (std::uint32_t end = step;; end += step) {
        for (std::uint32_t i = end - step; i < std::min(end, n); ++i) {
            const std::uint32_t row = row_of(order[i]);
            const auto [value, bin] = bins.target(data_.place[row]);
            const auto weight = static_cast<double>(data_.weight[row]);
            left[bin] += {weight, weight * value};
            all_left += {weight, weight * value};
        }
        if (end >= n) break;
        Sums all_right = all_;
        all_right -= all_left;
        least = std::min(least, before + bins.lower(all_right, [&](std::size_t b) {
            return Sums{sums_[b].weight - left[b].weight, sums_[b].sum - left[b].sum};
        }));
        before = bins.lower(all_left, [&](std::size_t b) { return left[b]; });
    }
    least = std::min(least, before);  // of the last stretch
    return least - error_ * (n + 64.0);
}

}  // namespace treewright::ranked
