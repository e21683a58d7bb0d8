// Depth-first branch and bound over binary columns (engine A).
//
//   f(S, d) = min( leaf(S), min_i f(S with i=0, d-1) + f(S with i=1, d-1) )
//
// where leaf(S) is the cheapest single class plus c, the leaf penalty. Sources: Hu, Rudin, Seltzer 2019 (OSDT) and
// the dynamic programs of GOSDT and DL8.5; what is different here is that all bounds of a subproblem come from one pair
// matrix (pair_matrix.hpp), that equal rows are one row with a reduced label (binary_dataset.hpp), and that the cache
// knows a set of rows by its closed pattern (pattern_cache.hpp).
//
// Bounds, in integer cost units; c >= 0, errors >= 0. "Leaves" counts leaves of a tree for S.
//  B1 support       A tree of L leaves costs at least L*c, so leaf(S) <= 2c proves the leaf optimal. Contains
//                   Theorems 3.3, 3.4 and 3.5 of OSDT (a split must save at least c).
//  B2 two leaves    The best tree of two leaves is exact from the matrix. Every other tree is a leaf or has three
//                   leaves or more: f >= min(leaf, two, 3c).
//  B3 lookahead     The best tree of depth two is exact from the matrix and covers all trees of at most three leaves
//                   (three leaves never need more depth): f >= min(depth two, 4c). OSDT's Lemma 3.2 is the case
//                   of one leaf more.
//  B4 budget        A parent with `target` to beat needs its child only below target - lower(sibling); a child that
//                   proves a bound at or above its budget stops (hierarchical bound, Theorem 3.1).
//  B5 children      f >= min(best of at most three leaves, max(4c, min_i lower(S_i0) + lower(S_i1))).
//  B6 similarity    f(S) >= f(S') - w(S' minus S), w the costs of all classes of each row together, no less than the
//                   largest: S's best tree used on S' has no more leaves with rows, and pays at most w more (Theorem
//                   F.1's idea, for any two sets). Not valid with a minimum leaf size, where S's tree may be infeasible
//                   on S'; switched off there.
//  B7 row prices    (row_prices.hpp) f(S) >= sum of y over S.
//  B8 few rows      (src/bounds/few_rows.hpp) f(S) >= f(T) for any T of its rows, whether splits select T or not.
//  Guess            (src/bounds/guessed_bounds.hpp) conditional: what a reference model gets wrong in S. With it,
//                   `lower` of a subproblem is no longer proven, and "exact" means that Theorem 4.3 of McTavish et al.
//                   2022 holds.
//
// A stop (limit, Ctrl-C) makes every level return the best tree and bound it has; nothing is lost. Matrices are cut
// short by a stop: after each is made or read, Control::over() says whether it may be used.
#pragma once

#include "treewright/core/pattern_cache.hpp"
#include "treewright/space/binary_dataset.hpp"
#include "treewright/kernels/pair_matrix.hpp"
#include "treewright/core/tree_shape.hpp"
#include "treewright/search/budget_rounds.hpp"
#include "treewright/search/cost_bounds.hpp"
#include "treewright/space/binary_subproblem.hpp"
#include "treewright/space/pattern_rows.hpp"
#include "treewright/core/control.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace treewright::binary {

class FewRows;       // src/bounds/few_rows.hpp
class RowGreedy;     // src/search/row_greedy.hpp
class SharedBounds;  // binary_shared.hpp

// The switches, a line each in binary_options.def.
struct Options {
#define SETTING(type, name, value, text)
#define OPTION(type, name, value, text) type name = value;
#include "treewright/search/binary_options.def"
#undef OPTION
#undef SETTING
};

struct Settings {
    std::int64_t leaf_penalty = 0;  // c, in cost units
    int unit_shift = 0;             // one weight unit = 2^unit_shift cost units
    std::int32_t max_depth = kUnlimited;
    std::int32_t max_leaves = 0;  // 0 = no limit
    std::int64_t min_count = 0;   // fewest input rows in a leaf; 0 = no limit
    Options options;
    // From `alone_steps` on: the tree is the first of equals (src/search/binary_ties.hpp), and so many threads search.
    bool first_of_equals = false;
    std::size_t threads = 1;
};

template <class Acc>
class Search {
   public:
    // `prices` (B7) are in cost units, one a row, or empty. A limit on the number of leaves is not kept here
    // (schedule.hpp): it only says that the trees found are no answers, and not to be announced.
    // `taken`: bytes of the memory limit that others hold.
    Search(const Dataset& data, const Settings& settings, std::span<const std::int64_t> prices, Control& control,
           std::size_t taken = 0);
    ~Search();
    Search(const Search&) = delete;
    Search& operator=(const Search&) = delete;

