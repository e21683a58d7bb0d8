// The largest sum over the leaves of a tree of the set, where every leaf has a value: by leaves and errors, at every
// node.
//
//     M(n)[l, e] = max( values of the leaves of n with e errors,  max over edges of M(L_j)[l', e'] + M(R_j)[l - l', e -
//     e'] ),
// the recursion of tree_counts.hpp with (max, +) in place of (+, x). The least sum is the largest of the values'
// negatives.
#pragma once

#include "treewright/core/control.hpp"
#include "treewright/search/inside_pass.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace treewright::binary {

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
    TreeExtremes(const NearOptimalGraph& graph, SetRule rule, const std::vector<std::int64_t>& leaf_value,
                 Control& control);
    TreeExtremes(const TreeExtremes&) = delete;
    TreeExtremes& operator=(const TreeExtremes&) = delete;

    [[nodiscard]] bool complete() const { return complete_; }
    [[nodiscard]] SizeExtremes cells(std::size_t node) const;

   private:
    InsidePass<Largest> pass_;
    bool complete_ = false;
};

}  // namespace treewright::binary
