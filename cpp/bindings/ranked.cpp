// The search over ranked columns for costs of labels, for Python: the best tree, and graphs of near-optimal trees.
#include "check.hpp"
#include "near_optimal_set.hpp"
#include "ranked_search.hpp"
#include "treewright/objective/largest_numbers.hpp"
#include "treewright/objective/misclassification.hpp"
#include "treewright/search/ranked_near_optimal.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;
using namespace treewright;
using namespace treewright::ranked;

namespace {

// A problem over ranked columns: searched for its best tree, and asked for all trees within a budget.
//
// A graph of near-optimal trees goes on with the search for the optimum: it asks the same `Search` for the splits of
// each node. What that keeps is, for a set of rows and a size, a bound below which no tree of these rows costs, a tree
// that exists, and bounds of the splits of these rows (ranked_store.hpp). These are statements about the rows, the
// table and what a leaf, a row and a split cost. No budget is part of them: it only decides how far a bound was raised
// before the search turned away. So they hold for every later budget, as long as table, unit and leaf penalty are those
// of the search (`answers`). What belongs to one run, such as the best tree of the root one level less deep, is of the
// root of that run alone, and a graph asks for no root (ranked_within.cpp). A run that was stopped has left bounds that
// hold as well; its search is dropped all the same, since a stopped pass may have told less than it was asked.
class RankedProblem {
   public:
    RankedProblem(const Matrix<std::uint32_t>& rank, const Vector<std::int32_t>& y, const Vector<std::int64_t>& weight,
                  const Matrix<std::int64_t>& costs, std::int64_t unit, std::int64_t leaf, std::uint32_t min_leaf)
        : unit_(unit), leaf_(leaf), table_(std::make_shared<LabelledTable>()) {
        const std::size_t n = y.shape(0), k = costs.shape(0);
        require(weight.shape(0) == n, "ranked: arrays of different lengths");
        require(k > 0 && k == costs.shape(1) && k < (std::size_t{1} << 16),
                "ranked: costs are not square, or of too many classes");
        require(leaf >= 1 && unit >= 1, "ranked: parameter below 1");
        require(leaf <= largest::kClassCost && unit <= largest::kClassCost, "ranked: unit or leaf above 2^59");
        set_ranks(*table_, rank, n, min_leaf);
        set_costs(y, weight, costs);
        require(total_ == 0 || unit <= largest::kClassCost / total_, "ranked: unit times all costs is above 2^59");
    }

    nb::dict search(std::uint32_t depth, std::uint32_t max_leaves, const Options& options, double time_limit,
                    std::int64_t step_limit, std::size_t memory_limit, nb::object report) {
        const Size limits = limits_of(depth, max_leaves);
        require_options(options);
        begin(unit_, leaf_, options, make_control(time_limit, step_limit, memory_limit, std::move(report)));
        Answer found;
        {
            nb::gil_scoped_release release;
            found = Answer::of(kept_->search, limits);
        }
        nb::dict result = result_of(found, kept_->control);
        if (kept_->control.ended()) kept_.reset();
        return result;
    }

