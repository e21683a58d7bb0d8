// Rows sent through thresholds of their columns, a bit for each row: from one threshold of a column to the next only
// the rows between them change, so that many thresholds of a column cost little more than one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace treewright {

struct Threshold {
    std::uint32_t column;
    bool missing_left;
    double value;
};

// Writes where each threshold sends each row, 1 for right: row r is bit r % 8 of byte r / 8 of its `row_bytes(n_rows)`
// bytes. The bits behind the last row are 0. `values` holds column after column, NaN where missing.
void write_threshold_bits(std::span<const double> values, std::size_t n_rows, std::span<const Threshold> thresholds,
                          std::span<std::uint8_t> bits);

[[nodiscard]] constexpr std::size_t row_bytes(std::size_t n_rows) { return (n_rows + 7) / 8; }

}  // namespace treewright
