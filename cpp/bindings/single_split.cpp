// The best single split of a table for Python.
#include "treewright/tree/single_split.hpp"

#include "treewright/tree/quantile_split.hpp"

#include "arrays.hpp"
#include "check.hpp"
#include "encoded_rows.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace nb = nanobind;
using namespace treewright;
using namespace treewright::tree;

namespace {

template <class Rows>
nb::object look(const Table& X, const Vector<std::uint32_t>& n_codes, const Rows& rows, std::size_t min_leaf,
                double below) {
    require(X.shape(0) < (std::size_t{1} << 32), "rows: 2^32 or more");
    require(n_codes.size() == X.shape(1), "n_codes: not one for each column");
    std::optional<SingleSplit> best;
    {
        nb::gil_scoped_release release;
        best = best_single_split(TypedRows{rows_of(X), span_of(n_codes)}, rows, min_leaf, below);
    }
    if (!best) return nb::none();
    return nb::make_tuple(best->column, best->low, best->high, best->missing_left);
}

}  // namespace

void bind_single_split(nb::module_& m) {
    m.def(
        "best_split_of_labels",
        [](Table X, Vector<std::uint32_t> n_codes, int loss, Vector<std::int32_t> y, Vector<double> weight,
           std::size_t n_classes, Vector<double> costs, std::size_t min_leaf, double below) {
            require(loss >= 0 && loss <= 2, "loss must be 0 to 2");
            require(X.shape(0) == y.size() && weight.size() == y.size(), "rows: arrays of different lengths");
            require(n_classes >= 1 && n_classes <= 4096, "n_classes out of range");
            require(loss != 0 || costs.size() == n_classes * n_classes, "costs must be square");
            require_within(span_of(y), std::int64_t{0}, static_cast<std::int64_t>(n_classes) - 1, "y");
            const LabelledRows rows{static_cast<LabelledRows::Loss>(loss), span_of(y), span_of(weight), span_of(costs),
                                    n_classes};
            return look(X, n_codes, rows, min_leaf, below);
        },
        nb::arg("X"), nb::arg("n_codes"), nb::arg("loss"), nb::arg("y"), nb::arg("weight"), nb::arg("n_classes"),
        nb::arg("costs"), nb::arg("min_leaf"), nb::arg("below"),
        "Column, the values around the threshold, and whether missing values go left; see "
        "treewright.search._single_split.");
    m.def(
        "best_of_packed_splits",
        [](Matrix<std::uint8_t> packed, Vector<std::int32_t> y, Vector<double> weight, std::size_t n_classes,
           Vector<double> costs, std::size_t min_leaf) {
            require(weight.size() == y.size() && packed.shape(1) == (y.size() + 7) / 8,
                    "rows: arrays of different lengths");
            require(n_classes >= 1 && n_classes <= 4096, "n_classes out of range");
            require(costs.size() == n_classes * n_classes, "costs must be square");
            require_within(span_of(y), std::int64_t{0}, static_cast<std::int64_t>(n_classes) - 1, "y");
            const LabelledRows rows{LabelledRows::Loss::costs, span_of(y), span_of(weight), span_of(costs), n_classes};
            std::optional<std::size_t> best;
            {
                nb::gil_scoped_release release;
                best = best_single_split(span_of(packed), packed.shape(0), rows, min_leaf);
            }
            return best ? nb::cast(*best) : nb::none();
        },
        nb::arg("packed"), nb::arg("y"), nb::arg("weight"), nb::arg("n_classes"), nb::arg("costs"), nb::arg("min_leaf"),
        "Number of the best of splits whose rows are bits; see treewright.search._single_split.");
    m.def(
        "best_split_of_sums",
        [](Table X, Vector<std::uint32_t> n_codes, int kind, Matrix<double> numbers, std::size_t min_leaf,
           double below) {
            require(kind >= 0 && kind <= 2, "kind must be 0 to 2");
            require(X.shape(0) == numbers.shape(0), "rows: arrays of different lengths");
            const std::size_t n_sums = numbers.shape(1);
            require(kind == 0   ? n_sums >= 1
                    : kind == 1 ? n_sums >= 3
                                : n_sums == 3,
                    "numbers: others than the loss has");
            return look(X, n_codes, SummedRows{static_cast<LossSums::Kind>(kind), span_of(numbers), n_sums}, min_leaf,
                        below);
        },
        nb::arg("X"), nb::arg("n_codes"), nb::arg("kind"), nb::arg("numbers"), nb::arg("min_leaf"), nb::arg("below"),
        "The same for rows of whose sums the loss of a leaf is a function.");
    m.def(
        "best_split_of_targets",
        [](Table X, Vector<double> target, Vector<double> weight, double up, double down, std::size_t min_leaf,
           double below) {
            require(X.shape(0) == target.size() && weight.size() == target.size(), "rows: arrays of different lengths");
            require(X.shape(0) < (std::size_t{1} << 32) - 1, "rows: 2^32 - 1 or more");
            require(up > 0 && down > 0, "up and down must be positive");
            for (const double y : span_of(target)) require(std::isfinite(y), "target must be finite");
            for (const double w : span_of(weight)) require(w > 0 && std::isfinite(w), "weight must be positive");
            const TargetRows rows{span_of(target), span_of(weight), up, down};
            QuantileSplit found;
            {
                nb::gil_scoped_release release;
                found = best_quantile_split(rows_of(X), rows, min_leaf, below);
            }
            const auto& best = found.best;
            return nb::make_tuple(
                best ? nb::object(nb::make_tuple(best->column, best->low, best->high, best->missing_left)) : nb::none(),
                found.n_walked);
        },
        nb::arg("X"), nb::arg("target"), nb::arg("weight"), nb::arg("up"), nb::arg("down"), nb::arg("min_leaf"),
        nb::arg("below"),
        "The same for the quantile loss of targets, and how many columns had to "
        "be ranked for it.");
}
