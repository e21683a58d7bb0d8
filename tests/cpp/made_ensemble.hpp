// Random ensembles, for tests of born-again trees.
#pragma once

#include "treewright/bornagain/ensemble.hpp"

#include <cstdint>
#include <random>

// Random hard votes of `trees` trees; the last feature has a missing cell.
inline treewright::bornagain::Ensemble random_ensemble(std::mt19937& random, std::int32_t features, std::int32_t trees,
                                                       std::int32_t classes) {
    treewright::bornagain::Ensemble e;
    e.n_outputs = e.n_classes = classes;
    e.exact = true;
    e.bias.assign(static_cast<std::size_t>(classes), 0.0);
    for (std::int32_t f = 0; f < features; ++f) {
        e.n_cells.push_back(2 + static_cast<std::int32_t>(random() % 4));
        e.missing.push_back(f == features - 1 ? 1 : 0);
    }
    const auto grow = [&](const auto& self, int depth) -> std::int32_t {
        const auto at = static_cast<std::int32_t>(e.nodes.size());
        e.nodes.push_back({});
        e.nodes.back().value = static_cast<std::int32_t>(e.values.size());
        for (std::int32_t c = 0; c < classes; ++c) e.values.push_back(0.0);
        if (depth == 0) {
            e.values[e.values.size() - 1 - random() % static_cast<std::size_t>(classes)] = 1.0;
            return at;
        }
        const auto f = static_cast<std::int32_t>(random() % static_cast<std::size_t>(features));
        const std::int32_t plane =
            static_cast<std::int32_t>(random() % static_cast<std::size_t>(e.n_cells[static_cast<std::size_t>(f)] - 1));
        const bool missing_left = random() % 2 == 0;
        const std::int32_t left = self(self, depth - 1);
        const std::int32_t right = self(self, depth - 1);
        treewright::bornagain::Node& node = e.nodes[static_cast<std::size_t>(at)];
        node.feature = f;
        node.plane = plane;
        node.left = left;
        node.right = right;
        node.missing_left = missing_left;
        return at;
    };
    for (std::int32_t t = 0; t < trees; ++t) e.roots.push_back(grow(grow, 3));
    return e;
}
