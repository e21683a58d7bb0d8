// Under sanitizers: bounds from bins of targets against exact losses, and the best split of quantile regression against
// a look at every split. Sums of 64 bits and of 128.
#include "check.hpp"
#include "treewright/objective/pinball.hpp"
#include "treewright/objective/column_bounds.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <random>
#include <vector>

using namespace treewright;
using namespace treewright::ranked;

namespace {

using Random32 = std::mt19937;

std::uint32_t below(Random32& random, std::uint32_t most) { return static_cast<std::uint32_t>(random() % most); }

std::shared_ptr<QuantileTable> table_of(Random32& random) {
    const auto table = std::make_shared<QuantileTable>();
    const std::uint32_t n = 2 + below(random, 400);
    table->n_rows = n;
    table->n_columns = 1 + below(random, 4);
    table->min_leaf = random() % 4 == 0 ? 1 + below(random, n) : 1;
    table->up = 1 + below(random, 9);
    table->down = 1 + below(random, 9);
    const bool wide = random() % 3 == 0;
    const std::uint32_t n_targets = 1 + below(random, random() % 2 == 0 ? 5 : n);
    std::int64_t last = -static_cast<std::int64_t>(random() % 1000);
    for (std::uint32_t v = 0; v < n_targets; ++v) {
        const std::int64_t step = random() % 9 == 0 ? 1000 : 7;
        last += (1 + below(random, 99) * step) << (wide ? 12 : 0);
        table->target.push_back(last);
    }
    for (std::uint32_t i = 0; i < n; ++i) {
        table->place.push_back(below(random, n_targets));
        table->weight.push_back((1 + below(random, 5)) * (wide ? std::int64_t{1} << 14 : 1));
    }
    for (std::uint32_t c = 0; c < table->n_columns; ++c) {  // some follow the target
        const std::uint32_t most = 1 + below(random, n), noise = 1 + below(random, n);
        for (std::uint32_t i = 0; i < n; ++i)
            table->rank.push_back(std::min(most, below(random, noise) + (c % 2 == 0 ? table->place[i] : 0)));
    }
    table->prepare();
    return table;
}

Cost leaf_of(const Pinball& objective, const std::uint32_t* order, std::uint32_t begin, std::uint32_t end) {
    Node node;
    node.clear(objective.n_sums());
    objective.add_rows(order, begin, end, node);
    return objective.leaf_cost(node);
}

// Whether a bound was worth something.
bool check_table(Random32& random) {
    const auto table = table_of(random);
    const int shift = table->weight[0] > 5 ? 16 : static_cast<int>(below(random, 3));  // of wide sums
    const Pinball objective(table, shift, 4, (1 + Cost{below(random, 2000)}) << 4);
    Node root;
    make_root(objective, root);
    const ColumnBounds bounds(*table, root.sums);
    Stump best{objective.leaf_cost(root), Stump::kLeaf, 0};
    bool bounded = false;
    for (std::size_t at = 0; at < root.columns.size(); ++at) {
        const std::uint32_t* order = root.orders[at];
        Cost least = kNoCost;
        for (std::uint32_t i = 1; i < root.n; ++i) {
            if (!starts_group(order[i])) continue;
            const Cost cost = leaf_of(objective, order, 0, i) + leaf_of(objective, order, i, root.n);
            least = std::min(least, cost);
            if (i >= table->min_leaf && root.n - i >= table->min_leaf && cost < best.cost)
                best = {cost, root.columns[at], table->rank_of(root.columns[at], row_of(order[i]))};
        }
        if (!bounds.exact_weights() || least == kNoCost) continue;
        // Each of two leaves was rounded down to less than one unit below.
        const double units = static_cast<double>((least - 2 * objective.leaf_penalty()) >> 4) + 2;
        const double bound = bounds.least_loss({order, root.n});
        check(bound <= units * static_cast<double>(std::int64_t{1} << shift), "a bound of every split");
        bounded = bounded || bound > 0.5 * units * static_cast<double>(std::int64_t{1} << shift);
    }
    const Stump found = objective.best_stump(root);
    check(found.cost == best.cost && found.column == best.column, "the first of the best splits");
    check(best.column == Stump::kLeaf || found.rank == best.rank, "the first of the best splits of its column");
    return bounded;
}

}  // namespace

int main() {
    Random32 random(7);
    int bounded = 0;
    for (int round = 0; round < 400; ++round) bounded += check_table(random) ? 1 : 0;
    check(bounded > 100, "bounds are worth something");
    std::printf("best splits are exact, %d tables bounded\n", bounded);
    return 0;
}
