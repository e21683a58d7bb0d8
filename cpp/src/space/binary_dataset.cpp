#include "treewright/space/binary_dataset.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <span>
#include <unordered_map>

namespace treewright::binary {

namespace {

std::uint64_t mix(std::uint64_t x) {
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93ULL;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93ULL;
    return x ^ (x >> 32);
}

std::uint64_t hash_words(const std::uint64_t* words, std::size_t n) {
    std::uint64_t h = 0x9e3779b97f4a7c15ULL;
    for (std::size_t w = 0; w < n; ++w) h = mix(h ^ words[w]) + 0x9e3779b97f4a7c15ULL;
    return h;
}

// Eight bytes as eight bits, 1 for each byte that is not zero, on a little-endian processor.
std::uint64_t pack8(const std::uint8_t* bytes) {
    constexpr std::uint64_t kLow = 0x7f7f7f7f7f7f7f7fULL;
    std::uint64_t x = 0;
    std::memcpy(&x, bytes, 8);
    x = (((x & kLow) + kLow) | x) >> 7 & 0x0101010101010101ULL;
    return (x * 0x0102040810204080ULL) >> 56;  // byte k goes to bit 56 + k, and no two products meet there
}

std::uint64_t pack(const std::uint8_t* bytes, std::size_t n) {
    std::uint64_t word = 0;
    std::size_t r = 0;
    if constexpr (std::endian::native == std::endian::little)
        for (; r + 8 <= n; r += 8) word |= pack8(bytes + r) << r;
    for (; r < n; ++r) word |= static_cast<std::uint64_t>(bytes[r] != 0) << r;
    return word;
}

// Up to 64 rows that are bits already; the bits behind the last row are 0.
std::uint64_t load_bits(const std::uint8_t* bytes, std::size_t n_bytes) {
    std::uint64_t word = 0;
    for (std::size_t b = 0; b < n_bytes; ++b) word |= std::uint64_t{bytes[b]} << (8 * b);
    return word;
}

// Bit c of word r becomes bit r of word c. Everything here that turns rows into columns or back does so in such tiles:
// one bit at a time took four fifths of a fit of 8,000 rows and 100 columns that needs no search.
using Tile = std::array<std::uint64_t, 64>;
void transpose(Tile& tile) {
    std::uint64_t mask = 0x00000000ffffffffULL;
    for (std::size_t j = 32; j != 0; j >>= 1, mask ^= mask << j) {
        for (std::size_t k = 0; k < 64; k = (k + j + 1) & ~j) {
            const std::uint64_t t = ((tile[k] >> j) ^ tile[k + j]) & mask;
            tile[k] ^= t << j;
            tile[k + j] ^= t;
        }
    }
}

// Every loop here looks at the control: what it leaves undone after a stop, reduce() throws away.
constexpr std::size_t kTilesOfPoll = 16;  // in the time of a clock check
constexpr std::size_t kWordsOfPoll = 1024;
constexpr std::size_t kRowsOfPoll = 64;
std::int64_t share(std::size_t work, std::size_t of_poll) { return 1 + static_cast<std::int64_t>(work / of_poll); }

// Calls make(block, word, tile) for every 64 rows and 64 columns to fill the columns of a tile, and writes it as rows.
template <class Make>
std::vector<std::uint64_t> rows_of_tiles(std::size_t n_rows, std::size_t n_words, Control& control, Make&& make) {
    std::vector<std::uint64_t> bits(n_rows * n_words);
    for (std::size_t begin = 0; begin < n_rows; begin += 64) {
        if (control.poll(share(n_words, kTilesOfPoll))) break;
        for (std::size_t w = 0; w < n_words; ++w) {
            Tile tile{};
            make(begin / 64, w, tile);
            transpose(tile);
            for (std::size_t r = begin; r < std::min(n_rows, begin + 64); ++r) bits[r * n_words + w] = tile[r - begin];
        }
    }
    return bits;
}

std::vector<std::uint64_t> pack_rows(const Input& in, std::size_t n_words, Control& control) {
    return rows_of_tiles(in.n_rows, n_words, control, [&](std::size_t block, std::size_t w, Tile& tile) {
        const std::size_t n = std::min<std::size_t>(64, in.n_rows - 64 * block);
        const std::size_t width = (in.n_rows + 7) / 8;
        for (std::size_t c = 64 * w; c < std::min(in.n_columns, 64 * w + 64); ++c)
            tile[c % 64] = in.packed ? load_bits(in.goes_right.data() + c * width + 8 * block, (n + 7) / 8)
                                     : pack(in.goes_right.data() + c * in.n_rows + 64 * block, n);
    });
}

// Distinct rows in order of first appearance: gives each row the number of its group.
std::size_t group_rows(const std::vector<std::uint64_t>& bits, std::size_t n_rows, std::size_t n_words, bool merge,
                       std::vector<std::uint32_t>& group_of, std::vector<std::uint32_t>& first_of, Control& control) {
    group_of.resize(n_rows);
    if (!merge) {
        std::iota(group_of.begin(), group_of.end(), 0U);
        first_of = group_of;
        return n_rows;
    }
    std::size_t capacity = std::bit_ceil(std::max<std::size_t>(64, 4 * std::min<std::size_t>(n_rows, 1 << 14)));
    std::vector<std::uint32_t> slots(capacity, 0);  // group + 1
    const auto slot_of = [&](const std::uint64_t* words) {
        std::size_t s = hash_words(words, n_words) & (capacity - 1);
        while (slots[s] != 0 && std::memcmp(bits.data() + first_of[slots[s] - 1] * n_words, words, n_words * 8) != 0)
            s = (s + 1) & (capacity - 1);
        return s;
    };
    for (std::size_t r = 0; r < n_rows; ++r) {
        if (r % kRowsOfPoll == 0 && control.poll(share(n_words, kTilesOfPoll))) break;
        std::size_t s = slot_of(bits.data() + r * n_words);
        if (slots[s] == 0) {
            if (2 * (first_of.size() + 1) > capacity) {
                capacity *= 4;
                slots.assign(capacity, 0);
                for (std::uint32_t g = 0; g < first_of.size(); ++g)
                    slots[slot_of(bits.data() + first_of[g] * n_words)] = g + 1;
                s = slot_of(bits.data() + r * n_words);
            }
            first_of.push_back(static_cast<std::uint32_t>(r));
            slots[s] = static_cast<std::uint32_t>(first_of.size());
        }
        group_of[r] = slots[s] - 1;
    }
    return first_of.size();
}

// Bits of the columns over some rows, 64 rows a word.
struct ColumnWords {
    std::size_t n_words;
    std::vector<std::uint64_t> bits;

