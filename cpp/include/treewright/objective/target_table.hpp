// Rows with numbers to predict, over ranked columns: what squared error needs to know, as integers.
//
// Row i has a weight w_i >= 0 and, for each output, a weighted target s_i = w_i y_i, both rounded to integers; so sums
// are exact in any order, and the row stands for the target s_i / w_i. Its square q_i = ceil(sum over outputs of s_i^2
// / w_i) is kept in two parts. The caller centres the targets and scales them so that sum |s_i| <= 2^46 for each
// output, sum w_i <= 2^46 and sum q_i <= 2^97: then sums are exact in double precision too, those of both parts of the
// squares fit 64 bits (the high ones stay below 2^61, the low ones below 2^36 for each row), and all products fit 128
// bits.
#pragma once

#include "treewright/space/ranked_table.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace treewright::ranked {

__extension__ typedef __int128 Wide;

struct TargetTable : RankedTable {
    static constexpr int kLowBits = 36;  // of a square
    static constexpr std::int64_t kLargestSum = std::int64_t{1} << 46;
    static constexpr int kSquareBits = 97;  // of the sum of all squares

    std::uint32_t n_outputs = 1;
    std::vector<std::int64_t> weight;    // [row], >= 0
    std::vector<std::int64_t> weighted;  // [row][output], 0 where the weight is

    // Derived by prepare().
    std::vector<std::int64_t> square_high, square_low;  // [row]: q = high * 2^kLowBits + low
    std::vector<double> largest_loss;                   // [row], where leaves have a least size: most that a row loses

    [[nodiscard]] std::int64_t weighted_of(std::uint32_t output, std::uint32_t row) const {
        return weighted_of(row)[output];
    }
    [[nodiscard]] const std::int64_t* weighted_of(std::uint32_t row) const {
        return weighted.data() + std::size_t{row} * n_outputs;
    }
    void prepare();
    void take(const TargetTable& other, std::span<const std::uint32_t> rows);
};

}  // namespace treewright::ranked
