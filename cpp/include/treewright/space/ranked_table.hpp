// The space of ranked columns: ranks instead of numbers, and the rows sorted by each column.
//
// A *ranked column* gives every row a rank 0, 1, ...; ties share a rank. Split r sends the rows with rank < r to the
// left. A continuous column is one ranked column; a column with missing values is two (missing lowest, missing
// highest); a categorical column is one ranked column with two ranks for each category.
//
// What the rows cost in a leaf is the objective's (ranked_objective.hpp).
#pragma once

#include "treewright/core/fingerprint.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace treewright::ranked {

struct RankedTable {
    std::uint32_t n_rows = 0;
    std::uint32_t n_columns = 0;
    std::uint32_t min_leaf = 1;       // fewest rows in a leaf
    std::vector<std::uint32_t> rank;  // [column][row]

    // Derived by prepare().
    std::vector<std::uint32_t> order;  // [column][position]: row * 2 + (row starts a group of equal rank)
    std::vector<Fingerprint> key;      // [row]

    [[nodiscard]] std::uint32_t rank_of(std::uint32_t column, std::uint32_t row) const {
        return rank[static_cast<std::size_t>(column) * n_rows + row];
    }

    void prepare();
    // Takes some rows of another table with the ranks they have there, and leaves of any size.
    void take(const RankedTable& other, std::span<const std::uint32_t> rows);
};

// What prepare() derives.
[[nodiscard]] std::vector<std::uint32_t> orders_of(const RankedTable& table);
[[nodiscard]] std::vector<std::uint32_t> order_of(const RankedTable& table, std::uint32_t column);
[[nodiscard]] std::vector<Fingerprint> keys_of_rows(std::size_t n_rows);

// Numbers of some rows, `width` for each.
template <class T>
[[nodiscard]] std::vector<T> of_rows(std::span<const std::uint32_t> rows, const std::vector<T>& all,
                                     std::size_t width = 1) {
    std::vector<T> some;
    some.reserve(rows.size() * width);
    for (const std::uint32_t row : rows) {
        const T* const first = all.data() + row * width;  // of no numbers where the width is 0
        some.insert(some.end(), first, first + width);
    }
    return some;
}

// All rows in random order, which depends on what is in them and not on how the table is sorted. `content` says for
// each row what there is beside its ranks.
[[nodiscard]] std::vector<std::uint32_t> drawn_rows(const RankedTable& table, std::span<const std::uint64_t> content);

// An entry of an order: the row, and whether it is the first of its group of equal ranks within the node.
[[nodiscard]] inline std::uint32_t row_of(std::uint32_t entry) { return entry >> 1; }
[[nodiscard]] inline bool starts_group(std::uint32_t entry) { return (entry & 1u) != 0; }

// In a walk of an order, at position i of n: asks for what is known of the row that comes some steps later. Rows of a
// large table lie in memory in no order, and the walk would wait for each. `address` gives where the numbers of a row
// begin; those of the best single split of a million rows, ten columns and ten outputs then take a third of the time
// (benchmarks/limits.py).
template <class Address>
inline void ask_ahead(const std::uint32_t* order, std::uint32_t i, std::uint32_t n, const Address& address) {
    constexpr std::uint32_t kAhead = 24;
    if (i + kAhead < n) __builtin_prefetch(address(row_of(order[i + kAhead])));
}

}  // namespace treewright::ranked
