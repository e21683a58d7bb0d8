// A cut, with or without a price, as the kernels take it.
#pragma once

#include "treewright/leaf_accuracy/pair_solver.hpp"

#include <algorithm>

namespace treewright::leaf_accuracy {

inline constexpr Count kNarrow = Count{1} << 29;  // sums of two stay within 32 bits

template <class T>
LeafRule<T> make_rule(const Cut& cut, const Price* price) {
    LeafRule<T> rule;
    rule.slope = static_cast<T>(cut.slope);
    rule.offset = static_cast<T>(cut.offset);
    rule.per_row = static_cast<T>(cut.per_row);
    rule.table = cut.table.empty() ? nullptr : cut.table.data();
    rule.size_rate = static_cast<T>(cut.size_rate);
    rule.min_leaf = static_cast<T>(cut.min_leaf);
    if (price == nullptr) return rule;
    rule.cost = true;
    rule.unit = static_cast<T>(price->unit);
    rule.leaf = static_cast<T>(price->leaf);
    rule.none = static_cast<T>(sizeof(T) == 4 ? kNarrow : kNoCost);
    return rule;
}

inline bool rule_fits_narrow(const Cut& cut, const Price* price, Count total) {
    const Count most = std::max(cut.wanted(total), cut.per_row * total);
    if (std::max(most, cut.size_rate * cut.min_leaf) >= kNarrow) return false;
    return price == nullptr || (total < kNarrow / price->unit && price->unit * total + price->leaf < kNarrow);
}

}  // namespace treewright::leaf_accuracy
