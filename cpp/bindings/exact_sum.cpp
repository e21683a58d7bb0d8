// Exactly rounded sums for Python.
#include "treewright/core/exact_sum.hpp"

#include "arrays.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

namespace nb = nanobind;
using namespace treewright;

void bind_exact_sum(nb::module_& m) {
    m.def(
        "exact_sum",
        [](Vector<double> numbers) {
            nb::gil_scoped_release release;
            return exact_sum(span_of(numbers));
        },
        nb::arg("numbers"), "The exactly rounded sum; see treewright.search._exact_sum.");
}
