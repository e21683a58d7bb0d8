// The graph of a near-optimal set as Python sees it, with the questions that are asked of it.
#pragma once

#include "near_optimal_passes.hpp"
#include "binary_problem.hpp"
#include "treewright/search/column_worth.hpp"
#include "treewright/search/node_rows.hpp"
#include "treewright/search/reliance.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace treewright::near_optimal {

// The graph of one budget. Edges are in terms of the input: children 0 and 1 are where the input column is zero, one.
class NearOptimalSet {
   public:
    // `threads`: of the passes that count its trees.
    NearOptimalSet(NearOptimalGraph graph, std::vector<std::int32_t> source, std::int64_t leaf_penalty, int unit_shift,
                   std::int64_t min_count, std::size_t threads, treewright::Stop stop, std::int64_t steps)
        : graph_(std::make_shared<NearOptimalGraph>(std::move(graph))),
          source_(std::move(source)),
          leaf_penalty_(leaf_penalty),
          unit_shift_(unit_shift),
          min_count_(min_count),
          threads_(threads),
          stop_(stop),
          steps_(steps) {}

    // A graph that was made before, or derived from one. Node 0 is the root; levels of one depth follow each other,
    // deepest last.
    static NearOptimalSet of_arrays(const Vector<std::int32_t>& depth, const Vector<std::int64_t>& budget,
                                    const Vector<std::int64_t>& first_edge, const Vector<std::int64_t>& last_edge,
                                    const Vector<std::int64_t>& leaf_cost, const Vector<std::int64_t>& leaf_rows,
                                    const Vector<std::int32_t>& column, const Vector<std::int64_t>& left,
                                    const Vector<std::int64_t>& right, const Vector<std::int32_t>& source,
                                    std::int64_t leaf_penalty, int unit_shift, std::int64_t min_count) {
        const std::size_t n = depth.shape(0), e = column.shape(0);
        const bool fits = n > 0 && n < (std::size_t{1} << 32) && e < (std::size_t{1} << 32) && budget.shape(0) == n &&
                          first_edge.shape(0) == n && last_edge.shape(0) == n && leaf_rows.shape(0) == n &&
                          leaf_cost.shape(0) % n == 0 && leaf_cost.shape(0) > 0 && left.shape(0) == e &&
                          right.shape(0) == e;
        treewright::require(fits, "of_arrays: shapes do not agree");
        treewright::require(
            leaf_penalty >= 0 && leaf_penalty < kInfinity && unit_shift >= 0 && unit_shift < 60 && min_count >= 0,
            "of_arrays: price, unit or count out of range");
        treewright::require_within(span_of(leaf_cost), std::int64_t{0}, treewright::kMaxCost, "leaf_cost");
        treewright::require_within(span_of(budget), -kInfinity, kInfinity, "budget");
        NearOptimalGraph graph;
        graph.n_classes = leaf_cost.shape(0) / n;
        graph.complete = true;
        graph.leaf_cost.assign(leaf_cost.data(), leaf_cost.data() + leaf_cost.shape(0));
        graph.leaf_rows.assign(leaf_rows.data(), leaf_rows.data() + n);
        for (std::size_t i = 0; i < n; ++i) {
            const bool ordered = depth(i) >= 0 && (i == 0 || depth(i) <= depth(i - 1));
            const bool within =
                first_edge(i) >= 0 && first_edge(i) <= last_edge(i) && last_edge(i) <= static_cast<std::int64_t>(e);
            treewright::require(ordered && within, "of_arrays: a node out of order");
            graph.nodes.push_back({depth(i), budget(i), static_cast<std::uint32_t>(first_edge(i)),
                                   static_cast<std::uint32_t>(last_edge(i))});
            for (std::int64_t j = first_edge(i); j < last_edge(i); ++j) {
                const auto at = static_cast<std::size_t>(j);
                for (const std::int64_t child : {left(at), right(at)})
                    treewright::require(child > 0 && child < static_cast<std::int64_t>(n) &&
                                            depth(static_cast<std::size_t>(child)) == depth(i) - 1,
                                        "of_arrays: an edge does not lead to the next level");
            }
        }
        for (std::size_t j = 0; j < e; ++j) {
            treewright::require(column(j) >= 0 && static_cast<std::size_t>(column(j)) < source.shape(0),
                                "of_arrays: no such column");
            treewright::require(left(j) > 0 && right(j) > 0 && left(j) < static_cast<std::int64_t>(n) &&
                                    right(j) < static_cast<std::int64_t>(n),
                                "of_arrays: no such child");
            graph.edges.push_back(
                {column(j), {static_cast<std::uint32_t>(left(j)), static_cast<std::uint32_t>(right(j))}});
        }
        return {std::move(graph),
                {source.data(), source.data() + source.shape(0)},
                leaf_penalty,
                unit_shift,
                min_count,
                1,
                treewright::Stop::none,
                0};
    }

