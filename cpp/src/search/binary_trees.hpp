// From solved subproblems back to a tree.
//
// A search that ended by itself reads its tree off the matrices again, and solves again what the cache has lost. Once a
// run is stopped there is no time for that: the tree is then read off the cache by rows alone, and completed by single
// splits (row_greedy.hpp). A closed pattern is the same whether it comes from a matrix or from rows; the key of all
// rows is empty, even where a column is constant on them.
//
// Guesses are bounds only of the run that found the tree: what is solved again may end with another tree, a worse one.
// Then the memory for what was lost is what the run lacked, and it ends as stopped.
#pragma once

#include "search/row_greedy.hpp"

#include "treewright/search/binary_search.hpp"

#include <algorithm>

namespace treewright::binary {

template <class Acc>
Shape Search<Acc>::tree(Bounds known) {
    if (!shape_.empty()) return shape_;
    Shape shape;
    if (!control_.ended()) {
        if (together_ && known.exact() && known.upper < kInfinity) {
            emit_first(root_, root_depth_, known.upper, shape);
        } else {
            emit(root_, root_depth_, shape);
        }
    }
    if (control_.ended()) return tree_of_rows();
    const bool guessed = !data_.guess.empty() && known.upper < kInfinity;
    if (guessed && cost_of(data_, shape, c_, settings_.unit_shift) > known.upper) control_.halt(Stop::memory);
    return shape;
}

// The better of what the cache knows and of the greedy tree (the caller compares its cost with the bound).
template <class Acc>
Shape Search<Acc>::tree_of_rows() {
    Shape recalled, simple;
    const auto completed = [&](std::size_t* n_recalled, Shape& shape) {
        RowGreedy greedy(data_, settings_.min_count);
        return complete(greedy, greedy.all_rows(), root_depth_, n_recalled, shape);
    };
    std::size_t n_recalled = 0;
    const std::int64_t value = completed(&n_recalled, recalled);
    if (n_recalled == 0) return recalled;  // that is the greedy tree
    return completed(nullptr, simple) < value ? simple : recalled;
}

// Writes a tree for the rows and returns its cost: the splits that the cache knows, unless `n_recalled` is null, and
// single splits below. Counts the former.
template <class Acc>
std::int64_t Search<Acc>::complete(RowGreedy& greedy, std::span<const std::uint32_t> rows, std::int32_t depth,
                                   std::size_t* n_recalled, Shape& out) {
    const std::size_t at = out.size();
    RowGreedy::Split best;
    if (n_recalled != nullptr) {
        const bool is_root = rows.size() == data_.n_rows;
        const std::vector<std::uint64_t> key =
            is_root ? std::vector(root_.key.begin(), root_.key.end()) : closed_pattern(rows);
        std::size_t n_fixed = 0;
        for (const std::uint64_t word : key) n_fixed += static_cast<std::size_t>(std::popcount(word));
        depth = depth_for(depth, data_.n_columns - n_fixed);
        if (const Entry* entry = find_known(key, depth)) best.column = entry->feature;
        if (best.column != Entry::kLeaf) ++*n_recalled;
    }
    if (best.column == Entry::kLeaf && depth > 0) best = greedy.best(rows);
    out.push_back(best.column);
    const std::int64_t leaf = greedy.leaf(rows);
    const std::int64_t as_leaf = leaf >= kInfinity ? kInfinity : (leaf << settings_.unit_shift) + c_;
    if (best.column == Entry::kLeaf) return as_leaf;
    const auto [zeros, ones] = greedy.sides(rows, best.column);
    std::int64_t value = complete(greedy, zeros, below(depth), n_recalled, out);
    value = std::min(kInfinity, value + complete(greedy, ones, below(depth), n_recalled, out));
    if (value < as_leaf) return value;
    out.resize(at);
    out.push_back(Entry::kLeaf);
    return as_leaf;
}

// Columns that are constant one, and constant zero, on the rows.
template <class Acc>
std::vector<std::uint64_t> Search<Acc>::closed_pattern(std::span<const std::uint32_t> rows) const {
    const std::size_t w = data_.n_words;
    std::vector<std::uint64_t> key(2 * w, ~std::uint64_t{0});
    for (const std::uint32_t r : rows) {
        for (std::size_t word = 0; word < w; ++word) {
            key[word] &= data_.bits[r * w + word];
            key[w + word] &= ~data_.bits[r * w + word];
        }
    }
    const std::size_t used = data_.n_columns % 64;
    if (used != 0 || data_.n_columns == 0)  // bits past the last column
        for (const std::size_t half : {std::size_t{0}, w}) key[half + w - 1] &= (std::uint64_t{1} << used) - 1;
    return key;
}

// Writes the best tree known for the node. What the cache has lost is solved again. Of use only if the run has not
// ended.
template <class Acc>
void Search<Acc>::emit(const Node& node, std::int32_t depth, Shape& out) {
    ArenaScope scope(arena_);
    const Children children = bound_children(node, depth);
    if (control_.ended()) return;
    Best best = best_of_depth_two(node, depth, children);
    if (depth > 2 && best.value > floor_of_four_leaves(node)) {
        const Entry* entry = find_known(node.key, depth);
        if ((entry == nullptr || entry->lower < entry->upper) && !control_.stopped()) {
            const Bounds found = solve(node, depth, kInfinity);
            entry = find_known(node.key, depth);
            if (entry == nullptr && !control_.stopped()) best = {found.upper, last_feature_};
        }
        if (entry != nullptr && entry->upper < best.value) best = {entry->upper, entry->feature};
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

}  // namespace treewright::binary
