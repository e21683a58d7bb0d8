// The kernel of ways_kernel.hpp, compiled once for each instruction set.
#include "treewright/kernels/ways_kernel.hpp"

#include <algorithm>

namespace treewright::binary {
namespace {

void convolve(const Ways* a, std::size_t n_a, double factor, const Ways* __restrict padded, std::size_t n_b,
              Ways* __restrict out, std::size_t n_out) {
    for (std::size_t i = 0; i < n_a && i < n_out; i += 8) {
        const auto term = [&](std::size_t k) { return i + k < n_a ? a[i + k].value * factor : 0.0; };
        const double f0 = term(0), f1 = term(1), f2 = term(2), f3 = term(3), f4 = term(4), f5 = term(5), f6 = term(6),
                     f7 = term(7);
        const std::size_t n = std::min(n_b + kWaysPadding, n_out - i);
        Ways* __restrict to = out + i;
        for (std::size_t t = 0; t < n; ++t) {
            const Ways* from = padded + t;
            to[t].value += ((f0 * from[7].value + f1 * from[6].value) + (f2 * from[5].value + f3 * from[4].value)) +
                           ((f4 * from[3].value + f5 * from[2].value) + (f6 * from[1].value + f7 * from[0].value));
        }
    }
}

template <std::size_t kLanes>
void convolve_lanes(const LaneWays<kLanes>* a, std::size_t n_a, const LaneWays<kLanes>& factor,
                    const LaneWays<kLanes>* b, std::size_t n_b, LaneWays<kLanes>* __restrict out, std::size_t n_out) {
    for (std::size_t i = 0; i < n_a && i < n_out; ++i) {
        double scaled[kLanes];
        for (std::size_t lane = 0; lane < kLanes; ++lane) scaled[lane] = a[i].value[lane] * factor.value[lane];
        const std::size_t n = std::min(n_b, n_out - i);
        LaneWays<kLanes>* __restrict to = out + i;
        for (std::size_t t = 0; t < n; ++t)
            for (std::size_t lane = 0; lane < kLanes; ++lane) to[t].value[lane] += scaled[lane] * b[t].value[lane];
    }
}

constexpr WaysKernels kKernels{convolve, convolve_lanes<kFewLanes>, convolve_lanes<kMostLanes>};

}  // namespace
}  // namespace treewright::binary
