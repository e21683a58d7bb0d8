// Pass 2: the cheapest tree of which every leaf meets the target.
#include "treewright/leaf_accuracy/search.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <span>
#include <utility>

namespace treewright::leaf_accuracy {

Cheapest Search::least(const Node& node, std::uint32_t depth, Cost budget, std::size_t level) {
    const Cost own = cost_of(node.leaf()), split = 2 * rates_->leaf;  // a split has two leaves at least
    if (depth == 0 || node.n() < 2 * data_.min_leaf || own <= split) return {own, own, PartialTree::leaf()};
    if (split >= budget) return {split, own, PartialTree::leaf()};
    if (options_.cache) {
        const Cheapest known = cheapest_.find(node.key, Size{depth});
        if (known.lower >= budget || known.lower == known.upper) {
            ++statistics_.cache_hits;
            return known;
        }
    }
    const Cheapest found = depth == 1 ? cheapest_stump(node, level) : cheapest_below(node, depth, budget, level);
    if (options_.cache) {
        watch_memory();
        Cheapest& kept = cheapest_.at(node.key, Size{depth}, static_cast<std::uint32_t>(node.n()));
        kept.lower = std::max(kept.lower, found.lower);
        kept.relaxed = std::max(kept.relaxed, found.relaxed);
        if (found.upper < kept.upper) {
            kept.upper = found.upper;
            kept.plan = found.plan;
        }
    }
    return found;
}

Cheapest Search::cheapest_below(const Node& node, std::uint32_t depth, Cost budget, std::size_t level) {
    const Cost split = 2 * rates_->leaf;
    Cheapest best{split, cost_of(node.leaf()), PartialTree::leaf()};
    if (control_.step(work(node))) return best;
    done_ += work(node);
    Level& here = level_at(level);
    const Cheapest pair = weigh_costs(node, std::min(best.upper, budget), depth == 2 && level > 0, level);
    const PairAnswer& costs = here.costs;
    if (pair.upper < best.upper) {
        best.upper = pair.upper;
        best.plan = pair.plan;
    }
    if (depth == 2) return {std::min(best.upper, std::max(split, pair.lower)), best.upper, best.plan, pair.relaxed};

    here.boxes.size = 0;  // the table belongs to pass 1
    // What a side needs is a tree that meets the target: the cost says only whether one split does.
    const auto hint = [](Count cost) { return cost < kNoCost ? 0 : 1; };
    here.pairs.left.resize(costs.left.size());
    here.pairs.right.resize(costs.right.size());
    std::transform(costs.left.begin(), costs.left.end(), here.pairs.left.begin(), hint);
    std::transform(costs.right.begin(), costs.right.end(), here.pairs.right.begin(), hint);
    const std::vector<ColumnOfPairs> columns = by_promise(costs);
    const std::size_t n_threads = level == 0 ? 1 + helpers_for(node, depth).size() : 1;
    std::vector<std::vector<std::size_t>> meeting;  // of the first columns
    Cost lower = best.upper;
    for (std::size_t c = 0; c < columns.size() && !control_.stopped(); ++c) {
        const ColumnOfPairs& at = columns[c];
        open_column(node, at.column, here.column);
        if (n_threads == 1) {
            meeting.push_back(meeting_splits(node, depth, level, at));
        } else if (c == meeting.size()) {  // a column for each thread, then all others: a limit comes to cheaper trees
            const std::size_t some = c == 0 ? std::min(n_threads, columns.size()) : columns.size() - c;
            for (auto& of_column : meeting_together(node, depth, std::span(columns).subspan(c, some)))
                meeting.push_back(std::move(of_column));
        }
        // The cheapest by the kernels first, of equals the first.
        std::vector<std::size_t>& splits = meeting[c];
        std::sort(splits.begin(), splits.end(), [&](std::size_t a, std::size_t b) {
            return std::pair(costs.sum(at.first + a), a) < std::pair(costs.sum(at.first + b), b);
        });
        here.left_floor.assign(at.count, rates_->kernel.leaf);
        here.right_floor.assign(at.count, rates_->kernel.leaf);
        for (const std::size_t i : splits) {
            if (control_.stopped()) break;
            lower = std::min(lower, weigh_split(node, at.column, i, depth, budget, level, best));
        }
    }
    if (control_.stopped()) lower = std::min(lower, split);
    best.lower = std::min(lower, best.upper);
    return best;
}

std::vector<std::size_t> Search::meeting_splits(const Node& node, std::uint32_t depth, std::size_t level,
                                                const ColumnOfPairs& at) {
    Level& here = level_at(level);
    std::vector<std::size_t> meeting;
    std::unique_lock<std::mutex> alone;
    while (!control_.stopped()) {
        std::optional<Question> question = next_split(here.column);
        if (!question) break;
        describe(*question, at, here.pairs, here.boxes);
        ask(node, depth, level, here.column, *question, alone);
        if (here.column.met(question->at)) meeting.push_back(question->at);
    }
    return meeting;
}

Cost Search::weigh_split(const Node& node, std::uint32_t column, std::size_t split, std::uint32_t depth, Cost budget,
                         std::size_t level, Cheapest& best) {
    Level& here = level_at(level);
    const Cost target = std::min(best.upper, budget);
    make_sides(node, here.column, split, here);
    const bool left_first = here.left_node.n() <= here.right_node.n();
    const Node &first = left_first ? here.left_node : here.right_node,
               &second = left_first ? here.right_node : here.left_node;
    const auto known = [&](const Node& side, bool is_left) {
        const Cost floor = lower_of(is_left ? here.left_floor[split] : here.right_floor[split], side);
        const Cost kept = options_.cache ? cheapest_.find(side.key, Size{depth - 1}).lower : 0;
        return std::max({floor, rates_->leaf, kept});
    };
    Cost first_lower = known(first, left_first), second_lower = known(second, !left_first);
    if (first_lower + second_lower >= target) return first_lower + second_lower;
    const Cheapest a = least(first, depth - 1, target - second_lower, level + 1);
    first_lower = std::max(first_lower, a.lower);
    raise_floors(here, split, left_first, a.relaxed);
    if (first_lower + second_lower >= target) return first_lower + second_lower;
    const Cheapest b = least(second, depth - 1, target - first_lower, level + 1);
    second_lower = std::max(second_lower, b.lower);
    raise_floors(here, split, !left_first, b.relaxed);
    if (a.upper < kNoTree && b.upper < kNoTree && a.upper + b.upper < best.upper) {
        best.upper = a.upper + b.upper;
        const PartialTree left = left_first ? a.plan : b.plan, right = left_first ? b.plan : a.plan;
        best.plan = remember({column, here.column.sorted.splits[split].rank, left, right});
    }
    return first_lower + second_lower;
}

Cheapest Search::weigh_costs(const Node& node, Cost budget, bool asks_relaxed, std::size_t level) {
    ++statistics_.pair_costs;
    Level& here = level_at(level);
    PairAnswer& costs = here.costs;
    Cheapest best;
    const auto settle = [&](std::size_t i) {  // in full; the new budget
        const Cheapest found = cheapest_pair(node, costs.splits[i], level);
        if (found.upper < best.upper) {
            best.upper = found.upper;
            best.plan = found.plan;
        }
        return rates_->sum(std::min(best.upper, budget), data_, node.n());
    };
    Count limit = rates_->sum(budget, data_, node.n());
    const bool dense = is_dense(node);
    if (!dense) {
        sweeper_.solve_costs(node, target(), rates_->kernel, limit, costs, best.relaxed,
                             rates_->exact ? PairSweeper::Settle() : PairSweeper::Settle(settle));
    } else {
        pairs_.solve(node, target(), &rates_->kernel, control_, costs);
        if (control_.stopped() && costs.splits.empty()) return best;
        if (asks_relaxed) {
            pairs_.solve_again(node, Target::none(), &rates_->kernel, control_, here.relaxed);
            best.relaxed =
                std::min(rates_->kernel.unit * (node.total - node.largest) + rates_->kernel.leaf, here.relaxed.least);
        }
    }
    if (rates_->exact) {  // the kernels' sums are the costs
        const std::size_t pair = costs.best();
        best.lower = lower_of(costs.least, node);
        if (pair < costs.splits.size() && costs.sum(pair) < limit) settle(pair);
    } else if (dense) {  // from the least sum on, until none can be below the best
        std::vector<std::size_t> order(costs.splits.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return costs.sum(a) < costs.sum(b); });
        costs.least = kNoCost;
        for (const std::size_t i : order) {
            if (costs.sum(i) >= limit || control_.poll()) {
                costs.least = costs.sum(i);
                break;
            }
            limit = std::min(limit, settle(i));
        }
        best.lower = lower_of(costs.least, node);
    } else {
        best.lower = lower_of(costs.least, node);
    }
    return best;
}

