// Optimal trees over few splits for losses of two sums: branch and bound by depth over sets of groups of equal rows.
//
// A subproblem is (set of groups, depth left, budget). The cell kernel (cell_kernel.hpp) bounds all roots of a set at
// depth two and three at once, to within its rounding; only roots whose bound is below the budget are solved as
// integers, by the same function one level down: hardly more than the best one. Above depth three a set is solved one
// level less deep first, which gives an incumbent, and then root by root.
//
// A set is *free* where no tree that is wanted is deeper than the depth left: a tree of G groups has depth G - 1 at
// most, one of k leaves k - 1. All free sets have one entry in the cache, whatever depth was left, and are solved at
// depth three first, then without a limit. What is proven of a free set holds at every depth; a tree found may be
// deeper than a depth that is left only if it costs no less than the budget, and is not handed out then.
//
// Bounds, C the leaf penalty, e(S) the losses of the groups of S added up (what no tree of S can avoid,
// row_groups.hpp):
//  a tree of k leaves costs e(S) + k C at least: so one leaf is best where it costs no more than e(S) + 2 C; a tree
//      cheaper than T has fewer than (T - e(S)) / C leaves and so much less depth; and one deeper than d has d + 2
//      leaves or more, so the best tree of depth d that costs no more than e(S) + (d + 2) C is best at every depth, and
//      no tree of any depth costs less than the lesser of the two;
//  a tree is a partition of the groups, and the cheapest clusters on a line bound all partitions (segmentation.hpp),
//  kept by set; both sides of a root cost at least what is known of each, and e(side) + C; a set that was solved at
//  some depth is found by its rows again (bound_cache.hpp), whatever splits select it.
// All hold for any least size of leaves and need no law but loss(A + B) >= loss(A) + loss(B).
//
// Columns that part a set alike are one column there.
//
// Several threads (Options::threads) settle the roots of one set: of all rows, or, while nobody helps there, of a side
// of its first root, whose trees give the other roots their budgets. Below, each thread works alone. They share what is
// known of sets (ranked_store.hpp), which is true whoever found it, and the best tree so far. A run that took enough
// work for threads to begin ends with a choice among equal trees that does not depend on them (first_of_equals).
#pragma once

#include "treewright/bounds/segmentation.hpp"
#include "treewright/core/control.hpp"
#include "treewright/core/crew.hpp"
#include "treewright/core/tree_node.hpp"
#include "treewright/kernels/cell_solver.hpp"
#include "treewright/objective/ranked_objective.hpp"
#include "treewright/search/outcome.hpp"
#include "treewright/search/ranked_search.hpp"
#include "treewright/search/ranked_store.hpp"
#include "treewright/space/row_groups.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace treewright::ranked {

class GroupSearch {
   public:
    // Whether this search is the one for the table: few splits, a loss of two sums, no limit of leaves.
    [[nodiscard]] static bool fits(const RankedObjective& objective, const Options& options, Size limits);

    // `groups`: of the objective's rows (RowGroups::of).
    GroupSearch(const RankedObjective& objective, const Options& options, Control& control, RowGroups groups);
    ~GroupSearch();

    [[nodiscard]] Outcome run(Size limits);
    // The plan as a tree, depth-first.
    [[nodiscard]] std::vector<TreeNode> write(PartialTree plan) const;
    [[nodiscard]] Statistics statistics() const;

   private:
    struct Helper;
    // What the threads of a search read, and what they write together (ranked_store.hpp).
    struct Few {
        TwoSums sums;
        RowGroups groups;
    };
    GroupSearch(const RankedObjective& objective, const Options& options, Control& control,
                std::shared_ptr<const Few> few, std::shared_ptr<Store> store);

    struct Set {
        std::vector<std::uint32_t> groups;
        Node rows;  // count, sums and fingerprint
        Cost unavoidable = 0;
    };
    // What a set is parted into by a column.
    struct Root {
        std::uint32_t split;
        Cost bound;     // of the trees with this root
        double likely;  // orders roots of equal bounds
    };
    struct Level {
        Set ones, zeros;
        std::vector<std::uint32_t> columns;
        std::vector<Fingerprint> key;  // [column]: of its ones
        std::vector<Root> roots;
        std::vector<double> value;
    };

    // The roots of a set, which threads take in their order.
    struct Hunt {
        const Set& set;
        std::uint32_t depth;
        Cost budget;
        std::size_t level;
        std::vector<Root>& roots;
        Outcome best;  // behind `mutex`, as `next` is
        std::size_t next = 0;
        bool shared = false;  // whether other threads may be there
        std::mutex mutex{};

        [[nodiscard]] std::unique_lock<std::mutex> lock() {
            return shared ? std::unique_lock(mutex) : std::unique_lock<std::mutex>{};
        }
    };

