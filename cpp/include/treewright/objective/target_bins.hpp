// Bounds of the quantile loss of a set of rows from sums over few bins of their targets.
//
// A row of weight w and target y costs w up (y - q)+ + w down (q - y)+ in a leaf that says q. For any numbers m_i from
// -down to up with sum w_i m_i = 0, a set of rows loses at every q
//     sum w_i loss(y_i - q) >= sum w_i m_i (y_i - q) = sum w_i m_i y_i.
// The targets are put into bins of neighbours; m is -down in the bins below the quantile up / (up + down), up in those
// above, and in the bin of the quantile what makes the sum 0. That it lies between -down and up says that it is the bin
// of the quantile. So weight and weighted sum of each bin are enough for a bound from below; what it lacks is what the
// rows of that bin differ among themselves.
//
// From above: the leaf may say the smallest or the largest target of that bin, for which the sums give the loss itself.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace treewright {

class TargetBins {
   public:
    struct Target {
        double value = 0.0;
        std::uint32_t bin = 0;
    };
    struct Sums {  // of some rows of a bin
        double weight = 0.0, sum = 0.0;
        void operator+=(const Sums& other) { weight += other.weight, sum += other.sum; }
        void operator-=(const Sums& other) { weight -= other.weight, sum -= other.sum; }
    };
    struct Bounds {
        double lower = 0.0, upper = 0.0;
    };

    // At most so many bins of about equal weight. `value_of(target)` ascends, `weight` is that of each target, of rows
    // whose weights add up to `total` > 0; a target without weight is in no bin.
    template <class ValueOf, class Weight>
    TargetBins(const ValueOf& value_of, std::span<const Weight> weight, double total, std::size_t most_bins, double up,
               double down)
        : targets_(weight.size()), up_(up), down_(down) {
        const double bins_of_weight = static_cast<double>(most_bins) / total;
        double before = 0.0;
        std::size_t bin = most_bins;  // none yet
        for (std::size_t v = 0; v < weight.size(); ++v) {
            if (weight[v] == 0) continue;
            const auto own = static_cast<double>(weight[v]);
            const double value = value_of(v), place = (before + 0.5 * own) * bins_of_weight;
            const std::size_t asked = std::min(most_bins - 1, static_cast<std::size_t>(place));
            if (asked != bin) ends_.push_back({value, value});
            bin = asked;
            ends_.back().high = value;
            targets_[v] = {value, static_cast<std::uint32_t>(ends_.size() - 1)};
            before += own;
        }
    }

    [[nodiscard]] std::size_t size() const { return ends_.size(); }
    [[nodiscard]] const Target& target(std::size_t at) const { return targets_[at]; }

    // Of the rows whose sums in a bin are `sums_of(bin)`, together `all`; both bounds, or the lower one alone. Weights
    // that are differences of sums may be off in their last digits, at most the share `near` of the whole: where a
    // border of bins is that near to the quantile, the bins on both sides are asked.
    template <class SumsOf>
    [[nodiscard]] Bounds bounds(const Sums& all, const SumsOf& sums_of, double near) const {
        if (!(all.weight > 0)) return {};
        const double slack = all.weight * (up_ + down_) * near;
        Bounds found{kInfinity, kInfinity};
        at_quantile(all, sums_of, slack, [&](std::size_t b, const Sums& bin, double others, double slope) {
            const auto [low, high] = ends_[b];
            const double mean = std::clamp(bin.sum / bin.weight, low, high);
            found.lower = std::min(found.lower, others + slope * mean);
            found.upper = std::min({found.upper, others + slope * low + up_ * bin.weight * (mean - low),
                                    others + slope * high + down_ * bin.weight * (high - mean)});
            return slope + down_ * bin.weight > slack;
        });
        if (!(found.lower < kInfinity)) return {0.0, kInfinity};
        return {std::max(0.0, found.lower), std::max(0.0, found.upper)};
    }
    template <class SumsOf>
    [[nodiscard]] double lower(const Sums& all, const SumsOf& sums_of) const {
        double found = 0.0;
        at_quantile(all, sums_of, 0.0, [&](std::size_t, const Sums& bin, double others, double slope) {
            found = others + slope * (bin.sum / bin.weight);
            return true;  // the next bin, if the quantile is at the border, says the same
        });
        return found;
    }

   private:
    static constexpr double kInfinity = std::numeric_limits<double>::infinity();
    struct Ends {
        double low, high;
    };

    // Calls visit(bin, its sums, what all others lose at q = 0, their slope in q) for the bins that may be that of the
    // quantile, until it says that there is no other. The slope is m times the weight of the bin.
    template <class SumsOf, class Visit>
    void at_quantile(const Sums& all, const SumsOf& sums_of, double slack, const Visit& visit) const {
        Sums below;
        for (std::size_t b = 0, n = size(); b < n; ++b) {
            const Sums bin = sums_of(b);
            const double slope = down_ * below.weight - up_ * (all.weight - below.weight - bin.weight);
            if (slope + down_ * bin.weight >= -slack && bin.weight > 0 &&
                visit(b, bin, up_ * (all.sum - below.sum - bin.sum) - down_ * below.sum, slope))
                return;
            below += bin;
        }
    }

    std::vector<Target> targets_;
    std::vector<Ends> ends_;  // smallest and largest target of each bin
    double up_, down_;
};

}  // namespace treewright
