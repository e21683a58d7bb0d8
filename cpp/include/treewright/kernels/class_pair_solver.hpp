// Optimal trees of depth two for costs of predictions: rounds of kernel passes over the splits that the bounds leave
// open.
#pragma once

#include "treewright/core/control.hpp"
#include "treewright/space/ranked_node.hpp"
#include "treewright/core/solved_split.hpp"
#include "treewright/search/ranked_options.hpp"
#include "treewright/search/outcome.hpp"
#include "treewright/kernels/pair_kernel.hpp"
#include "treewright/kernels/pair_solver.hpp"
#include "treewright/kernels/row_stretches.hpp"
#include "treewright/objective/misclassification.hpp"
#include "treewright/bounds/interval_bounds.hpp"

#include <array>
#include <span>
#include <vector>

namespace treewright::ranked {

class ClassPairSolver final : public PairSolver {
   public:
    ClassPairSolver(const Misclassification& objective, const Options& options, Control& control);

    [[nodiscard]] Outcome solve(const Node& node, bool three_leaves, Cost budget,
                                std::span<const Neighbour> neighbours = {}) override;
    // The first column, and in it the first split, with which a tree of the least cost begins.
    [[nodiscard]] std::optional<PartialTree> first_of_equals(const Node& node, bool three_leaves,
                                                             const Outcome& found) override;
    // Adds all splits that a tree of depth at most two within the budget begins with, unless it is stopped.
    void within(const Node& node, Cost budget, std::vector<SolvedSplit>& found);
    [[nodiscard]] std::int64_t pace() const override { return data_.binary() ? 1 : 4; }
    [[nodiscard]] std::size_t bytes() const override { return stretches_.bytes(); }
    void keep(const Node& node, Cost target, Memo& memo) const override;

   private:
    // As many as the widest vectors hold: so steps, and what a limit of steps leaves, are the same on every processor.
    static constexpr std::uint32_t kUnitTogether = 64, kTogether16 = 32, kTogether32 = 16;
    static constexpr std::uint32_t kSolved = 0;  // tag of a point that `within` is done with, though its split is open
    // Calls `add` with the first and the last split of every stretch of open ones, in their order.
    template <class Add>
    static void each_open_stretch(const IntervalBounds& profile, Cost target, Add add);
    // Splits that are looked at next: of every column with open ones an equal share, spread evenly over these; none if
    // all are closed.
    void choose_splits(std::size_t n_columns, Cost target);
    // The first open splits of one column.
    void choose_first_splits(std::size_t at, Cost target);
    // Calls the kernel as often as the chosen splits need on this processor, and `take` with each lane.
    template <class Take>
    void pass(const Node& node, Take take);
    // A tree that begins with the split of a lane, and its cost; its bounds are noted.
    struct Begun {
        Cost cost;
        PartialTree plan;
    };
    Begun begun(const Node& node, std::size_t k, bool three_leaves);
    // Which rows are on the left of every chosen split, and what both its sides gain.
    void prepare_lanes(const Node& node);
    // The same for the splits of one column: lanes first .. end - 1.
    void prepare_column(const Node& node, std::size_t first, std::size_t end);
    // Both by stretches of many rows.
    void prepare_stretches(const Node& node);
    void prepare_column_stretches(const Node& node, std::size_t first, std::size_t end);
    // Notes what a side gains that ends before `position`, of what is summed up.
    void note_side(const Node& node, std::size_t k, std::uint32_t position, std::int64_t span);
    // Cost of a leaf and optimal cost of depth one of both sides of a split.
    struct Lane {
        Cost left_leaf, left, right_leaf, right;
    };
    [[nodiscard]] Lane lane_costs(const Node& node, std::size_t k) const;
    // Mode many: marks only the changes of rank that can be the best second split (see .cpp).
    void mark_checks(const Node& node);

    // Which kernel suits the node, and what it needs to know of the classes present and of the rows.
    void choose_kernel(const Node& node);

    enum class Mode : std::uint8_t { unit, two, unit_many, many };

    const Misclassification& objective_;
    const LabelledTable& data_;
    Control& control_;
    const PairKernels& kernels_;
    bool narrow_;        // sums fit 16 bits
    bool unit_weights_;  // weights and gains are 0 or 1, leaves of any size: 8-bit kernels serve
    bool single_gains_;  // a row gains from one class only
    // Of the current node:
    Mode mode_ = Mode::two;
    PairKernel kernel_ = nullptr;
    bool by_stretches_ = false;
    bool stretches_open_ = false;  // for this node
    std::uint32_t n_lanes_ = 0;
    std::uint32_t n_together_ = 0;              // splits that are chosen at once, on any processor
    std::vector<std::uint32_t> present_;        // classes that some row gains from
    std::vector<std::int8_t> sign_;             // unit: [row] gain of the second class less that of the first
    std::vector<std::uint32_t> which_;          // unit_many, many: [label] as in PairTask::lookup
    std::vector<std::uint64_t> left_lanes_;     // [row]
    std::vector<std::uint64_t> lookup_;         // many: [row]
    std::vector<std::uint8_t> place_;           // unit_many: [row]
    std::vector<IntervalBounds> profiles_;      // [number of the node's column]
    std::vector<std::uint32_t> checked_;        // entries with marks for the kernel, many classes
    std::vector<const std::uint32_t*> orders_;  // what the kernel walks
    struct Stretch {
        std::uint32_t first, last;
    };
    std::vector<Stretch> open_;  // stretches of open splits, of the columns together:
    struct OpenColumn {
        std::uint32_t column;  // number of the node's column
        std::uint64_t n_open;
        std::size_t begin, end;  // of its stretches
    };
    std::vector<OpenColumn> open_columns_;
    struct LaneSplit {
        std::uint32_t column, split;
    };
    std::vector<LaneSplit> chosen_;         // splits of a column together and ascending
    std::vector<LaneSplit> splits_;         // [lane], part of these
    std::vector<std::uint32_t> left_rows_;  // [lane]
    std::vector<std::int64_t> left_span_;   // [lane]
    std::vector<std::int64_t> gain_;        // [class], running
    std::vector<std::int32_t> left_gain_;   // [class][kMaxLanes]
    std::vector<std::int32_t> right_gain_;
    RowStretches stretches_;
    std::vector<std::uint64_t> lanes_of_;  // [stretch]: splits of a column that have all of it on the left
    struct alignas(64) Register {
        std::byte bytes[64];
    };
    std::vector<Register> stretch_sums_;
    PairTask task_;
};

}  // namespace treewright::ranked
