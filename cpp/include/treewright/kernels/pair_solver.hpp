// Optimal trees of depth two over all cuts: rounds of kernel passes over the cuts that the bounds leave open.
#pragma once

#include "treewright/control.hpp"
#include "treewright/bounds/bound_memos.hpp"
#include "treewright/space/ranked_node.hpp"
#include "treewright/search/ranked_options.hpp"
#include "treewright/search/outcome.hpp"
#include "treewright/kernels/pair_kernel.hpp"
#include "treewright/bounds/interval_bounds.hpp"

#include <array>
#include <span>
#include <vector>

namespace treewright::ranked {

// What is known of a neighbour, whose rows are a subset or a superset (loss = span of the rows more, in cost units):
// its memo where the depth is two, else its rows, under which a memo may be kept.
struct Neighbour {
    const Memo* memo = nullptr;
    Fingerprint rows{};
    Kin kin = Kin::subset;
    Cost loss = 0;
    bool known = false;
};

class PairSolver {
   public:
    PairSolver(const Data& data, const Options& options, Control& control);

    // Best tree of depth at most two, or, with `three_leaves`, of at most three leaves.
    [[nodiscard]] Outcome solve(const Node& node, bool three_leaves, Cost budget,
                                std::span<const Neighbour> neighbours = {});
    // Nanoseconds of a pass, roughly, for each row and column.
    [[nodiscard]] std::int64_t pace() const { return data_.binary() ? 1 : 4; }
    // Whether bounds of neighbours are worth their cost for this node.
    [[nodiscard]] bool worth_sharing(const Node& node) const;
    // What the last solve() knows of its node, as far as a neighbour with a similar target can use it.
    void keep(const Node& node, Cost target, Memo& memo) const;

    std::int64_t n_passes = 0;     // kernel passes, of many cuts each
    std::int64_t n_row_steps = 0;  // rows x second columns walked

   private:
    // Cuts for the next pass: of every column with open ones an equal share, spread evenly over these; none if all are
    // closed.
    void choose_cuts(std::size_t n_columns, Cost target);
    // Which rows are on the left of every chosen cut, and what both its sides gain.
    void prepare_lanes(const Node& node);
    // The same for the cuts of one column: lanes first .. end - 1.
    void prepare_column(const Node& node, std::size_t first, std::size_t end);
    // Cost of a leaf and optimal cost of depth one of both sides of a cut.
    struct Lane {
        Cost left_leaf, left, right_leaf, right;
    };
    [[nodiscard]] Lane lane_costs(const Node& node, std::size_t k) const;
    // Mode many: marks only the changes of rank that can be the best second cut (see .cpp).
    void mark_checks(const Node& node);

    // Which kernel suits the node, and what it needs to know of the classes present and of the rows.
    void choose_kernel(const Node& node);

    enum class Mode : std::uint8_t { unit, two, unit_many, many };

    const Data& data_;
    const Options& options_;
    Control& control_;
    const PairKernels& kernels_;
    bool narrow_;        // sums fit 16 bits
    bool unit_weights_;  // weights and gains are 0 or 1, leaves of any size: 8-bit kernels serve
    bool single_gains_;  // a row gains from one class only
    // Of the current node:
    Mode mode_ = Mode::two;
    PairKernel kernel_ = nullptr;
    std::uint32_t n_lanes_ = 0;
    std::vector<std::uint32_t> present_;     // classes that some row gains from
    std::vector<std::int8_t> sign_;          // unit: [row] gain of the second class less that of the first
    std::vector<std::uint32_t> which_;       // unit_many, many: [label] as in PairTask::lookup
    std::vector<std::uint64_t> left_lanes_;  // [row]
    std::vector<std::uint64_t> lookup_;      // many: [row]
    std::vector<std::uint8_t> place_;        // unit_many: [row]
    std::vector<Profile> profiles_;          // [number of the node's column]
    std::vector<std::uint32_t> checked_;     // entries with marks for the kernel, many classes
    std::vector<const std::uint32_t*> orders_;  // what the kernel walks
    struct Stretch {
        std::uint32_t first, last;
    };
    std::vector<Stretch> open_;              // stretches of open cuts, of the columns together:
    struct OpenColumn {
        std::uint32_t column;                // number of the node's column
        std::uint64_t n_open;
        std::size_t begin, end;              // of its stretches
    };
    std::vector<OpenColumn> open_columns_;
    struct LaneCut {
        std::uint32_t column, cut;
    };
    std::vector<LaneCut> cuts_;              // [lane], cuts of a column together and ascending
    std::vector<std::uint32_t> left_rows_;   // [lane]
    std::vector<std::int64_t> left_span_;    // [lane]
    std::vector<std::int64_t> gain_;         // [class], running
    std::vector<std::int32_t> left_gain_;    // [class][kMostLanes]
    std::vector<std::int32_t> right_gain_;
    PairTask task_;
};

// Best tree of depth at most one, with its cut: rows with rank < `rank` go left; `column` is kLeaf for a leaf.
struct Stump {
    static constexpr std::uint32_t kLeaf = 0xffffffffu;
    Cost cost;
    std::uint32_t column;
    std::uint32_t rank;
};
[[nodiscard]] Stump best_stump(const Data& data, const Node& node);

}  // namespace treewright::ranked
