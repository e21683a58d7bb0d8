// Trees with the best worst leaf, exactly.
//
// Pass 1 (search, climb). The value of a tree is that of its worst leaf, so a tree meets a target exactly if its two
// subtrees do. The climb asks for a tree strictly better than the best found, until none is; the last failure is the
// proof, and what failed at one target says something about the next (Conversion in target.hpp). A failing set of rows
// is not just refused: its total deficit G (target.hpp) is bounded from below, and a bound of one set holds for its
// neighbours, less what the rows between can move:
//   propagate   to the other splits of the same column (their sides are nested);
//   neighbours  to the same split below another split of the parent's column (these sets are nested too); the rows that
//               two splits leave are the same whichever comes first, so bounds pass between columns as well.
//   G(S, d) = min(def(S), min over splits that divide S of G(L, d-1) + G(R, d-1)): a tree is a leaf or a split, and one
//   that does not divide S can be dropped (target.hpp). Bounds in place of G on the right give a bound.
//   A set of fewer than 2 min_leaf rows has only its own leaf, for any split leaves a leaf of at most half of it.
// Depth is deepened one level at a time: the optimum of one level is the first target of the next.
//
// When a run does not end at once, every other part of its steps goes into refuting targets far above the incumbent:
// the smallest one refuted is the proven upper bound.
//
// Pass 2 (least). Among trees that meet a target, the cheapest: unit * wrong weight + leaf * leaves. E(S, d) =
// min(cost of S as a leaf, min over splits E(L) + E(R)), over splits of which both sides have G = 0. A side is first
// asked for G (the caches of pass 1 answer most), then for E with what is left of the budget. E is not Lipschitz: one
// row can make a leaf fail. But F(S, d), the same minimum without the target and the smallest leaf, is: E >= F, and
//   F(S) >= F(S') for S' in S, and F(S') >= F(S) - unit * weight(S without S')
// (a tree for one set serves the other: empty leaves are dropped, rows that come cost their weight at most). So F at
// depth two of one split bounds E of the other splits of its column. F is kept in the kernels' sums, E in full
// (FullCostRates).
//
// Threads. Several share the splits of the root (src/leaf_accuracy/root.cpp). What pass 1 proves there is one number,
// the value of the best worst leaf, whoever proves it. In pass 2 they ask which splits of the root meet the target,
// which is true or not; the costs of those are one thread's. From pass 1 it takes that value, answers to questions
// whether a set of rows can meet it (both are true of the table), and a tree to undercut, which is luck where threads
// found it. So from `alone_work` on, with threads or without, it takes no tree but begins with no budget, and with a
// cache of its own: its answer is then a function of the table alone.
//
// Time: the number of depth-two steps times the cost in pair_table.hpp, or passes times that in pair_sweep.hpp.
// `Control` counts both.
#pragma once

#include "treewright/core/control.hpp"
#include "treewright/core/crew.hpp"
#include "treewright/core/partial_tree.hpp"
#include "treewright/core/rowset_cache.hpp"
#include "treewright/leaf_accuracy/data.hpp"
#include "treewright/leaf_accuracy/pair_solver.hpp"
#include "treewright/leaf_accuracy/pair_sweeper.hpp"
#include "treewright/leaf_accuracy/store.hpp"
#include "treewright/core/tree_node.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace treewright::leaf_accuracy {

// The switches, a line each in options.def.
struct Options {
#define OPTION(type, name, value, text) type name = value;
#include "treewright/leaf_accuracy/options.def"
#undef OPTION
    std::size_t threads = 1;  // of pass 1
};

using ranked::Size;
using ranked::TreeNode;

// Bounds of E; `upper` is reached by the plan. Asked with a budget, exact if the optimum is below it.
struct Cheapest {
    Cost lower = 0;
    Cost upper = kNoTree;
    PartialTree plan{};
    Count relaxed = 0;  // lower bound of F in the kernels' sums, where the depth is two
};

struct Answer {
    bool feasible = true;       // a tree meets the given target
    Value value{};              // of the tree's worst leaf
    bool proven_value = false;  // no tree has a better worst leaf
    double upper_bound = 1.0;   // no tree's worst leaf is better than this
    bool proven_cost = false;   // no tree that meets the target is cheaper
    Cost cost = kNoTree;
    Cost cost_bound = 0;
    PartialTree plan{};
};

struct Statistics {
    std::int64_t pair_solves = 0;  // depth-two steps of pass 1
    std::int64_t pair_costs = 0;   // ... of pass 2
    std::int64_t branches = 0;
    std::int64_t cache_hits = 0;
    std::int64_t targets = 0;  // values of q asked
    std::int64_t passes = 0;   // of sweeps
    std::int64_t looked = 0;   // splits weighed for trees of one split
    std::size_t bytes = 0;
};