    [[nodiscard]] nb::dict arrays() const {
        nb::dict out;
        out["depth"] = column_of<std::int32_t>(graph_->nodes, [](const SetNode& n) { return n.depth; });
        out["budget"] = column_of<std::int64_t>(graph_->nodes, [](const SetNode& n) { return n.budget; });
        out["first_edge"] = column_of<std::int64_t>(graph_->nodes, [](const SetNode& n) { return n.first_edge; });
        out["last_edge"] = column_of<std::int64_t>(graph_->nodes, [](const SetNode& n) { return n.last_edge; });
        out["leaf_cost"] = copy_of(graph_->leaf_cost);
        out["leaf_rows"] = copy_of(graph_->leaf_rows);
        out["column"] = column_of<std::int32_t>(graph_->edges, [](const SetEdge& e) { return e.column; });
        out["left"] = column_of<std::int64_t>(graph_->edges, [](const SetEdge& e) { return e.child[0]; });
        out["right"] = column_of<std::int64_t>(graph_->edges, [](const SetEdge& e) { return e.child[1]; });
        out["source"] = copy_of(source_);
        out["leaf_penalty"] = leaf_penalty_;
        out["unit_shift"] = unit_shift_;
        out["min_count"] = min_count_;
        out["complete"] = graph_->complete;
        out["stop"] = stop_;
        out["bytes"] = graph_->bytes();
        out["steps"] = steps_;
        return out;
    }

    [[nodiscard]] NearOptimalCounts count(std::vector<std::int64_t> max_errors, const Vector<std::uint32_t>& copies,
                                          bool any_label, bool redundant, double time_limit, std::size_t memory_limit,
                                          nb::object report, bool root_only) const {
        SetRule rule = rule_of(std::move(max_errors), copies, any_label, redundant, memory_limit);
        rule.threads = threads_;
        return NearOptimalCounts(graph_, std::move(rule), root_only,
                                 treewright::make_control(time_limit, kNoSteps, memory_limit, std::move(report)));
    }

    [[nodiscard]] NearOptimalExtremes extremes(std::vector<std::int64_t> max_errors,
                                               const Vector<std::uint32_t>& copies, bool any_label, bool redundant,
                                               const Vector<std::int64_t>& leaf_value, double time_limit,
                                               std::size_t memory_limit) const {
        treewright::require(leaf_value.shape(0) == graph_->leaf_cost.size(), "extremes: shapes do not agree");
        SetRule rule = rule_of(std::move(max_errors), copies, any_label, redundant, memory_limit);
        rule.threads = threads_;
        return NearOptimalExtremes(
            graph_, std::move(rule),
            std::vector<std::int64_t>(leaf_value.data(), leaf_value.data() + leaf_value.shape(0)),
            treewright::make_control(time_limit, kNoSteps, memory_limit, nb::none()));
    }

