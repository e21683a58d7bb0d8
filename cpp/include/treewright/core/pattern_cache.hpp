// What is known about subproblems already met.
//
// The key of a set of rows is its closed pattern: the columns that are constant one and constant zero on it, all of
// them, not only those on the path. Two conjunctions select the same rows if and only if their closed patterns are
// equal (the rows matching a conjunction match its closure, and conversely), so different split orders, and different
// columns that happen to select the same rows, meet in one entry. This subsumes the permutation bound of Hu et al.
// 2019 (Corollary E.1). Keys are compared in full: a hash collision costs time, never correctness.
//
// When the memory limit is reached the entries that took the least work are shed; the search then only works again.
// Where the limit has been lowered below what is held, memory is given back, too: else every insertion would shed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace treewright::binary {

struct Entry {
    std::int64_t lower;    // proven lower bound of the subproblem
    std::int64_t upper;    // value of the best tree found in it
    std::int64_t limits;   // depth and leaf budget, part of the key
    std::int32_t feature;  // column of that tree's root, kLeaf for a leaf
    std::uint32_t work;    // steps spent here

    static constexpr std::int32_t kLeaf = -1;
};

class Cache {
   public:
    // `n_words` 64-bit words for each half of the key (ones, zeros), and `payload` more bytes for each entry.
    Cache(std::size_t n_words, std::size_t memory_limit, std::size_t payload = 0)
        : key_words_(2 * n_words),
          payload_bytes_((payload + 7) / 8 * 8),
          limit_(memory_limit),
          slots_(kFirstSlots, 0) {}

    [[nodiscard]] std::uint64_t hash(const std::uint64_t* key, std::int64_t limits) const {
        std::uint64_t h = static_cast<std::uint64_t>(limits) * 0x9e3779b97f4a7c15ULL;
        for (std::size_t w = 0; w < key_words_; ++w) {
            h ^= key[w];
            h *= 0xd6e8feb86659fd93ULL;
            h ^= h >> 32;
        }
        h *= 0xd6e8feb86659fd93ULL;
        return h ^ (h >> 29);
    }

