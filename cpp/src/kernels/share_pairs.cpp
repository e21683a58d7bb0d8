#include "treewright/kernels/share_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace treewright::ranked {

namespace {

std::uint32_t sums_for(std::uint32_t n_classes) {
    return n_classes <= 2 ? 2 : n_classes == 3 ? 3 : SharePairs::kMaxClasses;
}

// In nodes of fewer rows a pass of so many lanes takes longer than the splits that it closes one by one. Measured on
// made data of 1,000 and 5,000 rows, 8 columns, depth 3, 64 lanes: of 300, 700, 1,500 and 3,000 rows, 700 was best.
std::uint32_t min_rows(const Options& options) { return 11 * (options.lanes - 1); }

double shift_of(std::uint32_t n_classes) { return std::log(static_cast<double>(n_classes)) + 1; }

}  // namespace

SharePairs::SharePairs(const LogLoss& objective, const Options& options, Control& control)
    : MomentPairSolver(objective, options, control,
                       {Gain::shares, sums_for(objective.data().n_classes), shift_of(objective.data().n_classes),
                        std::ldexp(1.0, objective.data().scale), 3 * static_cast<double>(objective.data().slack),
                        objective.tie_bits(), min_rows(options)}) {
    const ClassTable& data = objective.data();
    const double slack = std::ldexp(static_cast<double>(data.slack), -data.scale), shift = shift_of(data.n_classes);
    double all = 0;
    for (std::uint32_t row = 0; row < data.n_rows; ++row) {
        const auto weight = static_cast<double>(data.weight[row]);
        double* const to = numbers(row);
        to[data.label[row]] = weight;
        to[own_at()] = shift * weight + 4 * slack;
        all += weight;
    }
    logarithm_ = std::log(std::max(all, 1.0)) + shift;
    // Two leaves are off by a slack each. Three more: a split with an empty side, which the kernel sees and which lacks
    // three slacks more than the leaf that it is, then never seems to be cheaper, whatever a leaf costs.
    slacks_ = 5 * slack;
}

// Weights are added exactly. Each logarithm of the kernel is off by less than 4.1e-12 (log_lanes_impl.hpp), so a gain
// by twice that for each unit of weight, and its at most 9 products and 9 additions by a rounding each of what is at
// most W times the largest logarithm and c. The rows' own gains have two roundings each, and their sum.
double SharePairs::load(const Node& node) {
    add_up(node);
    const double weight = std::accumulate(total_.begin(), total_.end(), 0.0);
    return slacks_ + weight * (1e-11 + std::ldexp(64.0 * logarithm_, -53)) +
           own_total_ * std::ldexp(64.0 + 2.0 * node.n, -53);
}

}  // namespace treewright::ranked
