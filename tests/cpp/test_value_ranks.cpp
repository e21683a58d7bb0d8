// Ranks of values say what comparing the values says, whatever bits they differ in.
#include "check.hpp"
#include "made_input.hpp"
#include "treewright/space/value_ranks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <vector>

using namespace treewright;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

void compare(const std::vector<double>& column) {
    std::vector<std::uint32_t> rank(column.size());
    const ValueRanks found = rank_values(column, rank);
    std::vector<double> known, distinct;
    for (const double value : column)
        if (!std::isnan(value)) known.push_back(value);
    std::sort(known.begin(), known.end());
    std::vector<std::int64_t> before;
    for (std::size_t i = 0; i < known.size(); ++i)
        if (i == 0 || known[i] != known[i - 1]) {
            distinct.push_back(known[i]);
            before.push_back(static_cast<std::int64_t>(i));
        }
    check(found.values == distinct && found.n_known == known.size(), "the distinct values");
    for (const double value : found.values) check(value != 0 || !std::signbit(value), "zero has no sign");
    for (std::size_t row = 0; row < column.size(); ++row) {
        if (std::isnan(column[row]))
            check(rank[row] == distinct.size(), "missing comes after all");
        else
            check(rank[row] < distinct.size() && distinct[rank[row]] == column[row], "the rank is that of the value");
    }
    std::vector<double> weight(column.size());
    for (std::size_t row = 0; row < weight.size(); ++row) weight[row] = 1.0 / static_cast<double>(row + 3);
    const std::vector<double> sums = running_weights(before, found.n_known, rank, weight);
    if (column.size() > 3000) return;
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < column.size(); ++row)
        if (!std::isnan(column[row])) rows.push_back(row);
    std::stable_sort(rows.begin(), rows.end(), [&](auto a, auto b) { return column[a] < column[b]; });
    double sum = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        sum += weight[rows[i]];
        if (i + 1 == rows.size() || column[rows[i + 1]] != column[rows[i]])
            check(sums[rank[rows[i]]] == sum, "weights are added row by row");
    }
}

double drawn(Dice& dice, int kind) {
    const auto some = [&](std::size_t n) { return static_cast<double>(dice.below(n)); };
    const double near = some(1u << 20);
    switch (kind) {
        case 0:
            return some(5) - 2;  // few whole numbers, of both signs
        case 1:
            return near * 4096 + some(4096);  // many
        case 2:
            return (near / 7 - 70000) * std::exp2(some(40) - 20);  // all bits
        case 3:
            return 1 + near * std::numeric_limits<double>::epsilon();  // the lowest bits alone
        case 4:
            return dice.below(3) == 0 ? 0.0 : std::exp2(-1074) * near;  // subnormal
        case 5:
            return static_cast<double>(static_cast<float>(near / 1000));
        case 6:
            return dice.coin() ? (dice.coin() ? -0.0 : 0.0) : 1e9 + near * 1e-7;  // a long run that agrees above
        default:
            return dice.coin() ? std::numeric_limits<double>::max() : -std::numeric_limits<double>::max() / 3;
    }
}

}  // namespace

int main() {
    Dice dice(17);
    compare({});
    compare({kNaN, kNaN});
    compare({0.0, -0.0, kNaN, -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()});
    for (int round = 0; round < 2000; ++round) {
        const int kind = static_cast<int>(dice.below(9));  // 8: all of them
        const std::size_t n = round % 50 == 0 ? 20000 : 1 + dice.below(round % 3 == 0 ? 1200 : 40);
        const std::size_t missing = dice.below(4);
        std::vector<double> column(n);
        for (double& value : column)
            value = missing > 0 && dice.below(8) < missing
                        ? kNaN
                        : drawn(dice, kind < 8 ? kind : static_cast<int>(dice.below(8)));
        compare(column);
    }
    std::puts("value ranks: ok");
}
