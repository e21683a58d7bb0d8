// The front against a plain recursion over the input rows for every number of leaves, with and without a stop.
#include "check.hpp"
#include "made_input.hpp"
#include "plain_trees.hpp"
#include "treewright/search/front.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

using namespace treewright;
using namespace treewright::binary;

namespace {

template <class Acc>
void run(Dice& dice, std::int64_t scale) {
    const std::size_t columns = 1 + dice.below(5);
    const MadeInput in(dice, columns, 1 + dice.below(10), 2 + dice.below(2), scale);
    Rules rules{0, dice.coin() ? static_cast<std::int32_t>(columns) : static_cast<std::int32_t>(dice.below(4)), 0,
                std::min<std::size_t>(in.n_rows, 1 + dice.below(3))};
    std::vector<std::size_t> all(in.n_rows);
    for (std::size_t r = 0; r < in.n_rows; ++r) all[r] = r;
    const auto most = static_cast<std::int32_t>(1 + dice.below(6));
    std::vector<std::int64_t> expected;
    for (std::int32_t leaves = 1; leaves <= most; ++leaves)
        expected.push_back(plain(in, rules, all, rules.max_depth, leaves));

    for (int trial = 0; trial < 4; ++trial) {
        Settings settings;
        settings.max_depth =
            rules.max_depth >= static_cast<std::int32_t>(columns) && dice.coin() ? kUnlimited : rules.max_depth;
        settings.max_leaves = most;
        settings.min_count = rules.min_count > 1 ? static_cast<std::int64_t>(rules.min_count) : 0;
        if (trial > 0) {
            settings.options.budgets = dice.coin();
            settings.options.cache = dice.coin();
            settings.options.greedy_start = dice.coin();
            settings.options.kernel = dice.coin() ? PairKernel::rows : PairKernel::columns;
        }
        const Dataset data = reduce(in.view(rules.min_count > 1, dice.coin()));
        const bool stopped = trial == 3;
        Limits limits{.seconds = 60};
        if (stopped) limits.steps = static_cast<std::int64_t>(1 + dice.below(12));
        if (trial == 2) limits.bytes = 1;  // the cache sheds all the time
        Control control(limits);
        FrontSearch<Acc> search(data, settings, control);
        search.run();
        for (std::int32_t leaves = 1; leaves <= most; ++leaves) {
            const auto at = static_cast<std::size_t>(leaves - 1);
            const std::int64_t optimum = expected[at] - data.base_cost;
            check(search.lower()[at] <= optimum, "a bound that holds");
            check(search.upper()[at] >= optimum, "no tree is better than the best");
            check(stopped || search.lower()[at] == search.upper()[at], "a run without limits ends");
            const Shape shape = search.tree(static_cast<std::size_t>(leaves));
            Walk walk{in, data, shape, rules};
            const std::int64_t cost = walk.go(all, rules.max_depth);
            check(walk.at == shape.size(), "nothing left over");
            check(walk.leaves <= leaves, "not too many leaves");
            check(cost >= expected[at] && (stopped || cost == expected[at]), "the cost of the best tree of all");
        }
    }
}

}  // namespace

int main() {
    Dice dice(11);
    for (int trial = 0; trial < 500; ++trial) {
        run<std::int32_t>(dice, 1);
        run<std::int64_t>(dice, std::int64_t{1} << 34);
    }
    std::puts("front: ok");
}
