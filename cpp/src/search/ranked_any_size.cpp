// Trees whose leaves have a least size, by way of trees with leaves of any size.
//
// Let r(S, d) be the least cost of a tree of depth d over the rows S, c(S, d) that of a tree whose leaves have at least
// `min_leaf` rows. The second kind is part of the first, so c >= r, and a split of (S, d) with c(L) + c(R) < T has r(L)
// + r(R) < T. The rules of nested sets (interval_bounds.hpp) hold for r and not for c: with their help a second search
// finds the splits that are open by r, each with r(L) and r(R) (ranked_within.cpp), and only these are solved with
// leaves of the least size.
//
// At the root T rises from r to the cost of the best tree known: trees found on the way save the splits above.
#include "treewright/search/ranked_search.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>

namespace treewright::ranked {

namespace {

constexpr std::array kRisingParts{16, 4, 1};  // of what lies between r and the best tree known

}  // namespace

bool Search::may_begin_with_any_size(Size size) const {
    return options_.any_size && table_.min_leaf > 1 && objective_.laws().monotone && size.depth >= 3 &&
           size.leaves == Size::kAny;
}

Search& Search::any_size() {
    if (any_size_ == nullptr) {
        std::vector<std::uint32_t> rows(table_.n_rows);
        std::iota(rows.begin(), rows.end(), 0u);
        any_size_objective_ = objective_.part(rows, objective_.leaf_penalty());
        any_size_.reset(new Search(*any_size_objective_, options_, control_, bytes_ / 4));
    }
    any_size_->beside_ = beside_ + store_->all_bytes() + 2 * sizeof(std::uint32_t) * table_.rank.size();
    return *any_size_;
}

std::vector<SolvedSplit> Search::open_by_any_size(const Node& node, Size size, Cost target) {
    std::vector<SolvedSplit> found;
    any_size().splits_within(node, size.depth, target - 1, false, found);
    std::erase_if(found, [&](const SolvedSplit& split) {
        return split.position < table_.min_leaf || node.n - split.position < table_.min_leaf;
    });
    return found;
}

// Not `evaluate` (ranked_splits.cpp), which also solves the two sides of a split: there the bounds of the sides go into
// the profile of a column and close gaps beside it, so each side is asked for more than the target needs (slack,
// shares, leaves on either side) and knows its neighbours. Here no profile is told, nothing beside the split gains, and
// both sides are asked for what the target needs and no more. In common are `divide` and which side comes first.
//
// A side that is solved within its budget has its optimum below that, or a bound that is no less. So a sum below
// `target` is that of two optima, which the split then has.
Outcome Search::solve_sides(const Node& node, SolvedSplit& split, Size size, Cost target, std::size_t level) {
    Level& own = level_at(level);
    const Stack::Mark mark = stack_.mark();
    divide(objective_, node, split.at, split.position, stack_, goes_left_, own.left, own.right);
    watch_memory();
    const bool left_first = own.left.n >= own.right.n;
    Node& first_node = left_first ? own.left : own.right;
    Node& second_node = left_first ? own.right : own.left;
    const Cost second_bound = left_first ? split.right : split.left;
    Cost& first_cost = left_first ? split.left : split.right;
    Cost& second_cost = left_first ? split.right : split.left;
    const Outcome first = solve(first_node, size.below(), target - second_bound, level + 1);
    Outcome sum{first.lower + second_bound, kNoCost, PartialTree::leaf()};
    if (sum.lower < target) {
        const Outcome second = solve(second_node, size.below(), target - first.lower, level + 1);
        sum.lower = first.lower + std::max(second.lower, second_bound);
        if (sum.lower < target) {
            first_cost = first.lower;
            second_cost = std::max(second.lower, second_bound);
        }
        if (first.upper + second.upper < target) {
            const auto& [left, right] = left_first ? std::tie(first, second) : std::tie(second, first);
            sum.offer(first.upper + second.upper, remember(node, split.at, split.position, left.plan, right.plan));
        }
    }
    stack_.release(mark);
    return sum;
}

Cost Search::search_by_any_size(Hunt& hunt) {
    Cost proven = objective_.leaf_penalty();
    const auto raise = [&](Cost bound) {
        proven = std::max(proven, std::min(bound, hunt.target()));
        if (hunt.last_round) control_.lower_bound(proven);
    };
    if (control_.stopped()) return proven;
    const Cost least = any_size().solve(hunt.node, hunt.size, hunt.target(), 1).lower;
    raise(least);
    for (const int part : kRisingParts) {
        if (hunt.level > 0 && part > 1) continue;
        const Cost target = hunt.target(), asked = std::min(target, least + (target - least) / part);
        if (proven >= asked) continue;
        if (control_.stopped()) break;
        std::vector<SolvedSplit> open = open_by_any_size(hunt.node, hunt.size, asked);
        if (control_.stopped()) break;
        std::sort(open.begin(), open.end(), [](const SolvedSplit& a, const SolvedSplit& b) {
            return std::tuple(a.left + a.right, a.at, a.position) < std::tuple(b.left + b.right, b.at, b.position);
        });
        Cost solved = kNoCost;
        for (SolvedSplit& split : open) {
            const Cost goal = hunt.target();
            if (split.left + split.right >= goal) break;
            raise(std::min({split.left + split.right, solved, asked}));
            const Outcome sum = solve_sides(hunt.node, split, hunt.size, goal, hunt.level);
            if (control_.stopped()) return proven;
            solved = std::min(solved, sum.lower);
            if (sum.upper < hunt.best.upper) {
                hunt.best.offer(sum.upper, sum.plan);
                if (hunt.of_all_rows) control_.incumbent(sum.upper);
            }
        }
        raise(std::min(asked, solved));
    }
    return proven;
}

std::optional<SolvedSplit> Search::first_by_any_size(const Node& node, Size size, Cost cost, std::size_t level) {
    std::vector<SolvedSplit> open = open_by_any_size(node, size, cost + 1);
    std::sort(open.begin(), open.end(), [](const SolvedSplit& a, const SolvedSplit& b) {
        return std::tuple(a.at, a.position) < std::tuple(b.at, b.position);
    });
    for (SolvedSplit& split : open) {
        if (control_.stopped()) break;
        if (solve_sides(node, split, size, cost + 1, level).upper == cost) return split;
    }
    return std::nullopt;
}

}  // namespace treewright::ranked
