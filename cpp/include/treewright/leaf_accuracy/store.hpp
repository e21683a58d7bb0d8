// What the threads of one search for the best worst leaf keep together: what pass 1 found out about sets of rows, and
// parts of trees.
//
// All of it is true of the table whoever found it: a tree that exists, a bound of what a set of rows lacks at one of
// the targets asked, which all threads number alike. So threads need no order among them, only whole entries: these
// lie in shards with a lock each, the trees have one lock. A lock that nobody else wants costs some nanoseconds, a
// step 20 microseconds or more.
#pragma once

#include "treewright/core/partial_tree.hpp"
#include "treewright/core/rowset_cache.hpp"
#include "treewright/leaf_accuracy/target.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace treewright::leaf_accuracy {

using ranked::Fingerprint;
using ranked::PartialTree;
using ranked::TreePoolNode;

// What a question about (rows, depth) gave: a tree that meets the target, or a lower bound of G; 0 after a stop.
struct Outcome {
    bool feasible = false;
    Count lower = 0;
    Value value{};
    PartialTree plan{};
};

class Store {
   public:
    // Of (rows, depth): the best tree found, and the bound at the target that failed last.
    struct Known {
        Count lower = 0;
        std::int32_t lower_target = -1;
        bool feasible = false;
        Value value{};
        PartialTree plan{};
    };

    Store(std::size_t bytes, std::size_t threads) {
        const std::size_t n_shards = threads > 1 ? kShards : 1;
        for (std::size_t i = 0; i < n_shards; ++i) {
            shards_.push_back(std::make_unique<Shard>(bytes / n_shards));
            cache_bytes_ += shards_.back()->cache.bytes();
        }
    }

    // An empty one if nothing is known.
    [[nodiscard]] Known find(const Fingerprint& rows, std::uint32_t depth) const {
        const Shard& at = shard(rows);
        const std::scoped_lock lock(at.mutex);
        return at.cache.find(rows, ranked::Size{depth});
    }
    // Keeps what a question at this target gave, where it is better than what is known.
    void keep(const Fingerprint& rows, std::uint32_t depth, std::uint32_t n_rows, const Outcome& found,
              std::int32_t target, const Measure& measure) {
        Shard& at = shard(rows);
        const std::scoped_lock lock(at.mutex);
        const std::size_t before = at.cache.bytes();
        Known& known = at.cache.at(rows, ranked::Size{depth}, n_rows);
        if (!found.feasible) {
            if (known.lower_target != target || known.lower < found.lower) {
                known.lower = found.lower;
                known.lower_target = target;
            }
        } else if (!known.feasible || measure.less(known.value, found.value)) {
            known.feasible = true;
            known.value = found.value;
            known.plan = found.plan;
        }
        if (at.cache.bytes() != before) cache_bytes_ += at.cache.bytes() - before;
    }

    [[nodiscard]] PartialTree plant(const TreePoolNode& node) {
        const std::scoped_lock lock(mutex_);
        const PartialTree plan = ranked::plant(pool_, node);
        pool_bytes_ = pool_.capacity() * sizeof(TreePoolNode);
        return plan;
    }
    [[nodiscard]] TreePoolNode planted(PartialTree plan) const {
        const std::scoped_lock lock(mutex_);
        return pool_[plan.index()];
    }

    [[nodiscard]] std::size_t cache_bytes() const { return cache_bytes_; }
    [[nodiscard]] std::size_t pool_bytes() const { return pool_bytes_; }

   private:
    struct Shard {
        explicit Shard(std::size_t bytes) : cache(bytes) {}
        mutable std::mutex mutex;
        ranked::RowsetCache<Known> cache;
    };
    static constexpr std::size_t kShards = 16;  // where there are several threads

    [[nodiscard]] Shard& shard(const Fingerprint& rows) const { return *shards_[rows.high % shards_.size()]; }

    std::vector<std::unique_ptr<Shard>> shards_;
    mutable std::mutex mutex_;  // of the pool
    ranked::TreePool pool_;
    std::atomic<std::size_t> cache_bytes_{0}, pool_bytes_{0};
};

}  // namespace treewright::leaf_accuracy
