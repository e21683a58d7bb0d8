// All near-optimal trees over binary columns: their graph, and counts on it.
#include "binary_problem.hpp"
#include "control.hpp"
#include "treewright/search/near_optimal.hpp"
#include "treewright/search/tree_counts.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <numeric>
#include <stdexcept>

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

// The graph of one budget.
class NearOptimalSet {
   public:
    NearOptimalSet(NearOptimalGraph graph, const Dataset& data, std::int64_t leaf_price, int unit_shift,
                   std::int64_t min_count, const Control& control)
        : graph_(std::move(graph)),
          columns_(data.columns),
          leaf_price_(leaf_price),
          unit_shift_(unit_shift),
          min_count_(min_count),
          stop_(control.reason()),
          steps_(control.steps()) {}

    [[nodiscard]] nb::dict arrays() const {
        nb::dict out;
        out["depth"] = column_of<std::int32_t>(graph_.nodes, [](const SetNode& n) { return n.depth; });
        out["first_edge"] = column_of<std::int64_t>(graph_.nodes, [](const SetNode& n) { return n.first_edge; });
        out["last_edge"] = column_of<std::int64_t>(graph_.nodes, [](const SetNode& n) { return n.last_edge; });
        out["leaf_cost"] = copy_of(graph_.leaf_cost);
        out["leaf_rows"] = copy_of(graph_.leaf_rows);
        // In terms of the input: the position of the column, and the side where that column is zero first.
        const auto column = [&](const SetEdge& e) -> const Column& { return columns_[static_cast<std::size_t>(e.column)]; };
        out["column"] = column_of<std::int32_t>(graph_.edges, [](const SetEdge& e) { return e.column; });
        out["left"] = column_of<std::int64_t>(graph_.edges, [&](const SetEdge& e) { return e.child[column(e).flipped ? 1 : 0]; });
        out["right"] = column_of<std::int64_t>(graph_.edges, [&](const SetEdge& e) { return e.child[column(e).flipped ? 0 : 1]; });
        out["source"] = column_of<std::int32_t>(columns_, [](const Column& c) { return c.source; });
        out["complete"] = graph_.complete;
        out["stop"] = stop_;
        out["bytes"] = graph_.bytes();
        out["steps"] = steps_;
        return out;
    }

    nb::dict count(std::vector<std::int64_t> most_errors, const Vector<std::uint32_t>& copies, bool any_label,
                   bool redundant, std::size_t n_words, double time_limit, std::size_t memory_limit, nb::object report,
                   bool leaves) const {
        if (copies.shape(0) != graph_.edges.size() || most_errors.empty())
            throw std::invalid_argument("count: shapes do not agree");
        Control control = treewright::make_control(time_limit, kNoSteps, memory_limit, std::move(report));
        CountRule rule{std::move(most_errors), leaf_price_, unit_shift_, any_label, redundant, min_count_, span_of(copies),
                       n_words, memory_limit};
        TreeCounts counts;
        std::vector<std::uint64_t> of_leaves;
        {
            nb::gil_scoped_release release;
            counts = count_trees(graph_, rule, control);
            if (leaves && counts.complete) of_leaves = count_leaves_in_trees(graph_, rule, counts, control);
        }
        nb::dict out;
        out["complete"] = counts.complete;
        out["too_many"] = counts.too_many;
        out["stop"] = control.reason();
        out["n_words"] = counts.n_words;
        out["first_cell"] = copy_of(counts.first_cell);
        out["leaves"] = copy_of(counts.leaves);
        out["errors"] = copy_of(counts.errors);
        out["counts"] = copy_of(counts.counts);
        out["root_edges"] = copy_of(counts.root_edges);
        out["leaf_counts"] = copy_of(of_leaves);
        return out;
    }

   private:
    NearOptimalGraph graph_;
    std::vector<Column> columns_;
    std::int64_t leaf_price_;
    int unit_shift_;
    std::int64_t min_count_;
    treewright::Stop stop_;
    std::int64_t steps_;
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
        data_ = reduce({span_of(packed), packed.shape(0), n, span_of(y), span_of(weight), span_of(costs),
                        costs.shape(1), true, {}, true, true});
        total_ = std::accumulate(data_.cost.begin(), data_.cost.end(), static_cast<std::int64_t>(n));
    }

    // `leaf_price`, `budget` in cost units: 2^unit_shift to a weight unit.
    [[nodiscard]] NearOptimalSet make(std::int64_t leaf_price, int unit_shift, std::int64_t budget, std::int32_t max_depth,
                                      double time_limit, std::size_t memory_limit, nb::object report) const {
        treewright::require(leaf_price >= 0 && unit_shift >= 0 && unit_shift <= 32 && max_depth >= 0 && budget < kInfinity,
                            "make: price, unit, depth or budget out of range");
        Control control = treewright::make_control(time_limit, kNoSteps, memory_limit, std::move(report));
        Settings settings;
        settings.leaf_price = leaf_price;
        settings.unit_shift = unit_shift;
        settings.max_depth = max_depth;
        settings.min_count = min_count_;
        nb::gil_scoped_release release;
        NearOptimalGraph graph = total_ < (std::int64_t{1} << 28) ? graph_of<std::int32_t>(settings, budget, control)
                                                                  : graph_of<std::int64_t>(settings, budget, control);
        return {std::move(graph), data_, leaf_price, unit_shift, min_count_, control};
    }

    [[nodiscard]] std::int64_t base_cost() const { return data_.base_cost; }

   private:
    template <class Acc>
    [[nodiscard]] NearOptimalGraph graph_of(const Settings& settings, std::int64_t budget, Control& control) const {
        Search<Acc> search(data_, settings, {}, control);
        return near_optimal_graph(data_, search, settings.max_depth, budget, control);
    }

    Dataset data_;
    std::int64_t min_count_;
    std::int64_t total_ = 0;  // bounds every channel sum
};

}  // namespace

void bind_near_optimal(nb::module_& m) {
    nb::class_<NearOptimalSet>(m, "NearOptimalSet", "The trees within one budget, as a graph.")
        .def("arrays", &NearOptimalSet::arrays, "Return the graph: nodes, edges, and how the run ended.")
        .def("count", &NearOptimalSet::count, nb::kw_only(), "most_errors"_a, "copies"_a, "any_label"_a, "redundant"_a,
             "n_words"_a, "time_limit"_a, "memory_limit"_a, "report"_a.none(), "leaves"_a,
             "Count the trees by leaves and errors at every node; with `leaves`, also the trees in which a node is a leaf.");
    nb::class_<NearOptimalProblem>(m, "NearOptimalProblem", "A table over binary columns whose near-optimal trees are asked for.")
        .def(nb::init<const Matrix<std::uint8_t>&, const Vector<std::int32_t>&, const Vector<std::int64_t>&,
                      const Matrix<std::int64_t>&, std::int64_t>(),
             "packed"_a, "y"_a, "weight"_a, "costs"_a, nb::kw_only(), "min_count"_a)
        .def("make", &NearOptimalProblem::make, nb::kw_only(), "leaf_price"_a, "unit_shift"_a, "budget"_a, "max_depth"_a,
             "time_limit"_a, "memory_limit"_a, "report"_a.none(), "Return all trees within the budget.")
        .def_prop_ro("base_cost", &NearOptimalProblem::base_cost);
}
