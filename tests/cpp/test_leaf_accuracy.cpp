// Under sanitizers: deficits against their definition, the dense depth-two step at every instruction set against a
// slow twin, and searches with random switches and limits against each other.
#include "check.hpp"
#include "leaf_data.hpp"
#include "treewright/leaf_accuracy/search.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

using namespace treewright;
using namespace treewright::leaf_accuracy;

namespace {

Node node_of(const Data& data, const std::vector<std::uint32_t>& rows) {
    Node node;
    node.rows = rows;
    node.weight.assign(data.n_classes(), 0);
    if (data.rounding.any) node.full.assign(data.n_classes(), 0);
    for (const std::uint32_t row : rows) {
        node.weight[data.table.label[row]] += data.table.weight[row];
        if (data.rounding.any) node.full[data.table.label[row]] += data.full[row];
        node.key.add(data.table.key[row]);
    }
    node.sum();
    return node;
}

Target random_target(Dice& dice, const Data& data) {
    const auto weight = static_cast<Count>(1 + dice.below(60));
    const Value value{dice.below(static_cast<std::size_t>(weight) + 1), static_cast<Whole>(weight)};
    return Target::at(data.measure, data.rounding, value, dice.coin(), data.min_leaf, data.total);
}

// The same of sets of rows: what the kernels count is never more than what is lacking in full.
void check_rounded_deficits(Dice& dice, const Data& data, const Target& target) {
    std::vector<std::uint32_t> rows;
    Count before = 0;
    for (std::uint32_t row = 0; row < data.n_rows(); ++row) {
        if (dice.coin()) continue;
        rows.push_back(row);
        const Node node = node_of(data, rows);
        const Count here = target.deficit(data.measure, data.rounding, node.leaf());
        const bool meets = node.n() >= data.min_leaf && target.met_by(data.measure, node.value);
        check((here == 0) == meets, "a leaf lacks nothing exactly if it meets the target in full");
        check(target.deficit(node.total, node.largest, node.n()) <= here, "the kernels count no more");
        const Count weight = data.table.weight[row];
        if (rows.size() > 1) {
            check(here >= before - target.gain_rate * weight, "gaining a row in full");
            check(before >= here - target.loss_rate * weight, "losing a row in full");
        }
        before = here;
    }
}

// Zero exactly if the leaf meets the target; and one row moves it by no more than the rates say.
void check_deficits(Dice& dice, const Data& data) {
    const Target target = random_target(dice, data);
    if (data.rounding.any) return check_rounded_deficits(dice, data, target);
    const Count most = std::min<Count>(data.total, 60);
    for (Count w = 1; w <= most; ++w)
        for (Count c = 0; c <= w; ++c)
            for (const Count rows : {Count{1}, std::min(w, data.min_leaf), w}) {
                const bool meets = rows >= data.min_leaf &&
                                   target.met_by(data.measure, {static_cast<Whole>(c), static_cast<Whole>(w)});
                check((target.deficit(w, c, rows) == 0) == meets,
                      "a leaf lacks nothing exactly if it meets the target");
                if (w == most) continue;
                const Count here = target.deficit(w, c, rows);
                for (const Count right : {0, 1}) {
                    const Count more = target.deficit(w + 1, c + right, rows + 1);
                    check(more >= here - target.gain_rate, "gaining a row");
                    check(here >= more - target.loss_rate, "losing a row");
                }
            }
}

// Best second split of one side, split by split.
Count slow_side(const Data& data, const std::vector<std::uint32_t>& rows, const Target& target,
                const CostRates* rates) {
    const auto leaf = [&](const std::vector<std::uint32_t>& some) {
        const Node node = node_of(data, some);
        const Count deficit = target.deficit(node.total, node.largest, node.n());
        if (rates == nullptr) return deficit;
        return deficit > 0 ? kNoCost : rates->unit * (node.total - node.largest) + rates->leaf;
    };
    Count best = leaf(rows);
    for (std::uint32_t c = 0; c < data.table.n_columns; ++c)
        for (std::uint32_t rank = 1; rank < data.n_ranks[c]; ++rank) {
            std::vector<std::uint32_t> left, right;
            for (const std::uint32_t row : rows) (data.table.rank_of(c, row) < rank ? left : right).push_back(row);
            if (!left.empty() && !right.empty()) best = std::min(best, leaf(left) + leaf(right));
        }
    return best;
}

void check_pairs(Dice& dice, const Data& data) {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t i = 0; i < data.n_rows(); ++i)
        if (dice.below(4) != 0) rows.push_back(i);
    if (rows.empty()) return;
    const Node node = node_of(data, rows);
    const Target target = random_target(dice, data);
    const CostRates rates{64, 1 + static_cast<Count>(dice.below(100))};
    PairSolver solver(data);
    for (const CostRates* asked : {static_cast<const CostRates*>(nullptr), &rates}) {
        PairAnswer first;
        solver.solve(node, target, asked, first);
        for (std::size_t i = 0; i < first.splits.size(); ++i) {
            std::vector<std::uint32_t> left, right;
            for (const std::uint32_t row : rows)
                (data.table.rank_of(first.splits[i].column, row) < first.splits[i].rank ? left : right).push_back(row);
            check(!left.empty() && !right.empty(), "a split divides its node");
            check(first.left[i] == slow_side(data, left, target, asked), "left side");
            check(first.right[i] == slow_side(data, right, target, asked), "right side");
        }
        for (const Simd level : {Simd::plain, Simd::avx2}) {
            set_simd_limit(level);
            PairAnswer other;
            solver.solve(node, target, asked, other);
            check(other.left == first.left && other.right == first.right, "instruction sets agree");
            set_simd_limit(Simd::avx512);
        }
    }
}

