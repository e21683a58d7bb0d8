// A tree that a limit left half-way is put in order: never worse than a part of itself, than the best tree of one
// split, or than a greedy tree.
//
// The search goes by targets, so a run that is stopped may hold a tree in which an early split has become useless. Here
// every inner node is tried as a leaf, as its left and as its right subtree, on all its rows, until none is better.
// What is better: first the worst leaf alone, kept only if that of the whole tree improves; then the cost at the
// target.
#include "treewright/leaf_accuracy/search.hpp"

#include <algorithm>

namespace treewright::leaf_accuracy {

namespace {

constexpr double kMore = 1 + 1e-9;                        // purer by less is as pure
constexpr std::int64_t kRowsPerUnit = 2000;               // sorted rows per unit of clock checks, some 20 microseconds
constexpr std::size_t kMostCells = std::size_t{1} << 22;  // a greedy tree of more takes a large part of a second

// Twice the weighted Gini impurity, less what does not depend on the split.
double purity(std::span<const Count> weight) {
    double sum = 0, squares = 0;
    for (const Count w : weight) {
        sum += static_cast<double>(w);
        squares += static_cast<double>(w) * static_cast<double>(w);
    }
    return sum > 0 ? squares / sum : 0;
}

}  // namespace

// Split by split the purest, as CART does; leaves where the clock has run out. On a large table its sorts count as
// steps, so that a limit on steps ends it too: a run that ends within them promises no more than one split (`best`).
PartialTree Search::greedy(const Node& node, std::uint32_t depth, std::size_t level) {
    if (depth == 0 || node.n() < 2 * data_.min_leaf || node.largest == node.total) return PartialTree::leaf();
    SortedColumn& sorted = level_at(level).column.sorted;
    const std::size_t n_classes = data_.n_classes();
    std::vector<Count> right(n_classes);
    double best = purity(node.weight) * kMore;
    std::uint32_t column = data_.table.n_columns, rank = 0;
    const bool counted = std::size_t{data_.table.n_rows} * data_.table.n_columns > kMostCells;
    for (std::uint32_t c = 0; c < data_.table.n_columns; ++c) {
        const std::int64_t cost = 1 + node.n() / kRowsPerUnit;
        if (counted ? control_.step(cost) : control_.poll(cost)) return PartialTree::leaf();
        sorter_.sums(node, c, sorted);
        for (std::size_t i = 0; i < sorted.splits.size(); ++i) {
            const Count rows = sorted.splits[i].position;
            if (rows < data_.min_leaf || node.n() - rows < data_.min_leaf) continue;
            const auto left = std::span<const Count>(sorted.left).subspan(i * n_classes, n_classes);
            for (std::size_t k = 0; k < n_classes; ++k) right[k] = node.weight[k] - left[k];
            const double here = purity(left) + purity(right);
            if (here <= best * kMore) continue;
            best = here;
            column = c;
            rank = sorted.splits[i].rank;
        }
    }
    if (column == data_.table.n_columns) return PartialTree::leaf();
    open_split(node, {column, rank}, level);
    const Level& here = level_at(level);
    const PartialTree below = greedy(here.left_node, depth - 1, level + 1);
    return remember({column, rank, below, greedy(here.right_node, depth - 1, level + 1)});
}

Leaf Search::leaf_of(std::span<const std::uint32_t> rows) const {
    Node node;
    node.rows = rows;
    node.weight.assign(data_.n_classes(), 0);
    if (data_.rounding.any) node.full.assign(data_.n_classes(), 0);
    for (const std::uint32_t row : rows) {
        node.weight[data_.table.label[row]] += data_.table.weight[row];
        if (data_.rounding.any) node.full[data_.table.label[row]] += data_.full[row];
    }
    node.sum();
    return node.leaf();
}

std::size_t Search::divide(std::span<std::uint32_t> rows, PartialTree plan) const {
    const TreePoolNode node = store_->planted(plan);
    const auto middle = std::partition(
        rows.begin(), rows.end(), [&](std::uint32_t row) { return data_.table.rank_of(node.column, row) < node.rank; });
    return static_cast<std::size_t>(middle - rows.begin());
}

// Splits that do not divide the rows are passed over.
Search::Worth Search::weigh(std::span<std::uint32_t> rows, PartialTree plan) const {
    if (plan == PartialTree::leaf()) {
        const Leaf leaf = leaf_of(rows);
        if (leaf.rows < data_.min_leaf) return {};
        return {true, leaf.value, rates_ == nullptr ? kNoTree : cost_of(leaf)};
    }
    const std::size_t middle = divide(rows, plan);
    const TreePoolNode node = store_->planted(plan);
    if (middle == 0) return weigh(rows, node.right);
    if (middle == rows.size()) return weigh(rows, node.left);
    const Worth left = weigh(rows.first(middle), node.left);
    if (!left.valid) return {};
    const Worth right = weigh(rows.subspan(middle), node.right);
    if (!right.valid) return {};
    return {true, worse(left.value, right.value), std::min(kNoTree, left.cost + right.cost)};
}

PartialTree Search::tidied(std::span<std::uint32_t> rows, PartialTree plan, bool by_value) {
    if (plan == PartialTree::leaf()) return PartialTree::leaf();
    const std::size_t middle = divide(rows, plan);
    const TreePoolNode node = store_->planted(plan);
    if (middle == 0) return tidied(rows, node.right, by_value);
    if (middle == rows.size()) return tidied(rows, node.left, by_value);
    const PartialTree left = tidied(rows.first(middle), node.left, by_value);
    const PartialTree right = tidied(rows.subspan(middle), node.right, by_value);
    PartialTree best =
        left == node.left && right == node.right ? plan : remember({node.column, node.rank, left, right});
    Worth known = weigh(rows, best);
    for (const PartialTree other : {PartialTree::leaf(), left, right}) {
        const Worth worth = weigh(rows, other);
        if (!worth.valid ||
            (known.valid && (by_value ? !data_.measure.less(known.value, worth.value) : worth.cost >= known.cost)))
            continue;
        best = other;
        known = worth;
    }
    return best;
}

// To the end: every change leaves fewer nodes.
PartialTree Search::tidy(PartialTree plan, bool by_value) {
    std::vector<std::uint32_t> rows = all_rows_;
    for (;;) {
        const PartialTree next = tidied(rows, plan, by_value);
        if (next == plan) return plan;
        plan = next;
    }
}

// The best worst leaf that the trees at hand have as they are or in part.
bool Search::tidy_value(Answer& answer) {
    std::vector<std::uint32_t> rows = all_rows_;
    bool better = false;
    for (const PartialTree start : {answer.plan, greedy_}) {
        const PartialTree plan = tidy(start, true);
        const Worth worth = weigh(rows, plan);
        if (!worth.valid || !data_.measure.less(answer.value, worth.value)) continue;
        answer.value = worth.value;
        answer.plan = plan;
        better = true;
    }
    answer.upper_bound = std::max(answer.upper_bound, data_.measure.of(answer.value));
    return better;
}

// The cheapest tree at the current target that they have; or the best one of one split.
void Search::tidy_cost(const Node& root, std::uint32_t depth, Answer& answer) {
    std::vector<std::uint32_t> rows = all_rows_;
    const auto try_plan = [&](PartialTree plan) {
        const Worth worth = weigh(rows, plan);
        if (!worth.valid || worth.cost >= answer.cost) return;
        answer.cost = worth.cost;
        answer.plan = plan;
        answer.value = worth.value;
        answer.feasible = true;
    };
    for (const PartialTree start :
         {answer.plan, greedy_, depth > 0 ? cheapest_stump(root, 0).plan : PartialTree::leaf(), PartialTree::leaf()})
        try_plan(tidy(start, false));
}

}  // namespace treewright::leaf_accuracy
