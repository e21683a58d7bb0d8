// Row prices: a lower bound for every subset of the rows at once (bound B7), from linear-programming duality.
//
// A tree for the rows S divides them into leaves; a leaf holds the rows of S that satisfy a conjunction of literals
// (column = value) and costs c plus the cheapest class on them. Give every row x a price y_x >= 0 such that for EVERY
// conjunction L and EVERY class k
//
//     sum of y over L  <=  c + sum of cost_k over L.                                   (*)
//
// Then for every subset S that is itself a conjunction, and every tree, adding (*) over the tree's leaves gives
// cost(tree, S) >= sum of y over S. The best prices are the dual solution of "cover all rows by conjunctions at least
// cost", whose value is at most the optimum and, on noisy data, close to it. Constraints on the tree (depth, leaves,
// leaf size) only remove trees, so the bound stays valid under them; with a depth limit d, (*) is needed for
// conjunctions of at most d literals only.
//
// The gain of a conjunction for a class is the left side less the sum of costs on the right; (*) says that no gain is
// above c. Two questions are asked of given prices, again and again, by treewright/search/_prices.py:
//
//   suggest_violations  Which conjunctions break (*)? Quick, greedy and varied; proves nothing.
//   bound_violations    How large is the largest gain? Exact (branch and bound).
//
// Prices that break (*) by at most `excess` are mended by the factor c / (c + excess): each left side becomes at most
// c/(c+excess) * (c + cost + excess) <= c + cost.
#pragma once

#include "treewright/space/binary_dataset.hpp"
#include "treewright/core/control.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace treewright::binary {

struct Violations {
    std::int64_t worst = 0;              // suggest: largest gain seen. bound: no conjunction has a larger gain
    bool complete = true;                // bound: false if the work limit was met, and `worst` is what is left open
    std::int64_t explored = 0;           // conjunctions looked at
    std::vector<std::uint32_t> rows;     // of the conjunctions found, one after another
    std::vector<std::int64_t> ends;      // where each one's rows end
    std::vector<std::int64_t> cheapest;  // its cost with its cheapest class, in weight units
};

// What both questions are about. Prices and leaf penalty are in cost units: 2^unit_shift to a weight unit.
struct Pricing {
    const Dataset& data;
    std::span<const std::int64_t> prices;
    std::int64_t leaf_penalty;
    int unit_shift;
    std::int32_t max_depth;     // most literals of a conjunction
    bool shared_losses = true;  // whether bound_violations uses them (src/bounds/row_prices.cpp)

    [[nodiscard]] bool unlimited() const { return max_depth >= static_cast<std::int32_t>(data.n_columns); }
};

// For every first literal and class the best conjunction that a greedy search finds, trying `width` second literals.
[[nodiscard]] Violations suggest_violations(const Pricing& pricing, std::size_t width, Control& control);

// Proves that no gain is above `worst`, where worst >= `bar`: gains up to `bar` are not told apart. `max_work` counts
// visits, large ones more than once; a stop of `control` acts as the work limit does.
[[nodiscard]] Violations bound_violations(const Pricing& pricing, std::int64_t bar, std::int64_t max_work,
                                          Control& control);

}  // namespace treewright::binary
