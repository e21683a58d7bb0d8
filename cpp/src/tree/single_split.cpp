#include "treewright/tree/single_split.hpp"

#include "bucket_sums.hpp"
#include "zero_one_sums.hpp"
#include "treewright/space/value_order.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace treewright::tree {

namespace {

constexpr std::size_t kFew = 96;  // rows that are sorted at once
constexpr std::size_t kMostBuckets = std::size_t{1} << 12;
constexpr std::size_t kCodes = std::size_t{1} << 26;  // bytes of the sums of categories that are made together
constexpr std::size_t kTable = std::size_t{1} << 19;  // bytes of all buckets: they stay in the cache

struct Item {
    double value;
    std::uint32_t row;
};

// Outside of `Hunt`: a sort written out for every loss and every kind of rows took the compiler a quarter of its time.
void sort_by_value(std::span<Item> items) {
    std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.value < b.value; });
}

// A bucket whose splits may be better than the best so far: the least that one of them costs, its rows among those that
// are gathered, and what is before it.
template <class Number>
struct Open {
    double least;
    std::size_t bucket, first, n, n_before;
    std::vector<Number> before;
};
template <class Number>
void sort_by_least(std::vector<Open<Number>>& open) {
    std::sort(open.begin(), open.end(), [](const auto& a, const auto& b) { return a.least < b.least; });
}

template <class Rows>
class Hunt {
   public:
    using Number = typename Rows::Number;
    using Sums = std::vector<Number>;

    Hunt(const Rows& rows, std::size_t n_rows, std::size_t min_leaf, double below)
        : rows_(rows), n_rows_(n_rows), width_(rows.n_sums()), stride_(width_ + rows.n_beside()), min_leaf_(min_leaf) {
        for (auto* sums : {&missing_, &all_, &left_, &right_, &other_}) sums->resize(width_ + rows.n_beside());
        for (std::size_t row = 0; row < n_rows; ++row) rows_.add(all_.data(), static_cast<std::uint32_t>(row));
        if (below < kInfinity) limit_ = below * (rows_.loss(all_.data()) + rows_.always()) - rows_.always();
    }

    // A column of 0 and 1, given the sums of the rows where it is 0.
    void look_at_zeros(std::uint32_t column, const Number* zeros, std::size_t n_zeros) {
        column_ = column, n_missing_ = 0, n_known_ = n_rows_;
        offer_between(zeros, n_zeros, 0.0, 1.0);
    }

    void look_at(const EncodedRows& table, std::uint32_t column) {
        const auto each = known_rows(table, column);
        Range range;
        const auto add_to_range = [&](double value, std::uint32_t) { range.add(value); };
        if (!begin(table, column, add_to_range) || !(range.low < range.high)) return;
        look(each, n_known_, range, Sums(width_, Number{0}), 0, 0);
    }

    // A column of codes below `n_codes`: each of them against the rest.
    void look_at_codes(const EncodedRows& table, std::uint32_t column, std::size_t n_codes) {
        if (!begin(table, column, [](double, std::uint32_t) {})) return;
        const auto each = known_rows(table, column);
        const std::size_t at_once = std::max(std::size_t{1}, kCodes / (stride_ * sizeof(Number)));
        for (std::size_t first = 0; first < n_codes; first += at_once) {
            const std::size_t last = std::min(n_codes, first + at_once);
            const auto low = static_cast<double>(first), high = static_cast<double>(last);
            Sums sums((last - first) * stride_, Number{0});
            std::vector<std::size_t> n_rows(last - first, 0);
            each([&](double value, std::uint32_t row) {
                if (!(value >= low && value < high)) return;
                const auto code = static_cast<std::size_t>(value - low);
                ++n_rows[code];
                rows_.add(sums.data() + code * stride_, row);
            });
            for (std::size_t k = 0; k < n_rows.size(); ++k) {
                const auto code = static_cast<double>(first + k);
                if (n_rows[k] > 0) offer_between(sums.data() + k * stride_, n_rows[k], code, code);
            }
        }
    }

    [[nodiscard]] std::optional<SingleSplit> found() const {
        if (!found_) return std::nullopt;
        SingleSplit found = *found_;
        found.loss += rows_.always();
        return found;
    }

   private:
    static constexpr double kInfinity = std::numeric_limits<double>::infinity();
    struct Range {
        double low = kInfinity, high = -kInfinity;
        void add(double value) { low = std::min(low, value), high = std::max(high, value); }
    };

    // Visits the rows of a column that have a value.
    [[nodiscard]] static auto known_rows(const EncodedRows& table, std::uint32_t column) {
        return [&table, x = table.data + static_cast<std::ptrdiff_t>(column) * table.column_stride](const auto& visit) {
            for (std::size_t row = 0; row < table.n_rows; ++row) {
                const double value = x[static_cast<std::ptrdiff_t>(row) * table.row_stride];
                if (!std::isnan(value)) visit(value, static_cast<std::uint32_t>(row));
            }
        };
    }

