// The splits of one column of a node: what is known of their sides, which is asked about next, and what an answer says
// about the others.
#include "treewright/leaf_accuracy/search.hpp"

#include <algorithm>

namespace treewright::leaf_accuracy {

void Search::open_column(const Node& node, std::uint32_t column, OpenColumn& here, const Origin& origin) {
    SortedColumn& sorted = here.sorted;
    sorter_.sort(node, column, sorted);
    const std::size_t n_splits = sorted.splits.size();
    here.key.resize(n_splits);
    here.left_weight.resize(n_splits);
    here.left.assign(n_splits, {});
    here.right.assign(n_splits, {});
    Fingerprint key;
    std::uint32_t row = 0;
    const auto judge = [&](Side& side, const Leaf& leaf) {
        const Count own = deficit(leaf), rows = leaf.rows;
        if (own == 0) side = {0, true, PartialTree::leaf(), leaf.value};
        if (own > 0 && rows < 2 * data_.min_leaf)
            side.lower = rows < data_.min_leaf ? target().size_rate * (data_.min_leaf - rows)
                                               : std::min(own, target().size_rate * (data_.min_leaf - rows / 2));
    };
    for (std::size_t i = 0; i < n_splits; ++i) {
        for (; row < sorted.splits[i].position; ++row) key.add(data_.table.key[sorted.rows[row]]);
        here.key[i] = key;
        const auto [left, right] = sorted.sides(node, i);
        here.left_weight[i] = left.weight;
        judge(here.left[i], left);
        judge(here.right[i], right);
    }
    here.stretches.assign(1, {0, n_splits});
    read_boxes(node, here, origin);
    if (options_.propagate) spread(here);
}

Count Search::OpenColumn::least() const {
    Count least = kNoCost;
    for (std::size_t i = 0; i < left.size(); ++i) least = std::min(least, left[i].lower + right[i].lower);
    return least;
}

void Search::spread(OpenColumn& here) const {
    const std::size_t n = here.left.size();
    for (std::size_t i = 1; i < n; ++i) {
        const Count more = here.left_weight[i] - here.left_weight[i - 1];
        raise(here.left[i], moved(here.left[i - 1].lower, more));
        raise(here.right[i], moved(here.right[i - 1].lower, -more));
    }
    for (std::size_t i = n; i-- > 1;) {
        const Count more = here.left_weight[i] - here.left_weight[i - 1];
        raise(here.left[i - 1], moved(here.left[i].lower, -more));
        raise(here.right[i - 1], moved(here.right[i].lower, more));
    }
}

void Search::make_sides(const Node& node, const OpenColumn& column, std::size_t at, Level& own) const {
    const SortedColumn& sorted = column.sorted;
    const std::size_t n_classes = data_.n_classes(), position = sorted.splits[at].position;
    own.left_node.rows = std::span(sorted.rows).first(position);
    own.right_node.rows = std::span(sorted.rows).subspan(position);
    own.left_node.weight.assign(sorted.left.begin() + static_cast<std::ptrdiff_t>(at * n_classes),
                                sorted.left.begin() + static_cast<std::ptrdiff_t>((at + 1) * n_classes));
    own.right_node.weight.resize(n_classes);
    for (std::size_t k = 0; k < n_classes; ++k) own.right_node.weight[k] = node.weight[k] - own.left_node.weight[k];
    if (data_.rounding.any) {
        own.left_node.full.assign(sorted.full.begin() + static_cast<std::ptrdiff_t>(at * n_classes),
                                  sorted.full.begin() + static_cast<std::ptrdiff_t>((at + 1) * n_classes));
        own.right_node.full.resize(n_classes);
        for (std::size_t k = 0; k < n_classes; ++k) own.right_node.full[k] = node.full[k] - own.left_node.full[k];
    }
    own.left_node.key = column.key[at];
    own.right_node.key = node.key;
    own.right_node.key.subtract(column.key[at]);
    own.left_node.sum();
    own.right_node.sum();
}

std::optional<Search::Question> Search::next_split(OpenColumn& column) {
    while (!column.stretches.empty()) {
        auto [first, last] = column.stretches.back();
        column.stretches.pop_back();
        while (first < last && column.closed(first)) ++first;
        while (first < last && column.closed(last - 1)) --last;
        if (first == last) continue;
        const std::size_t middle = first + (last - first) / 2;
        column.stretches.push_back({first, middle});
        column.stretches.push_back({middle + 1, last});
        if (!column.closed(middle)) return Question{middle, {first, last}};
    }
    return std::nullopt;
}

void Search::describe(Question& question, const ColumnOfPairs& at, const PairAnswer& pairs, Boxes& boxes) {
    const std::size_t split = at.first + question.at;
    question.left_hint = pairs.left[split];
    question.right_hint = pairs.right[split];
    if (boxes.size > 0) question.origin = {&boxes, &pairs, at.column, 2 * split};
}

void Search::ask(const Node& node, std::uint32_t depth, std::size_t level, OpenColumn& column, const Question& question,
                 std::unique_lock<std::mutex>& lock) {
    Level& own = level_at(level);
    const std::size_t at = question.at;
    const bool shared = lock.owns_lock();
    make_sides(node, column, at, own);
    const bool left_first = question.left_hint >= question.right_hint;
    for (const bool is_left : {left_first, !left_first}) {
        Side& side = is_left ? column.left[at] : column.right[at];
        if (side.feasible) continue;
        const auto [first, last] = question.stretch;
        const Count reach = is_left ? column.left_weight[last - 1] - column.left_weight[at]
                                    : column.left_weight[at] - column.left_weight[first];
        const Count wanted = 1 + static_cast<Count>(options_.slack * static_cast<double>(target().gain_rate * reach));
        Origin origin = question.origin;
        origin.number += is_left ? 0 : 1;
        if (shared) lock.unlock();
        const Outcome found = ask_side(is_left ? own.left_node : own.right_node, depth - 1, level + 1,
                                       is_left ? question.left_hint : question.right_hint, origin, wanted);
        if (shared) lock.lock();
        if (!found.feasible) {
            raise(side, found.lower);
            if (options_.propagate) propagate_side(column, at, is_left);
            return;
        }
        side = {0, true, found.plan, found.value};
        if (column.closed(at)) return;  // by another thread
    }
}

Outcome Search::ask_side(const Node& side, std::uint32_t depth, std::size_t level, Count hint, const Origin& origin,
                         Count wanted) {
    if (hint == 0) {
        if (!data_.rounding.any) return {true, 0, {}, PartialTree::stump()};
        const Outcome stump = split_once(side, level);
        if (stump.feasible) return stump;
    }
    return solve(side, depth, level, origin, wanted);
}

void Search::propagate_side(OpenColumn& here, std::size_t at, bool is_left) {
    std::vector<Side>& sides = is_left ? here.left : here.right;
    const Count known = sides[at].lower;
    const auto pass = [&](std::size_t other) {
        const Count change = here.left_weight[other] - here.left_weight[at];
        const Count lower = moved(known, is_left ? change : -change);
        raise(sides[other], lower);
        return lower > 0;
    };
    for (std::size_t i = at + 1; i < sides.size() && pass(i); ++i) continue;
    for (std::size_t i = at; i-- > 0 && pass(i);) continue;
}

}  // namespace treewright::leaf_accuracy
