// Rows counted by the codes of three columns at once, and numbers turned into codes.
//
// Where columns have few thresholds a row is a code for each of them: how many thresholds lie below its value. A leaf
// of a tree of depth three asks for the codes of three columns at most, so what falls into every leaf of every such
// tree is a sum of cells of a table (class, code, code, code) of three columns: all these trees can be priced without
// the rows. Filling the tables takes one increment a row and a triple of columns, whatever the number of thresholds; a
// search over bits asks for a bit of each threshold instead. 1,140 triples of 20 columns, 16 codes each: 32 KB of cells
// a triple.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace treewright {

inline constexpr std::uint8_t kMissingCode = 255;

// Three columns, ascending or not, and where their cells begin.
struct CodeTriple {
    std::uint32_t first, second, third;
    std::size_t begin;
};

struct CodedRows {
    std::span<const std::uint8_t> codes;  // column by column
    std::span<const std::uint8_t> label;
    std::span<const std::uint32_t> sizes;  // codes of a column are below its size
};

// Adds the rows to cells[begin + ((label * size_1 + code_1) * size_2 + code_2) * size_3 + code_3] of every triple.
// Triples that share their first two columns should follow each other.
void count_codes(const CodedRows& rows, std::span<const CodeTriple> triples, std::span<std::uint32_t> cells);

// How many of the ascending thresholds lie below each value, so that `value <= thresholds[k]` is `code <= k`; at most
// 254 of them. NaN gets `kMissingCode`.
void code_values(std::span<const double> values, std::span<const double> thresholds, std::span<std::uint8_t> code);

}  // namespace treewright
