// The children of a subproblem: what is known of them.
#pragma once

#include "space/row_values.hpp"
#include "treewright/search/binary_search.hpp"
#include "treewright/search/binary_shared.hpp"

#include <algorithm>

namespace treewright::binary {

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

template <class Acc>
void Search<Acc>::recall_shared(const ChildKey& key, int side, std::size_t column, Children& children) {
    const auto entry = shared_->find(key.key, key.depth, key.hash);
    if (!entry) return;
    cache_.store(key.key.data(), key.hash, *entry);
    recall(key, side, column, children);
}

// Of any set of rows, by this thread or another; valid until the next insertion.
template <class Acc>
const Entry* Search<Acc>::find_known(std::span<const std::uint64_t> key, std::int32_t depth) {
    const std::uint64_t hash = cache_.hash(key.data(), depth);
    if (shared_ != nullptr)
        if (const auto entry = shared_->find(key, depth, hash)) cache_.store(key.data(), hash, *entry);
    return cache_.find(key.data(), depth, hash);
}

// B6 from both children of a solved split to the children of the splits still open, those below `target`. At least
// w(S') - w(S) moves from S' to S, so most pairs are settled without a look at the matrix.
template <class Acc>
void Search<Acc>::compare_supports(const Node& node, std::size_t solved, std::int64_t target,
                                   std::span<const Candidate> others, Children& children) {
    const auto ones = [&](std::size_t i) { return static_cast<std::int64_t>(node.ones[i]); };
    const auto all = static_cast<std::int64_t>(node.weight);
    const std::int64_t theirs_of[2] = {all - ones(solved), ones(solved)};
    for (const Candidate& other : others) {
        const std::size_t i = other.column;
        if (children.lower[0][i] + children.lower[1][i] >= target) continue;
        ++similar_compared_;
        const std::int64_t mine_of[2] = {all - ones(i), ones(i)};
        bool may_rise = false;
        for (int mine : {0, 1})
            for (int theirs : {0, 1}) {
                const std::int64_t least = std::max<std::int64_t>(0, theirs_of[theirs] - mine_of[mine]);
                may_rise |= children.lower[theirs][solved] - (least << settings_.unit_shift) > children.lower[mine][i];
            }
        if (!may_rise) continue;
        std::int64_t both = 0;
        for (std::size_t k = 0; k < data_.n_classes; ++k) both += node.pairs.at(k, solved, i);
        // moved[a][b]: weight of the rows with solved = a and i = b.
        const std::int64_t moved[2][2] = {{theirs_of[0] - mine_of[1] + both, mine_of[1] - both},
                                          {theirs_of[1] - both, both}};
        for (int mine : {0, 1}) {
            for (int theirs : {0, 1}) {
                const std::int64_t bound =
                    children.lower[theirs][solved] - (moved[theirs][1 - mine] << settings_.unit_shift);
                children.lower[mine][i] = std::min(children.upper[mine][i], std::max(children.lower[mine][i], bound));
            }
        }
        if (children.lower[0][i] + children.lower[1][i] >= target) ++similar_closed_;
    }
    // Where it closes few splits it costs more than it saves. A split that is closed saves a subproblem, whose cost
    // grows with the square of the columns. CPU milliseconds with B6, without it, and by this rule: tic-tac-toe (18
    // columns, depth 5) 17, 15, 15; german-credit (112, depth 4) 170, 145, 146; vehicle (252, depth 4) 149, 344, 149.
    const auto m = static_cast<std::int64_t>(data_.n_columns);
    if (similar_compared_ >= 8192 && similar_closed_ * m * m < 60 * similar_compared_) options_.similar_support = false;
}

template <class Acc>
typename Search<Acc>::Node Search<Acc>::make_child(const Node& node, std::size_t column, int side, const ChildKey& key,
                                                   Sides<Acc>& sides, std::int64_t budget) {
    // With a depth of two or less, or a budget that four leaves use up, the child is solved from its matrix as it is.
    // Processor seconds of audiology at .001: 15.2 -> 11.0, with the same steps.
    const bool narrow = key.depth > 2 && budget > floor_of_four_leaves({});
    Node child{subproblems_.make_child(node, column, side, key.key, narrow, sides), 0, 0};
    child.guess = guess_of(child.rows);
    child.price = sum_over(prices_, child.rows);
    return child;
}

}  // namespace treewright::binary
