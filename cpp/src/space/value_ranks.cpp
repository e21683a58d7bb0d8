#include "treewright/space/value_ranks.hpp"

#include "treewright/kernels/ascending_thresholds.hpp"
#include "treewright/space/value_order.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <utility>

namespace treewright {

namespace {

constexpr std::size_t kFew = 256;  // rows that are not worth counting digits
constexpr unsigned kDigitBits = 11;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
constexpr unsigned kRowBits = 32;
constexpr std::size_t kAhead = 24;  // rows that are asked for: they lie in no order

// By the upper half, the lower half being in order already.
void sort_by_upper_half(std::vector<std::uint64_t>& entries) {
    const std::size_t n = entries.size();
    if (n < kFew) {
        std::sort(entries.begin(), entries.end());  // the row decides between equals: the same order
        return;
    }
    constexpr std::array<unsigned, 3> kShift{kRowBits, kRowBits + kDigitBits, kRowBits + 2 * kDigitBits};
    std::array<std::vector<std::uint32_t>, 3> start;
    for (auto& digits : start) digits.assign(kDigits, 0);
    for (const std::uint64_t entry : entries)
        for (std::size_t d = 0; d < 3; ++d) ++start[d][(entry >> kShift[d]) & (kDigits - 1)];
    std::vector<std::uint64_t> sorted(n);
    for (std::size_t d = 0; d < 3; ++d) {
        std::vector<std::uint32_t>& next = start[d];
        if (next[(entries[0] >> kShift[d]) & (kDigits - 1)] == n) continue;  // one digit for all
        std::uint32_t sum = 0;
        for (std::uint32_t& count : next) sum += std::exchange(count, sum);
        for (const std::uint64_t entry : entries) sorted[next[(entry >> kShift[d]) & (kDigits - 1)]++] = entry;
        entries.swap(sorted);
    }
}

// Rows that agree in the upper bits, by their values; ties by row.
void sort_runs(std::vector<std::uint64_t>& entries, std::span<const double> column) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> run;  // key, entry
    for (std::size_t first = 0, end = 0; first < entries.size(); first = end) {
        const std::uint64_t upper = entries[first] >> kRowBits;
        for (end = first + 1; end < entries.size() && entries[end] >> kRowBits == upper;) ++end;
        if (end - first < 2) continue;
        run.clear();
        for (std::size_t i = first; i < end; ++i)
            run.emplace_back(ordered_bits(column[static_cast<std::uint32_t>(entries[i])]), entries[i]);
        std::sort(run.begin(), run.end());
        for (std::size_t i = first; i < end; ++i) entries[i] = run[i - first].second;
    }
}

}  // namespace

ValueRanks rank_values(std::span<const double> column, std::span<std::uint32_t> rank) {
    const auto n = static_cast<std::uint32_t>(column.size());
    ValueRanks ranks;
    std::uint64_t some = 0, differ = 0;
    for (const double value : column) {
        if (std::isnan(value)) continue;
        const std::uint64_t key = ordered_bits(value);
        if (ranks.n_known++ == 0) some = key;
        differ |= key ^ some;
    }
    const unsigned width = 64u - static_cast<unsigned>(std::countl_zero(differ));
    const unsigned lost = width > 32 ? width - 32 : 0;  // bits that the upper half has no room for
    const bool whole = (differ & ((std::uint64_t{1} << lost) - 1)) == 0;
    std::vector<std::uint64_t> entries;
    entries.reserve(ranks.n_known);
    for (std::uint32_t row = 0; row < n; ++row)
        if (!std::isnan(column[row])) entries.push_back(((ordered_bits(column[row]) >> lost) << kRowBits) | row);
    sort_by_upper_half(entries);
    if (!whole) sort_runs(entries, column);
    ranks.values.reserve(entries.size());  // of a large table: growing it would touch new memory again and again
    std::uint64_t upper = 0;
    std::uint32_t last = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (i + kAhead < entries.size()) {
            const auto ahead = static_cast<std::uint32_t>(entries[i + kAhead]);
            __builtin_prefetch(&column[ahead]);
            __builtin_prefetch(&rank[ahead], 1);
        }
        const auto row = static_cast<std::uint32_t>(entries[i]);
        const bool differs = i == 0 || entries[i] >> kRowBits != upper || (!whole && column[row] != column[last]);
        if (differs) {
            ranks.values.push_back(column[row] + 0.0);
            upper = entries[i] >> kRowBits;
        }
        last = row;
        rank[row] = static_cast<std::uint32_t>(ranks.values.size() - 1);
    }
    if (ranks.values.size() <= entries.size() / 2) ranks.values.shrink_to_fit();
    if (ranks.n_known < n)
        for (std::uint32_t row = 0; row < n; ++row)
            if (std::isnan(column[row])) rank[row] = static_cast<std::uint32_t>(ranks.values.size());
    return ranks;
}

void rank_by_thresholds(std::span<const double> column, std::span<const double> thresholds, bool missing_lowest,
                        std::span<std::uint32_t> rank) {
    const AscendingThresholds ascending(thresholds);
    const auto of_missing = missing_lowest ? std::uint32_t{0} : static_cast<std::uint32_t>(thresholds.size());
    for (std::size_t row = 0; row < column.size(); ++row) {
        const double x = column[row];
        rank[row] = std::isnan(x) ? of_missing : static_cast<std::uint32_t>(ascending.below(x));
    }
}

std::vector<double> running_weights(std::span<const std::int64_t> before, std::uint32_t n_known,
                                    std::span<const std::uint32_t> rank, std::span<const double> weight) {
    std::vector<std::int64_t> next(before.begin(), before.end());
    std::vector<double> sorted(n_known);
    for (std::size_t row = 0; row < rank.size(); ++row)
        if (rank[row] < before.size()) sorted[static_cast<std::size_t>(next[rank[row]]++)] = weight[row];
    std::vector<double> sums(before.size());
    double sum = 0;
    std::size_t i = 0;
    for (std::size_t k = 0; k < sums.size(); ++k) {
        for (; i < static_cast<std::size_t>(next[k]); ++i) sum += sorted[i];
        sums[k] = sum;
    }
    return sums;
}

}  // namespace treewright
