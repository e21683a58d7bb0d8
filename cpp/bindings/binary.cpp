// Engine over binary columns: from arrays to a tree shape with its bounds, and to graphs of near-optimal trees.
#include "binary_problem.hpp"
#include "check.hpp"
#include "control.hpp"
#include "front_outcome.hpp"
#include "kept_search.hpp"
#include "treewright/space/binary_dataset.hpp"
#include "treewright/bounds/row_prices.hpp"
#include "treewright/search/schedule.hpp"
#include "treewright/core/cost_units.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
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
using treewright::Stop;
using treewright::to_numpy;
using treewright::Vector;
using treewright::near_optimal::KeptSearch;
using treewright::near_optimal::kNoSteps;
using treewright::near_optimal::NearOptimalSet;
using namespace treewright::binary;

// Turns the side of zeros first into left first: the side where the input column is 0 is left.
std::size_t orient(const Dataset& data, const Shape& in, std::size_t at, Shape& out) {
    if (in[at] < 0) {
        out.push_back(-1);
        return at + 1;
    }
    const Column& column = data.columns[static_cast<std::size_t>(in[at])];
    out.push_back(column.source);
    Shape zeros, ones;
    std::size_t next = orient(data, in, at + 1, zeros);
    next = orient(data, in, next, ones);
    if (column.flipped) std::swap(zeros, ones);
    out.insert(out.end(), zeros.begin(), zeros.end());
    out.insert(out.end(), ones.begin(), ones.end());
    return next;
}

// A problem over binary columns, reduced once; searched and priced as often as wanted.
class BinaryProblem {
   public:
    BinaryProblem(const Matrix<std::uint8_t>& goes_right, const Vector<std::int32_t>& y,
                  const Vector<std::int64_t>& weight, const Matrix<std::int64_t>& costs, double leaf_penalty,
                  std::int64_t min_count, bool equivalent_points, std::optional<Vector<std::int64_t>> guess,
                  bool packed, bool near_optimal)
        : min_count_(min_count > 1 ? std::min(min_count, static_cast<std::int64_t>(y.shape(0)) + 1) : 0),
          near_optimal_(near_optimal) {
        treewright::require_binary_problem(goes_right, y, weight, costs, packed);
        treewright::require(leaf_penalty >= 0, "leaf_penalty must be at least 0");
        if (guess) {
            treewright::require(guess->shape(0) == y.shape(0), "arrays of different lengths");
            treewright::require_sum(span_of(*guess), treewright::kMaxCost, "guess");
        }
        Control control = treewright::interruptible();
        {
            nb::gil_scoped_release release;
            data_ = reduce({span_of(goes_right), goes_right.shape(0), y.shape(0), span_of(y), span_of(weight),
                            span_of(costs), costs.shape(1), min_count_ > 0 || near_optimal,
                            guess ? span_of(*guess) : std::span<const std::int64_t>{}, equivalent_points, packed},
                           control);
        }
        treewright::raise_if_interrupted(control);
        total_ = std::accumulate(data_.cost.begin(), data_.cost.end(), std::int64_t{0});
        if (min_count_ > 0 || near_optimal) total_ += static_cast<std::int64_t>(y.shape(0));
        if (near_optimal && min_count_ == 0) {  // rows that cost nothing are rows of its trees, and change no cost
            all_ = costly_rows(data_);
            if (all_.n_rows == 0) min_count_ = 1;
            if (all_.n_rows > 0) std::swap(all_, data_);
        }
        units_ = Units::make(std::accumulate(data_.guess.begin(), data_.guess.end(), total_), leaf_penalty);
    }

