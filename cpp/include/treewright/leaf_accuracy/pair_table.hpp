// The dense depth-two step: every pair of splits of a node at once.
//
// The rows of the node are bits, one word of 64 rows after the other, rows of one plane (a class and a weight) in words
// of their own; every split is a column of bits (1: right). For a root split i, the sums of the rows right of both i
// and j are popcounts of ANDs, taken for eight splits j per AVX-512 instruction; from them and the sums of the single
// splits follow the four leaves of the tree (i; j left, j right), and their deficits (or costs), in SIMD lanes over j.
// Each pair serves both orders: j below i and i below j. The results are, for every split, the best second split of
// each side.
//
// Cost for T splits and n rows: T^2/2 * (n/64 popcounts + 4 leaves), and T n/64 compares to make the bits: no pass over
// rows and pairs of columns (a histogram would take n F^2/2 steps, more wherever T < 8 F).
//
// The same template (pair_table_impl.hpp) is compiled for plain C++, AVX2 and AVX-512.
#pragma once

#include "treewright/core/cpu.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace treewright::leaf_accuracy {

// Rows of one class and one weight: words first .. last - 1.
struct Plane {
    std::uint32_t channel = 0;
    std::int32_t weight = 1;
    std::size_t first = 0;
    std::size_t last = 0;
};

// What a leaf of weight W, largest class c and m rows gives: its deficit for a target (see target.hpp), or its cost if
// it meets the target and `none` if not. Every number and every sum of two fits T exactly.
template <class T>
struct LeafRule {
    T slope = 0, offset = 0, per_row = 0;
    const std::int32_t* table = nullptr;  // A(W) instead of slope W + offset
    T size_rate = 0, min_leaf = 0;
    bool cost = false;
    T unit = 0, leaf = 0, none = 0;  // cost: unit (W - c) + leaf
};

template <class T>
struct PairTable {
    std::size_t first = 0;  // the root splits of this call
    std::size_t last = 0;
    std::size_t stride = 0;  // the number of splits, rounded up to kStride; the splits beyond send every row left
    std::size_t n_words = 0;
    const std::uint64_t* bits = nullptr;  // [word][stride]
    std::span<const Plane> planes{};
    std::size_t n_channels = 0;  // classes; and the row counts if weights differ from 1 (`counted`)
    bool counted = false;
    const T* right = nullptr;  // [channel][stride]: sums over the rows right of each split
    const T* total = nullptr;  // [channel]
    T* both = nullptr;         // [channel][stride], scratch
    T* left_best = nullptr;    // [stride], in and out: of the side as a leaf or with its best split
    T* right_best = nullptr;
    static constexpr std::size_t kStride = 16;
};

template <class T>
using PairKernel = void (*)(const PairTable<T>&, const LeafRule<T>&);

template <class T>
struct PairSweep;  // pair_sweep.hpp
template <class T>
using SweepKernel = void (*)(const PairSweep<T>&, const LeafRule<T>&);

struct PairTableKernels {
    PairKernel<std::int32_t> narrow;  // every leaf's number below 2^29
    PairKernel<double> wide;          // ... below 2^52: whole numbers, so exact
    SweepKernel<std::int32_t> narrow_sweep;
    SweepKernel<double> wide_sweep;
    // Bits of one split: code >= least, for n_words * 64 codes.
    void (*compare)(const std::uint8_t* codes, std::size_t n_words, std::uint8_t least, std::uint64_t* words);
};

[[nodiscard]] const PairTableKernels& pair_table_kernels(Simd level);

// One table per translation unit.
[[nodiscard]] const PairTableKernels& pair_table_kernels_plain();
[[nodiscard]] const PairTableKernels& pair_table_kernels_avx2();
[[nodiscard]] const PairTableKernels& pair_table_kernels_avx512();

}  // namespace treewright::leaf_accuracy
