// What solving a subproblem gave: proven bounds and the plan of the better one.
//
// Asked with a budget, a solver answers exactly (lower == upper) if the optimum is below the budget; otherwise it may
// stop at any lower bound >= budget. After a stop (limit, Ctrl-C) the bounds are merely valid.
#pragma once

#include "treewright/core/cost.hpp"
#include "treewright/core/partial_tree.hpp"
#include "treewright/core/size.hpp"

#include <algorithm>

namespace treewright::ranked {

struct Outcome {
    Cost lower = 0;
    Cost upper = kNoCost;
    PartialTree plan{};

    [[nodiscard]] bool exact() const { return lower == upper; }
    void offer(Cost cost, PartialTree candidate) {
        if (cost >= upper) return;
        upper = cost;
        plan = candidate;
    }
    // What either of two answers to one question knows.
    void merge(const Outcome& other) {
        lower = std::max(lower, other.lower);
        offer(other.upper, other.plan);
    }
};

}  // namespace treewright::ranked