// Lower bounds of the sets of rows that two splits of a node leave, one side each, whichever split came first: number
// 2 * split + side, side 1 is the right one. Symmetric.
struct Boxes {
    struct Cell {
        Count lower = 0;
        Count weight = 0;
    };
    Fingerprint rows;  // the node and the depth that they hold for
    std::uint32_t depth = 0;
    std::size_t target = 0;  // the value of q asked
    std::size_t size = 0;    // of a row; 0: no table
    std::vector<Cell> cells;
    std::vector<std::size_t> first;  // [column]: its first split in the node's PairAnswer; and the end
    std::mutex mutex;                // of the cells, while several threads are below the node

    [[nodiscard]] Cell& at(std::size_t a, std::size_t b) { return cells[a * size + b]; }
};
// Where a set of rows comes from: side of a split (its number in the PairAnswer) of the node one level up.
struct Origin {
    Boxes* boxes = nullptr;
    const PairAnswer* pairs = nullptr;
    std::uint32_t column = 0;
    std::size_t number = 0;  // 2 * split + side
};

class Search {
   public:
    Search(const Data& data, const Options& options, Control& control);
    ~Search();
    Search(const Search&) = delete;
    Search& operator=(const Search&) = delete;

    // The tree of depth <= `depth` with the best worst leaf; among those, with rates, the cheapest.
    [[nodiscard]] Answer best(std::uint32_t depth, const FullCostRates* rates);
    // The cheapest tree that meets the target.
    [[nodiscard]] Answer cheapest(std::uint32_t depth, const Target& target, const FullCostRates& rates);
    [[nodiscard]] std::vector<TreeNode> write(PartialTree plan) const;
    [[nodiscard]] Statistics statistics() const;

   private:
    // One side of the split at work.
    struct Side {
        Count lower = 0;
        bool feasible = false;
        PartialTree plan{};
        Value value{};
    };
    // The splits of one column of a node, and what is known of their sides.
    struct OpenColumn {
        SortedColumn sorted;
        std::vector<Fingerprint> key;                                // [split] of the left side
        std::vector<Count> left_weight;                              // [split]
        std::vector<Side> left, right;                               // [split]
        std::vector<std::pair<std::size_t, std::size_t>> stretches;  // of splits to be asked about, the next one last

        [[nodiscard]] bool closed(std::size_t split) const { return left[split].lower + right[split].lower > 0; }
        [[nodiscard]] bool met(std::size_t split) const { return left[split].feasible && right[split].feasible; }
        [[nodiscard]] Count least() const;  // lower bound of all splits
    };
    // A split of an open column, and the open stretch around it.
    struct Question {
        std::size_t at = 0;
        std::pair<std::size_t, std::size_t> stretch{};
        Count left_hint = 1, right_hint = 1;  // deficits of the sides at depth one
        Origin origin{};                      // of its left side; that of the right one is the next number
    };
    // Working memory of one level of the recursion.
    struct Level {
        PairAnswer pairs, costs, relaxed;
        OpenColumn column;
        SortedColumn blocks;                         // of neighbouring ranks
        std::vector<Count> left_floor, right_floor;  // [split] pass 2: lower bounds of E in the kernels' sums
        Boxes boxes;
        Node left_node, right_node;
    };
    // The splits of one column among those of the depth-two step.
    struct ColumnOfPairs {
        std::uint32_t column;
        std::size_t first, count;
        Count least;
    };
    struct Hunt;    // the splits of the root (src/leaf_accuracy/root.hpp)
    struct Helper;  // a thread's search

    // The search of a helping thread.
    Search(const Search& lead, Control& control);

