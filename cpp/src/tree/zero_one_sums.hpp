// Sums of the rows on both sides of columns that hold 0 and 1 alone, in one pass over the rows for some columns.
//
// The rows go by in blocks, and every column looks at a block before the next one comes: the numbers of a row are read
// from memory once and not once for each column. Neighbouring rows add to sums of their own, so that no addition waits
// for the one before. A million rows and forty columns took .66 s of a regression column by column.
#pragma once

#include "treewright/tree/split_list.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace treewright::tree {

template <class Rows>
class ZeroOneSums {
   public:
    using Number = typename Rows::Number;

    ZeroOneSums(const EncodedRows& table, const Rows& rows)
        : table_(table), rows_(rows), stride_(rows.n_sums() + rows.n_beside()) {}

    // Columns that are read together: their sums stay in the cache.
    [[nodiscard]] std::size_t at_once() const {
        return std::max<std::size_t>(1, kSumBytes / (2 * kLanes * stride_ * sizeof(Number)));
    }

    void read(std::size_t first, std::size_t last) {
        first_ = first;
        columns_.assign(last - first, Column{});
        sums_.assign(columns_.size() * 2 * kLanes * stride_, Number{0});
        for (std::size_t row = 0; row < table_.n_rows; row += kRows) {
            bool some = false;
            for (std::size_t i = 0; i < columns_.size(); ++i) some = add(i, row) || some;
            if (!some) break;
        }
        for (std::size_t i = 0; i < columns_.size(); ++i)
            for (std::size_t side = 0; side < 2; ++side)
                for (std::size_t lane = 1; lane < kLanes; ++lane)
                    for (std::size_t k = 0; k < stride_; ++k)
                        at(i, side)[k] = static_cast<Number>(at(i, side)[k] + at(i, side, lane)[k]);
    }

    // Whether the column holds 0 and 1, both of them, and nothing else; of those that were read.
    [[nodiscard]] bool knows(std::size_t column) const {
        const Column& known = columns_[column - first_];
        return known.is_zero_one && known.n_ones > 0 && known.n_ones < table_.n_rows;
    }
    [[nodiscard]] const Number* zeros(std::size_t column) const {
        return sums_.data() + 2 * kLanes * stride_ * (column - first_);
    }
    [[nodiscard]] std::size_t n_zeros(std::size_t column) const {
        return table_.n_rows - columns_[column - first_].n_ones;
    }

   private:
    static constexpr std::size_t kLanes = 4, kRows = 2048, kSumBytes = std::size_t{1} << 18;
    struct Column {
        bool is_zero_one = true;
        std::size_t n_ones = 0;
    };

    [[nodiscard]] Number* at(std::size_t i, std::size_t side, std::size_t lane = 0) {
        return sums_.data() + ((i * 2 + side) * kLanes + lane) * stride_;
    }

    // Adds a block of rows; false if the column holds something else.
    bool add(std::size_t i, std::size_t first) {
        Column& column = columns_[i];
        if (!column.is_zero_one) return false;
        const double* const x = table_.data + static_cast<std::ptrdiff_t>(first_ + i) * table_.column_stride;
        Number* const sums = at(i, 0);
        const std::size_t last = std::min(table_.n_rows, first + kRows);
        for (std::size_t row = first; row < last; ++row) {
            const double value = x[static_cast<std::ptrdiff_t>(row) * table_.row_stride];
            if (value != 0 && value != 1) {  // missing values, too
                column.is_zero_one = false;
                return false;
            }
            const std::size_t one = value != 0;
            column.n_ones += one;
            rows_.add(sums + (one * kLanes + row % kLanes) * stride_, static_cast<std::uint32_t>(row));
        }
        return true;
    }

    const EncodedRows& table_;
    const Rows& rows_;
    std::size_t stride_, first_ = 0;
    std::vector<Column> columns_;
    std::vector<Number> sums_;  // by column, side and lane
};

}  // namespace treewright::tree
