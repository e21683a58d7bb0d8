// Rule S of interval_bounds.hpp at work: the rows between two solved cuts.
#include "treewright/search/ranked_search.hpp"

#include <algorithm>
#include <memory>

namespace treewright::ranked {

Search& Search::losses() {
    if (objective_.leaf_penalty() == 1) return *this;
    if (losses_ == nullptr) {
        free_leaves_ = objective_.with_leaf_penalty(1);
        losses_ = std::make_unique<Search>(*free_leaves_, options_, control_, bytes_ / 8);
    }
    losses_->beside_ = beside_ + bytes() - losses_->bytes();
    return *losses_;
}

bool Search::rows_between_close(const Node& node, Size size, Level& here, std::size_t at, std::size_t point,
                                const Gap& gap, Cost target, std::size_t level) {
    IntervalBounds& profile = here.profiles[at];
    if (!options_.between || !objective_.laws().superadditive || !profile.monotone() || !pairs_->worth_sharing(node)) return false;
    const SplitBounds &a = profile.points()[point], &b = profile.points()[point + 1];
    const std::uint32_t begin = profile.position(a.cut), end = profile.position(b.cut);
    const Cost need = target - a.left - b.right;
    // The rows add no more than the optima of the two sides differ by, and less when they are taken in parts.
    const Cost most = std::min(b.left - a.left, a.right - b.right);
    if (end - begin > node.n / 2 || static_cast<double>(need) > kPartOfErrors * static_cast<double>(most)) return false;
    const Size below = size.below();
    Search& free = losses();
    const Cost most_leaves = below.most_leaves(end - begin);
    if (free.objective_.leaf_penalty() >= need / most_leaves) return false;
    const Cost price = most_leaves * free.objective_.leaf_penalty();  // what the leaves of a tree of these rows cost, at most

    const Stack::Mark mark = stack_.mark();
    extract(objective_, node, at, begin, end, stack_, goes_left_, here.between);
    const auto& columns = here.between.columns;
    const auto column = static_cast<std::size_t>(std::find(columns.begin(), columns.end(), node.columns[at]) -
                                                 columns.begin());
    const auto loss_of = [&](const Node& rows, Cost enough) {
        return std::max<Cost>(free.solve(rows, below, enough + price, level + 1).lower - price, 0);
    };
    const auto loss = [&](std::uint32_t first, std::uint32_t last, Cost enough) {  // of rows first .. last - 1
        if (last - first < 2 || enough <= 0) return Cost{0};
        const Stack::Mark inner = stack_.mark();
        extract(objective_, here.between, column, first - begin, last - begin, stack_, goes_left_, here.part);
        const Cost result = loss_of(here.part, enough);
        stack_.release(inner);
        return result;
    };
    // Of cuts first .. last: `left` is what the rows before the first add, `right` what those after the last add.
    const auto add = [&](const auto& self, std::uint32_t first, std::uint32_t last, Cost left, Cost right,
                         int halvings) -> Cost {
        if (left + right >= need || first == last || halvings == 0 || control_.stopped()) return left + right;
        const std::uint32_t middle = first + (last - first) / 2;
        const Cost after = std::max(right, loss(profile.position(middle), end, need - left));
        const Cost one = self(self, first, middle, left, after, halvings - 1);
        if (one < need) return left + right;
        const Cost before = std::max(left, loss(begin, profile.position(middle + 1), need - right));
        return std::min(one, self(self, middle + 1, last, before, right, halvings - 1));
    };
    if (loss_of(here.between, need) >= need) {  // else parts of them cannot do it
        const Cost left = loss(begin, profile.position(gap.first), need);
        const Cost right = loss(profile.position(gap.last), end, need - left);
        profile.add_between(point, add(add, gap.first, gap.last, left, right, kHalvings));
    }
    stack_.release(mark);
    if (profile.gap(point, target).open()) return false;
    ++statistics_.gaps_closed;
    return true;
}

}  // namespace treewright::ranked
