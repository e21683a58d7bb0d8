// Sets of rows as bits, 64 a word.
#pragma once

#include "treewright/core/number_index.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace treewright::binary {

using Bits = std::span<const std::uint64_t>;

inline void side_of(Bits rows, Bits ones, int side, std::vector<std::uint64_t>& out) {
    out.resize(rows.size());
    for (std::size_t w = 0; w < rows.size(); ++w) out[w] = rows[w] & (side == 1 ? ones[w] : ~ones[w]);
}

[[nodiscard]] inline std::uint64_t mixed(std::uint64_t key, std::uint64_t word) {
    return (std::rotl(key, 5) ^ word) * 0x9E3779B97F4A7C15U;
}

// Sets of rows by number, equal ones once.
class RowSets {
   public:
    explicit RowSets(std::size_t n_words) : n_words_(n_words) {}

    std::uint32_t number(Bits rows) {
        std::uint64_t key = 0;
        for (const std::uint64_t word : rows) key = mixed(key, word);
        key ^= key >> 32;  // the lowest bits of a product depend on few of the others
        const auto same = [&](std::uint32_t number) { return std::ranges::equal(rows, of(number)); };
        if (const std::uint32_t known = known_.find(key, same); known != NumberIndex::kNone) return known;
        const auto made = static_cast<std::uint32_t>(known_.size());
        known_.add(key, made);
        bits_.insert(bits_.end(), rows.begin(), rows.end());
        return made;
    }
    [[nodiscard]] Bits of(std::uint32_t number) const { return Bits(bits_).subspan(number * n_words_, n_words_); }
    [[nodiscard]] std::size_t size() const { return known_.size(); }
    [[nodiscard]] std::size_t bytes() const { return bits_.capacity() * 8 + known_.bytes(); }

   private:
    std::size_t n_words_;
    std::vector<std::uint64_t> bits_;
    NumberIndex known_;
};

}  // namespace treewright::binary
