// What solving a subproblem gave: proven bounds and the plan of the better one.
//
// Asked with a budget, a solver answers exactly (lower == upper) if the optimum is below the budget; otherwise it may
// stop at any lower bound >= budget. After a stop (limit, Ctrl-C) the bounds are merely valid.
#pragma once

#include "treewright/sweep/data.hpp"
#include "treewright/sweep/plan.hpp"

#include <algorithm>

namespace treewright::sweep {

struct Outcome {
    Cost lower = 0;
    Cost upper = kNoCost;
    Plan plan{};

    [[nodiscard]] bool exact() const { return lower == upper; }
    void offer(Cost cost, Plan candidate) {
        if (cost >= upper) return;
        upper = cost;
        plan = candidate;
    }
};

}  // namespace treewright::sweep
