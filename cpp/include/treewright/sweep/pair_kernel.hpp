// The depth-two kernel: for many thresholds of one root column at once, the best second split of both sides.
//
// A pass takes thresholds t_0 < t_1 < ... of the root column (one per SIMD lane). `bucket[row]` is the number of
// thresholds that send the row right, so the row is on the left side in lane k exactly if k >= bucket[row]. For each
// second column, the rows are walked in its order and every lane keeps the running sums of both its sides; at each
// change of rank the running sums are the two leaves of a split of each side.
//
// Two classes: a row adds its signed weight s (positive: class 1 is cheaper). A side with total S and prefix sum s,
// total |weight| W, costs (W - |s| - |S - s|) / 2 = (W - max(|S|, |2s - S|)) / 2 when split there, so only the largest
// and the smallest s over the legal positions of ALL second columns matter: they are the result.
//
// Many classes: a row adds its gains (largest cost of its label less cost) per class; the two leaves choose their
// classes on their own, so the best gain of a split is max over positions of max_a c_a + max_b (C_b - c_b).
// With a minimum leaf size a lane looks at a position only if both leaves of the side hold enough rows.
// A result of 0 means "no split better than none"; it never beats the leaf, so no sentinel is needed.
//
// The same template (pair_kernel_impl.hpp) is compiled for plain C++, AVX2 and AVX-512; plain uses the compiler's
// generic vectors, so that all levels give the same numbers (tests/cpp/test_sweep_kernel.cpp).
#pragma once

#include "treewright/cpu.hpp"
#include "treewright/sweep/data.hpp"

#include <array>
#include <cstdint>
#include <span>

namespace treewright::sweep {

inline constexpr std::size_t kMostLanes = 64;
inline constexpr std::size_t kMostUnitClasses = 16;

struct PairTask {
    std::uint32_t n = 0;                             // rows of the node
    std::span<const std::uint32_t* const> orders{};  // one per second column
    const std::uint8_t* bucket = nullptr;            // [row of the table]
    const Data* data = nullptr;
    std::uint32_t min_leaf = 1;
    std::uint32_t n_lanes = 0;
    const std::uint32_t* left_rows = nullptr;   // [lane]

    // Many classes.
    std::uint32_t n_classes = 0;              // that some row of the node gains from
    const std::uint32_t* classes = nullptr;   // their numbers
    const std::uint64_t* lookup = nullptr;    // [row of the table]: weight << 32 | which << 8 | bucket
    const std::int32_t* gain = nullptr;       // null: `which` is the only class (its place in `classes`) that a row of
                                              // its label gains from, and weight the gain; else `which` is the label
    const std::int32_t* left_gain = nullptr;   // [class][kMostLanes]: totals of the left side
    const std::int32_t* right_gain = nullptr;  // [class][kMostLanes]

    // Results, per lane. Two classes: largest and smallest prefix sums. Many classes: best gain (in high_*).
    std::array<std::int32_t, kMostLanes> high_left{}, low_left{}, high_right{}, low_right{};
};

using PairKernel = void (*)(PairTask&);

struct PairKernels {
    PairKernel unit;       // two classes, weights 0 or 1, no minimum leaf size: 8-bit lanes; bucket holds the sign too
    PairKernel signed16;   // two classes, total weight and rows < 2^15
    PairKernel signed32;   // two classes, total weight < 2^30
    PairKernel classes16;  // many classes, total gain and rows < 2^15
    PairKernel classes32;  // many classes, total gain < 2^30
    // Many classes, at most kMostUnitClasses, weights 0 or 1, gains by place, no minimum leaf size: 8-bit lanes.
    PairKernel unit_classes16, unit_classes32;  // rows < 2^15, < 2^30
    std::uint32_t unit_lanes, lanes16, lanes32;  // thresholds per pass
};

[[nodiscard]] const PairKernels& pair_kernels(Simd level);

// One table per translation unit.
[[nodiscard]] const PairKernels& pair_kernels_plain();
[[nodiscard]] const PairKernels& pair_kernels_avx2();
[[nodiscard]] const PairKernels& pair_kernels_avx512();

}  // namespace treewright::sweep
