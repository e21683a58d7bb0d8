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
    Control control{Limits{}};
    for (const CostRates* asked : {static_cast<const CostRates*>(nullptr), &rates}) {
        PairAnswer first;
        solver.solve(node, target, asked, control, first);
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
            solver.solve(node, target, asked, control, other);
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
        options.block_rows = dice.coin() ? 0 : 512;
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

// A tree of one split, found by blocks of ranks and by a sort: the same one, with few splits weighed.
void check_blocks(Dice& dice, bool lower_bound) {
    Data data = make_data(dice, 3000, lower_bound);
    for (std::uint32_t& rank : data.table.rank) rank = static_cast<std::uint32_t>(dice.below(3000));
    data.prepare();
    const FullCostRates rates = FullCostRates::of(64, 1, data);
    std::vector<TreeNode> trees[2];
    std::int64_t looked[2];
    for (const std::size_t blocks : {0, 1}) {
        Options options;
        options.block_rows = blocks == 1 ? 0 : std::numeric_limits<std::uint32_t>::max();
        Control control({});
        Search search(data, options, control);
        const Answer found = search.best(1, &rates);
        check(found.proven_value && found.proven_cost, "no limit, so proven");
        trees[blocks] = search.write(found.plan);
        looked[blocks] = search.statistics().looked;
    }
    const auto same = [](const TreeNode& a, const TreeNode& b) {
        return a.column == b.column && a.low == b.low && a.high == b.high;
    };
    check(std::equal(trees[0].begin(), trees[0].end(), trees[1].begin(), trees[1].end(), same), "the same tree");
    check(looked[1] < looked[0] / 2, "most splits are passed over");
}

// A run that ends while the columns are sorted for a sweep knows nothing, and still has the best tree of one split.
void check_end_while_sorting(Dice& dice) {
    Data data = make_data(dice, 3000, false);
    Options options;
    options.dense_splits = 0;
    Control unlimited({});
    const Answer one = Search(data, options, unlimited).best(1, nullptr);
    Control control({.seconds = 0.0});
    check(!control.poll(255), "the next unit of work looks at the clock");
    PairSweeper sweeper(data, control);
    std::vector<std::uint32_t> rows(data.n_rows());
    std::iota(rows.begin(), rows.end(), 0u);
    const Node node = node_of(data, rows);
    PairAnswer answer;
    sweeper.solve(node, Target::at(data.measure, data.rounding, {1, 1}, false, 1, data.total), 1, 1, answer, {});
    check(answer.splits.empty() && answer.least == 0, "no bound from columns that were not sorted");
    Control ended({.seconds = 0.0});
    ended.glance();
    Search search(data, options, ended);
    const Answer found = search.best(3, nullptr);
    check(!found.proven_value && found.upper_bound == 1.0, "nothing is proven");
    check(!data.measure.less(found.value, one.value), "the best tree of one split");
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
    for (std::uint32_t seed = 0; seed < 8; ++seed) {
        Dice dice(1000 + seed);
        check_blocks(dice, seed % 2 == 0);
        check_end_while_sorting(dice);
    }
    return 0;
}
