// Engine over binary columns: from arrays to a tree shape with its bounds.
#include "control.hpp"
#include "treewright/bits/dataset.hpp"
#include "treewright/bits/search.hpp"
#include "treewright/bits/units.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <numeric>
#include <stdexcept>

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using treewright::Control;
using treewright::Stop;
using namespace treewright::bits;

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> span_of(const Vector<T>& v) { return {v.data(), v.shape(0)}; }
template <class T>
std::span<const T> span_of(const Matrix<T>& m) { return {m.data(), m.shape(0) * m.shape(1)}; }

struct Outcome {
    Shape shape;
    Bounds bounds{};
    std::size_t subproblems = 0;
    std::size_t cache_entries = 0;
    std::size_t cache_shed = 0;
    std::size_t bytes = 0;
};

template <class Acc>
Outcome search(const Dataset& data, const Settings& settings, Control& control) {
    Outcome out;
    Search<Acc> engine(data, settings, control);
    out.bounds = engine.run();
    out.shape = engine.tree();
    out.cache_entries = engine.cache().size();
    out.cache_shed = engine.cache().shed_count();
    out.bytes = engine.bytes();
    return out;
}

// Turns the side of zeros first into left first: the side where the input column is 0 is left.
std::size_t orient(const Dataset& data, const Shape& in, std::size_t at, Shape& out) {
    if (in[at] < 0) {
        out.push_back(-1);
        return at + 1;
    }
    const Column& column = data.columns[static_cast<std::size_t>(in[at])];
    out.push_back(column.source);
    Shape zeros;
    Shape ones;
    std::size_t next = orient(data, in, at + 1, zeros);
    next = orient(data, in, next, ones);
    if (column.flipped) std::swap(zeros, ones);
    out.insert(out.end(), zeros.begin(), zeros.end());
    out.insert(out.end(), ones.begin(), ones.end());
    return next;
}

nb::dict solve_bits(const Matrix<std::uint8_t>& goes_right, const Vector<std::int32_t>& y,
                    const Vector<std::int64_t>& weight, const Matrix<std::int64_t>& costs, double leaf_price,
                    std::int32_t max_depth, std::int64_t min_count, const Options& options, bool equivalent_points,
                    double time_limit, std::int64_t step_limit, std::size_t memory_limit, nb::object report) {
    const std::size_t n = y.shape(0);
    if (goes_right.shape(1) != n || weight.shape(0) != n || costs.shape(0) != costs.shape(1))
        throw std::invalid_argument("solve_bits: shapes do not agree");
    Control control = treewright::make_control(time_limit, step_limit, memory_limit, std::move(report));
    Outcome out;
    Dataset data;
    Units units;
    Shape shape;
    {
        nb::gil_scoped_release release;
        data = reduce({span_of(goes_right), goes_right.shape(0), n, span_of(y), span_of(weight), span_of(costs),
                       costs.shape(0), min_count > 1, equivalent_points});
        std::int64_t total = 0;  // bounds every channel sum, and the sum over channels
        for (const std::int64_t c : data.cost) total += c;
        if (min_count > 1) total += static_cast<std::int64_t>(n);
        units = Units::make(total, leaf_price);
        control.units(units.to_weight(1), static_cast<double>(data.base_cost));
        const Settings settings{units.leaf_price, units.shift, max_depth < 0 ? kUnlimited : max_depth,
                                min_count > 1 ? min_count : 0, options};
        out = total < (std::int64_t{1} << 28) ? search<std::int32_t>(data, settings, control)
                                              : search<std::int64_t>(data, settings, control);
        orient(data, out.shape, 0, shape);
    }
    nb::dict result;
    result["shape"] = shape;
    result["lower_bound"] = units.to_weight(out.bounds.lower) + static_cast<double>(data.base_cost);
    result["upper_bound"] = units.to_weight(out.bounds.upper) + static_cast<double>(data.base_cost);
    result["exact"] = out.bounds.exact();
    result["feasible"] = out.bounds.upper < kInfinity;
    result["stop"] = control.reason();
    result["seconds"] = control.seconds();
    result["steps"] = control.steps();
    result["bytes"] = out.bytes;
    result["cache_entries"] = out.cache_entries;
    result["cache_shed"] = out.cache_shed;
    result["distinct_rows"] = data.n_rows;
    result["distinct_columns"] = data.n_columns;
    return result;
}

}  // namespace

void bind_bits(nb::module_& m) {
    nb::enum_<PairKernel>(m, "PairKernel", "How pair matrices are counted.")
        .value("AUTOMATIC", PairKernel::automatic)
        .value("ROWS", PairKernel::rows)
        .value("COLUMNS", PairKernel::columns);
    nb::class_<Options>(m, "BitsOptions", "Switches of the search over binary columns.")
        .def(nb::init<>())
        .def_rw("lookahead", &Options::lookahead)
        .def_rw("two_leaves", &Options::two_leaves)
        .def_rw("budgets", &Options::budgets)
        .def_rw("similar_support", &Options::similar_support)
        .def_rw("cache", &Options::cache)
        .def_rw("greedy_start", &Options::greedy_start)
        .def_rw("kernel", &Options::kernel);
    m.def("solve_bits", &solve_bits, "goes_right"_a, "y"_a, "weight"_a, "costs"_a, nb::kw_only(), "leaf_price"_a,
          "max_depth"_a, "min_count"_a, "options"_a, "equivalent_points"_a, "time_limit"_a, "step_limit"_a,
          "memory_limit"_a, "report"_a.none(),
          "Search for the cheapest tree over binary columns. Costs and bounds are in weight units.");
}
