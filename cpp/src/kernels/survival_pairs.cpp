#include "treewright/kernels/survival_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace treewright::ranked {

namespace {

double shift_of(const TwoSums& sums) {
    return std::log(std::max(1.0, std::accumulate(sums.b.begin(), sums.b.end(), 0.0))) + 1;
}

}  // namespace

SurvivalPairs::SurvivalPairs(const Survival& objective, const TwoSums& sums, const Options& options, Control& control)
    : MomentPairSolver(
          objective, options, control,
          {Gain::events, 2, shift_of(sums), sums.unit, 3 * static_cast<double>(objective.data().slack), sums.tie_bits}),
      error_(2 * sums.error_of(8) / sums.unit) {
    const EventTable& data = objective.data();
    const double shift = shift_of(sums), both = shift + std::log(sums.b_unit);
    for (std::uint32_t row = 0; row < data.n_rows; ++row) {
        double* const to = numbers(row);
        to[0] = sums.a[row];
        to[1] = sums.b[row];
        to[own_at()] = sums.a[row] * both - static_cast<double>(data.constant[row]) / sums.unit;
    }
}

// The rows' own gains, one rounding each, and their sum.
double SurvivalPairs::load(const Node& node) {
    add_up(node);
    return error_ + own_total_ * std::ldexp(64.0 + 2.0 * node.n, -53);
}

}  // namespace treewright::ranked
