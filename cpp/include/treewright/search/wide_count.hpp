// Unsigned integers of a fixed number of 64-bit words, for counts of trees: 10^24 is nothing unusual. Arithmetic is
// modulo 2^(64 words), as that of the built-in types; who needs more than the remainder knows a bound beforehand
// (tree_counts.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace treewright::binary {

template <std::size_t kWords>
struct WideCount {
    __extension__ using Double = unsigned __int128;
    std::array<std::uint64_t, kWords> word{};

    WideCount() = default;
    explicit WideCount(std::uint64_t value) { word[0] = value; }
    // Of other width; what does not fit is cut off.
    template <std::size_t kOther>
    explicit WideCount(const WideCount<kOther>& other) {
        std::copy_n(other.word.begin(), std::min(kWords, kOther), word.begin());
    }

    [[nodiscard]] bool none() const {
        std::uint64_t any = 0;
        for (const std::uint64_t w : word) any |= w;
        return any == 0;
    }
    // Words that its digits need, at least one.
    [[nodiscard]] std::size_t n_words() const {
        std::size_t n = kWords;
        while (n > 1 && word[n - 1] == 0) --n;
        return n;
    }
    [[nodiscard]] double rounded() const {
        double sum = 0;
        for (std::size_t i = kWords; i-- > 0;) sum = sum * 0x1p64 + static_cast<double>(word[i]);
        return sum;
    }
    WideCount& operator+=(const WideCount& other) {
        if constexpr (kWords == 1) {
            word[0] += other.word[0];
        } else {
            Double carry = 0;
            for (std::size_t i = 0; i < kWords; ++i) {
                carry += static_cast<Double>(word[i]) + other.word[i];
                word[i] = static_cast<std::uint64_t>(carry);
                carry >>= 64;
            }
        }
        return *this;
    }
    WideCount& operator-=(const WideCount& other) {
        std::uint64_t borrow = 0;
        for (std::size_t i = 0; i < kWords; ++i) {
            const Double take = static_cast<Double>(other.word[i]) + borrow;
            borrow = take > word[i] ? 1 : 0;
            word[i] = static_cast<std::uint64_t>(word[i] - take);
        }
        return *this;
    }
};

// The product in as many words as asked for.
template <class Out, std::size_t kA, std::size_t kB>
[[nodiscard]] inline Out product(const WideCount<kA>& a, const WideCount<kB>& b) {
    using Double = typename Out::Double;
    constexpr std::size_t kWords = std::tuple_size_v<decltype(Out::word)>;
    Out out;
    if constexpr (kWords == 1) {
        out.word[0] = a.word[0] * b.word[0];
    } else if constexpr (kWords == 2) {
        const auto whole = [](const auto& x) {
            if constexpr (std::tuple_size_v<std::remove_cvref_t<decltype(x)>> == 1)
                return static_cast<Double>(x[0]);
            else
                return static_cast<Double>(x[0]) | static_cast<Double>(x[1]) << 64;
        };
        const Double both = whole(a.word) * whole(b.word);
        out.word[0] = static_cast<std::uint64_t>(both);
        out.word[1] = static_cast<std::uint64_t>(both >> 64);
    } else {
        for (std::size_t i = 0; i < std::min(kA, kWords); ++i) {
            if (a.word[i] == 0) continue;
            Double carry = 0;
            for (std::size_t j = 0; i + j < kWords; ++j) {
                carry += static_cast<Double>(a.word[i]) * (j < kB ? b.word[j] : 0) + out.word[i + j];
                out.word[i + j] = static_cast<std::uint64_t>(carry);
                carry >>= 64;
            }
        }
    }
    return out;
}

}  // namespace treewright::binary
