#include "treewright/objective/pinball.hpp"

#include "treewright/objective/column_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace treewright::ranked {

namespace {

// A look at one column of so many rows is a unit of work. A run that has ended may do 1/256 of its cells, and so sees a
// few columns of a large table, the most promising ones first.
constexpr std::uint32_t kRowsOfWork = 32;
constexpr std::uint32_t kBinnedRowsOfWork = 512;  // the same for its sums in bins of targets
constexpr std::uint32_t kFewestBinned = 64;       // rows of a node whose columns are bounded first

// The targets of a set of rows in ascending order, from which rows are taken out; the quantile follows. Targets are
// told about the least of the table, which changes no loss. `Sum` holds sums of them: std::int64_t where they fit
// (fit_64_bits), twice as fast.
template <class Sum>
class Targets {
   public:
    Targets(const QuantileTable& data, const std::vector<std::int64_t>& weight_of) : data_(data) {
        local_.assign(data.target.size(), 0);
        value_.push_back(0), weight_.push_back(0);  // place 0: before the first and after the last
        for (std::size_t v = 0; v < weight_of.size(); ++v) {
            if (weight_of[v] == 0) continue;
            local_[v] = static_cast<std::uint32_t>(value_.size());
            value_.push_back(data.target[v] - data.target.front());
            weight_.push_back(weight_of[v]);
            all_weight_ += weight_of[v];
            all_sum_ += Sum{weight_of[v]} * value_.back();
        }
        const std::size_t n = value_.size();
        for (std::size_t i = 0; i < n; ++i) {
            next_.push_back(static_cast<std::uint32_t>((i + 1) % n));
            previous_.push_back(static_cast<std::uint32_t>((i + n - 1) % n));
        }
        settle();
    }

    void take_out(std::uint32_t row) {
        const std::uint32_t at = local_[data_.place[row]];
        const std::int64_t weight = data_.weight[row];
        const Sum sum = Sum{weight} * value_[at];
        weight_[at] -= weight;
        all_weight_ -= weight, all_sum_ -= sum;
        if (at <= at_) below_weight_ -= weight, below_sum_ -= sum;  // places are in ascending order
        settle();
        if (weight_[at] == 0) {
            next_[previous_[at]] = next_[at];
            previous_[next_[at]] = previous_[at];
        }
    }

    // Least loss of one value for the rows that are left.
    [[nodiscard]] Sum loss() const {
        const Sum q = value_[at_];
        return data_.up * (all_sum_ - below_sum_ - q * (all_weight_ - below_weight_)) +
               data_.down * (q * below_weight_ - below_sum_);
    }

   private:
    // Enough weight lies at or below a value.
    [[nodiscard]] bool enough(std::int64_t below) const {
        return (data_.up + data_.down) * below >= data_.up * all_weight_;
    }
    // Makes at_ the first place up to which there is enough.
    void settle() {
        if (all_weight_ == 0) {
            at_ = 0, below_weight_ = 0, below_sum_ = 0;
            return;
        }
        while (!enough(below_weight_)) {
            at_ = next_[at_];
            below_weight_ += weight_[at_], below_sum_ += Sum{weight_[at_]} * value_[at_];
        }
        while (enough(below_weight_ - weight_[at_])) {
            below_weight_ -= weight_[at_], below_sum_ -= Sum{weight_[at_]} * value_[at_];
            at_ = previous_[at_];
        }
    }

    const QuantileTable& data_;
    std::vector<std::uint32_t> local_;  // [place of a target]
    std::vector<std::int64_t> value_, weight_;
    std::vector<std::uint32_t> next_, previous_;
    std::uint32_t at_ = 0;
    std::int64_t all_weight_ = 0, below_weight_ = 0;  // below: up to at_
    Sum all_sum_ = 0, below_sum_ = 0;
};

// Whether (up + down) times the weight of all rows times the width of the targets is below 2^62: no sum is more.
bool fit_64_bits(const QuantileTable& data, const std::vector<std::int64_t>& weight_of) {
    Wide weight = 0;
    for (const std::int64_t w : weight_of) weight += w;
    return weight * (data.up + data.down) < (Wide{1} << 62) / (data.target.back() - data.target.front() + 1);
}

}  // namespace

void QuantileTable::take(const QuantileTable& other, std::span<const std::uint32_t> rows) {
    RankedTable::take(other, rows);
    target = other.target;
    up = other.up;
    down = other.down;
    place = of_rows(rows, other.place);
    weight = of_rows(rows, other.weight);
    prepare();
}

