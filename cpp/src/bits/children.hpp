// The children of a subproblem: what is known of them.
#pragma once

#include "treewright/bits/search.hpp"

#include <algorithm>
#include <numeric>

namespace treewright::bits {

template <class Acc>
typename Search<Acc>::ChildKey Search<Acc>::child_key(const Node& node, std::size_t column, int side,
                                                      std::int32_t depth) {
    const ChildPattern pattern = subproblems_.child_pattern(node, column, side);
    const std::int32_t here = depth_for(below(depth), node.pairs.size - pattern.n_fixed);
    return {pattern.key, cache_.hash(pattern.key.data(), here), here};
}

template <class Acc>
void Search<Acc>::recall(const ChildKey& key, int side, std::size_t column, Children& children) {
    if (const Entry* known = cache_.find(key.key.data(), key.depth, key.hash)) {
        children.lower[side][column] = std::max(children.lower[side][column], known->lower);
        children.upper[side][column] = std::min(children.upper[side][column], known->upper);
    }
}

// B6 from both children of a solved split to the children of the splits still open, those below `target`.
template <class Acc>
void Search<Acc>::compare_supports(const Node& node, std::size_t solved, std::int64_t target,
                                   std::span<const Candidate> others, Children& children) {
    const auto sum = [&](std::size_t i, std::size_t j) {
        std::int64_t s = 0;
        for (std::size_t k = 0; k < data_.n_classes; ++k) s += node.pairs.at(k, i, j);
        return s;
    };
    const std::int64_t all = std::accumulate(node.total.begin(), node.total.end(), std::int64_t{0});
    const std::int64_t ones = sum(solved, solved);
    const std::int64_t best = std::max(children.lower[0][solved], children.lower[1][solved]);
    for (const Candidate& other : others) {
        const std::size_t i = other.column;
        const std::int64_t lower[2] = {children.lower[0][i], children.lower[1][i]};
        if (lower[0] + lower[1] >= target || best <= std::min(lower[0], lower[1])) continue;  // closed, or no gain
        const std::int64_t both = sum(solved, i);
        const std::int64_t here = sum(i, i);
        // moved[a][b]: weight of the rows with solved = a and i = b.
        const std::int64_t moved[2][2] = {{all - ones - here + both, here - both}, {ones - both, both}};
        for (int mine : {0, 1}) {
            for (int theirs : {0, 1}) {
                const std::int64_t bound =
                    children.lower[theirs][solved] - (moved[theirs][1 - mine] << settings_.unit_shift);
                children.lower[mine][i] = std::min(children.upper[mine][i], std::max(children.lower[mine][i], bound));
            }
        }
    }
}

template <class Acc>
typename Search<Acc>::Node Search<Acc>::make_child(const Node& node, std::size_t column, int side, const ChildKey& key,
                                                   Sides<Acc>& sides) {
    // With a depth of two or less the child is solved from its matrix as it is.
    Node child{subproblems_.make_child(node, column, side, key.key, key.depth > 2, sides), 0, 0};
    child.guess = guess_of(child.rows);
    if (!prices_.empty())
        for (const std::uint32_t r : child.rows) child.price += prices_[r];
    return child;
}

}  // namespace treewright::bits
