// The inner loop of the box table (table.hpp) for a batch of boxes, one instruction set a copy.
//
// A job is one outer box: its row holds the value of every inner box. First, row by row, the best outer split of
// every inner box (contiguous loads). Then the rows are transposed, so that a vector holds the same inner box of many
// jobs, and the inner splits are walked from small to large inner boxes; this is what makes splits along the fastest
// axes as cheap as all others. Written with the compilers' vector types: one text for all instruction sets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace treewright::bornagain {

// What is minimised, as policies: the value of a box from the values of its two halves is combine(a, b) + one.
struct Depth {  // levels of the tree
    using Value = std::uint8_t;
    static constexpr Value one = 1;
    static constexpr Value limit = 254;  // values below it are exact
};
struct Splits {  // splits of the tree (leaves - 1); sums of two exact values must not wrap
    using Value = std::uint16_t;
    static constexpr Value one = 1;
    static constexpr Value limit = 32000;
};
// Fewest splits, and the least depth among the trees with that few: splits * 32 + depth, saturating sums.
struct SplitsDepth {
    using Value = std::uint16_t;
    static constexpr Value depth_mask = 31;
    static constexpr Value one = 33;
    static constexpr Value limit = 65535 - 64;
};
// The same for larger trees: splits * 2^11 + depth.
struct WideSplitsDepth {
    using Value = std::uint32_t;
    static constexpr Value depth_mask = 2047;
    static constexpr Value one = 2049;
    static constexpr Value limit = 1u << 31;
};

template <class Policy>
struct Batch {
    using Value = typename Policy::Value;
    struct Job {
        std::size_t first_pair, n_pairs;  // at least one
        const Value* low_labels;          // label of the lowest cell of each inner box, at the lowest outer cell
        const Value* high_labels;         // label of the highest cell, at the highest outer cell
    };
    std::vector<Job> jobs;                                     // at most `lanes`
    std::vector<std::pair<const Value*, const Value*>> pairs;  // rows of the two halves of each outer split
    Value* rows = nullptr;                                     // results, one row a job, `pitch` apart
    Value* scratch = nullptr;                                  // n_inner * lanes values
    std::size_t n_inner = 0;                                   // inner boxes
    std::size_t pitch = 0;                                     // n_inner rounded up to whole tiles of 16 bytes
    const std::uint32_t* split_first = nullptr;                // per inner box: its splits in split_pairs
    const std::pair<std::uint32_t, std::uint32_t>* split_pairs = nullptr;
    bool overflow = false;  // a depth reached its mask, or a number of splits its limit
};

// Solves the batch; every row must be readable for 64 bytes past its end.
template <class Policy>
void run_batch(Batch<Policy>& batch);

// Jobs that one batch holds on this machine.
template <class Policy>
[[nodiscard]] std::size_t batch_lanes();

}  // namespace treewright::bornagain
