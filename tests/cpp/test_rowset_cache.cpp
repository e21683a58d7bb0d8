// The cache of row sets against std::map: many sizes of the same rows, doubling, displacing at the limit of memory.
#include "check.hpp"
#include "treewright/core/bound_cache.hpp"

#include <cstdint>
#include <cstdio>
#include <map>
#include <utility>

using namespace treewright::ranked;

namespace {

Fingerprint rows_of(std::uint64_t number) {
    std::mt19937_64 random(number);
    return {random(), random()};
}

Outcome outcome(Cost lower, Cost upper) { return {lower, upper, PartialTree::leaf()}; }

void compare(std::size_t max_bytes, bool may_forget) {
    Cache cache(max_bytes);
    const std::size_t first = cache.bytes();
    Dice dice(5);
    std::map<std::pair<std::uint64_t, std::uint32_t>, Outcome> told;  // rows, and leaves
    for (int i = 0; i < 40'000; ++i) {
        const std::uint64_t number = dice.below(3000);
        const auto leaves = static_cast<std::uint32_t>(2 + dice.below(40));
        const Outcome news = outcome(static_cast<Cost>(dice.below(100)), static_cast<Cost>(100 + dice.below(100)));
        const auto n_rows = static_cast<std::uint32_t>(1 + number);
        cache.store(rows_of(number), {7, leaves}, n_rows, news);
        told[{number, leaves}].merge(news);
        check(cache.bytes() <= std::max(max_bytes, first), "within the limit");
        const Outcome* here = cache.peek(rows_of(number), {7, leaves});
        check(here != nullptr && here->lower >= news.lower && here->upper <= news.upper,
              "what was just stored is there");
        check(cache.peek(rows_of(number), {8, leaves}) == nullptr, "another depth is another question");
    }
    std::size_t found = 0;
    for (const auto& [key, known] : told) {
        const Outcome* here = cache.peek(rows_of(key.first), {7, key.second});
        if (here == nullptr) continue;
        ++found;
        check(here->lower <= known.lower && here->upper >= known.upper, "nothing is invented");
        if (!may_forget) check(here->lower == known.lower && here->upper == known.upper, "nothing is forgotten");
    }
    check(found == cache.size(), "every entry is found by its key");
    check(may_forget == (found < told.size()), "it forgets exactly when it must");
    if (!may_forget) check(cache.bytes() < 16 * told.size() * sizeof(Outcome) * 2, "the places are used");
}

}  // namespace

int main() {
    compare(std::size_t{1} << 30, false);
    compare(std::size_t{1} << 18, true);
    compare(1, true);
    std::puts("rowset cache: ok");
}