    [[nodiscard]] NearOptimalShares shares(std::vector<std::int64_t> max_errors, const Vector<std::uint32_t>& copies,
                                           bool any_label, bool redundant, double time_limit, std::size_t memory_limit,
                                           nb::object report) const {
        SetRule rule = rule_of(std::move(max_errors), copies, any_label, redundant, memory_limit);
        rule.threads = threads_;
        return NearOptimalShares(graph_, std::move(rule),
                                 treewright::make_control(time_limit, kNoSteps, memory_limit, std::move(report)));
    }

    [[nodiscard]] std::unique_ptr<NearOptimalReliance> reliance(
        std::vector<std::int64_t> max_errors, const Vector<std::uint32_t>& copies, bool any_label, bool redundant,
        double time_limit, std::size_t memory_limit, const Vector<std::uint64_t>& ones, std::size_t n_rows,
        const Vector<std::int64_t>& weight, const Vector<std::int64_t>& cost, bool leaf_at_root,
        nb::object report) const {
        require_rows(ones, n_rows);
        treewright::require(weight.shape(0) == n_rows && cost.shape(0) == n_rows * graph_->n_classes,
                            "reliance: shapes do not agree");
        const auto kept = [](const auto& values) { return std::vector(values.data(), values.data() + values.size()); };
        return std::make_unique<NearOptimalReliance>(
            graph_, rule_of(std::move(max_errors), copies, any_label, redundant, memory_limit),
            NearOptimalReliance::Rows{kept(ones), n_rows, kept(weight), kept(cost)}, leaf_at_root,
            treewright::make_control(time_limit, kNoSteps, memory_limit, std::move(report)));
    }

    [[nodiscard]] nb::tuple least_with_columns(std::vector<std::int64_t> max_errors,
                                               const Vector<std::uint32_t>& copies, bool any_label, bool redundant,
                                               double time_limit, std::size_t memory_limit,
                                               const Vector<std::uint32_t>& kind,
                                               const Vector<std::uint32_t>& on_columns, std::size_t n_columns,
                                               nb::object report) const {
        const SetRule rule = rule_of(std::move(max_errors), copies, any_label, redundant, memory_limit);
        const ColumnsOfEdges columns = columns_of(rule, kind, on_columns, n_columns);
        Control control = treewright::make_control(time_limit, kNoSteps, memory_limit, std::move(report));
        LeastWith found;
        {
            nb::gil_scoped_release release;
            found = treewright::binary::least_with_columns(*graph_, rule, columns, control);
        }
        return nb::make_tuple(control.reason(), copy_of(found.errors));
    }

    [[nodiscard]] nb::tuple trees_without_columns(std::vector<std::int64_t> max_errors,
                                                  const Vector<std::uint32_t>& copies, bool any_label, bool redundant,
                                                  double time_limit, std::size_t memory_limit,
                                                  const Vector<std::uint32_t>& kind,
                                                  const Vector<std::uint32_t>& on_columns, std::size_t n_columns,
                                                  std::size_t first, std::size_t last, nb::object report) const {
        treewright::require(first < last && last <= n_columns && last - first <= treewright::binary::kMostLanes,
                            "trees_without_columns: no such columns");
        const SetRule rule = rule_of(std::move(max_errors), copies, any_label, redundant, memory_limit);
        const ColumnsOfEdges columns = columns_of(rule, kind, on_columns, n_columns);
        Control control = treewright::make_control(time_limit, kNoSteps, memory_limit, std::move(report));
        std::vector<TreesWithout> found;
        {
            nb::gil_scoped_release release;
            found = treewright::binary::trees_without_columns(*graph_, rule, columns, first, last, control);
        }
        nb::list out;
        for (const TreesWithout& some : found) out.append(nb::make_tuple(some.n_split_trees, copy_of(some.least)));
        return nb::make_tuple(control.reason(), out);
    }

