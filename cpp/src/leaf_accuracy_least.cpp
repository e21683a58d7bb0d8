// Pass 2: the cheapest tree of which every leaf meets the cut.
#include "treewright/leaf_accuracy/search.hpp"

#include <algorithm>
#include <cstdlib>

namespace treewright::leaf_accuracy {

Cheapest Search::least(const Node& node, std::uint32_t depth, Count budget, std::size_t level) {
    const Count own = price_of(node), split = 2 * price_->leaf;  // a split has two leaves at least
    if (depth == 0 || node.n() < 2 * data_.min_leaf || own <= split) return {own, own, kLeaf};
    if (split >= budget) return {split, own, kLeaf};
    if (const Entry* known = find(node, depth); known != nullptr) {
        const Cheapest& cheapest = known->cheapest;
        if (cheapest.lower >= budget || cheapest.lower == cheapest.upper) {
            ++statistics_.cache_hits;
            return cheapest;
        }
    }
    const Cheapest found = depth == 1 ? cheapest_stump(node, level) : least_below(node, depth, budget, level);
    if (options_.cache) {
        Cheapest& kept = entry(node, depth).cheapest;
        kept.lower = std::max(kept.lower, found.lower);
        kept.relaxed = std::max(kept.relaxed, found.relaxed);
        if (found.upper < kept.upper) {
            kept.upper = found.upper;
            kept.plan = found.plan;
        }
    }
    return found;
}

Cheapest Search::least_below(const Node& node, std::uint32_t depth, Count budget, std::size_t level) {
    const Count split = 2 * price_->leaf;
    Cheapest best{split, price_of(node), kLeaf};
    if (control_.step(work(node))) return best;
    Level& here = level_at(level);
    Count relaxed = 0;
    weigh_costs(node, std::min(best.upper, budget), depth == 2 && level > 0, here, relaxed);
    const PairAnswer& costs = here.costs;
    const std::size_t pair = costs.best();
    if (pair < costs.cuts.size() && costs.sum(pair) < best.upper) best = cheapest_pair(node, costs, level);
    if (depth == 2) return {std::min(best.upper, std::max(split, costs.least)), best.upper, best.plan, relaxed};

    here.boxes.size = 0;  // the table belongs to pass 1
    Count lower = best.upper;
    std::vector<std::size_t> meeting;
    for (const ColumnOfPairs& at : by_promise(costs)) {
        open_column(node, at.column, level);
        here.left_floor.assign(at.count, price_->leaf);
        here.right_floor.assign(at.count, price_->leaf);
        meeting.clear();
        here.stretches.assign(1, {0, at.count});
        while (!here.stretches.empty() && !control_.stopped()) {
            const auto [first, last] = here.stretches.back();
            here.stretches.pop_back();
            if (first == last) continue;
            const std::size_t middle = first + (last - first) / 2;
            here.stretches.push_back({first, middle});
            here.stretches.push_back({middle + 1, last});
            if (here.closed(middle)) continue;
            ask(node, depth, level, at.first, middle, {first, last}, costs.left[at.first + middle] < kNoCost ? 0 : 1,
                costs.right[at.first + middle] < kNoCost ? 0 : 1);
            if (here.left[middle].feasible && here.right[middle].feasible) meeting.push_back(middle);
        }
        std::stable_sort(meeting.begin(), meeting.end(), [&](std::size_t a, std::size_t b) {
            return costs.sum(at.first + a) < costs.sum(at.first + b);
        });
        for (const std::size_t i : meeting) {
            if (control_.stopped()) break;
            const Count target = std::min(best.upper, budget);
            make_sides(node, here, i);
            const bool left_first = here.left_node.n() <= here.right_node.n();
            const Node &first = left_first ? here.left_node : here.right_node,
                       &second = left_first ? here.right_node : here.left_node;
            const auto known = [&](const Node& side, bool is_left) {
                const Entry* entry = find(side, depth - 1);
                const Count floor = is_left ? here.left_floor[i] : here.right_floor[i];
                return std::max(floor, entry == nullptr ? 0 : entry->cheapest.lower);
            };
            Count first_lower = known(first, left_first), second_lower = known(second, !left_first);
            if (first_lower + second_lower < target) {
                const Cheapest a = least(first, depth - 1, target - second_lower, level + 1);
                first_lower = std::max(first_lower, a.lower);
                lift(here, i, left_first, a.relaxed);
                if (first_lower + second_lower < target) {
                    const Cheapest b = least(second, depth - 1, target - first_lower, level + 1);
                    second_lower = std::max(second_lower, b.lower);
                    lift(here, i, !left_first, b.relaxed);
                    if (a.upper < kNoCost && b.upper < kNoCost && a.upper + b.upper < best.upper) {
                        best.upper = a.upper + b.upper;
                        const Plan left = left_first ? a.plan : b.plan, right = left_first ? b.plan : a.plan;
                        best.plan = remember({at.column, here.sorted.cuts[i].rank, left, right});
                    }
                }
            }
            lower = std::min(lower, first_lower + second_lower);
        }
        if (control_.stopped()) {
            lower = std::min(lower, split);
            break;
        }
    }
    best.lower = std::min(lower, best.upper);
    return best;
}

// The depth-two step for costs; `relaxed`, where asked for, a lower bound of F.
void Search::weigh_costs(const Node& node, Count budget, bool asks_relaxed, Level& here, Count& relaxed) {
    ++statistics_.pair_costs;
    if (!is_dense(node)) {
        sweeper_.solve_costs(node, cut(), *price_, budget, here.costs, relaxed);
        return;
    }
    pairs_.solve(node, cut(), price_, here.costs);
    if (!asks_relaxed) return;
    pairs_.solve_again(node, Cut::none(), price_, here.relaxed);
    relaxed = std::min(price_->unit * (node.total - node.largest) + price_->leaf, here.relaxed.least);
}

void Search::lift(Level& here, std::size_t at, bool is_left, Count relaxed) const {
    if (!options_.propagate || relaxed <= price_->leaf) return;
    std::vector<Count>& floors = is_left ? here.left_floor : here.right_floor;
    for (std::size_t i = 0; i < floors.size(); ++i) {
        const bool holds_more = (i > at) == is_left;
        const Count weight = holds_more ? 0 : std::abs(here.left_weight[i] - here.left_weight[at]);
        if (relaxed / price_->unit >= weight) floors[i] = std::max(floors[i], relaxed - price_->unit * weight);
    }
}

Cheapest Search::cheapest_stump(const Node& node, std::size_t level) {
    Cheapest best{0, price_of(node), kLeaf};
    PlanNode split{};
    bool is_split = false;
    SortedColumn& sorted = level_at(level).sorted;
    const std::size_t n_classes = data_.n_classes();
    for (std::uint32_t c = 0; c < data_.table.n_columns; ++c) {
        sorter_.sort(node, c, sorted);
        for (std::size_t i = 0; i < sorted.cuts.size(); ++i) {
            Value left{0, 0}, right{0, 0};
            for (std::size_t k = 0; k < n_classes; ++k) {
                const Count on_left = sorted.left[i * n_classes + k], on_right = node.weight[k] - on_left;
                left = {std::max(left.correct, on_left), left.weight + on_left};
                right = {std::max(right.correct, on_right), right.weight + on_right};
            }
            const Count rows = sorted.cuts[i].position;
            if (cut().deficit(left.weight, left.correct, rows) + cut().deficit(right.weight, right.correct, node.n() - rows) > 0)
                continue;
            const Count cost = price_->unit * (node.total - left.correct - right.correct) + 2 * price_->leaf;
            if (cost >= best.upper) continue;
            best.upper = cost;
            split = {c, sorted.cuts[i].rank, kLeaf, kLeaf};
            is_split = true;
        }
    }
    if (is_split) best.plan = remember(split);
    best.lower = best.upper;
    return best;
}

Cheapest Search::cheapest_pair(const Node& node, const PairAnswer& costs, std::size_t level) {
    const auto [column, rank] = costs.cuts[costs.best()];
    Level& here = level_at(level);
    open_column(node, column, level);
    const auto found = std::find_if(here.sorted.cuts.begin(), here.sorted.cuts.end(),
                                    [r = rank](const SortedColumn::Cut& c) { return c.rank == r; });
    make_sides(node, here, static_cast<std::size_t>(found - here.sorted.cuts.begin()));
    const Cheapest left = cheapest_stump(here.left_node, level + 1), right = cheapest_stump(here.right_node, level + 1);
    return {0, left.upper + right.upper, remember({column, rank, left.plan, right.plan})};
}

Count Search::price_of(const Node& node) const {
    return deficit(node) > 0 ? kNoCost : price_->unit * (node.total - node.largest) + price_->leaf;
}

Count Search::price_of(const Node& node, Plan plan, std::size_t level) {
    if (plan == kLeaf) return price_of(node);
    const PlanNode split = book_[static_cast<std::size_t>(plan)];
    Level& here = level_at(level);
    open_column(node, split.column, level);
    const auto found = std::find_if(here.sorted.cuts.begin(), here.sorted.cuts.end(),
                                    [&](const SortedColumn::Cut& c) { return c.rank >= split.rank; });
    make_sides(node, here, static_cast<std::size_t>(found - here.sorted.cuts.begin()));
    return price_of(here.left_node, split.left, level + 1) + price_of(here.right_node, split.right, level + 1);
}

}  // namespace treewright::leaf_accuracy
