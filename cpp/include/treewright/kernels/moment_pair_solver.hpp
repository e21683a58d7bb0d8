// Optimal trees of depth two by the kernel of few sums: rounds of kernel passes over the splits that the bounds leave
// open, and exact integers for the few splits that remain.
//
// A pass (moment_kernel.hpp) gives both sides of a split gains that are attained and gains that no split exceeds, in
// double precision, up to `error`. A side of loss L, told in units of the integer cost, costs more than L - k in k
// leaves, and at most L: so the first give a bound from above that the optimum need not exceed, the second valid lower
// bounds l, r. Splits that the lower bounds cannot close against the best upper bound are solved exactly: hardly more
// than the best one.
//
// What the sums are is a derived class's: squared_error_pairs.hpp, survival_pairs.hpp, share_pairs.hpp,
// action_pairs.hpp.
#pragma once

#include "treewright/kernels/moment_kernel.hpp"
#include "treewright/kernels/stump_pair_solver.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace treewright::ranked {

class MomentPairSolver : public StumpPairSolver {
   protected:
    struct Form {
        Gain gain = Gain::square;
        std::uint32_t n_sums = 2;
        double shift = 0;     // of MomentTask
        double per_unit = 1;  // units of cost in one of gain
        double leaf = 0;      // units that a leaf costs less than its loss
        int tie_bits = 0;
        std::uint32_t min_rows = 0;  // a node of fewer is solved split by split
        bool compact = false;        // of MomentTask: squares whose weights are all one
    };
    using Sums = std::array<double, MomentTask::kMaxSums>;

    MomentPairSolver(const RankedObjective& objective, const Options& options, Control& control, const Form& form);

    // Makes numbers(), or compact(), right for the rows of the node and sets the totals; returns what a loss in units
    // of gain may be off by.
    [[nodiscard]] virtual double load(const Node& node) = 0;
    // The numbers of a row: sums, and its own gain at own_at().
    [[nodiscard]] double* numbers(std::uint32_t row) { return rows_.data() + std::size_t{row} * size_; }
    [[nodiscard]] bool is_compact() const { return form_.compact; }
    // With numbers_rows() of a number, the row's position in the node's first order.
    [[nodiscard]] std::uint64_t& compact(std::uint32_t row) { return compact_[row]; }
    [[nodiscard]] bool numbers_rows() const { return !number_.empty(); }
    [[nodiscard]] std::uint32_t own_at() const { return size_ - 1; }
    // Sets the totals from the numbers of the node's rows.
    void add_up(const Node& node);

    // What it keeps for the orders of numbered rows.
    [[nodiscard]] std::size_t bytes() const override { return orders_.capacity() * sizeof(std::uint32_t); }

    Sums total_{};          // of the node
    double own_total_ = 0;  // of its rows' own gains: loss + gain

   private:
    static constexpr std::uint32_t kPassed = 0;  // tag of a split that a pass has bounded
    static constexpr std::uint32_t kMaxLanes = MomentTask::kMaxLanes;
    static constexpr std::uint32_t kFirstLanes = 16;  // of the first pass over a column
    // One side of a split.
    struct Side {
        double total = 0;  // loss + gain, in units of gain
        double leaf = 0;   // gain of a leaf
        double best = 0;   // gain of the best split found
        double bound = 0;  // no split gains more
        Cost lower = 0;    // of the cost of the best stump
        Cost upper = kNoCost;
    };
    struct Lane {
        std::uint32_t split = 0;
        std::uint32_t position = 0;
        Sums left{};  // of the left side
        std::array<Side, 2> sides;
        std::array<double, 2> wanted;  // stretches that may gain more than this are walked
        [[nodiscard]] Cost lower() const { return sides[0].lower + sides[1].lower; }
        [[nodiscard]] Cost upper() const { return sides[0].upper + sides[1].upper; }
    };

    void search_splits(const Node& node, bool three_leaves, Cost budget, Outcome& result) override;
    [[nodiscard]] double gain_of(const Sums& sums) const;
    // Loads the node; returns what passes read: the node, or the same with its rows numbered from 0.
    const Node& take(const Node& node);
    void make_stretches(const Node& node);
    // Open splits of a column for the next pass; none if all are closed.
    void choose_splits(std::size_t at, Cost target);
    // Bounds of the chosen splits of a column; `target` falls to what they attain.
    void pass(const Node& node, std::size_t at, Cost& target);
    void prepare(const Node& node, std::size_t at);
    void place_lanes(const Node& node, std::size_t at);
    // Which stretches might change something; false if none.
    [[nodiscard]] bool want_stretches(Cost target);
    void set_costs(Side& side) const;

    const MomentKernels& kernels_;
    Form form_;
    std::uint32_t size_;                                    // numbers of a row
    double error_ = 0;                                      // of a loss, in units of gain
    std::vector<double> rows_;                              // [row][size_]
    std::vector<std::uint8_t> slot_;                        // [row]
    std::vector<std::uint64_t> compact_;                    // [row]: instead of both
    std::vector<std::vector<std::uint32_t>> stretch_ends_;  // [number of the node's column]
    std::vector<std::uint8_t> has_splits_;                  // [stretch]
    std::size_t n_stretches_ = 0;
    std::vector<std::uint32_t> splits_;
    std::vector<Lane> lanes_;
    std::vector<float> stretch_bound_;
    std::vector<std::uint8_t> wanted_;
    std::array<float, 2 * kMaxLanes> limit_;
    std::vector<MomentTask::ScanSide> scan_sides_;
    std::array<std::vector<double>, MomentTask::kMaxSums> left_;  // [place]
    std::vector<double> best_left_, best_right_, max_left_, max_right_;
    std::vector<std::uint32_t> number_;  // [row]: twice its number; empty: rows are not numbered afresh
    std::vector<std::uint32_t> orders_;  // [number of the node's column][position], of numbered rows
    Node numbered_;
    MomentTask task_;
};

}  // namespace treewright::ranked
