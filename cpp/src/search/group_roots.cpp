// The roots of a set of groups: columns that part it, each kind once, and what bounds the trees below each.
#include "treewright/search/group_search.hpp"

#include <algorithm>
#include <cmath>

namespace treewright::ranked {

void GroupSearch::find_columns(const Set& set, Level& here) {
    std::fill(n_ones_.begin(), n_ones_.end(), 0);
    std::fill(key_.begin(), key_.end(), Fingerprint{});
    for (const std::uint32_t g : set.groups) {
        const Fingerprint& key = groups_.group[g].rows;
        for (const std::uint32_t split : groups_.ones(g)) {
            ++n_ones_[split];
            key_[split].add(key);
        }
    }
    // The parts of a split and of its opposite are told by the smaller fingerprint of the two.
    struct Parts {
        Fingerprint key;
        std::uint32_t split;
    };
    static thread_local std::vector<Parts> parts;
    parts.clear();
    const auto less = [](const Fingerprint& a, const Fingerprint& b) {
        return a.low != b.low ? a.low < b.low : a.high < b.high;
    };
    for (std::uint32_t split = 0; split < n_ones_.size(); ++split) {
        if (n_ones_[split] == 0 || n_ones_[split] == set.groups.size()) continue;
        Fingerprint other = set.rows.rows;
        other.subtract(key_[split]);
        parts.push_back({less(other, key_[split]) ? other : key_[split], split});
    }
    std::sort(parts.begin(), parts.end(),
              [&](const Parts& a, const Parts& b) { return a.key == b.key ? a.split < b.split : less(a.key, b.key); });
    here.columns.clear();
    for (std::size_t i = 0; i < parts.size(); ++i)
        if (i == 0 || !(parts[i].key == parts[i - 1].key)) here.columns.push_back(parts[i].split);
    std::sort(here.columns.begin(), here.columns.end());
    here.key.clear();
    for (const std::uint32_t split : here.columns) here.key.push_back(key_[split]);
}

void GroupSearch::bound_roots(const Set& set, std::uint32_t depth, Level& here) {
    depth > 3 ? bound_by_sides(set, depth, here) : bound_by_cells(set, depth, here);
}

void GroupSearch::bound_by_cells(const Set& set, std::uint32_t depth, Level& here) {
    here.roots.clear();
    ++statistics_.pair_solves;
    const bool solved = cells_.solve(set.groups, here.columns, static_cast<int>(depth), here.value);
    const Cost any = set.unavoidable + 2 * penalty_, one_leaf = objective_.leaf_cost(set.rows);
    for (std::size_t i = 0; i < here.columns.size(); ++i) {
        Root root{here.columns[i], any, 0.0};
        if (solved && std::isinf(here.value[i])) {
            root.bound = kNoCost;  // a side cannot be a leaf
        } else if (solved) {
            root.likely = here.value[i];
            root.bound = std::max(any, cells_.bound(here.value[i], one_leaf));
        }
        here.roots.push_back(root);
    }
}

void GroupSearch::bound_by_sides(const Set& set, std::uint32_t depth, Level& here) {
    here.roots.clear();
    const Cost any = set.unavoidable + 2 * penalty_;
    const Size below{one_less(depth)}, free{kFree}, shallow{depth == kFree ? kDeepened : depth - 2};
    for (std::size_t i = 0; i < here.columns.size(); ++i) {
        Fingerprint other = set.rows.rows;
        other.subtract(here.key[i]);
        Cost lower = 0;
        double likely = 0;
        for (const Fingerprint& side : {here.key[i], other}) {
            lower += std::max(store_->find(side, below).lower, segments_ ? store_->find(side, free).lower : 0);
            likely += static_cast<double>(store_->find(side, shallow).lower);
        }
        here.roots.push_back({here.columns[i], std::max(any, lower), likely});
    }
}

}  // namespace treewright::ranked
