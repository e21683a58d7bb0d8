#include "treewright/tree/line_losses.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace treewright::tree {

namespace {

constexpr std::size_t kLanes = 8, kBlock = 512;  // sums of blocks are added up: few roundings in a row

template <class Term>
double sum_of(std::size_t n, const Term& term) {
    double total = 0.0;
    for (std::size_t first = 0; first < n; first += kBlock) {
        const std::size_t end = std::min(n, first + kBlock), whole = first + (end - first) / kLanes * kLanes;
        std::array<double, kLanes> lanes{};
        for (std::size_t i = first; i < whole; i += kLanes)
            for (std::size_t k = 0; k < kLanes; ++k) lanes[k] += term(i + k);
        double block = 0.0;
        for (std::size_t i = whole; i < end; ++i) block += term(i);
        for (const double lane : lanes) block += lane;
        total += block;
    }
    return total;
}

// The mean is taken twice, for values far from zero.
void centre(std::span<double> x, std::span<const double> weight, double all) {
    for (int pass = 0; pass < 2; ++pass) {
        const double mean = sum_of(x.size(), [&](std::size_t i) { return weight[i] * x[i]; }) / all;
        for (double& value : x) value -= mean;
    }
}

}  // namespace

void line_losses(const EncodedRows& table, const LeafTargets& leaf, std::span<const std::int64_t> columns,
                 std::span<double> loss) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const std::size_t n = leaf.rows.size();
    std::vector<double> values(n);
    const std::span<double> x(values);
    const double all = sum_of(n, [&](std::size_t i) { return leaf.weight[i]; });
    for (std::size_t j = 0; j < columns.size(); ++j) {
        loss[j] = kInfinity;
        const double* const column = table.data + static_cast<std::ptrdiff_t>(columns[j]) * table.column_stride;
        double low = kInfinity, high = -kInfinity;
        bool is_known = true;
        for (std::size_t i = 0; i < n; ++i) {
            x[i] = column[static_cast<std::ptrdiff_t>(leaf.rows[i]) * table.row_stride];
            low = std::min(low, x[i]), high = std::max(high, x[i]);
            is_known = is_known && !std::isnan(x[i]);
        }
        if (!is_known || !(low < high)) continue;
        // Halves: two values may lie further apart than a double. In parts of the range no square overflows.
        const double range = high / 2 - low / 2;
        for (double& value : x) value = (value / 2 - low / 2) / range;
        centre(x, leaf.weight, all);
        const double square = sum_of(n, [&](std::size_t i) { return leaf.weight[i] * (x[i] * x[i]); });
        const double slope = sum_of(n, [&](std::size_t i) { return x[i] * (leaf.weight[i] * leaf.apart[i]); }) / square;
        loss[j] = sum_of(n, [&](std::size_t i) {
            const double left = leaf.apart[i] - slope * x[i];
            return leaf.weight[i] * (left * left);
        });
    }
}

}  // namespace treewright::tree
