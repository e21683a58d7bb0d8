#include "treewright/search/ranked_store.hpp"

#include <algorithm>
#include <utility>

namespace treewright::ranked {

namespace {
constexpr std::size_t kShards = 16;  // where there are several threads; a power of two
constexpr std::size_t kMaxMemoBytes = std::size_t{1} << 28;
}  // namespace

Store::Store(std::size_t bytes, std::size_t threads)
    : max_bytes_(bytes), threads_(threads), memos_(std::min(bytes / 4, kMaxMemoBytes)) {
    const std::size_t n_shards = threads > 1 ? kShards : 1;
    for (std::size_t i = 0; i < n_shards; ++i) {
        shards_.push_back(std::make_unique<Shard>(bytes / 2 / n_shards));
        cache_bytes_ += shards_.back()->cache.bytes();
    }
}

void Store::keep(const Fingerprint& rows, Size size, std::uint32_t n_rows, const Outcome& outcome) {
    Shard& at = shard(rows);
    const auto held = lock(at.mutex);
    const std::size_t before = at.cache.bytes();
    at.cache.store(rows, size, n_rows, outcome);
    if (at.cache.bytes() != before) cache_bytes_ += at.cache.bytes() - before;
}

std::shared_ptr<const Memo> Store::memo(const Fingerprint& rows, Size size) const {
    const auto held = lock(mutex_);
    return memos_.find(rows, size);
}

void Store::keep_memo(const Fingerprint& rows, Size size, Memo memo) {
    const auto held = lock(mutex_);
    memos_.store(rows, size, std::move(memo));
    memo_bytes_ = memos_.bytes();
}

void Store::drop_memo(const Fingerprint& rows, Size size) {
    const auto held = lock(mutex_);
    memos_.drop(rows, size);
    memo_bytes_ = memos_.bytes();
}

PartialTree Store::plant(const TreePoolNode& node) {
    const auto held = lock(mutex_);
    pool_.push_back(node);
    pool_bytes_ = pool_.capacity() * sizeof(TreePoolNode);
    return PartialTree::node(pool_.size() - 1);
}

TreePoolNode Store::planted(PartialTree plan) const {
    const auto held = lock(mutex_);
    return pool_[plan.index()];
}

std::shared_ptr<Store> Store::losses() {
    const auto held = lock(mutex_);
    if (losses_ == nullptr) losses_ = std::make_shared<Store>(max_bytes_ / 8, threads_);
    return losses_;
}

std::size_t Store::all_bytes() const {
    const auto held = lock(mutex_);
    return bytes() + (losses_ == nullptr ? 0 : losses_->all_bytes());
}

}  // namespace treewright::ranked