Wide QuantileTable::largest_loss(std::uint32_t row) const {
    const Wide y = target[place[row]];
    return weight[row] * std::max(up * (y - target.front()), down * (target.back() - y));
}

Pinball::Pinball(std::shared_ptr<const QuantileTable> data, int shift, int tie_bits, Cost leaf_penalty, bool with_bins)
    : TableObjective(data, leaf_penalty, Cost{1} << tie_bits, data->target.size(), {true, true, true}),
      shift_(shift),
      tie_bits_(tie_bits),
      with_bins_(with_bins) {
    const Wide most = (Wide{1} << shift) - 1;  // rounds up
    for (std::uint32_t row = 0; row < data_->n_rows; ++row) span_.push_back(in_units(data_->largest_loss(row) + most));
}

Cost Pinball::leaf_cost(const Node& node) const {
    if (node.n == 0) return leaf_penalty();
    return (in_units(Targets<Wide>(*data_, node.sums).loss()) << tie_bits_) + leaf_penalty();
}

Stump Pinball::look(const Node& node, Control* control) const {
    return fit_64_bits(*data_, node.sums) ? look_by<Targets<std::int64_t>>(node, control)
                                          : look_by<Targets<Wide>>(node, control);
}

// The best split of one column, at 2 leaves; the cost of no split where it has none. `on_left` is scratch.
template <class Targets>
Stump Pinball::best_of_column(const Node& node, std::size_t at, const Targets& all, std::vector<Cost>& on_left) const {
    const std::uint32_t least = data_->min_leaf, column = node.columns[at];
    const std::uint32_t* order = node.orders[at];
    Stump best{kNoCost, column, 0};
    Targets left = all, right = all;
    for (std::uint32_t i = node.n; i-- > 1;) {  // [position]: loss of the rows before it
        left.take_out(row_of(order[i]));
        on_left[i] = in_units(left.loss());
    }
    for (std::uint32_t i = 1; i < node.n; ++i) {
        right.take_out(row_of(order[i - 1]));
        if (i < least || node.n - i < least || !starts_group(order[i])) continue;
        const Cost cost = ((on_left[i] + in_units(right.loss())) << tie_bits_) + 2 * leaf_penalty();
        if (cost < best.cost) best = {cost, column, data_->rank_of(column, row_of(order[i]))};
    }
    return best;
}

template <class Targets>
Stump Pinball::look_by(const Node& node, Control* control) const {
    Stump best{leaf_penalty(), Stump::kLeaf, 0};
    if (node.n == 0) return best;
    const Targets all(*data_, node.sums);
    best.cost += in_units(all.loss()) << tie_bits_;
    if (best.cost <= 2 * leaf_penalty()) return best;
    // Columns with the least bound first: most others need no exact look then. Of equal splits the one of the first
    // column is the answer, whatever the order.
    struct Bounded {
        Cost cost;
        std::size_t at;
    };
    std::vector<Bounded> columns;
    for (std::size_t at = 0; at < node.columns.size(); ++at) columns.push_back({0, at});
    if (with_bins_ && node.columns.size() > 1 && node.n >= kFewestBinned) {
        const ColumnBounds bounds(*data_, node.sums);
        if (bounds.exact_weights())
            for (auto& [cost, at] : columns) {
                if (control != nullptr && control->must_abandon(1 + node.n / kBinnedRowsOfWork)) {
                    best.whole = false;
                    return best;
                }
                // floor(a) + floor(b) > a + b - 2, so it is at least floor(a + b) - 1.
                const double units = std::floor(std::ldexp(bounds.least_loss({node.orders[at], node.n}), -shift_)) - 1;
                cost = (static_cast<Cost>(std::max(units, 0.0)) << tie_bits_) + 2 * leaf_penalty();
            }
        std::stable_sort(columns.begin(), columns.end(),
                         [](const Bounded& a, const Bounded& b) { return a.cost < b.cost; });
    }
    std::vector<Cost> on_left(node.n);
    for (const auto& [bound, at] : columns) {
        if (bound > best.cost) break;
        if (control != nullptr && control->must_abandon(1 + node.n / kRowsOfWork)) {
            best.whole = false;
            break;
        }
        const std::uint32_t column = node.columns[at];
        const Stump found = best_of_column(node, at, all, on_left);
        if (found.cost < best.cost || (found.cost == best.cost && column < best.column && best.column != Stump::kLeaf))
            best = found;
    }
    return best;
}

}  // namespace treewright::ranked
