// The problem over all splits of ranked columns whose near-optimal trees are asked for. Over binary columns it is that
// of the search (binary.cpp).
#include "near_optimal_set.hpp"
#include "ranked_search.hpp"
#include "treewright/search/ranked_near_optimal.hpp"

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

namespace nb = nanobind;
using namespace nb::literals;
using namespace treewright::near_optimal;
using treewright::Matrix;
using treewright::span_of;
using treewright::Vector;

namespace {

// A table over ranked columns, whose splits are numbered one column after the other, for the graphs of several budgets.
class NearOptimalRankedProblem {
   public:
    NearOptimalRankedProblem(const Matrix<std::uint32_t>& rank, const Vector<std::int32_t>& split,
                             const Vector<std::int64_t>& first_split, const Vector<std::int32_t>& y,
                             const Vector<std::int64_t>& weight, const Matrix<std::int64_t>& costs,
                             std::int64_t min_count)
        : min_count_(std::max<std::int64_t>(min_count, 1)),
          table_(std::make_shared<treewright::ranked::LabelledTable>()) {
        const std::size_t n = y.shape(0), n_columns = rank.shape(0);
        treewright::require(n > 0 && weight.shape(0) == n && first_split.shape(0) == n_columns + 1,
                            "ranked problem: arrays of different lengths");
        treewright::require(costs.shape(0) == costs.shape(1) && costs.shape(0) < (std::size_t{1} << 16),
                            "ranked problem: costs are not square, or too many classes");
        treewright::require_within(span_of(y), std::int64_t{0}, static_cast<std::int64_t>(costs.shape(0)) - 1, "y");
        treewright::require_within(span_of(split), std::int64_t{0}, std::int64_t{1} << 31, "split");
        treewright::ranked::LabelledTable& data = *table_;
        treewright::ranked::set_ranks(
            data, rank, n, static_cast<std::uint32_t>(std::min<std::int64_t>(min_count_, std::int64_t{1} << 31)));
        for (std::size_t c = 0; c < n_columns; ++c) {
            const std::int64_t first = first_split(c), last = first_split(c + 1);
            treewright::require(0 <= first && first <= last && last <= static_cast<std::int64_t>(split.shape(0)),
                                "ranked problem: splits out of range");
            const std::uint32_t* ranks = rank.data() + c * n;
            treewright::require(std::int64_t{*std::max_element(ranks, ranks + n)} <= last - first,
                                "ranked problem: a split without a split");
            split_of_.emplace_back(split.data() + first, split.data() + last);
        }
        data.n_classes = static_cast<std::uint32_t>(costs.shape(0));
        data.label.assign(y.data(), y.data() + n);
        treewright::require_within(span_of(weight), std::int64_t{0}, kMaxTotal, "weight");
        data.weight.assign(weight.data(), weight.data() + n);
        std::vector<std::int64_t> least(data.n_classes), most(data.n_classes);
        for (std::size_t t = 0; t < data.n_classes; ++t) {
            const std::int64_t* row = costs.data() + t * data.n_classes;
            least[t] = *std::min_element(row, row + data.n_classes);
            most[t] = *std::max_element(row, row + data.n_classes) - least[t];
            treewright::require(least[t] >= 0 && most[t] <= kMaxTotal, "ranked problem: costs out of range");
            for (std::size_t k = 0; k < data.n_classes; ++k)
                data.cost.push_back(static_cast<std::int32_t>(row[k] - least[t]));
        }
        for (std::size_t i = 0; i < n; ++i) {
            total_ += weight(i) * most[data.label[i]];
            base_cost_ += weight(i) * least[data.label[i]];
            treewright::require(total_ <= kMaxTotal, "ranked problem: costs too large for 32-bit sums");
        }
        nb::gil_scoped_release release;
        data.prepare();
    }