    // Solves the root: its three phases (src/search/binary_phases.hpp) one after another. Afterwards tree() gives the
    // best tree found.
    Bounds run();
    // A dive and branch and bound for the plain steps, which end most problems.
    Bounds run_plain();
    // The dense program, where the depth is unlimited and it is small enough.
    Bounds try_dense_program(Bounds known);
    // Raises the bound step by step until it is exact or the run has made `max_steps` more; may be called again.
    Bounds raise_bound(Bounds known, std::int64_t max_steps);
    // From now on these prices, which must outlive their use; what the cache holds was proven and stays.
    void use_prices(std::span<const std::int64_t> prices);
    // From now on every tree better than the ones known keeps the limit on leaves.
    void ignore_leaf_limit() { settings_.max_leaves = 0; }
    // There is no need to begin alone: another search has worked for so long on the same problem.
    [[nodiscard]] std::size_t threads() const { return settings_.threads; }
    void begin_together() { together_ = settings_.first_of_equals; }
    // The best tree found; of a root whose least cost is known, the first of equals where the settings ask for it.
    [[nodiscard]] Shape tree(Bounds known = {0, kInfinity});

    // A split whose two sides are solved; keys and totals live as long as the arena's scope.
    struct SolvedSplit {
        std::int32_t column;
        std::int64_t optimum[2];
        std::span<const std::uint64_t> key[2];
        std::span<const Acc> total[2];  // what each class costs there, and how many input rows there are
    };
    // One part of so many of a node's splits.
    struct Part {
        std::size_t number = 0, of = 1;
    };
    // All splits (of one part) of the rows of a closed pattern whose sides cost at most `budget` together, each side
    // with its optimum (near_optimal.hpp). False if the run was stopped. The rows of this search may be the first of
    // those of `patterns`, all that cost anything: the others change no optimum, but they are rows, so that a side of
    // them alone is one. Else rows count here, too: the minimum leaf size is at least one.
    bool splits_within(const PatternRows<Acc>& patterns, std::span<const std::uint64_t> key, std::int32_t depth,
                       std::int64_t budget, Part part, std::vector<SolvedSplit>& out);
    // Calls work(search, its control) with this search and, once it has worked alone for long enough, with those of
    // helping threads at the same time; what one of them proves of a set of rows, all know. For work whose answer does
    // not depend on who does which part of it.
    void share_work(const std::function<void(Search&, Control&)>& work);
    [[nodiscard]] Subproblems<Acc>& subproblems() { return subproblems_; }

    [[nodiscard]] const Cache& cache() const { return cache_; }
    // Calls `use` for every set of few rows that is kept now (B8): its rows as bits, and what they are proven to cost.
    void each_of_few_rows(const std::function<void(std::span<const std::uint64_t>, std::int64_t)>& use) const;
    // Of all threads.
    [[nodiscard]] std::size_t bytes() const;

   private:
    struct Helper;  // src/search/binary_threads.hpp
    Search(const Search& lead, Control& control, std::size_t bytes);
    [[nodiscard]] std::size_t own_bytes() const;  // of this thread

    struct Node : Subproblem<Acc> {
        std::int64_t price = 0;  // B7: sum of the row prices
        std::int64_t guess = 0;  // conditional: sum of the row guesses
    };
    // Bounds of both children of every split; index [side][local column].
    struct Children {
        std::span<std::int64_t> lower[2];
        std::span<std::int64_t> upper[2];
    };
    // Identity of one child in the cache.
    struct ChildKey {
        std::span<std::uint64_t> key;
        std::uint64_t hash = 0;
        std::int32_t depth = 0;
    };
    struct Candidate {
        std::uint32_t column;  // local
        ChildKey child[2];
    };
    struct Best {
        std::int64_t value;
        std::int32_t feature;
    };

    // A subproblem whose splits are searched.
    struct Branch {
        const Node& node;
        std::int32_t depth;
        std::int64_t floor;  // no tree of four leaves costs less
        Children children;
        Best best;
        std::int64_t target;  // only trees that cost less matter
        bool heavy;           // other threads may want to help
        bool on_bits = false;
        std::span<std::uint64_t> row_bits{};  // B8: its rows, or none
        std::int64_t heard = 0;               // the bound that other threads have proven

        // Takes the sides of a split as the tree if they are better.
        void improve(std::size_t column) {
            const std::int64_t value = children.upper[0][column] + children.upper[1][column];
            if (value >= best.value) return;
            best = {value, node.active.columns[column]};
            target = std::min(target, value);
        }
    };

