// Trees counted and pruned for Python: the splits of a tree as an object, the rows of its table as arrays.
#include "arrays.hpp"
#include "check.hpp"
#include "encoded_rows.hpp"
#include "treewright/tree/class_sums.hpp"
#include "treewright/tree/pruning.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

namespace nb = nanobind;
using namespace treewright;
using namespace treewright::tree;

namespace {

constexpr std::int64_t kMaxWeight = std::int64_t{1} << 54;  // sums of weights, and each cost
constexpr Wide kMaxCost = Wide{1} << 124;                   // of all rows and leaves together

using Halves = std::pair<std::int64_t, std::uint64_t>;

Wide joined(const Halves& halves) { return (Wide{halves.first} << 64) | Wide{halves.second}; }

// kind: 0 a leaf, 1 a threshold, 2 categories, of which the codes categories[:end] go left that are not of a split
// before.
SplitList split_list(Vector<std::uint8_t> kind, Vector<std::int32_t> column, Vector<double> threshold,
                     Vector<bool> missing_left, Vector<std::int64_t> end, Vector<double> categories) {
    const std::size_t n = kind.size();
    require(column.size() == n && threshold.size() == n && missing_left.size() == n && end.size() == n,
            "splits: arrays of different lengths");
    require_within(span_of(kind), 0, 2, "kind");
    SplitList splits;
    splits.categories.assign(categories.data(), categories.data() + categories.size());
    std::int64_t first = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t last = end.data()[i];
        require(first <= last && last <= static_cast<std::int64_t>(categories.size()),
                "splits: ends of categories out of order");
        require(kind.data()[i] == 0 || column.data()[i] >= 0, "splits: column below 0");
        splits.nodes.push_back({static_cast<Split::Kind>(kind.data()[i]), missing_left.data()[i],
                                static_cast<std::uint32_t>(std::max(column.data()[i], 0)), threshold.data()[i],
                                static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last)});
        std::sort(splits.categories.begin() + first, splits.categories.begin() + last);
        first = last;
    }
    static_cast<void>(children_of(splits));  // throws if they are no tree
    return splits;
}

void require_columns(const SplitList& splits, const Table& X) {
    require(X.shape(0) < (std::size_t{1} << 32), "rows: more than 2^32");
    for (const Split& split : splits.nodes)
        require(split.is_leaf() || split.column < X.shape(1), "splits: a column that the table does not have");
}

void require_rows(const SplitList& splits, const Table& X, const Vector<std::int32_t>& y, std::size_t n_weights,
                  std::size_t n_classes) {
    require(X.shape(0) == y.size() && n_weights == y.size(), "rows: arrays of different lengths");
    require(n_classes >= 1 && n_classes < (std::size_t{1} << 31), "n_classes out of range");
    require_within(span_of(y), std::int64_t{0}, static_cast<std::int64_t>(n_classes) - 1, "y");
    require_columns(splits, X);
}

nb::tuple count(const SplitList& splits, Table X, Vector<std::int32_t> y, Vector<double> weight,
                std::size_t n_classes) {
    require_rows(splits, X, y, weight.size(), n_classes);
    ClassSums sums;
    {
        nb::gil_scoped_release release;
        sums = class_sums(splits, rows_of(X), span_of(y), span_of(weight), n_classes);
    }
    std::vector<std::int32_t> left, right;
    for (const Children& children : sums.children) {
        left.push_back(children.left);
        right.push_back(children.right);
    }
    const std::size_t n = splits.size();
    return nb::make_tuple(to_numpy(std::move(left), {n}), to_numpy(std::move(right), {n}),
                          to_numpy(std::move(sums.count), {n}), to_numpy(std::move(sums.weight), {n, n_classes}));
}

struct Checked {
    Labels labels;
    CostRates rates;
};

Checked check(const SplitList& splits, const Table& X, const Vector<std::int32_t>& y,
              const Vector<std::int64_t>& weight, const Matrix<std::int64_t>& costs, const Halves& unit,
              const Halves& leaf) {
    const std::size_t n_classes = costs.shape(0);
    require(costs.shape(1) == n_classes, "costs must be square");
    require_rows(splits, X, y, weight.size(), n_classes);
    require_within(span_of(costs), std::int64_t{0}, kMaxWeight, "costs");
    const std::int64_t total = require_sum(span_of(weight), kMaxWeight, "weight");
    const CostRates rates{joined(unit), joined(leaf)};
    const Wide most = Wide{total} * *std::max_element(costs.data(), costs.data() + costs.size());
    require(rates.unit >= 1 && rates.leaf >= 0 && (most == 0 || rates.unit <= kMaxCost / most) &&
                rates.leaf <= kMaxCost / static_cast<Wide>(splits.size()),
            "unit or leaf out of range");
    return {{span_of(y), span_of(weight), span_of(costs), n_classes}, rates};
}

