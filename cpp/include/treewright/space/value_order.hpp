// Numbers as unsigned integers in the same order: what sorts and buckets of values are made by.
#pragma once

#include <bit>
#include <cstdint>

namespace treewright {

// Both zeros are one.
[[nodiscard]] inline std::uint64_t ordered_bits(double value) {
    constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
    const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
    return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

}  // namespace treewright
