// The depth-two step of one node by sweeps: rounds of passes over the root splits whose bounds are open.
//
// The columns of a round are independent: a pass raises the bounds of its own column alone. So several threads may take
// them, each at a desk of its own; what a round leaves open the next one finds.
#pragma once

#include "treewright/core/control.hpp"
#include "treewright/leaf_accuracy/data.hpp"
#include "treewright/leaf_accuracy/pair_solver.hpp"
#include "treewright/leaf_accuracy/pair_sweep.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace treewright::leaf_accuracy {

class PairSweeper {
   public:
    PairSweeper(const Data& data, Control& control) : data_(data), control_(control) {}
    // What one thread makes passes with.
    class Desk;
    // Calls work(desk, control) in this thread with own_desk(), and may call it in others at the same time.
    using Work = std::function<void(Desk&, Control&)>;
    using Threads = std::function<void(const Work& work)>;
    [[nodiscard]] Desk& own_desk() { return desk_; }
    // What the sides of root split number `i` lack in full, where the kernels see nothing lacking; none: the kernels
    // see all.
    using Confirm = std::function<std::pair<Count, Count>(std::size_t i)>;
    // The cost in full of root split `i`, whose sum in the kernels is below the budget, is now known: the new budget.
    // None: the sums are the costs.
    using Settle = std::function<Count(std::size_t i)>;
    // Deficits: until a root split has none on either side, or every sum is known to be `wanted` or more, or the least
    // one is known. `own` is what the node lacks as a leaf. `threads`, if any, divide the columns of a round; not with
    // `confirm`, which belongs to the calling thread.
    void solve(const Node& node, const Target& target, Count own, Count wanted, PairAnswer& answer,
               const Confirm& confirm, const Threads& threads = {});
    // Costs: until the cheapest is known, or that none is below `budget`; `relaxed` is a lower bound of F (search.hpp).
    // `answer.least` is that of the splits that were not settled.
    void solve_costs(const Node& node, const Target& target, const CostRates& rates, Count budget, PairAnswer& answer,
                     Count& relaxed, const Settle& settle);

    [[nodiscard]] std::int64_t n_passes() const { return desk_.n_passes; }
    [[nodiscard]] std::int64_t work_done() const { return desk_.work_done; }  // in units of clock checks

   private:
    template <class T>
    struct Lanes {
        std::vector<T> left_total, total, sums, left_best, right_best;
    };
    struct Column {
        std::size_t order;        // in orders_
        std::size_t first, last;  // splits
    };
    struct Bounds {
        std::vector<Count> left, right;  // [split]
        void assign(std::size_t n, Count value) {
            left.assign(n, value);
            right.assign(n, value);
        }
    };
    // False where the run ends before: then the answer is that nothing is known.
    [[nodiscard]] bool prepare(const Node& node, PairAnswer& answer);
    // Up to kMaxLanes of the open splits, evenly spread.
    void choose(const Column& column, Desk& desk) const;
    // Exact values of both sides of the chosen splits of a column.
    void pass(const Node& node, const Target& target, const CostRates* rates, const Column& column, Desk& desk,
              Bounds& out) const;
    template <class T>
    void run(const Node& node, const Target& target, const CostRates* rates, SweepKernel<T> kernel, Desk& desk,
             Lanes<T>& lanes, Bounds& out) const;
    [[nodiscard]] Count left_weight(std::size_t i) const;
    void spread(const Target& target, std::size_t first, std::size_t last);
    void spread_floors(const CostRates& rates, std::size_t first, std::size_t last);
    [[nodiscard]] Count leaf(const Target& target, const CostRates* rates, const Node& node, std::size_t i,
                             bool is_left) const;

    const Data& data_;
    Control& control_;
    std::vector<std::uint32_t> place_;  // [row] its number in the node, or none
    std::vector<std::uint16_t> label_;  // [number]
    std::vector<std::int32_t> weight_;
    std::vector<std::vector<std::uint32_t>> orders_;
    std::vector<const std::uint32_t*> varying_;
    std::vector<Column> columns_;
    std::vector<std::uint32_t> position_;               // [split] rows on the left
    std::vector<Count> left_sum_;                       // [split][class]
    std::vector<std::uint8_t> exact_, settled_, open_;  // [split]
    std::vector<std::uint64_t> keyed_;
    Bounds lower_, cost_, floor_;

   public:
    class Desk {
        friend class PairSweeper;
        std::int64_t n_passes = 0;
        std::int64_t work_done = 0;
        std::vector<std::size_t> chosen, candidates;
        std::vector<std::uint8_t> bucket;  // [number] how many of the chosen splits send the row right
        Lanes<std::int32_t> narrow;
        Lanes<double> wide;
    };

   private:
    Desk desk_;
};

}  // namespace treewright::leaf_accuracy
