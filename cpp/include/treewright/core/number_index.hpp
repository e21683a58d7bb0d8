// Numbers of things by a hash of each: what a hash table holds where the things themselves lie elsewhere. Several
// things may share a hash; the caller says which of them is meant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace treewright {

class NumberIndex {
   public:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    // The number that was added with this hash and for which same(number) holds; kNone if there is none. The lowest
    // bits of a hash have to be as good as random.
    template <class Same>
    [[nodiscard]] std::uint32_t find(std::uint64_t hash, const Same& same) const {
        if (slots_.empty()) return kNone;
        for (std::size_t at = place(hash); slots_[at].number != kNone; at = next(at))
            if (slots_[at].hash == hash && same(slots_[at].number)) return slots_[at].number;
        return kNone;
    }
    void add(std::uint64_t hash, std::uint32_t number) {
        if (2 * (size_ + 1) > slots_.size()) grow();
        put({hash, number});
        ++size_;
    }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t bytes() const { return slots_.capacity() * sizeof(Slot); }

   private:
    struct Slot {
        std::uint64_t hash = 0;
        std::uint32_t number = kNone;
    };

    [[nodiscard]] std::size_t place(std::uint64_t hash) const { return hash & (slots_.size() - 1); }
    [[nodiscard]] std::size_t next(std::size_t at) const { return (at + 1) & (slots_.size() - 1); }
    void put(Slot slot) {
        std::size_t at = place(slot.hash);
        while (slots_[at].number != kNone) at = next(at);
        slots_[at] = slot;
    }
    void grow() {
        std::vector<Slot> slots(slots_.empty() ? 16 : 2 * slots_.size());
        slots.swap(slots_);
        for (const Slot& slot : slots)
            if (slot.number != kNone) put(slot);
    }

    std::vector<Slot> slots_;  // a power of two, at most half of them taken
    std::size_t size_ = 0;
};

}  // namespace treewright
