// Rows counted by codes against a plain count, and numbers coded against the definition.
#include "check.hpp"
#include "treewright/kernels/code_counts.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

using namespace treewright;

namespace {

void counts(std::size_t n_rows, Dice& dice) {
    const std::vector<std::uint32_t> sizes{1, 3, 16, 200, 2};
    const std::uint32_t n_classes = 3;
    std::vector<std::uint8_t> codes, label;
    for (const std::uint32_t size : sizes)
        for (std::size_t r = 0; r < n_rows; ++r) codes.push_back(static_cast<std::uint8_t>(dice.below(size)));
    for (std::size_t r = 0; r < n_rows; ++r) label.push_back(static_cast<std::uint8_t>(dice.below(n_classes)));
    std::vector<CodeTriple> triples;
    std::size_t begin = 0;
    // Also of two columns alike, and in no order.
    using Three = std::array<std::uint32_t, 3>;
    for (const auto& [i, j, k] : std::vector<Three>{{0, 1, 2}, {0, 1, 3}, {3, 1, 4}, {2, 2, 1}}) {
        triples.push_back({i, j, k, begin});
        begin += std::size_t{n_classes} * sizes[i] * sizes[j] * sizes[k];
    }
    std::vector<std::uint32_t> cells(begin, 7), expected(begin, 7);
    count_codes({codes, label, sizes}, triples, cells);
    for (const CodeTriple& t : triples)
        for (std::size_t r = 0; r < n_rows; ++r) {
            const auto code = [&](std::uint32_t j) { return std::size_t{codes[j * n_rows + r]}; };
            const std::size_t cell =
                ((label[r] * sizes[t.first] + code(t.first)) * sizes[t.second] + code(t.second)) * sizes[t.third] +
                code(t.third);
            ++expected[t.begin + cell];
        }
    check(cells == expected, "cells are the rows with the codes");
}

void codes(std::size_t n_thresholds, Dice& dice) {
    std::vector<double> thresholds, values;
    for (std::size_t k = 0; k < n_thresholds; ++k) thresholds.push_back(static_cast<double>(k) * 0.5 - 3);
    for (int r = 0; r < 400; ++r) values.push_back(static_cast<double>(dice.below(600)) * 0.25 - 10);
    values.push_back(std::numeric_limits<double>::quiet_NaN());
    values.push_back(std::numeric_limits<double>::max());
    values.push_back(std::numeric_limits<double>::lowest());
    std::vector<std::uint8_t> code(values.size());
    code_values(values, thresholds, code);
    for (std::size_t r = 0; r < values.size(); ++r) {
        std::size_t below = 0;
        for (const double t : thresholds) below += t < values[r] ? 1 : 0;
        check(code[r] == (std::isnan(values[r]) ? kMissingCode : below), "a code is the thresholds below");
    }
}

}  // namespace

int main() {
    Dice dice(1);
    for (const std::size_t n_rows : {0, 1, 100, 32768, 70000}) counts(n_rows, dice);
    for (const std::size_t n : {0, 1, 2, 3, 7, 8, 15, 16, 100, 254}) codes(n, dice);
    return 0;
}
