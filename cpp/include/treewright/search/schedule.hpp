// One search for one tree over binary columns: all its phases, in this order, within one set of limits.
//
//   plain        A dive for a first tree, then branch and bound for some thousand steps: ends nearly every problem.
//   dense        Without a depth limit: the dense program, if it is small enough (dense_program.hpp).
//   depth        Where the tree at hand is so cheap that better ones are shallow, only these are searched from here on:
//                with a limit of depth, subsets low in the tree are solved by their pair matrix alone.
//   raised bound Dives with discrepancies, then branch and bound with rising budgets (src/search/binary_phases.hpp).
//   row prices   What is still open gains more from a bound on every subset (row_prices.hpp) than from more steps. How
//                much is worth spending on prices cannot be known before, so stages of raising the bound and of pricing
//                grow in turn: the whole costs a small multiple of the better choice. Figures:
//                docs/decisions/row-prices.md. Cached bounds hold whatever the prices were when they were proven, so
//                the search goes on with its cache.
//   leaves       Where the leaf penalty is 0: the fewest leaves of a tree with the least cost, once that is proven. If
//                this is stopped, the cost stays proven.
//   recheck      Where lower bounds were guessed and the search ended: a short search with a lower guess.
//
// From `alone_steps` on, plain search and raised bound are done by several threads (src/search/binary_threads.hpp),
// where no prices are ever made, no dense program is tried, and nothing is guessed; and there the tree is the first of
// equals.
//
// The recheck. Step 2a of section 4.3 (McTavish et al. 2022) ends a subproblem at the first subtree that is as good as
// the guess. Where the guess is too high, that subtree depends on the order of the search, and another order may end
// with a better tree. Where the tree found pays less for a row than the reference does, the tree itself refutes the
// guess: the reference is charged no more than the tree there. This is a lower guess, so Theorem 4.3 holds for it too,
// and leaves less open: with g' the lower guesses of the reduced rows, a search that ends is at most sum g' above the
// optimum, for it costs at most what every tree would if each row cost it max(cost, g'). A tree that refutes no row
// needs no such search. It takes a quarter of the steps so far, kMinRecheckSteps if that is more, and a second at most.
//
// With a limit of K leaves a stage has two halves:
//
//   1. The front's fast trees (front.hpp): incumbents of at most K leaves at once.
//   2. The search without the limit, for its plain steps. Its bound holds with the limit too, which only removes trees,
//      and a tree it found is an answer if it has at most K leaves: the answer, if it was proven best of any size.
//   3. Where the limit still binds, the front at the leaf penalty (F5 of front.hpp), which goes on where it stopped in
//      the stage before. It ends most problems by itself, so the first stage is long; where the limit hardly binds, the
//      search without it and with prices is the quicker one, so later stages give each a half.
//
// A limit binds only where a tree of more leaves could be wanted: L leaves cost at least L*c, so a tree that costs at
// most U, a cost that is known, has at most U / c of them. If it does not bind, every tree that costs at most U keeps
// it, and the search without a limit, with all its phases, ends with the answer or with none better than the one at
// hand.
//
// A stop leaves the best tree of at most K leaves from all phases, and the best bound.
#pragma once

#include "treewright/core/control.hpp"
#include "treewright/core/tree_shape.hpp"
#include "treewright/search/binary_search.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace treewright::binary {

// What the maker of row prices may spend in one stage, and what its prices have to beat.
struct RowPriceRequest {
    double seconds;
    std::int64_t work;          // conjunctions visited
    std::int64_t proven_bound;  // in cost units
};

// Certified row prices so far, and what has been spent on them in all.
struct Prices {
    std::vector<std::int64_t> of_row;  // in cost units; (*) of row_prices.hpp holds for them
    std::int64_t bound = 0;            // their sum: no tree costs less
    double seconds = 0;
    std::int64_t work = 0;
    std::int64_t rounds = 0;
    bool done = false;  // more work would gain next to nothing
};

// Makes prices, or better ones than before. It may end the run by Control::halt.
using RowPriceSource = std::function<Prices(const RowPriceRequest&)>;

// What a recheck may take: a part of the steps that others have taken before and of those of this run, but no more than
// leaves `max_steps` of this run in all.
struct RecheckBudget {
    std::int64_t steps_before;
    std::int64_t max_steps;
};

// Of a recheck of guessed bounds.
struct Recheck {
    Shape shape;             // the best tree found
    bool ended = false;      // the search ended, so Theorem 4.3 holds
    std::int64_t guess = 0;  // the lower guesses of all rows, in weight units: what the theorem leaves open
    bool interrupted = false;
};

// Of a search for one tree, with or without a limit on its leaves.
struct Outcome {
    Shape shape;
    Bounds bounds{};
    Stop stop = Stop::none;     // why the bounds are not exact
    bool leaves_exact = false;  // no tree of the same cost has fewer leaves
    Prices prices;              // the last ones, if any were made
    std::optional<Recheck> recheck;
    std::size_t cache_entries = 0;
    std::size_t cache_shed = 0;
    std::size_t bytes = 0;
};

// Of the settings, `max_leaves` is a limit on the leaves, 0 for none. `fewest_leaves`: the last phase, where the leaf
// penalty is 0; all leaves must cost less than one weight unit together. `prices` may be empty. `recheck`: whether
// guesses are rechecked. `kept`: takes the search without a limit on leaves, if it was not stopped: what it has proven
// serves other questions on the same data, as long as `control` lives.
template <class Acc>
[[nodiscard]] Outcome search_tree(const Dataset& data, const Settings& settings, bool fewest_leaves,
                                  const RowPriceSource& prices, Control& control,
                                  const std::optional<RecheckBudget>& recheck = {},
                                  std::unique_ptr<Search<Acc>>* kept = nullptr);

}  // namespace treewright::binary
