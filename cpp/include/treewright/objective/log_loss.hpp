// Probability trees by log loss: a leaf says the shares of its classes, and its loss is the least over all shares of
// the sum over its rows of -w log(share of their class). With n_k the weight of class k and n their sum, that is
//     L = n log n - sum n_k log n_k,        0 log 0 = 0.
//
// As sums of losses of rows that are not negative, with one vector of shares for a leaf, L is monotone and
// superadditive. The search works with h(n), the whole number next to n log n 2^scale as computed in double precision:
// so a leaf's loss is a sum of K + 1 whole numbers, equal counts lose equally, and counts can be walked by changing one
// number at a time. With e >= 1/2 the largest error of h (logarithms.hpp), p(S) = h(n) - sum h(n_k) is off by at most
// `slack` = (K + 1) e units. The integer loss of a set S of m >= 1 rows is
//     l(S) = p(S) + 4 slack m - 3 slack.
// With s = slack and G = L 2^scale:
//  l >= 0           p >= G - s >= -s, and 4 s m - 3 s >= s.
//  superadditive    p(A + B) >= G(A) + G(B) - s >= p(A) + p(B) - 3 s, and B's own -3 s is there once on the left, twice
//                   on the right.
//  monotone         a row more adds 4 s, which the two errors of s cannot undo.
// Of what is added, 4 slack a row is the same for every tree, and -3 slack a leaf is a part of the leaf penalty. A row
// of a class that a leaf did not have may cost any amount, so the loss is not `similar`.
#pragma once

#include "treewright/objective/table_objective.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace treewright::ranked {

struct ClassTable : RankedTable {
    static constexpr std::int64_t kLargestWeight = std::int64_t{1} << 50;  // of all rows
    static constexpr std::int64_t kLargestTerm = std::int64_t{1} << 51;    // of weight times logarithm, in units

    std::uint32_t n_classes = 1;
    std::vector<std::uint32_t> label;  // [row]
    std::vector<std::int64_t> weight;  // [row], >= 0
    int scale = 0;                     // 2^scale units make one of loss

    // Derived by prepare().
    std::int64_t slack = 0;
    std::vector<std::int64_t> known;  // h of the smallest weights

    void prepare();
    // With the slack of all rows, so that integer losses of parts and of the whole are those of one function of sets.
    void take(const ClassTable& other, std::span<const std::uint32_t> rows);
    // h(n).
    [[nodiscard]] std::int64_t term(std::int64_t n) const {
        return n < static_cast<std::int64_t>(known.size()) ? known[static_cast<std::size_t>(n)] : computed(n);
    }
    // (K + 1) e.
    [[nodiscard]] double largest_error() const;

   private:
    [[nodiscard]] std::int64_t computed(std::int64_t n) const;
};

class LogLoss final : public TableObjective<LogLoss, ClassTable> {
   public:
    // One unit of loss counts 2^tie_bits.
    LogLoss(std::shared_ptr<const ClassTable> data, int tie_bits, Cost leaf_penalty);

    [[nodiscard]] int tie_bits() const { return tie_bits_; }

    void add_row(std::uint32_t row, Node& node) const { node.sums[data_->label[row]] += data_->weight[row]; }
    [[nodiscard]] auto over(std::shared_ptr<const ClassTable> data, Cost penalty) const {
        return std::make_unique<LogLoss>(std::move(data), tie_bits_, penalty);
    }
    [[nodiscard]] Cost leaf_cost(const Node& node) const override;
    [[nodiscard]] Stump best_stump(const Node& node) const override { return look(node, nullptr); }
    [[nodiscard]] Stump best_stump_within(const Node& node, Control& control) const override {
        return look(node, &control);
    }
    [[nodiscard]] std::unique_ptr<PairSolver> pair_solver(const Options& options, Control& control) const override;

   private:
    // A million rows take a part of a second. It asks the clock between columns, if there is one.
    [[nodiscard]] Stump look(const Node& node, Control* control) const;

    int tie_bits_;
};

}  // namespace treewright::ranked