    nb::dict search(std::int32_t max_depth, std::int32_t max_leaves, const Options& options, nb::object price_rows,
                    bool fewest_leaves, std::optional<std::pair<std::int64_t, std::int64_t>> recheck,
                    std::size_t threads, double time_limit, std::int64_t step_limit, std::size_t memory_limit,
                    nb::object report) {
        treewright::require(max_leaves >= 0, "max_leaves must be at least 0");
        treewright::require(threads >= 1, "threads must be at least 1");
        auto its_control = std::make_unique<Control>(
            treewright::make_control(time_limit, step_limit, memory_limit, std::move(report)));
        Control& control = *its_control;
        Settings settings{units_.leaf_penalty, units_.shift, depth_of(max_depth), few(max_leaves), min_count_, options};
        settings.threads = threads;
        if (near_optimal_ && is_small()) small_ = {settings, std::move(its_control), nullptr};
        if (near_optimal_ && !is_small()) large_ = {settings, std::move(its_control), nullptr};
        const RowPriceSource prices = price_source(price_rows, control);
        const bool counts = fewest_leaves && can_count_leaves();
        std::optional<RecheckBudget> budget;
        if (recheck) budget = RecheckBudget{recheck->first, recheck->second};
        Outcome out;
        Shape shape, rechecked;
        {
            nb::gil_scoped_release release;
            control.units(units_.to_weight(1), units_.bound_unit(), static_cast<double>(data_.base_cost));
            const auto find = [&]<class Acc>(KeptSearch<Acc>& kept) {
                return search_tree<Acc>(data_, settings, counts, prices, control, budget,
                                        near_optimal_ ? &kept.search : nullptr);
            };
            out = is_small() ? find(small_) : find(large_);
            orient(data_, out.shape, 0, shape);
            if (out.recheck) orient(data_, out.recheck->shape, 0, rechecked);
        }
        nb::dict result;
        result["shape"] = shape;
        const auto base = static_cast<double>(data_.base_cost);
        result["upper_bound"] = base + units_.to_weight(out.bounds.upper);
        result["lower_bound"] = base + units_.bound_unit() * static_cast<double>(out.bounds.lower);
        result["bytes_needed"] = is_small() ? Subproblems<std::int32_t>::bytes_needed(data_, min_count_ > 0)
                                            : Subproblems<std::int64_t>::bytes_needed(data_, min_count_ > 0);
        result["exact"] = out.bounds.exact();
        result["leaves_exact"] = out.leaves_exact;
        result["feasible"] = out.bounds.upper < kInfinity;
        treewright::add_run(result, control);
        result["stop"] = out.stop;
        result["ended_by"] = control.reason();  // that of a phase after the proof, too
        result["bytes"] = out.bytes;
        result["cache_entries"] = out.cache_entries;
        result["cache_shed"] = out.cache_shed;
        result["recheck"] = nb::none();
        if (out.recheck) {
            nb::dict again;
            again["shape"] = rechecked;
            again["exact"] = out.recheck->ended;
            again["guess"] = out.recheck->guess;
            again["interrupted"] = out.recheck->interrupted;
            result["recheck"] = again;
        }
        result["row_price_bound"] = out.prices.rounds == 0
                                        ? nb::none()
                                        : nb::cast(base + units_.bound_unit() * static_cast<double>(out.prices.bound));
        result["row_price_seconds"] = out.prices.seconds;
        result["row_price_rounds"] = out.prices.rounds;
        return result;
    }

    // All trees within a budget; `leaf_penalty`, `budget` in cost units: 2^unit_shift to a weight unit.
    [[nodiscard]] NearOptimalSet near_optimal(std::int64_t leaf_penalty, int unit_shift, std::int64_t budget,
                                              std::int32_t max_depth, std::size_t threads, double time_limit,
                                              std::size_t memory_limit, nb::object report) {
        treewright::require(near_optimal_, "near_optimal: the problem was not made for it");
        treewright::require(leaf_penalty >= 0 && unit_shift >= 0 && unit_shift <= 32 && max_depth >= 0 &&
                                budget < kInfinity && threads > 0,
                            "near_optimal: price, unit, depth, budget or threads out of range");
        Control control = treewright::make_control(time_limit, kNoSteps, memory_limit, std::move(report));
        Settings settings{leaf_penalty, unit_shift, max_depth, 0, min_count_, {}};
        settings.threads = threads;
        const auto made = [&](auto& kept) {
            return kept.set_of(all_.n_rows > 0 ? all_ : data_, data_, settings, budget, std::move(control));
        };
        return is_small() ? made(small_) : made(large_);
    }

