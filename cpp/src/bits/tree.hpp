// From solved subproblems back to a tree.
#pragma once

#include "treewright/bits/search.hpp"

#include <algorithm>

namespace treewright::bits {

template <class Acc>
Shape Search<Acc>::tree() {
    if (!shape_.empty()) return shape_;
    Shape shape;
    if (capped_) {
        emit_capped(root_, root_depth_, settings_.max_leaves, shape);
    } else {
        emit(root_, root_depth_, shape);
    }
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

// As emit, with at most `leaves` leaves: the division of the leaves between both sides is found again.
template <class Acc>
void Search<Acc>::emit_capped(const Node& node, std::int32_t depth, std::int32_t leaves, Shape& out) {
    if (!is_binding(node, leaves)) return emit(node, depth, out);
    ArenaScope scope(arena_);
    const Bounds found = solve_capped(node, depth, leaves, kInfinity);
    const std::int32_t feature = last_feature_;
    out.push_back(feature);
    if (feature == Entry::kLeaf) return;
    const std::size_t at = node.local_column(feature);
    Sides<Acc> sides;
    Node child[2];
    ChildKey key[2];
    for (int side : {0, 1}) {
        key[side] = child_key(node, at, side, depth);
        child[side] = make_child(node, at, side, key[side], sides);
    }
    std::int32_t best_left = 1;
    std::int64_t best = kInfinity;
    for (std::int32_t left = 1; left < leaves; ++left) {
        const std::int64_t value = solve_capped(child[0], key[0].depth, left, kInfinity).upper +
                                   solve_capped(child[1], key[1].depth, leaves - left, kInfinity).upper;
        if (value < best) {
            best = value;
            best_left = left;
        }
        if (best <= found.upper) break;
    }
    emit_capped(child[0], key[0].depth, best_left, out);
    emit_capped(child[1], key[1].depth, leaves - best_left, out);
}

}  // namespace treewright::bits