    [[nodiscard]] Outcome solve(const Set& set, std::uint32_t depth, Cost budget, std::size_t level);
    [[nodiscard]] Outcome branch(const Set& set, std::uint32_t depth, Cost budget, std::size_t level);
    // Settles roots until none is left that can be better; with a crew, calls it once it is worth it.
    void work(Hunt& hunt, Crew* crew);
    void work_together(Hunt& hunt);
    void call_helpers(Hunt& hunt, Crew& crew);
    // Bounds the trees with this root; the best of them, if one costs less than `known`.
    [[nodiscard]] Outcome settle(const Hunt& hunt, Root& root, Cost known);
    // The tree of `cost`, the least of the set at this depth, that does not depend on the order of a search: the least
    // depth that has one, then the first split; none after a stop.
    [[nodiscard]] std::optional<PartialTree> first_of_equals(const Set& set, std::uint32_t depth, Cost cost,
                                                             std::size_t level);
    [[nodiscard]] std::optional<PartialTree> split_first(const Set& set, std::uint32_t depth, Cost cost,
                                                         std::size_t level);
    // No tree of the set costs less, of whatever depth.
    [[nodiscard]] Cost at_any_depth(const Set& set);
    // Whether to ask for it: not where it takes time and is less than `target`.
    [[nodiscard]] bool may_reach(const Set& set, std::uint32_t depth, Cost target) const;
    [[nodiscard]] Cost some_clusters(const Set& set) const;  // segmentation.hpp
    // The best tree of one split.
    [[nodiscard]] Outcome stump(const Set& set, std::size_t level);
    // A tree at once: the root of the best tree of depth `look`, then the same on both sides.
    [[nodiscard]] Outcome greedy(const Set& set, std::uint32_t depth, std::uint32_t look, std::size_t level);
    // The columns that part the set, each kind once.
    void find_columns(const Set& set, Level& here);
    // Bounds of the roots, in the order of their splits: from the kernel, or from what is known of both sides.
    void bound_roots(const Set& set, std::uint32_t depth, Level& here);
    void bound_by_cells(const Set& set, std::uint32_t depth, Level& here);
    void bound_by_sides(const Set& set, std::uint32_t depth, Level& here);
    void part(const Set& set, std::uint32_t split, Set& ones, Set& zeros) const;
    [[nodiscard]] bool legal(const Set& ones, const Set& zeros) const;
    void add(std::uint32_t group, Set& set) const;
    [[nodiscard]] Cost least(const Set& set) const { return set.unavoidable + penalty_; }
    [[nodiscard]] PartialTree remember(std::uint32_t split, PartialTree ones, PartialTree zeros);
    void write(PartialTree plan, const std::vector<std::uint32_t>& groups, std::vector<TreeNode>& tree) const;
    [[nodiscard]] Level& level_at(std::size_t level);
    void watch_memory();
    // Whether so much was done that further threads may have begun.
    [[nodiscard]] bool worth_a_crew() const;

    static constexpr std::uint32_t kFree = Size::kAny;  // a depth that no tree reaches
    static constexpr std::uint32_t kDeepened = 3;       // depth to which free sets are solved first
    static constexpr std::uint32_t kRootDeepened = 5;   // ... and the root: its tree is the incumbent
    static constexpr std::uint32_t kMinSegmented = 3;
    // The bound of segments goes on while it computes no more values than these and so many for each cell of a solve
    // that it made needless: a value takes about twice the time of a cell. seoul-bike, depth 6: 1.8 s without this
    // rule, 1.6 with.
    static constexpr std::int64_t kFreeValues = 1 << 21, kValuesPerCell = 1, kTriedSets = 32;
    // A crew for less depth would wait for its threads to begin for longer than they work.
    static constexpr std::uint32_t kMinShared = 4;
    static constexpr std::size_t kBytesPerPair = 64;  // of columns, in a thread's CellSolver
    static constexpr std::int64_t kWorkPerCell = 2;   // in the units of Options::alone_work, about nanoseconds
    [[nodiscard]] static std::uint32_t one_less(std::uint32_t depth) { return depth == kFree ? kFree : depth - 1; }

    const RankedObjective& objective_;
    const RankedTable& table_;
    Options options_;
    Control& control_;
    std::shared_ptr<const Few> few_;
    const TwoSums& sums_;
    const RowGroups& groups_;
    std::shared_ptr<Store> store_;
    CellSolver cells_;
    Segmentation segmentation_;
    bool segments_;
    std::int64_t n_closed_ = 0;  // searches that it made needless
    std::int64_t n_passed_over_ = 0;
    Cost penalty_;
    std::vector<std::unique_ptr<Level>> levels_;
    std::vector<std::uint32_t> n_ones_;  // [split], scratch
    std::vector<Fingerprint> key_;       // [split], scratch
    std::vector<Node> by_split_;         // [split], scratch: of the ones
    std::vector<std::unique_ptr<Helper>> helpers_;
    std::size_t counted_bytes_ = 0;  // of cells_, that the store knows of
    bool at_full_depth_ = false;
    Statistics statistics_;
};

}  // namespace treewright::ranked
