// Every split of one set of rows that a tree of a given cost can begin with.
#include "treewright/search/binary_search.hpp"
#include "treewright/search/binary_shared.hpp"

#include <algorithm>

namespace treewright::binary {

// A split stays open while the lower bounds of its sides leave room in the budget. A side is asked only whether it
// costs at most what its sibling leaves: `solve` is exact below the budget it is given, and costs are integers, hence
// the 1.
template <class Acc>
bool Search<Acc>::splits_within(const Node& node, std::int32_t depth, std::int64_t budget, Part part,
                                std::vector<SolvedSplit>& out) {
    Children children = bound_children(node, depth);
    for (std::size_t i = part.number; i < node.pairs.size; i += part.of) {
        const auto total = [&] { return children.lower[0][i] + children.lower[1][i]; };
        const auto gap = [&](int side) { return children.upper[side][i] - children.lower[side][i]; };
        if (total() > budget) continue;
        ArenaScope scope(arena_);
        ChildKey key[2];
        for (int side : {0, 1}) {
            key[side] = child_key(node, i, side, depth);
            if (gap(side) > 0) recall(key[side], side, i, children);
            if (shared_ != nullptr && gap(side) > 0) recall_shared(key[side], side, i, children);
        }
        Sides<Acc> sides;
        while (total() <= budget && (gap(0) > 0 || gap(1) > 0)) {
            const int side = gap(0) > 0 && (gap(1) <= 0 || gap(0) <= gap(1)) ? 0 : 1;
            const std::int64_t child_budget = budget - children.lower[1 - side][i] + 1;
            const Node child = make_child(node, i, side, key[side], sides);
            const Bounds found = solve(child, key[side].depth, child_budget);
            if (control_.stopped()) return false;
            children.lower[side][i] = std::max(children.lower[side][i], found.lower);
            children.upper[side][i] = std::min(children.upper[side][i], found.upper);
        }
        if (total() <= budget)
            out.push_back({node.active.columns[i], {children.lower[0][i], children.lower[1][i]}, {}, {}});
    }
    return true;
}

// The splits that leave no row that costs anything on one side. There a leaf is best, and the other side costs what all
// rows cost with one level less.
template <class Acc>
bool Search<Acc>::free_splits_within(const Node& node, const typename PatternRows<Acc>::Sums& sums, std::int32_t depth,
                                     std::int64_t budget, Part part, std::vector<SolvedSplit>& out) {
    std::int64_t rest = -1;
    for (std::size_t i = part.number; i < node.pairs.size; i += part.of) {
        const std::int32_t column = node.active.columns[i];
        const Acc count = sums.of_ones(static_cast<std::size_t>(column)).back();
        if (count == 0 || count == sums.all.back()) continue;  // not a split
        if (node.ones[i] != 0 && node.ones[i] != node.weight) continue;
        if (rest < 0) {
            rest = node.weight == 0 ? c_ : solve(node, depth_for(below(depth), node.pairs.size), budget - c_ + 1).lower;
            if (control_.stopped()) return false;
        }
        if (c_ + rest > budget) return true;
        const bool costly = node.ones[i] != 0;  // the ones
        out.push_back({column, {costly ? c_ : rest, costly ? rest : c_}, {}, {}});
    }
    return true;
}

// Where both sides are leaves, the sums of each column are enough.
template <class Acc>
void Search<Acc>::leaf_splits_within(const typename PatternRows<Acc>::Sums& sums, std::span<const std::uint64_t> key,
                                     std::int64_t budget, Part part, std::vector<SolvedSplit>& out) {
    const auto least_count = static_cast<Acc>(std::max<std::int64_t>(settings_.min_count, 1));
    const auto leaf = [&](const auto& sum) {
        if (sum(data_.n_classes) < least_count) return kInfinity;
        Acc least = sum(0);
        for (std::size_t k = 1; k < data_.n_classes; ++k) least = std::min(least, sum(k));
        return cost(least);
    };
    for (std::size_t j = part.number; j < data_.n_columns; j += part.of) {
        if (((key[j / 64] | key[data_.n_words + j / 64]) >> (j % 64)) & 1U) continue;
        const auto one = sums.of_ones(j);
        const std::int64_t zero_cost = leaf([&](std::size_t k) { return sums.all[k] - one[k]; });
        const std::int64_t one_cost = leaf([&](std::size_t k) { return one[k]; });
        if (zero_cost + one_cost <= budget)
            out.push_back({static_cast<std::int32_t>(j), {zero_cost, one_cost}, {}, {}});
    }
}

template <class Acc>
bool Search<Acc>::splits_within(const PatternRows<Acc>& patterns, std::span<const std::uint64_t> key,
                                std::int32_t depth, std::int64_t budget, Part part, std::vector<SolvedSplit>& out) {
    out.clear();
    if (depth == 0) return true;
    const auto rows = patterns.matching(key, arena_);
    const auto sums = patterns.sums(rows, key, arena_);
    if (depth == 1) {
        if (control_.step(1 + static_cast<std::int64_t>(rows.size() * data_.n_words / 4096))) return false;
        leaf_splits_within(sums, key, budget, part, out);
    } else {
        const auto end = std::lower_bound(rows.begin(), rows.end(), data_.n_rows);
        const auto here = rows.first(static_cast<std::size_t>(end - rows.begin()));  // of this search
        const bool is_root = rows.size() == patterns.n_rows();
        const Node node{is_root ? subproblems_.root() : subproblems_.matching(key, here), 0, 0};
        if (control_.over() || control_.step(node.work())) return false;
        if (!splits_within(node, depth, budget, part, out)) return false;
        if (here.size() < rows.size() && !free_splits_within(node, sums, depth, budget, part, out)) return false;
    }
    if (out.empty()) return true;
    const auto bits = patterns.bits_of(rows, arena_);
    for (SolvedSplit& split : out) {
        const auto column = static_cast<std::size_t>(split.column);
        const auto one = sums.of_ones(column);
        const auto zero = arena_.take<Acc>(one.size());
        for (std::size_t k = 0; k < one.size(); ++k) zero[k] = sums.all[k] - one[k];
        split.total[0] = zero;
        split.total[1] = one;
        const auto keys = patterns.closed(bits, column, arena_);
        for (std::size_t side : {0, 1}) split.key[side] = keys.subspan(side * key.size(), key.size());
    }
    return true;
}

template bool Search<std::int32_t>::splits_within(const PatternRows<std::int32_t>&, std::span<const std::uint64_t>,
                                                  std::int32_t, std::int64_t, Part, std::vector<SolvedSplit>&);
template bool Search<std::int64_t>::splits_within(const PatternRows<std::int64_t>&, std::span<const std::uint64_t>,
                                                  std::int32_t, std::int64_t, Part, std::vector<SolvedSplit>&);

}  // namespace treewright::binary
