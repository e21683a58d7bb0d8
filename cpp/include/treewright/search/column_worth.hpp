// What each column is worth among the trees of a near-optimal set: how many do without it, and the fewest errors with
// and without it.
//
// Without. One inside pass (inside_pass.hpp) for kWaysLanes columns at once: each column is a lane of the counts, in
// which its edges are closed. Walks, ranges and cells are those of all columns together, so a pass costs little more
// than one for a single column. A lane's cell is zero exactly if there is no such tree (tree_shares.hpp, on rounding),
// so the fewest errors are read from the cells.
//
// With. least(n)[l], the fewest errors of a subtree of node n with l leaves, from the leaves up; beside(n)[l], the
// fewest errors that complete a subtree at n with l leaves to a tree, from the root down:
//     beside(root) = {0: 0},  beside(L_j)[x + z] = min(beside(n)[x] + least(R_j)[z]),  and for R_j likewise.
// A tree with a split on a column has an edge of that column, and over these edges
//     with[l] = min(beside(n)[x] + least(L_j)[y] + least(R_j)[z]),  x + y + z = l,
// for all columns in one pass. No split is redundant for what is beside it: its parent has a split there, and no two
// leaves.
#pragma once

#include "treewright/core/control.hpp"
#include "treewright/kernels/ways_kernel.hpp"
#include "treewright/search/set_walk.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace treewright::binary {

// The columns of an edge's copies; edges of equal copies are of one kind.
struct ColumnsOfEdges {
    std::span<const std::uint32_t> kind;    // [edge]
    std::span<const std::uint32_t> copies;  // [kind][column]: how many are on the column
    std::size_t n_columns = 0;

    [[nodiscard]] std::uint32_t on(std::size_t edge, std::size_t column) const {
        return copies[kind[edge] * n_columns + column];
    }
};

inline constexpr std::int64_t kNoTree = std::int64_t{1} << 62;

// By leaves the fewest errors of a tree with a split on each column, (column, leaves); kNoTree for none. Over the whole
// graph: who asks leaves out what exceeds the most errors. Empty if it was stopped.
struct LeastWith {
    std::size_t n_leaves = 0;  // of a column: its entries, from 0 leaves on
    std::vector<std::int64_t> errors;
};
[[nodiscard]] LeastWith least_with_columns(const NearOptimalGraph& graph, const SetRule& rule,
                                           const ColumnsOfEdges& columns, Control& control);

// Of the trees of the set without a split on some column.
struct TreesWithout {
    double n_split_trees = 0;         // of at least two leaves, rounded
    std::vector<std::int64_t> least;  // [leaves]: fewest errors
};
// For at most kWaysLanes columns from `first` on; empty if it was stopped.
[[nodiscard]] std::vector<TreesWithout> trees_without_columns(const NearOptimalGraph& graph, const SetRule& rule,
                                                              const ColumnsOfEdges& columns, std::size_t first,
                                                              std::size_t last, Control& control);

}  // namespace treewright::binary
