// Several threads on one search for the best worst leaf: the answer of one and of a search without bounds, stops at any
// step, little memory, an end from outside.
#include "check.hpp"
#include "leaf_data.hpp"
#include "watched_run.hpp"
#include "treewright/leaf_accuracy/search.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

using namespace treewright;
using namespace treewright::leaf_accuracy;

namespace {

bool equal(const std::vector<TreeNode>& a, const std::vector<TreeNode>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const TreeNode& x, const TreeNode& y) {
        return x.column == y.column && x.low == y.low && x.high == y.high;
    });
}

struct Run {
    Answer answer;
    std::vector<TreeNode> tree;
    std::int64_t steps = 0;
};

Run run(const Data& data, const Options& options, std::uint32_t depth, Control& control) {
    const FullCostRates rates = FullCostRates::of(64, 1, data);
    Search search(data, options, control);
    Run found;
    found.answer = search.best(depth, &rates);
    found.tree = search.write(found.answer.plan);
    found.steps = control.steps();
    return found;
}

// Whatever is switched off, and from whichever step on threads help.
void agree(Dice& dice, const Data& data, std::uint32_t depth) {
    Options options;
    options.alone_work = static_cast<std::int64_t>(dice.coin() ? 0 : dice.below(30));
    options.propagate = dice.below(4) > 0;
    options.neighbours = dice.below(4) > 0;
    options.convert = dice.below(4) > 0;
    options.deepen = dice.coin();
    options.refute = dice.coin();
    options.dense_splits = dice.coin() ? 0 : 1500;
    Control unlimited({.seconds = 600});
    const Run one = run(data, options, depth, unlimited);
    check(one.answer.proven_value && one.answer.proven_cost, "no limit, so proven");
    for (const std::size_t threads : {2U, 3U, 4U}) {
        options.threads = threads;
        Control control({.seconds = 600});
        const Run several = run(data, options, depth, control);
        check(several.answer.proven_value && several.answer.proven_cost, "no limit, so proven by several");
        check(several.answer.value.correct == one.answer.value.correct &&
                  several.answer.value.weight == one.answer.value.weight,
              "the same value");
        check(several.answer.upper_bound == one.answer.upper_bound, "the same bound");
        check(several.answer.cost == one.answer.cost, "the same cost");
        check(equal(several.tree, one.tree), "the same tree");
    }
    Limits limits{.seconds = 600};
    limits.steps = static_cast<std::int64_t>(1 + dice.below(static_cast<std::size_t>(one.steps)));
    if (dice.coin()) limits.bytes = std::size_t{1} << (16 + dice.below(14));
    Control control(limits);
    const Run stopped = run(data, options, depth, control);
    check(stopped.steps <= limits.steps, "no more steps than granted");
    check(!data.measure.less(one.answer.value, stopped.answer.value), "no tree is better than the best");
    check(stopped.answer.upper_bound >= data.measure.of(one.answer.value), "the upper bound holds");
    if (stopped.answer.proven_value)
        check(!data.measure.less(stopped.answer.value, one.answer.value), "proven, so as good");
    if (stopped.answer.proven_value && stopped.answer.proven_cost)
        check(stopped.answer.cost == one.answer.cost, "proven, so as cheap");
}

// A callback that ends the run ends all threads.
void end_from_outside(const Data& data) {
    Options options;
    options.alone_work = 0;
    options.threads = 3;
    WatchedRun watched(3);
    const Run found = run(data, options, 4, watched.control);
    watched.check_end(found.answer.proven_cost);
    check(found.answer.upper_bound >= data.measure.of(found.answer.value), "bounds");
}

}  // namespace

int main() {
    for (std::uint32_t seed = 0; seed < 30; ++seed) {
        Dice dice(seed);
        const Data data = make_data(dice, 10 + static_cast<std::uint32_t>(dice.below(50)), seed % 3 == 0);
        agree(dice, data, static_cast<std::uint32_t>(2 + dice.below(4)));
        if (seed % 10 == 0) end_from_outside(data);
    }
    std::puts("leaf threads: ok");
    return 0;
}
