// Rows counted by the codes of their columns, for Python.
#include "treewright/kernels/code_counts.hpp"

#include "arrays.hpp"
#include "check.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace nb = nanobind;
using namespace treewright;

namespace {

using Cells = nb::ndarray<std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Codes = nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

constexpr std::size_t kMostCells = std::size_t{1} << 31;  // of all triples; what the counters of one index can reach

void count(Matrix<std::uint8_t> codes, Vector<std::uint8_t> label, Vector<std::uint32_t> sizes, std::uint32_t n_classes,
           Matrix<std::uint32_t> triples, Cells cells) {
    const std::size_t n_columns = codes.shape(0), n_rows = codes.shape(1);
    require(label.size() == n_rows, "count_codes: codes and labels of different lengths");
    require(sizes.size() == n_columns, "count_codes: one size for each column");
    require(triples.shape(1) == 3, "count_codes: three columns in each triple");
    require(n_classes >= 1 && n_classes <= 256, "count_codes: 1 to 256 classes");
    require_within(span_of(sizes), std::int64_t{1}, std::int64_t{256}, "sizes");
    std::vector<CodeTriple> asked;
    std::size_t begin = 0;
    for (std::size_t t = 0; t < triples.shape(0); ++t) {
        const std::uint32_t* const own = triples.data() + 3 * t;
        require(std::max({own[0], own[1], own[2]}) < n_columns, "count_codes: a triple names no column");
        asked.push_back({own[0], own[1], own[2], begin});
        begin += std::size_t{n_classes} * sizes.data()[own[0]] * sizes.data()[own[1]] * sizes.data()[own[2]];
        require(begin <= kMostCells, "count_codes: too many cells");
    }
    require(cells.size() == begin, "count_codes: cells do not fit the triples");
    nb::gil_scoped_release release;
    const auto largest = [n_rows](const std::uint8_t* values) {
        return n_rows == 0 ? std::uint32_t{0} : std::uint32_t{*std::max_element(values, values + n_rows)};
    };
    require(largest(label.data()) < n_classes, "count_codes: a label beyond the last class");
    for (std::size_t j = 0; j < n_columns; ++j)
        require(largest(codes.data() + j * n_rows) < sizes.data()[j], "count_codes: a code beyond the size");
    count_codes({span_of(codes), span_of(label), span_of(sizes)}, asked, {cells.data(), cells.size()});
}

void code(Vector<double> values, Vector<double> thresholds, Codes codes) {
    require(values.size() == codes.size(), "code_values: arrays of different lengths");
    require(thresholds.size() <= 254, "code_values: more than 254 thresholds");
    for (std::size_t k = 0; k < thresholds.size(); ++k)
        require(std::isfinite(thresholds.data()[k]) && (k == 0 || thresholds.data()[k - 1] < thresholds.data()[k]),
                "code_values: thresholds must be finite and ascend");
    nb::gil_scoped_release release;
    code_values(span_of(values), span_of(thresholds), {codes.data(), codes.size()});
}

}  // namespace

void bind_code_counts(nb::module_& m) {
    m.def("count_codes", &count, nb::arg("codes"), nb::arg("label"), nb::arg("sizes"), nb::arg("n_classes"),
          nb::arg("triples"), nb::arg("cells").noconvert(),
          "Adds rows to the cells of (class, code, code, code) of triples of columns.");
    m.def("code_values", &code, nb::arg("values"), nb::arg("thresholds"), nb::arg("code").noconvert(),
          "Writes how many thresholds lie below each value, 255 for NaN.");
}
