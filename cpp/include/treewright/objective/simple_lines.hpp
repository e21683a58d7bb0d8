// Lines in one column: a leaf of rows with weights w_i, targets y_i and values x_ij says a + b x_ij for one column j,
// which it chooses, or a constant, and its loss is the least sum of w_i (y_i - a - b x_ij)^2. A column may have the
// line of a leaf where no row of the leaf lacks its value.
//
// With W the sum of the weights, and with S(u, v) = W sum w u v - (sum w u) (sum w v), that is
//     L = (S(y, y) - max_j S(x_j, y)^2 / S(x_j, x_j)) / W,        0 / 0 = 0.
// Values, targets and weights are whole numbers such that all S are below 2^125: they are computed without an error.
//
// Laws. Give a row the loss infinity for the lines of the columns whose value it lacks. Then every line of every column
// is one choice for any set of rows, with a loss that is a sum over its rows of numbers that are not negative, and L
// the least of all choices. A choice for A + B is one for A and one for B: L is superadditive, and with L >= 0
// monotone. A row more may cost any amount, so the loss is not `similar`.
//
// The quotient is computed in double precision: p = L 2^scale but for an error of less than kSlack = 1 unit (proof at
// SimpleLines::computed). The integer loss of a set S of n >= 1 rows is, with e = kSlack,
//     l(S) = floor(p + 4 e n - 3 e).
//  l >= 0           p >= -e, and 4 e n - 3 e >= e.
//  superadditive    with G = L 2^scale + 4 e n, which is: l(A + B) is the floor of at least G(A + B) - 4 e, and those
//                   of A and B are floors of at most G - 2 e each; floor(a) + floor(b) <= floor(a + b).
//  monotone         a row more adds 4 e, which the two errors of e cannot undo.
// Of what is added, 4 e a row is the same for every tree, and -3 e a leaf is a part of the leaf penalty.
#pragma once

#include "treewright/objective/table_objective.hpp"
#include "treewright/objective/target_table.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace treewright::ranked {

struct LineTable : RankedTable {
    static constexpr std::int64_t kMissing = std::numeric_limits<std::int64_t>::min();
    static constexpr std::int64_t kLargestNumber = std::int64_t{1} << 52;  // of values and targets: exact as doubles
    static constexpr std::int64_t kLargestWeight = std::int64_t{1} << 22;  // of all rows
    static constexpr std::int64_t kLargestSum = std::int64_t{1} << 62;     // largest number times weight of all rows
    static constexpr double kLargestLoss = 562949953421312.0;              // 2^49: units of the loss of one constant

    std::uint32_t n_lines = 0;         // columns that may have a line
    std::vector<std::int64_t> weight;  // [row], >= 1
    std::vector<std::int64_t> target;  // [row]
    std::vector<std::int64_t> value;   // [row][line], or kMissing
    int scale = 0;                     // 2^scale units make one of loss

    // Derived by prepare(): the same numbers for the kernel.
    std::size_t lanes = 0;  // n_lines, rounded up to whole vectors
    std::vector<double> weights, targets;
    std::vector<double> values;  // [row][lane]; NaN where missing, 0 where there is no line
    double units = 1;            // 2^scale

    void prepare();
    void take(const LineTable& other, std::span<const std::uint32_t> rows);
};

// Sums over a set of rows, as whole numbers.
struct LineSums {
    struct Of {  // one column
        std::int64_t missing = 0, sum = 0;
        Wide square = 0, product = 0;  // with itself, with the target
    };
    std::int64_t weight = 0, target = 0;
    Wide square = 0;  // of the targets
    std::vector<Of> lines;

    explicit LineSums(std::size_t n_lines) : lines(n_lines) {}
    LineSums(std::span<const std::int64_t> words, std::size_t n_lines);
    void add(const LineTable& data, std::uint32_t row);
    LineSums& operator-=(const LineSums& other);
};

class SimpleLines final : public TableObjective<SimpleLines, LineTable> {
   public:
    // One unit of loss counts 2^tie_bits.
    SimpleLines(std::shared_ptr<const LineTable> data, int tie_bits, Cost leaf_penalty);

    void add_row(std::uint32_t row, Node& node) const;
    [[nodiscard]] auto over(std::shared_ptr<const LineTable> data, Cost penalty) const {
        return std::make_unique<SimpleLines>(std::move(data), tie_bits_, penalty);
    }

    [[nodiscard]] Cost leaf_cost(const Node& node) const override;
    [[nodiscard]] Stump best_stump(const Node& node) const override { return look(node, nullptr); }
    [[nodiscard]] Stump best_stump_within(const Node& node, Control& control) const override {
        return look(node, &control);
    }
    [[nodiscard]] std::size_t stump_work() const override { return std::max<std::size_t>(1, data_->n_lines); }
    [[nodiscard]] std::unique_ptr<PairSolver> pair_solver(const Options& options, Control& control) const override;

   private:
    static constexpr std::int64_t kSlack = 1;

    class Pass;
    // Bounds of the losses of splits, as far as the run went.
    struct Bounds {
        std::vector<double> of_split;                             // [column][position]
        std::size_t n_seen = 0;                                   // columns
        double lowest = std::numeric_limits<double>::infinity();  // that leaves both sides enough rows: it is at ...
        std::size_t column = 0;
        std::uint32_t position = 0;  // ... this position; 0: there is none
        double lowest_of_all = std::numeric_limits<double>::infinity();
    };
    [[nodiscard]] Bounds bound_splits(const Node& node, const LineSums& all, Control* control) const;
    // A look costs rows x columns x columns. It asks the clock between columns, if there is one.
    [[nodiscard]] Stump look(const Node& node, Control* control) const;
    // p of a set of rows.
    [[nodiscard]] double computed(const LineSums& sums) const;
    // Cost of the loss of a leaf with n >= 1 rows, without the penalty.
    [[nodiscard]] Cost loss_cost(const LineSums& sums, std::uint32_t n) const;

    int tie_bits_;
};

}  // namespace treewright::ranked
