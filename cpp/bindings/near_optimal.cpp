// All near-optimal trees over binary columns: their graph, and counts on it.
#include "binary_problem.hpp"
#include "control.hpp"
#include "treewright/search/near_optimal.hpp"
#include "treewright/search/node_rows.hpp"
#include "treewright/search/reliance.hpp"
#include "treewright/search/tree_counts.hpp"
#include "treewright/search/tree_extremes.hpp"
#include "treewright/search/tree_shares.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using treewright::Control;
using treewright::Matrix;
using treewright::span_of;
using treewright::Vector;
using namespace treewright::bits;

template <class T, class Get, class Range>
nb::ndarray<nb::numpy, T, nb::ndim<1>> column_of(const Range& range, const Get& get) {
    auto owned = std::make_unique<std::vector<T>>();
    owned->reserve(range.size());
    for (const auto& item : range) owned->push_back(static_cast<T>(get(item)));
    std::vector<T>* values = owned.release();
    nb::capsule owner(values, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T, nb::ndim<1>>(values->data(), {values->size()}, owner);
}
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> copy_of(const std::vector<T>& values) {
    return column_of<T>(values, [](const T& value) { return value; });
}

constexpr std::int64_t kNoSteps = std::numeric_limits<std::int64_t>::max();

// Words of numbers as an array of shape (n, n_words).
nb::ndarray<nb::numpy, std::uint64_t, nb::ndim<2>> matrix_of(WideNumbers numbers) {
    auto owned = std::make_unique<std::vector<std::uint64_t>>(std::move(numbers.words));
    std::vector<std::uint64_t>* words = owned.release();
    nb::capsule owner(words, [](void* p) noexcept { delete static_cast<std::vector<std::uint64_t>*>(p); });
    return nb::ndarray<nb::numpy, std::uint64_t, nb::ndim<2>>(
        words->data(), {words->size() / numbers.n_words, numbers.n_words}, owner);
}

using Graph = std::shared_ptr<const NearOptimalGraph>;

// How many trees there are.
class NearOptimalCounts {
   public:
    NearOptimalCounts(Graph graph, SetRule rule, bool root_only, Control control) : graph_(std::move(graph)) {
        {
            nb::gil_scoped_release release;
            counts_ = std::make_unique<TreeCounts>(*graph_, std::move(rule), root_only, control);
        }
        stop_ = control.reason();
        root_only_ = root_only;
    }
    [[nodiscard]] bool complete() const { return counts_->complete(); }
    [[nodiscard]] bool too_many() const { return counts_->too_many(); }
    [[nodiscard]] treewright::Stop stop() const { return stop_; }
    [[nodiscard]] std::size_t bytes() const { return counts_->bytes(); }
    [[nodiscard]] nb::tuple cells(std::size_t node) const {
        treewright::require(complete() && node < graph_->nodes.size() && (node == 0 || !root_only_),
                            "cells: not counted");
        SizeCounts found = counts_->cells(node);
        return nb::make_tuple(copy_of(found.leaves), copy_of(found.errors), matrix_of(std::move(found.counts)));
    }
    [[nodiscard]] nb::object root_edges() const {
        treewright::require(complete(), "root_edges: not counted");
        return nb::cast(matrix_of(counts_->root_edges()));
    }

   private:
    Graph graph_;
    std::unique_ptr<TreeCounts> counts_;
    treewright::Stop stop_ = treewright::Stop::none;
    bool root_only_ = false;
};

// In which share of the trees a node is a leaf.
class NearOptimalShares {
   public:
    NearOptimalShares(Graph graph, SetRule rule, bool root_only, Control control) : graph_(std::move(graph)) {
        {
            nb::gil_scoped_release release;
            shares_ = std::make_unique<TreeShares>(*graph_, std::move(rule), root_only, control);
        }
        stop_ = control.reason();
        root_only_ = root_only;
    }
    [[nodiscard]] treewright::Stop stop() const { return stop_; }
    [[nodiscard]] double total() const {
        treewright::require(shares_->complete(), "total: not counted");
        return shares_->total();
    }
    // An empty `to_side` is all columns.
    [[nodiscard]] nb::object leaves(const Vector<std::uint32_t>& to_side, bool by_node, double time_limit,
                                    std::size_t memory_limit) const {
        treewright::require(shares_->complete() && !root_only_, "leaves: not counted");
        treewright::require(to_side.shape(0) == 0 || to_side.shape(0) == 2 * graph_->edges.size(),
                            "leaves: shapes do not agree");
        Control control = treewright::make_control(time_limit, kNoSteps, memory_limit, nb::none());
        std::vector<double> found;
        {
            nb::gil_scoped_release release;
            found = shares_->leaves_in_trees(span_of(to_side), control);
            if (!by_node) {
                for (std::size_t i = graph_->n_classes; i < found.size(); ++i) found[i % graph_->n_classes] += found[i];
                found.resize(std::min(found.size(), graph_->n_classes));
            }
        }
        return nb::make_tuple(control.reason(), copy_of(found));
    }

   private:
    Graph graph_;
    std::unique_ptr<TreeShares> shares_;
    treewright::Stop stop_ = treewright::Stop::none;
    bool root_only_ = false;
};

// The largest sums over leaves.
class NearOptimalExtremes {
   public:
    NearOptimalExtremes(Graph graph, SetRule rule, const std::vector<std::int64_t>& leaf_value, Control control)
        : graph_(std::move(graph)) {
        {
            nb::gil_scoped_release release;
            extremes_ = std::make_unique<TreeExtremes>(*graph_, std::move(rule), leaf_value, control);
        }
        stop_ = control.reason();
    }
    [[nodiscard]] bool complete() const { return extremes_->complete(); }
    [[nodiscard]] treewright::Stop stop() const { return stop_; }
    [[nodiscard]] nb::tuple cells(std::size_t node) const {
        treewright::require(complete() && node < graph_->nodes.size(), "cells: not solved");
        const SizeExtremes found = extremes_->cells(node);
        return nb::make_tuple(copy_of(found.leaves), copy_of(found.errors), copy_of(found.values));
    }

   private:
    Graph graph_;
    std::unique_ptr<TreeExtremes> extremes_;
    treewright::Stop stop_ = treewright::Stop::none;
};

// The graph of one budget. Edges are in terms of the input: children 0 and 1 are where the input column is zero, one.
class NearOptimalSet {
   public:
    NearOptimalSet(NearOptimalGraph graph, std::vector<std::int32_t> source, std::int64_t leaf_price, int unit_shift,
                   std::int64_t min_count, treewright::Stop stop, std::int64_t steps)
        : graph_(std::make_shared<NearOptimalGraph>(std::move(graph))),
          source_(std::move(source)),
          leaf_price_(leaf_price),
          unit_shift_(unit_shift),
          min_count_(min_count),
          stop_(stop),
          steps_(steps) {}

    // A graph that was made before, or derived from one. Node 0 is the root; levels of one depth follow each other, deepest last.
    static NearOptimalSet of_arrays(const Vector<std::int32_t>& depth, const Vector<std::int64_t>& budget,
                                    const Vector<std::int64_t>& first_edge, const Vector<std::int64_t>& last_edge,
                                    const Vector<std::int64_t>& leaf_cost, const Vector<std::int64_t>& leaf_rows,
                                    const Vector<std::int32_t>& column, const Vector<std::int64_t>& left,
                                    const Vector<std::int64_t>& right, const Vector<std::int32_t>& source,
                                    std::int64_t leaf_price, int unit_shift, std::int64_t min_count) {
        const std::size_t n = depth.shape(0), e = column.shape(0);
        const bool fits = n > 0 && n < (std::size_t{1} << 32) && e < (std::size_t{1} << 32) && budget.shape(0) == n &&
                          first_edge.shape(0) == n && last_edge.shape(0) == n && leaf_rows.shape(0) == n &&
                          leaf_cost.shape(0) % n == 0 && leaf_cost.shape(0) > 0 && left.shape(0) == e &&
                          right.shape(0) == e;
        treewright::require(fits, "of_arrays: shapes do not agree");
        treewright::require(
            leaf_price >= 0 && leaf_price < kInfinity && unit_shift >= 0 && unit_shift <= 32 && min_count >= 0,
            "of_arrays: price, unit or count out of range");
        treewright::require_within(span_of(leaf_cost), std::int64_t{0}, treewright::kMostCost, "leaf_cost");
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
                leaf_price,
                unit_shift,
                min_count,
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
        out["leaf_price"] = leaf_price_;
        out["unit_shift"] = unit_shift_;
        out["min_count"] = min_count_;
        out["complete"] = graph_->complete;
        out["stop"] = stop_;
        out["bytes"] = graph_->bytes();
        out["steps"] = steps_;
        return out;
    }

    [[nodiscard]] NearOptimalCounts count(std::vector<std::int64_t> most_errors, const Vector<std::uint32_t>& copies,
                                          bool any_label, bool redundant, double time_limit, std::size_t memory_limit,
                                          nb::object report, bool root_only) const {
        SetRule rule = rule_of(std::move(most_errors), copies, any_label, redundant, memory_limit);
        return NearOptimalCounts(graph_, std::move(rule), root_only,
                                 treewright::make_control(time_limit, kNoSteps, memory_limit, std::move(report)));
    }

    [[nodiscard]] NearOptimalExtremes extremes(std::vector<std::int64_t> most_errors,
                                               const Vector<std::uint32_t>& copies, bool any_label, bool redundant,
                                               const Vector<std::int64_t>& leaf_value, double time_limit,
                                               std::size_t memory_limit) const {
        treewright::require(leaf_value.shape(0) == graph_->leaf_cost.size(), "extremes: shapes do not agree");
        SetRule rule = rule_of(std::move(most_errors), copies, any_label, redundant, memory_limit);
        return NearOptimalExtremes(
            graph_, std::move(rule),
            std::vector<std::int64_t>(leaf_value.data(), leaf_value.data() + leaf_value.shape(0)),
            treewright::make_control(time_limit, kNoSteps, memory_limit, nb::none()));
    }

    [[nodiscard]] NearOptimalShares shares(std::vector<std::int64_t> most_errors, const Vector<std::uint32_t>& copies,
                                           bool any_label, bool redundant, double time_limit, std::size_t memory_limit,
                                           bool root_only) const {
        SetRule rule = rule_of(std::move(most_errors), copies, any_label, redundant, memory_limit);
        return NearOptimalShares(graph_, std::move(rule), root_only,
                                 treewright::make_control(time_limit, kNoSteps, memory_limit, nb::none()));
    }

    [[nodiscard]] nb::tuple reliance(std::vector<std::int64_t> most_errors, const Vector<std::uint32_t>& copies,
                                     bool any_label, bool redundant, std::size_t memory_limit,
                                     const Vector<std::uint32_t>& copies_of, const Vector<std::uint64_t>& ones,
                                     std::size_t n_rows, const Vector<std::int64_t>& weight,
                                     const Vector<std::int64_t>& cost, bool leaf_at_root) const {
        require_rows(ones, n_rows);
        treewright::require(copies_of.shape(0) == graph_->edges.size() && weight.shape(0) == n_rows &&
                                cost.shape(0) == n_rows * graph_->n_classes,
                            "reliance: shapes do not agree");
        const SetRule rule = rule_of(std::move(most_errors), copies, any_label, redundant, memory_limit);
        Control control =
            treewright::make_control(std::numeric_limits<double>::infinity(), kNoSteps, memory_limit, nb::none());
        std::optional<std::pair<double, double>> found;
        {
            nb::gil_scoped_release release;
            found = treewright::bits::reliance(
                *graph_, rule,
                {span_of(copies_of), span_of(ones), n_rows, span_of(weight), span_of(cost), leaf_at_root}, control);
        }
        if (!found) return nb::make_tuple(control.reason(), nb::none());
        return nb::make_tuple(control.reason(), nb::make_tuple(found->first, found->second));
    }

    [[nodiscard]] nb::tuple column_worth(std::vector<std::int64_t> most_errors, const Vector<std::uint32_t>& copies,
                                         bool any_label, bool redundant, std::size_t memory_limit,
                                         const Vector<std::uint32_t>& copies_without) const {
        treewright::require(copies_without.shape(0) == graph_->edges.size(), "column_worth: shapes do not agree");
        const SetRule rule = rule_of(std::move(most_errors), copies, any_label, redundant, memory_limit);
        ColumnWorth found;
        {
            nb::gil_scoped_release release;
            found = treewright::bits::column_worth(*graph_, rule, span_of(copies_without));
        }
        return nb::make_tuple(copy_of(found.with), copy_of(found.without));
    }

    // For each row the sum of the shares of the nodes that hold it, (row, class); `ones` has 64 rows a word for each column of the graph.
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
    [[nodiscard]] SetRule rule_of(std::vector<std::int64_t> most_errors, const Vector<std::uint32_t>& copies,
                                  bool any_label, bool redundant, std::size_t memory_limit) const {
        treewright::require(copies.shape(0) == graph_->edges.size() && !most_errors.empty(),
                            "count: shapes do not agree");
        return {std::move(most_errors),
                leaf_price_,
                unit_shift_,
                any_label,
                redundant,
                min_count_,
                {copies.data(), copies.data() + copies.shape(0)},
                memory_limit};
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
    std::int64_t leaf_price_;
    int unit_shift_;
    std::int64_t min_count_;
    treewright::Stop stop_;
    std::int64_t steps_;
};

// A search that one budget after the other asks, as long as none was stopped: what it has solved is solved.
template <class Acc>
struct Session {
    Session(const Dataset& data, const Settings& its_settings, Control its_control)
        : control(std::move(its_control)), settings(its_settings), search(data, settings, {}, control) {}
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    Control control;  // stays in its place; a new run has a new one in it
    Settings settings;
    Search<Acc> search;
};

// A table reduced once, for the graphs of several budgets.
class NearOptimalProblem {
   public:
    NearOptimalProblem(const Matrix<std::uint8_t>& packed, const Vector<std::int32_t>& y,
                       const Vector<std::int64_t>& weight, const Matrix<std::int64_t>& costs, std::int64_t min_count)
        : min_count_(std::max<std::int64_t>(min_count, 1)) {
        treewright::require_binary_problem(packed, y, weight, costs, true);
        const std::size_t n = y.shape(0);
        treewright::require(n > 0, "no rows");
        nb::gil_scoped_release release;
        data_ = reduce({span_of(packed),
                        packed.shape(0),
                        n,
                        span_of(y),
                        span_of(weight),
                        span_of(costs),
                        costs.shape(1),
                        true,
                        {},
                        true,
                        true});
        total_ = std::accumulate(data_.cost.begin(), data_.cost.end(), static_cast<std::int64_t>(n));
    }

    // `leaf_price`, `budget` in cost units: 2^unit_shift to a weight unit.
    [[nodiscard]] NearOptimalSet make(std::int64_t leaf_price, int unit_shift, std::int64_t budget,
                                      std::int32_t max_depth, double time_limit, std::size_t memory_limit,
                                      nb::object report) {
        treewright::require(
            leaf_price >= 0 && unit_shift >= 0 && unit_shift <= 32 && max_depth >= 0 && budget < kInfinity,
            "make: price, unit, depth or budget out of range");
        Control control = treewright::make_control(time_limit, kNoSteps, memory_limit, std::move(report));
        Settings settings;
        settings.leaf_penalty = leaf_price;
        settings.unit_shift = unit_shift;
        settings.max_depth = max_depth;
        settings.min_count = min_count_;
        return total_ < (std::int64_t{1} << 28) ? set_of(small_, settings, budget, std::move(control))
                                                : set_of(large_, settings, budget, std::move(control));
    }

    [[nodiscard]] std::int64_t base_cost() const { return data_.base_cost; }

   private:
    template <class Acc>
    [[nodiscard]] NearOptimalSet set_of(std::unique_ptr<Session<Acc>>& session, const Settings& settings,
                                        std::int64_t budget, Control control) {
        const auto same = [&](const Settings& known) {
            return known.leaf_penalty == settings.leaf_penalty && known.unit_shift == settings.unit_shift;
        };
        if (session != nullptr && same(session->settings)) {
            session->control = std::move(control);
        } else {
            session.reset();
            session = std::make_unique<Session<Acc>>(data_, settings, std::move(control));
        }
        NearOptimalGraph graph;
        {
            nb::gil_scoped_release release;
            graph = near_optimal_graph(data_, session->search, settings.max_depth, budget, session->control);
        }
        // In terms of the input: its position of each column, and the side where that column is zero first.
        std::vector<std::int32_t> source;
        for (const Column& column : data_.columns) source.push_back(column.source);
        for (SetEdge& edge : graph.edges)
            if (data_.columns[static_cast<std::size_t>(edge.column)].flipped) std::swap(edge.child[0], edge.child[1]);
        const treewright::Stop stop = session->control.reason();
        const std::int64_t steps = session->control.steps();
        if (session->control.ended()) session.reset();
        return {
            std::move(graph), std::move(source), settings.leaf_penalty, settings.unit_shift, min_count_, stop, steps};
    }

    Dataset data_;
    std::int64_t min_count_;
    std::int64_t total_ = 0;  // bounds every channel sum
    std::unique_ptr<Session<std::int32_t>> small_;
    std::unique_ptr<Session<std::int64_t>> large_;
};

}  // namespace

void bind_near_optimal(nb::module_& m) {
    nb::class_<NearOptimalCounts>(m, "NearOptimalCounts",
                                  "How many trees there are, by leaves and errors, at every node.")
        .def_prop_ro("complete", &NearOptimalCounts::complete)
        .def_prop_ro("too_many", &NearOptimalCounts::too_many, "More than 2^1000 trees.")
        .def_prop_ro("stop", &NearOptimalCounts::stop)
        .def_prop_ro("bytes", &NearOptimalCounts::bytes)
        .def("cells", &NearOptimalCounts::cells, "node"_a,
             "Return leaves, errors and counts (rows of 64-bit words) of a node.")
        .def("root_edges", &NearOptimalCounts::root_edges, "Return the trees that begin with each edge of the root.");
    nb::class_<NearOptimalShares>(m, "NearOptimalShares", "How many trees there are, in floating point, at every node.")
        .def_prop_ro("stop", &NearOptimalShares::stop)
        .def("total", &NearOptimalShares::total, "Return the number of trees with at least two leaves.")
        .def("leaves", &NearOptimalShares::leaves, nb::kw_only(), "to_side"_a, "by_node"_a, "time_limit"_a,
             "memory_limit"_a,
             "Return what stopped it, and the trees in which each node, or with `by_node=False` any, is a leaf of each "
             "class. `to_side` has "
             "for each edge how many of its columns send one row to either side, or is empty.");
    nb::class_<NearOptimalExtremes>(m, "NearOptimalExtremes",
                                    "The largest sums of leaf values, by leaves and errors, at every node.")
        .def_prop_ro("complete", &NearOptimalExtremes::complete)
        .def_prop_ro("stop", &NearOptimalExtremes::stop)
        .def("cells", &NearOptimalExtremes::cells, "node"_a, "Return leaves, errors and sums of a node.");
    nb::class_<NearOptimalSet>(m, "NearOptimalSet", "The trees within one budget, as a graph.")
        .def_static("of_arrays", &NearOptimalSet::of_arrays, nb::kw_only(), "depth"_a, "budget"_a, "first_edge"_a,
                    "last_edge"_a, "leaf_cost"_a, "leaf_rows"_a, "column"_a, "left"_a, "right"_a, "source"_a,
                    "leaf_price"_a, "unit_shift"_a, "min_count"_a,
                    "Make a graph of what `arrays` returned, or of what was derived from that.")
        .def("arrays", &NearOptimalSet::arrays, "Return the graph: nodes, edges, and how the run ended.")
        .def("count", &NearOptimalSet::count, nb::kw_only(), "most_errors"_a, "copies"_a, "any_label"_a, "redundant"_a,
             "time_limit"_a, "memory_limit"_a, "report"_a.none(), "root_only"_a,
             "Count the trees by leaves and errors at every node, or at the root alone.")
        .def("extremes", &NearOptimalSet::extremes, nb::kw_only(), "most_errors"_a, "copies"_a, "any_label"_a,
             "redundant"_a, "leaf_value"_a, "time_limit"_a, "memory_limit"_a,
             "Find the largest sums of leaf values (node x class).")
        .def("shares", &NearOptimalSet::shares, nb::kw_only(), "most_errors"_a, "copies"_a, "any_label"_a,
             "redundant"_a, "time_limit"_a, "memory_limit"_a, "root_only"_a,
             "Count the trees in floating point, at every node or in all.")
        .def("reliance", &NearOptimalSet::reliance, nb::kw_only(), "most_errors"_a, "copies"_a, "any_label"_a,
             "redundant"_a, "memory_limit"_a, "copies_of"_a, "ones"_a, "n_rows"_a, "weight"_a, "cost"_a,
             "leaf_at_root"_a,
             "Return what stopped it, and the least and the most by which the cost of a tree rises if some columns are "
             "drawn anew, times the "
             "total weight; None if there is no tree.")
        .def("column_worth", &NearOptimalSet::column_worth, nb::kw_only(), "most_errors"_a, "copies"_a, "any_label"_a,
             "redundant"_a, "memory_limit"_a, "copies_without"_a,
             "Return by leaves the fewest errors of a tree with a split on some columns, and of one without; 2^62 for "
             "none.")
        .def("sum_by_row", &NearOptimalSet::sum_by_row, "ones"_a, "n_rows"_a, "share"_a,
             "Sum shares (node x class) over the nodes of each row; `ones` are 64 rows a word for each column.")
        .def("sum_by_node", &NearOptimalSet::sum_by_node, "ones"_a, "n_rows"_a, "value"_a,
             "Sum values (row x class) over the rows of each node.");
    nb::class_<NearOptimalProblem>(m, "NearOptimalProblem",
                                   "A table over binary columns whose near-optimal trees are asked for.")
        .def(nb::init<const Matrix<std::uint8_t>&, const Vector<std::int32_t>&, const Vector<std::int64_t>&,
                      const Matrix<std::int64_t>&, std::int64_t>(),
             "packed"_a, "y"_a, "weight"_a, "costs"_a, nb::kw_only(), "min_count"_a)
        .def("make", &NearOptimalProblem::make, nb::kw_only(), "leaf_price"_a, "unit_shift"_a, "budget"_a,
             "max_depth"_a, "time_limit"_a, "memory_limit"_a, "report"_a.none(), "Return all trees within the budget.")
        .def_prop_ro("base_cost", &NearOptimalProblem::base_cost);
}
