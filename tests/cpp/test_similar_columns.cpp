// Thresholds of few numbers are columns that differ in few rows: what one split proves of its sides bounds those of the
// next (B6). The least cost is that without this bound.
#include "check.hpp"
#include "treewright/search/binary_search.hpp"

#include <cstdint>
#include <cstdio>
#include <vector>

using namespace treewright;
using namespace treewright::binary;

int main() {
    Dice dice(13);
    std::int64_t saved = 0;
    int deep = 0;
    for (int trial = 0; trial < 250; ++trial) {
        const std::size_t n_numbers = 2 + dice.below(2), n_values = 6 + dice.below(6), n_rows = 30 + dice.below(60);
        std::vector<std::size_t> number;
        for (std::size_t i = 0; i < n_numbers * n_rows; ++i) number.push_back(dice.below(n_values));
        const auto at = [&](std::size_t which, std::size_t row) { return number[which * n_rows + row]; };
        std::vector<std::uint8_t> goes_right;
        for (std::size_t which = 0; which < n_numbers; ++which)
            for (std::size_t t = 1; t < n_values; ++t)
                for (std::size_t r = 0; r < n_rows; ++r) goes_right.push_back(at(which, r) >= t);
        std::vector<std::int32_t> y;
        std::vector<std::int64_t> weight;
        for (std::size_t r = 0; r < n_rows; ++r) {
            const bool rule = (at(0, r) % 4 < 2) != (at(1, r) > n_values / 3);
            y.push_back(dice.below(8) == 0 ? static_cast<std::int32_t>(dice.below(3)) : rule ? 1 : 0);
            weight.push_back(static_cast<std::int64_t>(1 + dice.below(3)));
        }
        const std::vector<std::int64_t> costs{0, 1, 2, 1, 0, 1, 1, 2, 0};
        Settings settings;
        settings.min_count = dice.below(3) == 0 ? 3 : 0;
        settings.leaf_penalty = static_cast<std::int64_t>(dice.below(12));
        settings.max_depth = dice.below(3) == 0 ? kUnlimited : static_cast<std::int32_t>(3 + dice.below(2));
        settings.options.lattice = false;
        settings.options.greedy_start = dice.coin();
        const Dataset data = reduce({.goes_right = goes_right,
                                     .n_columns = n_numbers * (n_values - 1),
                                     .n_rows = n_rows,
                                     .y = y,
                                     .weight = weight,
                                     .costs = costs,
                                     .n_classes = 3,
                                     .keep_free_rows = settings.min_count > 0});
        std::int64_t upper[2], steps[2];
        for (const bool similar : {false, true}) {
            settings.options.similar_support = similar;
            Control control({.seconds = 60});
            Search<std::int32_t> search(data, settings, {}, control);
            const Bounds bounds = search.run();
            check(bounds.exact(), "a run without limits ends");
            deep += count_leaves(search.tree(bounds)) > 4 ? 1 : 0;
            upper[similar] = bounds.upper;
            steps[similar] = control.steps();
        }
        check(upper[0] == upper[1], "the same least cost");
        saved += steps[0] - steps[1];
    }
    check(deep > 100, "trees that no pair of columns makes");
    check(saved > 100, "the bound saves steps");
    std::puts("similar columns: ok");
}
