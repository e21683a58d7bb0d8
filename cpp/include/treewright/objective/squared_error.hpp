// Squared error: the loss of a leaf is the least sum of w_i (y_i - c)^2 over its rows, the sum over several outputs.
//
// With W, S and Q the sums of weights, weighted targets and squares, that is L = Q - S^2 / W. The integer loss is
// floor(L / 2^shift), computed exactly from integer sums, and a leaf costs
//     cost = floor(L / 2^shift) * 2^tie_bits + leaf penalty.
// This integer objective is what the search minimises, so every comparison is exact; L itself differs by less than
// 2^shift a leaf, which is the tolerance of a proof.
//
// Laws. For disjoint sets L(A + B) >= L(A) + L(B): one value for both is one choice among two, and L of a single row,
// q_i - s_i^2 / w_i, is in [0, 1) for q_i is rounded up. So L is superadditive and monotone; floor(a + b) >= floor(a) +
// floor(b), and floor is monotone, so the integer loss is both as well. Similar: a row more loses at most its largest
// loss d at any value between the smallest and the largest target, and floor((L + d) / u) <= floor(L / u) + ceil(d /
// u).
#pragma once

#include "treewright/objective/table_objective.hpp"
#include "treewright/objective/target_table.hpp"

#include <memory>
#include <optional>
#include <span>

namespace treewright::ranked {

class SquaredError final : public TableObjective<SquaredError, TargetTable> {
   public:
    SquaredError(std::shared_ptr<const TargetTable> data, int shift, int tie_bits, Cost leaf_penalty);

    [[nodiscard]] int shift() const { return shift_; }
    [[nodiscard]] int tie_bits() const { return tie_bits_; }

    // The place of the sums of a node.
    static constexpr std::size_t kWeight = 0, kHigh = 1, kLow = 2, kFirst = 3;
    [[nodiscard]] static Wide square(const std::int64_t* sums) {
        return (Wide{sums[kHigh]} << TargetTable::kLowBits) + sums[kLow];
    }
    // Cost of the loss of a leaf with these sums, without the penalty.
    [[nodiscard]] Cost loss_cost(const std::int64_t* sums) const;
    // Adds a row to sums.
    void add_row(std::uint32_t row, std::int64_t* sums) const {
        sums[kWeight] += data_->weight[row];
        sums[kHigh] += data_->square_high[row];
        sums[kLow] += data_->square_low[row];
        const std::int64_t* weighted = data_->weighted_of(row);
        for (std::uint32_t k = 0; k < data_->n_outputs; ++k) sums[kFirst + k] += weighted[k];
    }

    void add_row(std::uint32_t row, Node& node) const {
        add_row(row, node.sums.data());
        if (!span_.empty()) node.span += span_[row];
    }
    [[nodiscard]] auto over(std::shared_ptr<const TargetTable> data, Cost penalty) const {
        return std::make_unique<SquaredError>(std::move(data), shift_, tie_bits_, penalty);
    }
    [[nodiscard]] Cost leaf_cost(const Node& node) const override {
        return loss_cost(node.sums.data()) + leaf_penalty();
    }
    [[nodiscard]] Stump best_stump(const Node& node) const override { return look(node, nullptr); }
    [[nodiscard]] Stump best_stump_within(const Node& node, Control& control) const override {
        return look(node, &control);
    }
    [[nodiscard]] std::unique_ptr<PairSolver> pair_solver(const Options& options, Control& control) const override;
    // One output: minus S^2 / W.
    [[nodiscard]] std::optional<TwoSums> two_sums() const override;

   private:
    // A million rows of ten outputs take a part of a second. It asks the clock between columns, if there is one.
    [[nodiscard]] Stump look(const Node& node, Control* control) const;

    int shift_, tie_bits_;
};

}  // namespace treewright::ranked
