// A tree as the list of its splits, and the rows of a table sent through it.
//
// Nothing here knows how a tree was found: the splits are those that a reader of the tree sees (a threshold or
// categories of an encoded column, and where missing values go), and the rows are those of the table, not of an
// engine's copy. So what is counted here checks what the engines say.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace treewright::tree {

// Rows of float64 numbers, NaN for a missing value; in any order of memory.
struct EncodedRows {
    const double* data = nullptr;
    std::ptrdiff_t row_stride = 0;     // in numbers
    std::ptrdiff_t column_stride = 0;  // likewise
    std::size_t n_rows = 0;
    std::size_t n_columns = 0;

    [[nodiscard]] double at(std::size_t row, std::size_t column) const {
        return data[static_cast<std::ptrdiff_t>(row) * row_stride +
                    static_cast<std::ptrdiff_t>(column) * column_stride];
    }
};

struct Split {
    enum class Kind : std::uint8_t { leaf, threshold, category };
    Kind kind = Kind::leaf;
    bool missing_left = false;
    std::uint32_t column = 0;
    double threshold = 0.0;             // x <= threshold goes left
    std::uint32_t first = 0, last = 0;  // of the categories that go left

    [[nodiscard]] bool is_leaf() const { return kind == Kind::leaf; }
};

// Nodes depth-first, left before right.
struct SplitList {
    std::vector<Split> nodes;
    std::vector<double> categories;  // codes, ascending within a split

    [[nodiscard]] std::size_t size() const { return nodes.size(); }
    // As ThresholdSplit.goes_left and CategorySplit.goes_left of treewright/tree/_split.py.
    [[nodiscard]] bool goes_left(const Split& split, double x) const;
};

struct Children {
    std::int32_t left = -1;  // -1: a leaf
    std::int32_t right = -1;
};

// Throws std::invalid_argument if the list is not one whole tree.
[[nodiscard]] std::vector<Children> children_of(const SplitList& splits);

// Which rows fall into each node: for node i, order[begin[i]] to order[end[i] - 1].
struct RoutedRows {
    std::vector<std::uint32_t> order;
    std::vector<std::uint32_t> begin;
    std::vector<std::uint32_t> end;

    [[nodiscard]] std::span<const std::uint32_t> of(std::size_t node) const {
        return {order.data() + begin[node], order.data() + end[node]};
    }
};

// Sends the rows through the tree. `visit(node, rows)` is called for one node after the other, with its rows ascending;
// later each node's rows stand in the order of its leaves. Each split parts the rows of its node in place.
template <class Visit>
RoutedRows route(const SplitList& splits, std::span<const Children> children, const EncodedRows& rows, Visit visit) {
    RoutedRows routed;
    routed.order.resize(rows.n_rows);
    std::iota(routed.order.begin(), routed.order.end(), 0u);
    routed.begin.assign(splits.size(), 0);
    routed.end.assign(splits.size(), static_cast<std::uint32_t>(rows.n_rows));
    std::vector<std::uint32_t> right(rows.n_rows);
    for (std::size_t node = 0; node < splits.size(); ++node) {
        visit(node, routed.of(node));
        const Split& split = splits.nodes[node];
        if (split.is_leaf()) continue;
        std::uint32_t middle = routed.begin[node];
        std::size_t n_right = 0;
        for (std::uint32_t i = routed.begin[node]; i < routed.end[node]; ++i) {
            const std::uint32_t row = routed.order[i];
            const bool left = splits.goes_left(split, rows.at(row, split.column));
            routed.order[middle] = row;  // stays where it is, or is overwritten by the next that goes left
            right[n_right] = row;
            middle += left;
            n_right += !left;
        }
        std::copy_n(right.begin(), n_right, routed.order.begin() + middle);
        const auto low = static_cast<std::size_t>(children[node].left),
                   high = static_cast<std::size_t>(children[node].right);
        routed.begin[low] = routed.begin[node];
        routed.end[low] = routed.begin[high] = middle;
        routed.end[high] = routed.end[node];
    }
    return routed;
}

}  // namespace treewright::tree
