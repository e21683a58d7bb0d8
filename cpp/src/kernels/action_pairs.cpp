#include "treewright/kernels/action_pairs.hpp"

#include <algorithm>
#include <cmath>

namespace treewright::ranked {

namespace {

// Bits that costs lose: sums of the rows' largest costs are below 2^52 then.
int bits_lost(const ActionTable& data) {
    std::int64_t all = 0;
    for (std::size_t row = 0; row < data.n_rows; ++row) {
        const auto* first = data.cost.data() + row * data.n_actions;
        all += *std::max_element(first, first + data.n_actions);
    }
    int bits = 0;
    while ((all >> bits) > (std::int64_t{1} << 52) - data.n_rows) ++bits;
    return bits;
}

}  // namespace

ActionPairs::ActionPairs(const ActionCosts& objective, const Options& options, Control& control)
    : MomentPairSolver(objective, options, control,
                       {Gain::actions, objective.data().n_actions <= 3 ? 3u : kMaxActions, 0,
                        std::ldexp(1.0, bits_lost(objective.data())), 0, objective.tie_bits()}) {
    const ActionTable& data = objective.data();
    const int bits = bits_lost(data);
    rounded_ = bits > 0;
    for (std::uint32_t row = 0; row < data.n_rows; ++row) {
        double* const to = numbers(row);
        const auto* cost = data.cost.data() + std::size_t{row} * data.n_actions;
        const auto rounded = [&](std::int64_t c) { return (c + (std::int64_t{1} << bits >> 1)) >> bits; };
        const std::int64_t worst = rounded(*std::max_element(cost, cost + data.n_actions));
        for (std::uint32_t k = 0; k < data.n_actions; ++k) to[k] = static_cast<double>(worst - rounded(cost[k]));
        to[own_at()] = static_cast<double>(worst);
    }
}

// Whole numbers are added exactly; each is off by half a unit where costs were rounded.
double ActionPairs::load(const Node& node) {
    add_up(node);
    return rounded_ ? 0.5 * node.n + 1 : 0;
}

}  // namespace treewright::ranked
