// Lower bounds of all roots of a set of groups at depth two and three, from the cell kernel.
#pragma once

#include "treewright/core/control.hpp"
#include "treewright/kernels/cell_kernel.hpp"
#include "treewright/space/row_groups.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace treewright::ranked {

class CellSolver {
   public:
    CellSolver(const RowGroups& groups, const TwoSums& sums, std::uint32_t min_leaf, Control& control);

    // The least sum of g and leaves of the trees of depth `depth` (two or three) below each of `columns` (splits,
    // ascending), over the groups of `set`, less g of all rows as one leaf; false if the run ended before.
    [[nodiscard]] bool solve(std::span<const std::uint32_t> set, std::span<const std::uint32_t> columns, int depth,
                             std::vector<double>& value);
    // No tree of the groups of the last solve(), which cost `one_leaf` as one leaf, of eight leaves at most, costs less
    // than its value tells.
    [[nodiscard]] Cost bound(double value, Cost one_leaf) const;
    // What the values are off by at most.
    [[nodiscard]] double error() const;
    [[nodiscard]] std::size_t bytes() const;

    std::int64_t n_solves = 0;
    std::int64_t n_cells = 0;

   private:
    struct Sums {
        double a, b, rows;
    };
    void load(std::span<const std::uint32_t> set, std::span<const std::uint32_t> columns);
    // Moves or scales the sums so that single precision tells trees apart: g changes by the same for all of them.
    void level(std::span<const std::uint32_t> set);
    // False if the run ended before.
    [[nodiscard]] bool add_pairs();
    [[nodiscard]] bool add_triples(std::uint32_t i);
    [[nodiscard]] bool add_up(int depth);
    [[nodiscard]] bool counts(std::uint32_t n_ones);
    void add_to(std::size_t row, std::uint32_t begin, std::uint32_t end, std::uint32_t g);
    [[nodiscard]] double whole() const;
    static constexpr std::int64_t kAdditionsPerUnit = 4096;  // of work, for the clock
    static constexpr std::int64_t kAdditionsPerPoll = 16 * kAdditionsPerUnit;

    const RowGroups& groups_;
    const TwoSums& sums_;
    Control& control_;
    const CellKernels& kernels_;
    bool counts_;
    std::int64_t additions_ = 0;
    CellTask task_;
    std::vector<std::uint32_t> place_;  // [split]: number of the column, or kNone
    // The set: lists of columns of its groups, and their sums.
    std::vector<std::uint32_t> begin_, list_;
    std::vector<Sums> sum_;
    std::vector<double> steepness_;  // [group]: log A / B, where A is above 0
    double magnitude_ = 0;           // of g, for error()
    // By column: groups that have it, and where in their lists it is.
    std::vector<std::uint32_t> column_begin_, column_list_;
    std::vector<double> single_[3], pair_[3], added_, added_rows_;
    std::vector<float> value_[4], split_[4], side_[2];
};

}  // namespace treewright::ranked
