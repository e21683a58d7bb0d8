// What is known of a set of rows, by its fingerprint and by how large a tree may be.
//
// Two sets of a run share a fingerprint of 128 bits with a probability below pairs / 2^128, about 1e-19 after 10^9
// subproblems. (The search over binary columns has an exact key at hand, the closed pattern, whose length depends on
// the table: pattern_cache.hpp.)
//
// Open addressing: an entry lies in the first free place of the kWindow places that begin at its own. The table doubles
// while it may, where it is half full or a window is full; after that the entry of the window with the least rows gives
// way. Losing an entry costs time, never correctness.
#pragma once

#include "treewright/core/fingerprint.hpp"
#include "treewright/core/size.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace treewright::ranked {

template <class Value>
class RowsetCache {
   public:
    explicit RowsetCache(std::size_t max_bytes) : max_bytes_(max_bytes), entries_(kFirstSize + kWindow) {}

    // Null if nothing is known; valid until the next call that is not const.
    [[nodiscard]] const Value* peek(const Fingerprint& rows, Size size) const {
        const std::size_t home = place(rows, size);
        for (std::size_t i = home; i < home + kWindow && entries_[i].n_rows != 0; ++i)
            if (entries_[i].is(rows, size)) return &entries_[i].value;
        return nullptr;
    }
    // A copy; an empty one if nothing is known.
    [[nodiscard]] Value find(const Fingerprint& rows, Size size) const {
        const Value* known = peek(rows, size);
        return known == nullptr ? Value{} : *known;
    }
    // To be written to at once: the entry known, or an empty one.
    [[nodiscard]] Value& at(const Fingerprint& rows, Size size, std::uint32_t n_rows) {
        if (2 * size_ > n_places_) grow();
        Entry* entry = &seek(rows, size);
        if (entry->n_rows != 0 && !entry->is(rows, size) && grow()) entry = &seek(rows, size);
        if (!entry->is(rows, size)) put({rows, size, n_rows, {}}, *entry);
        return entry->value;
    }
    // Keeps what is known and what is given, by Value::merge.
    void store(const Fingerprint& rows, Size size, std::uint32_t n_rows, const Value& value) {
        at(rows, size, n_rows).merge(value);
    }

    [[nodiscard]] std::size_t bytes() const { return entries_.size() * sizeof(Entry); }
    [[nodiscard]] std::size_t size() const { return size_; }

   private:
    struct Entry {
        Fingerprint rows;
        Size size{0};
        std::uint32_t n_rows = 0;  // 0: free
        Value value{};

        [[nodiscard]] bool is(const Fingerprint& other, Size other_size) const {
            return n_rows != 0 && size == other_size && rows == other;
        }
    };
    static constexpr std::size_t kWindow = 16;
    static constexpr std::size_t kFirstSize = 1024;

    [[nodiscard]] std::size_t place(const Fingerprint& rows, Size size) const {
        std::uint64_t limits = (std::uint64_t{size.leaves} << 32 | size.depth) * 0x9e3779b97f4a7c15u;
        limits ^= limits >> 32;  // the leaves are in the upper half alone
        return (rows.low ^ limits) & (n_places_ - 1);
    }
    // The entry; else a free place of its window, or the one that gives way.
    [[nodiscard]] Entry& seek(const Fingerprint& rows, Size size) {
        const std::size_t home = place(rows, size);
        std::size_t least = home;
        for (std::size_t i = home; i < home + kWindow; ++i) {
            if (entries_[i].n_rows == 0 || entries_[i].is(rows, size)) return entries_[i];
            if (entries_[i].n_rows < entries_[least].n_rows) least = i;
        }
        return entries_[least];
    }
    void put(Entry&& entry, Entry& to) {
        if (to.n_rows == 0) ++size_;
        to = std::move(entry);
    }
    // Doubles the table; false if there is no room.
    bool grow() {
        if (bytes() > max_bytes_ / 2) return false;
        std::vector<Entry> old(2 * n_places_ + kWindow);
        std::swap(old, entries_);
        n_places_ *= 2;
        size_ = 0;
        for (Entry& entry : old)
            if (entry.n_rows != 0) put(std::move(entry), seek(entry.rows, entry.size));
        return true;
    }

    std::size_t max_bytes_;
    std::size_t n_places_ = kFirstSize;  // a power of two
    std::size_t size_ = 0;
    std::vector<Entry> entries_;  // and those of the last window
};

}  // namespace treewright::ranked
