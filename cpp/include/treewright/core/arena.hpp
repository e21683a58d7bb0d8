// A stack of memory for the recursion, the same in every engine: what a subproblem takes is given back when it returns.
//
// Large blocks (pair matrices, orders of many rows) have a stack of their own, each of its own size, so that what lies
// between them wastes no room: the memory held stays near the memory used.
//
// Under the address sanitizer what nobody has taken must not be touched, a gap lies behind all that is taken, and what
// was there before is overwritten, so that nothing stale passes for a value.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>

#include <cstring>
#endif

namespace treewright {

class Arena {
   public:
    struct Mark {
        std::size_t chunk;
        std::size_t used;
        std::size_t large;
    };

    template <class T>
    [[nodiscard]] std::span<T> take(std::size_t n) {
        const std::size_t bytes = (n * sizeof(T) + kAlign - 1) / kAlign * kAlign + kGap;
        if (bytes >= kLarge) return {reinterpret_cast<T*>(opened(take_large(bytes), n * sizeof(T))), n};
        while (chunk_ < chunks_.size() && used_ + bytes > chunks_[chunk_].size) {
            ++chunk_;
            used_ = 0;
        }
        if (chunk_ == chunks_.size()) grow(bytes);
        std::byte* at = chunks_[chunk_].memory.get() + used_;
        used_ += bytes;
        return {reinterpret_cast<T*>(opened(at, n * sizeof(T))), n};
    }

    [[nodiscard]] Mark mark() const { return {chunk_, used_, n_large_}; }
    void release(Mark to) {
        if constexpr (kGap > 0) close_behind(to);
        chunk_ = to.chunk;
        used_ = to.used;
        n_large_ = to.large;
    }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    // Bytes of the blocks that something lies in.
    [[nodiscard]] std::size_t used() const {
        std::size_t sum = used_;
        for (std::size_t c = 0; c < std::min(chunk_, chunks_.size()); ++c) sum += chunks_[c].size;
        for (std::size_t b = 0; b < n_large_; ++b) sum += large_[b].size;
        return sum;
    }

   private:
    static constexpr std::size_t kAlign = 64;
    static constexpr std::size_t kFirstChunk = std::size_t{1} << 18;
    static constexpr std::size_t kLarge = std::size_t{1} << 20;
    static constexpr std::size_t kLargestChunk = std::size_t{1} << 22;
#if defined(__SANITIZE_ADDRESS__)
    static constexpr std::size_t kGap = kAlign;
    static void close(std::byte* memory, std::size_t size) { ASAN_POISON_MEMORY_REGION(memory, size); }
    static std::byte* opened(std::byte* memory, std::size_t size) {
        ASAN_UNPOISON_MEMORY_REGION(memory, size);
        std::memset(memory, 0xa5, size);
        return memory;
    }
#else
    static constexpr std::size_t kGap = 0;
    static void close(std::byte*, std::size_t) {}
    static std::byte* opened(std::byte* memory, std::size_t) { return memory; }
#endif
    void close_behind(Mark to) {
        for (std::size_t c = to.chunk; c <= chunk_ && c < chunks_.size(); ++c) {
            const std::size_t first = c == to.chunk ? to.used : 0, last = c == chunk_ ? used_ : chunks_[c].size;
            close(chunks_[c].memory.get() + first, last - first);
        }
        for (std::size_t b = to.large; b < n_large_; ++b) close(large_[b].memory.get(), large_[b].size);
    }

    struct Free {
        void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{kAlign}); }
    };
    struct Chunk {
        std::unique_ptr<std::byte[], Free> memory;
        std::size_t size = 0;
    };

    void grow(std::size_t at_least) {
        const std::size_t usual = chunks_.empty() ? kFirstChunk : std::min(kLargestChunk, 2 * chunks_.back().size);
        chunks_.push_back(make(std::max(usual, at_least)));
        used_ = 0;
    }
    [[nodiscard]] Chunk make(std::size_t size) {
        Chunk chunk{std::unique_ptr<std::byte[], Free>(
                        static_cast<std::byte*>(::operator new[](size, std::align_val_t{kAlign}))),
                    size};
        bytes_ += size;
        close(chunk.memory.get(), size);
        return chunk;
    }
    // The next block if it is large enough, else a new one in its place.
    [[nodiscard]] std::byte* take_large(std::size_t size) {
        if (n_large_ == large_.size()) {
            large_.push_back(make(size));
        } else if (large_[n_large_].size < size) {
            bytes_ -= large_[n_large_].size;
            large_[n_large_] = {};
            large_[n_large_] = make(size);
        }
        return large_[n_large_++].memory.get();
    }

    std::vector<Chunk> chunks_;
    std::vector<Chunk> large_;
    std::size_t n_large_ = 0;
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

}  // namespace treewright
