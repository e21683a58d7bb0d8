// Tables for the search for the best worst leaf: columns, labels and weights from a few dice.
#pragma once

#include "check.hpp"
#include "treewright/leaf_accuracy/data.hpp"

#include <algorithm>
#include <cstdint>

namespace treewright::leaf_accuracy {

// Weights in full of 70 bits, in the table those without the last 60; some are far below one unit of the table.
inline void round_weights(Dice& dice, Data& data) {
    data.shift = 60;
    data.measure.scale = 0x1p-60;
    for (std::int32_t& weight : data.table.weight) {
        const Whole unit = Whole{1} << data.shift;
        const Whole full =
            dice.below(4) == 0 ? 1 + dice.below(1000) : dice.below(900) * unit + dice.below(4) * (unit / 4) + 1;
        weight = std::max(1, static_cast<std::int32_t>((full + unit / 2) >> data.shift));
        data.full.push_back(full);
    }
}

inline Data make_data(Dice& dice, std::uint32_t n, bool lower_bound) {
    Data data;
    ranked::LabelledTable& table = data.table;
    table.n_rows = n;
    table.n_columns = 1 + static_cast<std::uint32_t>(dice.below(3));
    table.n_classes = 2 + static_cast<std::uint32_t>(dice.below(3));
    data.min_leaf = static_cast<Count>(1 + dice.below(4));
    data.measure = {lower_bound ? Criterion::lower_bound : Criterion::accuracy, lower_bound ? 1.3 : 0.0, 1.0};
    for (std::uint32_t c = 0; c < table.n_columns; ++c) {
        const std::size_t most = dice.below(6) == 0 ? 400 : 2 + dice.below(n);
        for (std::uint32_t i = 0; i < n; ++i) table.rank.push_back(static_cast<std::uint32_t>(dice.below(most)));
    }
    const std::size_t heaviest = dice.coin() ? 1 : dice.coin() ? 3 : 40'000;
    for (std::uint32_t i = 0; i < n; ++i) {
        table.label.push_back(
            static_cast<std::uint16_t>(dice.below(3) == 0 ? dice.below(table.n_classes) : table.rank[i] % 2));
        table.weight.push_back(
            static_cast<std::int32_t>(1 + dice.below(lower_bound ? std::min<std::size_t>(heaviest, 3) : heaviest)));
    }
    table.cost.assign(std::size_t{table.n_classes} * table.n_classes, 1);
    for (std::size_t k = 0; k < table.n_classes; ++k) table.cost[k * (table.n_classes + 1)] = 0;
    if (dice.below(3) == 0) round_weights(dice, data);
    data.prepare();
    return data;
}

}  // namespace treewright::leaf_accuracy
