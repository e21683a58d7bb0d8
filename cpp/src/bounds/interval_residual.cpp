// Rule S of interval_bounds.hpp at work: the rows between two solved splits.
#include "treewright/search/ranked_search.hpp"

#include <algorithm>

namespace treewright::ranked {

Search& Search::losses() {
    if (objective_.leaf_penalty() == 1) return *this;
    if (losses_ == nullptr) {
        free_leaves_ = objective_.with_leaf_penalty(1);
        losses_.reset(new Search(*free_leaves_, options_, control_, bytes_ / 8, store_->losses()));
    }
    losses_->beside_ = beside_ + store_->bytes();
    return *losses_;
}

bool Search::rows_between_may_close(const Hunt& hunt, const Question& question) {
    const IntervalBounds& profile = hunt.here.profiles[question.from.column];
    if (question.from.is_split || !options_.between || !objective_.laws().superadditive || !profile.monotone() ||
        !pairs_->worth_sharing(hunt.node))
        return false;
    const SplitBounds &a = question.before, &b = question.behind;
    const std::uint32_t n_between = profile.position(b.split) - profile.position(a.split);
    const Cost need = question.target - a.left - b.right;
    // The rows add no more than the optima of the two sides differ by, and less when they are taken in parts.
    const Cost most = std::min(b.left - a.left, a.right - b.right);
    if (n_between > hunt.node.n / 2 || static_cast<double>(need) > kPartOfErrors * static_cast<double>(most))
        return false;
    return losses().objective_.leaf_penalty() < need / hunt.size.below().max_leaves(n_between);
}

Cost Search::rows_between_add(const Hunt& hunt, const Question& question) {
    const Node& node = hunt.node;
    const IntervalBounds& profile = hunt.here.profiles[question.from.column];
    const SplitBounds &a = question.before, &b = question.behind;
    const std::uint32_t begin = profile.position(a.split), end = profile.position(b.split);
    const Cost need = question.target - a.left - b.right;
    const Size below = hunt.size.below();
    Search& free = losses();
    // What the leaves of a tree of these rows cost, at most.
    const Cost penalties = below.max_leaves(end - begin) * free.objective_.leaf_penalty();
    Level& own = level_at(hunt.level);

    const Stack::Mark mark = stack_.mark();
    extract(objective_, node, question.from.column, begin, end, stack_, goes_left_, own.between);
    const auto& columns = own.between.columns;
    const auto column = static_cast<std::size_t>(
        std::find(columns.begin(), columns.end(), node.columns[question.from.column]) - columns.begin());
    const auto loss_of = [&](const Node& rows, Cost enough) {
        return std::max<Cost>(free.solve(rows, below, enough + penalties, hunt.level + 1).lower - penalties, 0);
    };
    const auto loss = [&](std::uint32_t first, std::uint32_t last, Cost enough) {  // of rows first .. last - 1
        if (last - first < 2 || enough <= 0) return Cost{0};
        const Stack::Mark inner = stack_.mark();
        extract(objective_, own.between, column, first - begin, last - begin, stack_, goes_left_, own.part);
        const Cost result = loss_of(own.part, enough);
        stack_.release(inner);
        return result;
    };
    // Of splits first .. last: `left` is what the rows before the first add, `right` what those after the last add.
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
    Cost sum = 0;
    if (loss_of(own.between, need) >= need) {  // else parts of them cannot do it
        const Cost left = loss(begin, profile.position(question.gap.first), need);
        const Cost right = loss(profile.position(question.gap.last), end, need - left);
        sum = add(add, question.gap.first, question.gap.last, left, right, kHalvings);
    }
    stack_.release(mark);
    return sum;
}

}  // namespace treewright::ranked
