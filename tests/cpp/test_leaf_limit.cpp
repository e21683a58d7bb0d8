// The search with a limit on leaves against a plain recursion over the input rows: prices of a leaf, every other limit,
// switches, little memory, a stop at any step.
#include "check.hpp"
#include "made_input.hpp"
#include "plain_trees.hpp"
#include "treewright/search/leaf_limit.hpp"
#include "treewright/core/cost_units.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

using namespace treewright;
using namespace treewright::bits;

namespace {

struct Counts {
    int slack = 0;
    int stopped = 0;
    int proven = 0;
};

template <class Acc>
void run(Dice& dice, std::int64_t scale, Counts& counts) {
    const std::size_t columns = 1 + dice.below(5);
    const MadeInput in(dice, columns, 1 + dice.below(10), 2 + dice.below(2), scale);
    const Rules rules{scale * static_cast<std::int64_t>(dice.below(4)) / 2,
                      dice.coin() ? static_cast<std::int32_t>(columns) : static_cast<std::int32_t>(dice.below(4)),
                      static_cast<std::int32_t>(1 + dice.below(6)), std::min<std::size_t>(in.n_rows, 1 + dice.below(3))};
    std::vector<std::size_t> all(in.n_rows);
    for (std::size_t r = 0; r < in.n_rows; ++r) all[r] = r;
    const std::int64_t expected = plain(in, rules, all, rules.max_depth, rules.max_leaves);

    for (int trial = 0; trial < 5; ++trial) {
        Options options;
        options.plain_steps = trial == 0 ? 20000 : static_cast<std::int64_t>(1 + dice.below(6));
        if (trial > 1) {
            options.lookahead = dice.coin();
            options.budgets = dice.coin();
            options.similar_support = dice.coin();
            options.cache = dice.coin();
            options.greedy_start = dice.coin();
            options.kernel = dice.coin() ? PairKernel::rows : PairKernel::columns;
        }
        const Dataset data = reduce(in.view(rules.min_count > 1, dice.coin()));
        std::int64_t total = static_cast<std::int64_t>(in.n_rows);
        for (const std::int64_t c : data.cost) total += c;
        const Units units = Units::make(total, static_cast<double>(rules.leaf_price));
        Settings settings{units.leaf_price, units.shift, rules.max_depth, rules.max_leaves,
                          rules.min_count > 1 ? static_cast<std::int64_t>(rules.min_count) : 0, options};
        if (rules.max_depth >= static_cast<std::int32_t>(columns) && dice.coin()) settings.max_depth = kUnlimited;
        const bool stopped = trial == 4;
        Limits limits{.seconds = 60};
        if (stopped) limits.steps = static_cast<std::int64_t>(1 + dice.below(25));
        if (trial == 3) limits.bytes = 1;  // the caches shed all the time
        Control control(limits);
        const Outcome out = search_few_leaves<Acc>(data, settings, {}, control);

        Walk walk{in, data, out.shape, rules};
        const std::int64_t cost = walk.go(all, rules.max_depth);
        check(walk.at == out.shape.size(), "nothing left over");
        check(walk.leaves == count_leaves(out.shape) && walk.leaves <= rules.max_leaves, "not too many leaves");
        check(cost >= expected, "no tree is better than the best");
        const std::int64_t paid = cost_of(data, out.shape, settings.leaf_price, settings.unit_shift);
        check(paid >= out.bounds.upper && (stopped || paid == out.bounds.upper), "the tree is the one that was proven");
        // One cost unit a leaf is for ties, and a price above all errors together is lowered to them (cost_units.hpp).
        const std::int64_t optimum = ((expected - data.base_cost) << units.shift) + rules.max_leaves;
        check(rules.leaf_price > total + 1 || out.bounds.lower <= optimum, "a bound that holds");
        if (stopped) {
            ++counts.stopped;
        } else if (out.leaf_limit_is_slack) {
            ++counts.slack;
            settings.max_leaves = 0;
            Search<Acc> unlimited(data, settings, {}, control);
            const std::int64_t best = std::min(out.bounds.upper, unlimited.run().upper);
            if (best < out.bounds.upper) {
                const Shape shape = unlimited.tree();
                Walk other{in, data, shape, rules};
                check(other.go(all, rules.max_depth) == expected, "the cost of the best tree of all");
                check(other.leaves <= rules.max_leaves, "a slack limit is kept");
            } else {
                check(cost == expected, "the cost of the best tree of all");
            }
        } else {
            ++counts.proven;
            check(out.bounds.exact(), "a run without limits ends");
            check(cost == expected, "the cost of the best tree of all");
        }
    }
}

}  // namespace

int main() {
    Dice dice(17);
    Counts counts;
    for (int trial = 0; trial < 500; ++trial) {
        run<std::int32_t>(dice, 2, counts);
        run<std::int64_t>(dice, std::int64_t{1} << 34, counts);
    }
    check(counts.slack > 20 && counts.stopped > 100 && counts.proven > 1000, "every way was taken");
    std::puts("leaf limit: ok");
}
