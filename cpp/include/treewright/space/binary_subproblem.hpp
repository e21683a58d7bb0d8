// A subproblem, a set of rows that some splits select, and how its children are made from it.
//
// All engines of branch and bound over binary columns ask the same two things of a split: who are the children (their
// closed patterns, which are keys into a cache), and, for those that must be searched, their rows and pair matrices.
// The first is read off the parent's matrix. The second costs one pass over the rows of the smaller child; the other
// child's matrix is the difference.
#pragma once

#include "treewright/core/arena.hpp"
#include "treewright/space/binary_dataset.hpp"
#include "treewright/kernels/pair_matrix.hpp"
#include "treewright/core/control.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace treewright::binary {

inline constexpr std::int32_t kUnlimited = 1 << 20;

// A depth budget of at least the number of columns that can still split is no budget: keys of both cases meet.
inline std::int32_t depth_for(std::int32_t depth, std::size_t n_columns) {
    return depth >= static_cast<std::int32_t>(n_columns) ? kUnlimited : depth;
}
inline std::int32_t below(std::int32_t depth) { return depth == kUnlimited ? kUnlimited : depth - 1; }

// Rows, their pair matrix over the columns that may still split them, and the closed pattern.
template <class Acc>
struct Subproblem {
    std::span<const std::uint32_t> rows;
    Active active;
    Pairs<Acc> pairs;
    std::span<const Acc> total;          // one sum a channel
    std::span<const std::uint64_t> key;  // ones, zeros
    std::span<const Acc> ones;           // of each column: weight of the rows where it is one, over all channels
    Acc weight = 0;                      // of all rows; a row in the set has some (reduce() keeps no others)
    Pairs<Acc> less{};                   // with data: the matrix is pairs - less, and can only be scanned

    // Local number of a column that may still split the rows.
    [[nodiscard]] std::size_t local_column(std::int32_t column) const;
    // Clock checks' worth of one matrix, so that large subproblems look at the clock as often as small ones.
    [[nodiscard]] std::int64_t work() const {
        return 1 + static_cast<std::int64_t>(pairs.entries() * (1 + rows.size() / 1024) / 4096);
    }
};

// The two sides of one split, made when first needed.
template <class Acc>
struct Sides {
    std::span<const std::uint32_t> rows[2];
    Pairs<Acc> small;
    int small_side = -1;
    bool on_bits = false;  // lay_out() has been called for the node: a child without rows is counted from its bits
    bool to_scan = false;  // of a child that is not narrowed nothing is asked but scan()
};

// A closed pattern, and how many columns it fixes beyond its parent's.
struct ChildPattern {
    std::span<std::uint64_t> key;
    std::size_t n_fixed = 0;
};

// Makes subproblems in its arena; what it returns lives as long as the arena's scope.
//
// Once the run is over (Control::over), matrices are garbage or missing; rows, totals and keys are right at any time.
// Where a matrix would pass the memory limit the run is ended before it is made.
template <class Acc>
class Subproblems {
   public:
    // With `counted`, one more channel counts the input rows, for a minimum leaf size.
    Subproblems(const Dataset& data, PairKernel kernel, bool counted, Control& control, std::size_t max_bytes);

    // For a second thread on the same root, whose matrix stays with `lead`, which must outlive it.
    Subproblems(const Subproblems& lead, Control& control, std::size_t max_bytes);

    // What the matrices of the first splits take; a search with less memory is not begun. A few MB are always granted.
    [[nodiscard]] static std::size_t bytes_needed(const Dataset& data, bool counted);

    [[nodiscard]] const Subproblem<Acc>& root() const { return root_; }
    // Whether the root has its matrix.
    [[nodiscard]] bool is_whole() const { return is_whole_; }
    // Of a closed pattern and the rows that it selects (pattern_rows.hpp).
    [[nodiscard]] Subproblem<Acc> matching(std::span<const std::uint64_t> key, std::span<const std::uint32_t> rows);
    [[nodiscard]] Arena& arena() { return arena_; }
    [[nodiscard]] const Arena& arena() const { return arena_; }

    // Leaf and two-leaf costs of all children; those of a column that is constant here are kInfeasible.
    void scan(const Subproblem<Acc>& node, std::int64_t min_count, const ChildCosts<Acc>& out);
    // Cost of the cheapest single class.
    [[nodiscard]] Acc cheapest(const Subproblem<Acc>& node) const;

    [[nodiscard]] ChildPattern child_pattern(const Subproblem<Acc>& node, std::size_t column, int side);
    // Lays out the rows of a node for children that need no more than their matrix, until it is called for another
    // node. False where counting each child from its own rows takes less.
    [[nodiscard]] bool lay_out(const Subproblem<Acc>& node);
    // With `narrow`, the child's matrix loses the columns that its key fixes. Without, and with `sides.on_bits`, the
    // child has no rows: its matrix is all that can be asked of it.
    [[nodiscard]] Subproblem<Acc> make_child(const Subproblem<Acc>& node, std::size_t column, int side,
                                             std::span<const std::uint64_t> key, bool narrow, Sides<Acc>& sides);
    // Some rows of a node, which no splits need select: without a key, and without a matrix if there is no room for it.
    [[nodiscard]] Subproblem<Acc> some_rows(const Subproblem<Acc>& node, std::span<const std::uint32_t> rows);

   private:
    // Matrices that a child takes while it is made: the smaller side's, its own, and its own without constant columns.
    static constexpr std::size_t kMatricesOfChild = 3;
    static constexpr std::size_t kGranted = std::size_t{1} << 24;

    [[nodiscard]] bool has_room(std::size_t bytes) const;
    void weigh(Subproblem<Acc>& node);
    void drop_constant_columns(Subproblem<Acc>& node);
    void split(const Subproblem<Acc>& node, std::size_t column, Sides<Acc>& sides);
    void count_ones(const Subproblem<Acc>& node, std::size_t column, Sides<Acc>& sides);

    const Dataset& data_;
    PairKernel kernel_;
    Simd simd_;
    Control& control_;
    std::size_t max_bytes_;
    Rows<Acc> rows_;
    Arena arena_;
    PairScratch pair_scratch_;
    BitColumns laid_out_;
    std::vector<Acc> scan_scratch_;
    std::vector<Acc> constant_scratch_;
    Subproblem<Acc> root_;
    bool is_whole_ = false;
};

}  // namespace treewright::binary
