// A fixed stream of random numbers, so that every run is the same.
#pragma once

#include <cstdint>

namespace treewright::ranked {

// splitmix64 (Steele, Lea and Flood 2014).
class Random {
   public:
    explicit Random(std::uint64_t seed = 0) : state_(seed) {}
    std::uint64_t operator()() {
        state_ += 0x9e3779b97f4a7c15u;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    // Below `most`, which is far from 2^32: the bias is of no account.
    std::uint32_t below(std::uint32_t most) { return static_cast<std::uint32_t>(((*this)() >> 32) * most >> 32); }

   private:
    std::uint64_t state_;
};

}  // namespace treewright::ranked
