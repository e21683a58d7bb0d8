// Ranks of a column of numbers for Python.
#include "treewright/space/value_ranks.hpp"

#include "arrays.hpp"
#include "check.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <limits>
#include <utility>
#include <vector>

namespace nb = nanobind;
using namespace treewright;

namespace {

template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(std::vector<T>&& values) {
    auto* owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T, nb::ndim<1>>(owned->data(), {owned->size()}, owner);
}

nb::tuple rank_values(const Vector<double>& x,
                      nb::ndarray<std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> rank) {
    require(rank.shape(0) == x.shape(0), "arrays of different lengths");
    require(x.shape(0) <= std::numeric_limits<std::uint32_t>::max(), "too many rows");
    ranked::ValueRanks found;
    {
        nb::gil_scoped_release release;
        found = ranked::rank_values(span_of(x), {rank.data(), rank.shape(0)});
    }
    return nb::make_tuple(to_numpy(std::move(found.values)), to_numpy(std::move(found.before)), found.n_known);
}

}  // namespace

void bind_value_ranks(nb::module_& m) {
    m.def("rank_values", &rank_values, nb::arg("x"), nb::arg("rank").noconvert(),
          "Write the rank of each value; return the distinct values, the rows before each, and the known rows.");
}
