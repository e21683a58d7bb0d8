// Dense dynamic program over the product of column-group lattices (engine B), for unlimited depth.
//
// The subsets of rows that a tree can reach are conjunctions. Put columns into groups; a group sees only which of its
// value combinations a row has, and a conjunction restricts each group to a set of values. The sets that a group can
// reach by fixing its columns form a small lattice: thresholds of one number give intervals, a one-hot code gives
// "one value" or "all but some". Every conjunction is one element from each lattice, so all subproblems together
// are a mixed-radix array, in which both children of a split lie before their parent. One pass fills it:
//
//   f[state] = min( leaf[state], min over transitions of f[state with the group's zeros] + f[... ones] )
//
// The pass costs the same at every cost_complexity and needs no bounds, which makes it the better engine exactly
// where branch and bound is slow: small leaf penalties. States whose leaf errors are at most c are leaves (B1).
#pragma once

#include "treewright/space/binary_dataset.hpp"
#include "treewright/search/binary_search.hpp"
#include "treewright/core/control.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace treewright::binary {

struct LatticeResult {
    std::int64_t value;  // optimal cost
    Shape shape;
};

// Solves the problem if the lattice has at most `max_states` states and fits the memory limit; nothing otherwise, or
// if the run was stopped. Depth and leaf limits must not bind, and no minimum leaf size is known here.
[[nodiscard]] std::optional<LatticeResult> solve_by_lattice(const Dataset& data, const Settings& settings,
                                                            std::size_t max_states, Control& control);

}  // namespace treewright::binary
