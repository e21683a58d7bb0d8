#include "treewright/objective/target_bins.hpp"

#include <algorithm>
#include <cmath>

namespace treewright::ranked {

TargetBins::TargetBins(const QuantileTable& data, const std::vector<std::int64_t>& weight_of)
    : data_(data),
      target_(data.target.size()),
      up_(static_cast<double>(data.up)),
      down_(static_cast<double>(data.down)) {
    double total = 0;
    for (const std::int64_t weight : weight_of) total += static_cast<double>(weight);
    exact_weights_ = total * (up_ + down_) < 0x1p52;
    if (!exact_weights_) return;
    double before = 0;
    std::size_t middle = 0;
    for (std::size_t v = 0; v < weight_of.size(); ++v) {
        if (2 * before <= total) middle = v;
        const double place = (before + 0.5 * static_cast<double>(weight_of[v])) / total * kBins;
        target_[v].bin = std::min(kBins - 1, static_cast<std::size_t>(place));
        before += static_cast<double>(weight_of[v]);
    }
    double size = 0;
    for (std::size_t v = 0; v < weight_of.size(); ++v) {
        if (weight_of[v] == 0) continue;
        target_[v].value = static_cast<double>(data.target[v] - data.target[middle]);
        const double weight = static_cast<double>(weight_of[v]), sum = weight * target_[v].value;
        bins_[target_[v].bin].add(weight, sum);
        all_.add(weight, sum);
        size += std::abs(sum);
    }
    // Weights are exact. Each row adds once to a sum and once to the whole, with an error of 2^-53 of at most `size`
    // each; a loss takes up to five such sums, none more than `up` or `down` times, and rounds in as many steps as
    // there are bins.
    error_ = 8 * (up_ + down_) * size * 0x1p-52;
}

// `bin_of` gives the sums of a bin, `all` those of all of them.
template <class BinOf>
double TargetBins::loss_of(const Sums& all, const BinOf& bin_of) const {
    Sums below;
    for (std::size_t b = 0; b < kBins; ++b) {
        const Sums bin = bin_of(b);
        const double above = all.weight - below.weight - bin.weight;
        const double rest = down_ * below.weight - up_ * above;  // m times the weight of the bin
        if (rest + down_ * bin.weight >= 0 && bin.weight > 0)
            return up_ * (all.sum - below.sum - bin.sum) - down_ * below.sum + rest * (bin.sum / bin.weight);
        below.add(bin.weight, bin.sum);
    }
    return 0;
}

double TargetBins::least_loss(std::span<const std::uint32_t> order) const {
    const auto n = static_cast<std::uint32_t>(order.size());
    const std::uint32_t step = std::max(kFewest, (n + kStretches - 1) / kStretches);
    std::array<Sums, kBins> left{};
    Sums all_left;
    double before = 0;  // loss of the rows before the stretch
    double least = HUGE_VAL;
    for (std::uint32_t end = step;; end += step) {
        for (std::uint32_t i = end - step; i < std::min(end, n); ++i) {
            const std::uint32_t row = row_of(order[i]);
            const Target& target = target_[data_.place[row]];
            const double weight = static_cast<double>(data_.weight[row]);
            left[target.bin].add(weight, weight * target.value);
            all_left.add(weight, weight * target.value);
        }
        if (end >= n) break;
        const Sums all_right{all_.weight - all_left.weight, all_.sum - all_left.sum};
        least = std::min(least, before + loss_of(all_right, [&](std::size_t b) {
                                    return Sums{bins_[b].weight - left[b].weight, bins_[b].sum - left[b].sum};
                                }));
        before = loss_of(all_left, [&](std::size_t b) { return left[b]; });
    }
    least = std::min(least, before);  // of the last stretch
    return least - error_ * (n + 64.0);
}

}  // namespace treewright::ranked
