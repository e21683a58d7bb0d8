// In which part of each column's order the rows of a large node lie.
//
// A pass of the depth-two kernel that walks the orders reads the lanes of rows that lie in memory in no order: of a
// million rows 8 MB, more than a core's own cache holds. Here every column's order is cut into stretches of as many
// rows as sums of 8 bits hold, and a pass takes the rows in the order of the table: it reads lanes one after another,
// and adds each row to the sums of its stretch, half a byte a row for all lanes together. Then it looks at all
// stretches, and walks those that leave room for a better split (pair_kernel_unit.hpp). Lanes are noted the same way:
// all rows of a stretch are on one side of a split, but in the stretch that the split cuts.
//
// Pieces of the orders of the whole table are made once. The order of a node is a part of that of the table, so its
// rows keep their pieces; pieces that follow each other are a stretch of the node, as long as it holds them.
#pragma once

#include "treewright/kernels/pair_kernel.hpp"
#include "treewright/space/ranked_node.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace treewright::ranked {

class RowStretches {
   public:
    // Rows before a stretch: their signs added, and how many have one.
    struct Sums {
        std::int32_t sum = 0, n_signed = 0;
    };

    // Whether the node is so large, and so large a part of its table, that its passes are faster so; and what that
    // keeps is a quarter of `max_bytes` at most.
    [[nodiscard]] static bool suit(const RankedTable& table, const Node& node, std::size_t max_bytes);
    // Of a node, with the sign (-1, 0 or 1) of each row of the table.
    void open(const RankedTable& table, const Node& node, std::span<const std::int8_t> sign);

    [[nodiscard]] std::span<const std::uint32_t> rows() const { return rows_; }  // of the node, ascending
    // Of the node's columns, and the most stretches that one has.
    [[nodiscard]] std::span<const StretchedColumn> columns() const { return columns_; }
    [[nodiscard]] std::size_t most() const { return n_pieces_; }
    // Of column number `at` of the node: for each stretch, and at the end.
    [[nodiscard]] std::span<const Sums> before(std::size_t at) const {
        return std::span(before_).subspan(at * (n_pieces_ + 1), columns_[at].n_stretches + 1);
    }

    [[nodiscard]] std::size_t bytes() const;

   private:
    void cut(const RankedTable& table);
    void list_rows(const RankedTable& table, const Node& node);
    void count(std::size_t at, std::span<const std::uint16_t> piece, std::span<const std::int8_t> sign);

    std::size_t n_pieces_ = 0;            // of a column of the table
    std::vector<std::uint16_t> piece_;    // [column of the table][row]
    std::vector<std::uint64_t> is_here_;  // a bit for each row of the table
    std::vector<std::uint32_t> rows_;
    std::vector<std::uint32_t> counted_;     // [piece]: rows, rows of sign 1, rows of sign -1, eight bits each
    std::vector<std::uint16_t> stretch_of_;  // [piece]
    std::vector<std::uint16_t> stretch_;     // [column of the node][place in rows_]
    std::vector<std::uint32_t> start_;       // [column of the node][stretch]
    std::vector<Sums> before_;               // [column of the node][stretch]
    std::vector<StretchedColumn> columns_;
};

}  // namespace treewright::ranked