    // Pass 1.
    [[nodiscard]] Outcome solve(const Node& node, std::uint32_t depth, std::size_t level, const Origin& origin = {},
                                Count wanted = 1);
    [[nodiscard]] Outcome branch(const Node& node, std::uint32_t depth, std::size_t level, const Origin& origin,
                                 Count wanted);
    // `at`: a root split that is known to do.
    [[nodiscard]] Outcome found_pair(const Node& node, const PairAnswer& pairs, std::size_t at, std::size_t level);
    // Rounded weights: what both sides of a root split lack in full at depth one, 0 or 1, where the kernels see
    // nothing.
    [[nodiscard]] std::pair<Count, Count> confirm(const Node& node, const PairAnswer::Split& root, std::size_t level);
    // Asks confirm() until one root split lacks nothing: its number, or that there is none.
    [[nodiscard]] std::size_t confirm_any(const Node& node, PairAnswer& pairs, std::size_t level);
    // Makes the sides of the split at this rank of a column.
    void open_split(const Node& node, const PairAnswer::Split& root, std::size_t level);
    // Most splits that the node can have; whether its depth-two step looks at all pairs of them; and how often that
    // step must look at the clock.
    [[nodiscard]] std::size_t max_splits(const Node& node) const;
    [[nodiscard]] bool is_dense(const Node& node) const;
    [[nodiscard]] std::int64_t work(const Node& node) const;
    [[nodiscard]] std::int64_t work_of_confirm(const Node& node) const;
    [[nodiscard]] Outcome join(const Node& node, std::size_t level, OpenColumn& column, std::size_t at);
    // Columns with the smallest sum first.
    [[nodiscard]] std::vector<ColumnOfPairs> by_promise(const PairAnswer& pairs) const;
    // Sorts a column of the node and loads what is known about its splits.
    void open_column(const Node& node, std::uint32_t column, OpenColumn& out, const Origin& origin = {});
    // The next split of a column that is not closed.
    [[nodiscard]] static std::optional<Question> next_split(OpenColumn& column);
    // What the depth-two step of the node says about it.
    static void describe(Question& question, const ColumnOfPairs& at, const PairAnswer& pairs, Boxes& boxes);
    void open_boxes(const Node& node, std::uint32_t depth, Level& here);
    void read_boxes(const Node& node, OpenColumn& column, const Origin& origin);
    void write_boxes(const Node& node, const OpenColumn& column, const Origin& origin);
    // Asks both sides of a split, the one that looks worse first, up to the first failure; tells the other splits. The
    // column is behind `lock`, if that has a mutex: it is open while a side is solved.
    void ask(const Node& node, std::uint32_t depth, std::size_t level, OpenColumn& column, const Question& question,
             std::unique_lock<std::mutex>& lock);
    [[nodiscard]] Outcome ask_side(const Node& side, std::uint32_t depth, std::size_t level, Count hint,
                                   const Origin& origin, Count wanted);
    // The bounds of a column's splits hold for each other.
    void spread(OpenColumn& column) const;
    void propagate_side(OpenColumn& column, std::size_t at, bool is_left);
    void make_sides(const Node& node, const OpenColumn& column, std::size_t at, Level& own) const;
    // What a bound leaves after `change` of weight has come (or gone, if negative): (1) and (2) of target.hpp.
    [[nodiscard]] Count moved(Count lower, Count change) const {
        return lower - (change > 0 ? target().gain_rate * change : -target().loss_rate * change);
    }
    static void raise(Side& side, Count lower) { side.lower = std::max(side.lower, lower); }
    // The root's splits: until one meets the target, or none is left.
    [[nodiscard]] Outcome search_root(const Node& node, std::uint32_t depth, Count own);
    void work_at(Hunt& hunt, Crew* crew);
    void call_helpers(Hunt& hunt, Crew& crew);
    [[nodiscard]] std::span<const std::unique_ptr<Helper>> helpers_for(const Node& root, std::uint32_t depth);
    // Those that divide the sweeps of the root's depth-two step; none where it has one thread.
    [[nodiscard]] PairSweeper::Threads threads_for_sweeps(const Node& root, std::uint32_t depth);
    [[nodiscard]] std::size_t bytes_of_helper(const Node& root, std::uint32_t depth) const;
    [[nodiscard]] std::int64_t work_done() const { return done_ + sweeper_.work_done(); }
    void climb(const Node& root, std::uint32_t depth, Answer& best);
    void refute(const Node& root, std::uint32_t depth, std::int64_t steps, double& target, Answer& best);

    // Trees of one split (leaf_accuracy/stumps.cpp): the best that meets the target, and the cheapest.
    [[nodiscard]] Outcome split_once(const Node& node, std::size_t level);
    [[nodiscard]] Cheapest cheapest_stump(const Node& node, std::size_t level);
    struct Reach;  // what the splits inside of a block of ranks are no better than
    template <class MayHold, class Look>
    void visit_splits(const Node& node, std::size_t level, const MayHold& may_hold, const Look& look);
    [[nodiscard]] Reach reach_of(const Node& node, const SortedColumn& blocks, std::size_t block) const;

