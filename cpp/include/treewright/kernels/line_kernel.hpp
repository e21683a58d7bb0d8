// What lines in one column gain on the first rows of an order, for every number of rows: bounds from above.
//
// For a set of rows and a column, with numbers moved by a center of the node, Cxx, Cxy and Cyy are the sums of w (x -
// mean)^2 and so on, and a line gains Cxy^2 / Cxx on the constant. The kernel adds up in double precision. Let u =
// 2^-53, m rows in the node, and rho = (m + 8) u. Differences from the center are exact; a sum of at most m products of
// three numbers is off by less than rho times the sum of its absolute terms (Higham 2002, section 3.1). With T the sums
// of squares about the center over all rows of the node, Cxx and Cyy are so off by less than 4 rho T and Cxy by less
// than 4 rho sqrt(Txx Tyy): one rho from the sum of products, two from the product of two sums over W, and the last
// operations. LinePass has 5 in place of 4, for the roundings of T and of the bounds themselves.
//
// The largest of the gains alone counts, so they are divided only where one is above what is known, up to a share of
// 1e-12.
//
// Two whole numbers that differ by d, of weights of at least 1, make Cxx at least d^2 / 2; where all are equal, there
// is no gain.
#pragma once

#include "treewright/core/cpu.hpp"

#include <cstddef>
#include <cstdint>

namespace treewright::ranked {

struct LinePass {
    const std::uint32_t* order = nullptr;  // of the node's rows
    std::uint32_t n = 0;
    bool backward = false;  // from the last row on
    std::size_t lanes = 0;
    const double* weights = nullptr;  // [row]
    const double* targets = nullptr;  // [row]
    const double* values = nullptr;   // [row][lane], NaN where missing
    double target_center = 0;
    const double* centers = nullptr;  // [lane]
    // Most that the computed sums may be off.
    double target_error = 0;
    const double* value_errors = nullptr;    // [lane]: of Cxx
    const double* product_errors = nullptr;  // [lane]: of Cxy
    // Scratch, each of n numbers.
    double* inverse_weight = nullptr;
    double* mean_target = nullptr;
    double* gain = nullptr;
};

struct LineKernels {
    // loss[i], 0 < i < n, where a group starts at position i: at most the loss of one leaf with the rows before i; of a
    // backward pass, with those from i on.
    void (*bound_losses)(const LinePass& pass, double* loss);
};

[[nodiscard]] const LineKernels& line_kernels(Simd level);

// One table per translation unit.
[[nodiscard]] const LineKernels& line_kernels_plain();
[[nodiscard]] const LineKernels& line_kernels_avx2();
[[nodiscard]] const LineKernels& line_kernels_avx512();

}  // namespace treewright::ranked
