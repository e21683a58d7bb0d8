// Prunings against all trees with a leaf or a child in the place of one inner node, on random trees.
#include "check.hpp"
#include "treewright/tree/pruning.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

using namespace treewright::tree;

namespace {

struct Made {
    std::size_t n_rows, n_columns, n_classes;
    std::vector<double> X;
    std::vector<std::int32_t> y;
    std::vector<std::int64_t> weight, costs;

    Made(Dice& dice, bool plain)
        : n_rows(1 + dice.below(40)), n_columns(1 + dice.below(4)), n_classes(1 + dice.below(4)) {
        for (std::size_t i = 0; i < n_rows * n_columns; ++i)
            X.push_back(dice.below(12) == 0 ? std::numeric_limits<double>::quiet_NaN()
                                            : static_cast<double>(dice.below(5)));
        for (std::size_t i = 0; i < n_rows; ++i) {
            y.push_back(static_cast<std::int32_t>(dice.below(n_classes)));
            weight.push_back(static_cast<std::int64_t>(dice.below(4)));
        }
        for (std::size_t k = 0; k < n_classes; ++k)
            for (std::size_t c = 0; c < n_classes; ++c)
                costs.push_back(k == c ? 0 : plain ? 1 : static_cast<std::int64_t>(dice.below(6)));
    }
    [[nodiscard]] EncodedRows rows() const {
        return {X.data(), static_cast<std::ptrdiff_t>(n_columns), 1, n_rows, n_columns};
    }
    [[nodiscard]] Labels labels() const { return {y, weight, costs, n_classes}; }
};

void grow(Dice& dice, const Made& made, std::size_t depth, SplitList& out) {
    if (depth == 0 || dice.below(6) == 0) return out.nodes.push_back({});
    Split split{dice.coin() ? Split::Kind::threshold : Split::Kind::category,
                dice.coin(),
                static_cast<std::uint32_t>(dice.below(made.n_columns)),
                static_cast<double>(dice.below(4)) + 0.5,
                0,
                0};
    split.first = static_cast<std::uint32_t>(out.categories.size());
    if (split.kind == Split::Kind::category)
        for (int code = 0; code < 5; ++code)
            if (dice.coin()) out.categories.push_back(code);
    split.last = static_cast<std::uint32_t>(out.categories.size());
    out.nodes.push_back(split);
    grow(dice, made, depth - 1, out);
    grow(dice, made, depth - 1, out);
}

std::size_t end_of(const SplitList& splits, std::size_t node) {
    if (splits.nodes[node].is_leaf()) return node + 1;
    return end_of(splits, end_of(splits, node + 1));
}

struct Value {
    std::int64_t cost;
    std::size_t leaves;
    double worst;
};

// Row by row, from the root.
Value value_of(const Made& made, const SplitList& splits, const CostRates& rates, const LeafWorth& worth) {
    const std::size_t k = made.n_classes;
    std::vector<std::int64_t> sums(splits.size() * k, 0);
    for (std::size_t row = 0; row < made.n_rows; ++row) {
        std::size_t node = 0;
        while (!splits.nodes[node].is_leaf()) {
            const Split& split = splits.nodes[node];
            const double x = made.X[row * made.n_columns + split.column];
            const auto first = splits.categories.begin() + split.first, last = splits.categories.begin() + split.last;
            const bool left = std::isnan(x)                          ? split.missing_left
                              : split.kind == Split::Kind::threshold ? x <= split.threshold
                                                                     : std::find(first, last, x) != last;
            node = left ? node + 1 : end_of(splits, node + 1);
        }
        sums[node * k + static_cast<std::size_t>(made.y[row])] += made.weight[row];
    }
    Value value{0, 0, 1.0};
    for (std::size_t node = 0; node < splits.size(); ++node) {
        if (!splits.nodes[node].is_leaf()) continue;
        std::int64_t least = std::numeric_limits<std::int64_t>::max(), total = 0, most = 0;
        for (std::size_t c = 0; c < k; ++c) {
            std::int64_t cost = 0;
            for (std::size_t t = 0; t < k; ++t) cost += sums[node * k + t] * made.costs[t * k + c];
            least = std::min(least, cost);
            total += sums[node * k + c];
            most = std::max(most, sums[node * k + c]);
        }
        value.cost += least * static_cast<std::int64_t>(rates.unit) + static_cast<std::int64_t>(rates.leaf);
        ++value.leaves;
        value.worst = std::min(value.worst, worth.of(most, total));
    }
    return value;
}

std::vector<SplitList> prunings(const SplitList& splits) {
    std::vector<SplitList> out;
    for (std::size_t node = 0; node < splits.size(); ++node) {
        if (splits.nodes[node].is_leaf()) continue;
        const std::size_t right = end_of(splits, node + 1), end = end_of(splits, right);
        const std::pair<std::size_t, std::size_t> parts[] = {{node, node}, {node + 1, right}, {right, end}};
        for (const auto& [from, to] : parts) {
            SplitList pruned{{}, splits.categories};
            const auto at = [&](std::size_t i) { return splits.nodes.begin() + static_cast<std::ptrdiff_t>(i); };
            pruned.nodes.assign(splits.nodes.begin(), at(node));
            if (from == to) pruned.nodes.push_back({});
            pruned.nodes.insert(pruned.nodes.end(), at(from), at(to));
            pruned.nodes.insert(pruned.nodes.end(), at(end), splits.nodes.end());
            out.push_back(pruned);
        }
    }
    return out;
}

SplitList kept(const SplitList& splits, const PrunedTree& pruned) {
    SplitList out{{}, splits.categories};
    for (const std::int32_t node : pruned.source)
        out.nodes.push_back(node < 0 ? Split{} : splits.nodes[static_cast<std::size_t>(node)]);
    return out;
}

}  // namespace

