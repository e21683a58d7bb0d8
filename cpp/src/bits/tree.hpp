// From solved subproblems back to a tree.
#pragma once

#include "treewright/bits/search.hpp"

#include <algorithm>

namespace treewright::bits {

template <class Acc>
Shape Search<Acc>::tree() {
    if (!shape_.empty()) return shape_;
    Shape shape;
    emit(root_, root_depth_, shape);
    return shape;
}

// Writes the best tree known for the node. What the cache has lost is solved again; once the run is stopped the best
// tree of depth two stands in for it, so that the tree is always whole (the caller compares its cost with the bound).
template <class Acc>
void Search<Acc>::emit(const Node& node, std::int32_t depth, Shape& out) {
    ArenaScope scope(arena_);
    const Children children = bound_children(node, depth);
    Best best = best_of_depth_two(node, depth, children);
    if (depth > 2 && best.value > floor_of_four_leaves(node)) {
        const std::uint64_t hash = cache_.hash(node.key.data(), depth);
        const Entry* known = cache_.find(node.key.data(), depth, hash);
        if ((known == nullptr || known->lower < known->upper) && !control_.stopped()) {
            const Bounds found = solve(node, depth, kInfinity);
            known = cache_.find(node.key.data(), depth, hash);
            if (known == nullptr && !control_.stopped()) best = {found.upper, last_feature_};
        }
        if (known != nullptr && known->upper < best.value) best = {known->upper, known->feature};
    }
    out.push_back(best.feature);
    if (best.feature == Entry::kLeaf) return;
    const std::size_t at = node.local_column(best.feature);
    Sides<Acc> sides;
    for (int side : {0, 1}) {
        const ChildKey key = child_key(node, at, side, depth);
        emit(make_child(node, at, side, key, sides), key.depth, out);
    }
}

}  // namespace treewright::bits
