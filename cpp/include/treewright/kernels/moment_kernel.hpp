// The depth-two kernel for losses of few sums: for many splits of one root column at once, how much the best second
// split of both sides gains.
//
// A set of rows with sums X has the loss Q - g(X): Q the sum of the rows' own gains, what each would gain as a leaf of
// its own.
//     square    X = (W, S), weights and weighted targets: g = S^2 / W, own gains the weighted squares
//     events    X = (D, H), events and hazards: g = D (shift - log(H / D)), own gains the same of the row
//     shares    X = weights x_k of the classes, n their sum: g = shift n - n log n + sum x_k log x_k, own gains shift n
//     actions   X = one sum an action, of what it costs less than the row's worst: g = max X, own gains the largest
// All have g >= 0 and losses that are superadditive. A pass takes one root split per lane; `slot[row]` is the first
// lane that has the row on its left. The rows of each second column are taken in *stretches* of whole groups of ties:
// the sums of a stretch are added up by slot, and prefix sums over the lanes give what every lane has of it on its
// left. So a row costs a few additions, and only the ends of stretches cost one evaluation per lane.
//
// A split inside a stretch is bounded from above. With B the rows of the side before the stretch, E those after it and
// M those within, a split in M leaves B on its left and E on its right, and losses are superadditive:
//     loss(B + M1) + loss(M2 + E) >= loss(B) + loss(E),   so its gain is at most g(B) + g(E) + Q(M).
// For squares the pair (W, S) of a split in M lies in a box, too: W from W(B) to W(B + M), S from S(B) less the
// negative sums of M to S(B) plus the positive ones. S^2 / W is convex where W > 0 (the perspective of a square), so
// the gain of both parts is, and a convex function on a box is largest at a corner; it is used where both sides have a
// weight at both ends. The smaller of the two bounds counts: the first is the better one where M is large against its
// distance from the mean, else the second. A stretch of one group of ties has no split. Measured at depth 3, no leaf
// penalty: elevators 6.1 -> 2.9 s, skillcraft 7.9 -> 4.2 s. Where that is more than the caller needs, scan() walks the
// rows of the stretch one by one.
//
// Sums of integers below 2^53 are exact in double precision. A gain is off by less than 8 * 2^-53 of itself, and one of
// events by 3e-11 D more (log_lanes_impl.hpp); one of shares by 1e-11 n (share_pairs.cpp).
//
// The template (moment_kernel_impl.hpp) is compiled for plain C++, AVX2 and AVX-512 like that of pair_kernel.hpp.
#pragma once

#include "treewright/core/cpu.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace treewright::ranked {

enum class Gain : std::uint8_t { square, events, actions, shares };

struct MomentTask {
    static constexpr std::uint32_t kMaxLanes = 64;
    static constexpr std::uint32_t kMaxSums = 7;
    // Numbers of a row: its sums, and from `own_at` on its own gain.
    [[nodiscard]] static constexpr std::uint32_t row_size(std::uint32_t n_sums) { return n_sums <= 3 ? 4 : 8; }
    [[nodiscard]] static constexpr std::uint32_t own_at(std::uint32_t n_sums) { return row_size(n_sums) - 1; }

    // Of squares: the sum of a row where it is positive, else 0.
    static constexpr std::uint32_t kAboveAt = 2;

    Gain gain = Gain::square;
    std::uint32_t n_sums = 2;      // actions: 3 or 7, shares: 2, 3 or 7; sums that are 0 for all rows change nothing
    double shift = 0;              // of events: at least log(H / D) of any set with events; of shares: log of how many
    const double* rows = nullptr;  // [row of the table][row_size]
    const std::uint8_t* slot =
        nullptr;  // [row of the table]: place of the first lane that has it on the left; n_lanes: none
    // Of squares whose weights are all one, instead of both: [row of the table], S in double precision with the slot in
    // its lowest bits, which are 0 in whole numbers up to 2^46. Passes wait for rows that lie scattered, and a fourth
    // of the bytes is in a cache nearer by.
    static constexpr std::uint64_t kSlotMask = 0x7f;
    const std::uint64_t* compact = nullptr;
    std::span<const std::uint32_t* const> orders{};              // one per second column
    std::span<const std::vector<std::uint32_t>> stretch_ends{};  // of each second column, ascending
    const std::uint8_t* has_splits = nullptr;                    // [stretch]: whether it is more than one group of ties
    std::uint32_t n_lanes = 0;                                   // a multiple of 8, 8 to 64
    double total[kMaxSums] = {};                                 // of all rows
    const double* left[kMaxSums] = {};                           // [place]: of the left side

    // sweep() writes, scan() raises: gain of the best split of each side among those evaluated.
    double* best_left = nullptr;  // [place]
    double* best_right = nullptr;
    // sweep() writes: for every stretch of every column, upper bounds of the gains within, left then right; and the
    // largest of all.
    float* stretch_bound = nullptr;  // [stretch][2][n_lanes]
    double* max_left = nullptr;      // [place]
    double* max_right = nullptr;
    std::size_t n_stretches = 0;
    // mark() reads: gains that are of no interest; and writes, for scan(): which stretches to walk.
    const float* limit = nullptr;    // [2][n_lanes]
    std::uint8_t* wanted = nullptr;  // [stretch]

    // scan() may have fewer lanes than the sweep before: the sides that it walks for, and where their bounds are.
    struct ScanSide {
        std::uint32_t place;
        bool is_right;
        std::uint32_t bound;  // in the bounds of a stretch, and in `limit`
    };
    std::span<const ScanSide> sides{};
    std::size_t n_bounds = 0;  // of a stretch
};

// Lanes are numbered by position of their splits; the place of a lane in arrays makes prefix sums cheap.
[[nodiscard]] constexpr std::uint32_t place_of(std::uint32_t lane, std::uint32_t n_lanes) {
    const std::uint32_t n_vectors = n_lanes / 8;
    return lane % n_vectors * 8 + lane / n_vectors;
}

struct MomentKernels {
    void (*sweep)(MomentTask&);
    void (*mark)(MomentTask&);
    void (*scan)(MomentTask&);
};

[[nodiscard]] const MomentKernels& moment_kernels(Simd level);

// One table per translation unit.
[[nodiscard]] const MomentKernels& moment_kernels_plain();
[[nodiscard]] const MomentKernels& moment_kernels_avx2();
[[nodiscard]] const MomentKernels& moment_kernels_avx512();

}  // namespace treewright::ranked