int main() {
    Dice dice(7);
    const Deadline never = Deadline::max();
    for (int trial = 0; trial < 3000; ++trial) {
        const bool plain = dice.coin();
        const Made made(dice, plain);
        const CostRates rates{static_cast<Wide>(1 + dice.below(3)), static_cast<Wide>(dice.below(4))};
        SplitList splits;
        grow(dice, made, 4, splits);
        const Value before = value_of(made, splits, rates, {});

        const SplitList cheap =
            kept(splits, cheapest_pruning(splits, made.rows(), made.labels(), rates, 0.0, {}, never));
        const Value after = value_of(made, cheap, rates, {});
        check(after.cost <= before.cost, "a pruning is never dearer");
        for (const SplitList& other : prunings(cheap)) {
            const Value value = value_of(made, other, rates, {});
            check(value.cost > after.cost || (value.cost == after.cost && value.leaves >= after.leaves),
                  "none is cheaper or smaller");
        }
        // The same costs as sums of each row, of which a leaf pays the least.
        std::vector<std::int64_t> sums;
        for (std::size_t row = 0; row < made.n_rows; ++row)
            for (std::size_t c = 0; c < made.n_classes; ++c)
                sums.push_back(made.weight[row] *
                               made.costs[static_cast<std::size_t>(made.y[row]) * made.n_classes + c]);
        const auto one_leaf = value_of(made, SplitList{{Split{}}, {}}, {1, 0}, {}).cost;
        if (one_leaf > 0) {
            const std::vector<double> unit(made.n_classes, 1.0);
            const LossSums loss{LossSums::Kind::least, sums, made.n_classes, unit, static_cast<double>(one_leaf)};
            const CostRates of_leaf{1, rates.leaf};
            const std::int64_t leaf = static_cast<std::int64_t>(rates.leaf) * (LossSums::kUnits / one_leaf);
            const SplitList small = kept(splits, cheapest_pruning(splits, made.rows(), loss, leaf, never));
            const auto paid = value_of(made, small, of_leaf, {}).cost;
            check(paid <= value_of(made, splits, of_leaf, {}).cost, "a pruning by sums is never dearer");
            for (const SplitList& other : prunings(small))
                check(value_of(made, other, of_leaf, {}).cost >= paid, "none is cheaper by sums");
        }
        if (!plain) continue;

        const LeafWorth worth{dice.coin() ? 0.0 : 1.6, 1.0};
        const double least = value_of(made, splits, rates, worth).worst;
        const SplitList accurate =
            kept(splits, cheapest_pruning(splits, made.rows(), made.labels(), rates, least, worth, never));
        check(value_of(made, accurate, rates, worth).worst >= least, "no leaf is worth less than asked");
        for (const SplitList& other : prunings(accurate)) {
            const Value value = value_of(made, other, rates, worth);
            check(value.worst < least || value.cost >= value_of(made, accurate, rates, {}).cost, "none is cheaper");
        }

        const SplitList best = kept(splits, best_worst_leaf(splits, made.rows(), made.labels(), {}, worth, never));
        const Value top = value_of(made, best, {}, worth);
        check(top.worst >= least, "the worst leaf is no worse");
        for (const SplitList& other : prunings(best)) {
            const Value value = value_of(made, other, {}, worth);
            check(value.worst <= top.worst, "no pruning has a better worst leaf");
            check(value.worst < top.worst || value.cost >= top.cost, "nor one as good a smaller loss");
        }
    }
    return 0;
}