LossSums check_loss(const SplitList& splits, const Table& X, int kind, const Matrix<std::int64_t>& sums,
                    const Vector<double>& unit, double one_leaf) {
    require_columns(splits, X);
    require(kind >= 0 && kind <= 3, "kind must be 0 to 3");
    const std::size_t n_sums = sums.shape(1);
    require(sums.shape(0) == X.shape(0), "rows: arrays of different lengths");
    require(n_sums == unit.size() && (kind == 1   ? n_sums >= 3
                                      : kind == 2 ? n_sums == 3
                                                  : n_sums >= 1),
            "sums: another number than the loss has");
    require(one_leaf > 0 && std::isfinite(one_leaf), "one_leaf out of range");
    std::vector<std::uint64_t> size(n_sums, 0);
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const std::int64_t v = sums.data()[i];
        std::uint64_t& total = size[i % n_sums];
        total += v < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(v) : static_cast<std::uint64_t>(v);
        require(total < (std::uint64_t{1} << 63), "sums: beyond 64 bits");
    }
    return {static_cast<LossSums::Kind>(kind), span_of(sums), n_sums, span_of(unit), one_leaf};
}

Deadline after(double seconds) {
    require(seconds >= 0, "seconds must be at least 0");
    const std::chrono::duration<double> most(std::min(seconds, 1e6));
    return std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(most);
}

nb::tuple to_python(PrunedTree&& pruned) {
    const std::size_t n = pruned.source.size();
    return nb::make_tuple(to_numpy(std::move(pruned.source), {n}), pruned.merged_leaves);
}

}  // namespace

void bind_pruning(nb::module_& m) {
    nb::class_<SplitList>(m, "SplitList", "The splits of a tree, depth-first, left before right.")
        .def(
            "__init__",
            [](SplitList* self, Vector<std::uint8_t> kind, Vector<std::int32_t> column, Vector<double> threshold,
               Vector<bool> missing_left, Vector<std::int64_t> category_end, Vector<double> categories) {
                new (self) SplitList(split_list(kind, column, threshold, missing_left, category_end, categories));
            },
            nb::arg("kind"), nb::arg("column"), nb::arg("threshold"), nb::arg("missing_left"), nb::arg("category_end"),
            nb::arg("categories"));
    m.def("tree_counts", &count, nb::arg("splits"), nb::arg("X"), nb::arg("y"), nb::arg("weight"), nb::arg("n_classes"),
          "Left and right child, rows, and weight of each class of every node; see treewright.search._counted.");
    m.def(
        "cheapest_pruning",
        [](const SplitList& splits, Table X, Vector<std::int32_t> y, Vector<std::int64_t> weight,
           Matrix<std::int64_t> costs, Halves unit, Halves leaf, double least, double seconds) {
            const Checked checked = check(splits, X, y, weight, costs, unit, leaf);
            require(least >= 0 && least <= 1, "least must lie in 0 to 1");
            const Deadline deadline = after(seconds);
            nb::gil_scoped_release release;
            PrunedTree pruned =
                cheapest_pruning(splits, rows_of(X), checked.labels, checked.rates, least, {}, deadline);
            nb::gil_scoped_acquire acquire;
            return to_python(std::move(pruned));
        },
        nb::arg("splits"), nb::arg("X"), nb::arg("y"), nb::arg("weight"), nb::arg("costs"), nb::arg("unit"),
        nb::arg("leaf"), nb::arg("least"), nb::arg("seconds"),
        "Splits of the cheapest pruning; see treewright.search._prune.");
    m.def(
        "cheapest_loss_pruning",
        [](const SplitList& splits, Table X, int kind, Matrix<std::int64_t> sums, Vector<double> unit, double one_leaf,
           std::int64_t leaf, double seconds) {
            const LossSums loss = check_loss(splits, X, kind, sums, unit, one_leaf);
            require(leaf >= 0 && leaf <= 2 * LossSums::kUnits, "leaf out of range");
            const Deadline deadline = after(seconds);
            nb::gil_scoped_release release;
            PrunedTree pruned = cheapest_pruning(splits, rows_of(X), loss, leaf, deadline);
            nb::gil_scoped_acquire acquire;
            return to_python(std::move(pruned));
        },
        nb::arg("splits"), nb::arg("X"), nb::arg("kind"), nb::arg("sums"), nb::arg("unit"), nb::arg("one_leaf"),
        nb::arg("leaf"), nb::arg("seconds"),
        "Splits of the cheapest pruning for an additive loss; see treewright.search._prune_additive.");
    m.def(
        "best_worst_leaf",
        [](const SplitList& splits, Table X, Vector<std::int32_t> y, Vector<std::int64_t> weight,
           Matrix<std::int64_t> costs, Halves unit, Halves leaf, double z, double scale, double seconds) {
            const Checked checked = check(splits, X, y, weight, costs, unit, leaf);
            require(z >= 0 && std::isfinite(z) && scale > 0 && std::isfinite(scale), "z or scale out of range");
            require(is_plain(checked.labels), "a worst leaf is asked of plain costs only");
            const Deadline deadline = after(seconds);
            nb::gil_scoped_release release;
            PrunedTree pruned =
                best_worst_leaf(splits, rows_of(X), checked.labels, checked.rates, {z, scale}, deadline);
            nb::gil_scoped_acquire acquire;
            return to_python(std::move(pruned));
        },
        nb::arg("splits"), nb::arg("X"), nb::arg("y"), nb::arg("weight"), nb::arg("costs"), nb::arg("unit"),
        nb::arg("leaf"), nb::arg("z"), nb::arg("scale"), nb::arg("seconds"),
        "Splits of the pruning with the best worst leaf; see treewright.search._prune.");
}
