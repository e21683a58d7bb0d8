#include "treewright/tree/quantile_split.hpp"

#include "target_list.hpp"
#include "treewright/objective/target_bins.hpp"
#include "treewright/space/value_ranks.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace treewright::tree {

namespace {

// What sums may be off: of the loss of one leaf, and for each row, whose far side costs more in one than in the other.
constexpr double kSlack = 1e-10, kSlackOfRow = 0x1p-52;
constexpr std::size_t kMostBins = 64, kRowsOfBin = 32;
constexpr std::size_t kMostQuantileBuckets = 1024, kRowsOfQuantileBucket = 16;
constexpr double kNear = 1e-9;                  // share of the weight by which sums may be off
constexpr std::size_t kGroup = 64;              // columns that are bounded before the first of them is walked
constexpr std::size_t kAhead = 24, kNext = 12;  // rows whose targets, and those beside them, are asked for

// What one leaf says is 0: the sums of all rows are of the size of its loss, whatever few targets are far away.
RankedTargets ranked(const TargetRows& rows) {
    RankedTargets targets;
    targets.rank.resize(rows.target.size());
    targets.value = rank_values(rows.target, targets.rank).values;
    std::vector<double> weight(targets.value.size(), 0.0);
    for (std::size_t row = 0; row < targets.rank.size(); ++row) weight[targets.rank[row]] += rows.weight[row];
    double all = 0, below = 0;
    for (const double w : weight) all += w;
    std::size_t at = 0;
    while (at + 1 < weight.size() && (below += weight[at]) < all * (rows.up / (rows.up + rows.down))) ++at;
    const double middle = targets.value[at];
    for (double& value : targets.value) value -= middle;
    return targets;
}

TargetBins bins_of(const TargetRows& rows, const RankedTargets& targets) {
    const std::size_t n = targets.value.size();
    std::vector<double> weight(n, 0.0);
    double total = 0;
    for (std::size_t row = 0; row < targets.rank.size(); ++row)
        weight[targets.rank[row]] += rows.weight[row], total += rows.weight[row];
    const std::size_t most = std::clamp(rows.target.size() / kRowsOfBin, std::size_t{8}, kMostBins);
    const auto value_of = [&](std::size_t at) { return targets.value[at]; };
    return {value_of, std::span<const double>(weight), total, most, rows.up, rows.down};
}

class QuantileHunt {
    static constexpr double kInfinity = std::numeric_limits<double>::infinity();

   public:
    QuantileHunt(const EncodedRows& table, const TargetRows& rows, std::size_t min_leaf, double below)
        : table_(table),
          rows_(rows),
          targets_(ranked(rows)),
          bins_(bins_of(rows, targets_)),
          list_(rows, targets_),
          min_leaf_(std::max<std::size_t>(min_leaf, 1)),
          n_buckets_(std::clamp(rows.target.size() / kRowsOfQuantileBucket, std::size_t{16}, kMostQuantileBuckets)),
          x_(table.n_rows) {
        of_row_.reserve(rows.target.size());
        for (std::size_t row = 0; row < rows.target.size(); ++row) {
            const auto [value, bin] = bins_.target(targets_.rank[row]);
            of_row_.push_back({bin, {rows.weight[row], rows.weight[row] * value}});
        }
        list_.fill([](std::size_t) { return true; });
        const double one_leaf = list_.loss();
        const double uneven = std::max(rows.up, rows.down) / std::min(rows.up, rows.down);
        slack_ = std::max(kSlack, kSlackOfRow * static_cast<double>(rows.target.size())) * uneven * one_leaf;
        if (below < kInfinity) limit_ = below * one_leaf;
    }

    // Columns are bounded and walked in groups. Where all of a group had to be walked, as of few rows without a
    // pattern, the bounds only take time, and the columns that follow are walked at once.
    [[nodiscard]] QuantileSplit run() {
        bool bounded = true;
        std::vector<std::pair<double, std::uint32_t>> open;
        for (std::size_t first = 0; first < table_.n_columns; first += kGroup) {
            const std::size_t last = std::min(table_.n_columns, first + kGroup), before = found_.n_walked;
            open.clear();
            for (auto column = static_cast<std::uint32_t>(first); column < last; ++column) {
                const double least = bounded ? lower_bound(column) : 0.0;
                if (least - slack_ < limit_) open.emplace_back(least, column);
            }
            std::sort(open.begin(), open.end());
            for (const auto& [least, column] : open) {
                if (least - slack_ >= limit_) break;
                walk(column);
                ++found_.n_walked;
            }
            bounded = bounded && found_.n_walked - before < last - first;
        }
        return found_;
    }

