#include "treewright/objective/labelled_table.hpp"

#include <algorithm>

namespace treewright::ranked {

void LabelledTable::prepare() {
    RankedTable::prepare();
    const std::size_t n = n_rows;
    gain.resize(cost.size());
    std::vector<std::int32_t> largest(n_classes, 0);
    for (std::size_t y = 0; y < n_classes; ++y) {
        const auto* row = &cost[y * n_classes];
        largest[y] = *std::max_element(row, row + n_classes);
        for (std::size_t k = 0; k < n_classes; ++k) gain[y * n_classes + k] = largest[y] - row[k];
    }
    span.resize(n);
    total_span = 0;
    unit_spans = true;
    for (std::size_t i = 0; i < n; ++i) {
        span[i] = weight[i] * largest[label[i]];
        total_span += span[i];
        unit_spans = unit_spans && span[i] == 1;
    }
    if (!binary()) return;
    signed_weight.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        const auto* row = &cost[static_cast<std::size_t>(label[i]) * 2];
        signed_weight[i] = weight[i] * (row[0] - row[1]);
    }
}

void LabelledTable::take(const LabelledTable& other, std::span<const std::uint32_t> rows) {
    RankedTable::take(other, rows);
    n_classes = other.n_classes;
    cost = other.cost;
    label = of_rows(rows, other.label);
    weight = of_rows(rows, other.weight);
    prepare();
}

std::vector<std::uint32_t> LabelledTable::drawn() const {
    std::vector<std::uint64_t> content(n_rows);
    for (std::uint32_t row = 0; row < n_rows; ++row)
        content[row] = std::uint64_t{label[row]} << 32 | static_cast<std::uint32_t>(weight[row]);
    return drawn_rows(*this, content);
}

}  // namespace treewright::ranked
