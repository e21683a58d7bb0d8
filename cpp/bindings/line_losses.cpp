// What lines in one column leave of a leaf, for Python.
#include "treewright/tree/line_losses.hpp"

#include "arrays.hpp"
#include "check.hpp"
#include "encoded_rows.hpp"

#include <nanobind/nanobind.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace nb = nanobind;
using namespace treewright;
using namespace treewright::tree;

void bind_line_losses(nb::module_& m) {
    m.def(
        "line_losses",
        [](Table X, Vector<std::int64_t> rows, Vector<double> apart, Vector<double> weight,
           Vector<std::int64_t> columns) {
            require(apart.size() == rows.size() && weight.size() == rows.size(), "rows: arrays of different lengths");
            require_within(span_of(rows), std::int64_t{0}, static_cast<std::int64_t>(X.shape(0)) - 1, "rows");
            require_within(span_of(columns), std::int64_t{0}, static_cast<std::int64_t>(X.shape(1)) - 1, "columns");
            std::vector<double> loss(columns.size());
            {
                nb::gil_scoped_release release;
                line_losses(rows_of(X), {span_of(rows), span_of(apart), span_of(weight)}, span_of(columns), loss);
            }
            return to_numpy(std::move(loss));
        },
        nb::arg("X"), nb::arg("rows"), nb::arg("apart"), nb::arg("weight"), nb::arg("columns"),
        "Squared error of the best line in each column over some rows; see treewright.search._simple_lines.");
}
