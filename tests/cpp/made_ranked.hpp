// Small random tables of ranked columns with costs of predictions, weights and least leaf sizes.
#pragma once

#include "treewright/objective/misclassification.hpp"

#include <cstdint>
#include <memory>
#include <random>

inline std::shared_ptr<treewright::ranked::Misclassification> make_objective(std::mt19937& random, std::uint32_t n,
                                                                             std::uint32_t n_columns) {
    using namespace treewright::ranked;
    const auto below = [&](std::uint32_t most) { return static_cast<std::uint32_t>(random() % most); };
    const auto table = std::make_shared<LabelledTable>();
    LabelledTable& d = *table;
    d.n_rows = n;
    d.n_columns = n_columns;
    d.n_classes = 2 + below(3);
    d.min_leaf = 1 + below(3);
    const Cost leaf = 1 + Cost{below(3)} * (Cost{n} << 15);
    for (std::uint32_t c = 0; c < n_columns; ++c) {
        const std::uint32_t most = 2 + below(n);
        for (std::uint32_t i = 0; i < n; ++i) d.rank.push_back(below(most));
    }
    const bool weighted = below(2) == 0;
    for (std::uint32_t i = 0; i < n; ++i) {
        d.label.push_back(static_cast<std::uint16_t>(below(3) == 0 ? below(d.n_classes) : d.rank[i] % 2));
        d.weight.push_back(weighted ? static_cast<std::int32_t>(1 + below(4)) : 1);
    }
    const bool plain = below(2) == 0;
    for (std::uint32_t y = 0; y < d.n_classes; ++y)
        for (std::uint32_t k = 0; k < d.n_classes; ++k)
            d.cost.push_back(y == k ? 0 : plain ? 1 : static_cast<std::int32_t>(below(4)));
    d.prepare();
    return std::make_shared<Misclassification>(table, Cost{1} << 20, leaf);
}
