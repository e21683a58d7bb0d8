// Quantile regression: a leaf has one value q, and a row of weight w and target y loses w up (y - q) where y > q and
// w down (q - y) where y < q, up and down positive whole numbers. The least sum is at the quantile up / (up + down) of
// the leaf's targets; up = down is absolute error and the median. The best value is a target of the leaf, so with whole
// targets and weights the loss L is a whole number, computed exactly. The integer loss is floor(L / 2^shift): the shift
// is 0 where L fits.
//
// Laws. A row's loss is never negative, and one value for a leaf is one choice among those for its parts: L is monotone
// and superadditive, and floor(a + b) >= floor(a) + floor(b), so the integer loss is both. A row more loses at most d,
// its largest loss at any target of the table, and a leaf's value can be a target; floor((L + d) / u) <= floor(L / u) +
// ceil(d / u).
//
// What a set of rows has to say is the weight of each distinct target: as many sums as there are targets. Of a set
// without one row after the other (best_stump) the quantile is found by taking rows out of a list of targets in order:
// it moves to a neighbour at a time, of equal weights at most once a row. Columns that cannot have the best split are
// told before that by sums of few bins of targets (column_bounds.hpp).
#pragma once

#include "treewright/objective/table_objective.hpp"
#include "treewright/objective/target_table.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace treewright::ranked {

struct QuantileTable : RankedTable {
    static constexpr std::int64_t kLargestWeight = std::int64_t{1} << 42;  // of all rows
    static constexpr std::int64_t kLargestTarget = std::int64_t{1} << 46;
    static constexpr std::int64_t kLargestFactor = std::int64_t{1} << 20;  // up and down together

    std::vector<std::int64_t> target;  // distinct, ascending
    std::vector<std::uint32_t> place;  // [row]: of its target
    std::vector<std::int64_t> weight;  // [row], > 0
    std::int64_t up = 1, down = 1;

    // Targets that no row of the part has stay: what a row can lose at most is that in the whole table.
    void take(const QuantileTable& other, std::span<const std::uint32_t> rows);
    // The most that a row loses at any target.
    [[nodiscard]] Wide largest_loss(std::uint32_t row) const;
};

class Pinball final : public TableObjective<Pinball, QuantileTable> {
   public:
    // One unit of loss, 2^shift, counts 2^tie_bits. `with_bins`: the switch `target_bins`.
    Pinball(std::shared_ptr<const QuantileTable> data, int shift, int tie_bits, Cost leaf_penalty,
            bool with_bins = true);

    void add_row(std::uint32_t row, Node& node) const {
        node.sums[data_->place[row]] += data_->weight[row];
        node.span += span_[row];
    }
    [[nodiscard]] auto over(std::shared_ptr<const QuantileTable> data, Cost penalty) const {
        return std::make_unique<Pinball>(std::move(data), shift_, tie_bits_, penalty, with_bins_);
    }
    [[nodiscard]] Cost leaf_cost(const Node& node) const override;
    [[nodiscard]] Stump best_stump(const Node& node) const override { return look(node, nullptr); }
    [[nodiscard]] Stump best_stump_within(const Node& node, Control& control) const override {
        return look(node, &control);
    }

   private:
    // The columns of a million targets take seconds. It asks the clock between columns, if there is one.
    [[nodiscard]] Stump look(const Node& node, Control* control) const;
    // `Targets` (pinball.cpp) adds up in 64 bits or in 128.
    template <class Targets>
    [[nodiscard]] Stump look_by(const Node& node, Control* control) const;
    template <class Targets>
    [[nodiscard]] Stump best_of_column(const Node& node, std::size_t at, const Targets& all,
                                       std::vector<Cost>& on_left) const;
    // Of a loss in full.
    [[nodiscard]] Cost in_units(Wide loss) const { return static_cast<Cost>(loss >> shift_); }

    int shift_, tie_bits_;
    bool with_bins_;
};

}  // namespace treewright::ranked
