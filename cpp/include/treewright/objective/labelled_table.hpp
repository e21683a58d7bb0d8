// Rows with labels and costs of predictions, over ranked columns.
//
// A row's cost vector is weight * cost[label], reduced by its minimum: the minimum is paid by every tree. So a row
// that has no preference costs nothing, and no row adds more than its `span` to the cost of any tree.
#pragma once

#include "treewright/space/ranked_table.hpp"

#include <cstdint>
#include <vector>

namespace treewright::ranked {

struct LabelledTable : RankedTable {
    std::uint32_t n_classes = 0;
    std::vector<std::uint16_t> label;  // [row]
    std::vector<std::int32_t> weight;  // [row], >= 0
    std::vector<std::int32_t> cost;    // [label][predicted], each row's minimum is 0

    // Derived by prepare().
    std::vector<std::int32_t> gain;           // [label][predicted] = max of the label's costs - cost, >= 0
    std::vector<std::int32_t> signed_weight;  // two classes: weight * (cost of class 0 - cost of class 1)
    std::vector<std::int32_t> span;           // [row]: largest entry of its cost vector
    std::int64_t total_span = 0;
    bool unit_spans = false;  // every span is 1: positions are their own prefix sums

    [[nodiscard]] bool binary() const { return n_classes == 2; }

    void prepare();
    void take(const LabelledTable& other, std::span<const std::uint32_t> rows);
    // All rows in random order (ranked_table.hpp).
    [[nodiscard]] std::vector<std::uint32_t> drawn() const;
};

}  // namespace treewright::ranked