    // For each row the sum of the shares of the nodes that hold it, (row, class); `ones` has 64 rows a word for each
    // column of the graph.
    [[nodiscard]] nb::object sum_by_row(const Vector<std::uint64_t>& ones, std::size_t n_rows,
                                        const Vector<double>& share) const {
        require_rows(ones, n_rows);
        treewright::require(share.shape(0) == graph_->leaf_cost.size(), "sum_by_row: shapes do not agree");
        const std::size_t k = graph_->n_classes;
        std::vector<double> out(n_rows * k, 0.0);
        each_row(ones, n_rows, [&](std::size_t node, std::size_t row) {
            for (std::size_t c = 0; c < k; ++c) out[row * k + c] += share.data()[node * k + c];
        });
        return nb::cast(copy_of(out));
    }
    // For each node the sum of the values of its rows, (node, class).
    [[nodiscard]] nb::object sum_by_node(const Vector<std::uint64_t>& ones, std::size_t n_rows,
                                         const Vector<std::int64_t>& value) const {
        require_rows(ones, n_rows);
        const std::size_t k = graph_->n_classes;
        treewright::require(value.shape(0) == n_rows * k, "sum_by_node: shapes do not agree");
        std::vector<std::int64_t> out(graph_->leaf_cost.size(), 0);
        each_row(ones, n_rows, [&](std::size_t node, std::size_t row) {
            for (std::size_t c = 0; c < k; ++c) out[node * k + c] += value.data()[row * k + c];
        });
        return nb::cast(copy_of(out));
    }

   private:
    [[nodiscard]] SetRule rule_of(std::vector<std::int64_t> max_errors, const Vector<std::uint32_t>& copies,
                                  bool any_label, bool redundant, std::size_t memory_limit) const {
        treewright::require(copies.shape(0) == graph_->edges.size() && !max_errors.empty(),
                            "count: shapes do not agree");
        return {std::move(max_errors),
                leaf_penalty_,
                unit_shift_,
                any_label,
                redundant,
                min_count_,
                {copies.data(), copies.data() + copies.shape(0)},
                memory_limit};
    }
    // What `rule` says of its edges, by the columns of their copies.
    [[nodiscard]] ColumnsOfEdges columns_of(const SetRule& rule, const Vector<std::uint32_t>& kind,
                                            const Vector<std::uint32_t>& on_columns, std::size_t n_columns) const {
        treewright::require(
            kind.shape(0) == graph_->edges.size() && n_columns > 0 && on_columns.shape(0) % n_columns == 0,
            "columns: shapes do not agree");
        const ColumnsOfEdges out{span_of(kind), span_of(on_columns), n_columns};
        const std::size_t n_kinds = on_columns.shape(0) / n_columns;
        std::vector<std::uint32_t> most(n_kinds);  // of a column, by kind
        for (std::size_t k = 0; k < n_kinds; ++k)
            most[k] = std::ranges::max(out.copies.subspan(k * n_columns, n_columns));
        for (std::size_t e = 0; e < kind.shape(0); ++e) {
            treewright::require(kind.data()[e] < n_kinds, "columns: no such kind");
            treewright::require(most[kind.data()[e]] <= rule.copies[e], "columns: more copies than there are");
        }
        return out;
    }
    void require_rows(const Vector<std::uint64_t>& ones, std::size_t n_rows) const {
        treewright::require(n_rows > 0 && ones.shape(0) == source_.size() * ((n_rows + 63) / 64),
                            "rows: shapes do not agree");
    }
    template <class Use>
    void each_row(const Vector<std::uint64_t>& ones, std::size_t n_rows, const Use& use) const {
        bool stopped = false;
        const auto stop = [&] {
            nb::gil_scoped_acquire gil;
            return stopped = PyErr_CheckSignals() != 0;
        };
        {
            nb::gil_scoped_release release;
            each_row_of_each_node(*graph_, span_of(ones), n_rows, use, stop);
        }
        if (stopped) throw nb::python_error();
    }

    std::shared_ptr<const NearOptimalGraph> graph_;
    std::vector<std::int32_t> source_;
    std::int64_t leaf_penalty_;
    int unit_shift_;
    std::int64_t min_count_;
    std::size_t threads_;
    treewright::Stop stop_;
    std::int64_t steps_;
};

}  // namespace treewright::near_optimal
