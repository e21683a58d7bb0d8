// The kernel of line_kernel.hpp, compiled once for each instruction set.
#include "treewright/kernels/line_kernel.hpp"
#include "treewright/space/ranked_table.hpp"

namespace treewright::ranked {
namespace {

constexpr std::size_t kLanes = 8;

// gain[i] of the columns from `first` on: largest of what is there and their gains on the first i + 1 rows of the pass.
void add_gains(const LinePass& pass, std::size_t first) {
    const Eight center = load(pass.centers + first), value_error = load(pass.value_errors + first),
                product_error = load(pass.product_errors + first), none = spread(0.0);
    Eight sum = none, square = none, product = none, furthest = none, begin = none, known = spread(1.0);
    for (std::uint32_t i = 0; i < pass.n; ++i) {
        const std::uint32_t at = pass.backward ? pass.n - 1 - i : i, row = row_of(pass.order[at]);
        if (i + 8 < pass.n)
            __builtin_prefetch(pass.values + row_of(pass.order[pass.backward ? at - 8 : at + 8]) * pass.lanes + first);
        Eight x = load(pass.values + row * pass.lanes + first) - center;
        const auto is_known = x == x;
        known = choose(is_known, known, none);
        x = choose(is_known, x, none);
        if (i == 0) begin = x;
        const double w = pass.weights[row], y = pass.targets[row] - pass.target_center;
        const Eight weighted = x * w, apart = larger(x - begin, begin - x);
        sum += weighted;
        square += weighted * x;
        product += weighted * y;
        furthest = larger(apart, furthest);
        // A group starts behind these rows, or with the last of them.
        if (pass.backward ? !starts_group(pass.order[at]) : at + 1 == pass.n || !starts_group(pass.order[at + 1]))
            continue;
        const Eight cxx = square - sum * sum * pass.inverse_weight[i] - value_error;
        const Eight exact = product - sum * pass.mean_target[i];
        const Eight cxy = larger(exact, -exact) + product_error, least = furthest * furthest * 0.499999;
        const Eight above = cxy * cxy * known, below = larger(cxx, least);
        if (!any(above > below * pass.gain[i])) continue;
        const Eight gain = above / below;
        const double most = largest(choose(furthest > none, gain, none));
        if (most > pass.gain[i]) pass.gain[i] = most;
    }
}

void bound_losses(const LinePass& pass, double* loss) {
    for (std::uint32_t i = 0; i < pass.n; ++i) pass.gain[i] = 0;
    double weight = 0, sum = 0, square = 0;
    for (std::uint32_t i = 0; i < pass.n; ++i) {
        const std::uint32_t at = pass.backward ? pass.n - 1 - i : i, row = row_of(pass.order[at]);
        const double w = pass.weights[row], y = pass.targets[row] - pass.target_center;
        weight += w;
        sum += w * y;
        square += w * y * y;
        pass.inverse_weight[i] = 1 / weight;
        pass.mean_target[i] = sum * pass.inverse_weight[i];
        const std::uint32_t position = pass.backward ? at : at + 1;
        if (position < pass.n) loss[position] = square - sum * pass.mean_target[i];
    }
    for (std::size_t first = 0; first < pass.lanes; first += kLanes) add_gains(pass, first);
    for (std::uint32_t i = 0; i + 1 < pass.n; ++i) {
        double& least = loss[pass.backward ? pass.n - 1 - i : i + 1];
        least -= pass.target_error + pass.gain[i] * (1 + 1e-12);
        if (least < 0) least = 0;
    }
}

constexpr LineKernels kKernels{bound_losses};

}  // namespace
}  // namespace treewright::ranked
