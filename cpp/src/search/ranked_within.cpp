// All splits of a node above depth two that some tree within a budget begins with. Where leaves have a least size,
// those are solved that are open for leaves of any size (ranked_any_size.cpp), else those that profiles leave open.
#include "treewright/search/ranked_search.hpp"

namespace treewright::ranked {

void Search::splits_within(const Node& node, std::uint32_t depth, Cost budget, bool together,
                           std::vector<SolvedSplit>& found) {
    constexpr std::size_t kLevel = 1;  // nothing here is the root of a search
    const Size size{depth};
    const Cost target = budget + 1;
    if (may_begin_with_any_size(size)) {  // a graph asks for all splits, so it is not over soon
        by_any_size_ = true;
        for (SolvedSplit& split : open_by_any_size(node, size, target)) {
            if (control_.stopped()) return;
            if (solve_sides(node, split, size, target, kLevel).lower < target) found.push_back(split);
        }
        return;
    }
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
