// Misclassification with a cost for every label and prediction: the loss of a leaf is the least sum over its rows of
// weight * cost[label][prediction].
//
// Laws. Costs are never negative and one prediction for a leaf is one choice among those for its parts, so the loss is
// monotone and superadditive; a row more costs at most its span, the largest entry of its cost vector. All sums are
// integers, so all comparisons are exact.
//
// One unit of loss costs `unit`. The lowest bits of a cost are left to the leaf penalty, so that leaves break ties
// between trees of equal loss (see _solve_ranked.py).
#pragma once

#include "treewright/objective/labelled_table.hpp"
#include "treewright/objective/table_objective.hpp"

#include <memory>
#include <span>

namespace treewright::ranked {

class Misclassification final : public TableObjective<Misclassification, LabelledTable> {
   public:
    Misclassification(std::shared_ptr<const LabelledTable> data, Cost unit, Cost leaf_penalty);

    [[nodiscard]] Cost unit() const { return span_unit(); }

    void add_row(std::uint32_t row, Node& node) const {
        const std::int32_t* cost = costs_of(row);
        for (std::size_t k = 0; k < data_->n_classes; ++k) node.sums[k] += std::int64_t{data_->weight[row]} * cost[k];
        node.span += data_->span[row];
    }
    [[nodiscard]] auto over(std::shared_ptr<const LabelledTable> data, Cost penalty) const {
        return std::make_unique<Misclassification>(std::move(data), unit(), penalty);
    }
    [[nodiscard]] Cost leaf_cost(const Node& node) const override;
    [[nodiscard]] Stump best_stump(const Node& node) const override;
    [[nodiscard]] std::unique_ptr<PairSolver> pair_solver(const Options& options, Control& control) const override;
    void prefix_spans(std::span<const std::uint32_t> order, std::span<const std::uint32_t> positions,
                      std::vector<Cost>& prefix) const override;
    [[nodiscard]] Cost stake(const Node& node) const override { return node.span * unit(); }
    [[nodiscard]] std::unique_ptr<CoreRows> core_rows(double factor, double most, Control& control) const override;

   private:
    [[nodiscard]] const std::int32_t* costs_of(std::uint32_t row) const {
        return &data_->cost[std::size_t{data_->label[row]} * data_->n_classes];
    }
};

}  // namespace treewright::ranked
