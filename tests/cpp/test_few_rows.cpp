// What few rows are proven to cost, for every set that holds them, against a recursion over all trees. An error costs
// more than a leaf, ones are rare, and rules make the labels, so that few rows need as many leaves as many.
#include "check.hpp"
#include "treewright/search/binary_search.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <span>
#include <unordered_map>
#include <vector>

using namespace treewright;
using namespace treewright::binary;

namespace {

constexpr std::int64_t kMostLeaves = 5;

struct Table {
    std::vector<std::uint8_t> goes_right;
    std::vector<std::int32_t> y;
    std::vector<std::int64_t> weight;
};

Table made(Dice& dice, std::size_t n_columns, std::size_t n_rows) {
    Table out;
    const std::size_t most = 2 + dice.below(5);
    for (std::size_t i = 0; i < n_columns * n_rows; ++i) out.goes_right.push_back(dice.below(most) == 0);
    const auto bit = [&](std::size_t column, std::size_t row) { return out.goes_right[column * n_rows + row] != 0; };
    const bool parity = dice.coin();
    for (std::size_t r = 0; r < n_rows; ++r) {
        const bool both = bit(0, r) && bit(1, r), either = bit(2, r) || bit(3, r);
        out.y.push_back((parity ? both != either : both || (bit(4, r) && !either)) != (bit(5, r) && bit(6, r)));
        out.weight.push_back(static_cast<std::int64_t>(1 + dice.below(3)));
    }
    return out;
}

// The least cost of some rows with any number of splits, tried out.
class Plain {
   public:
    Plain(const Dataset& data, const Settings& settings) : data_(data), settings_(settings) {}

    std::int64_t least(std::uint64_t rows) {
        const auto [known, fresh] = of_.try_emplace(rows, 0);
        if (!fresh) return known->second;
        std::vector<std::int64_t> cost(data_.n_classes, 0);
        for (std::size_t r = 0; r < data_.n_rows; ++r)
            for (std::size_t k = 0; k < cost.size() && (rows >> r & 1U) != 0; ++k)
                cost[k] += data_.cost[r * data_.n_classes + k];
        std::int64_t best =
            (*std::min_element(cost.begin(), cost.end()) << settings_.unit_shift) + settings_.leaf_penalty;
        for (std::size_t j = 0; j < data_.n_columns && best > 2 * settings_.leaf_penalty; ++j) {
            std::uint64_t ones = 0;
            for (std::size_t r = 0; r < data_.n_rows; ++r) ones |= std::uint64_t{data_.bit(r, j)} << r;
            if ((rows & ones) != 0 && (rows & ~ones) != 0)
                best = std::min(best, least(rows & ones) + least(rows & ~ones));
        }
        return of_[rows] = best;
    }

   private:
    const Dataset& data_;
    const Settings& settings_;
    std::unordered_map<std::uint64_t, std::int64_t> of_;
};

}  // namespace

int main() {
    Dice dice(3);
    int n_sets[kMostLeaves + 1] = {};
    for (int trial = 0; trial < 400; ++trial) {
        const std::size_t n_columns = 8 + dice.below(8), n_rows = 30 + dice.below(30);
        const Table table = made(dice, n_columns, n_rows);
        const std::vector<std::int64_t> costs{0, 1, 1, 0};
        const Dataset data = reduce({.goes_right = table.goes_right,
                                     .n_columns = n_columns,
                                     .n_rows = n_rows,
                                     .y = table.y,
                                     .weight = table.weight,
                                     .costs = costs,
                                     .n_classes = 2,
                                     .keep_free_rows = false});
        Settings settings;
        settings.leaf_penalty = static_cast<std::int64_t>(8 + dice.below(30));
        settings.unit_shift = 5;  // 32 units an error
        settings.max_depth = dice.coin() ? kUnlimited : static_cast<std::int32_t>(4 + dice.below(3));
        settings.options.plain_steps = 1;
        settings.options.lattice = false;
        settings.options.greedy_start = dice.coin();
        settings.options.two_leaves = dice.coin();
        // Where they save too little they are given up: a stop leaves those found so far.
        Control control({.seconds = 60, .steps = static_cast<std::int64_t>(1 + dice.below(300))});
        Search<std::int32_t> search(data, settings, {}, control);
        const Bounds bounds = search.run();
        Plain plain(data, settings);
        search.each_of_few_rows([&](std::span<const std::uint64_t> rows, std::int64_t bound) {
            check(plain.least(rows[0]) >= bound, "no tree of these rows costs less");
            ++n_sets[std::min<std::int64_t>(bound / settings.leaf_penalty, kMostLeaves)];
        });
        check(bounds.lower <= bounds.upper, "bounds");
    }
    check(n_sets[3] > 30 && n_sets[4] > 30 && n_sets[5] > 5, "sets that cost three, four and five leaves");
    std::puts("few rows: ok");
}