   private:
    using Bounds = TargetBins::Bounds;
    using Part = TargetBins::Sums;
    struct Row {
        std::uint32_t bin;
        Part part;
    };

    void read(std::uint32_t column) {
        const double* const x = table_.data + static_cast<std::ptrdiff_t>(column) * table_.column_stride;
        for (std::size_t row = 0; row < table_.n_rows; ++row)
            x_[row] = x[static_cast<std::ptrdiff_t>(row) * table_.row_stride];
    }

    [[nodiscard]] Bounds bounds(const Part* parts) const {
        Part all;
        for (std::size_t t = 0; t < bins_.size(); ++t) all += parts[t];
        return bins_.bounds(all, [parts](std::size_t t) { return parts[t]; }, kNear);
    }

    // Of all splits of a column. What the bounds say that some split costs at most lowers the limit.
    double lower_bound(std::uint32_t column) {
        read(column);
        double low = kInfinity, high = -kInfinity;
        for (const double value : x_)
            if (!std::isnan(value)) low = std::min(low, value), high = std::max(high, value);
        const double scale = static_cast<double>(n_buckets_) / (high - low);
        if (low < high && !(std::isfinite(scale) && scale > 0)) return 0.0;
        const std::size_t width = bins_.size(), last = n_buckets_ - 1;
        sums_.assign((n_buckets_ + 1) * width, Part{});  // the last for missing values
        known_.assign(n_buckets_ + 1, Known{});
        for (std::size_t row = 0; row < x_.size(); ++row) {
            const double value = x_[row];
            const bool is_missing = std::isnan(value);
            const std::size_t bucket = is_missing   ? n_buckets_
                                       : low < high ? std::min(static_cast<std::size_t>((value - low) * scale), last)
                                                    : 0;
            const Row& own = of_row_[row];
            sums_[bucket * width + own.bin] += own.part;
            known_[bucket].add(value);
        }
        const Part* const missing = sums_.data() + n_buckets_ * width;
        const bool has_missing = known_[n_buckets_].n_rows > 0;
        double least = kInfinity;
        for (const bool left : {false, true})
            if (!left || has_missing) least = std::min(least, least_between(missing, left));
        if (has_missing) least = std::min(least, least_of_known(missing));
        return least;
    }

    // Splits by a value, missing ones on the left or the right.
    double least_between(const Part* missing, bool missing_left) {
        const std::size_t width = bins_.size(), n_missing = known_[n_buckets_].n_rows;
        std::vector<std::size_t> filled;
        for (std::size_t b = 0; b < n_buckets_; ++b)
            if (known_[b].n_rows > 0) filled.push_back(b);
        std::vector<Part> parts(width);
        const auto empty = [&](bool with_missing) {
            for (std::size_t t = 0; t < width; ++t) parts[t] = with_missing ? missing[t] : Part{};
        };
        const auto add = [&](std::size_t bucket) {
            for (std::size_t t = 0; t < width; ++t) parts[t] += sums_[bucket * width + t];
        };
        std::vector<Bounds> right(filled.size() + 1);  // of what is right of a filled bucket
        std::vector<std::size_t> n_right(filled.size() + 1, 0);
        empty(!missing_left);
        std::size_t n_rows = missing_left ? 0 : n_missing;
        for (std::size_t i = filled.size(); i-- > 0;) {
            right[i] = bounds(parts.data());
            n_right[i] = n_rows;
            add(filled[i]);
            n_rows += known_[filled[i]].n_rows;
        }
        empty(missing_left);
        double least = kInfinity;
        for (std::size_t i = 0, n_left = missing_left ? n_missing : 0; i < filled.size(); ++i) {
            const Known& known = known_[filled[i]];
            if (known.low < known.high && n_left + known.n_rows > min_leaf_ && n_right[i] + known.n_rows > min_leaf_)
                least = std::min(least, bounds(parts.data()).lower + right[i].lower);
            add(filled[i]);
            n_left += known.n_rows;
            if (i + 1 == filled.size() || n_left < min_leaf_ || n_right[i] < min_leaf_) continue;
            const Bounds left = bounds(parts.data());
            least = std::min(least, left.lower + right[i].lower);
            limit_ = std::min(limit_, left.upper + right[i].upper + slack_);
        }
        return least;
    }

    double least_of_known(const Part* missing) {
        const std::size_t width = bins_.size(), n_missing = known_[n_buckets_].n_rows;
        if (std::min(n_missing, x_.size() - n_missing) < min_leaf_) return kInfinity;
        std::vector<Part> parts(width);
        for (std::size_t b = 0; b < n_buckets_; ++b)
            for (std::size_t t = 0; t < width; ++t) parts[t] += sums_[b * width + t];
        const Bounds known = bounds(parts.data()), other = bounds(missing);
        limit_ = std::min(limit_, known.upper + other.upper + slack_);
        return known.lower + other.lower;
    }

