#include "treewright/core/bound_cache.hpp"

#include <utility>

namespace treewright::ranked {

Outcome Cache::find(const Fingerprint& rows, Size size) const {
    const std::size_t first = bucket(rows, size);
    for (std::size_t i = first; i < first + kWays; ++i)
        if (entries_[i].n_rows != 0 && entries_[i].size == size && entries_[i].rows == rows)
            return entries_[i].outcome;
    return {};
}

void Cache::store(const Fingerprint& rows, Size size, std::uint32_t n_rows, const Outcome& outcome) {
    if (size_ * 2 > entries_.size() && bytes() * 2 <= most_bytes_) grow();
    const std::size_t first = bucket(rows, size);
    Entry* place = &entries_[first];
    for (std::size_t i = first; i < first + kWays; ++i) {
        Entry& entry = entries_[i];
        if (entry.n_rows != 0 && entry.size == size && entry.rows == rows) {
            entry.outcome.lower = std::max(entry.outcome.lower, outcome.lower);
            entry.outcome.offer(outcome.upper, outcome.plan);
            return;
        }
        if (entry.n_rows < place->n_rows) place = &entry;
    }
    if (place->n_rows == 0) ++size_;
    *place = {rows, size, n_rows, outcome};
}

void Cache::grow() {
    std::vector<Entry> old(entries_.size() * 2);
    std::swap(old, entries_);
    size_ = 0;
    for (const Entry& entry : old) {
        if (entry.n_rows == 0) continue;
        const std::size_t first = bucket(entry.rows, entry.size);
        std::size_t i = first;
        while (i + 1 < first + kWays && entries_[i].n_rows != 0) ++i;
        if (entries_[i].n_rows == 0) ++size_;
        entries_[i] = entry;
    }
}

}  // namespace treewright::ranked
