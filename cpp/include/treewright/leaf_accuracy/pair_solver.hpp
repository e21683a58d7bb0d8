// The depth-two step for one node: makes the kernel's table, and reads its answer.
#pragma once

#include "treewright/core/control.hpp"
#include "treewright/leaf_accuracy/data.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace treewright::leaf_accuracy {

// Costs of the second pass as the kernels add them up: unit * (wrong coarse weight) + leaf, of a leaf that meets the
// target.
struct CostRates {
    Count unit = 1;
    Count leaf = 1;
};
inline constexpr Count kNoCost = Count{1} << 60;  // above every cost

// The cost in full, unit * (wrong weight in full) + leaf, and how the kernels' sums bound it:
//
//   cost of a tree >= factor * (its sum in the kernels) - unit * (what rounding up added to the weights of its rows)
//
// for unit 2^shift >= factor * kernel.unit and leaf >= factor * kernel.leaf, and w 2^shift <= h + what rounding up
// added.
struct FullCostRates {
    Cost unit = 1;
    Cost leaf = 1;
    CostRates kernel;
    Cost factor = 1;
    bool exact = true;  // the kernels' sums are the costs

    static FullCostRates of(Cost unit, Cost leaf, const Data& data);
    // Of trees on `rows` rows.
    [[nodiscard]] Cost lower(Count sum, const Data& data, Count rows) const;
    // The least sum that proves a cost of `cost` or more.
    [[nodiscard]] Count sum(Cost cost, const Data& data, Count rows) const;
};

// For every split of a node, the least sum of both sides, each a leaf or split once. By sweeps, not every split is
// looked at: of the others, a deficit is positive (a side is not known to meet the target) and a cost is kNoCost;
// `least` knows them.
struct PairAnswer {
    struct Split {
        std::uint32_t column;
        std::uint32_t rank;
    };
    std::vector<Split> splits;  // by column, then by rank; `rank` as in SortedColumn
    std::vector<Count> left;    // parallel: least deficit of the left side at depth one; or cost, kNoCost if none
    std::vector<Count> right;
    Count least = kNoCost;  // lower bound of all sums; the smallest one if it is 0, or below what was asked for

    [[nodiscard]] std::size_t best() const;  // of the smallest sum; splits.size() if there are none
    [[nodiscard]] Count sum(std::size_t at) const { return left[at] + right[at]; }
};

class PairSolver {
   public:
    explicit PairSolver(const Data& data) : data_(data) {}
    // Deficits for the target; with rates, costs. If it is stopped, the answer has no splits and proves nothing.
    void solve(const Node& node, const Target& target, const CostRates* rates, Control& control, PairAnswer& answer);
    // The same for the node solved last, with another target or other rates.
    void solve_again(const Node& node, const Target& target, const CostRates* rates, Control& control,
                     PairAnswer& answer);

   private:
    template <class T>
    struct Lanes {
        std::vector<T> right, total, both, left_best, right_best;
    };
    void find_splits(const Node& node, const PairTableKernels& kernels, PairAnswer& answer);
    template <class T>
    void run(const Node& node, const Target& target, const CostRates* rates, PairKernel<T> kernel, Lanes<T>& lanes,
             Control& control, PairAnswer& answer);

    const Data& data_;
    std::vector<std::uint32_t> rows_;  // of the node by plane, each plane filled up to 64
    std::vector<std::uint8_t> codes_;
    std::vector<std::uint64_t> found_;  // [split][word]
    std::vector<std::uint64_t> bits_;   // [word][stride]
    std::vector<std::int32_t> ones_;    // [split][plane]
    std::vector<Plane> planes_;
    std::vector<std::size_t> start_;
    std::size_t n_words_ = 0, stride_ = 0;
    Lanes<std::int32_t> narrow_;
    Lanes<double> wide_;
};

}  // namespace treewright::leaf_accuracy
