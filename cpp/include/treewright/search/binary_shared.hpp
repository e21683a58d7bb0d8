// What the threads of one search over binary columns tell each other: bounds by set of rows, and who is where.
//
// Every bound is true of the table whoever proved it, so threads need no order among them, only whole entries. Each
// thread keeps a cache of its own, without locks; here it looks before it makes a subproblem, which costs a hundred
// times as much as a lock that nobody else wants, and here it leaves what it has solved.
//
// A set of rows that a thread works on is marked, and others take up another split first (after the marks of ABDADA,
// Weill 1996, a parallel search of game trees). Where nothing else is left they go in after it, one level down the same
// way. A mark is a hash: two sets that share one only wait for each other without need.
#pragma once

#include "treewright/core/pattern_cache.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace treewright::binary {

class SharedBounds {
   public:
    SharedBounds(std::size_t n_words, std::size_t max_bytes) {
        for (auto& shard : shards_) shard = std::make_unique<Shard>(n_words, max_bytes / kShards);
        for (const auto& shard : shards_) bytes_ += shard->cache.bytes();
    }

    [[nodiscard]] std::optional<Entry> find(std::span<const std::uint64_t> key, std::int64_t limits,
                                            std::uint64_t hash) {
        Shard& at = shard(hash);
        const std::scoped_lock lock(at.mutex);
        const Entry* entry = at.cache.find(key.data(), limits, hash);
        return entry == nullptr ? std::nullopt : std::optional(*entry);
    }
    void store(std::span<const std::uint64_t> key, std::uint64_t hash, const Entry& news) {
        Shard& at = shard(hash);
        const std::scoped_lock lock(at.mutex);
        const std::size_t before = at.cache.bytes();
        at.cache.store(key.data(), hash, news);
        if (at.cache.bytes() != before) bytes_ += at.cache.bytes() - before;  // modulo 2^64, as it is meant
    }

    void enter(std::uint64_t hash) {
        Shard& at = shard(hash);
        const std::scoped_lock lock(at.mutex);
        at.busy.push_back(hash);
    }
    void leave(std::uint64_t hash) {
        Shard& at = shard(hash);
        const std::scoped_lock lock(at.mutex);
        at.busy.erase(std::find(at.busy.begin(), at.busy.end(), hash));
    }
    // How many threads are there.
    [[nodiscard]] std::int64_t marks(std::uint64_t hash) {
        Shard& at = shard(hash);
        const std::scoped_lock lock(at.mutex);
        return std::count(at.busy.begin(), at.busy.end(), hash);
    }

    // The working memory of a thread has changed from one size to another.
    void working_memory(std::size_t before, std::size_t now) {
        if (before != now) bytes_ += now - before;
    }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

   private:
    static constexpr std::size_t kShards = 64;
    struct Shard {
        Shard(std::size_t n_words, std::size_t max_bytes) : cache(n_words, max_bytes) {}
        std::mutex mutex;
        Cache cache;
        std::vector<std::uint64_t> busy;
    };
    [[nodiscard]] Shard& shard(std::uint64_t hash) { return *shards_[hash >> 58]; }  // a cache uses the low digits

    std::array<std::unique_ptr<Shard>, kShards> shards_;
    std::atomic<std::size_t> bytes_{0};
};

// A thread's mark on a set of rows.
class Mark {
   public:
    Mark(SharedBounds* shared, std::uint64_t hash) : shared_(shared), hash_(hash) {
        if (shared_ != nullptr) shared_->enter(hash_);
    }
    ~Mark() {
        if (shared_ != nullptr) shared_->leave(hash_);
    }
    Mark(const Mark&) = delete;
    Mark& operator=(const Mark&) = delete;

   private:
    SharedBounds* shared_;
    std::uint64_t hash_;
};

}  // namespace treewright::binary
