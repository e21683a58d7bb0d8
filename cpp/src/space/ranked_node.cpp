#include "treewright/space/ranked_node.hpp"

#include "treewright/objective/ranked_objective.hpp"
#include "treewright/space/orders.hpp"

#include <algorithm>

namespace treewright::ranked {

void Node::clear(std::size_t n_sums) {
    columns.clear();
    orders.clear();
    sums.assign(n_sums, 0);
    rows = {};
    span = 0;
    n = 0;
}

void make_root(const RankedObjective& objective, Node& root) {
    const RankedTable& table = objective.table();
    root.clear(objective.n_sums());
    std::vector<std::uint32_t> entries(table.n_rows);
    for (std::uint32_t row = 0; row < table.n_rows; ++row) entries[row] = row * 2;
    objective.add_rows(entries.data(), 0, table.n_rows, root);
    for (std::uint32_t c = 0; c < table.n_columns; ++c) {
        const std::uint32_t* order = &table.order[static_cast<std::size_t>(c) * table.n_rows];
        if (table.rank_of(c, row_of(order[0])) == table.rank_of(c, row_of(order[table.n_rows - 1]))) continue;
        root.columns.push_back(c);
        root.orders.push_back(order);
    }
}

namespace {

void keep_if_varying(const RankedTable& table, Node& child, std::uint32_t column, const std::uint32_t* order) {
    const std::uint32_t first = row_of(order[0]), last = row_of(order[child.n - 1]);
    if (table.rank_of(column, first) == table.rank_of(column, last)) return;
    child.columns.push_back(column);
    child.orders.push_back(order);
}

}  // namespace

void divide(const RankedObjective& objective, const Node& node, std::size_t at, std::uint32_t position, Arena& arena,
            std::span<std::uint8_t> goes_left, Node& left, Node& right) {
    left.clear(objective.n_sums());
    right.clear(objective.n_sums());
    const std::uint32_t* order = node.orders[at];
    for (std::uint32_t i = 0; i < node.n; ++i) goes_left[row_of(order[i])] = i < position ? 1 : 0;
    // Totals of the smaller side; the larger side is the rest.
    const bool small_left = position <= node.n - position;
    Node& small = small_left ? left : right;
    Node& large = small_left ? right : left;
    objective.add_rows(order, small_left ? 0 : position, small_left ? position : node.n, small);
    large.n = node.n - small.n;
    for (std::size_t k = 0; k < node.sums.size(); ++k) large.sums[k] = node.sums[k] - small.sums[k];
    large.span = node.span - small.span;
    large.rows = node.rows;
    large.rows.subtract(small.rows);

    const OrderKernels& kernels = order_kernels(simd());
    for (std::size_t c = 0; c < node.columns.size(); ++c) {
        std::uint32_t* memory = arena.take<std::uint32_t>(node.n + 2 * OrderKernels::kPadding).data();
        std::uint32_t* to_right = memory + left.n + OrderKernels::kPadding;
        kernels.partition(node.orders[c], node.n, goes_left.data(), memory, to_right);
        keep_if_varying(objective.table(), left, node.columns[c], memory);
        keep_if_varying(objective.table(), right, node.columns[c], to_right);
    }
}

void extract(const RankedObjective& objective, const Node& node, std::size_t at, std::uint32_t begin, std::uint32_t end,
             Arena& arena, std::span<std::uint8_t> goes_left, Node& part) {
    const std::uint32_t* order = node.orders[at];
    for (std::uint32_t i = 0; i < node.n; ++i) goes_left[row_of(order[i])] = i >= begin && i < end ? 1 : 0;
    select(objective, node, end - begin, arena, goes_left, part);
}

void select(const RankedObjective& objective, const Node& node, std::uint32_t n, Arena& arena,
            std::span<const std::uint8_t> marked, Node& part) {
    part.clear(objective.n_sums());
    const OrderKernels& kernels = order_kernels(simd());
    const std::size_t room = n + OrderKernels::kPadding;
    std::uint32_t* memory = arena.take<std::uint32_t>(node.columns.size() * room).data();
    std::uint32_t* others = arena.take<std::uint32_t>(node.n - n + OrderKernels::kPadding).data();
    for (std::size_t c = 0; c < node.columns.size(); ++c, memory += room) {
        kernels.partition(node.orders[c], node.n, marked.data(), memory, others);
        if (c == 0) objective.add_rows(memory, 0, n, part);
        keep_if_varying(objective.table(), part, node.columns[c], memory);
    }
}

void split_positions(std::span<const std::uint32_t> order, std::vector<std::uint32_t>& positions) {
    positions.resize(order.size() + OrderKernels::kPadding);
    positions.resize(order_kernels(simd()).group_starts(order.data(), order.size(), positions.data()));
}

}  // namespace treewright::ranked
