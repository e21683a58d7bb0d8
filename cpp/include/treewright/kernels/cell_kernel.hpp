// Trees of depth two and three over binary columns, for losses of two sums (two_sums.hpp): all of them at once.
//
// A set of rows and p binary columns are told by the sums over the rows that have one, two or three given columns: the
// sums of every cell (this column one, that one zero, ...) follow by differences. A depth-two tree needs pairs alone, a
// depth-three tree triples:
//     split(i, s; j, t)      least sum of g over two leaves of the cell "i is s, j is t", by any third column
//     stump(i, s; j, t)      the same or one leaf, with what leaves cost
//     below(i, s)            least over j of stump(i, s; j, 0) + stump(i, s; j, 1): depth two below one side of root i
// Every unordered triple gives its eight cells once, for all three orders of its columns; STReeD (van der Linden et al.
// 2023) and MurTree (Demirovic et al. 2022) count pairs so, one subset at a time.
//
// Triples are taken slab by slab: those whose first column is i need the rows with i alone and memory for pairs. Cost
// per slab: the triples of ones of its rows, an addition each, and p^2 / 16 vectors of eight lanes with eight
// evaluations of g.
//
// Sums are whole in double precision, g and what is made of it are of single precision. With u = 2^-24, the unit of its
// rounding, g is off by 8 u |g| at most (minus_square: two conversions of B, one of A, five operations), or by 8 u A +
// 5 u |g| (events_log: the quotient by 3 u of itself, its logarithm by 4.7 u and 2.3 u of itself, two roundings). A sum
// of eight with their leaves takes three additions more, so it is off by less than 16 u (A + M + 8 leaf), M the sum of
// |g| over its cells.
// The template (cell_kernel_impl.hpp) is compiled for plain C++, AVX2 and AVX-512; all give the same numbers.
#pragma once

#include "treewright/core/cpu.hpp"
#include "treewright/objective/two_sums.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace treewright::ranked {

// Sums of a set of rows, its columns numbered 0 .. n_columns - 1. Planes are n_columns rows of `stride` numbers; of
// pairs (i, k) entries with i < k count, and sums from n_columns on are 0.
struct CellTask {
    static constexpr std::uint32_t kLanes = 8;

    TwoSums::Form form = TwoSums::Form::minus_square;
    double leaf = 0;       // as TwoSums::leaf
    double b_unit = 1;     // the least B above 0
    double min_count = 0;  // fewest rows of a leaf; counts are looked at where it is above 1
    std::uint32_t n_columns = 0;
    std::uint32_t stride = 0;  // a multiple of kLanes, at least n_columns

    // Three sums each: A, B and rows.
    double total[3] = {};
    const double* single[3] = {};  // [column]
    // Planes of what is added up: rows with both columns, and for a slab with its column, too. A and B take turns in
    // the first. Whoever reads a sum clears it.
    double *added = nullptr, *added_rows = nullptr;
    double* pair[3] = {};  // planes: rows with both columns

    float* value[4] = {};  // planes, cell (s, t) at 2 s + t: g of the cell as a leaf
    float* split[4] = {};  // planes: least of two leaves; slabs lower it
    float* side[2] = {};   // [column]: least cost of the side where the column is zero, one
};

struct CellKernels {
    // Moves what was added to pair; writes value, and side: the best trees of depth at most one below each root.
    void (*pairs)(CellTask&);
    // Lowers split by the triples (i, j, k) with i < j < k, whose rows were added.
    void (*slab)(CellTask&, std::uint32_t i);
    // From value and split: writes side, the best trees of depth at most two below each root.
    void (*below)(CellTask&);
};

[[nodiscard]] const CellKernels& cell_kernels(Simd level);

// One table per translation unit.
[[nodiscard]] const CellKernels& cell_kernels_plain();
[[nodiscard]] const CellKernels& cell_kernels_avx2();
[[nodiscard]] const CellKernels& cell_kernels_avx512();

}  // namespace treewright::ranked
