// The least cost for every number of leaves at once (the accuracy-sparsity front), by branch and bound.
//
// For a set of rows S, a depth d and l leaves let
//
//   E(S, d, l) = min( leaf(S), min_i min_{p + q <= l} E(S with i=0, d-1, p) + E(S with i=1, d-1, q) )
//
// be the least cost of a tree of at most l leaves, without any leaf penalty. The root's E(1), ..., E(K) are the
// front. A subproblem keeps a FRONT: proven lower bounds and the best trees' costs for l = 1, ..., K, both falling with
// l, in one cache entry keyed by its closed pattern (pattern_cache.hpp). So all points of the front, and all divisions
// of the leaves between the two sides of a split, share what is known of every set of rows.
//
// Bounds; costs >= 0.
//  F1 three leaves  E(1), E(2) and E(3) are exact from the pair matrix: the best tree of depth two in which a side is
//                   a leaf. A child's E(1) and E(2) are exact from its parent's matrix (B2, B3 of binary_search.hpp).
//                   Beyond, E >= 0, which in reduced data (binary_dataset.hpp) is the equivalent-points bound.
//  F2 goals         A caller says for each l below which cost a tree of l leaves would help it: goal(l), 0 for never.
//                   If side 0 of a split has lower bounds a(.) and side 1 is to be solved, a tree of q leaves helps
//                   there only below max_p goal(p + q) - a(p). A front with lower(l) >= goal(l), or lower = upper, is
//                   done at l. This is the hierarchical bound (Hu et al. 2019, Theorem 3.1) for all l together.
//  F3 children      E(l) >= min( leaf, min_i min_{p + q = l} a_i(p) + b_i(q) ), a and b the children's lower bounds.
//  F4 more leaves   A lower bound for l leaves holds for fewer.
//  F5 one penalty   A tree of exactly l leaves costs E(l) + c*l or more, and a tree of at most l leaves costs that or
//                   less; so min over l <= K of E(l) + c*l is the optimum with at most K leaves at a leaf penalty c,
//                   and the same minimum of lower(l) + c*l bounds it. If only that optimum is asked and U is the best
//                   value known, l leaves help only if E(l) + c*l < U, which is goal(l). Once every l has lower(l) >=
//                   goal(l), or lower = upper and hence E(l) + c*l >= U, U is the optimum. U only falls, and goals with
//                   it.
//  Guess            Conditional: lower(l) is at least what a reference model gets wrong in S
//  (src/bounds/guessed_bounds.hpp).
//
// The search for one leaf penalty c gives E(l) >= f_c - c*l, which adds nothing: each of the bounds B1 to B5 on f_c is
// a bound on E for some l, minimised over l. Similar support (B6) would hold for every l, but left out 3 % of the
// subproblems of fico (20 leaves) for 13 % more time.
//
// Order, at one leaf penalty too: from few leaves to many, so that a stop leaves the front proven up to some l, and all
// that was learned on the way serves the next l. On fico one point after another takes a third of the subproblems that
// all at once take; at one leaf penalty tic-tac-toe with 20 leaves took five times as long with goals of a quarter,
// half, ... for all l at once.
#pragma once

#include "treewright/search/binary_search.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace treewright::binary {

template <class Acc>
class FrontSearch {
   public:
    // `max_leaves` is K >= 1; the leaf penalty serves run_at_penalty alone.
    FrontSearch(const Dataset& data, const Settings& settings, Control& control);

    // Trees for every number of leaves, before anything is proven.
    void start();
    // Proves the front point by point.
    void run();
    // Proves only what the cheapest tree at the leaf penalty needs (F5), given bounds on it from elsewhere: a proven
    // bound and the cost of a tree of at most K leaves. Returns them improved, in cost units.
    Bounds run_at_penalty(Bounds known);
    // In weight units, at [l - 1]; kInfeasible if no tree keeps the minimum leaf size.
    [[nodiscard]] std::span<const Acc> lower() const { return root_.lower; }
    [[nodiscard]] std::span<const Acc> upper() const { return root_.upper; }
    // What is known of the cheapest tree at the leaf penalty, and the fewest leaves of such a tree found.
    [[nodiscard]] Bounds at_penalty() const;
    [[nodiscard]] std::size_t cheapest_leaves() const;
    // The best tree found with at most so many leaves.
    [[nodiscard]] Shape tree(std::size_t leaves);
    // The cheapest tree found at the leaf penalty.
    [[nodiscard]] Shape tree_at_penalty();

