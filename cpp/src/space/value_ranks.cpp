#include "treewright/space/value_ranks.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace treewright::ranked {

namespace {

constexpr int kDigitBits = 11, kDigits = 3;  // of the upper 32 bits of a word
constexpr std::size_t kDigitValues = std::size_t{1} << kDigitBits;
constexpr std::size_t kAhead = 24;       // rows that are asked for: they lie in no order
constexpr std::size_t kFewWords = 1024;  // sorted by comparison

// An integer that has the order of the numbers.
std::uint64_t ordered_bits(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x + 0.0);  // -0 becomes 0
    return (bits >> 63) != 0 ? ~bits : bits | (std::uint64_t{1} << 63);
}

std::size_t digit_of(std::uint64_t word, int digit) { return (word >> (32 + digit * kDigitBits)) & (kDigitValues - 1); }

// Sorts words by their upper halves. `scratch` has at least as many places.
void sort_by_upper_half(std::span<std::uint64_t> words, std::span<std::uint64_t> scratch) {
    if (words.size() < kFewWords) {
        std::sort(words.begin(), words.end());
        return;
    }
    std::vector<std::array<std::uint32_t, kDigitValues>> count(kDigits);
    for (const std::uint64_t word : words)
        for (int digit = 0; digit < kDigits; ++digit) ++count[static_cast<std::size_t>(digit)][digit_of(word, digit)];
    std::span<std::uint64_t> from = words, to = scratch.first(words.size());
    for (int digit = 0; digit < kDigits; ++digit) {
        auto& next = count[static_cast<std::size_t>(digit)];
        if (next[digit_of(from[0], digit)] == from.size()) continue;  // one digit for all
        std::uint32_t first = 0;
        for (std::uint32_t& place : next) {
            const std::uint32_t n = place;
            place = first;
            first += n;
        }
        for (const std::uint64_t word : from) to[next[digit_of(word, digit)]++] = word;
        std::swap(from, to);
    }
    if (from.data() != words.data()) std::copy(from.begin(), from.end(), words.begin());
}

}  // namespace

ValueRanks rank_values(std::span<const double> x, std::span<std::uint32_t> rank) {
    ValueRanks found;
    std::vector<std::uint64_t> words;  // upper half of the bits, and the row
    words.reserve(x.size());
    for (std::size_t row = 0; row < x.size(); ++row)
        if (!std::isnan(x[row])) words.push_back((ordered_bits(x[row]) >> 32 << 32) | row);
    found.n_known = words.size();
    std::vector<std::uint64_t> scratch(words.size());
    sort_by_upper_half(words, scratch);

    const auto row_of = [](std::uint64_t word) { return static_cast<std::uint32_t>(word); };
    for (std::size_t first = 0, end = 0; first < words.size(); first = end) {
        if (first + kAhead < words.size()) {
            const std::uint32_t ahead = row_of(words[first + kAhead]);
            __builtin_prefetch(&x[ahead]);
            __builtin_prefetch(&rank[ahead], 1);
        }
        std::uint64_t least = ordered_bits(x[row_of(words[first])]), most = least;
        for (end = first + 1; end < words.size() && words[end] >> 32 == words[first] >> 32; ++end) {
            const std::uint64_t bits = ordered_bits(x[row_of(words[end])]);
            least = std::min(least, bits);
            most = std::max(most, bits);
        }
        if (least != most) {
            for (std::size_t i = first; i < end; ++i)
                words[i] = (ordered_bits(x[row_of(words[i])]) << 32) | row_of(words[i]);
            sort_by_upper_half(std::span(words).subspan(first, end - first), scratch);
        }
        for (std::size_t i = first; i < end; ++i) {
            const double value = x[row_of(words[i])] + 0.0;
            if (i == first || value != found.values.back()) {
                found.values.push_back(value);
                found.before.push_back(static_cast<std::int64_t>(i));
            }
            rank[row_of(words[i])] = static_cast<std::uint32_t>(found.values.size() - 1);
        }
    }
    if (words.size() < x.size())
        for (std::size_t row = 0; row < x.size(); ++row)
            if (std::isnan(x[row])) rank[row] = static_cast<std::uint32_t>(found.values.size());
    return found;
}

}  // namespace treewright::ranked
