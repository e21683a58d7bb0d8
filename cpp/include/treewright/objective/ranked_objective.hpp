// What a tree over ranked columns is to minimise: the sum over its leaves of an integer cost of the leaf's rows.
//
// An objective knows its rows; the search knows their order. The search asks at nodes only (a virtual call costs
// nothing there): the cost of a leaf, the best tree of depth one, a solver for depth two. Bounds ask for laws.
//
// Let loss(S) be the integer loss of one leaf over the rows S, and f(S) the least cost of a tree of given limits, a
// leaf costing loss + leaf_penalty(). The search always needs loss >= 0 and loss a function of the set of rows. Bounds
// need, for leaves of any size:
//  monotone        loss(K) <= loss(S) for K within S. Then f(K) <= f(S): restrict the best tree of S to K.
//  superadditive   loss(A + B) >= loss(A) + loss(B). Then f(A + B) >= f(A) + e(B), e without leaf penalties: restrict
//                  the best tree of A + B to A and to B.
//  similar         loss(S + row) <= loss(S) + span(row) while the leaf keeps its value, for any non-empty S. Then
//                  f(S + R) <= f(S) + the spans of R: keep the tree of S and its values. Holds for leaves of any least
//                  size.
#pragma once

#include "treewright/core/control.hpp"
#include "treewright/core/cost.hpp"
#include "treewright/objective/two_sums.hpp"
#include "treewright/search/ranked_options.hpp"
#include "treewright/space/ranked_node.hpp"
#include "treewright/space/ranked_table.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace treewright::ranked {

class CoreRows;
class PairSolver;

// Best tree of depth at most one, with its split: rows with rank < `rank` go left; `column` is kLeaf for a leaf.
struct Stump {
    static constexpr std::uint32_t kLeaf = 0xffffffffu;
    Cost cost;
    std::uint32_t column;
    std::uint32_t rank;
    bool whole = true;  // false: the run ended before all splits were seen
    Cost any_size = 0;  // no tree of depth at most one costs less with leaves of any size; 0: not known
};

// Whether the run ends before column c of a look at all splits of a node, if there is a clock. All columns together
// count less work than a run that was stopped may still do for its best single split (Search::grant_a_look).
[[nodiscard]] inline bool ends_before(Control* control, const Node& node, std::size_t c) {
    constexpr std::size_t kCellsOfWork = 512;
    const auto work_of = [&](std::size_t n_columns) {
        return static_cast<std::int64_t>(n_columns * node.n / kCellsOfWork);
    };
    return control != nullptr && control->must_abandon(work_of(c + 1) - work_of(c));
}

struct Laws {
    bool monotone = false;
    bool superadditive = false;
    bool similar = false;
};

class RankedObjective {
   public:
    virtual ~RankedObjective() = default;
    RankedObjective(const RankedObjective&) = delete;
    RankedObjective& operator=(const RankedObjective&) = delete;

    [[nodiscard]] const RankedTable& table() const { return table_; }
    [[nodiscard]] Cost leaf_penalty() const { return leaf_penalty_; }  // >= 1
    [[nodiscard]] const Laws& laws() const { return laws_; }
    // How many sums describe a set of rows (Node::sums).
    [[nodiscard]] std::size_t n_sums() const { return n_sums_; }

    // Adds the rows of entries begin .. end - 1 of an order to a node's count, sums, span and fingerprint.
    virtual void add_rows(const std::uint32_t* order, std::uint32_t begin, std::uint32_t end, Node& node) const = 0;
    // Cost of a leaf with the node's rows, penalty included.
    [[nodiscard]] virtual Cost leaf_cost(const Node& node) const = 0;
    [[nodiscard]] virtual Stump best_stump(const Node& node) const = 0;
    // The same; where a look at the splits takes long it may end with the run (Stump::whole).
    [[nodiscard]] virtual Stump best_stump_within(const Node& node, Control&) const { return best_stump(node); }
    // What best_stump() does at one row of one column, in additions of a row's sums.
    [[nodiscard]] virtual std::size_t stump_work() const { return 1; }
    // The portable one, which asks best_stump(), unless a kernel knows the objective.
    [[nodiscard]] virtual std::unique_ptr<PairSolver> pair_solver(const Options& options, Control& control) const;

    // Law `similar`: prefix[i] = span of the first positions[i] rows of an order, in cost units. Leaves it empty where
    // every row's span is span_unit(). Where the law does not hold, nobody asks, and no bound follows from the answer.
    virtual void prefix_spans(std::span<const std::uint32_t> order, std::span<const std::uint32_t> positions,
                              std::vector<Cost>& prefix) const;
    // Cost of one unit of Node::span.
    [[nodiscard]] Cost span_unit() const { return span_unit_; }
    // What is at stake in a node, roughly: the measure of how far the targets of similar nodes differ.
    [[nodiscard]] virtual Cost stake(const Node& node) const { return leaf_cost(node) - leaf_penalty(); }

    // The same over the same rows, with another penalty.
    [[nodiscard]] virtual std::unique_ptr<RankedObjective> with_leaf_penalty(Cost penalty) const = 0;
    // The cost as a function of two sums in double precision, where it is one.
    [[nodiscard]] virtual std::optional<TwoSums> two_sums() const { return std::nullopt; }
    // The same over some of the rows, with their ranks and costs, leaves of any size and another penalty.
    [[nodiscard]] virtual std::unique_ptr<RankedObjective> part(std::span<const std::uint32_t> rows,
                                                                Cost penalty) const = 0;
    // Few rows that may prove a bound for all; null where there is no way to choose them, or where
    // CoreRows::take(factor) would take more than `most`.
    [[nodiscard]] virtual std::unique_ptr<CoreRows> core_rows(double factor, double most, Control& control) const;

   protected:
    RankedObjective(const RankedTable& table, Cost leaf_penalty, Cost span_unit, std::size_t n_sums, Laws laws)
        : table_(table), leaf_penalty_(leaf_penalty), span_unit_(span_unit), n_sums_(n_sums), laws_(laws) {}

    // prefix_spans() from the span of each row, in units of span_unit().
    template <class T>
    void add_up(const std::vector<T>& span, std::span<const std::uint32_t> order,
                std::span<const std::uint32_t> positions, std::vector<Cost>& prefix) const {
        prefix.reserve(prefix.size() + positions.size());
        std::uint32_t i = 0;
        Cost total = 0;
        for (const std::uint32_t p : positions) {
            for (; i < p; ++i) total += span[row_of(order[i])];
            prefix.push_back(total * span_unit_);
        }
    }

   private:
    const RankedTable& table_;  // owned by the derived class
    Cost leaf_penalty_;
    Cost span_unit_;
    std::size_t n_sums_;
    Laws laws_;
};

}  // namespace treewright::ranked
