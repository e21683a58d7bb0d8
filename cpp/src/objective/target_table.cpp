#include "treewright/objective/target_table.hpp"

#include <algorithm>
#include <cstddef>

namespace treewright::ranked {

void TargetTable::prepare() {
    RankedTable::prepare();
    square_high.assign(n_rows, 0);
    square_low.assign(n_rows, 0);
    for (std::uint32_t row = 0; row < n_rows; ++row) {
        if (weight[row] == 0) continue;
        Wide squares = 0;
        for (std::uint32_t k = 0; k < n_outputs; ++k) squares += Wide{weighted_of(k, row)} * weighted_of(k, row);
        const Wide q = (squares + weight[row] - 1) / weight[row];
        square_high[row] = static_cast<std::int64_t>(q >> kLowBits);
        square_low[row] = static_cast<std::int64_t>(q & ((Wide{1} << kLowBits) - 1));
    }
    if (min_leaf <= 1) return;  // nothing else asks for the largest losses
    largest_loss.assign(n_rows, 0.0);
    // A leaf's value lies between the smallest and the largest target, and a row loses most at one of them.
    for (std::uint32_t k = 0; k < n_outputs; ++k) {
        const auto target = [&](std::uint32_t row) {
            return static_cast<double>(weighted_of(k, row)) / static_cast<double>(weight[row]);
        };
        double lowest = 0, highest = 0;
        bool any = false;
        for (std::uint32_t row = 0; row < n_rows; ++row) {
            if (weight[row] == 0) continue;
            lowest = any ? std::min(lowest, target(row)) : target(row);
            highest = any ? std::max(highest, target(row)) : target(row);
            any = true;
        }
        for (std::uint32_t row = 0; row < n_rows; ++row) {
            if (weight[row] == 0) continue;
            const double y = target(row), far = std::max(y - lowest, highest - y);
            largest_loss[row] += static_cast<double>(weight[row]) * far * far;
        }
    }
    // Rounding of the three operations above, and of the row's square to a whole number.
    for (double& loss : largest_loss) loss = loss > 0 ? loss * (1 + 1e-12) + 1 : 0;
}

void TargetTable::take(const TargetTable& other, std::span<const std::uint32_t> rows) {
    RankedTable::take(other, rows);
    n_outputs = other.n_outputs;
    weight = of_rows(rows, other.weight);
    weighted = of_rows(rows, other.weighted, n_outputs);
    prepare();
}

}  // namespace treewright::ranked
