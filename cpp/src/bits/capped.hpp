// The search with a limit on the number of leaves.
//
//   f(S, d, L) = min( leaf(S), min_i min_{1 <= l < L} f(S with i=0, d-1, l) + f(S with i=1, d-1, L-l) )
//
// f does not rise with L, so f(S, d, unlimited) and any bound for more leaves bound it from below. A limit of L leaves
// is none where L reaches the number of rows, or where a tree that beats the leaf has fewer leaves anyway (each costs c).
#pragma once

#include "treewright/bits/search.hpp"

#include <algorithm>

namespace treewright::bits {

template <class Acc>
Bounds Search<Acc>::run_capped(Bounds known) {
    if (known.exact()) {  // the best tree of any size may have few enough leaves
        Shape shape;
        emit(root_, root_depth_, shape);
        if (std::count(shape.begin(), shape.end(), Entry::kLeaf) <= settings_.max_leaves) return known;
    }
    capped_ = true;
    Bounds found = solve_capped(root_, root_depth_, settings_.max_leaves, kInfinity);
    found.lower = std::max(found.lower, known.lower);
    announce(found);
    return found;
}

template <class Acc>
bool Search<Acc>::is_binding(const Node& node, std::int32_t leaves) const {
    const std::int64_t leaf = leaf_cost(node);
    return static_cast<std::size_t>(leaves) < node.rows.size() && (c_ == 0 || leaf >= kInfinity || leaves < leaf / c_);
}

template <class Acc>
Bounds Search<Acc>::solve_capped(const Node& node, std::int32_t depth, std::int32_t leaves, std::int64_t budget) {
    if (!is_binding(node, leaves)) return solve(node, depth, budget);
    const std::int64_t leaf = leaf_cost(node);
    const std::int64_t steps_before = control_.steps();
    depth = std::min(depth, leaves - 1);
    ArenaScope scope(arena_);
    const std::int64_t limits = depth | (static_cast<std::int64_t>(leaves) << 32);
    const std::uint64_t hash = cache_.hash(node.key.data(), limits);
    if (const Entry* known = cache_.find(node.key.data(), limits, hash)) {
        if (known->lower >= known->upper || known->lower >= budget || control_.stopped()) {
            last_feature_ = known->feature;
            return {known->lower, known->upper};
        }
    }
    const bool stop = control_.step(node.work());
    Best best{leaf, Entry::kLeaf};
    const auto finish_capped = [&](std::int64_t lower) {
        const auto work = static_cast<std::uint32_t>(std::min<std::int64_t>(control_.steps() - steps_before, 0xffffff));
        cache_.store(node.key.data(), hash, {std::min(lower, best.value), best.value, limits, best.feature, work});
        control_.bytes(bytes());
        last_feature_ = best.feature;
        return Bounds{std::min(lower, best.value), best.value};
    };
    if (leaves == 1 || depth == 0) return finish_capped(best.value);

    // upper1: children as leaves; upper: as trees of at most two leaves.
    Children one = bound_children(node, 1);
    Children two = bound_children(node, std::max(depth, 2));
    const std::size_t m = node.pairs.size;
    const auto column = [&](std::size_t i) { return node.active.columns[i]; };
    for (std::size_t i = 0; i < m; ++i) {
        std::int64_t value = one.upper[0][i] + one.upper[1][i];
        if (leaves >= 3 && depth >= 2)
            value = std::min({value, two.upper[0][i] + one.upper[1][i], one.upper[0][i] + two.upper[1][i]});
        if (leaves >= 4 && depth >= 2) value = std::min(value, two.upper[0][i] + two.upper[1][i]);
        if (value < best.value) best = {value, column(i)};
    }
    if (leaves <= 3 || depth <= 2) return finish_capped(best.value);
    if (stop) return finish_capped(std::min(best.value, floor_of_four_leaves(node)));

    // lower[side][l]: bound of that child with at most l leaves.
    const auto lower0 = arena_.take<std::int64_t>(static_cast<std::size_t>(leaves));
    const auto lower1 = arena_.take<std::int64_t>(static_cast<std::size_t>(leaves));
    std::span<std::int64_t> lower[2] = {lower0, lower1};
    const auto order = arena_.take<std::uint32_t>(m);
    for (std::uint32_t i = 0; i < m; ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        const std::int64_t va = two.upper[0][a] + two.upper[1][a];
        const std::int64_t vb = two.upper[0][b] + two.upper[1][b];
        return va != vb ? va < vb : a < b;
    });
    std::int64_t lowest_split = kInfinity;
    for (const std::uint32_t i : order) {
        const std::int64_t target = std::min(best.value, budget);
        if (two.lower[0][i] >= kInfinity || two.lower[1][i] >= kInfinity) continue;  // constant here
        if (two.lower[0][i] + two.lower[1][i] >= target || control_.stopped()) {
            lowest_split = std::min(lowest_split, two.lower[0][i] + two.lower[1][i]);
            continue;
        }
        ArenaScope split_scope(arena_);
        Sides<Acc> sides;
        Node child[2];
        ChildKey key[2];
        for (int side : {0, 1}) {
            key[side] = child_key(node, i, side, depth);
            child[side] = make_child(node, i, side, key[side], sides);
            for (std::int32_t l = 1; l < leaves; ++l)
                lower[side][static_cast<std::size_t>(l)] =
                    l == 1 ? one.upper[side][i] : l == 2 ? two.upper[side][i] : two.lower[side][i];
        }
        std::int64_t lowest_here = kInfinity;
        for (std::int32_t l = leaves - 1; l >= 1; --l) {  // many leaves first: their bounds serve fewer leaves
            const std::int32_t count[2] = {l, leaves - l};
            std::int64_t upper[2] = {kInfinity, kInfinity};
            for (int side : {0, 1}) {
                const auto at = static_cast<std::size_t>(count[side]);
                const std::int64_t other = lower[1 - side][static_cast<std::size_t>(count[1 - side])];
                const std::int64_t goal = std::min(best.value, budget);
                if (lower[side][at] + other >= goal) break;
                const Bounds found = solve_capped(child[side], key[side].depth, count[side],
                                                  options_.budgets ? goal - other : kInfinity);
                for (std::size_t fewer = 1; fewer <= at; ++fewer)
                    lower[side][fewer] = std::max(lower[side][fewer], found.lower);
                upper[side] = found.upper;
                if (control_.stopped()) break;
            }
            lowest_here = std::min(lowest_here, lower[0][static_cast<std::size_t>(count[0])] +
                                                    lower[1][static_cast<std::size_t>(count[1])]);
            if (upper[0] + upper[1] < best.value) best = {upper[0] + upper[1], column(i)};
        }
        lowest_split = std::min(lowest_split, lowest_here);
        if (&node == &root_) announce({std::min(c_, best.value), best.value});
    }
    return finish_capped(std::max(floor_of_four_leaves(node), lowest_split));
}

}  // namespace treewright::bits