    // Pass 2.
    [[nodiscard]] Cheapest least(const Node& node, std::uint32_t depth, Cost budget, std::size_t level);
    [[nodiscard]] Cheapest cheapest_below(const Node& node, std::uint32_t depth, Cost budget, std::size_t level);
    // The splits of the node's open column of which both sides meet the target.
    [[nodiscard]] std::vector<std::size_t> meeting_splits(const Node& node, std::uint32_t depth, std::size_t level,
                                                          const ColumnOfPairs& at);
    // The same of some columns of the root, by all threads.
    [[nodiscard]] std::vector<std::vector<std::size_t>> meeting_together(const Node& node, std::uint32_t depth,
                                                                         std::span<const ColumnOfPairs> columns);
    // One of them: a bound of its cost; a tree cheaper than `best` goes to it.
    [[nodiscard]] Cost weigh_split(const Node& node, std::uint32_t column, std::size_t split, std::uint32_t depth,
                                   Cost budget, std::size_t level, Cheapest& best);
    // The depth-two step for costs: the best tree found, its `lower` a bound of all trees that split twice or more.
    [[nodiscard]] Cheapest weigh_costs(const Node& node, Cost budget, bool asks_relaxed, std::size_t level);
    // F of one side of a split is known: floors for the others of the column.
    void raise_floors(Level& here, std::size_t at, bool is_left, Count relaxed) const;
    [[nodiscard]] Cheapest cheapest_pair(const Node& node, const PairAnswer::Split& root, std::size_t level);
    [[nodiscard]] Cost cost_of(const Leaf& leaf) const;
    [[nodiscard]] Cost lower_of(Count sum, const Node& node) const { return rates_->lower(sum, data_, node.n()); }
    void finish(const Node& root, std::uint32_t depth, const FullCostRates& rates, Answer& answer);

    // What a stop left (leaf_accuracy/tidy.cpp).
    struct Worth {
        bool valid = false;  // no leaf has too few rows
        Value value{};
        Cost cost = kNoTree;  // at the current target
    };
    [[nodiscard]] PartialTree greedy(const Node& node, std::uint32_t depth, std::size_t level);
    [[nodiscard]] Leaf leaf_of(std::span<const std::uint32_t> rows) const;
    // Brings the rows that go left to the front: their number.
    [[nodiscard]] std::size_t divide(std::span<std::uint32_t> rows, PartialTree plan) const;
    [[nodiscard]] Worth weigh(std::span<std::uint32_t> rows, PartialTree plan) const;
    [[nodiscard]] PartialTree tidied(std::span<std::uint32_t> rows, PartialTree plan, bool by_value);
    [[nodiscard]] PartialTree tidy(PartialTree plan, bool by_value);
    bool tidy_value(Answer& answer);  // whether it is better now
    void tidy_cost(const Node& root, std::uint32_t depth, Answer& answer);

    void use(Target target);
    [[nodiscard]] Count deficit(const Leaf& leaf) const {
        return target().deficit(data_.measure, data_.rounding, leaf);
    }
    [[nodiscard]] Count deficit(const Node& node) const { return deficit(node.leaf()); }
    [[nodiscard]] Target target_at(Value value, bool strict) const {
        return Target::at(data_.measure, data_.rounding, value, strict, data_.min_leaf, data_.total);
    }
    // All leaves as good as this value: what the second pass asks for.
    [[nodiscard]] Target target_as_good(Value value) const {
        if (data_.measure.criterion == Criterion::accuracy) return target_at(data_.measure.as_good(value), false);
        return Target::at_bound(data_.measure, data_.rounding, Measure::as_good(data_.measure.of(value)), false,
                                data_.min_leaf, data_.total);
    }
    [[nodiscard]] const Target& target() const { return *targets_.back(); }
    [[nodiscard]] const Conversion& conversion(std::int32_t from);
    [[nodiscard]] PartialTree remember(const TreePoolNode& node) { return store_->plant(node); }
    [[nodiscard]] Value worse(Value a, Value b) const { return data_.measure.less(b, a) ? b : a; }
    [[nodiscard]] Level& level_at(std::size_t level);
    [[nodiscard]] Node make_root();
    void show(const Answer& best);
    void watch_memory();

    const Data& data_;
    Options options_;
    Control& control_;
    PairSolver pairs_;
    PairSweeper sweeper_;
    Sorter sorter_;
    std::vector<std::shared_ptr<const Target>> targets_;  // asked so far; the last is current
    std::vector<Conversion> conversions_;                 // to the current target
    std::vector<bool> converted_;
    const FullCostRates* rates_ = nullptr;
    std::shared_ptr<Store> store_;            // of pass 1, and of all threads
    ranked::RowsetCache<Cheapest> cheapest_;  // of pass 2
    std::vector<std::unique_ptr<Helper>> helpers_;
    std::int64_t done_ = 0;  // units of work outside of sweeps
    bool long_ = false;      // `alone_work` was done by one thread
    std::vector<std::unique_ptr<Level>> levels_;
    std::vector<std::uint32_t> all_rows_;
    PartialTree greedy_{};
    Statistics statistics_;
};

}  // namespace treewright::leaf_accuracy
