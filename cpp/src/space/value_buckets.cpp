#include "treewright/space/value_buckets.hpp"

#include "treewright/space/value_order.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <numeric>

namespace treewright {

namespace {

constexpr std::size_t kRowsPerBucket = 64;
constexpr std::size_t kMostBuckets = std::size_t{1} << 14;  // their places stay in the cache
constexpr std::size_t kHashed = 1024;                       // rows of a bucket whose values are counted unsorted
constexpr std::size_t kBits = 64;                           // of a hash table, for each row
constexpr std::size_t kCrowded = 16;                        // parts of the rows: as many in one bucket are too many

// Never a smaller bucket for a larger value: subtracting, multiplying and cutting off keep the order.
struct EvenValues {
    double low, scale;
    std::size_t last;
    EvenValues(double low_, double high, std::size_t n)
        : low(low_), scale(static_cast<double>(n) / (high - low_)), last(n - 1) {}
    [[nodiscard]] bool works() const { return std::isfinite(scale) && scale > 0; }
    [[nodiscard]] std::size_t operator()(double value) const {
        return std::min(static_cast<std::size_t>((value - low) * scale), last);
    }
};

struct EvenPatterns {
    std::uint64_t lowest;
    unsigned shift;
    EvenPatterns(double low, double high, std::size_t n) : lowest(ordered_bits(low)) {
        const auto wide = static_cast<unsigned>(std::bit_width(ordered_bits(high) - lowest));
        const auto kept = static_cast<unsigned>(std::bit_width(n - 1));
        shift = wide > kept ? wide - kept : 0;
    }
    [[nodiscard]] std::size_t operator()(double value) const {
        return static_cast<std::size_t>((ordered_bits(value) - lowest) >> shift);
    }
};

template <class Place>
std::vector<std::uint32_t> counted(std::span<const double> known, std::size_t n_buckets, const Place& place) {
    std::vector<std::uint32_t> rows(n_buckets, 0);
    for (const double value : known) ++rows[place(value)];
    return rows;
}

// Writes the values bucket by bucket; turns the rows of each bucket into the place behind its last one.
template <class Place>
std::vector<double> dealt(std::span<const double> known, std::vector<std::uint32_t>& rows, const Place& place) {
    std::exclusive_scan(rows.begin(), rows.end(), rows.begin(), 0u);
    std::vector<double> values(known.size());
    for (const double value : known) values[rows[place(value)]++] = value + 0.0;
    return values;
}

// Where the values equal to the one at `at` end, in a time that grows with the logarithm of their number.
std::span<double>::iterator end_of_equals(std::span<double>::iterator at, std::span<double>::iterator end) {
    std::ptrdiff_t step = 1;
    while (step < end - at && at[step] == *at) step *= 2;
    return std::upper_bound(at + step / 2, at + std::min(step, end - at), *at);
}

}  // namespace

ValueBuckets::ValueBuckets(std::span<const double> column) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    std::size_t n_missing = 0;
    for (const double value : column) {
        n_missing += std::isnan(value);
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    std::vector<double> filled;
    if (n_missing > 0)
        std::copy_if(column.begin(), column.end(), std::back_inserter(filled), [](double v) { return !std::isnan(v); });
    const std::span<const double> known = n_missing > 0 ? std::span<const double>(filled) : column;
    first_.push_back(0);
    distinct_.push_back(0);
    if (known.empty()) return;
    const std::size_t n_buckets = std::min(kMostBuckets, std::bit_ceil(known.size() / kRowsPerBucket + 2));
    const EvenValues by_value(low, high, n_buckets);
    const EvenPatterns by_pattern(low, high, n_buckets);
    std::vector<std::uint32_t> rows;
    bool even = by_value.works();
    if (even) {
        rows = counted(known, n_buckets, by_value);
        const std::size_t most = std::max(kRowsPerBucket, known.size() / kCrowded);
        even = *std::max_element(rows.begin(), rows.end()) <= most;
    }
    if (even)
        values_ = dealt(known, rows, by_value);
    else
        values_ = dealt(known, rows = counted(known, n_buckets, by_pattern), by_pattern);
    for (const std::uint32_t end : rows)
        if (end > first_.back()) first_.push_back(end);
    sorted_.assign(first_.size() - 1, false);
    for (std::size_t b = 0; b + 1 < first_.size(); ++b) distinct_.push_back(distinct_.back() + count_values(b));
}

std::uint32_t ValueBuckets::count_values(std::size_t b) {
    const std::span<double> values = bucket(b);
    if (std::all_of(values.begin(), values.end(), [&](double value) { return value == values[0]; })) {
        sorted_[b] = true;
        return 1;
    }
    std::uint32_t count = 0;
    if (values.size() > kHashed) {
        sort(b);
        for (std::size_t i = 0; i < values.size(); ++i) count += i == 0 || values[i] != values[i - 1];
        return count;
    }
    // A value whose bit is free was not seen before; few others are new, and they are looked for.
    constexpr std::uint64_t kMixed = 0x9e3779b97f4a7c15;
    std::array<std::uint64_t, kHashed * kBits / 64> seen;
    const auto width = static_cast<unsigned>(std::bit_width(values.size() * kBits - 1));
    std::fill_n(seen.begin(), (std::size_t{1} << width) / 64, 0u);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint64_t hash = (std::bit_cast<std::uint64_t>(values[i]) * kMixed) >> (64 - width);
        std::uint64_t& word = seen[hash / 64];
        const std::uint64_t bit = std::uint64_t{1} << (hash % 64);
        const auto here = values.begin() + static_cast<std::ptrdiff_t>(i);
        count += (word & bit) == 0 || std::find(values.begin(), here, values[i]) == here;
        word |= bit;
    }
    return count;
}

void ValueBuckets::sort(std::size_t b) {
    if (sorted_[b]) return;
    const std::span<double> values = bucket(b);
    std::sort(values.begin(), values.end());
    sorted_[b] = true;
}

ValueBuckets::Gap ValueBuckets::gap(std::uint32_t which) {
    const auto next = std::upper_bound(distinct_.begin(), distinct_.end(), which);
    const auto b = static_cast<std::size_t>(next - distinct_.begin()) - 1;
    sort(b);
    const std::span<double> values = bucket(b);
    auto at = values.begin();
    for (std::uint32_t k = distinct_[b]; k < which; ++k) at = end_of_equals(at, values.end());
    const auto end = end_of_equals(at, values.end());
    const auto left = first_[b] + static_cast<std::uint32_t>(end - values.begin());
    if (end != values.end()) return {*at, *end, left};
    const std::span<double> above = bucket(b + 1);
    return {*at, *std::min_element(above.begin(), above.end()), left};
}

std::uint32_t ValueBuckets::first_with(double rows) {
    const auto enough = [&](std::uint32_t end) { return static_cast<double>(end) >= rows; };
    const auto next = std::find_if(first_.begin() + 1, first_.end(), enough);
    if (next == first_.end()) return n_gaps();
    const auto b = static_cast<std::size_t>(next - first_.begin()) - 1;
    sort(b);
    const std::span<double> values = bucket(b);
    std::uint32_t which = distinct_[b];
    for (auto at = values.begin(); at != values.end(); ++which) {
        at = end_of_equals(at, values.end());
        if (enough(first_[b] + static_cast<std::uint32_t>(at - values.begin()))) break;
    }
    return std::min(which, n_gaps());
}

}  // namespace treewright