void Search::raise_floors(Level& here, std::size_t at, bool is_left, Count relaxed) const {
    if (!options_.propagate || relaxed <= rates_->kernel.leaf) return;
    std::vector<Count>& floors = is_left ? here.left_floor : here.right_floor;
    for (std::size_t i = 0; i < floors.size(); ++i) {
        const bool holds_more = (i > at) == is_left;
        const Count weight = holds_more ? 0 : std::abs(here.column.left_weight[i] - here.column.left_weight[at]);
        const Count less = rates_->kernel.unit * weight;  // at most kMaxKernel of pair_solver.cpp; 0 beside dear leaves
        if (relaxed >= less) floors[i] = std::max(floors[i], relaxed - less);
    }
}

Cheapest Search::cheapest_pair(const Node& node, const PairAnswer::Split& root, std::size_t level) {
    Level& here = level_at(level);
    open_split(node, root, level);
    const Cheapest left = cheapest_stump(here.left_node, level + 1);
    if (left.upper >= kNoTree) return {};
    const Cheapest right = cheapest_stump(here.right_node, level + 1);
    if (right.upper >= kNoTree) return {};
    return {0, left.upper + right.upper, remember({root.column, root.rank, left.plan, right.plan})};
}

Cost Search::cost_of(const Leaf& leaf) const {
    return deficit(leaf) > 0 ? kNoTree
                             : rates_->unit * static_cast<Cost>(leaf.value.weight - leaf.value.correct) + rates_->leaf;
}

}  // namespace treewright::leaf_accuracy
