// rank_values against a sort by comparison, and sort_column (RankedTable::prepare) on what it gives.
#include "check.hpp"
#include "treewright/core/random.hpp"
#include "treewright/space/ranked_table.hpp"
#include "treewright/space/value_ranks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <vector>

using namespace treewright::ranked;

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// Values of several kinds: few, many, of all sizes, alike in the upper half of their bits, missing.
double draw(Random& random, int kind) {
    const auto r = static_cast<double>(random.below(1u << 20));
    switch (kind) {
        case 0:
            return r - (1 << 19);
        case 1:
            return std::ldexp(r - (1 << 19), static_cast<int>(random.below(1800)) - 900);
        case 2:
            return 1.0 + r * 0x1p-50;
        case 3:
            return random.below(3) == 0 ? kMissing : std::fmod(r, 7.0);
        default:
            return random.below(2) == 0 ? 0.0 : -0.0;
    }
}

void check_column(const std::vector<double>& x) {
    std::vector<double> values;
    for (const double v : x)
        if (!std::isnan(v)) values.push_back(v);
    const std::size_t n_known = values.size();
    std::sort(values.begin(), values.end());
    std::vector<double> sorted = values;
    values.erase(std::unique(values.begin(), values.end()), values.end());

    RankedTable table;
    table.n_rows = static_cast<std::uint32_t>(x.size());
    table.n_columns = 1;
    table.rank.resize(x.size());
    const ValueRanks found = rank_values(x, table.rank);
    check(found.values == values, "ascending, no two equal");
    check(found.n_known == n_known, "rows with a value");
    check(found.before.size() == values.size(), "a count for each value");
    for (std::size_t k = 0; k < values.size(); ++k) {
        const auto first = std::lower_bound(sorted.begin(), sorted.end(), values[k]) - sorted.begin();
        check(found.before[k] == first, "rows with a smaller value");
    }
    for (std::size_t row = 0; row < x.size(); ++row) {
        const std::uint32_t r = table.rank[row];
        check(std::isnan(x[row]) ? r == values.size() : values[r] == x[row], "the rank of the row's value");
    }

    table.prepare();
    for (std::uint32_t i = 0; i < table.n_rows; ++i) {
        const std::uint32_t row = row_of(table.order[i]);
        const std::uint32_t before = i == 0 ? 0 : row_of(table.order[i - 1]);
        const bool new_rank = i == 0 || table.rank[before] != table.rank[row];
        check(i == 0 || table.rank[before] < table.rank[row] || (!new_rank && before < row), "by rank, ties by row");
        check(starts_group(table.order[i]) == new_rank, "the first of each rank is marked");
    }
}

}  // namespace

int main() {
    Random random(1);
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{1023}, std::size_t{1024},
                                std::size_t{3000}, std::size_t{20000}})
        for (int kind = 0; kind < 5; ++kind) {
            std::vector<double> x(n);
            for (double& v : x) v = draw(random, kind);
            check_column(x);
        }
    std::puts("value ranks: ok");
    return 0;
}
