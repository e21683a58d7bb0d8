// The largest sum over the leaves of a tree of the set, where every leaf has a value: by leaves and errors, at every node.
//
//     M(n)[l, e] = max( values of the leaves of n with e errors,  max over edges of M(L_j)[l', e'] + M(R_j)[l - l', e - e'] ),
// the recursion of tree_counts.hpp with (max, +) in place of (+, x). The least sum is the largest of the values' negatives.
#pragma once

#include "treewright/search/set_walk.hpp"
#include "treewright/search/size_cells.hpp"
#include "treewright/core/control.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace treewright::bits {

// The largest of some sums.
struct Largest {
    std::int64_t value = std::numeric_limits<std::int64_t>::min();

    [[nodiscard]] bool none() const { return value == std::numeric_limits<std::int64_t>::min(); }
    Largest& operator+=(const Largest& other) {
        value = std::max(value, other.value);
        return *this;
    }
};
template <class Out>
[[nodiscard]] inline Out product(const Largest& a, const Largest& b) {
    return {a.value + b.value};
}

struct SizeExtremes {
    std::vector<std::uint32_t> leaves;
    std::vector<std::int64_t> errors;
    std::vector<std::int64_t> values;
};

class TreeExtremes {
   public:
    // `leaf_value`: node x class, small enough that the values of a tree's leaves can be added.
    TreeExtremes(const NearOptimalGraph& graph, SetRule rule, std::vector<std::int64_t> leaf_value, Control& control);
    TreeExtremes(const TreeExtremes&) = delete;
    TreeExtremes& operator=(const TreeExtremes&) = delete;

    [[nodiscard]] bool complete() const { return complete_; }
    [[nodiscard]] SizeExtremes cells(std::size_t node) const;

   private:
    void solve_node(std::size_t n);
    [[nodiscard]] Cells<Largest> cells_of(std::size_t n) const { return store_.cells(places_[n].first, places_[n].second); }
    [[nodiscard]] Largest value(std::size_t n, std::size_t label) const { return {leaf_value_[n * walk_.graph().n_classes + label]}; }

    SetRule rule_;
    SetWalk walk_;
    std::vector<std::int64_t> leaf_value_;
    std::vector<std::pair<std::size_t, std::size_t>> places_;  // [node]: first and last run
    CellStore<Largest> store_;
    CellRange range_;
    CellSums<Largest> sums_;
    bool complete_ = false;
};

}  // namespace treewright::bits
