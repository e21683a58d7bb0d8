// Checks of what Python hands to an engine.
//
// The engines trust their data: a class beyond the last one, a rank that no array holds or a sum that passes 64 bits
// would be undefined behaviour there. treewright itself never passes such data; these checks are for whoever calls the
// core directly. They take one pass over the arrays. All throw std::invalid_argument, which Python sees as ValueError.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

namespace treewright {

inline void require(bool fits, const char* what) {
    if (!fits) throw std::invalid_argument(what);
}

// Every entry lies in least to most.
template <class T, class Bound>
void require_within(std::span<const T> values, Bound least, Bound most, const char* name) {
    for (const T value : values)
        if (static_cast<Bound>(value) < least || static_cast<Bound>(value) > most)
            throw std::invalid_argument(std::string(name) + " must lie in " + std::to_string(least) + " to " +
                                        std::to_string(most));
}

// The sum of entries >= 0 stays within `most`, at every partial sum.
template <class T>
std::int64_t require_sum(std::span<const T> values, std::int64_t most, const char* name) {
    std::int64_t sum = 0;
    for (const T value : values) {
        const auto v = static_cast<std::int64_t>(value);
        if (v < 0 || v > most - sum)
            throw std::invalid_argument(std::string(name) + " must be at least 0 and sum to at most " +
                                        std::to_string(most));
        sum += v;
    }
    return sum;
}

// Ranks number the values of a column, or the splits between them; arrays of so many entries are made of each column.
inline void require_ranks(std::span<const std::uint32_t> ranks, std::size_t n_rows) {
    require_within(ranks, std::uint64_t{0}, static_cast<std::uint64_t>(n_rows) + (std::uint64_t{1} << 20), "rank");
}

// A limit of seconds: not NaN, and bytes and steps are integers already.
inline void require_seconds(double seconds) { require(!std::isnan(seconds), "time_limit must be a number"); }

}  // namespace treewright
