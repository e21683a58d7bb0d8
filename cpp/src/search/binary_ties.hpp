// Which of several trees of the same least cost is the answer.
//
// A search keeps the first that it meets, and with several threads that is luck. So where a search has gone on long
// enough for threads to be called (whether they were or not), the tree is chosen by a rule that speaks of the table
// alone. At a node whose least cost V is known:
//
//   1. a leaf, if it costs V;
//   2. else, of the splits whose children's least costs add up to V, the one with the cheapest children as trees of two
//      leaves or less, which the matrix knows; among equals the lowest column;
//   3. on both sides the same, with what each costs.
//
// The leaf penalty is part of V, so all these trees have the least loss, and of those the fewest leaves. The order of
// the rows plays no part, nor does how deep a tree may be, as long as none of the trees of cost V is deeper: where
// depth two or one is left, the splits that cost V are first in the order of rule 2 as well. So a search for shallow
// trees alone (schedule.hpp) gives the same.
//
// Cost: the search has shown that no split costs less than V; here those that come before the first are shown to cost
// more, and these are few, because the cheapest children of two leaves are likely to be best. Only the nodes of the
// tree are looked at.
#pragma once

#include "treewright/search/binary_search.hpp"

#include <algorithm>

namespace treewright::binary {

template <class Acc>
void Search<Acc>::raise(std::vector<std::int64_t>& to, std::span<const std::int64_t> bounds) {
    to.resize(std::max(to.size(), bounds.size()), 0);
    for (std::size_t i = 0; i < bounds.size(); ++i) to[i] = std::max(to[i], bounds[i]);
}

template <class Acc>
void Search<Acc>::emit_first(const Node& node, std::int32_t depth, std::int64_t value, Shape& out) {
    ArenaScope scope(arena_);
    Children children = bound_children(node, depth);
    if (control_.ended()) return;
    const Best best = best_of_depth_two(node, depth, children);
    std::int32_t feature = best.feature;
    if (best.value > value) feature = first_split(node, depth, value, children);
    if (control_.ended()) return;
    out.push_back(feature);
    if (feature == Entry::kLeaf) return;
    const std::size_t at = node.local_column(feature);
    Sides<Acc> sides;
    for (int side : {0, 1}) {
        const ChildKey key = child_key(node, at, side, depth);
        emit_first(make_child(node, at, side, key, sides), key.depth, children.upper[side][at], out);
    }
}

// The split of rule 2, with what its children cost; a stop leaves any split.
template <class Acc>
std::int32_t Search<Acc>::first_split(const Node& node, std::int32_t depth, std::int64_t value, Children& children) {
    const auto sum = [](const std::span<std::int64_t>(&bounds)[2], std::size_t i) {
        return bounds[0][i] + bounds[1][i];
    };
    const auto of_two_leaves = arena_.take<std::int64_t>(node.pairs.size);
    for (std::size_t i = 0; i < of_two_leaves.size(); ++i) of_two_leaves[i] = sum(children.upper, i);
    if (&node == &root_ && !root_lower_[0].empty())
        for (int side : {0, 1})
            for (std::size_t i = 0; i < root_lower_[side].size(); ++i)
                children.lower[side][i] =
                    std::min(children.upper[side][i], std::max(children.lower[side][i], root_lower_[side][i]));
    const std::span<Candidate> open = candidates(node, depth, value + 1, children);
    std::sort(open.begin(), open.end(), [&](const Candidate& a, const Candidate& b) {
        const std::int64_t va = of_two_leaves[a.column], vb = of_two_leaves[b.column];
        return va != vb ? va < vb : a.column < b.column;
    });
    for (std::size_t at = 0; at < open.size() && !control_.stopped(); ++at) {
        const std::size_t i = open[at].column;
        ArenaScope scope(arena_);
        Sides<Acc> sides;
        const auto gap = [&](int side) { return children.upper[side][i] - children.lower[side][i]; };
        while (sum(children.lower, i) <= value && (gap(0) > 0 || gap(1) > 0) && !control_.stopped()) {
            const int side = gap(0) > 0 && (gap(1) <= 0 || gap(0) <= gap(1)) ? 0 : 1;
            const ChildKey& key = open[at].child[side];
            recall(key, side, i, children);
            if (shared_ != nullptr && gap(side) > 0) recall_shared(key, side, i, children);
            const std::int64_t budget = options_.budgets ? value + 1 - children.lower[1 - side][i] : kInfinity;
            if (gap(side) <= 0 || children.lower[side][i] >= budget) continue;
            const Bounds found = solve(make_child(node, i, side, key, sides), key.depth, budget);
            children.lower[side][i] = std::max(children.lower[side][i], found.lower);
            children.upper[side][i] = std::min(children.upper[side][i], found.upper);
        }
        if (sum(children.upper, i) <= value) return node.active.columns[i];
        if (options_.similar_support) compare_supports(node, i, value + 1, open.subspan(at + 1), children);
    }
    const Entry* entry = find_known(node.key, depth);
    return entry == nullptr ? Entry::kLeaf : entry->feature;
}

}  // namespace treewright::binary
