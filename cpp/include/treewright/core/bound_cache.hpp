// Bounds by (row set, limits of the tree). The row set is known by a 128-bit fingerprint: two sets of a run share one with a
// probability below pairs / 2^128, about 1e-19 after 10^9 subproblems.
//
// Buckets of four; the table doubles until the memory allowed is used, then the entry with the least rows gives way.
// Losing an entry costs time, never correctness.
#pragma once

#include "treewright/core/fingerprint.hpp"
#include "treewright/search/outcome.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace treewright::ranked {

class Cache {
   public:
    explicit Cache(std::size_t most_bytes) : most_bytes_(most_bytes), entries_(kFirstSize) {}

    // The outcome known, or one with lower = 0 and upper = kNoCost.
    [[nodiscard]] Outcome find(const Fingerprint& rows, Size size) const;
    // Keeps the better of the bounds known and given.
    void store(const Fingerprint& rows, Size size, std::uint32_t n_rows, const Outcome& outcome);

    [[nodiscard]] std::size_t bytes() const { return entries_.size() * sizeof(Entry); }
    [[nodiscard]] std::size_t size() const { return size_; }

   private:
    struct Entry {
        Fingerprint rows;
        Size size{0};
        std::uint32_t n_rows = 0;  // 0: free
        Outcome outcome;
    };
    static constexpr std::size_t kWays = 4;
    static constexpr std::size_t kFirstSize = 1024;

    [[nodiscard]] std::size_t bucket(const Fingerprint& rows, Size size) const {
        const std::uint64_t limits = std::uint64_t{size.leaves} << 32 | size.depth;
        return ((rows.low ^ (limits * 0x9e3779b97f4a7c15u)) % (entries_.size() / kWays)) * kWays;
    }
    void grow();

    std::size_t most_bytes_;
    std::size_t size_ = 0;
    std::vector<Entry> entries_;
};

}  // namespace treewright::ranked
