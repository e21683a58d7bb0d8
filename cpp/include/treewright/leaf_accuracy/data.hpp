// The table as the search for the best worst leaf sees it: ranked columns, as the search over all thresholds has them,
// and the rows in planes (one class, one weight) for the dense depth-two step.
#pragma once

#include "treewright/leaf_accuracy/target.hpp"
#include "treewright/leaf_accuracy/pair_table.hpp"
#include "treewright/objective/labelled_table.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace treewright::leaf_accuracy {

using ranked::Fingerprint;

// Splits first .. first + 254 of a column as byte codes: split first + k sends code > k to the right.
struct Strip {
    std::uint32_t column;
    std::uint32_t first;

    [[nodiscard]] std::uint8_t code(std::uint32_t rank) const {
        return static_cast<std::uint8_t>(std::clamp(rank, first, first + 255) - first);
    }
};

struct Data {
    ranked::LabelledTable table;  // ranks, labels, weights >= 1, keys; orders are below
    Measure measure;
    Count min_leaf = 1;
    std::vector<Whole> full;  // [row] weights in full; empty: those of the table are full
    int shift = 0;            // a unit of weight in the table is 2^shift units in full

    // Derived by prepare().
    Count total = 0;  // weight
    Rounding rounding;
    Whole lost = 0;      // sum of what rounding up added to rows, in units in full
    Whole max_lost = 0;  // ... to one row
    bool unit_weights = true;
    std::vector<Plane> planes;           // class and weight; `first`, `last` unused
    std::vector<std::uint32_t> plane;    // [row]
    std::vector<std::uint32_t> n_ranks;  // [column]
    std::size_t n_splits = 0;            // of all columns
    std::vector<Strip> strips;

    void prepare();
    // The rows in the order of a column, as in RankedTable. It is sorted when it is first asked for, by whichever
    // thread: a run that its limits end before it sweeps asks for none.
    [[nodiscard]] const std::uint32_t* order(std::uint32_t column) const;
    [[nodiscard]] std::uint32_t n_rows() const { return table.n_rows; }
    [[nodiscard]] std::uint32_t n_classes() const { return table.n_classes; }

   private:
    struct Order {
        std::once_flag once;
        std::vector<std::uint32_t> rows;
    };
    std::unique_ptr<Order[]> orders_;  // [column]
};

// A set of rows.
struct Node {
    std::span<const std::uint32_t> rows;
    std::vector<Count> weight;  // [class]
    std::vector<Whole> full;    // [class]; empty if the weights are full
    Count total = 0;
    Count largest = 0;
    Value value;
    Fingerprint key;

    [[nodiscard]] Count n() const { return static_cast<Count>(rows.size()); }
    [[nodiscard]] Leaf leaf() const { return {total, largest, n(), value}; }
    void sum();  // total, largest and value from weight and full
};

// The sides of a split as leaves.
struct Sides {
    Leaf left, right;
};

// The rows of a node sorted by one column, and where they can be split.
struct SortedColumn {
    struct Split {
        std::uint32_t position;  // rows before it go left
        std::uint32_t rank;      // 1 + the largest rank on the left: rank < `rank` goes left
    };
    std::uint32_t column = 0;
    std::vector<std::uint32_t> rows;
    std::vector<Split> splits;
    std::vector<Count> left;  // [split][class]
    std::vector<Whole> full;  // [split][class] ... in full; empty if the weights are full

    void clear(std::uint32_t of_column);
    [[nodiscard]] Sides sides(const Node& node, std::size_t split) const;
};

class Sorter {
   public:
    explicit Sorter(const Data& data) : data_(data) {}
    void sort(const Node& node, std::uint32_t column, SortedColumn& out);
    // The splits and what is on their left, but not the rows in order: of few ranks, one pass without a sort.
    void sums(const Node& node, std::uint32_t column, SortedColumn& out);

    // Blocks of 2^bits neighbouring ranks. 0 bits: sums() has little to sort, or no more to do than blocks would have.
    [[nodiscard]] unsigned bits_of_blocks(const Node& node, std::uint32_t column) const;
    // The splits between blocks and what is on their left; `blocks.blocks` tells them apart.
    void sums_of_blocks(const Node& node, std::uint32_t column, unsigned bits, SortedColumn& out);
    // The splits inside the open ones of these blocks: block i is before split i, the last one behind all splits.
    void sums_inside(const Node& node, const SortedColumn& blocks, unsigned bits, const std::vector<bool>& open,
                     SortedColumn& out);

   private:
    // Adds the splits between groups of 2^bits ranks that have rows, from one pass over these.
    void sum_groups(const Node& node, std::uint32_t column, unsigned bits, SortedColumn& out);

    const Data& data_;
    std::vector<std::uint32_t> start_;
    std::vector<std::uint64_t> entries_;
    std::vector<Count> weight_;  // [rank][class]
    std::vector<Whole> full_;    // ... in full
};

}  // namespace treewright::leaf_accuracy
