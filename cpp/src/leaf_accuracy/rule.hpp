// A target, with or without cost rates, as the kernels take it.
#pragma once

#include "treewright/leaf_accuracy/pair_solver.hpp"

#include <algorithm>

namespace treewright::leaf_accuracy {

inline constexpr Count kNarrow = Count{1} << 29;  // sums of two stay within 32 bits

template <class T>
LeafRule<T> make_rule(const Target& target, const CostRates* rates) {
    LeafRule<T> rule;
    rule.slope = static_cast<T>(target.slope);
    rule.offset = static_cast<T>(target.offset);
    rule.per_row = static_cast<T>(target.per_row);
    rule.table = target.table.empty() ? nullptr : target.table.data();
    rule.size_rate = static_cast<T>(target.size_rate);
    rule.min_leaf = static_cast<T>(target.min_leaf);
    if (rates == nullptr) return rule;
    rule.cost = true;
    rule.unit = static_cast<T>(rates->unit);
    rule.leaf = static_cast<T>(rates->leaf);
    rule.none = static_cast<T>(sizeof(T) == 4 ? kNarrow : kNoCost);
    return rule;
}

inline bool rule_fits_narrow(const Target& target, const CostRates* rates, Count total) {
    const Count most = std::max(target.wanted(total), target.per_row * total);
    if (std::max(most, target.size_rate * target.min_leaf) >= kNarrow) return false;
    return rates == nullptr ||
           rates->unit * total + rates->leaf < kNarrow;  // below 2^50: kMaxKernel of pair_solver.cpp
}

}  // namespace treewright::leaf_accuracy
