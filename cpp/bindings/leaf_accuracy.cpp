// The search for the best worst leaf for Python: one function, arrays in, plain values out.
#include "arrays.hpp"
#include "check.hpp"
#include "control.hpp"
#include "ranked_tree.hpp"
#include "treewright/leaf_accuracy/search.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

namespace nb = nanobind;
using namespace treewright;
using namespace treewright::leaf_accuracy;

namespace {

constexpr Count kMaxWeight = Count{1} << 25;    // products of two weights stay below 2^52
constexpr Count kMaxTabled = Count{1} << 24;    // weights of the lower bound's table
constexpr std::uint32_t kMaxClasses = 1 << 13;  // their cost matrix is made
constexpr Cost kMaxCost = Cost{1} << 123;
constexpr int kMaxShift = 100;
// Of deviations, and of rows for a unit of coarse weight: what a leaf of all rows wants is below 2^63.
constexpr double kMaxZ = 0x1p10, kMostRows = 0x1p60;

// Numbers of 128 bits come and go as two halves.
Cost joined(std::pair<std::int64_t, std::uint64_t> halves) {
    return static_cast<Cost>((static_cast<Whole>(halves.first) << 64) | halves.second);
}
nb::tuple halves(Cost number) {
    return nb::make_tuple(static_cast<std::int64_t>(number >> 64), static_cast<std::uint64_t>(number));
}

Data make_data(Matrix<std::uint32_t> rank, Vector<std::uint16_t> label, Vector<std::int32_t> weight,
               std::optional<Matrix<std::uint64_t>> full, int shift, std::uint32_t n_classes, std::int64_t min_leaf,
               bool lower_bound, double z, double scale, bool real_weights) {
    if (rank.shape(1) != label.size() || weight.size() != label.size())
        throw std::invalid_argument("leaf_accuracy: arrays of different lengths");
    if (label.size() == 0 || n_classes < 1) throw std::invalid_argument("leaf_accuracy: no rows or no classes");
    if (label.size() >= (std::size_t{1} << 31) || n_classes > kMaxClasses)
        throw std::invalid_argument("leaf_accuracy: too many rows or classes");
    require_ranks({rank.data(), rank.size()}, label.size());
    if (min_leaf < 1 || min_leaf > static_cast<std::int64_t>(label.size()))
        throw std::invalid_argument("leaf_accuracy: min_leaf out of range");
    if (!(z >= 0 && z <= kMaxZ) || !(scale > 0)) throw std::invalid_argument("leaf_accuracy: z or scale out of range");
    Data data;
    data.measure = {lower_bound ? Criterion::lower_bound : Criterion::accuracy, z, scale, real_weights};
    data.min_leaf = min_leaf;
    ranked::LabelledTable& table = data.table;
    table.n_rows = static_cast<std::uint32_t>(label.size());
    table.n_columns = static_cast<std::uint32_t>(rank.shape(0));
    table.n_classes = n_classes;
    table.rank.assign(rank.data(), rank.data() + rank.size());
    table.label.assign(label.data(), label.data() + label.size());
    table.weight.assign(weight.data(), weight.data() + weight.size());
    table.cost.assign(std::size_t{n_classes} * n_classes, 1);
    for (std::size_t k = 0; k < n_classes; ++k) table.cost[k * (n_classes + 1)] = 0;
    Count total = 0;
    for (std::uint32_t i = 0; i < table.n_rows; ++i) {
        if (table.label[i] >= n_classes || table.weight[i] < 1)
            throw std::invalid_argument("leaf_accuracy: label or weight out of range");
        total += table.weight[i];
    }
    if (total > (lower_bound ? kMaxTabled : kMaxWeight))
        throw std::invalid_argument("leaf_accuracy: weights too large");
    if (full) {
        if (full->shape(0) != label.size() || full->shape(1) != 2 || shift < 0 || shift > kMaxShift)
            throw std::invalid_argument("leaf_accuracy: full weights of a different shape");
        Whole sum = 0;
        for (std::size_t i = 0; i < label.size(); ++i) {
            const Whole value = (Whole{full->data()[2 * i]} << 64) | full->data()[2 * i + 1];
            if (value == 0 || value > (Whole{1} << 101))
                throw std::invalid_argument("leaf_accuracy: full weight out of range");
            sum += value;
            data.full.push_back(value);
        }
        if (sum > (Whole{1} << 101)) throw std::invalid_argument("leaf_accuracy: full weights too large");
        data.shift = shift;
    }
    const double rows = std::ldexp(scale, data.shift);
    if (lower_bound && !(rows >= 1 / kMostRows && rows <= kMostRows))
        throw std::invalid_argument("leaf_accuracy: z or scale out of range");
    data.prepare();
    return data;
}

// `target`: none for the best worst leaf, else the value (numerator, denominator; or the bound, 1) that every leaf
// needs.
nb::dict solve(Matrix<std::uint32_t> rank, Vector<std::uint16_t> label, Vector<std::int32_t> weight,
               std::optional<Matrix<std::uint64_t>> full, int shift, std::uint32_t n_classes, std::int64_t min_leaf,
               std::uint32_t depth, bool lower_bound, double z, double scale, bool real_weights,
               std::optional<std::pair<std::int64_t, std::int64_t>> target,
               std::pair<std::int64_t, std::uint64_t> unit_halves, std::pair<std::int64_t, std::uint64_t> leaf_halves,
               const Options& options, double time_limit, std::int64_t step_limit, std::size_t memory_limit,
               nb::object report) {
    const Data data =
        make_data(rank, label, weight, full, shift, n_classes, min_leaf, lower_bound, z, scale, real_weights);
    const Cost unit = joined(unit_halves), leaf = joined(leaf_halves);
    const Cost max_leaves =
        std::min<Cost>(data.n_rows() / data.min_leaf, Cost{1} << std::min<std::uint32_t>(depth, 40)) + 1;
    if (unit < 1 || leaf < 1 || (Cost{data.total} << data.shift) > kMaxCost / unit || leaf > kMaxCost / max_leaves)
        throw std::invalid_argument("leaf_accuracy: unit or leaf out of range");
    if (target && (lower_bound || target->first < 0 || target->second < 1 || target->first > target->second ||
                   target->second > kMaxWeight))
        throw std::invalid_argument("leaf_accuracy: target out of range");
    Control control = make_control(time_limit, step_limit, memory_limit, std::move(report));
    Answer answer;
    std::vector<TreeNode> tree;
    Statistics statistics;
    const FullCostRates rates = FullCostRates::of(unit, leaf, data);
    {
        nb::gil_scoped_release release;
        Search search(data, options, control);
        if (target)
            answer = search.cheapest(depth,
                                     Target::at(data.measure, data.rounding,
                                                data.measure.as_good({static_cast<Whole>(target->first),
                                                                      static_cast<Whole>(target->second)}),
                                                false, data.min_leaf, data.total),
                                     rates);
        else
            answer = search.best(depth, &rates);
        tree = search.write(answer.plan);
        statistics = search.statistics();
    }
    nb::dict result;
    result["feasible"] = answer.feasible;
    result["proven_value"] = answer.proven_value;
    result["upper_bound"] = answer.upper_bound;
    result["proven_cost"] = answer.proven_cost;
    result["cost"] = halves(answer.cost);
    result["cost_bound"] = halves(answer.cost_bound);
    result["nodes"] = to_python(tree);
    add_run(result, control);
    result["pair_solves"] = statistics.pair_solves;
    result["pair_costs"] = statistics.pair_costs;
    result["branches"] = statistics.branches;
    result["cache_hits"] = statistics.cache_hits;
    result["targets"] = statistics.targets;
    result["passes"] = statistics.passes;
    result["bytes"] = statistics.bytes;
    return result;
}

}  // namespace

void bind_leaf_accuracy(nb::module_& m) {
    nb::class_<Options>(m, "LeafAccuracyOptions",
                        "Switches of the search for the best worst leaf; none changes an optimum.")
        .def(nb::init<>())
#define OPTION(type, name, value, text) .def_rw(#name, &Options::name, text)
#include "treewright/leaf_accuracy/options.def"
#undef OPTION
        .def_rw("threads", &Options::threads, "Threads of the search, the calling one among them.");
    m.def("leaf_accuracy_solve", &solve, nb::arg("rank"), nb::arg("label"), nb::arg("weight"), nb::arg("full").none(),
          nb::arg("shift"), nb::arg("n_classes"), nb::arg("min_leaf"), nb::arg("depth"), nb::arg("lower_bound"),
          nb::arg("z"), nb::arg("scale"), nb::arg("real_weights"), nb::arg("target").none(), nb::arg("unit"),
          nb::arg("leaf"), nb::arg("options"), nb::arg("time_limit"), nb::arg("step_limit"), nb::arg("memory_limit"),
          nb::arg("report").none(),
          "Tree with the best worst leaf over all splits of ranked columns; see treewright.search._leaf_accuracy.");
}
