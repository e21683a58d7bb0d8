// The graph of all trees within a budget over all splits of ranked columns: the same graph, by the same rule, as
// near_optimal.hpp makes over binary columns, without making a column of every split.
//
// A split of a node that leaves out ranks which no row of the node has stands for several splits of the table: they
// send the rows of the node the same way and other rows differently, so each is an edge of its own, to the same two
// children. Nodes are told apart by the fingerprints of their rows, as in the search's own cache.
//
// With several threads those of a level are divided among them; while a level has few nodes, the splits of each are.
// Which splits there are and what their sides cost does not depend on who finds them, and edges are made in the order
// of nodes, columns and positions, so the graph is that of one thread.
#pragma once

#include "treewright/objective/misclassification.hpp"
#include "treewright/search/near_optimal.hpp"
#include "treewright/search/ranked_splits_within.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace treewright::ranked {

// The graph of all trees that cost at most `budget`; `complete` is false if the run was stopped. `split_of[column][k]`
// is the number of the split between the ranks k and k + 1 of the column: what the edges have as their column; -1 where
// another column has the same split. `search` is one with these options and this control, and what it knows is used;
// its threads find the splits (of the graph, the same for any number).
[[nodiscard]] binary::NearOptimalGraph near_optimal_graph(const Misclassification& objective, const Options& options,
                                                          Search& search, std::uint32_t max_depth, Cost budget,
                                                          std::span<const std::vector<std::int32_t>> split_of,
                                                          Control& control);

}  // namespace treewright::ranked
