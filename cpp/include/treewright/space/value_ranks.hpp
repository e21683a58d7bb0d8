// From the numbers of a column to ranks: the distinct values in order, and which of them each row has.
//
// Numbers are sorted by digits (least significant first) of an integer that has their order: of the upper half of its bits,
// beside which the row fits into one word; rows that agree there are then sorted by the lower half. The ranks of ten
// columns of a million numbers took .5 s of the processor, by sorting positions 1.2 (benchmarks/harder.py).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace treewright::ranked {

struct ValueRanks {
    std::vector<double> values;        // ascending, no two equal; -0 is 0
    std::vector<std::int64_t> before;  // [value]: rows with a smaller one
    std::size_t n_known = 0;           // rows with a value
};

// Writes the rank of each row; a missing value (NaN) gets the number of values. Fewer than 2^32 rows.
[[nodiscard]] ValueRanks rank_values(std::span<const double> x, std::span<std::uint32_t> rank);

}  // namespace treewright::ranked
