#include "treewright/core/exact_sum.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

namespace treewright {

namespace {

__extension__ typedef __int128 Wide;

constexpr std::size_t kMany = 2048;  // numbers that are added by their exponents first
constexpr unsigned kLargestExponent =
    1900;                           // of the format: sums of larger numbers may overflow, so they are added one by one
constexpr unsigned kFraction = 52;  // bits of the format
constexpr int kPartBits = 40;       // of a sum that become one number
constexpr std::int64_t kPart = std::int64_t{1} << kPartBits;

// Adds a number to a sum of numbers that do not overlap.
void grow(std::vector<double>& parts, double x) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        double y = parts[i];
        if (std::abs(x) < std::abs(y)) std::swap(x, y);
        const double high = x + y;
        const double low = y - (high - x);
        if (low != 0) parts[kept++] = low;
        x = high;
    }
    parts.resize(kept);
    parts.push_back(x);
}

// Adds many numbers exactly; false, and nothing added, if one is too large for that.
bool add_by_exponent(std::vector<double>& parts, std::span<const double> numbers) {
    std::array<Wide, kLargestExponent> sums{};  // [exponent]: of whole numbers below 2^53
    for (const double x : numbers) {
        const auto bits = std::bit_cast<std::uint64_t>(x);
        const auto exponent = static_cast<unsigned>((bits >> kFraction) & 0x7ff);
        if (exponent >= kLargestExponent) return false;
        constexpr std::uint64_t kOne = std::uint64_t{1} << kFraction;
        const auto whole = static_cast<std::int64_t>((bits & (kOne - 1)) | (exponent > 0 ? kOne : 0));
        sums[exponent] += (bits >> 63) != 0 ? -whole : whole;
    }
    for (unsigned exponent = 0; exponent < kLargestExponent; ++exponent) {
        // Below 2^(53 + 64), so three parts of 40 bits; each is a number of the format.
        int power = static_cast<int>(exponent > 0 ? exponent : 1) - 1075;
        for (Wide rest = sums[exponent]; rest != 0; rest /= kPart, power += kPartBits)
            if (const auto part = static_cast<double>(static_cast<std::int64_t>(rest % kPart)); part != 0)
                grow(parts, std::ldexp(part, power));
    }
    return true;
}

}  // namespace

double exact_sum(std::span<const double> numbers) {
    std::vector<double> parts;
    if (numbers.size() < kMany || !add_by_exponent(parts, numbers))
        for (const double x : numbers) grow(parts, x);
    if (parts.empty()) return 0.0;
    std::size_t i = parts.size() - 1;
    double high = parts[i], low = 0.0;
    while (i > 0) {
        const double x = high, y = parts[--i];
        high = x + y;
        low = y - (high - x);
        if (low != 0) break;
    }
    // Half a last place was rounded to even: the next part says to which side the sum lies.
    if (i > 0 && ((low < 0 && parts[i - 1] < 0) || (low > 0 && parts[i - 1] > 0))) {
        const double twice = 2 * low, other = high + twice;
        if (twice == other - high) high = other;
    }
    return high;
}

}  // namespace treewright
