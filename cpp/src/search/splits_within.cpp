// Every split of one subproblem that a tree of a given cost can begin with.
#include "treewright/search/binary_search.hpp"
#include "treewright/search/binary_shared.hpp"

namespace treewright::binary {

// A split stays open while the lower bounds of its sides leave room in the budget. A side is asked only whether it
// costs at most what its sibling leaves: `solve` is exact below the budget it is given, and costs are integers, hence
// the 1.
template <class Acc>
bool Search<Acc>::splits_within(const Subproblem<Acc>& rows, std::int32_t depth, std::int64_t budget, Part part,
                                std::vector<SolvedSplit>& out) {
    out.clear();
    if (depth == 0) return true;
    const Node node{rows, 0, 0};
    Children children = bound_children(node, depth);
    for (std::size_t i = part.number; i < node.pairs.size; i += part.of) {
        const auto total = [&] { return children.lower[0][i] + children.lower[1][i]; };
        const auto gap = [&](int side) { return children.upper[side][i] - children.lower[side][i]; };
        if (total() > budget) continue;
        ChildKey key[2];
        for (int side : {0, 1}) {
            key[side] = child_key(node, i, side, depth);
            if (gap(side) > 0) recall(key[side], side, i, children);
            if (shared_ != nullptr && gap(side) > 0) recall_shared(key[side], side, i, children);
        }
        {
            ArenaScope scope(arena_);
            Sides<Acc> sides;
            while (total() <= budget && (gap(0) > 0 || gap(1) > 0)) {
                const int side = gap(0) > 0 && (gap(1) <= 0 || gap(0) <= gap(1)) ? 0 : 1;
                const std::int64_t child_budget = budget - children.lower[1 - side][i] + 1;
                const Node child = make_child(node, i, side, key[side], sides);
                const Bounds found = solve(child, key[side].depth, child_budget);
                if (control_.stopped()) return false;
                children.lower[side][i] = std::max(children.lower[side][i], found.lower);
                children.upper[side][i] = std::min(children.upper[side][i], found.upper);
            }
        }
        if (total() <= budget)
            out.push_back(
                {node.active.columns[i], {key[0].key, key[1].key}, {children.lower[0][i], children.lower[1][i]}});
    }
    return true;
}

template bool Search<std::int32_t>::splits_within(const Subproblem<std::int32_t>&, std::int32_t, std::int64_t, Part,
                                                  std::vector<SolvedSplit>&);
template bool Search<std::int64_t>::splits_within(const Subproblem<std::int64_t>&, std::int32_t, std::int64_t, Part,
                                                  std::vector<SolvedSplit>&);

}  // namespace treewright::binary
