// The search against a plain recursion over the input rows, with all limits but that of leaves, switches, prices off.
#include "check.hpp"
#include "made_input.hpp"
#include "plain_trees.hpp"
#include "treewright/search/binary_search.hpp"
#include "treewright/core/cost_units.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

using namespace treewright;
using namespace treewright::binary;

namespace {

template <class Acc>
void run(Dice& dice, std::int64_t scale) {
    const std::size_t columns = 1 + dice.below(4);
    const MadeInput in(dice, columns, 1 + dice.below(9), 2 + dice.below(2), scale);
    const Rules rules{scale * static_cast<std::int64_t>(dice.below(4)),
                      dice.coin() ? static_cast<std::int32_t>(columns) : static_cast<std::int32_t>(dice.below(4)), 0,
                      std::min<std::size_t>(in.n_rows, 1 + dice.below(3))};
    std::vector<std::size_t> all(in.n_rows);
    for (std::size_t r = 0; r < in.n_rows; ++r) all[r] = r;
    const auto most = static_cast<std::int32_t>(std::min<std::size_t>(in.n_rows, 6));
    if (in.n_rows > 6) return;  // the recursion would need more leaves than it tries
    const std::int64_t expected = plain(in, rules, all, rules.max_depth, most);

    for (int trial = 0; trial < 4; ++trial) {
        Options options;
        if (trial > 0) {
            options.lookahead = dice.coin();
            options.two_leaves = dice.coin();
            options.budgets = dice.coin();
            options.similar_support = dice.coin();
            options.few_rows = dice.coin();
            options.cache = dice.coin();
            options.greedy_start = dice.coin();
            options.kernel = dice.coin() ? PairKernel::rows : PairKernel::columns;
        }
        const Dataset data = reduce(in.view(rules.min_count > 1, dice.coin()));
        std::int64_t total = static_cast<std::int64_t>(in.n_rows);
        for (const std::int64_t c : data.cost) total += c;
        const Units units = Units::make(total, static_cast<double>(rules.leaf_penalty));
        const Settings settings{
            units.leaf_penalty,
            units.shift,
            trial == 3 && rules.max_depth >= static_cast<std::int32_t>(columns) ? kUnlimited : rules.max_depth,
            0,
            rules.min_count > 1 ? static_cast<std::int64_t>(rules.min_count) : 0,
            options};
        Control control({.seconds = 60});
        Search<Acc> search(data, settings, {}, control);
        const Bounds bounds = search.run();
        check(bounds.exact(), "a run without limits ends");
        const Shape shape = search.tree();
        Walk walk{in, data, shape, rules};
        check(walk.go(all, rules.max_depth) == expected, "the cost of the best tree of all");
        check(walk.at == shape.size(), "nothing left over");
    }
}

}  // namespace

int main() {
    Dice dice(5);
    for (int trial = 0; trial < 900; ++trial) {
        run<std::int32_t>(dice, 1);
        run<std::int64_t>(dice, std::int64_t{1} << 34);
    }
    std::puts("search: ok");
}