    // Tells the rows of a column without a value from the others, which it visits; false if there are no others.
    template <class Visit>
    [[nodiscard]] bool begin(const EncodedRows& table, std::uint32_t column, const Visit& visit) {
        column_ = column;
        const double* const x = table.data + static_cast<std::ptrdiff_t>(column) * table.column_stride;
        std::fill(missing_.begin(), missing_.end(), Number{0});
        n_missing_ = 0;
        for (std::size_t row = 0; row < table.n_rows; ++row) {
            const double value = x[static_cast<std::ptrdiff_t>(row) * table.row_stride];
            if (!std::isnan(value)) {
                visit(value, static_cast<std::uint32_t>(row));
                continue;
            }
            ++n_missing_;
            rows_.add(missing_.data(), static_cast<std::uint32_t>(row));
        }
        n_known_ = table.n_rows - n_missing_;
        if (n_known_ == 0) return false;
        known_ = all_;
        subtract(known_.data(), all_.data(), missing_.data());
        if (n_missing_ > 0)
            offer(known_.data(), n_known_, missing_.data(), n_missing_, {0, column_, kInfinity, kInfinity, false});
        return true;
    }

    struct Bucket {
        Range range;
        std::size_t n = 0;
    };

    // Which bucket a value is in: never a smaller one for a larger value.
    class Buckets {
       public:
        Buckets(Range range, std::size_t n, bool by_pattern) : low_(range.low), last_(n - 1) {
            scale_ = static_cast<double>(n) / (range.high - range.low);
            by_pattern_ = by_pattern || !std::isfinite(scale_) || !(scale_ > 0);
            lowest_ = ordered_bits(range.low);
            const auto wide = static_cast<unsigned>(std::bit_width(ordered_bits(range.high) - lowest_));
            const auto kept = static_cast<unsigned>(std::bit_width(last_));
            shift_ = wide > kept ? wide - kept : 0;
        }
        [[nodiscard]] std::size_t of(double value) const {
            if (by_pattern_) return static_cast<std::size_t>((ordered_bits(value) - lowest_) >> shift_);
            return std::min(static_cast<std::size_t>((value - low_) * scale_), last_);
        }

       private:
        double low_, scale_;
        std::size_t last_;
        std::uint64_t lowest_;
        unsigned shift_;
        bool by_pattern_;
    };

    void add(Number* sums, const Number* others) const {
        for (std::size_t k = 0; k < width_; ++k) sums[k] = static_cast<Number>(sums[k] + others[k]);
    }
    void subtract(Number* out, const Number* from, const Number* less) const {
        for (std::size_t k = 0; k < width_; ++k) out[k] = static_cast<Number>(from[k] - less[k]);
    }

    void offer(const Number* left, std::size_t n_left, const Number* right, std::size_t n_right, SingleSplit split) {
        if (n_left < min_leaf_ || n_right < min_leaf_) return;
        split.loss = rows_.loss(left) + rows_.loss(right);
        if (split.loss < limit_) found_ = split, limit_ = split.loss;
    }

    // The splits between two neighbouring values, given the known rows up to the first.
    void offer_between(const Number* before, std::size_t n_before, double low, double high) {
        subtract(right_.data(), all_.data(), before);
        offer(before, n_before, right_.data(), n_known_ + n_missing_ - n_before, {0, column_, low, high, false});
        if (n_missing_ == 0) return;
        std::copy(before, before + width_, left_.begin());
        add(left_.data(), missing_.data());
        subtract(right_.data(), known_.data(), before);
        offer(left_.data(), n_before + n_missing_, right_.data(), n_known_ - n_before, {0, column_, low, high, true});
    }

    // A lower bound of the splits inside a bucket.
    [[nodiscard]] double least_inside(const Number* before, const Number* bucket) {
        subtract(right_.data(), all_.data(), before);
        subtract(right_.data(), right_.data(), bucket);
        const double least = rows_.least_inside(before, bucket, right_.data());
        if (n_missing_ == 0) return least;
        std::copy(before, before + width_, left_.begin());
        add(left_.data(), missing_.data());
        subtract(right_.data(), right_.data(), missing_.data());
        return std::min(least, rows_.least_inside(left_.data(), bucket, right_.data()));
    }

