// Whether two graphs of near-optimal trees are the same, in the same order.
#pragma once

#include "treewright/search/near_optimal.hpp"

#include <algorithm>

inline bool equal(const treewright::binary::NearOptimalGraph& a, const treewright::binary::NearOptimalGraph& b) {
    using namespace treewright;
    const auto same_node = [](const binary::SetNode& x, const binary::SetNode& y) {
        return x.depth == y.depth && x.budget == y.budget && x.first_edge == y.first_edge && x.last_edge == y.last_edge;
    };
    const auto same_edge = [](const binary::SetEdge& x, const binary::SetEdge& y) {
        return x.column == y.column && x.child[0] == y.child[0] && x.child[1] == y.child[1];
    };
    return std::ranges::equal(a.nodes, b.nodes, same_node) && std::ranges::equal(a.edges, b.edges, same_edge) &&
           a.leaf_cost == b.leaf_cost && a.leaf_rows == b.leaf_rows && a.complete == b.complete;
}