    nb::dict front(std::int32_t max_depth, std::int32_t max_leaves, const Options& options, double time_limit,
                   std::int64_t step_limit, std::size_t memory_limit, nb::object report) const {
        if (max_leaves < 1) throw std::invalid_argument("front: at least one leaf is needed");
        if (units_.leaf_penalty != 0) throw std::invalid_argument("front: leaf_penalty must be 0");
        Control control = treewright::make_control(time_limit, step_limit, memory_limit, std::move(report));
        Settings settings;
        settings.max_depth = depth_of(max_depth);
        settings.max_leaves = std::max(1, few(max_leaves));
        settings.min_count = min_count_;
        settings.options = options;
        FrontOutcome out;
        std::vector<Shape> shapes;
        {
            nb::gil_scoped_release release;
            out = is_small() ? search_front<std::int32_t>(data_, settings, control)
                             : search_front<std::int64_t>(data_, settings, control);
            for (std::size_t l = 0; l < out.shapes.size(); ++l) {
                // A stop while the tree was being written may have left a worse one than was proven to exist.
                out.bounds[l].upper = cost_of(data_, out.shapes[l], 0, 0);
                shapes.emplace_back();
                orient(data_, out.shapes[l], 0, shapes.back());
            }
        }
        std::vector<double> lower;
        std::vector<double> upper;
        std::vector<bool> exact;
        for (const Bounds& bounds : out.bounds) {
            lower.push_back(static_cast<double>(data_.base_cost + bounds.lower));
            upper.push_back(static_cast<double>(data_.base_cost + bounds.upper));
            exact.push_back(bounds.exact());
        }
        nb::dict result;
        result["shapes"] = shapes;
        result["lower_bounds"] = lower;
        result["upper_bounds"] = upper;
        result["exact"] = exact;
        treewright::add_run(result, control);
        result["bytes"] = out.bytes;
        result["cache_entries"] = out.cache_entries;
        result["cache_shed"] = out.cache_shed;
        return result;
    }

    nb::dict suggest_violations(const Vector<std::int64_t>& prices, std::int32_t max_depth, std::size_t width) const {
        const Pricing question = pricing(prices, max_depth);
        return violations(
            [&](Control& control) { return treewright::binary::suggest_violations(question, width, control); });
    }

    nb::dict bound_violations(const Vector<std::int64_t>& prices, std::int32_t max_depth, std::int64_t bar,
                              std::int64_t max_work, bool shared_losses) const {
        Pricing question = pricing(prices, max_depth);
        question.shared_losses = shared_losses;
        return violations(
            [&](Control& control) { return treewright::binary::bound_violations(question, bar, max_work, control); });
    }

    // Largest cost of each distinct row, in weight units.
    [[nodiscard]] auto row_cost() const {
        std::vector<std::int64_t> worst(data_.n_rows);
        const auto k = static_cast<std::ptrdiff_t>(data_.n_classes);
        for (std::size_t r = 0; r < data_.n_rows; ++r) {
            const auto begin = data_.cost.begin() + static_cast<std::ptrdiff_t>(r) * k;
            worst[r] = *std::max_element(begin, begin + k);
        }
        return to_numpy(std::move(worst));
    }

    // The distinct rows as zeros and ones, one after another.
    [[nodiscard]] auto row_bits() const {
        std::vector<std::uint8_t> bits(data_.n_rows * data_.n_columns);
        for (std::size_t r = 0; r < data_.n_rows; ++r)
            for (std::size_t j = 0; j < data_.n_columns; ++j) bits[r * data_.n_columns + j] = data_.bit(r, j) ? 1 : 0;
        return to_numpy(std::move(bits));
    }

    // The cheapest class of each distinct row.
    [[nodiscard]] auto row_class() const {
        std::vector<std::int32_t> best(data_.n_rows);
        const auto k = static_cast<std::ptrdiff_t>(data_.n_classes);
        for (std::size_t r = 0; r < data_.n_rows; ++r) {
            const auto begin = data_.cost.begin() + static_cast<std::ptrdiff_t>(r) * k;
            best[r] = static_cast<std::int32_t>(std::min_element(begin, begin + k) - begin);
        }
        return to_numpy(std::move(best));
    }

