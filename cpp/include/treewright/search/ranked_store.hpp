// What the threads of one search over ranked columns keep together: bounds by row set, memos, and parts of trees.
//
// All of it is true of the table whoever found it: a lower bound that is proven, a tree that exists. So threads need no
// order among them, only whole entries: the bounds lie in shards with a lock each, the rest has one lock. A lock that
// nobody else wants costs some nanoseconds, a subproblem microseconds or more. Each thread's own caches instead would
// solve again what the others have solved: children of two root splits meet in the same rows.
#pragma once

#include "treewright/bounds/bound_memos.hpp"
#include "treewright/core/bound_cache.hpp"
#include "treewright/core/fingerprint.hpp"
#include "treewright/core/partial_tree.hpp"
#include "treewright/search/outcome.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace treewright::ranked {

class Store {
   public:
    // What the cache and the memos may grow to is three quarters of `bytes`.
    Store(std::size_t bytes, std::size_t threads);

    [[nodiscard]] Outcome find(const Fingerprint& rows, Size size) const {
        const Shard& at = shard(rows);
        const auto held = lock(at.mutex);
        return at.cache.find(rows, size);
    }
    void keep(const Fingerprint& rows, Size size, std::uint32_t n_rows, const Outcome& outcome);

    [[nodiscard]] std::shared_ptr<const Memo> memo(const Fingerprint& rows, Size size) const;
    void keep_memo(const Fingerprint& rows, Size size, Memo memo);
    void drop_memo(const Fingerprint& rows, Size size);

    [[nodiscard]] PartialTree plant(const TreePoolNode& node);
    [[nodiscard]] TreePoolNode planted(PartialTree plan) const;

    // The store of the search for the losses alone, which has the same threads.
    [[nodiscard]] std::shared_ptr<Store> losses();

    // A thread's working memory has changed from one size to another.
    void working_memory(std::size_t before, std::size_t now) {
        if (before != now) working_ += now - before;  // modulo 2^64, as it is meant
    }
    // Of the entries and of the threads' working memory, without and with those of the losses.
    [[nodiscard]] std::size_t bytes() const { return cache_bytes_ + memo_bytes_ + pool_bytes_ + working_; }
    [[nodiscard]] std::size_t all_bytes() const;

   private:
    struct Shard {
        explicit Shard(std::size_t bytes) : cache(bytes) {}
        mutable std::mutex mutex;
        Cache cache;
    };
    [[nodiscard]] Shard& shard(const Fingerprint& rows) const { return *shards_[rows.high & (shards_.size() - 1)]; }
    // No lock where there is one thread: a twentieth of a search over few splits.
    [[nodiscard]] std::unique_lock<std::mutex> lock(std::mutex& mutex) const {
        return threads_ > 1 ? std::unique_lock(mutex) : std::unique_lock<std::mutex>{};
    }

    std::size_t max_bytes_;
    std::size_t threads_;
    std::vector<std::unique_ptr<Shard>> shards_;
    mutable std::mutex mutex_;  // of all below
    Memos memos_;
    TreePool pool_;
    std::shared_ptr<Store> losses_;
    std::atomic<std::size_t> cache_bytes_{0}, memo_bytes_{0}, pool_bytes_{0}, working_{0};
};

}  // namespace treewright::ranked
