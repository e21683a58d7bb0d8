// Bounds of the quantile loss of sets of rows from sums over bins of targets; quantile_split.hpp says how.
#pragma once

#include "target_list.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace treewright::tree {

struct LossBounds {
    double lower = 0.0, upper = 0.0;
};

class TargetBins {
   public:
    struct Part {  // of a bin
        double weight = 0.0, sum = 0.0;
        void operator+=(const Part& other) { weight += other.weight, sum += other.sum; }
        void operator-=(const Part& other) { weight -= other.weight, sum -= other.sum; }
    };
    struct Row {
        std::uint32_t bin = 0;
        Part part;
    };

    TargetBins(const TargetRows& rows, const RankedTargets& targets, std::size_t most_bins) : rows_(rows) {
        const std::size_t n = rows.target.size(), n_targets = targets.value.size();
        std::vector<std::size_t> n_rows(n_targets, 0);
        for (const std::uint32_t rank : targets.rank) ++n_rows[rank];
        std::vector<std::uint32_t> bin_of(n_targets);
        std::size_t before = 0;
        for (std::size_t at = 0, bin = n; at < n_targets; ++at) {  // about as many rows in each
            const std::size_t asked = before * most_bins / n;
            if (asked != bin) low_.push_back(targets.value[at]), high_.push_back(targets.value[at]);
            bin = asked;
            bin_of[at] = static_cast<std::uint32_t>(low_.size() - 1);
            high_.back() = targets.value[at];
            before += n_rows[at];
        }
        of_row_.resize(n);
        for (std::size_t row = 0; row < n; ++row) {
            const double weight = rows.weight[row];
            of_row_[row] = {bin_of[targets.rank[row]], {weight, weight * targets.value[targets.rank[row]]}};
        }
    }
    [[nodiscard]] std::size_t size() const { return low_.size(); }
    [[nodiscard]] const Row& row(std::size_t at) const { return of_row_[at]; }

    // Of the rows whose sums these are. Weights that are differences of sums may be off in their last digits, so the
    // bin of the quantile is not sure where a border is that near: both neighbours are asked.
    [[nodiscard]] LossBounds bounds(const Part* parts) const {
        Part all, below;
        for (std::size_t t = 0; t < size(); ++t) all += parts[t];
        if (!(all.weight > 0)) return {};
        const double share = all.weight * (rows_.up / (rows_.up + rows_.down)), near = all.weight * kNear;
        LossBounds found{kInfinity, kInfinity};
        for (std::size_t t = 0; t < size() && below.weight <= share + near; below += parts[t++]) {
            if (!(parts[t].weight > 0) || below.weight + parts[t].weight < share - near) continue;
            Part above = all;
            above -= below;
            above -= parts[t];
            const auto cost = [&](double q, double own) {
                return rows_.up * (above.sum - q * above.weight) + rows_.down * (q * below.weight - below.sum) + own;
            };
            const double mean = std::clamp(parts[t].sum / parts[t].weight, low_[t], high_[t]);
            const double down = rows_.down * parts[t].weight, up = rows_.up * parts[t].weight;
            const double at_low = cost(low_[t], up * (mean - low_[t]));
            const double at_high = cost(high_[t], down * (high_[t] - mean));
            found.lower = std::min({found.lower, at_low, at_high, cost(mean, 0.0)});
            found.upper = std::min({found.upper, at_low, at_high});
        }
        if (!(found.lower < kInfinity)) return {0.0, kInfinity};
        return {std::max(0.0, found.lower), std::max(0.0, found.upper)};
    }

   private:
    static constexpr double kInfinity = std::numeric_limits<double>::infinity();
    static constexpr double kNear = 1e-9;
    const TargetRows& rows_;
    std::vector<double> low_, high_;
    std::vector<Row> of_row_;
};

}  // namespace treewright::tree
