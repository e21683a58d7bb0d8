// The cache against std::map: full key comparison under equal hashes, merging, shedding within the limit.
#include "check.hpp"
#include "treewright/core/pattern_cache.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <map>
#include <vector>

using treewright::binary::Cache;
using treewright::binary::Entry;

namespace {

using Key = std::array<std::uint64_t, 4>;  // two words for ones, two for zeros

Entry entry(std::int64_t lower, std::int64_t upper, std::int32_t feature, std::int64_t limits, std::uint32_t work) {
    Entry e{};
    e.lower = lower;
    e.upper = upper;
    e.feature = feature;
    e.limits = limits;
    e.work = work;
    return e;
}

void equal_hashes_are_told_apart() {
    Cache cache(2, std::size_t{1} << 26);
    const std::uint64_t hash = 42;  // the same for all
    for (std::uint64_t i = 0; i < 300; ++i) {
        const Key key{i, 0, 0, i % 7};
        cache.store(key.data(), hash, entry(static_cast<std::int64_t>(i), 1000, 1, 5, 1));
    }
    check(cache.size() == 300, "one entry a key");
    for (std::uint64_t i = 0; i < 300; ++i) {
        const Key key{i, 0, 0, i % 7};
        const Entry* found = cache.find(key.data(), 5, hash);
        check(found != nullptr && found->lower == static_cast<std::int64_t>(i), "each key finds its own entry");
        check(cache.find(key.data(), 6, hash) == nullptr, "another limit is another key");
    }
}

void knowledge_is_merged() {
    Cache cache(2, std::size_t{1} << 26);
    const Key key{1, 2, 3, 4};
    const std::uint64_t hash = cache.hash(key.data(), 9);
    cache.store(key.data(), hash, entry(10, 50, 3, 9, 4));
    cache.store(key.data(), hash, entry(5, 60, 8, 9, 1));
    const Entry* found = cache.find(key.data(), 9, hash);
    check(found != nullptr && found->lower == 10 && found->upper == 50 && found->feature == 3,
          "worse news change nothing");
    cache.store(key.data(), hash, entry(20, 40, 7, 9, 1));
    found = cache.find(key.data(), 9, hash);
    check(found->lower == 20 && found->upper == 40 && found->feature == 7, "better news replace");
    check(found->work == 6, "work adds up");
    check(cache.size() == 1, "still one entry");
}

void what_it_says_is_what_it_was_told(std::size_t limit, bool may_shed) {
    Cache cache(2, limit);
    Dice dice(3);
    std::map<std::pair<Key, std::int64_t>, Entry> told;
    for (int i = 0; i < 60'000; ++i) {
        const Key key{dice.below(50), dice.below(40), 0, dice.below(20)};
        const auto limits = static_cast<std::int64_t>(dice.below(3));
        const Entry news =
            entry(static_cast<std::int64_t>(dice.below(100)), static_cast<std::int64_t>(100 + dice.below(100)),
                  static_cast<std::int32_t>(dice.below(9)), limits, static_cast<std::uint32_t>(dice.below(1000)));
        const std::uint64_t hash = cache.hash(key.data(), limits);
        cache.store(key.data(), hash, news);
        auto [at, fresh] = told.try_emplace({key, limits}, news);
        if (!fresh) {
            at->second.lower = std::max(at->second.lower, news.lower);
            if (news.upper < at->second.upper) {
                at->second.upper = news.upper;
                at->second.feature = news.feature;
            }
        }
        check(cache.bytes() <= limit, "within the limit");
        const Entry* here = cache.find(key.data(), limits, hash);
        check(here != nullptr, "what was just stored is there");
    }
    std::size_t found_count = 0;
    for (const auto& [key, entry] : told) {
        const Entry* found = cache.find(key.first.data(), key.second, cache.hash(key.first.data(), key.second));
        if (found == nullptr) continue;
        ++found_count;
        // After shedding, an entry may know less than was told, never more.
        check(found->lower <= entry.lower && found->upper >= entry.upper, "nothing is invented");
        if (!may_shed) check(found->lower == entry.lower && found->upper == entry.upper, "nothing is forgotten");
    }
    check(found_count == cache.size(), "every entry is found by its key");
    check(may_shed == (cache.shed_count() > 0), "it sheds exactly when it must");
    if (!may_shed) check(found_count == told.size(), "all are there");
}

// As where the arena of a search takes more of the memory that both share.
void a_lower_limit_leaves_room_for_entries() {
    const std::size_t limit = std::size_t{1} << 22;
    Cache cache(2, limit);
    Dice dice(4);
    const auto store = [&](int n) {
        for (int i = 0; i < n; ++i) {
            const Key key{dice.below(1 << 30), dice.below(1 << 30), 0, 0};
            const auto work = static_cast<std::uint32_t>(dice.below(1000));
            cache.store(key.data(), cache.hash(key.data(), 1), entry(0, 1, 0, 1, work));
        }
    };
    store(60'000);
    check(cache.shed_count() > 0 && cache.size() > 8'000, "full");
    for (const std::size_t less : {std::size_t{1}, std::size_t{2}, limit / 4, limit / 2, 3 * limit / 4}) {
        const std::size_t low = std::min(cache.bytes(), limit) - std::min(cache.bytes() / 2, less);
        cache.limit_to(low);
        store(3'000);
        check(cache.bytes() <= low, "within the lower limit");
        check(cache.size() > low / 1'000, "most of the lower limit is used");
    }
    cache.limit_to(1);
    store(10);
    check(cache.size() == 1, "what was stored last is there");
}

void what_is_kept_with_an_entry_stays_with_it() {
    Cache cache(2, std::size_t{1} << 20, sizeof(std::uint64_t));
    Dice dice(5);
    std::vector<Key> keys;
    for (std::uint64_t i = 0; i < 40'000; ++i) {
        keys.push_back({i, dice.below(50), 0, 0});
        const auto work = static_cast<std::uint32_t>(dice.below(1000));
        const Entry* made =
            cache.insert(keys.back().data(), cache.hash(keys.back().data(), 1), entry(0, 1, 0, 1, work));
        check(made != nullptr && *cache.payload<std::uint64_t>(made) == 0, "nothing at first");
        *cache.payload<std::uint64_t>(made) = i + 1;
    }
    std::size_t n_found = 0;
    for (const Key& key : keys) {
        const Entry* found = cache.find(key.data(), 1, cache.hash(key.data(), 1));
        if (found == nullptr) continue;
        ++n_found;
        check(*cache.payload<std::uint64_t>(found) == key[0] + 1, "its own");
    }
    check(cache.shed_count() > 0 && n_found == cache.size() && n_found > 1'000, "some were shed, many are there");
}

void disabled_stores_nothing() {
    Cache cache(2, std::size_t{1} << 26);
    cache.disable();
    const Key key{1, 1, 1, 1};
    cache.store(key.data(), 1, entry(0, 1, 0, 0, 0));
    check(cache.size() == 0, "nothing stored");
}

}  // namespace

int main() {
    equal_hashes_are_told_apart();
    knowledge_is_merged();
    what_it_says_is_what_it_was_told(std::size_t{1} << 28, false);
    what_it_says_is_what_it_was_told(std::size_t{1} << 20, true);
    a_lower_limit_leaves_room_for_entries();
    what_is_kept_with_an_entry_stays_with_it();
    disabled_stores_nothing();
    std::puts("cache: ok");
}
