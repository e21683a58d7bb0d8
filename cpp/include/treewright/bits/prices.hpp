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
// cost", whose value is at most the optimum and, on noisy data, close to it. Constraints on the tree (depth, leaves, leaf
// size) only remove trees, so the bound stays valid under them; with a depth limit d, (*) is needed for conjunctions of
// at most d literals only.
//
// This file answers the question that the cutting-plane loop (treewright/search/_prices.py) asks again and again: by how
// much do given prices break (*), and for which conjunctions? In integers, exactly: depth-first over closed conjunctions,
// cutting a branch when even the rows with positive price - cost_k add up to no more than what is wanted. If the work
// limit ends it early, what was not explored is bounded by those sums, so that `worst` is always a proven maximum.
// Prices that break (*) by at most `excess` are mended by the factor c / (c + excess): each left side becomes at most
// c/(c+excess) * (c + cost + excess) <= c + cost.
#pragma once

#include "treewright/bits/dataset.hpp"
#include "treewright/control.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace treewright::bits {

struct Violations {
    std::int64_t worst = 0;               // no conjunction has sum(y - cost_k) above this
    bool complete = true;                 // false if `worst` contains unexplored branches
    std::int64_t explored = 0;            // conjunctions
    std::vector<std::uint32_t> rows;      // of the found conjunctions, one after another
    std::vector<std::int64_t> ends;       // where each one's rows end
    std::vector<std::int64_t> cheapest;   // its cost with its cheapest class, in weight units
};

// `prices` and `leaf_price` are in cost units: 2^unit_shift to a weight unit.
[[nodiscard]] Violations find_violations(const Dataset& data, std::span<const std::int64_t> prices,
                                         std::int64_t leaf_price, int unit_shift, std::int32_t max_depth,
                                         std::size_t most_found, std::int64_t most_explored);

}  // namespace treewright::bits
