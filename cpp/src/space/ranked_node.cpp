#include "treewright/space/ranked_node.hpp"

#include "treewright/space/orders.hpp"

#include <algorithm>

namespace treewright::ranked {

std::uint32_t* Stack::take(std::size_t count) {
    while (block_ < blocks_.size() && blocks_[block_].size - used_ < count) {
        ++block_;
        used_ = 0;
    }
    if (block_ == blocks_.size()) {
        const std::size_t size = std::max<std::size_t>(count, std::size_t{1} << 18);
        blocks_.push_back({std::make_unique_for_overwrite<std::uint32_t[]>(size), size});
        bytes_ += size * sizeof(std::uint32_t);
        used_ = 0;
    }
    std::uint32_t* memory = blocks_[block_].memory.get() + used_;
    used_ += count;
    return memory;
}

std::int64_t Node::leaf_loss() const { return *std::min_element(loss.begin(), loss.end()); }

void Node::clear() {
    columns.clear();
    orders.clear();
    rows = {};
    span = 0;
    n = 0;
}

void make_root(const Data& data, Node& root) {
    root.clear();
    root.n = data.n_rows;
    root.loss.assign(data.n_classes, 0);
    for (std::uint32_t row = 0; row < data.n_rows; ++row) {
        for (std::size_t k = 0; k < data.n_classes; ++k)
            root.loss[k] += std::int64_t{data.weight[row]} * data.cost[data.label[row] * data.n_classes + k];
        root.rows.add(data.key[row]);
    }
    root.span = data.total_span;
    for (std::uint32_t c = 0; c < data.n_columns; ++c) {
        const std::uint32_t* order = &data.order[static_cast<std::size_t>(c) * data.n_rows];
        if (data.rank_of(c, row_of(order[0])) == data.rank_of(c, row_of(order[data.n_rows - 1]))) continue;
        root.columns.push_back(c);
        root.orders.push_back(order);
    }
}

namespace {

void keep_if_varying(const Data& data, Node& child, std::uint32_t column, const std::uint32_t* order) {
    const std::uint32_t first = row_of(order[0]), last = row_of(order[child.n - 1]);
    if (data.rank_of(column, first) == data.rank_of(column, last)) return;
    child.columns.push_back(column);
    child.orders.push_back(order);
}

// The totals of rows begin .. end - 1 of an order.
void add_rows(const Data& data, const std::uint32_t* order, std::uint32_t begin, std::uint32_t end, Node& node) {
    node.n = end - begin;
    node.loss.assign(data.n_classes, 0);
    for (std::uint32_t i = begin; i < end; ++i) {
        const std::uint32_t row = row_of(order[i]);
        const std::int32_t* cost = &data.cost[static_cast<std::size_t>(data.label[row]) * data.n_classes];
        for (std::size_t k = 0; k < data.n_classes; ++k) node.loss[k] += std::int64_t{data.weight[row]} * cost[k];
        node.span += data.span[row];
        node.rows.add(data.key[row]);
    }
}

}  // namespace

void split(const Data& data, const Node& node, std::size_t at, std::uint32_t position, Stack& stack,
           std::span<std::uint8_t> goes_left, Node& left, Node& right) {
    left.clear();
    right.clear();
    const std::uint32_t* order = node.orders[at];
    for (std::uint32_t i = 0; i < node.n; ++i) goes_left[row_of(order[i])] = i < position ? 1 : 0;
    // Totals of the smaller side; the larger side is the rest.
    const bool small_left = position <= node.n - position;
    Node& small = small_left ? left : right;
    Node& large = small_left ? right : left;
    add_rows(data, order, small_left ? 0 : position, small_left ? position : node.n, small);
    large.n = node.n - small.n;
    large.loss.resize(data.n_classes);
    for (std::size_t k = 0; k < data.n_classes; ++k) large.loss[k] = node.loss[k] - small.loss[k];
    large.span = node.span - small.span;
    large.rows = node.rows;
    large.rows.subtract(small.rows);

    const OrderKernels& kernels = order_kernels(simd());
    for (std::size_t c = 0; c < node.columns.size(); ++c) {
        std::uint32_t* memory = stack.take(node.n + 2 * OrderKernels::kPadding);
        std::uint32_t* to_right = memory + left.n + OrderKernels::kPadding;
        kernels.partition(node.orders[c], node.n, goes_left.data(), memory, to_right);
        keep_if_varying(data, left, node.columns[c], memory);
        keep_if_varying(data, right, node.columns[c], to_right);
    }
}

void extract(const Data& data, const Node& node, std::size_t at, std::uint32_t begin, std::uint32_t end, Stack& stack,
             std::span<std::uint8_t> goes_left, Node& part) {
    part.clear();
    const std::uint32_t* order = node.orders[at];
    add_rows(data, order, begin, end, part);
    for (std::uint32_t i = 0; i < node.n; ++i) goes_left[row_of(order[i])] = i >= begin && i < end ? 1 : 0;
    const OrderKernels& kernels = order_kernels(simd());
    const std::size_t room = part.n + OrderKernels::kPadding;
    std::uint32_t* memory = stack.take(node.columns.size() * room);
    std::uint32_t* others = stack.take(node.n - part.n + OrderKernels::kPadding);
    for (std::size_t c = 0; c < node.columns.size(); ++c, memory += room) {
        kernels.partition(node.orders[c], node.n, goes_left.data(), memory, others);
        keep_if_varying(data, part, node.columns[c], memory);
    }
}

void cut_positions(std::span<const std::uint32_t> order, std::vector<std::uint32_t>& positions) {
    positions.resize(order.size() + OrderKernels::kPadding);
    positions.resize(order_kernels(simd()).group_starts(order.data(), order.size(), positions.data()));
}

}  // namespace treewright::ranked