    // `split`: the numbers of the splits of all columns, in order of their ranks, those of column c from
    // `first_split[c]` on; -1 where another column has the same split.
    [[nodiscard]] near_optimal::NearOptimalSet near_optimal(const Vector<std::int32_t>& split,
                                                            const Vector<std::int64_t>& first_split,
                                                            std::int64_t leaf_penalty, int unit_shift,
                                                            std::int64_t budget, std::int32_t max_depth,
                                                            std::size_t threads, double time_limit,
                                                            std::size_t memory_limit, nb::object report) {
        require(leaf_penalty >= 0 && unit_shift >= 0 && unit_shift < 60 && max_depth >= 0 &&
                    budget < binary::kInfinity && threads > 0,
                "near_optimal: price, unit, depth, budget or threads out of range");
        require(total_ <= (largest::kClassCost >> unit_shift) && leaf_penalty <= largest::kClassCost,
                "near_optimal: costs out of range");
        const auto split_of = splits_of(split, first_split);
        // The search wants a leaf to cost something; one unit more for each leaf leaves no tree out.
        const std::int64_t paid = std::max<std::int64_t>(leaf_penalty, 1);
        if (leaf_penalty == 0 && budget >= 0)
            budget += std::min<std::int64_t>(table_->n_rows, std::int64_t{1} << std::min(max_depth, 40));
        const std::int64_t unit = std::int64_t{1} << unit_shift;
        Control control = make_control(time_limit, near_optimal::kNoSteps, memory_limit, std::move(report));
        if (answers(unit, paid, threads, memory_limit)) {
            kept_->control = std::move(control);
        } else {
            Options options;
            options.threads = static_cast<std::uint32_t>(threads);
            begin(unit, paid, options, std::move(control));
        }
        binary::NearOptimalGraph graph;
        {
            nb::gil_scoped_release release;
            graph = near_optimal_graph(kept_->objective, kept_->options, kept_->search,
                                       std::min(static_cast<std::uint32_t>(max_depth), table_->n_rows), budget,
                                       split_of, kept_->control);
        }
        std::vector<std::int32_t> source;  // splits that are used, and only these
        for (const binary::SetEdge& edge : graph.edges) source.push_back(edge.column);
        std::sort(source.begin(), source.end());
        source.erase(std::unique(source.begin(), source.end()), source.end());
        for (binary::SetEdge& edge : graph.edges)
            edge.column =
                static_cast<std::int32_t>(std::lower_bound(source.begin(), source.end(), edge.column) - source.begin());
        const Stop stop = kept_->control.reason();
        const std::int64_t steps = kept_->control.steps();
        if (kept_->control.ended()) kept_.reset();
        return {std::move(graph), std::move(source), paid, unit_shift, table_->min_leaf, threads, stop, steps};
    }

    [[nodiscard]] std::int64_t base_cost() const { return base_cost_; }
    [[nodiscard]] std::int64_t leaf_penalty() const { return leaf_; }
    [[nodiscard]] int unit_shift() const { return std::countr_zero(static_cast<std::uint64_t>(unit_)); }

   private:
    // A search with all that it refers to, which stays in its place.
    struct KeptSearch {
        KeptSearch(std::shared_ptr<const LabelledTable> table, std::int64_t unit_cost, std::int64_t leaf_cost,
                   const Options& its_options, Control its_control)
            : unit(unit_cost),
              leaf(leaf_cost),
              options(its_options),
              control(std::move(its_control)),
              objective(std::move(table), unit, leaf),
              search(objective, options, control) {}
        KeptSearch(const KeptSearch&) = delete;
        KeptSearch& operator=(const KeptSearch&) = delete;
        std::int64_t unit, leaf;
        Options options;
        Control control;  // a new run has a new one in it
        Misclassification objective;
        Search search;
    };

    void set_costs(const Vector<std::int32_t>& y, const Vector<std::int64_t>& weight,
                   const Matrix<std::int64_t>& costs) {
        constexpr std::int64_t kMost = largest::kClassTotal - 1;
        const std::size_t k = costs.shape(0);
        LabelledTable& data = *table_;
        require_within(span_of(y), std::int64_t{0}, static_cast<std::int64_t>(k) - 1, "ranked: y");
        require_within(span_of(weight), std::int64_t{0}, kMost, "ranked: weight");
        require_within(span_of(costs), std::int64_t{0}, largest::kClassCost, "ranked: costs");
        data.n_classes = static_cast<std::uint32_t>(k);
        data.label.assign(y.data(), y.data() + y.shape(0));
        data.weight.assign(weight.data(), weight.data() + weight.shape(0));
        std::vector<std::int64_t> least(k), most(k);
        for (std::size_t t = 0; t < k; ++t) {
            const std::int64_t* row = costs.data() + t * k;
            least[t] = *std::min_element(row, row + k);
            most[t] = *std::max_element(row, row + k) - least[t];
            require(most[t] <= kMost, "ranked: costs out of range");
            for (std::size_t c = 0; c < k; ++c) data.cost.push_back(static_cast<std::int32_t>(row[c] - least[t]));
        }
        for (std::size_t i = 0; i < data.n_rows; ++i) {
            const std::int64_t always = least[data.label[i]];
            require(always == 0 || weight(i) <= (largest::kClassCost - base_cost_) / always,
                    "ranked: what every tree pays is above 2^59");
            base_cost_ += weight(i) * always;
            total_ += weight(i) * most[data.label[i]];
            require(total_ <= kMost, "ranked: costs too large for 32-bit sums");
        }
    }