    [[nodiscard]] const Cache& cache() const { return cache_; }
    [[nodiscard]] std::size_t bytes() const { return cache_.bytes() + arena_.bytes(); }

   private:
    using Node = Subproblem<Acc>;
    static constexpr Acc kNoGoal = 2 * kInfeasible<Acc>;  // any tree is wanted
    // The root split of a front's best tree of l leaves, and how many of them lie on its side of zeros.
    struct Choice {
        std::int32_t column = Entry::kLeaf;
        std::int32_t zeros = 0;
    };
    struct Front {
        std::span<Acc> lower;
        std::span<Acc> upper;
        std::span<Choice> choice;  // empty in the fronts of children

        [[nodiscard]] std::size_t size() const { return lower.size(); }
        [[nodiscard]] bool is_exact() const {  // a guess may be above a tree found later
            return std::ranges::equal(lower, upper, std::greater_equal<>{});
        }
    };
    struct Key {
        std::span<std::uint64_t> pattern;
        std::uint64_t hash = 0;
        std::int32_t depth = 0;
    };
    struct Candidate {
        std::uint32_t column;  // local
        Acc rank;              // for the order
        Key child[2];
        Front front[2];
    };

    void solve(const Node& node, const Key& key, std::span<const Acc> goal, Front& known);
    void dive(const Node& node, const Key& key, Front& known);
    void know_leaf(const Node& node, Front& known) const;
    void solve_few_leaves(const Node& node, std::int32_t depth, const ChildCosts<Acc>& costs, Front& known) const;
    [[nodiscard]] std::span<Candidate> candidates(const Node& node, std::int32_t depth, const ChildCosts<Acc>& costs,
                                                  std::size_t most);
    void search_split(const Node& node, Candidate& candidate, std::span<const Acc> goal, std::span<Acc> target,
                      Front& known);
    [[nodiscard]] bool set_goal(std::span<const Acc> target, const Front& mine, const Front& other,
                                std::span<Acc> goal) const;
    void improve(const Node& node, const Candidate& candidate, Front& known) const;
    [[nodiscard]] bool set_targets(const Front& known, std::span<const Acc> goal, std::span<Acc> target) const;
    void bound_by_children(std::span<const Candidate> all, Front& known);

    [[nodiscard]] ChildCosts<Acc> scan(const Node& node);
    void start_front(const ChildCosts<Acc>& costs, std::size_t column, int side, std::int32_t depth,
                     Front& front) const;
    [[nodiscard]] Front new_front(std::size_t leaves, bool with_choice);
    void recall(const Key& key, Front& front);
    void store(const Key& key, const Front& front, std::int64_t steps_before);
    [[nodiscard]] Key child_key(const Node& node, std::size_t column, int side, std::int32_t depth);
    [[nodiscard]] std::int32_t depth_of(std::int32_t depth, std::size_t n_columns) const;
    [[nodiscard]] std::int64_t value(Acc cost, std::size_t leaves) const;
    [[nodiscard]] std::size_t next_rung(std::size_t proven) const;
    void raise(Front& front, std::int64_t guess) const;
    void guess_children(const Node& node, std::span<Candidate> open);
    void announce();
    void announce_mean();
    void write(std::size_t leaves, Shape& out);
    void emit(const Node& node, const Key& key, std::size_t leaves, Acc value, Shape& out);
    [[nodiscard]] Shape tree_in_time(std::size_t leaves);
    [[nodiscard]] std::int64_t cost(const Shape& shape) const {
        return cost_of(data_, shape, settings_.leaf_penalty, settings_.unit_shift);
    }

    const Dataset& data_;
    Settings settings_;
    Control& control_;
    std::size_t k_;  // most leaves
    Cache cache_;
    Subproblems<Acc> subproblems_;
    Arena& arena_;  // of the subproblems
    Key root_key_;
    Front root_;
    Bounds known_{0, kInfinity};  // elsewhere, of the cheapest tree at the leaf penalty
    bool at_penalty_ = false;     // that alone is asked
    bool guessing_;               // whether guesses count as bounds
    int report_shift_ = 0;
    std::optional<ChildCosts<Acc>> root_costs_;     // for the trees that are written
    std::vector<Shape> greedy_;                     // of 1, 2, ... leaves, once the run was stopped
    static constexpr std::int64_t kGrace = 40'000;  // to write all trees after a stop: about a tenth of a second
};

}  // namespace treewright::binary
