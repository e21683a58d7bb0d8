// A good tree at once, and a bound that rises evenly, for problems that may not be finished.
//
// Depth-first search proves fast but answers late: its bound at the root stays low until most splits are done, and its
// tree is good only where it has been. So a run has phases, in the order of schedule.hpp, all on one cache:
//   1. one dive (greedy with a look two splits ahead), then the plain search for some thousand steps: most problems end
//      here; what remains without a depth limit, and has a small enough lattice, goes to the dense program
//      (dense_program.hpp);
//   2. dives with more and more discrepancies (Harvey and Ginsberg 1995): take the second, third, ... best split where
//      the first may have been wrong;
//   3. the plain search again and again with a rising budget (budget_rounds.hpp): each round proves the bound up to its
//      budget, or ends with the optimum. Rounds share the cache.
#pragma once

#include "space/row_values.hpp"
#include "treewright/search/binary_search.hpp"
#include "treewright/search/dense_program.hpp"

#include <algorithm>
#include <limits>

namespace treewright::binary {

namespace {
constexpr std::int64_t kDiveSteps = 2000;
constexpr int kMaxDiscrepancies = 3;
}  // namespace

template <class Acc>
Bounds Search<Acc>::run() {
    Bounds known = run_plain();
    if (!known.exact() && !control_.ended()) known = try_dense_program(known);
    return raise_bound(known, std::numeric_limits<std::int64_t>::max());
}

template <class Acc>
Bounds Search<Acc>::run_plain() {
    Bounds known{std::min(c_, leaf_cost(root_)), leaf_cost(root_)};
    if (control_.ended()) return known;
    if (options_.greedy_start) known.upper = dive(root_, root_depth_, 0);
    announce(known);
    std::int64_t alone = settings_.first_of_equals && !together_ ? options_.alone_steps : 0;
    alone = std::min(alone, options_.plain_steps);
    const auto go_on = [&](std::int64_t steps) {
        control_.pause_after(steps);
        const Bounds found = solve_root(kInfinity);
        control_.resume();
        known = {std::max(known.lower, found.lower), std::min(known.upper, found.upper)};
        announce(known);
    };
    if (alone > 0) go_on(alone);
    if (known.exact() || control_.ended()) return known;
    together_ = settings_.first_of_equals;
    if (options_.plain_steps > alone) go_on(options_.plain_steps - alone);
    return known;
}

template <class Acc>
Bounds Search<Acc>::try_dense_program(Bounds known) {
    if (!options_.lattice || root_depth_ != kUnlimited || settings_.min_count > 0) return known;
    const auto states = static_cast<std::size_t>(std::max<std::int64_t>(options_.lattice_states, 0));
    if (auto solved = solve_by_lattice(data_, settings_, states, control_)) {
        shape_ = std::move(solved->shape);
        known = {solved->value, solved->value};
        announce(known);
    }
    return known;
}

template <class Acc>
Bounds Search<Acc>::raise_bound(Bounds known, std::int64_t max_steps) {
    const std::int64_t before = control_.steps();
    const std::int64_t end = before + std::min(max_steps, std::numeric_limits<std::int64_t>::max() - before);
    const auto steps_left = [&] { return end - control_.steps(); };
    const auto open = [&] { return !known.exact() && !control_.ended() && steps_left() > 0; };
    while (open() && discrepancies_ < kMaxDiscrepancies && options_.greedy_start) {
        control_.pause_after(std::min(kDiveSteps, steps_left()));
        known.upper = std::min(known.upper, dive(root_, root_depth_, ++discrepancies_));
        control_.resume();
        announce(known);
    }
    while (open()) {
        const std::int64_t budget = rounds_.next(known.lower, known.upper), steps = control_.steps();
        control_.pause_after(steps_left());
        const Bounds found = solve_root(options_.budgets && budget < known.upper ? budget : kInfinity);
        control_.resume();
        known = {std::max(known.lower, found.lower), std::min(known.upper, found.upper)};
        if (known.lower >= budget) rounds_.done(known.lower, control_.steps() - steps);
        announce(known);
    }
    return known;
}

template <class Acc>
void Search<Acc>::use_prices(std::span<const std::int64_t> prices) {
    prices_ = prices;
    root_.price = sum_over(prices, root_.rows);
}

// Follows the split whose children look best, and with d discrepancies also the r-th best with d - r left. What it
// finds goes into the cache as upper bounds.
template <class Acc>
std::int64_t Search<Acc>::dive(const Node& node, std::int32_t depth, int discrepancies) {
    const std::int64_t steps_before = control_.steps();
    const std::int64_t leaf = leaf_cost(node);
    if (control_.step(node.work())) return leaf;
    ArenaScope scope(arena_);
    Children children = bound_children(node, depth);
    if (control_.over()) return leaf;
    Best best = best_of_depth_two(node, depth, children);
    const std::int64_t floor = floor_of_four_leaves(node);
    if (depth <= 2 || best.value <= floor)
        return finish(node, depth, {best.value, best.value}, best.feature, steps_before).upper;
    price_children(node, children);
    guess_children(node, children);
    const std::span<Candidate> open = candidates(node, depth, best.value, children);
    for (std::size_t rank = 0; rank < open.size() && rank <= static_cast<std::size_t>(discrepancies); ++rank) {
        const std::size_t i = open[rank].column;
        ArenaScope split_scope(arena_);
        Sides<Acc> sides;
        std::int64_t value = 0;
        for (int side : {0, 1}) {
            if (children.lower[side][i] < children.upper[side][i]) {
                const ChildKey& key = open[rank].child[side];
                const Node child = make_child(node, i, side, key, sides);
                children.upper[side][i] =
                    std::min(children.upper[side][i], dive(child, key.depth, discrepancies - static_cast<int>(rank)));
            }
            value += children.upper[side][i];
        }
        if (value < best.value) best = {value, node.active.columns[i]};
    }
    return finish(node, depth, {floor, best.value}, best.feature, steps_before).upper;
}

}  // namespace treewright::binary