    // All splits of a column, exactly.
    void walk(std::uint32_t column) {
        read(column);
        std::vector<std::uint32_t> rank(x_.size());
        const ValueRanks ranks = rank_values(x_, rank);
        const std::size_t n_values = ranks.values.size(), n_missing = x_.size() - ranks.n_known;
        if (n_values == 0) return;
        first_.assign(n_values + 2, 0);
        for (const std::uint32_t r : rank) ++first_[r + 1];
        for (std::size_t r = 0; r <= n_values; ++r) first_[r + 1] += first_[r];
        std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
        ordered_.resize(x_.size());
        for (std::size_t row = 0; row < x_.size(); ++row)
            ordered_[next[rank[row]]++] = {rows_.weight[row], targets_.rank[row]};
        const auto offer = [&](double loss, SingleSplit split) {
            if (!(loss < (found_.best ? found_.best->loss : limit_))) return;
            split.loss = limit_ = loss, split.column = column;
            found_.best = split;
        };
        const auto is_known = [&](std::size_t row) { return rank[row] < n_values; };
        if (n_missing > 0 && std::min<std::size_t>(n_missing, ranks.n_known) >= min_leaf_) {
            list_.fill(is_known);
            const double known = list_.loss();
            list_.fill([&](std::size_t row) { return !is_known(row); });
            offer(known + list_.loss(), {0, 0, kInfinity, kInfinity, false});
        }
        for (const bool missing_left : {false, true}) {
            if (n_values < 2 || (missing_left && n_missing == 0)) break;
            const auto all = [](std::size_t) { return true; };
            left_.resize(n_values), right_.resize(n_values);
            missing_left ? list_.fill(all) : list_.fill(is_known);
            for (std::size_t r = n_values - 1, end = ranks.n_known; r > 0; end = first_[r--]) {
                for (std::size_t i = end; i-- > first_[r];)
                    take_out(i, i >= kAhead ? i - kAhead : 0, i >= kNext ? i - kNext : 0);
                left_[r - 1] = list_.loss();
            }
            missing_left ? list_.fill(is_known) : list_.fill(all);
            const std::size_t last = ordered_.size() - 1;
            for (std::size_t r = 0; r + 1 < n_values; ++r) {
                for (std::size_t i = first_[r]; i < first_[r + 1]; ++i)
                    take_out(i, std::min(i + kAhead, last), std::min(i + kNext, last));
                right_[r] = list_.loss();
            }
            for (std::size_t r = 0; r + 1 < n_values; ++r) {
                const std::size_t n_left = first_[r + 1] + (missing_left ? n_missing : 0);
                if (std::min(n_left, x_.size() - n_left) < min_leaf_) continue;
                offer(left_[r] + right_[r], {0, 0, ranks.values[r], ranks.values[r + 1], missing_left});
            }
        }
    }

    void take_out(std::size_t i, std::size_t ahead, std::size_t next) {
        list_.prefetch(ordered_[ahead].target);
        list_.prefetch_beside(ordered_[next].target);
        list_.remove(ordered_[i].target, ordered_[i].weight);
    }

    struct Known {
        double low = kInfinity, high = -kInfinity;
        std::size_t n_rows = 0;
        void add(double value) { low = std::min(low, value), high = std::max(high, value), ++n_rows; }
    };
    struct Ordered {
        double weight;
        std::uint32_t target;
    };

    const EncodedRows& table_;
    const TargetRows& rows_;
    RankedTargets targets_;
    TargetBins bins_;
    std::vector<Row> of_row_;
    TargetList list_;
    std::size_t min_leaf_;
    double limit_ = kInfinity, slack_ = 0.0;  // no split is looked for that costs as much
    std::size_t n_buckets_;
    std::vector<double> x_, left_, right_;
    std::vector<Part> sums_;          // [bucket][bin]
    std::vector<Known> known_;        // of each bucket
    std::vector<std::size_t> first_;  // of each rank, in ordered_
    std::vector<Ordered> ordered_;    // rows by the rank of their value
    QuantileSplit found_;
};

}  // namespace

QuantileSplit best_quantile_split(const EncodedRows& table, const TargetRows& rows, std::size_t min_leaf,
                                  double below) {
    if (table.n_rows == 0) return {};
    return QuantileHunt(table, rows, min_leaf, below).run();
}

}  // namespace treewright::tree
