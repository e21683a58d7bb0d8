// Convolution of rounded counts: the trees of each number of errors that two sides make together.
#pragma once

#include "treewright/core/cpu.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace treewright::binary {

// How many there are, rounded.
struct Ways {
    static constexpr std::int64_t kLongestGap = 8;  // of errors in a node's cells, filled with zeros: longer runs
    double value = 0;

    [[nodiscard]] bool none() const { return value == 0; }
    Ways& operator+=(const Ways& other) {
        value += other.value;
        return *this;
    }
};
template <class Out>
[[nodiscard]] inline Out product(const Ways& a, const Ways& b) {
    return {a.value * b.value};
}

// How many there are of each of several kinds, rounded.
inline constexpr std::size_t kFewLanes = 8, kMostLanes = 16;
template <std::size_t kLanes>
struct LaneWays {
    static constexpr std::int64_t kLongestGap = 2;
    double value[kLanes] = {};

    [[nodiscard]] bool none() const {
        return std::all_of(std::begin(value), std::end(value), [](double some) { return some == 0; });
    }
    LaneWays& operator+=(const LaneWays& other) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) value[lane] += other.value[lane];
        return *this;
    }
};
template <class Out, std::size_t kLanes>
[[nodiscard]] inline Out product(const LaneWays<kLanes>& a, const LaneWays<kLanes>& b) {
    Out out;
    for (std::size_t lane = 0; lane < kLanes; ++lane) out.value[lane] = a.value[lane] * b.value[lane];
    return out;
}

inline constexpr std::size_t kWaysPadding = 7;  // zeros before and behind the second factor

struct WaysKernels {
    // out[i + j] += factor * a[i] * b[j], i < n_a, j < n_b, i + j < n_out; `padded` is b with its zeros. Eight `a` a
    // pass: each element of `out` is read and written an eighth as often, and a pass reads what the last one wrote in
    // the same vectors, which the processor forwards at once. All instruction sets add in the same order.
    void (*convolve)(const Ways* a, std::size_t n_a, double factor, const Ways* padded, std::size_t n_b, Ways* out,
                     std::size_t n_out);
    // The same for every lane; `b` without zeros beside it. Short runs fill vectors here, too.
    template <std::size_t kLanes>
    using OfLanes = void (*)(const LaneWays<kLanes>* a, std::size_t n_a, const LaneWays<kLanes>& factor,
                             const LaneWays<kLanes>* b, std::size_t n_b, LaneWays<kLanes>* out, std::size_t n_out);
    OfLanes<kFewLanes> convolve_few_lanes;
    OfLanes<kMostLanes> convolve_most_lanes;

    template <std::size_t kLanes>
    [[nodiscard]] OfLanes<kLanes> convolve_lanes() const {
        if constexpr (kLanes == kFewLanes)
            return convolve_few_lanes;
        else
            return convolve_most_lanes;
    }
};

[[nodiscard]] const WaysKernels& ways_kernels(Simd level);

// One table per translation unit.
[[nodiscard]] const WaysKernels& ways_kernels_plain();
[[nodiscard]] const WaysKernels& ways_kernels_avx2();
[[nodiscard]] const WaysKernels& ways_kernels_avx512();

}  // namespace treewright::binary
