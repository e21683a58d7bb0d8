// The search of one front: what is known of a set of rows, its splits, and both sides of each.
#include "treewright/search/front.hpp"

#include "space/row_values.hpp"

#include <algorithm>

namespace treewright::binary {

template <class Acc>
FrontSearch<Acc>::FrontSearch(const Dataset& data, const Settings& settings, Control& control)
    : data_(data),
      settings_(settings),
      control_(control),
      k_(static_cast<std::size_t>(settings.max_leaves)),
      cache_(data.n_words, control.limits().bytes, 2 * k_ * sizeof(Acc)),
      subproblems_(data, settings.options.kernel, settings.min_count > 0, control, control.limits().bytes),
      arena_(subproblems_.arena()),
      guessing_(!data.guess.empty()) {
    if (!settings.options.cache) cache_.disable();
    const Node& all = subproblems_.root();
    root_key_.pattern = arena_.take<std::uint64_t>(all.key.size());
    std::copy(all.key.begin(), all.key.end(), root_key_.pattern.begin());
    root_key_.depth = depth_of(settings.max_depth, data.n_columns);
    root_key_.hash = cache_.hash(root_key_.pattern.data(), root_key_.depth);
    root_ = new_front(k_, true);
}

// Everything done to one subproblem is on this page.
template <class Acc>
void FrontSearch<Acc>::solve(const Node& node, const Key& key, std::span<const Acc> goal, Front& known) {
    const std::int64_t steps_before = control_.steps();
    const bool stop = control_.step(node.work());
    ArenaScope scope(arena_);
    const ChildCosts<Acc> costs = scan(node);
    if (control_.over()) return know_leaf(node, known);
    solve_few_leaves(node, key.depth, costs, known);
    const auto target = arena_.take<Acc>(known.size());
    if (!stop && set_targets(known, goal, target)) {
        std::size_t most = known.size();  // leaves that matter here
        while (target[most - 1] == 0) --most;
        const std::span<Candidate> all = candidates(node, key.depth, costs, most);
        if (control_.over()) return;
        for (const Candidate& candidate : all) improve(node, candidate, known);
        for (Candidate& candidate : all) {
            if (control_.stopped() || !set_targets(known, goal, target)) break;
            search_split(node, candidate, goal, target, known);
            if (&node == &subproblems_.root()) announce();
        }
        bound_by_children(all, known);
    }
    store(key, known, steps_before);
}

// Searches the two sides of a split, for the leaves at which it may still help.
template <class Acc>
void FrontSearch<Acc>::search_split(const Node& node, Candidate& candidate, std::span<const Acc> goal,
                                    std::span<Acc> target, Front& known) {
    ArenaScope scope(arena_);
    Sides<Acc> sides;
    const std::size_t most = candidate.front[0].size();
    std::span<Acc> child_goal[2] = {arena_.take<Acc>(most), arena_.take<Acc>(most)};
    for (int side : {0, 1})
        if (!candidate.front[side].is_exact()) recall(candidate.child[side], candidate.front[side]);
    improve(node, candidate, known);
    while (set_targets(known, goal, target) && !control_.stopped()) {
        const bool open[2] = {set_goal(target, candidate.front[0], candidate.front[1], child_goal[0]),
                              set_goal(target, candidate.front[1], candidate.front[0], child_goal[1])};
        if (!open[0] && !open[1]) return;
        const auto gap = [&](int side) {
            double sum = 0;  // that many costs may pass the range of Acc
            for (std::size_t l = 0; l < most; ++l)
                if (child_goal[side][l] > 0)
                    sum += static_cast<double>(candidate.front[side].upper[l] - candidate.front[side].lower[l]);
            return sum;
        };
        const int side = open[0] && (!open[1] || gap(0) <= gap(1)) ? 0 : 1;
        const Key& key = candidate.child[side];
        const Node child = subproblems_.make_child(node, candidate.column, side, key.pattern, key.depth > 2, sides);
        solve(child, key, child_goal[side], candidate.front[side]);
        improve(node, candidate, known);
    }
}

// Fast trees for every number of leaves: the split whose sides look best, and again in both sides, each with a share of
// the leaves.
template <class Acc>
void FrontSearch<Acc>::dive(const Node& node, const Key& key, Front& known) {
    const std::int64_t steps_before = control_.steps();
    const bool stop = control_.step(node.work());
    ArenaScope scope(arena_);
    const ChildCosts<Acc> costs = scan(node);
    if (control_.over()) return know_leaf(node, known);
    solve_few_leaves(node, key.depth, costs, known);
    if (!stop && known.size() > 3 && !known.is_exact()) {
        const std::span<Candidate> all = candidates(node, key.depth, costs, known.size());
        if (control_.over()) return;
        for (const Candidate& candidate : all) improve(node, candidate, known);
        if (!all.empty()) {
            Candidate& best = all.front();
            Sides<Acc> sides;
            const auto loss = [&](int side) { return static_cast<double>(best.front[side].upper[0]); };
            for (int side : {0, 1}) {
                const Key& below_key = best.child[side];
                Front& front = best.front[side];
                if (front.is_exact()) continue;
                const double share = loss(side) / (loss(0) + loss(1)) * static_cast<double>(front.size());
                const std::size_t leaves = std::min(front.size(), static_cast<std::size_t>(share) + 2);
                Front few{front.lower.first(leaves), front.upper.first(leaves), {}};
                dive(subproblems_.make_child(node, best.column, side, below_key.pattern, below_key.depth > 2, sides),
                     below_key, few);
                for (std::size_t l = leaves; l < front.size(); ++l)
                    front.upper[l] = std::min(front.upper[l], few.upper.back());
            }
            improve(node, best, known);
        }
    }
    store(key, known, steps_before);
}

// What the best tree of each number of leaves must cost less than to be worth a search; 0 where nothing is asked. False
// if nothing is.
template <class Acc>
bool FrontSearch<Acc>::set_targets(const Front& known, std::span<const Acc> goal, std::span<Acc> target) const {
    bool any = false;
    for (std::size_t l = 0; l < target.size(); ++l) {
        const Acc least = std::min(goal[l], known.upper[l]);
        target[l] = known.lower[l] < least ? least : 0;
        any |= target[l] > 0;
    }
    return any;
}

// F2: what one side of a split must cost less than, given the other side's lower bounds. False if nothing is open.
template <class Acc>
bool FrontSearch<Acc>::set_goal(std::span<const Acc> target, const Front& mine, const Front& other,
                                std::span<Acc> goal) const {
    bool any = false;
    for (std::size_t p = 0; p < goal.size(); ++p) {
        goal[p] = 0;
        if (mine.lower[p] >= mine.upper[p]) continue;
        Acc best = 0;
        for (std::size_t q = 0; p + q < goal.size(); ++q) best = std::max(best, target[p + q + 1] - other.lower[q]);
        if (best <= mine.lower[p]) continue;
        goal[p] = settings_.options.budgets ? best : kNoGoal;
        any = true;
    }
    return any;
}

template <class Acc>
void FrontSearch<Acc>::improve(const Node& node, const Candidate& candidate, Front& known) const {
    const auto& zeros = candidate.front[0].upper;
    const auto& ones = candidate.front[1].upper;
    bool better = false;
    for (std::size_t p = 0; p < zeros.size(); ++p) {
        if (p > 0 && zeros[p] == zeros[p - 1]) continue;
        for (std::size_t q = 0; p + q < zeros.size(); ++q) {
            const Acc value = zeros[p] + ones[q];
            if (value >= known.upper[p + q + 1]) continue;
            known.upper[p + q + 1] = value;
            if (!known.choice.empty())
                known.choice[p + q + 1] = {node.active.columns[candidate.column], static_cast<std::int32_t>(p + 1)};
            better = true;
        }
    }
    if (!better) return;
    for (std::size_t l = 1; l < known.size(); ++l) {
        if (known.upper[l] <= known.upper[l - 1]) continue;
        known.upper[l] = known.upper[l - 1];
        if (!known.choice.empty()) known.choice[l] = known.choice[l - 1];
    }
}

// F3 and F4.
template <class Acc>
void FrontSearch<Acc>::bound_by_children(std::span<const Candidate> all, Front& known) {
    ArenaScope scope(arena_);
    if (all.empty()) {
        std::copy(known.upper.begin(), known.upper.end(), known.lower.begin());
        return;
    }
    const std::size_t most = all.front().front[0].size() + 1;
    const auto lowest = arena_.take<Acc>(most);
    std::copy_n(known.upper.begin(), most, lowest.begin());
    for (const Candidate& candidate : all) {
        const auto& zeros = candidate.front[0].lower;
        const auto& ones = candidate.front[1].lower;
        for (std::size_t p = 0; p < zeros.size(); ++p) {
            if (p > 0 && zeros[p] == zeros[p - 1]) continue;
            for (std::size_t q = 0; p + q < zeros.size(); ++q)
                lowest[p + q + 1] = std::min(lowest[p + q + 1], zeros[p] + ones[q]);
        }
    }
    for (std::size_t l = 0; l < most; ++l) known.lower[l] = std::max(known.lower[l], lowest[l]);
    for (std::size_t l = known.size() - 1; l-- > 0;) known.lower[l] = std::max(known.lower[l], known.lower[l + 1]);
}

// All that can be said without a matrix.
template <class Acc>
void FrontSearch<Acc>::know_leaf(const Node& node, Front& known) const {
    if (settings_.min_count > 0 && node.total.back() < settings_.min_count) return;
    for (Acc& upper : known.upper) upper = std::min(upper, subproblems_.cheapest(node));
}

// F1.
template <class Acc>
void FrontSearch<Acc>::solve_few_leaves(const Node& node, std::int32_t depth, const ChildCosts<Acc>& costs,
                                        Front& known) const {
    const bool feasible = settings_.min_count == 0 || node.total.back() >= settings_.min_count;
    Acc exact[4];
    Choice choice[4];
    exact[0] = feasible ? subproblems_.cheapest(node) : kInfeasible<Acc>;
    std::fill(exact + 1, exact + 4, exact[0]);
    const std::size_t most = depth == 0 ? 1 : depth == 1 ? 2 : 4;  // leaves
    for (std::size_t i = 0; i < node.pairs.size; ++i) {
        const Acc one[2] = {costs.leaf[0][i], costs.leaf[1][i]};
        const Acc two[2] = {std::min(one[0], costs.two[0][i]), std::min(one[1], costs.two[1][i])};
        const auto consider = [&](std::size_t leaves, Acc value, std::int32_t zeros) {
            if (leaves > most || value >= exact[leaves - 1]) return;
            exact[leaves - 1] = value;
            choice[leaves - 1] = {node.active.columns[i], zeros};
        };
        consider(2, one[0] + one[1], 1);
        consider(3, one[0] + two[1], 1);
        consider(3, two[0] + one[1], 2);
        consider(4, two[0] + two[1], 2);
    }
    for (std::size_t l = 1; l < 4; ++l)
        if (exact[l] >= exact[l - 1]) {
            exact[l] = exact[l - 1];
            choice[l] = choice[l - 1];
        }
    for (std::size_t l = 0; l < known.size(); ++l) {
        const std::size_t at = std::min<std::size_t>(l, 3);
        if (exact[at] < known.upper[l]) {
            known.upper[l] = exact[at];
            if (!known.choice.empty()) known.choice[l] = choice[at];
        }
        if (l < 3 || depth <= 2) known.lower[l] = std::max(known.lower[l], exact[at]);
    }
    if (guessing_) raise(known, sum_over(data_.guess, node.rows));
}

// Every split of the node with what is known of its sides, most promising first.
template <class Acc>
std::span<typename FrontSearch<Acc>::Candidate> FrontSearch<Acc>::candidates(const Node& node, std::int32_t depth,
                                                                             const ChildCosts<Acc>& costs,
                                                                             std::size_t most) {
    const std::size_t m = node.pairs.size;
    const auto all = arena_.take<Candidate>(m);
    std::size_t n = 0;
    Pulse pulse(&control_);
    for (std::size_t i = 0; i < m; ++i) {
        if (pulse.after(m * node.pairs.n_channels)) return {};
        if (costs.leaf[0][i] >= kInfeasible<Acc> || costs.leaf[1][i] >= kInfeasible<Acc>) continue;
        Candidate& candidate = all[n++];
        candidate = {};
        candidate.column = static_cast<std::uint32_t>(i);
        for (int side : {0, 1}) {
            Front& front = candidate.front[side] = new_front(most - 1, false);
            start_front(costs, i, side, below(depth), front);
            if (front.is_exact()) continue;  // no need to know who it is
            candidate.child[side] = child_key(node, i, side, depth);
            cache_.prefetch(candidate.child[side].hash);
        }
    }
    const auto open = all.first(n);
    if (guessing_) guess_children(node, open);
    for (Candidate& candidate : open) {
        for (int side : {0, 1})
            if (!candidate.front[side].is_exact()) recall(candidate.child[side], candidate.front[side]);
        candidate.rank = candidate.front[0].upper.back() + candidate.front[1].upper.back();
    }
    std::sort(open.begin(), open.end(), [](const Candidate& a, const Candidate& b) {
        return a.rank != b.rank ? a.rank < b.rank : a.column < b.column;
    });
    return open;
}

// What the parent's matrix says of a child (F1).
template <class Acc>
void FrontSearch<Acc>::start_front(const ChildCosts<Acc>& costs, std::size_t column, int side, std::int32_t depth,
                                   Front& front) const {
    const Acc one = costs.leaf[side][column];
    const Acc two = depth == 0 ? one : std::min(one, costs.two[side][column]);
    const bool may_split_twice = depth > 1 && costs.two[side][column] < kInfeasible<Acc>;
    front.upper[0] = front.lower[0] = one;
    for (std::size_t l = 1; l < front.size(); ++l) {
        front.upper[l] = two;
        front.lower[l] = l == 1 || !may_split_twice ? two : 0;
    }
}

// A guess is no bound above a tree that is there.
template <class Acc>
void FrontSearch<Acc>::raise(Front& front, std::int64_t guess) const {
    for (std::size_t l = 0; l < front.size(); ++l)
        front.lower[l] = std::max(front.lower[l], static_cast<Acc>(std::min<std::int64_t>(guess, front.upper[l])));
}

template <class Acc>
void FrontSearch<Acc>::guess_children(const Node& node, std::span<Candidate> open) {
    ArenaScope scope(arena_);
    const auto by_column = arena_.take<std::int64_t>(data_.n_words * 64);
    sum_by_column(data_, data_.guess, node.rows, node.active.mask, by_column);
    const std::int64_t all = sum_over(data_.guess, node.rows);
    for (Candidate& candidate : open) {
        const std::int64_t ones = by_column[static_cast<std::size_t>(node.active.columns[candidate.column])];
        raise(candidate.front[0], all - ones);
        raise(candidate.front[1], ones);
    }
}

template <class Acc>
ChildCosts<Acc> FrontSearch<Acc>::scan(const Node& node) {
    ChildCosts<Acc> costs;
    for (int side : {0, 1}) {
        costs.leaf[side] = arena_.take<Acc>(node.pairs.stride).data();
        costs.two[side] = arena_.take<Acc>(node.pairs.stride).data();
    }
    subproblems_.scan(node, settings_.min_count, costs);
    return costs;
}

template <class Acc>
typename FrontSearch<Acc>::Front FrontSearch<Acc>::new_front(std::size_t leaves, bool with_choice) {
    Front front{arena_.take<Acc>(leaves), arena_.take<Acc>(leaves), {}};
    std::fill(front.lower.begin(), front.lower.end(), Acc{0});
    std::fill(front.upper.begin(), front.upper.end(), kInfeasible<Acc>);
    if (with_choice) {
        front.choice = arena_.take<Choice>(leaves);
        std::fill(front.choice.begin(), front.choice.end(), Choice{});
    }
    return front;
}

// An unlimited depth is one that K leaves cannot pass.
template <class Acc>
std::int32_t FrontSearch<Acc>::depth_of(std::int32_t depth, std::size_t n_columns) const {
    return depth_for(depth, std::min(n_columns, k_ - 1));
}

template <class Acc>
typename FrontSearch<Acc>::Key FrontSearch<Acc>::child_key(const Node& node, std::size_t column, int side,
                                                           std::int32_t depth) {
    const ChildPattern pattern = subproblems_.child_pattern(node, column, side);
    const std::int32_t here = depth_of(below(depth), node.pairs.size - pattern.n_fixed);
    return {pattern.key, cache_.hash(pattern.key.data(), here), here};
}

template <class Acc>
void FrontSearch<Acc>::recall(const Key& key, Front& front) {
    const Entry* entry = cache_.find(key.pattern.data(), key.depth, key.hash);
    if (entry == nullptr) return;
    const Acc* lower = cache_.payload<Acc>(entry);
    const Acc* upper = lower + k_;
    for (std::size_t l = 0; l < front.size(); ++l) {
        front.lower[l] = std::max(front.lower[l], lower[l]);
        front.upper[l] = std::min(front.upper[l], upper[l]);
    }
}

// Merges what is newly known into the entry.
template <class Acc>
void FrontSearch<Acc>::store(const Key& key, const Front& front, std::int64_t steps_before) {
    const auto work = static_cast<std::uint32_t>(std::min<std::int64_t>(control_.steps() - steps_before, 0xffffff));
    Entry* entry = cache_.find(key.pattern.data(), key.depth, key.hash);
    if (entry == nullptr) {
        entry = cache_.insert(key.pattern.data(), key.hash,
                              {front.lower.back(), front.upper.back(), key.depth, Entry::kLeaf, 0});
        if (entry == nullptr) return;
        Acc* upper = cache_.payload<Acc>(entry) + k_;
        std::fill(upper, upper + k_, front.upper.back());
        std::copy(front.upper.begin(), front.upper.end(), upper);
    }
    entry->work += work;
    Acc* lower = cache_.payload<Acc>(entry);
    Acc* upper = lower + k_;
    for (std::size_t l = 0; l < front.size(); ++l) {
        lower[l] = std::max(lower[l], front.lower[l]);
        upper[l] = std::min(upper[l], front.upper[l]);
    }
    cache_.limit_to(control_.limits().bytes - std::min(control_.limits().bytes, arena_.bytes()));
    control_.bytes(bytes());
}

template class FrontSearch<std::int32_t>;
template class FrontSearch<std::int64_t>;

}  // namespace treewright::binary
