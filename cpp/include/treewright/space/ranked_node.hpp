// A node of the search: its rows, sorted by every column that still varies.
//
// The root is sorted once. A child keeps the order of its parent (a stable partition), so no node sorts again; the
// memory of a node is 4 bytes per row and varying column, taken from an arena that the recursion unwinds.
#pragma once

#include "treewright/core/arena.hpp"
#include "treewright/space/ranked_table.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace treewright::ranked {

class RankedObjective;

using Stack = Arena;  // of the orders of a node's rows

struct Node {
    std::uint32_t n = 0;
    std::vector<std::uint32_t> columns;        // columns that vary here, ascending
    std::vector<const std::uint32_t*> orders;  // parallel to columns; entries as in Data::order
    std::vector<std::int64_t> sums;            // of the rows: what the objective needs to know of a leaf
    std::int64_t span = 0;                     // sum of the rows' spans (see ranked_objective.hpp)
    Fingerprint rows;

    void clear(std::size_t n_sums);
};

// The node of all rows.
void make_root(const RankedObjective& objective, Node& root);

// Splits `node` before position `position` of its column number `at`. `goes_left` is scratch: a byte for each row of
// the table, and OrderKernels::kPadding more.
void divide(const RankedObjective& objective, const Node& node, std::size_t at, std::uint32_t position, Arena& arena,
            std::span<std::uint8_t> goes_left, Node& left, Node& right);

// The rows at positions begin .. end - 1 of column number `at` of `node`; scratch as above.
void extract(const RankedObjective& objective, const Node& node, std::size_t at, std::uint32_t begin, std::uint32_t end,
             Arena& arena, std::span<std::uint8_t> goes_left, Node& part);

// The `n` rows of `node` that are marked, a byte for each row of the table and padding as above. The node has columns
// that vary.
void select(const RankedObjective& objective, const Node& node, std::uint32_t n, Arena& arena,
            std::span<const std::uint8_t> marked, Node& part);

// Positions of `order` at which a group starts, without position 0: where a split may be.
void split_positions(std::span<const std::uint32_t> order, std::vector<std::uint32_t>& positions);

}  // namespace treewright::ranked
