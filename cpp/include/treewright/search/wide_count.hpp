// Unsigned integers of a fixed number of 64-bit words, for counts of trees: 10^24 is nothing unusual. No operation may
// overflow; who counts knows a bound beforehand (tree_counts.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace treewright::bits {

template <std::size_t kWords>
struct WideCount {
    std::array<std::uint64_t, kWords> word{};

    WideCount() = default;
    explicit WideCount(std::uint64_t value) { word[0] = value; }

    [[nodiscard]] bool zero() const {
        std::uint64_t any = 0;
        for (const std::uint64_t w : word) any |= w;
        return any == 0;
    }
    WideCount& operator+=(const WideCount& other) {
        Double carry = 0;
        for (std::size_t i = 0; i < kWords; ++i) {
            carry += static_cast<Double>(word[i]) + other.word[i];
            word[i] = static_cast<std::uint64_t>(carry);
            carry >>= 64;
        }
        return *this;
    }
    WideCount& operator-=(const WideCount& other) {  // other <= *this
        std::uint64_t borrow = 0;
        for (std::size_t i = 0; i < kWords; ++i) {
            const Double take = static_cast<Double>(other.word[i]) + borrow;
            borrow = take > word[i] ? 1 : 0;
            word[i] = static_cast<std::uint64_t>(word[i] - take);
        }
        return *this;
    }
    friend WideCount operator*(const WideCount& a, const WideCount& b) {
        WideCount out;
        for (std::size_t i = 0; i < kWords; ++i) {
            if (a.word[i] == 0) continue;
            Double carry = 0;
            for (std::size_t j = 0; i + j < kWords; ++j) {
                carry += static_cast<Double>(a.word[i]) * b.word[j] + out.word[i + j];
                out.word[i + j] = static_cast<std::uint64_t>(carry);
                carry >>= 64;
            }
        }
        return out;
    }

   private:
    __extension__ using Double = unsigned __int128;
};

}  // namespace treewright::bits
