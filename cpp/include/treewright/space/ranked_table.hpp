// The table as the sweep engine sees it: ranks instead of numbers, reduced integer costs instead of losses.
//
// A *ranked column* gives every row a rank 0, 1, ...; ties share a rank. Cut r sends the rows with rank < r to the
// left. A continuous column is one ranked column; a column with missing values is two (missing lowest, missing
// highest); a categorical column is one ranked column with two ranks for each category.
//
// A row's cost vector is weight * cost[label], reduced by its minimum: the minimum is paid by every tree. So a row
// that has no preference costs nothing, and no row adds more than its `span` to the cost of any tree.
//
// Costs are int64: one unit of loss is `unit`, one leaf costs `leaf`. The lowest bits of both are reserved so that
// leaves break ties between trees of equal cost: `leaf` is (rounded price << tie bits) + 1 (see _sweep.py).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace treewright::ranked {

using Cost = std::int64_t;
inline constexpr Cost kNoCost = std::int64_t{1} << 62;  // above every cost

// Row-set fingerprint: the sum of random 128-bit keys of its rows (sums of disjoint sets add).
struct Fingerprint {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
    void add(const Fingerprint& other) {
        high += other.high;
        low += other.low;
    }
    void subtract(const Fingerprint& other) {
        high -= other.high;
        low -= other.low;
    }
};

struct Data {
    std::uint32_t n_rows = 0;
    std::uint32_t n_columns = 0;
    std::uint32_t n_classes = 0;
    std::uint32_t min_leaf = 1;        // fewest rows in a leaf
    Cost unit = 1;                     // cost of one unit of loss
    Cost leaf = 1;                     // cost of one leaf, >= 1
    std::vector<std::uint32_t> rank;   // [column][row]
    std::vector<std::uint16_t> label;  // [row]
    std::vector<std::int32_t> weight;  // [row], >= 0
    std::vector<std::int32_t> cost;    // [label][predicted], each row's minimum is 0

    // Derived by prepare().
    std::vector<std::uint32_t> order;         // [column][position]: row * 2 + (row starts a group of equal rank)
    std::vector<std::int32_t> gain;           // [label][predicted] = max of the label's costs - cost, >= 0
    std::vector<std::int32_t> signed_weight;  // two classes: weight * (cost of class 0 - cost of class 1)
    std::vector<std::int32_t> span;           // [row]: largest entry of its cost vector
    std::vector<Fingerprint> key;             // [row]
    std::int64_t total_span = 0;
    bool unit_spans = false;  // every span is 1: positions are their own prefix sums

    [[nodiscard]] bool binary() const { return n_classes == 2; }
    [[nodiscard]] std::uint32_t rank_of(std::uint32_t column, std::uint32_t row) const {
        return rank[static_cast<std::size_t>(column) * n_rows + row];
    }

    void prepare();
};

// All rows in random order, which depends on what is in them and not on how the table is sorted.
[[nodiscard]] std::vector<std::uint32_t> drawn_rows(const Data& data);

// An entry of an order: the row, and whether it is the first of its group of equal ranks within the node.
[[nodiscard]] inline std::uint32_t row_of(std::uint32_t entry) { return entry >> 1; }
[[nodiscard]] inline bool starts_group(std::uint32_t entry) { return (entry & 1u) != 0; }

}  // namespace treewright::ranked
