// Optimal trees of depth two for squared error with one output: rounds of kernel passes over the cuts that the bounds leave
// open, and exact integers for the few cuts that remain.
//
// A pass (moment_kernel.hpp) gives both sides of a cut gains that are attained and gains that no split exceeds, in double
// precision. With u = 2^shift and a floor for each leaf, a side of loss L in k leaves costs more than L / u - k, and at most
// L / u: so the first give a bound from above that the optimum need not exceed, the second valid lower bounds l, r. Cuts
// that the lower bounds cannot close against the best upper bound are solved exactly: hardly more than the best one.
#pragma once

#include "treewright/kernels/moment_kernel.hpp"
#include "treewright/kernels/stump_pair_solver.hpp"
#include "treewright/objective/squared_error.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace treewright::ranked {

class MomentPairSolver final : public StumpPairSolver {
 public:
    MomentPairSolver(const SquaredError& objective, const Options& options, Control& control);

    [[nodiscard]] std::int64_t pace() const override { return 4; }

 private:
    static constexpr std::uint32_t kPassed = 0;  // tag of a cut that a pass has bounded
    static constexpr std::uint32_t kMostLanes = MomentTask::kMostLanes;
    static constexpr std::uint32_t kFirstLanes = 16;  // of the first pass over a column
    // One side of a cut.
    struct Side {
        double total = 0;   // sum of squares: loss + gain, in units of the loss
        double leaf = 0;    // gain of a leaf
        double best = 0;    // gain of the best split found
        double bound = 0;   // no split gains more
        Cost lower = 0;     // of the cost of the best stump
        Cost upper = kNoCost;
    };
    struct Lane {
        std::uint32_t cut = 0;
        std::uint32_t position = 0;
        double weight = 0, sum = 0;  // of the left side
        std::array<Side, 2> sides;
        std::array<double, 2> wanted;  // stretches that may gain more than this are walked
        [[nodiscard]] Cost lower() const { return sides[0].lower + sides[1].lower; }
        [[nodiscard]] Cost upper() const { return sides[0].upper + sides[1].upper; }
    };

    void search_cuts(const Node& node, bool three_leaves, Cost budget, Outcome& result) override;
    void centre(const Node& node);
    [[nodiscard]] double about_centre(std::int64_t weight, std::int64_t sum, Wide square) const;
    void make_stretches(const Node& node);
    // Open cuts of a column for the next pass; none if all are closed.
    void choose_cuts(std::size_t at, Cost target);
    // Bounds of the chosen cuts of a column; `target` falls to what they attain.
    void pass(const Node& node, std::size_t at, Cost& target);
    void prepare(const Node& node, std::size_t at);
    void place_lanes(const Node& node, std::size_t at);
    // Which stretches might change something; false if none.
    [[nodiscard]] bool want_stretches(Cost target);
    void set_costs(Side& side) const;

    const SquaredError& squared_;
    const MomentKernels& kernels_;
    double per_unit_;                // 2^-shift
    double error_ = 0;               // of a gain, in units of the loss
    std::int64_t centre_ = 0;        // that targets are taken about
    Moments total_;                  // of the node
    std::vector<Moments> rows_;      // [row]
    std::vector<std::uint8_t> slot_;  // [row]
    std::vector<std::vector<std::uint32_t>> stretch_ends_;  // [number of the node's column]
    std::size_t n_stretches_ = 0;
    std::vector<std::uint32_t> cuts_;
    std::vector<Lane> lanes_;
    std::vector<float> stretch_bound_;
    std::vector<std::uint8_t> wanted_;
    std::vector<double> left_weight_, left_sum_, best_left_, best_right_, most_left_, most_right_;
    MomentTask task_;
};

}  // namespace treewright::ranked