    [[nodiscard]] NearOptimalSet near_optimal(std::int64_t leaf_penalty, int unit_shift, std::int64_t budget,
                                              std::int32_t max_depth, std::size_t threads, double time_limit,
                                              std::size_t memory_limit, nb::object report) {
        treewright::require(leaf_penalty >= 0 && unit_shift >= 0 && unit_shift <= 32 && max_depth >= 0 &&
                                budget < kInfinity && threads > 0,
                            "near_optimal: price, unit, depth, budget or threads out of range");
        treewright::require(total_ <= (treewright::kMaxCost >> unit_shift) && leaf_penalty <= treewright::kMaxCost,
                            "near_optimal: costs out of range");
        treewright::Control control = treewright::make_control(time_limit, kNoSteps, memory_limit, std::move(report));
        NearOptimalGraph graph;
        // The search wants a leaf to cost something; one unit more for each leaf leaves no tree out.
        const std::int64_t paid = std::max<std::int64_t>(leaf_penalty, 1);
        if (leaf_penalty == 0 && budget >= 0)
            budget += std::min<std::int64_t>(table_->n_rows, std::int64_t{1} << std::min(max_depth, 40));
        // A control holds a Python function, so one is only dropped under the interpreter's lock.
        if (session_ != nullptr && session_->leaf_penalty == paid && session_->unit_shift == unit_shift &&
            session_->options.threads == threads)
            session_->control = std::move(control);
        else
            session_ = std::make_unique<RankedSession>(table_, paid, unit_shift, threads, std::move(control));
        {
            nb::gil_scoped_release release;
            graph = treewright::ranked::near_optimal_graph(
                session_->objective, session_->options, session_->search,
                std::min(static_cast<std::uint32_t>(max_depth), table_->n_rows), budget, split_of_, session_->control);
        }
        std::vector<std::int32_t> source;  // splits that are used, and only these
        for (const SetEdge& edge : graph.edges) source.push_back(edge.column);
        std::sort(source.begin(), source.end());
        source.erase(std::unique(source.begin(), source.end()), source.end());
        for (SetEdge& edge : graph.edges)
            edge.column =
                static_cast<std::int32_t>(std::lower_bound(source.begin(), source.end(), edge.column) - source.begin());
        const treewright::Stop stop = session_->control.reason();
        const std::int64_t steps = session_->control.steps();
        if (session_->control.ended()) session_.reset();
        return {std::move(graph), std::move(source), paid, unit_shift, min_count_, threads, stop, steps};
    }

    [[nodiscard]] std::int64_t base_cost() const { return base_cost_; }

   private:
    static constexpr std::int64_t kMaxTotal = treewright::ranked::largest::kClassTotal - 1;  // of all costs

    // A search that one budget after the other asks.
    struct RankedSession {
        RankedSession(std::shared_ptr<const treewright::ranked::LabelledTable> table, std::int64_t price, int shift,
                      std::size_t threads, treewright::Control its_control)
            : leaf_penalty(price),
              unit_shift(shift),
              control(std::move(its_control)),
              options(with_threads(threads)),
              objective(std::move(table), std::int64_t{1} << shift, price),
              search(objective, options, control) {}
        RankedSession(const RankedSession&) = delete;
        RankedSession& operator=(const RankedSession&) = delete;
        std::int64_t leaf_penalty;
        int unit_shift;
        treewright::Control control;  // stays in its place; a new run has a new one in it
        treewright::ranked::Options options;
        treewright::ranked::Misclassification objective;
        treewright::ranked::Search search;

       private:
        static treewright::ranked::Options with_threads(std::size_t threads) {
            treewright::ranked::Options options;
            options.threads = threads;
            return options;
        }
    };

    std::int64_t min_count_;
    std::shared_ptr<treewright::ranked::LabelledTable> table_;
    std::vector<std::vector<std::int32_t>> split_of_;  // [column][rank]
    std::int64_t total_ = 0;                           // bounds every sum of costs
    std::int64_t base_cost_ = 0;
    std::unique_ptr<RankedSession> session_;
};

}  // namespace

void bind_ranked_near_optimal(nb::module_& m) {
    nb::class_<NearOptimalRankedProblem>(m, "NearOptimalRankedProblem",
                                         "A table over ranked columns whose near-optimal trees are asked for.")
        .def(nb::init<const Matrix<std::uint32_t>&, const Vector<std::int32_t>&, const Vector<std::int64_t>&,
                      const Vector<std::int32_t>&, const Vector<std::int64_t>&, const Matrix<std::int64_t>&,
                      std::int64_t>(),
             "rank"_a, "split"_a, "first_split"_a, "y"_a, "weight"_a, "costs"_a, nb::kw_only(), "min_count"_a,
             "`split` numbers the splits of all columns, in order of their ranks; column c has those from "
             "`first_split[c]` on.")
        .def("near_optimal", &NearOptimalRankedProblem::near_optimal, nb::kw_only(), "leaf_penalty"_a, "unit_shift"_a,
             "budget"_a, "max_depth"_a, "threads"_a, "time_limit"_a, "memory_limit"_a, "report"_a.none(),
             "Return all trees within the budget.")
        .def_prop_ro("base_cost", &NearOptimalRankedProblem::base_cost);
}
