// All splits of a node above depth two that some tree within a budget begins with.
#include "treewright/search/ranked_search.hpp"

namespace treewright::ranked {

void Search::splits_within(const Node& node, std::uint32_t depth, Cost budget, bool together,
                           std::vector<SolvedSplit>& found) {
    constexpr std::size_t kLevel = 1;  // nothing here is the root of a search
    const Size size{depth};
    const Cost target = budget + 1;
    const Cost whole = solve(node, size.below(), target, kLevel).lower;
    open_profiles(node, size, kLevel, {}, whole);
    Hunt hunt{node, size, target, kLevel, level_at(kLevel), Outcome{0, kNoCost, PartialTree::leaf()}};
    hunt.within = &found;
    open_all(hunt);
    if (together)
        work_together(hunt);
    else
        work(hunt, nullptr);
}

}  // namespace treewright::ranked
