// Profiles of nodes above depth two, kept for the node itself and for its neighbours.
//
// The bounds at all splits of such a node cost hundreds of subproblems; the cache of bounds (bound_cache.hpp) keeps one
// number of it. A node that stopped at a budget and is asked again with a larger one goes on where it stopped; a node
// whose rows are nearly those of a solved one starts with its bounds. All memos are dropped when they need more than
// their share of the memory: that costs time, never correctness.
#pragma once

#include "treewright/space/ranked_node.hpp"
#include "treewright/search/outcome.hpp"
#include "treewright/bounds/interval_bounds.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace treewright::ranked {

// Profiles of a node, column by column.
struct Memo {
    std::vector<std::uint32_t> columns;  // columns of the table
    std::vector<std::size_t> ends;       // hints of column i: ends[i - 1] .. ends[i]
    std::vector<Hint> hints;

    // Of column number `at` of the node it was made of; neighbours have other columns.
    [[nodiscard]] std::span<const Hint> of(std::size_t at) const {
        const std::size_t begin = at == 0 ? 0 : ends[at - 1];
        return std::span(hints).subspan(begin, ends[at] - begin);
    }
    [[nodiscard]] std::size_t bytes() const {
        return hints.capacity() * sizeof(Hint) + ends.capacity() * (sizeof(std::size_t) + sizeof(std::uint32_t));
    }
};

// Gives the profiles of a node what a memo of related rows knows (see IntervalBounds::import_from).
void import_memo(const Memo& memo, const RankedTable& table, const Node& node, Relation relation, Cost loss,
                 std::span<IntervalBounds> profiles);

class Memos {
   public:
    explicit Memos(std::size_t max_bytes) : max_bytes_(max_bytes) {}

    // Null if there is none; it stays whole for who holds it, also when it is dropped here.
    [[nodiscard]] std::shared_ptr<const Memo> find(const Fingerprint& rows, Size size) const {
        const auto found = memos_.find({rows, size});
        return found == memos_.end() ? nullptr : found->second;
    }
    void store(const Fingerprint& rows, Size size, Memo memo) {
        drop(rows, size);
        bytes_ += memo.bytes() + kOverhead;
        if (bytes_ > max_bytes_) {
            memos_.clear();
            bytes_ = memo.bytes() + kOverhead;
        }
        memos_.emplace(Key{rows, size}, std::make_shared<const Memo>(std::move(memo)));
    }
    void drop(const Fingerprint& rows, Size size) {
        const auto found = memos_.find({rows, size});
        if (found == memos_.end()) return;
        bytes_ -= found->second->bytes() + kOverhead;
        memos_.erase(found);
    }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

   private:
    struct Key {
        Fingerprint rows;
        Size size;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const {
            const std::uint64_t limits = std::uint64_t{key.size.leaves} << 32 | key.size.depth;
            return static_cast<std::size_t>(key.rows.low ^ (limits * 0x9e3779b97f4a7c15u));
        }
    };
    static constexpr std::size_t kOverhead = sizeof(Key) + sizeof(Memo) + 64;

    std::size_t max_bytes_;
    std::size_t bytes_ = 0;
    std::unordered_map<Key, std::shared_ptr<const Memo>, Hash> memos_;
};

}  // namespace treewright::ranked