    void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]); }

    // Valid until the next insertion.
    [[nodiscard]] Entry* find(const std::uint64_t* key, std::int64_t limits, std::uint64_t hash) {
        const std::size_t mask = slots_.size() - 1;
        for (std::size_t s = hash & mask; slots_[s] != 0; s = (s + 1) & mask) {
            const std::size_t e = slots_[s] - 1;
            if (entries_[e].limits == limits && std::memcmp(&keys_[e * key_words_], key, key_words_ * 8) == 0)
                return &entries_[e];
        }
        return nullptr;
    }

    // What the caller keeps with an entry; valid as long as it.
    template <class T>
    [[nodiscard]] T* payload(const Entry* entry) {
        return reinterpret_cast<T*>(&payload_[static_cast<std::size_t>(entry - entries_.data()) * payload_bytes_]);
    }

    // Makes an entry that is not there, its payload zero; nothing if the cache is switched off.
    [[nodiscard]] Entry* insert(const std::uint64_t* key, std::uint64_t hash, const Entry& news) {
        if (disabled_) return nullptr;
        while (bytes() + growth() > limit_ && !entries_.empty()) shed();
        if (2 * (entries_.size() + 1) > slots_.size()) rehash(4 * slots_.size());
        entries_.push_back(news);
        keys_.insert(keys_.end(), key, key + key_words_);
        payload_.resize(entries_.size() * payload_bytes_);
        place(entries_.size() - 1, hash);
        return &entries_.back();
    }

    // Merges what is newly known into the entry of the key, making one if needed.
    void store(const std::uint64_t* key, std::uint64_t hash, const Entry& news) {
        if (Entry* known = find(key, news.limits, hash)) {
            known->lower = std::max(known->lower, news.lower);
            known->work += news.work;
            if (news.upper < known->upper) {
                known->upper = news.upper;
                known->feature = news.feature;
            }
            return;
        }
        static_cast<void>(insert(key, hash, news));
    }

    // Calls `use(key, entry)` for every entry.
    template <class Use>
    void each(const Use& use) const {
        for (std::size_t e = 0; e < entries_.size(); ++e)
            use(std::span<const std::uint64_t>(&keys_[e * key_words_], key_words_), entries_[e]);
    }

    void disable() { disabled_ = true; }
    // What may be held from now on.
    void limit_to(std::size_t bytes) { limit_ = bytes; }
    [[nodiscard]] std::size_t size() const { return entries_.size(); }
    [[nodiscard]] std::size_t shed_count() const { return shed_; }
    [[nodiscard]] std::size_t bytes() const {
        return slots_.capacity() * 4 + entries_.capacity() * sizeof(Entry) + keys_.capacity() * 8 + payload_.capacity();
    }

   private:
    static constexpr std::size_t kFirstSlots = 1 << 12;

    // What the next insertion may add when vectors double.
    [[nodiscard]] std::size_t growth() const {
        std::size_t more = 0;
        if (entries_.size() == entries_.capacity()) more += entries_.capacity() * sizeof(Entry) * 2;
        if (keys_.size() + key_words_ > keys_.capacity()) more += keys_.capacity() * 16;
        if (payload_.size() + payload_bytes_ > payload_.capacity()) more += payload_.capacity() * 2;
        if (2 * (entries_.size() + 1) > slots_.size()) more += slots_.size() * 16;
        return more;
    }

    void place(std::size_t entry, std::uint64_t hash) {
        const std::size_t mask = slots_.size() - 1;
        std::size_t s = hash & mask;
        while (slots_[s] != 0) s = (s + 1) & mask;
        slots_[s] = static_cast<std::uint32_t>(entry + 1);
    }

    void rehash(std::size_t n_slots) {
        slots_.assign(n_slots, 0);
        for (std::size_t e = 0; e < entries_.size(); ++e) place(e, hash(&keys_[e * key_words_], entries_[e].limits));
    }

    // Drops the half of the entries that took the least work; everything if that is not enough to go on.
    void shed() {
        std::vector<std::uint32_t> work(entries_.size());
        std::transform(entries_.begin(), entries_.end(), work.begin(), [](const Entry& e) { return e.work; });
        const auto middle = work.begin() + static_cast<std::ptrdiff_t>(work.size() / 2);
        std::nth_element(work.begin(), middle, work.end());
        const std::uint32_t threshold = *middle;
        std::size_t ties_to_keep =
            work.size() / 2 -
            static_cast<std::size_t>(std::count_if(work.begin(), work.end(), [&](auto w) { return w > threshold; }));
        std::size_t kept = 0;
        for (std::size_t e = 0; e < entries_.size(); ++e) {
            const bool tie = entries_[e].work == threshold;
            if (entries_[e].work < threshold || (tie && ties_to_keep == 0)) continue;
            if (tie) --ties_to_keep;
            entries_[kept] = entries_[e];
            std::copy_n(&keys_[e * key_words_], key_words_, &keys_[kept * key_words_]);
            std::copy_n(payload_.data() + e * payload_bytes_, payload_bytes_, payload_.data() + kept * payload_bytes_);
            ++kept;
        }
        shed_ += entries_.size() - kept;
        entries_.resize(kept);
        keys_.resize(kept * key_words_);
        payload_.resize(kept * payload_bytes_);
        if (bytes() > limit_) give_back();
        rehash(slots_.size());
    }

    // The capacity that the entries left do not need.
    void give_back() {
        std::size_t n_slots = kFirstSlots;
        while (2 * (entries_.size() + 1) > n_slots) n_slots *= 4;
        std::vector<std::uint32_t>().swap(slots_);  // first: a vector that shrinks is there twice for a moment
        keys_.shrink_to_fit();
        payload_.shrink_to_fit();
        entries_.shrink_to_fit();
        slots_.resize(n_slots);
    }

    std::size_t key_words_;
    std::size_t payload_bytes_;
    std::size_t limit_;
    std::size_t shed_ = 0;
    bool disabled_ = false;
    std::vector<std::uint32_t> slots_;  // entry + 1
    std::vector<Entry> entries_;
    std::vector<std::uint64_t> keys_;
    std::vector<std::byte> payload_;  // allocated, so aligned for any type; holds what the caller writes
};

}  // namespace treewright::binary
