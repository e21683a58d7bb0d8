// Policy trees: every row has a cost for each action, and a leaf takes one action for its rows. The loss of a leaf is
// the least sum over its rows of cost[row][action], in whole numbers; each row's least cost is taken off, for every
// tree pays it.
//
// Laws as for misclassification, of which this is the case with a cost vector for each row: costs are never negative
// and one action for a leaf is one choice among those for its parts, so the loss is monotone and superadditive; a row
// more costs at most its largest cost. Sums are exact integers of 64 bits, so nothing is lost to rounding but what the
// caller's scaling loses.
#pragma once

#include "treewright/objective/table_objective.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace treewright::ranked {

struct ActionTable : RankedTable {
    std::uint32_t n_actions = 0;
    std::vector<std::int64_t> cost;  // [row][action], each row's least is 0

    void take(const ActionTable& other, std::span<const std::uint32_t> rows) {
        RankedTable::take(other, rows);
        n_actions = other.n_actions;
        cost = of_rows(rows, other.cost, n_actions);
        prepare();
    }
};

class ActionCosts final : public TableObjective<ActionCosts, ActionTable> {
   public:
    // One unit of cost counts 2^tie_bits.
    ActionCosts(std::shared_ptr<const ActionTable> data, int tie_bits, Cost leaf_penalty);

    [[nodiscard]] int tie_bits() const { return tie_bits_; }

    void add_row(std::uint32_t row, Node& node) const {
        const std::int64_t* cost = costs_of(row);
        for (std::size_t k = 0; k < node.sums.size(); ++k) node.sums[k] += cost[k];
        node.span += span_[row];
    }
    [[nodiscard]] auto over(std::shared_ptr<const ActionTable> data, Cost penalty) const {
        return std::make_unique<ActionCosts>(std::move(data), tie_bits_, penalty);
    }
    [[nodiscard]] Cost leaf_cost(const Node& node) const override;
    [[nodiscard]] Stump best_stump(const Node& node) const override;
    [[nodiscard]] std::unique_ptr<PairSolver> pair_solver(const Options& options, Control& control) const override;

   private:
    [[nodiscard]] const std::int64_t* costs_of(std::uint32_t row) const {
        return &data_->cost[std::size_t{row} * data_->n_actions];
    }

    int tie_bits_;
};

}  // namespace treewright::ranked
