// The values of a column ranked: which rows are equal, and which of two is the greater.
//
// A radix sort of (the upper 32 bits of the value, the row) in 64 bits, from the lowest digit up, so that rows of equal
// value stay in the order of the table. "Upper" begins at the highest bit in which two values of the column differ, so
// whole numbers, float32 and most decimals that people write are sorted by all that they have. Where two values differ
// further down only, the few rows that agree above are sorted by comparing values. Cost: three passes over 8 bytes for
// each row, and one random write of its rank.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace treewright {

struct ValueRanks {
    std::vector<double> values;  // distinct and known, ascending; zero has no sign
    std::uint32_t n_known = 0;   // rows that are not NaN
};

// Writes the rank of each row: the position of its value, or the number of values where it is NaN. Fewer than 2^32 - 1
// rows.
[[nodiscard]] ValueRanks rank_values(std::span<const double> column, std::span<std::uint32_t> rank);

// Writes how many of the ascending thresholds lie below each value: of NaN none, where missing values rank lowest, or
// all.
void rank_by_thresholds(std::span<const double> column, std::span<const double> thresholds, bool missing_lowest,
                        std::span<std::uint32_t> rank);

// Weights of the rows with at most each value, added row by row: by value, rows of equal value in the order of the
// table. `before` counts for each value the rows with a smaller one; it and `n_known` are those of the ranks, and each
// row has the rank that they were made with.
[[nodiscard]] std::vector<double> running_weights(std::span<const std::int64_t> before, std::uint32_t n_known,
                                                  std::span<const std::uint32_t> rank, std::span<const double> weight);

}  // namespace treewright
