// The reduced data that both engines over binary columns search: distinct rows, distinct columns, costs that
// start at zero.
//
// Row reduction (sharpens the equivalent-points bound, Hu et al. 2019, Theorem B.2). Every tree sends equal rows to
// one leaf, so a set of equal rows pays at least base = min_k cost_k whatever the tree, and pays cost_k - base
// more when its leaf predicts class k. Merge the set into one row with cost vector cost - base, add base to a
// constant, and drop the row if nothing is left to pay. The cost of EVERY tree is the constant plus its cost on the
// reduced rows; a lower bound of 0 in the reduced problem is the equivalent-points bound, on every subset at once.
// With a minimum leaf size the rows that cost nothing are kept, last, because they still count.
//
// Column reduction. A column that is constant, or equal to an earlier column, or its complement, splits every
// subset as the earlier one does (or not at all): dropping it loses no tree. Columns are flipped so that ones are
// the minority, which makes the row-wise kernel cheaper.
#pragma once

#include "treewright/core/control.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace treewright::binary {

struct Column {
    std::int32_t source;  // position in the input
    bool flipped;         // ones here are zeros in the input
};

struct Input {
    std::span<const std::uint8_t> goes_right;  // n_columns x n_rows, 0 or 1; or packed, see below
    std::size_t n_columns;
    std::size_t n_rows;
    std::span<const std::int32_t> y;       // class of each row
    std::span<const std::int64_t> weight;  // of each row, >= 0
    std::span<const std::int64_t> costs;   // n_classes x n_classes, costs[true][predicted] >= 0
    std::size_t n_classes;
    bool keep_free_rows;  // for a minimum leaf size
    std::span<const std::int64_t> guess =
        {};                        // conditional (guessed_bounds.hpp): guessed cost of each row; empty: no guess
    bool merge_equal_rows = true;  // off: every input row stays a row (ablation of the reduction)
    bool packed = false;           // goes_right holds a bit a row, ceil(n_rows / 8) bytes a column, first bit lowest
};

struct Dataset {
    std::size_t n_rows = 0;
    std::size_t n_columns = 0;
    std::size_t n_words = 0;  // 64-bit words a row
    std::size_t n_classes = 0;
    std::vector<Column> columns;
    std::vector<std::uint64_t> bits;  // n_rows x n_words
    std::vector<std::int64_t> cost;   // n_rows x n_classes, cost of predicting each class
    std::vector<std::int64_t> count;  // input rows behind each row
    std::int64_t base_cost = 0;       // paid by every tree
    std::vector<std::int64_t>
        guess;  // conditional (guessed_bounds.hpp): guessed cost of each row above its base; or empty

    [[nodiscard]] bool bit(std::size_t row, std::size_t column) const {
        return (bits[row * n_words + column / 64] >> (column % 64)) & 1U;
    }
};

// Without the rows that cost nothing, which come last.
[[nodiscard]] Dataset costly_rows(const Dataset& data);

// Stopped by `control` it is not whole, and its caller must not use it.
[[nodiscard]] Dataset reduce(const Input& input, Control& control);
[[nodiscard]] Dataset reduce(const Input& input);

}  // namespace treewright::binary