    [[nodiscard]] std::size_t n_rows() const { return data_.n_rows; }
    [[nodiscard]] std::size_t n_columns() const { return data_.n_columns; }
    [[nodiscard]] std::int64_t base_cost() const { return data_.base_cost; }
    [[nodiscard]] std::int64_t leaf_penalty() const { return units_.leaf_penalty; }
    [[nodiscard]] int unit_shift() const { return units_.shift; }
    // Whether leaves that cost one unit each stay below one weight unit together: no tree needs more leaves than rows.
    [[nodiscard]] bool can_count_leaves() const {
        return units_.leaf_penalty == 0 &&
               static_cast<std::int64_t>(data_.n_rows) < (std::int64_t{1} << units_.shift) - 1;
    }

   private:
    static constexpr std::int64_t kMaxRowPrice = std::int64_t{1} << 60;

    [[nodiscard]] bool is_small() const { return total_ < (std::int64_t{1} << 28); }

    [[nodiscard]] static std::int32_t depth_of(std::int32_t max_depth) {
        return max_depth < 0 || max_depth > kUnlimited ? kUnlimited : max_depth;
    }
    // No tree of distinct rows has more leaves than there are.
    [[nodiscard]] std::int32_t few(std::int32_t max_leaves) const {
        return static_cast<std::int32_t>(
            std::min<std::size_t>(static_cast<std::size_t>(max_leaves), std::max<std::size_t>(1, data_.n_rows)));
    }
    // Prices made in Python: `make(seconds, work, proven_bound, glance)`, with the bound in weight units; it may call
    // `glance(bound)`, in cost units, to tell how far it is, and must return soon if the answer is true.
    [[nodiscard]] RowPriceSource price_source(const nb::object& make, Control& control) const {
        if (make.is_none()) return {};
        return [this, &make, &control](const RowPriceRequest& request) {
            nb::gil_scoped_acquire gil;
            Prices prices;
            const nb::object glance = nb::cpp_function([&control](std::int64_t bound) {
                control.lower_bound(bound);
                return control.glance();
            });
            try {
                const nb::object made =
                    make(request.seconds, request.work,
                         static_cast<double>(data_.base_cost) + units_.to_weight(request.proven_bound), glance);
                const auto of_row = nb::cast<Vector<std::int64_t>>(made.attr("prices"));
                check_prices(of_row);
                prices.of_row.assign(span_of(of_row).begin(), span_of(of_row).end());
                prices.bound = std::accumulate(prices.of_row.begin(), prices.of_row.end(), std::int64_t{0});
                prices.seconds = nb::cast<double>(made.attr("seconds"));
                prices.work = nb::cast<std::int64_t>(made.attr("work"));
                prices.rounds = nb::cast<std::int64_t>(made.attr("rounds"));
                prices.done = nb::cast<bool>(made.attr("done"));
                if (nb::cast<bool>(made.attr("interrupted"))) control.halt(Stop::interrupt);
            } catch (const nb::python_error& error) {
                if (!error.matches(PyExc_KeyboardInterrupt)) throw;
                control.halt(Stop::interrupt);
            }
            return prices;
        };
    }

    void check_prices(const Vector<std::int64_t>& prices) const {
        treewright::require(prices.shape(0) == data_.n_rows, "one price for each distinct row is needed");
        treewright::require_sum(span_of(prices), kMaxRowPrice, "prices");
    }

    [[nodiscard]] Pricing pricing(const Vector<std::int64_t>& prices, std::int32_t max_depth) const {
        check_prices(prices);
        return {data_, span_of(prices), units_.leaf_penalty, units_.shift, depth_of(max_depth)};
    }

    template <class Find>
    static nb::dict violations(const Find& find) {
        Control control = treewright::interruptible();
        Violations found;
        {
            nb::gil_scoped_release release;
            found = find(control);
        }
        nb::dict result;
        result["worst"] = found.worst;
        result["complete"] = found.complete;
        result["stop"] = control.reason();
        result["explored"] = found.explored;
        result["rows"] = to_numpy(std::move(found.rows));
        result["ends"] = to_numpy(std::move(found.ends));
        result["cheapest"] = to_numpy(std::move(found.cheapest));
        return result;
    }

