// Random tables that own their memory, for reduce().
#pragma once

#include "check.hpp"
#include "treewright/space/binary_dataset.hpp"

#include <cstdint>
#include <vector>

struct MadeInput {
    std::size_t n_columns, n_rows, n_classes;
    std::vector<std::uint8_t> goes_right;
    std::vector<std::int32_t> y;
    std::vector<std::int64_t> weight;
    std::vector<std::int64_t> costs;

    MadeInput(Dice& dice, std::size_t columns, std::size_t rows, std::size_t classes, std::int64_t scale = 1)
        : n_columns(columns), n_rows(rows), n_classes(classes) {
        for (std::size_t i = 0; i < columns * rows; ++i) goes_right.push_back(dice.coin());
        if (columns > 2)  // a constant column, a copy, a complement
            for (std::size_t r = 0; r < rows; ++r) switch (dice.below(4)) {
                    case 0:
                        goes_right[r] = 1;
                        break;
                    default:
                        goes_right[(columns - 1) * rows + r] = 1 - goes_right[rows + r];
                }
        for (std::size_t r = 0; r < rows; ++r) {
            y.push_back(static_cast<std::int32_t>(dice.below(classes)));
            weight.push_back(scale * static_cast<std::int64_t>(1 + dice.below(4)));
        }
        for (std::size_t i = 0; i < classes; ++i)
            for (std::size_t k = 0; k < classes; ++k)
                costs.push_back(i == k ? 0 : static_cast<std::int64_t>(1 + dice.below(3)));
    }

    [[nodiscard]] treewright::binary::Input view(bool keep_free_rows = false, bool merge = true) const {
        return {.goes_right = goes_right,
                .n_columns = n_columns,
                .n_rows = n_rows,
                .y = y,
                .weight = weight,
                .costs = costs,
                .n_classes = n_classes,
                .keep_free_rows = keep_free_rows,
                .merge_equal_rows = merge};
    }
    [[nodiscard]] bool bit(std::size_t row, std::size_t column) const { return goes_right[column * n_rows + row] != 0; }
    [[nodiscard]] std::int64_t price(std::size_t row, std::size_t predicted) const {
        return weight[row] * costs[static_cast<std::size_t>(y[row]) * n_classes + predicted];
    }
};
