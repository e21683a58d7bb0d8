// The depth-two kernel: for many root splits at once, the best second split of both sides.
//
// A pass takes one root split per SIMD lane, of any columns: `left_lanes[row]` has bit k set where split k sends the
// row left. For each second column, the rows are walked in its order and every lane keeps the running sums of both its
// sides; at each change of rank the running sums are the two leaves of a split of each side.
//
// A row gains g_a where its leaf predicts class a (largest cost of its label less the cost). A side whose rows gain C_a
// together, c_a of it before the split, gains max over positions of max_a c_a + max_b (C_b - c_b): its two leaves
// choose their classes on their own, and a = b is no better than the leaf.
//
// Two classes: with the signed sum s = c_1 - c_0 before the split and S = C_1 - C_0 that is C_0 + max(s, S - s), so
// only the largest and the smallest s over the legal positions of ALL second columns matter.
//
// Weights of 0 and 1 (unit kernels): a stretch of rows is walked split by split only if its ends leave room for a
// better one. Inside it no sum c_a is above what it is at the end and no rest C_b - c_b above what it is at the start,
// so with a != b no split gains more than c_a(end) + (C_b - c_b)(start). What the rows of a stretch add costs one
// addition a row; most stretches of most columns are never walked (segment at depth 3: 85 %, page 90 %, htru 80 %,
// magic 55 %).
//
// With a minimum leaf size a lane looks at a position only if both leaves of the side hold enough rows.
//
// The same template (pair_kernel_impl.hpp) is compiled for plain C++, AVX2 and AVX-512; plain uses the compiler's
// generic vectors, so that all levels give the same numbers (tests/cpp/test_ranked_kernel.cpp).
#pragma once

#include "treewright/core/cpu.hpp"
#include "treewright/objective/labelled_table.hpp"

#include <array>
#include <cstdint>
#include <span>

namespace treewright::ranked {

inline constexpr std::size_t kMaxLanes = 64;
inline constexpr std::size_t kMaxUnitClasses = 16;
// From here the rows' lanes are asked for ahead: they lie in no order, and fill more than a core's own memory.
// Searching a million rows at depth two took 1.27 s of the processor instead of 1.53 (benchmarks/harder.py).
inline constexpr std::uint32_t kFarRows = 65'536;
inline constexpr std::int64_t kMaxNarrow = 32000;  // 16 bits, and room for the bounds of a stretch of rows

// A column's order in stretches of at most kStretchRows rows.
inline constexpr std::uint32_t kStretchRows = 126;    // what sums of 8 bits hold
inline constexpr std::size_t kStretchedTogether = 2;  // columns whose sums are made in one go over the rows
struct StretchedColumn {
    const std::uint16_t* stretch;  // of each of the node's rows, in the order of the table
    const std::uint32_t* start;    // of each stretch, the place of its first row in the order; and the end
    std::uint32_t n_stretches;
};

struct PairTask {
    std::uint32_t n = 0;                             // rows of the node
    std::span<const std::uint32_t* const> orders{};  // one per second column
    const std::uint64_t* left_lanes = nullptr;       // [row of the table]; set in all lanes without a split
    const LabelledTable* data = nullptr;
    std::uint32_t min_leaf = 1;
    std::uint32_t n_lanes = 0;
    const std::uint32_t* left_rows = nullptr;  // [lane]
    const std::int32_t* left_gain = nullptr;   // [class][kMaxLanes]: C_a of the left side
    const std::int32_t* right_gain = nullptr;  // [class][kMaxLanes]
    const std::uint32_t* classes = nullptr;    // numbers of the classes that some row of the node gains from
    const std::int8_t* sign = nullptr;  // unit kernels of two classes: [row of the table] gain of the second class less
                                        // that of the first
    std::int32_t min_gain = 0;  // unit kernels: a split that gains no more than this over its leaf may be missed

    // Unit kernel of stretches (row_stretches.hpp).
    const std::uint32_t* rows = nullptr;                   // of the node, ascending
    std::span<const StretchedColumn> stretched_columns{};  // parallel to `orders`
    std::size_t most_stretches = 0;                        // of a column
    void* stretch_sums = nullptr;  // room for a register for each stretch of kStretchedTogether columns

    // Many classes.
    std::uint32_t n_classes = 0;            // length of `classes`
    const std::uint64_t* lookup = nullptr;  // [row of the table]: weight << 32 | which
    const std::int32_t* gain = nullptr;     // null: `which` is the only class (its place in `classes`) that a row of
                                            // its label gains from, and weight the gain; else `which` is the label
    const std::uint8_t* place = nullptr;    // unit kernels: [row of the table]: place in `classes`, of a row of no
                                            // weight kMaxUnitClasses

    // Results, per lane: the gain of the best split of each side; what is no more than the leaf's gain plus
    // `min_gain` is not exact, and no better than the leaf.
    std::array<std::int32_t, kMaxLanes> best_left{}, best_right{};
};

using PairKernel = void (*)(PairTask&);

struct PairKernels {
    // Two classes, weights 0 or 1, no minimum leaf size: 8-bit lanes.
    PairKernel unit16, unit32;  // rows < kMaxNarrow, < 2^30
    PairKernel unit_stretches;  // rows < 2^30, and with what PairTask says of stretches
    PairKernel signed16;        // two classes, total weight and rows < kMaxNarrow
    PairKernel signed32;        // two classes, total weight < 2^30
    PairKernel classes16;       // many classes, total gain and rows < kMaxNarrow
    PairKernel classes32;       // many classes, total gain < 2^30
    // Many classes, at most kMaxUnitClasses, weights 0 or 1, gains by place, no minimum leaf size: 8-bit lanes.
    PairKernel unit_classes16, unit_classes32;   // rows < kMaxNarrow, < 2^30
    std::uint32_t unit_lanes, lanes16, lanes32;  // splits per pass
};

[[nodiscard]] const PairKernels& pair_kernels(Simd level);

// One table per translation unit.
[[nodiscard]] const PairKernels& pair_kernels_plain();
[[nodiscard]] const PairKernels& pair_kernels_avx2();
[[nodiscard]] const PairKernels& pair_kernels_avx512();

}  // namespace treewright::ranked