    [[nodiscard]] std::vector<std::vector<std::int32_t>> splits_of(const Vector<std::int32_t>& split,
                                                                   const Vector<std::int64_t>& first_split) const {
        require(first_split.shape(0) == table_->n_columns + std::size_t{1},
                "near_optimal: arrays of different lengths");
        require_within(span_of(split), std::int64_t{-1}, std::int64_t{1} << 31, "split");
        std::vector<std::vector<std::int32_t>> split_of;
        for (std::size_t c = 0; c < table_->n_columns; ++c) {
            const std::int64_t first = first_split(c), last = first_split(c + 1);
            require(0 <= first && first <= last && last <= static_cast<std::int64_t>(split.shape(0)),
                    "near_optimal: splits out of range");
            const auto ranks = std::span(table_->rank).subspan(c * table_->n_rows, table_->n_rows);
            require(std::int64_t{*std::max_element(ranks.begin(), ranks.end())} <= last - first,
                    "near_optimal: a split without a number");
            split_of.emplace_back(split.data() + first, split.data() + last);
        }
        return split_of;
    }

    // A control holds a Python function, so a search is only dropped under the interpreter's lock.
    void begin(std::int64_t unit, std::int64_t leaf, const Options& options, Control control) {
        kept_.reset();     // before the next takes memory
        if (!prepared_) {  // within the time of the first run
            nb::gil_scoped_release release;
            table_->prepare();
            prepared_ = true;
        }
        kept_ = std::make_unique<KeptSearch>(table_, unit, leaf, options, std::move(control));
    }
    // Whether a graph goes on with the search that is kept; one that fills the memory would leave it no room.
    [[nodiscard]] bool answers(std::int64_t unit, std::int64_t leaf, std::size_t threads,
                               std::size_t memory_limit) const {
        return kept_ != nullptr && kept_->unit == unit && kept_->leaf == leaf && kept_->options.threads == threads &&
               kept_->search.bytes() <= memory_limit / 2;
    }

    std::int64_t unit_, leaf_;  // of the search: what one unit of cost is, and what a leaf costs
    std::shared_ptr<LabelledTable> table_;
    std::int64_t total_ = 0;  // bounds every sum of costs
    std::int64_t base_cost_ = 0;
    bool prepared_ = false;
    std::unique_ptr<KeptSearch> kept_;
};

}  // namespace

void bind_ranked(nb::module_& m) {
    nb::class_<Options>(m, "RankedOptions", "Switches of the search over ranked columns; none changes the optimum.")
        .def(nb::init<>())
#define OPTION(type, name, value, text) .def_rw(#name, &Options::name, text)
#define SETTING(type, name, value, text)
#include "treewright/search/ranked_options.def"
#undef OPTION
#undef SETTING
        .def_rw("threads", &Options::threads, "Threads of the search, the calling one among them.");
    nb::class_<RankedProblem>(m, "RankedProblem",
                              "A problem over all splits of ranked columns; see treewright.search._solve_ranked.")
        .def(nb::init<const Matrix<std::uint32_t>&, const Vector<std::int32_t>&, const Vector<std::int64_t>&,
                      const Matrix<std::int64_t>&, std::int64_t, std::int64_t, std::uint32_t>(),
             "rank"_a, "y"_a, "weight"_a, "costs"_a, nb::kw_only(), "unit"_a, "leaf"_a, "min_leaf"_a,
             "`unit`, a power of two, is what one unit of cost counts, `leaf` what a leaf does.")
        .def("search", &RankedProblem::search, nb::kw_only(), "depth"_a, "max_leaves"_a, "options"_a, "time_limit"_a,
             "step_limit"_a, "memory_limit"_a, "report"_a.none(),
             "Search for the cheapest tree, whose cost is beyond what every tree pays.")
        .def("near_optimal", &RankedProblem::near_optimal, nb::kw_only(), "split"_a, "first_split"_a, "leaf_penalty"_a,
             "unit_shift"_a, "budget"_a, "max_depth"_a, "threads"_a, "time_limit"_a, "memory_limit"_a,
             "report"_a.none(),
             "Return all trees within the budget. `split` numbers the splits of all columns, in order of their ranks, "
             "those of column c from `first_split[c]` on; -1: another column has the same split. In the units of the "
             "search, what it has solved is solved.")
        .def_prop_ro("base_cost", &RankedProblem::base_cost)
        .def_prop_ro("leaf_penalty", &RankedProblem::leaf_penalty)
        .def_prop_ro("unit_shift", &RankedProblem::unit_shift);
}
