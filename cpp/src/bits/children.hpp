// The children of a subproblem: who they are, what is known of them, and how they are made.
#pragma once

#include "treewright/bits/search.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace treewright::bits {

template <class Acc>
typename Search<Acc>::ChildKey Search<Acc>::child_key(const Node& node, std::size_t column, int side,
                                                      std::int32_t depth) {
    const std::size_t m = node.pairs.size;
    const std::size_t w = data_.n_words;
    ChildKey out;
    out.key = arena_.take<std::uint64_t>(2 * w);
    std::copy(node.key.begin(), node.key.end(), out.key.begin());
    ArenaScope scope(arena_);
    const auto ones = arena_.take<std::uint64_t>((m + 63) / 64);
    const auto zeros = arena_.take<std::uint64_t>((m + 63) / 64);
    constant_columns(simd_, node.pairs, node.total.data(), column, side, ones, zeros);
    std::size_t n_constant = 0;
    const auto scatter = [&](std::span<const std::uint64_t> local, std::size_t half) {
        for (std::size_t lw = 0; lw < local.size(); ++lw) {
            for (std::uint64_t left = local[lw]; left != 0; left &= left - 1) {
                const auto j = static_cast<std::size_t>(node.active.columns[lw * 64 + static_cast<std::size_t>(std::countr_zero(left))]);
                out.key[half * w + j / 64] |= std::uint64_t{1} << (j % 64);
                ++n_constant;
            }
        }
    };
    scatter(ones, 0);
    scatter(zeros, 1);
    out.depth = depth_for(below(depth), m - n_constant);
    out.hash = cache_.hash(out.key.data(), out.depth);
    return out;
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
void Search<Acc>::split(const Node& node, std::size_t column, Sides& sides) {
    const auto j = static_cast<std::size_t>(node.active.columns[column]);
    const std::size_t word = j / 64;
    const unsigned digit = j % 64;
    const auto zeros = arena_.take<std::uint32_t>(node.rows.size());
    const auto ones = arena_.take<std::uint32_t>(node.rows.size());
    std::size_t n[2] = {0, 0};
    for (const std::uint32_t r : node.rows) {
        const std::uint64_t one = (data_.bits[r * data_.n_words + word] >> digit) & 1U;
        zeros[n[0]] = r;
        ones[n[1]] = r;
        n[1] += one;
        n[0] += 1 - one;
    }
    sides.rows[0] = zeros.first(n[0]);
    sides.rows[1] = ones.first(n[1]);
    sides.small_side = n[1] <= n[0] ? 1 : 0;
    sides.small = node.pairs;
    sides.small.data = arena_.take<Acc>(node.pairs.entries()).data();
    count_pairs(simd_, options_.kernel, rows_, sides.rows[sides.small_side], node.active, sides.small, pair_scratch_);
}

template <class Acc>
typename Search<Acc>::Node Search<Acc>::make_child(const Node& node, std::size_t column, int side, const ChildKey& key,
                                                   Sides& sides) {
    if (sides.small_side < 0) split(node, column, sides);
    const auto total = arena_.take<Acc>(node.total.size());
    for (std::size_t k = 0; k < total.size(); ++k) {
        const Acc one = node.pairs.at(k, column, column);
        total[k] = side == 1 ? one : node.total[k] - one;
    }
    Node child{sides.rows[side], node.active, sides.small, total, key.key, 0, guess_of(sides.rows[side])};
    if (!prices_.empty())
        for (const std::uint32_t r : child.rows) child.price += prices_[r];
    if (side != sides.small_side) {
        child.pairs.data = arena_.take<Acc>(node.pairs.entries()).data();
        subtract(simd_, node.pairs, sides.small, child.pairs);  // sibling = parent - other sibling
    }
    if (key.depth <= 2) return child;  // solved from the matrix as it is

    // Drop the columns that have become constant.
    const std::size_t w = data_.n_words;
    const auto columns = arena_.take<std::int32_t>(node.pairs.size);
    const auto local = arena_.take<std::uint32_t>(node.pairs.size);
    const auto mask = arena_.take<std::uint64_t>(w);
    std::size_t m = 0;
    for (std::size_t j = 0; j < node.pairs.size; ++j) {
        const auto column_j = static_cast<std::size_t>(node.active.columns[j]);
        if (((key.key[column_j / 64] | key.key[w + column_j / 64]) >> (column_j % 64)) & 1U) continue;
        columns[m] = node.active.columns[j];
        local[m++] = static_cast<std::uint32_t>(j);
    }
    if (m == node.pairs.size) return child;
    for (std::size_t word = 0; word < w; ++word)
        mask[word] = node.active.mask[word] & ~(key.key[word] | key.key[w + word]);
    child.active = {columns.first(m), mask};
    const Pairs<Acc> wide = child.pairs;
    child.pairs = {nullptr, m, Pairs<Acc>::stride_of(m), wide.n_channels};
    child.pairs.data = arena_.take<Acc>(child.pairs.entries()).data();
    for (std::size_t k = 0; k < wide.n_channels; ++k) {
        for (std::size_t i = 0; i < m; ++i) {
            const Acc* from = wide.row(k, local[i]);
            Acc* to = child.pairs.row(k, i);
            for (std::size_t j = i; j < m; ++j) to[j] = from[local[j]];
        }
    }
    return child;
}

}  // namespace treewright::bits
