// Which of several trees of the same least cost is the answer.
//
// A search keeps the first one that it finds, and with several threads, or with bounds kept from elsewhere, that is
// luck. So once the least cost V is proven, the tree is chosen by a rule that speaks of the table alone:
//
//   1. the least depth at which V is reached; a leaf, a tree of depth one or two as their solvers give it for these
//      rows: of classes the first column and in it the first split, of other losses the first that is found, which the
//      width of vectors does not change;
//   2. above that, the first column, and in it the first split, with which a tree of cost V can begin;
//   3. with a limit of leaves, the fewest of them on the left;
//   4. on both sides the same, with what each costs.
//
// The price of a leaf is part of V, so all these trees have the least loss, and of those the fewest leaves. The order
// of the rows plays no part: a split is known by the ranks it lies between.
//
// Cost: the search has shown that no split costs less than V, here those before the first are shown to cost more. The
// root's profile is known from it, and only what it has closed at V exactly is open again; a split of the tree that was
// found is the first bound on the place. Below the root each node is one subproblem of hundreds.
#include "treewright/search/ranked_search.hpp"

#include <algorithm>

namespace treewright::ranked {

std::optional<PartialTree> Search::first_of_equals(const Node& node, Size size, Cost cost, std::size_t level) {
    if (objective_.leaf_cost(node) == cost) return PartialTree::leaf();
    if (control_.stopped()) return std::nullopt;
    const Stump stump = objective_.best_stump_within(node, control_);
    if (!stump.whole) return std::nullopt;
    if (stump.cost == cost) return PartialTree::stump();
    size = size.fitted();
    if (size.depth < 2) return std::nullopt;
    const bool three_leaves = Size{2, size.leaves}.fitted().leaves == 3;
    const Outcome pair = pairs_->solve(node, three_leaves, cost + 1);
    if (pair.upper == cost) return pairs_->first_of_equals(node, three_leaves, pair);
    Cost whole = pair.lower;  // of trees of one level less than `depth`
    for (std::uint32_t depth = 3; depth <= size.depth && !control_.stopped(); ++depth) {
        const Size here = Size{depth, size.leaves}.fitted();
        if (level == 0) root_ = {std::min(whole, pair.upper), pair.upper, pair.plan};
        const Outcome found = solve(node, here, cost + 1, level);
        if (found.upper == cost) return split_first(node, here, cost, level, found.plan, whole);
        whole = found.lower;  // not what shallower trees cost, which is more
    }
    return std::nullopt;
}

std::optional<PartialTree> Search::first_of_equal_pairs(const Node& node, bool three_leaves, const Outcome& found) {
    if (!found.plan.is_pair()) return found.plan;
    const Stump stump = objective_.best_stump_within(node, control_);
    if (!stump.whole) return std::nullopt;
    return stump.cost == found.upper ? PartialTree::stump() : pairs_->first_of_equals(node, three_leaves, found);
}

std::optional<PartialTree> Search::split_first(const Node& node, Size size, Cost cost, std::size_t level,
                                               PartialTree known, Cost whole) {
    if (control_.stopped()) return std::nullopt;
    std::size_t at;
    std::uint32_t position;
    if (begins_with_any_size(size)) {
        const std::optional<SolvedSplit> first = first_by_any_size(node, size, cost, level);
        if (!first) return std::nullopt;
        at = first->at;
        position = first->position;
    } else {
        const std::optional<Place> first = first_place(node, size, cost, level, known, whole);
        if (!first) return std::nullopt;
        at = first->at;
        position = level_at(level).profiles[at].position(first->split);
    }
    Node left, right;
    const Stack::Mark mark = stack_.mark();
    divide(objective_, node, at, position, stack_, goes_left_, left, right);
    std::optional<PartialTree> plan;
    const bool any = size.leaves == Size::kAny;
    for (std::uint32_t on_left = 1; !plan && on_left < (any ? 2 : size.leaves) && !control_.stopped(); ++on_left) {
        const Size of_left = any ? size.below() : Size{size.depth - 1, on_left}.fitted();
        const Size of_right = any ? size.below() : Size{size.depth - 1, size.leaves - on_left}.fitted();
        const Cost left_cost = solve(left, of_left, cost + 1, level + 1).upper;
        if (left_cost >= cost) continue;
        const Cost right_cost = solve(right, of_right, cost - left_cost + 1, level + 1).upper;
        if (left_cost + right_cost != cost) continue;
        const auto below_left = first_of_equals(left, of_left, left_cost, level + 1);
        const auto below_right = first_of_equals(right, of_right, right_cost, level + 1);
        if (!below_left || !below_right) break;
        plan = remember(node, at, position, *below_left, *below_right);
    }
    stack_.release(mark);
    return plan;
}

std::optional<Search::Place> Search::first_place(const Node& node, Size size, Cost cost, std::size_t level,
                                                 PartialTree known, Cost whole) {
    reopen_profiles(node, size, level, whole);
    Level& here = level_at(level);
    Hunt hunt{node, size, cost + 1, level, here, Outcome{}};
    hunt.equals = true;
    if (known.kind() == PartialTree::Kind::node) {
        const TreePoolNode top = store_->planted(known);
        const auto at = static_cast<std::size_t>(std::find(node.columns.begin(), node.columns.end(), top.column) -
                                                 node.columns.begin());
        const IntervalBounds& profile = here.profiles[at];
        std::uint32_t split = 1;
        while (table_.rank_of(top.column, row_of(node.orders[at][profile.position(split)])) < top.rank) ++split;
        hunt.first = {at, split};
    }
    search_splits(hunt);
    if (control_.stopped() || hunt.first.at >= node.columns.size()) return std::nullopt;
    return hunt.first;
}

}  // namespace treewright::ranked