    // All splits between known rows that `each` visits, `n` rows in `range`; `before` and `n_before` are those of
    // smaller value.
    template <class Each>
    void look(const Each& each, std::size_t n, Range range, Sums before, std::size_t n_before, unsigned level) {
        const std::size_t n_buckets =
            std::clamp(std::bit_floor(kTable / (stride_ * sizeof(Number))), std::size_t{16},
                       std::min(kMostBuckets, std::bit_ceil(std::max(n / 8, std::size_t{16}))));
        const Buckets buckets(range, n_buckets, level % 2 == 1);
        Sums table(n_buckets * stride_, Number{0});
        std::vector<Bucket> own(n_buckets);
        const auto sums_of = [&](std::size_t b) { return table.data() + b * stride_; };
        each([&](double value, std::uint32_t row) {
            const std::size_t b = buckets.of(value);
            own[b].range.add(value);
            ++own[b].n;
            rows_.add(sums_of(b), row);
        });
        std::vector<std::size_t> filled;
        for (std::size_t b = 0; b < n_buckets; ++b)
            if (own[b].n > 0) filled.push_back(b);
        Sums sums = before;
        std::size_t rows = n_before;
        for (std::size_t i = 0; i + 1 < filled.size(); ++i) {
            const Bucket& bucket = own[filled[i]];
            add(sums.data(), sums_of(filled[i]));
            rows += bucket.n;
            offer_between(sums.data(), rows, bucket.range.high, own[filled[i + 1]].range.low);
        }
        std::vector<Open<Number>> open;
        sums = std::move(before), rows = n_before;
        for (const std::size_t b : filled) {
            const Bucket& bucket = own[b];
            if (bucket.range.low < bucket.range.high) {
                const double least = least_inside(sums.data(), sums_of(b));
                if (least < limit_) open.push_back({least, b, 0, bucket.n, rows, sums});
            }
            add(sums.data(), sums_of(b));
            rows += bucket.n;
        }
        if (open.empty()) return;
        constexpr std::size_t kClosed = std::numeric_limits<std::size_t>::max();
        std::vector<std::size_t> next(n_buckets, kClosed);
        std::size_t n_gathered = 0;
        for (Open<Number>& one : open) next[one.bucket] = one.first = std::exchange(n_gathered, n_gathered + one.n);
        std::vector<Item> items(n_gathered);
        each([&](double value, std::uint32_t row) {
            std::size_t& place = next[buckets.of(value)];
            if (place != kClosed) items[place++] = {value, row};
        });
        sort_by_least(open);
        for (Open<Number>& one : open) {
            if (one.least >= limit_) break;
            const std::span<Item> inside(items.data() + one.first, one.n);
            if (one.n <= kFew) {
                walk(inside, one.before, one.n_before);
                continue;
            }
            look_into(inside, own[one.bucket].range, std::move(one.before), one.n_before, level + 1);
        }
    }

    void look_into(std::span<const Item> items, Range range, Sums before, std::size_t n_before, unsigned level) {
        const auto each = [&](const auto& visit) {
            for (const Item& item : items) visit(item.value, item.row);
        };
        look(each, items.size(), range, std::move(before), n_before, level);
    }

    void walk(std::span<Item> items, const Sums& before, std::size_t n_before) {
        sort_by_value(items);
        std::copy(before.begin(), before.end(), other_.begin());
        for (std::size_t i = 0; i + 1 < items.size(); ++i) {
            rows_.add(other_.data(), items[i].row);
            if (items[i].value < items[i + 1].value)
                offer_between(other_.data(), n_before + i + 1, items[i].value, items[i + 1].value);
        }
    }

    const Rows& rows_;
    std::size_t n_rows_, width_, stride_, min_leaf_;
    std::uint32_t column_ = 0;
    std::size_t n_known_ = 0, n_missing_ = 0;
    double limit_ = kInfinity;    // no split is looked for that costs as much
    Sums all_, known_, missing_;  // sums over all rows, and those of a column
    Sums left_, right_, other_;   // scratch
    std::optional<SingleSplit> found_;
};

template <class Rows>
std::optional<SingleSplit> best_of(const TypedRows& typed, const Rows& rows, std::size_t min_leaf, double below) {
    const EncodedRows& table = typed.rows;
    Hunt<Rows> hunt(rows, table.n_rows, std::max<std::size_t>(min_leaf, 1), below);
    ZeroOneSums<Rows> zero_one(table, rows);
    for (std::size_t first = 0; first < table.n_columns; first += zero_one.at_once()) {
        const std::size_t last = std::min(table.n_columns, first + zero_one.at_once());
        zero_one.read(first, last);
        for (std::size_t j = first; j < last; ++j) {
            const auto column = static_cast<std::uint32_t>(j);
            if (typed.n_codes[j] > 0)
                hunt.look_at_codes(table, column, typed.n_codes[j]);
            else if (zero_one.knows(j))
                hunt.look_at_zeros(column, zero_one.zeros(j), zero_one.n_zeros(j));
            else
                hunt.look_at(table, column);
        }
    }
    return hunt.found();
}

}  // namespace

std::optional<SingleSplit> best_single_split(const TypedRows& table, const LabelledRows& rows, std::size_t min_leaf,
                                             double below) {
    switch (rows.loss) {
        case LabelledRows::Loss::costs:
            return best_of(table, Votes(rows), min_leaf, below);
        case LabelledRows::Loss::entropy:
            return best_of(table, Shares(rows), min_leaf, below);
        case LabelledRows::Loss::gini:
            return best_of(table, Gini(rows), min_leaf, below);
    }
    return std::nullopt;
}

std::optional<SingleSplit> best_single_split(const TypedRows& table, const SummedRows& rows, std::size_t min_leaf,
                                             double below) {
    if (rows.kind != LossSums::Kind::least) return best_of(table, Ratios(rows), min_leaf, below);
    const double unit = SmallCosts::unit_of(rows);
    if (!(unit > 0)) return best_of(table, Actions(rows), min_leaf, below);
    auto best = best_of(table, SmallCosts(rows, unit), min_leaf, below);
    if (best) best->loss *= unit;
    return best;
}

}  // namespace treewright::tree
