// All splits of a node of ranked rows that some tree within a budget begins with, each with the optima of its two
// sides.
//
// A split of (S, d) is within the budget b iff f(L, d-1) + f(R, d-1) <= b. Above depth two that is the hunt of
// ranked_search.hpp with a target that stays at b + 1: a stretch of splits is left out at once where the bounds of
// nested rows (interval_bounds.hpp) say that none costs less, and of what remains every split is solved, its sides no
// further than b less the other side. At depth two the kernel tells both optima of many splits in one pass; at depth
// one a walk over the rows does.
#pragma once

#include "treewright/kernels/class_pair_solver.hpp"
#include "treewright/objective/misclassification.hpp"
#include "treewright/search/ranked_search.hpp"

#include <cstdint>
#include <vector>

namespace treewright::ranked {

class SplitsWithin {
   public:
    // `search` is one for the same objective, with the same control.
    SplitsWithin(const Misclassification& objective, const Options& options, Control& control, Search& search)
        : objective_(objective), control_(control), search_(search), pairs_(objective, options, control) {}

    // Fills `found`, ascending by column and position; false if it was stopped. `together`: above depth two all threads
    // of the search divide the splits of the node.
    [[nodiscard]] bool find(const Node& node, std::uint32_t depth, Cost budget, bool together,
                            std::vector<SolvedSplit>& found);

   private:
    void of_leaves(const Node& node, Cost budget, std::vector<SolvedSplit>& found);
    void of_leaves_of_two_classes(const Node& node, Cost budget, std::vector<SolvedSplit>& found) const;

    const Misclassification& objective_;
    Control& control_;
    Search& search_;
    ClassPairSolver pairs_;
    std::vector<std::int64_t> left_;  // [class]
};

}  // namespace treewright::ranked
