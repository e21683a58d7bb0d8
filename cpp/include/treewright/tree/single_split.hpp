// The best split of all rows in two leaves, found without sorting a column.
//
// Of a column of categories each is held against the rest: sums over its rows are all that takes.
//
// A run whose limits are over before its columns are ranked still hands out the best tree of one split. For that alone
// a sort does too much: a pass over a column adds each row to one of some thousand buckets of neighbouring values, and
// sums over the buckets give the loss of the splits between them.
//
// Inside a bucket. Let the rows left of a bucket be A, those right of it C, those in it B, and let a split of the
// bucket send B1 to the left and B2 to the right. The losses are superadditive (ranked_objective.hpp), so
//     loss(A + B1) + loss(B2 + C)  >=  loss(A) + loss(B1) + loss(B2) + loss(C)  >=  loss(A) + loss(C),
// which needs no more than the sums of the buckets; src/tree/bucket_sums.hpp has the tighter bounds in use. With rows
// whose value is missing, they belong to A for the splits
// that send them left, and to C for the others: both are asked. A bucket for which neither bound is below the loss of
// the best split so far holds no better one; neither does one whose rows all have one value. The rows of the others are
// gathered and looked at in the same way, by finer buckets, or sorted where they are few.
//
// Buckets divide the range of the values evenly, and one level down the range of their bit patterns, which are as many
// numbers in the same order: a heavy tail spoils the first, values near zero the second. The second narrows the
// patterns by the number of buckets each time, so levels are few, whatever the values are. In the end every bucket with
// two values or more was excluded or sorted, so the split is the best, up to the rounding of sums in double precision.
//
// Cost: two passes over each column. A million rows, ten columns and ten classes take about a tenth of a second.
#pragma once

#include "treewright/tree/pruning.hpp"
#include "treewright/tree/split_list.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace treewright::tree {

// Rows with a value of at most `low` go left, those of at least `high` right; `low` is infinite where the split asks
// whether the value is known. Of categories those of the code `low` go left, and `high` is the same. Where the column
// has no missing value, `missing_left` says nothing.
struct SingleSplit {
    double loss = 0.0;
    std::uint32_t column = 0;
    double low = 0.0, high = 0.0;
    bool missing_left = false;
};

// Labels of rows, and what a leaf loses of them: the cost of its cheapest prediction, costs[k * n_classes + c] for the
// weight of class k under prediction c; the log loss of the shares of its classes; or their squared error (Gini).
struct LabelledRows {
    enum class Loss : std::uint8_t { costs, entropy, gini };
    Loss loss = Loss::costs;
    std::span<const std::int32_t> y;
    std::span<const double> weight;
    std::span<const double> costs;
    std::size_t n_classes = 1;
};

// Numbers of rows: n_sums for each, of whose sums the loss of a leaf is a function; as LossSums, in double precision.
struct SummedRows {
    LossSums::Kind kind = LossSums::Kind::least;
    std::span<const double> numbers;
    std::size_t n_sums = 1;
};

// Columns of numbers, and of the codes of categories, which are 0 to n_codes[column] - 1; 0 for numbers.
struct TypedRows {
    EncodedRows rows;
    std::span<const std::uint32_t> n_codes;
};

// With `min_leaf` rows in both leaves at least; none where no split has them, or where none costs less than the share
// `below` of what one leaf costs: a split that does not pay for its leaf need not be found.
[[nodiscard]] std::optional<SingleSplit> best_single_split(const TypedRows& table, const LabelledRows& rows,
                                                           std::size_t min_leaf, double below);
[[nodiscard]] std::optional<SingleSplit> best_single_split(const TypedRows& table, const SummedRows& rows,
                                                           std::size_t min_leaf, double below);

// The same among splits that are bits already: bit r % 8 of byte r / 8 of a split is 1 where row r goes right. Returns
// its number, the first of equals.
[[nodiscard]] std::optional<std::size_t> best_single_split(std::span<const std::uint8_t> packed, std::size_t n_splits,
                                                           const LabelledRows& rows, std::size_t min_leaf);

}  // namespace treewright::tree
