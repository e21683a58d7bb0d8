// All splits of a node above depth two that some tree within a budget begins with.
#include "treewright/search/ranked_search.hpp"

namespace treewright::ranked {

void Search::splits_within(const Node& node, std::uint32_t depth, Cost budget, std::vector<SolvedSplit>& found) {
    constexpr std::size_t kLevel = 1;  // nothing here is the root of a search
    const Size size{depth};
    const Cost target = budget + 1;
    const Cost whole = solve(node, size.below(), target, kLevel).lower;
    open_profiles(node, size, kLevel, {}, whole);
    Level& here = level_at(kLevel);
    Hunt hunt{node, size, target, kLevel, here, Outcome{0, kNoCost, PartialTree::leaf()}};
    open_all(hunt);
    while (!control_.stopped()) {
        const std::optional<Question> question = next(hunt);
        if (!question) return;
        if (rows_between_may_close(hunt, *question)) {
            const Cost sum = rows_between_add(hunt, *question);
            IntervalBounds& profile = here.profiles[question->from.column];
            const std::size_t point = profile.point_before(question->before.split);
            if (sum > 0) profile.add_between(point, sum);
            if (!profile.gap(point, target).open()) continue;
        }
        Sides sides = prepare(hunt, *question);
        // Below the target both sides were asked for more than they cost, so their bounds are their optima.
        Outcome tree{0, target, {}};
        evaluate(hunt, sides, tree);
        if (control_.stopped()) return;
        if (tree.upper < target)
            found.push_back({static_cast<std::uint32_t>(sides.at), here.profiles[sides.at].position(sides.split),
                             sides.bounds.left, sides.bounds.right});
        if (sides.bounds.tag != SplitBounds::kNoTag && depth > 3)
            here.rows[sides.bounds.tag] = {here.left.rows, here.right.rows};
        absorb(hunt, *question, sides, Outcome{});
    }
}

}  // namespace treewright::ranked
