// The depth-two step by sweeps: for columns with so many thresholds that all pairs of splits would be too many.
//
// A pass takes some splits of one root column, one per SIMD lane; bucket[row] of them send the row right. The rows are
// walked in the order of every second column, and each lane keeps the sums of its left side; at every change of rank
// the four leaves are at hand and scored by the rule of pair_table.hpp. Cost of a pass: rows x second columns x four
// leaves. So only those root splits are taken whose bound is open: a few of a column, spread evenly; the exact sums of
// these bound the splits between (the rates of target.hpp), and so on until no split is open.
#pragma once

#include "treewright/leaf_accuracy/pair_table.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace treewright::leaf_accuracy {

inline constexpr std::size_t kMaxLanes = 16;

template <class T>
struct PairSweep {
    std::size_t n_rows = 0;
    std::span<const std::uint32_t* const> orders{};  // entries: 2 * number of the row in the node + (starts a group)
    const std::uint8_t* bucket = nullptr;            // [row in the node]
    const std::uint16_t* label = nullptr;
    const std::int32_t* weight = nullptr;
    std::size_t n_classes = 0;
    bool counted = false;           // weights differ from 1: channel n_classes counts rows
    const T* left_total = nullptr;  // [channel][kMaxLanes]
    const T* total = nullptr;       // [channel]
    T* sums = nullptr;              // [channel][kMaxLanes], scratch
    T* left_best = nullptr;         // [kMaxLanes], in and out
    T* right_best = nullptr;
};

}  // namespace treewright::leaf_accuracy