    [[nodiscard]] std::span<std::uint64_t> column(std::size_t c) { return {bits.data() + c * n_words, n_words}; }
};

ColumnWords columns_of(const std::vector<std::uint64_t>& bits, const std::vector<std::uint32_t>& rows,
                       std::size_t n_columns, std::size_t in_words, Control& control) {
    ColumnWords out{(rows.size() + 63) / 64, {}};
    out.bits.resize(n_columns * out.n_words);
    for (std::size_t block = 0; block < out.n_words; ++block) {
        if (control.poll(share(in_words, kTilesOfPoll))) break;
        for (std::size_t w = 0; w < in_words; ++w) {
            Tile tile{};
            for (std::size_t r = 64 * block; r < std::min(rows.size(), 64 * block + 64); ++r)
                tile[r % 64] = bits[rows[r] * in_words + w];
            transpose(tile);
            for (std::size_t c = 64 * w; c < std::min(n_columns, 64 * w + 64); ++c) out.column(c)[block] = tile[c % 64];
        }
    }
    return out;
}

// Keeps the first of equal or complementary columns, drops constant ones, flips those with more ones than zeros.
std::vector<Column> distinct_columns(ColumnWords& words, std::size_t n_columns, std::size_t n_rows, Control& control) {
    std::vector<Column> kept;
    std::unordered_multimap<std::uint64_t, std::size_t> by_hash;  // number of a kept column
    for (std::size_t c = 0; c < n_columns; ++c) {
        if (control.poll(share(words.n_words, kWordsOfPoll))) break;
        const std::span<std::uint64_t> column = words.column(c);
        std::size_t ones = 0;
        for (const std::uint64_t word : column) ones += static_cast<std::size_t>(std::popcount(word));
        if (ones == 0 || ones == n_rows) continue;
        // Canonical side: minority is one; at exactly half, the first row is zero.
        const bool flipped = 2 * ones > n_rows || (2 * ones == n_rows && (column[0] & 1U) != 0);
        if (flipped) {
            for (auto& word : column) word = ~word;
            if (n_rows % 64 != 0) column.back() &= (std::uint64_t{1} << (n_rows % 64)) - 1;
        }
        const std::uint64_t h = hash_words(column.data(), column.size());
        const auto [begin, end] = by_hash.equal_range(h);
        if (std::any_of(begin, end,
                        [&](const auto& other) { return std::ranges::equal(words.column(other.second), column); }))
            continue;
        by_hash.emplace(h, c);
        kept.push_back({static_cast<std::int32_t>(c), flipped});
    }
    return kept;
}

// Rows that are equal: costs of every class above those of the cheapest, which `base_cost` adds up, and guesses above.
struct Groups {
    std::vector<std::uint32_t> of_row, first_row;
    std::vector<std::int64_t> cost, count, guess;                // [group][class], [group], [group] or empty
    std::vector<std::pair<std::size_t, std::int64_t>> cheapest;  // class, and what all others cost more
    std::int64_t base_cost = 0;
};

Groups groups_of(const Input& in, const std::vector<std::uint64_t>& bits, std::size_t n_words, Control& control) {
    const std::size_t k = in.n_classes;
    Groups out;
    const std::size_t n = group_rows(bits, in.n_rows, n_words, in.merge_equal_rows, out.of_row, out.first_row, control);
    if (control.stopped()) return {};
    out.cost.resize(n * k);
    out.count.resize(n);
    for (std::size_t r = 0; r < in.n_rows; ++r) {
        if (r % kRowsOfPoll == 0 && control.poll(share(k, kTilesOfPoll))) return {};
        const std::int64_t* row_costs = in.costs.data() + static_cast<std::size_t>(in.y[r]) * k;
        std::int64_t* group_cost = out.cost.data() + out.of_row[r] * k;
        for (std::size_t p = 0; p < k; ++p) group_cost[p] += in.weight[r] * row_costs[p];
        ++out.count[out.of_row[r]];
    }
    out.guess.resize(in.guess.empty() ? 0 : n);
    for (std::size_t r = 0; r < in.guess.size(); ++r) out.guess[out.of_row[r]] += in.guess[r];
    out.cheapest.resize(n);
    for (std::size_t g = 0; g < n; ++g) {
        if (g % kRowsOfPoll == 0 && control.poll(share(k, kTilesOfPoll))) return {};
        std::int64_t* c = out.cost.data() + g * k;
        const auto least = std::min_element(c, c + k);
        const std::int64_t base = *least;
        out.base_cost += base;
        std::int64_t above = 0;
        for (std::size_t p = 0; p < k; ++p) above += (c[p] -= base);
        out.cheapest[g] = {static_cast<std::size_t>(least - c), above};
        // The reference may see columns that were binarised away and answer equal rows differently, even worse than
        // base on all of them.
        if (!out.guess.empty()) out.guess[g] = std::max<std::int64_t>(0, out.guess[g] - base);
    }
    return out;
}

// Those whose class matters. One whose class does not has no part in a matrix, so closed patterns, the keys of caches,
// do not tell whether it is in a set; it has no guess to be kept for either: that charges every tree alike
// (guessed_bounds.hpp). Of one class together, cheap ones first: the bit planes of the kernels become short
// ranges. Ties by content, so that the order of the input rows does not matter to anything that follows.
std::vector<std::uint32_t> kept_groups(const Groups& groups, const std::vector<std::uint64_t>& bits,
                                       std::size_t n_words, bool keep_free_rows) {
    struct Key {  // what nearly always decides lies together
        std::size_t label;
        std::int64_t above;
        std::uint64_t first_word;
        std::uint32_t group;
    };
    std::vector<Key> keys;
    for (std::uint32_t g = 0; g < groups.count.size(); ++g) {
        const auto [label, above] = groups.cheapest[g];
        if (above > 0 || keep_free_rows) keys.push_back({label, above, bits[groups.first_row[g] * n_words], g});
    }
    std::stable_sort(keys.begin(), keys.end(), [&](const Key& a, const Key& b) {
        if ((a.above == 0) != (b.above == 0)) return b.above == 0;
        if (a.label != b.label) return a.label < b.label;
        if (a.above != b.above) return a.above < b.above;
        if (a.first_word != b.first_word) return a.first_word < b.first_word;
        const std::uint64_t* wa = bits.data() + groups.first_row[a.group] * n_words;
        const std::uint64_t* wb = bits.data() + groups.first_row[b.group] * n_words;
        return std::lexicographical_compare(wa, wa + n_words, wb, wb + n_words);
    });
    std::vector<std::uint32_t> kept(keys.size());
    std::ranges::transform(keys, kept.begin(), &Key::group);
    return kept;
}

}  // namespace

Dataset costly_rows(const Dataset& data) {
    Dataset out = data;
    const auto is_free = [&](std::size_t r) {
        return std::all_of(&data.cost[r * data.n_classes], &data.cost[r * data.n_classes] + data.n_classes,
                           [](std::int64_t cost) { return cost == 0; });
    };
    while (out.n_rows > 0 && is_free(out.n_rows - 1)) --out.n_rows;
    out.bits.resize(out.n_rows * out.n_words);
    out.cost.resize(out.n_rows * out.n_classes);
    out.count.resize(out.n_rows);
    if (!out.guess.empty()) out.guess.resize(out.n_rows);
    return out;
}

Dataset reduce(const Input& in) {
    Control endless(Limits{});
    return reduce(in, endless);
}

Dataset reduce(const Input& in, Control& control) {
    const std::size_t k = in.n_classes, in_words = std::max<std::size_t>(1, (in.n_columns + 63) / 64);
    const std::vector<std::uint64_t> bits = pack_rows(in, in_words, control);
    const Groups groups = groups_of(in, bits, in_words, control);
    if (control.stopped()) return {};
    const std::vector<std::uint32_t> kept = kept_groups(groups, bits, in_words, in.keep_free_rows);

    std::vector<std::uint32_t> representative(kept.size());
    std::transform(kept.begin(), kept.end(), representative.begin(),
                   [&](std::uint32_t g) { return groups.first_row[g]; });
    ColumnWords words = columns_of(bits, representative, in.n_columns, in_words, control);
    Dataset out;
    out.n_classes = k;
    out.base_cost = groups.base_cost;
    out.columns = distinct_columns(words, in.n_columns, kept.size(), control);
    if (control.stopped()) return {};
    out.n_columns = out.columns.size();
    out.n_words = std::max<std::size_t>(1, (out.n_columns + 63) / 64);
    out.n_rows = kept.size();
    out.bits = rows_of_tiles(out.n_rows, out.n_words, control, [&](std::size_t block, std::size_t w, Tile& tile) {
        for (std::size_t c = 64 * w; c < std::min(out.n_columns, 64 * w + 64); ++c)
            tile[c % 64] = words.column(static_cast<std::size_t>(out.columns[c].source))[block];
    });
    out.cost.resize(out.n_rows * k);
    out.count.resize(out.n_rows);
    if (!groups.guess.empty()) out.guess.resize(out.n_rows);
    for (std::size_t r = 0; r < out.n_rows; ++r) {
        std::copy_n(groups.cost.data() + kept[r] * k, k, out.cost.data() + r * k);
        out.count[r] = groups.count[kept[r]];
        if (!groups.guess.empty()) out.guess[r] = groups.guess[kept[r]];
    }
    return out;
}

}  // namespace treewright::binary
