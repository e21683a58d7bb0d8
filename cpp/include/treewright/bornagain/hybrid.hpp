// A faithful tree for ensembles beyond exact reach: greedy splits at the top, exact trees below, every leaf certified.
//
// Section 4.5 of Vidal and Schiffer 2020: split by information gain over sampled cells; when all samples agree, prove
// the region homogeneous or find a cell that disagrees, which joins the samples. Where we differ: the proof is
// `Regions` instead of an integer program; and a region whose grid is small enough is labelled completely, where the
// gain is exact, and, once its number of boxes allows, solved to optimality by the dynamic program (exact.hpp). So the
// whole tree is proven least if the whole space is such a region.
//
// A sub-box never needs more leaves than the whole (Theorem 3): each exactly solved region gives a lower bound.
#pragma once

#include "treewright/bornagain/exact.hpp"

#include <random>

namespace treewright::bornagain {

struct HybridOptions {
    double exact_boxes = 1e7;  // a region with at most so many boxes is solved exactly
    double grid_cells = 3e5;   // a region with at most so many cells is labelled completely
    std::size_t samples = 1000;
    std::size_t threads = 1;  // that fill the tables of the regions solved exactly
    std::int64_t max_leaves = std::numeric_limits<std::int64_t>::max();
    std::uint64_t seed = 0;
};

struct HybridResult {
    PlaneTree tree;
    bool complete = false;   // the tree is whole and faithful
    bool too_large = false;  // stopped at max_leaves
    bool optimal = false;    // least leaves of all faithful trees
    std::int64_t leaves = 0;
    std::int64_t leaves_bound = 1;
    std::int64_t exact_regions = 0;
    std::int64_t certified = 0;  // regions proven homogeneous by branch and bound
};

class Hybrid {
   public:
    Hybrid(const Ensemble& ensemble, const HybridOptions& options, Control& control);

    [[nodiscard]] HybridResult build();

    // Unbiased estimate of the leaves that build() would make, from random descents (Knuth 1975): a descent that made
    // d choices ends in a subtree of s leaves with probability 2^-d, and counts 2^d s.
    [[nodiscard]] double estimate_leaves(int descents);

   private:
    struct Split {
        bool leaf = false;
        std::int32_t label = 0;
        std::size_t feature = 0;
        std::int32_t plane = 0;
    };
    using Cell = std::vector<std::int32_t>;

    void build_box(Box& box);
    void build_grid(const Grid& grid);
    double descend(Box& box);
    double descend(const Grid& grid);
    [[nodiscard]] bool halted();
    // Leaf or split of a box too large for a grid.
    [[nodiscard]] Split choose(const Box& box, const std::vector<std::vector<std::int32_t>>& planes);
    // Axis and slab after which to split, by information gain over all cells.
    [[nodiscard]] std::pair<std::size_t, std::int32_t> choose(const Grid& grid) const;
    [[nodiscard]] Exact solve(const Grid& grid);

    const Ensemble& ensemble_;
    HybridOptions options_;
    Control& control_;
    Regions regions_;
    std::mt19937_64 random_;
    HybridResult result_;
};

}  // namespace treewright::bornagain
