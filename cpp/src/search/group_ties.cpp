// Which of several trees of the same least cost is the answer of a search over few splits that may have had threads.
//
// At a node whose least cost V is known: a leaf, if it costs V; else the least depth at which V is reached, and of the
// splits that reach it there the first; on both sides the same, with what each costs. This speaks of the table alone.
//
// Cost: the search has shown that no root costs less than V; here those before the first are shown to cost more. What
// it knows of their sides mostly says so, for sums of real numbers are seldom equal.
#include "treewright/search/group_search.hpp"

namespace treewright::ranked {

std::optional<PartialTree> GroupSearch::first_of_equals(const Set& set, std::uint32_t depth, Cost cost,
                                                        std::size_t level) {
    if (objective_.leaf_cost(set.rows) == cost) return PartialTree::leaf();
    for (std::uint32_t d = 1; !control_.stopped(); d = depth == kFree && d == kDeepened ? kFree : d + 1) {
        const Outcome found = solve(set, d, cost + 1, level);
        if (found.upper == cost) return d == 1 ? found.plan : split_first(set, d, cost, level);
        if (d == depth) break;
    }
    return std::nullopt;
}

std::optional<PartialTree> GroupSearch::split_first(const Set& set, std::uint32_t depth, Cost cost, std::size_t level) {
    Level& here = level_at(level);
    find_columns(set, here);
    bound_roots(set, depth, here);
    for (const Root& root : here.roots) {
        if (root.bound > cost) continue;
        if (control_.stopped()) return std::nullopt;
        part(set, root.split, here.ones, here.zeros);
        if (!legal(here.ones, here.zeros)) continue;
        const Outcome ones = solve(here.ones, one_less(depth), cost + 1 - least(here.zeros), level + 1);
        if (ones.lower + least(here.zeros) > cost) continue;
        const Outcome zeros = solve(here.zeros, one_less(depth), cost + 1 - ones.lower, level + 1);
        if (ones.upper + zeros.upper != cost) continue;
        const auto below_ones = first_of_equals(here.ones, one_less(depth), ones.upper, level + 1);
        const auto below_zeros = first_of_equals(here.zeros, one_less(depth), zeros.upper, level + 1);
        if (!below_ones || !below_zeros) return std::nullopt;
        return remember(root.split, *below_ones, *below_zeros);
    }
    return std::nullopt;
}

}  // namespace treewright::ranked
