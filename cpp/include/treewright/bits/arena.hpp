// A stack of memory for the recursion: what a subproblem takes is given back when it returns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <vector>

namespace treewright::bits {

class Arena {
   public:
    struct Mark {
        std::size_t chunk;
        std::size_t used;
    };

    template <class T>
    [[nodiscard]] std::span<T> take(std::size_t n) {
        const std::size_t bytes = (n * sizeof(T) + kAlign - 1) / kAlign * kAlign;
        while (chunk_ < chunks_.size() && used_ + bytes > chunks_[chunk_].size) {
            ++chunk_;
            used_ = 0;
        }
        if (chunk_ == chunks_.size()) grow(bytes);
        auto* at = reinterpret_cast<T*>(chunks_[chunk_].memory.get() + used_);
        used_ += bytes;
        return {at, n};
    }

    [[nodiscard]] Mark mark() const { return {chunk_, used_}; }
    void release(Mark to) {
        chunk_ = to.chunk;
        used_ = to.used;
    }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    // Bytes of the chunks that something may lie in.
    [[nodiscard]] std::size_t used() const {
        std::size_t sum = used_;
        for (std::size_t c = 0; c < std::min(chunk_, chunks_.size()); ++c) sum += chunks_[c].size;
        return sum;
    }

   private:
    static constexpr std::size_t kAlign = 64;
    static constexpr std::size_t kFirstChunk = std::size_t{1} << 18;
    static constexpr std::size_t kLargestChunk = std::size_t{1} << 22;  // beyond, a chunk is as large as what it is made for

    struct Free {
        void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{kAlign}); }
    };
    struct Chunk {
        std::unique_ptr<std::byte[], Free> memory;
        std::size_t size;
    };

    void grow(std::size_t at_least) {
        const std::size_t usual = chunks_.empty() ? kFirstChunk : std::min(kLargestChunk, 2 * chunks_.back().size);
        const std::size_t size = at_least > kLargestChunk / 4 ? at_least : std::max(usual, at_least);
        chunks_.push_back(
            {std::unique_ptr<std::byte[], Free>(static_cast<std::byte*>(::operator new[](size, std::align_val_t{kAlign}))),
             size});
        bytes_ += size;
        used_ = 0;
    }

    std::vector<Chunk> chunks_;
    std::size_t chunk_ = 0;
    std::size_t used_ = 0;
    std::size_t bytes_ = 0;
};

// Gives back everything taken in a scope.
class ArenaScope {
   public:
    explicit ArenaScope(Arena& arena) : arena_(arena), mark_(arena.mark()) {}
    ~ArenaScope() { arena_.release(mark_); }
    ArenaScope(const ArenaScope&) = delete;
    ArenaScope& operator=(const ArenaScope&) = delete;

   private:
    Arena& arena_;
    Arena::Mark mark_;
};

}  // namespace treewright::bits
