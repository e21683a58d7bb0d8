// Values of a column ranked for Python.
#include "treewright/space/value_buckets.hpp"
#include "treewright/space/value_ranks.hpp"

#include "arrays.hpp"
#include "check.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace nb = nanobind;
using namespace treewright;

namespace {

using Ranks = nb::ndarray<std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

nb::tuple rank(Vector<double> column, Ranks ranks) {
    require(column.size() == ranks.size(), "rank: arrays of different lengths");
    require(column.size() < (std::size_t{1} << 32) - 1, "rank: 2^32 - 1 rows or more");
    ValueRanks found;
    {
        nb::gil_scoped_release release;
        found = rank_values(span_of(column), {ranks.data(), ranks.size()});
    }
    const std::uint32_t n_known = found.n_known;
    return nb::make_tuple(to_numpy(std::move(found.values)), n_known);
}

// Every row must be of a known rank or beyond all, and as many of each rank as `before` says.
nb::object running(Vector<std::int64_t> before, std::uint32_t n_known, Vector<std::uint32_t> rank,
                   Vector<double> weight) {
    require(rank.size() == weight.size(), "running: arrays of different lengths");
    std::vector<std::int64_t> rows(before.size(), 0);
    for (const std::uint32_t r : span_of(rank))
        if (r < rows.size()) ++rows[r];
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < rows.size(); ++k) {
        require(before.data()[k] == sum, "running: before does not fit the ranks");
        sum += rows[k];
    }
    require(sum == n_known, "running: n_known does not fit the ranks");
    std::vector<double> sums;
    {
        nb::gil_scoped_release release;
        sums = running_weights(span_of(before), n_known, span_of(rank), span_of(weight));
    }
    return nb::cast(to_numpy(std::move(sums)));
}

ValueBuckets buckets(Vector<double> column) {
    require(column.size() < (std::size_t{1} << 32) - 1, "buckets: 2^32 - 1 rows or more");
    nb::gil_scoped_release release;
    return ValueBuckets(span_of(column));
}

nb::tuple gap(ValueBuckets& buckets, std::uint32_t which) {
    require(which < buckets.n_gaps(), "gap: there are not so many");
    const ValueBuckets::Gap found = buckets.gap(which);
    return nb::make_tuple(found.below, found.above, found.left);
}

}  // namespace

void bind_value_ranks(nb::module_& m) {
    m.def("rank_values", &rank, nb::arg("column"), nb::arg("rank").noconvert(),
          "Writes the rank of each value of a column; returns the values and the known rows.");
    nb::class_<ValueBuckets>(m, "ValueBuckets", "A column in buckets of neighbouring values, each sorted when needed.")
        .def(
            "__init__", [](ValueBuckets* self, Vector<double> column) { new (self) ValueBuckets(buckets(column)); },
            nb::arg("column"))
        .def_prop_ro("n_known", &ValueBuckets::n_known, "Rows with a value.")
        .def_prop_ro("n_gaps", &ValueBuckets::n_gaps, "Gaps between neighbouring distinct values.")
        .def("gap", &gap, nb::arg("which"), "Returns the values around a gap, and the rows on its left.")
        .def("first_with", &ValueBuckets::first_with, nb::arg("rows"),
             "Returns the first gap with as many rows on its left, or the number of gaps.");
    m.def("running_weights", &running, nb::arg("before"), nb::arg("n_known"), nb::arg("rank"), nb::arg("weight"),
          "Returns the weight of the rows with at most each value, added row by row.");
}