    bool splits_within(const Node& node, std::int32_t depth, std::int64_t budget, Part part,
                       std::vector<SolvedSplit>& out);
    bool free_splits_within(const Node& node, const typename PatternRows<Acc>::Sums& sums, std::int32_t depth,
                            std::int64_t budget, Part part, std::vector<SolvedSplit>& out);
    void leaf_splits_within(const typename PatternRows<Acc>::Sums& sums, std::span<const std::uint64_t> key,
                            std::int64_t budget, Part part, std::vector<SolvedSplit>& out);
    Bounds solve(const Node& node, std::int32_t depth, std::int64_t budget);
    // Settles the open splits in their order; those at which other threads are come last.
    void search_splits(Branch& here, std::span<Candidate> open);
    // Searches both sides of a split as far as it matters. False if another thread is at it, and it may wait.
    [[nodiscard]] bool settle(Branch& here, const Candidate& split, bool may_wait);
    // What a settled split says of the others, and other threads of the node.
    void learn(Branch& here, const Candidate& split, std::span<const Candidate> others);
    [[nodiscard]] Bounds bounds_of(const Branch& here) const {
        return {std::min(here.best.value, std::max({here.floor, here.heard, lowest(here.children)})), here.best.value};
    }
    // The root, by all threads once the lead has worked alone for long enough.
    Bounds solve_root(std::int64_t budget);
    void call_helpers();
    static void raise(std::vector<std::int64_t>& to, std::span<const std::int64_t> bounds);
    // A good tree quickly (src/search/binary_phases.hpp).
    std::int64_t dive(const Node& node, std::int32_t depth, int discrepancies);
    // Writes the best tree known (src/search/binary_trees.hpp).
    void emit(const Node& node, std::int32_t depth, Shape& out);
    // Writes the first of the trees of cost `value`, the least (src/search/binary_ties.hpp).
    void emit_first(const Node& node, std::int32_t depth, std::int64_t value, Shape& out);
    [[nodiscard]] std::int32_t first_split(const Node& node, std::int32_t depth, std::int64_t value,
                                           Children& children);
    [[nodiscard]] Shape tree_of_rows();
    std::int64_t complete(RowGreedy& greedy, std::span<const std::uint32_t> rows, std::int32_t depth,
                          std::size_t* n_recalled, Shape& out);
    [[nodiscard]] std::vector<std::uint64_t> closed_pattern(std::span<const std::uint32_t> rows) const;

    void announce(Bounds bounds);
    [[nodiscard]] static std::int64_t lowest(const Children& children);
    // B3, B7 and the guess: what a tree of four leaves or more costs at least.
    [[nodiscard]] std::int64_t floor_of_four_leaves(const Node& node) const {
        return std::max((options_.lookahead ? 4 * c_ : c_) + node.guess, node.price);
    }
    void price_children(const Node& node, Children& children);
    void guess_children(const Node& node, Children& children) const;
    [[nodiscard]] std::int64_t guess_of(std::span<const std::uint32_t> rows) const;
    [[nodiscard]] std::int64_t cost(Acc weight) const;
    [[nodiscard]] std::int64_t leaf_cost(const Node& node) const;
    [[nodiscard]] Children bound_children(const Node& node, std::int32_t depth);
    [[nodiscard]] Best best_of_depth_two(const Node& node, std::int32_t depth, const Children& children) const;
    [[nodiscard]] std::span<Candidate> candidates(const Node& node, std::int32_t depth, std::int64_t target,
                                                  Children& children);
    [[nodiscard]] ChildKey child_key(const Node& node, std::size_t column, int side, std::int32_t depth);
    void recall(const ChildKey& key, int side, std::size_t column, Children& children);
    // The same from what other threads have found.
    void recall_shared(const ChildKey& key, int side, std::size_t column, Children& children);
    [[nodiscard]] const Entry* find_known(std::span<const std::uint64_t> key, std::int32_t depth);
    void compare_supports(const Node& node, std::size_t solved, std::int64_t target, std::span<const Candidate> others,
                          Children& children);
    // B8 (src/search/binary_few_rows.hpp).
    void bound_by_few_rows(Branch& here);
    [[nodiscard]] bool raised_by_few_rows(Branch& here, std::size_t column, int side);
    void learn_few_rows(const Node& node, std::span<const std::uint32_t> rows, std::int64_t proven);
    void leave_out_rows(const Node& node, std::vector<std::uint32_t>& rows, std::int64_t proven);
    [[nodiscard]] bool proves(const Node& node, std::span<const std::uint32_t> rows, std::int64_t needed);
    [[nodiscard]] Node make_child(const Node& node, std::size_t column, int side, const ChildKey& key,
                                  Sides<Acc>& sides, std::int64_t budget = kInfinity);
    void hear(Branch& here);
    Bounds finish(const Node& node, std::int32_t depth, Bounds bounds, std::int32_t feature, std::int64_t steps_before);

    const Dataset& data_;
    Settings settings_;
    Options options_;
    Control& control_;
    std::size_t max_bytes_;
    std::int64_t c_;
    std::span<const std::int64_t> prices_;
    BudgetRounds rounds_;
    int discrepancies_ = 0;              // of the dives made so far
    std::int64_t similar_compared_ = 0;  // pairs of splits that B6 looked at, and those that it closed
    std::int64_t similar_closed_ = 0;
    std::unique_ptr<FewRows> few_rows_;  // B8, once it has begun
    Cache cache_;
    Subproblems<Acc> subproblems_;
    Arena& arena_;  // of the subproblems
    Node root_;
    std::int32_t root_depth_;
    std::vector<std::int64_t> root_lower_[2];  // of the children of the root's splits, as proven last; or empty
    bool together_ = false;                    // alone for long enough
    std::shared_ptr<SharedBounds> shared_;     // with several threads, from then on
    std::vector<std::unique_ptr<Helper>> helpers_;
    std::size_t counted_bytes_ = 0;             // of this thread, as it told the others last
    Shape shape_;                               // of the dense program, if it solved the root
    std::int32_t last_feature_ = Entry::kLeaf;  // root split of the subproblem solved last
};

}  // namespace treewright::binary
