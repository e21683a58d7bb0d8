// What every objective does alike, over a table of its kind. Its own class says the rest: the cost of a leaf, the best
// tree of depth one, and
//     void add_row(row, Node&) const      adds what a row has to say to the sums and the span of a node;
//     over(table, penalty) const          the same loss over another table, with a leaf penalty;
// and its table `take(table, rows)`, which takes some of another table's rows, ready to be searched.
#pragma once

#include "treewright/objective/ranked_objective.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace treewright::ranked {

template <class Objective, class Table>
class TableObjective : public RankedObjective {
   public:
    [[nodiscard]] const Table& data() const { return *data_; }

    void add_rows(const std::uint32_t* order, std::uint32_t begin, std::uint32_t end, Node& node) const final {
        node.n += end - begin;
        for (std::uint32_t i = begin; i < end; ++i) {
            const std::uint32_t row = row_of(order[i]);
            self().add_row(row, node);
            node.rows.add(data_->key[row]);
        }
    }
    void prefix_spans(std::span<const std::uint32_t> order, std::span<const std::uint32_t> positions,
                      std::vector<Cost>& prefix) const override {
        if (span_.empty())
            RankedObjective::prefix_spans(order, positions, prefix);
        else
            add_up(span_, order, positions, prefix);
    }
    [[nodiscard]] std::unique_ptr<RankedObjective> with_leaf_penalty(Cost penalty) const final {
        return self().over(data_, penalty);
    }
    [[nodiscard]] std::unique_ptr<RankedObjective> part(std::span<const std::uint32_t> rows, Cost penalty) const final {
        const auto part = std::make_shared<Table>();
        part->take(*data_, rows);
        return self().over(part, penalty);
    }

   protected:
    TableObjective(std::shared_ptr<const Table> data, Cost leaf_penalty, Cost span_unit, std::size_t n_sums, Laws laws)
        : RankedObjective(*data, leaf_penalty, span_unit, n_sums, laws), data_(std::move(data)) {}

    // Walks column number `at` of a node: asks for the cost of both sides, penalties included, at each split that
    // leaves them enough rows, and brings one row after the other to the left. `ahead`: where numbers of a row begin.
    template <class CostHere, class Move, class... Ahead>
    void walk(const Node& node, std::size_t at, Stump& best, const CostHere& cost_here, const Move& move,
              const Ahead&... ahead) const {
        const std::uint32_t least = data_->min_leaf, column = node.columns[at];
        const std::uint32_t* order = node.orders[at];
        for (std::uint32_t i = 0; i < node.n; ++i) {
            (ask_ahead(order, i, node.n, ahead), ...);
            const std::uint32_t row = row_of(order[i]);
            if (i >= least && node.n - i >= least && starts_group(order[i]))
                if (const Cost cost = cost_here(); cost < best.cost) best = {cost, column, data_->rank_of(column, row)};
            move(row);
        }
    }

    std::shared_ptr<const Table> data_;
    std::vector<Cost> span_;  // [row], in units of span_unit(), where the law `similar` holds and the table has none

   private:
    [[nodiscard]] const Objective& self() const { return static_cast<const Objective&>(*this); }
};

}  // namespace treewright::ranked
