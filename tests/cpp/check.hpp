// The smallest test tool: say what does not hold, and where, and fail.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <random>
#include <source_location>

inline void check(bool holds, const char* what, std::source_location where = std::source_location::current()) {
    if (holds) return;
    std::fprintf(stderr, "%s:%u: does not hold: %s\n", where.file_name(), static_cast<unsigned>(where.line()), what);
    std::exit(1);
}

// Seeded numbers, the same on every machine (the standard distributions are not).
class Dice {
   public:
    explicit Dice(std::uint32_t seed) : engine_(seed) {}
    // 0 <= result < n
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_()) % n; }
    bool coin() { return below(2) == 1; }

   private:
    std::mt19937 engine_;
};
