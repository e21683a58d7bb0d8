// Rows counted by the codes of three columns at once, and numbers turned into codes.
#include "treewright/kernels/code_counts.hpp"

#include "treewright/kernels/ascending_thresholds.hpp"

#include <algorithm>
#include <vector>

namespace treewright {

namespace {

// Rows of a pass: their codes of two columns stay in the second cache while the third one changes, and the cells of a
// triple are fetched once for so many.
constexpr std::size_t kBlock = 32768;

}  // namespace

void count_codes(const CodedRows& rows, std::span<const CodeTriple> triples, std::span<std::uint32_t> cells) {
    const std::size_t n_rows = rows.label.size();
    std::vector<std::uint32_t> above(std::min(n_rows, kBlock));
    for (std::size_t start = 0; start < n_rows; start += kBlock) {
        const std::size_t n = std::min(kBlock, n_rows - start);
        const auto column = [&](std::uint32_t j) { return rows.codes.data() + j * n_rows + start; };
        const CodeTriple* last = nullptr;
        for (const CodeTriple& triple : triples) {
            const std::uint32_t size = rows.sizes[triple.third];
            if (last == nullptr || last->first != triple.first || last->second != triple.second ||
                rows.sizes[last->third] != size) {
                const std::uint8_t* const first = column(triple.first);
                const std::uint8_t* const second = column(triple.second);
                const std::uint8_t* const label = rows.label.data() + start;
                const std::uint32_t size_1 = rows.sizes[triple.first], size_2 = rows.sizes[triple.second];
                for (std::size_t r = 0; r < n; ++r)
                    above[r] = ((label[r] * size_1 + first[r]) * size_2 + second[r]) * size;
            }
            last = &triple;
            const std::uint8_t* const third = column(triple.third);
            std::uint32_t* const own = cells.data() + triple.begin;
            for (std::size_t r = 0; r < n; ++r) ++own[above[r] + third[r]];
        }
    }
}

void code_values(std::span<const double> values, std::span<const double> thresholds, std::span<std::uint8_t> code) {
    const AscendingThresholds ascending(thresholds);
    for (std::size_t r = 0; r < values.size(); ++r) {
        const double x = values[r];
        code[r] = x == x ? static_cast<std::uint8_t>(ascending.below(x)) : kMissingCode;
    }
}

}  // namespace treewright