    Dataset data_;
    std::int64_t min_count_;
    bool near_optimal_;       // whether it is asked for sets of trees, too
    Dataset all_;             // then: the rows that cost nothing as well, where the search leaves them out
    std::int64_t total_ = 0;  // bounds every channel sum, and the sum over channels
    Units units_;
    KeptSearch<std::int32_t> small_;
    KeptSearch<std::int64_t> large_;
};

}  // namespace

void bind_binary(nb::module_& m) {
    nb::enum_<PairKernel>(m, "PairKernel", "How pair matrices are counted.")
        .value("AUTOMATIC", PairKernel::automatic)
        .value("ROWS", PairKernel::rows)
        .value("COLUMNS", PairKernel::columns);
    nb::class_<Options>(m, "BinaryOptions", "Switches of the search over binary columns.").def(nb::init<>())
#define SETTING(type, name, value, text)
#define OPTION(type, name, value, text) .def_rw(#name, &Options::name, text)
#include "treewright/search/binary_options.def"
#undef OPTION
#undef SETTING
        ;
    nb::class_<BinaryProblem>(m, "BinaryProblem",
                              "A problem over binary columns, reduced to distinct rows and columns.")
        .def(nb::init<const Matrix<std::uint8_t>&, const Vector<std::int32_t>&, const Vector<std::int64_t>&,
                      const Matrix<std::int64_t>&, double, std::int64_t, bool, std::optional<Vector<std::int64_t>>,
                      bool, bool>(),
             "goes_right"_a, "y"_a, "weight"_a, "costs"_a, nb::kw_only(), "leaf_penalty"_a, "min_count"_a,
             "equivalent_points"_a, "guess"_a.none() = nb::none(), "packed"_a = false, "near_optimal"_a = false,
             "`near_optimal`: all trees within a budget are asked for, too.")
        .def("search", &BinaryProblem::search, nb::kw_only(), "max_depth"_a, "max_leaves"_a, "options"_a,
             "price_rows"_a.none(), "fewest_leaves"_a, "recheck"_a.none() = nb::none(), "threads"_a = 1, "time_limit"_a,
             "step_limit"_a, "memory_limit"_a, "report"_a.none(),
             "Search for the cheapest tree. Bounds are in weight units. `recheck`: of a guess, (steps before, most "
             "steps).")
        .def("near_optimal", &BinaryProblem::near_optimal, nb::kw_only(), "leaf_penalty"_a, "unit_shift"_a, "budget"_a,
             "max_depth"_a, "threads"_a, "time_limit"_a, "memory_limit"_a, "report"_a.none(),
             "Return all trees within the budget. Of the price of the search, what it has solved is solved.")
        .def("front", &BinaryProblem::front, nb::kw_only(), "max_depth"_a, "max_leaves"_a, "options"_a, "time_limit"_a,
             "step_limit"_a, "memory_limit"_a, "report"_a.none(),
             "Search for the cheapest tree of each number of leaves. Bounds are in weight units.")
        .def("suggest_violations", &BinaryProblem::suggest_violations, "prices"_a, nb::kw_only(), "max_depth"_a,
             "width"_a, "Find conjunctions that cost less than the prices of their rows, quickly.")
        .def("bound_violations", &BinaryProblem::bound_violations, "prices"_a, nb::kw_only(), "max_depth"_a, "bar"_a,
             "max_work"_a, "shared_losses"_a = true, "Bound by how much prices exceed the costs of any conjunction.")
        .def("row_cost", &BinaryProblem::row_cost, "Return the largest cost of each distinct row, in weight units.")
        .def("row_bits", &BinaryProblem::row_bits, "Return the distinct rows as zeros and ones, one after another.")
        .def("row_class", &BinaryProblem::row_class, "Return the cheapest class of each distinct row.")
        .def_prop_ro("n_rows", &BinaryProblem::n_rows)
        .def_prop_ro("n_columns", &BinaryProblem::n_columns)
        .def_prop_ro("base_cost", &BinaryProblem::base_cost)
        .def_prop_ro("leaf_penalty", &BinaryProblem::leaf_penalty)
        .def_prop_ro("unit_shift", &BinaryProblem::unit_shift)
        .def_prop_ro("can_count_leaves", &BinaryProblem::can_count_leaves);
}
