// Sets of rows told apart by a sum.
#pragma once

#include <cstdint>

namespace treewright::ranked {

// Row-set fingerprint: the sum of random 128-bit keys of its rows (sums of disjoint sets add).
struct Fingerprint {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
    void add(const Fingerprint& other) {
        high += other.high;
        low += other.low;
    }
    void subtract(const Fingerprint& other) {
        high -= other.high;
        low -= other.low;
    }
};

}  // namespace treewright::ranked
