#include "treewright/objective/pinball.hpp"

#include <algorithm>
#include <utility>

namespace treewright::ranked {

namespace {

// The targets of a set of rows in ascending order, from which rows are taken out; the quantile follows.
class Targets {
   public:
    Targets(const QuantileTable& data, const std::vector<std::int64_t>& weight_of) : data_(data) {
        local_.assign(data.target.size(), 0);
        value_.push_back(0), weight_.push_back(0);  // place 0: before the first and after the last
        for (std::size_t v = 0; v < weight_of.size(); ++v) {
            if (weight_of[v] == 0) continue;
            local_[v] = static_cast<std::uint32_t>(value_.size());
            value_.push_back(data.target[v]);
            weight_.push_back(weight_of[v]);
            all_weight_ += weight_of[v];
            all_sum_ += Wide{weight_of[v]} * data.target[v];
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
        const Wide sum = Wide{weight} * value_[at];
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
    [[nodiscard]] Wide loss() const {
        const Wide q = value_[at_];
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
            below_weight_ += weight_[at_], below_sum_ += Wide{weight_[at_]} * value_[at_];
        }
        while (enough(below_weight_ - weight_[at_])) {
            below_weight_ -= weight_[at_], below_sum_ -= Wide{weight_[at_]} * value_[at_];
            at_ = previous_[at_];
        }
    }

    const QuantileTable& data_;
    std::vector<std::uint32_t> local_;  // [place of a target]
    std::vector<std::int64_t> value_, weight_;
    std::vector<std::uint32_t> next_, previous_;
    std::uint32_t at_ = 0;
    std::int64_t all_weight_ = 0, below_weight_ = 0;  // below: up to at_
    Wide all_sum_ = 0, below_sum_ = 0;
};

}  // namespace

Wide QuantileTable::largest_loss(std::uint32_t row) const {
    const Wide y = target[place[row]];
    return weight[row] * std::max(up * (y - target.front()), down * (target.back() - y));
}

Pinball::Pinball(std::shared_ptr<const QuantileTable> data, int shift, int tie_bits, Cost leaf_penalty)
    : RankedObjective(*data, leaf_penalty, Cost{1} << tie_bits, data->target.size(), {true, true, true}),
      data_(std::move(data)),
      shift_(shift),
      tie_bits_(tie_bits) {
    const Wide most = (Wide{1} << shift) - 1;  // rounds up
    for (std::uint32_t row = 0; row < data_->n_rows; ++row) span_.push_back(in_units(data_->largest_loss(row) + most));
}

void Pinball::add_rows(const std::uint32_t* order, std::uint32_t begin, std::uint32_t end, Node& node) const {
    node.n += end - begin;
    for (std::uint32_t i = begin; i < end; ++i) {
        const std::uint32_t row = row_of(order[i]);
        node.sums[data_->place[row]] += data_->weight[row];
        node.span += span_[row];
        node.rows.add(data_->key[row]);
    }
}

Cost Pinball::leaf_cost(const Node& node) const {
    if (node.n == 0) return leaf_penalty();
    return (in_units(Targets(*data_, node.sums).loss()) << tie_bits_) + leaf_penalty();
}

Stump Pinball::best_stump(const Node& node) const {
    const QuantileTable& data = *data_;
    const std::uint32_t least = data.min_leaf;
    Stump best{leaf_penalty(), Stump::kLeaf, 0};
    if (node.n == 0) return best;
    const Targets all(data, node.sums);
    best.cost += in_units(all.loss()) << tie_bits_;
    if (best.cost <= 2 * leaf_penalty()) return best;
    std::vector<Cost> on_left(node.n);  // [position]: loss of the rows before it
    for (std::size_t c = 0; c < node.columns.size(); ++c) {
        const std::uint32_t* order = node.orders[c];
        Targets left = all, right = all;
        for (std::uint32_t i = node.n; i-- > 1;) {
            left.take_out(row_of(order[i]));
            on_left[i] = in_units(left.loss());
        }
        for (std::uint32_t i = 1; i < node.n; ++i) {
            right.take_out(row_of(order[i - 1]));
            if (i < least || node.n - i < least || !starts_group(order[i])) continue;
            const Cost cost = ((on_left[i] + in_units(right.loss())) << tie_bits_) + 2 * leaf_penalty();
            if (cost < best.cost) best = {cost, node.columns[c], data.rank_of(node.columns[c], row_of(order[i]))};
        }
    }
    return best;
}

void Pinball::prefix_spans(std::span<const std::uint32_t> order, std::span<const std::uint32_t> positions,
                           std::vector<Cost>& prefix) const {
    add_up(span_, order, positions, prefix);
}

std::unique_ptr<RankedObjective> Pinball::with_leaf_penalty(Cost penalty) const {
    return std::make_unique<Pinball>(data_, shift_, tie_bits_, penalty);
}

// Targets that no row of the part has stay: what a row can lose at most is that in the whole table.
std::unique_ptr<RankedObjective> Pinball::part(std::span<const std::uint32_t> rows, Cost penalty) const {
    const auto part = std::make_shared<QuantileTable>();
    part->take(*data_, rows);
    part->target = data_->target;
    part->up = data_->up;
    part->down = data_->down;
    for (const std::uint32_t row : rows) {
        part->place.push_back(data_->place[row]);
        part->weight.push_back(data_->weight[row]);
    }
    part->prepare();
    return std::make_unique<Pinball>(part, shift_, tie_bits_, penalty);
}

}  // namespace treewright::ranked
