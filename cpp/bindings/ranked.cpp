// The search over ranked columns for Python: one function, arrays in, plain values out.
#include "check.hpp"
#include "ranked_search.hpp"
#include "treewright/objective/largest_numbers.hpp"
#include "treewright/objective/misclassification.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

namespace nb = nanobind;
using namespace treewright;
using namespace treewright::ranked;

namespace {

nb::dict solve(Run& run, Matrix<std::uint32_t> rank, Vector<std::uint16_t> label, Vector<std::int32_t> weight,
               Matrix<std::int32_t> cost, std::int64_t unit, std::int64_t leaf) {
    if (weight.size() != label.size() || cost.shape(0) != cost.shape(1))
        throw std::invalid_argument("ranked: arrays of different lengths");
    if (leaf < 1 || unit < 1) throw std::invalid_argument("ranked: parameter below 1");
    if (leaf > largest::kClassCost || unit > largest::kClassCost)
        throw std::invalid_argument("ranked: unit or leaf above 2^59");
    const auto table = std::make_shared<LabelledTable>();
    LabelledTable& data = *table;
    set_ranks(data, rank, label.size(), run.min_leaf);
    data.n_classes = static_cast<std::uint32_t>(cost.shape(0));
    data.label.assign(label.data(), label.data() + label.size());
    data.weight.assign(weight.data(), weight.data() + weight.size());
    data.cost.assign(cost.data(), cost.data() + cost.size());
    std::int64_t total = 0;
    for (std::uint32_t i = 0; i < data.n_rows; ++i) {
        if (data.label[i] >= data.n_classes || data.weight[i] < 0)
            throw std::invalid_argument("ranked: label or weight");
        const auto* row = data.cost.data() + std::size_t{data.label[i]} * data.n_classes;
        if (*std::min_element(row, row + data.n_classes) != 0) throw std::invalid_argument("ranked: costs not reduced");
        total += std::int64_t{data.weight[i]} * *std::max_element(row, row + data.n_classes);
        if (total >= largest::kClassTotal) throw std::invalid_argument("ranked: costs too large for 32-bit sums");
    }
    if (total > 0 && unit > largest::kClassCost / total)
        throw std::invalid_argument("ranked: unit times all costs is above 2^59");
    return run_over<Misclassification>(run, table, unit, leaf);
}

}  // namespace

void bind_ranked(nb::module_& m) {
    nb::class_<Options>(m, "RankedOptions", "Switches of the search over ranked columns; none changes the optimum.")
        .def(nb::init<>())
#define OPTION(type, name, value, text) .def_rw(#name, &Options::name, text)
#define SETTING(type, name, value, text)
#include "treewright/search/ranked_options.def"
#undef OPTION
#undef SETTING
        .def_rw("threads", &Options::threads, "Threads of the search, the calling one among them.");
    bind_search(m, "ranked_solve", &solve,
                "Best tree over all splits of ranked columns; see treewright.search._solve_ranked.", "rank", "label",
                "weight", "cost", "unit", "leaf");
}
