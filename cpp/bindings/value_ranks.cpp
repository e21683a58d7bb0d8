// Values of columns ranked, and rows sent through thresholds, for Python.
#include "treewright/space/threshold_bits.hpp"
#include "treewright/space/value_buckets.hpp"
#include "treewright/space/value_ranks.hpp"

#include "arrays.hpp"
#include "check.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace nb = nanobind;
using namespace treewright;

namespace {

using Ranks = nb::ndarray<std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Bits = nb::ndarray<std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using RankMatrix = nb::ndarray<std::uint32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

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

// Group g holds the thresholds begin[g] to begin[g + 1] of the column that `column` names.
void rank_groups(Matrix<double> values, Vector<std::uint32_t> column, Vector<std::uint64_t> begin,
                 Vector<double> thresholds, Vector<bool> missing_lowest, RankMatrix ranks) {
    const std::size_t n_groups = column.size(), n_rows = values.shape(1);
    require(begin.size() == n_groups + 1 && missing_lowest.size() == n_groups && ranks.shape(0) == n_groups,
            "rank_by_thresholds: arrays of different lengths");
    require(ranks.shape(1) == n_rows, "rank_by_thresholds: ranks do not fit the rows");
    require(begin.data()[0] == 0 && begin.data()[n_groups] == thresholds.size(),
            "rank_by_thresholds: groups do not fit the thresholds");
    for (std::size_t g = 0; g < n_groups; ++g) {
        const std::uint64_t first = begin.data()[g], end = begin.data()[g + 1];
        require(column.data()[g] < values.shape(0), "rank_by_thresholds: no such column");
        require(first <= end && end <= thresholds.size(), "rank_by_thresholds: groups do not fit the thresholds");
        for (std::uint64_t k = first; k < end; ++k)
            require(k == first ? !std::isnan(thresholds.data()[k]) : thresholds.data()[k - 1] <= thresholds.data()[k],
                    "rank_by_thresholds: thresholds must ascend");
    }
    nb::gil_scoped_release release;
    for (std::size_t g = 0; g < n_groups; ++g) {
        const std::uint64_t first = begin.data()[g];
        rank_by_thresholds(span_of(values).subspan(column.data()[g] * n_rows, n_rows),
                           span_of(thresholds).subspan(first, begin.data()[g + 1] - first), missing_lowest.data()[g],
                           {ranks.data() + g * n_rows, n_rows});
    }
}

void threshold_bits(Matrix<double> values, Vector<std::uint32_t> column, Vector<double> threshold,
                    Vector<bool> missing_left, Bits bits) {
    const std::size_t n = column.size(), n_rows = values.shape(1);
    require(threshold.size() == n && missing_left.size() == n && bits.shape(0) == n,
            "write_threshold_bits: arrays of different lengths");
    require(bits.shape(1) == row_bytes(n_rows), "write_threshold_bits: bits do not fit the rows");
    std::vector<Threshold> thresholds(n);
    for (std::size_t k = 0; k < n; ++k) {
        thresholds[k] = {column.data()[k], missing_left.data()[k], threshold.data()[k]};
        require(thresholds[k].column < values.shape(0), "write_threshold_bits: no such column");
        require(!std::isnan(thresholds[k].value), "write_threshold_bits: a threshold is NaN");
    }
    nb::gil_scoped_release release;
    write_threshold_bits(span_of(values), n_rows, thresholds, {bits.data(), bits.size()});
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
    m.def("rank_by_thresholds", &rank_groups, nb::arg("values"), nb::arg("column"), nb::arg("begin"),
          nb::arg("thresholds"), nb::arg("missing_lowest"), nb::arg("ranks").noconvert(),
          "Writes for groups of thresholds of a column how many of them lie below each value.");
    m.def("write_threshold_bits", &threshold_bits, nb::arg("values"), nb::arg("column"), nb::arg("threshold"),
          nb::arg("missing_left"), nb::arg("bits").noconvert(), "Writes where each threshold sends each row, as bits.");
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
