// The arena: aligned, without overlap, and everything given back at the end of a scope.
#include "check.hpp"
#include "treewright/core/arena.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>

using treewright::Arena;
using treewright::ArenaScope;

namespace {

bool is_closed([[maybe_unused]] const char* at) {
#if defined(__SANITIZE_ADDRESS__)
    return __asan_address_is_poisoned(at) != 0;
#else
    return false;
#endif
}

// Fills what it takes with its own number; a child that overlapped would leave another number behind.
void recurse(Arena& arena, Dice& dice, std::int64_t number, int depth) {
    ArenaScope scope(arena);
    const std::size_t n = dice.below(20) == 0 ? 200'000 + dice.below(100'000) : dice.below(500);
    const auto mine = arena.take<std::int64_t>(n);
    check(mine.size() == n, "as many as asked for");
    check(reinterpret_cast<std::uintptr_t>(mine.data()) % 64 == 0, "aligned to a cache line");
    std::fill(mine.begin(), mine.end(), number);
    for (std::size_t i = 0; depth > 0 && i < 3; ++i)
        recurse(arena, dice, 4 * number + static_cast<std::int64_t>(i), depth - 1);
    check(std::all_of(mine.begin(), mine.end(), [&](std::int64_t x) { return x == number; }), "nobody wrote here");
}

}  // namespace

int main() {
    Arena arena;
    Dice dice(2);
    recurse(arena, dice, 1, 6);
    const std::size_t held = arena.bytes();
    check(held > 0, "memory was taken");
    for (int trial = 0; trial < 5; ++trial) {
        Dice again(2);
        recurse(arena, again, 1, 6);
    }
    check(arena.bytes() == held, "the same work takes no new memory");
    const auto mark = arena.mark();
    const auto first = arena.take<char>(10);
    check(!is_closed(first.data()) && !is_closed(first.data() + 9), "what was taken may be touched");
#if defined(__SANITIZE_ADDRESS__)
    check(is_closed(first.data() + 10) && is_closed(first.data() + 64), "what lies behind it may not");
    check(std::all_of(first.begin(), first.end(), [](char x) { return x == '\xa5'; }),
          "nothing stays of what was there");
#endif
    arena.release(mark);
#if defined(__SANITIZE_ADDRESS__)
    check(is_closed(first.data()), "what was given back may not be touched");
#endif
    check(arena.take<char>(10).data() == first.data(), "released memory is used again");
    const auto large = arena.take<char>(3'000'000);
    arena.release(mark);
#if defined(__SANITIZE_ADDRESS__)
    check(is_closed(large.data()), "nor large blocks");
#endif
    check(arena.take<char>(3'000'000).data() == large.data(), "large blocks are used again");
    std::puts("arena: ok");
}