void check_searches(Dice& dice, const Data& data) {
    const auto depth = static_cast<std::uint32_t>(dice.below(5));
    const FullCostRates rates = FullCostRates::of(64, 1, data);
    Options plain;
    plain.cache = plain.propagate = plain.neighbours = plain.convert = plain.deepen = plain.refute = false;
    Control unlimited({});
    Search reference(data, plain, unlimited);
    const Answer expected = reference.best(depth, &rates);
    check(expected.proven_value && expected.proven_cost, "no limit, so proven");
    for (int trial = 0; trial < 3; ++trial) {
        Options options;
        options.cache = dice.coin();
        options.propagate = dice.coin();
        options.neighbours = dice.coin();
        options.convert = dice.coin();
        options.deepen = dice.coin();
        options.refute = dice.coin();
        options.dense_splits = dice.coin() ? 0 : 1500;
        options.slack = dice.coin() ? 0.0 : 0.7;
        Limits limits;
        if (trial == 2) limits.steps = static_cast<std::int64_t>(1 + dice.below(20));
        if (trial == 1) limits.bytes = 1 << 12;
        Control control(limits);
        Search search(data, options, control);
        const Answer found = search.best(depth, &rates);
        check(!data.measure.less(expected.value, found.value), "no tree is better than the best");
        check(found.upper_bound >= data.measure.of(expected.value), "the upper bound holds");
        if (found.proven_value) check(!data.measure.less(found.value, expected.value), "proven, so as good");
        if (found.proven_value && found.proven_cost) check(found.cost == expected.cost, "proven, so as cheap");
        check(trial == 2 || found.proven_value || control.ended(), "only a limit prevents the proof");
        check(search.write(found.plan).size() >= 1, "a tree");
    }
}

// Products of 128 bits compare like those of half as many.
void check_ratios(Dice& dice) {
    const Whole a = 1 + dice.below(50), b = 1 + dice.below(50), c = 1 + dice.below(50), d = 1 + dice.below(50);
    const int expected = (a * d > b * c) - (a * d < b * c);
    for (const int shift : {0, 40, 90, 110})
        check(compare_ratios(a << shift, b << shift, c << (shift / 2), d << (shift / 2)) == expected, "ratios compare");
}

}  // namespace

int main() {
    for (std::uint32_t seed = 0; seed < 90; ++seed) {
        Dice dice(seed);
        const Data data = make_data(dice, 4 + static_cast<std::uint32_t>(dice.below(22)), seed % 3 == 0);
        check_ratios(dice);
        check_deficits(dice, data);
        check_pairs(dice, data);
        check_searches(dice, data);
    }
    return 0;
}
