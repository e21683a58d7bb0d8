#include "treewright/bornagain/table.hpp"

#include <algorithm>
#include <cstring>

namespace treewright::bornagain {

template <class Policy>
typename Policy::Value Table<Policy>::join(Value a, Value b) {
    if constexpr (std::is_same_v<Policy, Depth>) {
        return static_cast<Value>(std::max(a, b) + Policy::one);
    } else if constexpr (std::is_same_v<Policy, Splits>) {
        return static_cast<Value>(a + b + Policy::one);
    } else {
        const std::uint64_t shared = std::min(a & Policy::depth_mask, b & Policy::depth_mask);
        const std::uint64_t sum = std::uint64_t{a} + b - shared + Policy::one;
        return static_cast<Value>(std::min<std::uint64_t>(sum, static_cast<Value>(~Value{0})));
    }
}

template <class Policy>
Table<Policy>::Table(const Layout& layout, std::size_t other_bytes)
    : layout_(layout), lanes_(batch_lanes<Policy>()), other_bytes_(other_bytes) {
    constexpr std::size_t tile = 16 / sizeof(Value);
    pitch_ = (layout.n_inner + tile - 1) / tile * tile;
    row_of_.assign(layout.tight.size(), 0);
    index_.resize(1024);
    low_labels_.assign(layout.outer_cells * pitch_ + kSlack, 0);
    high_labels_.assign(layout.outer_cells * pitch_ + kSlack, 0);
    for (std::size_t c = 0; c < layout.outer_cells; ++c) {
        const std::uint8_t* labels = &layout.grid.labels[c * layout.inner_cells];
        for (std::size_t x = 0; x < layout.n_inner; ++x) {
            low_labels_[c * pitch_ + x] = labels[layout.inner_low[x]];
            high_labels_[c * pitch_ + x] = labels[layout.inner_high[x]];
        }
    }
    rows_.assign(lanes_ * pitch_ + kSlack, 0);
    scratch_.assign(lanes_ * pitch_ + kSlack, 0);
    batch_.rows = rows_.data();
    batch_.scratch = scratch_.data();
    batch_.n_inner = layout.n_inner;
    batch_.pitch = pitch_;
    batch_.split_first = layout.split_first.data();
    batch_.split_pairs = layout.split_pairs.data();
}

template <class Policy>
std::size_t Table<Policy>::bytes() const {
    return n_rows_ * pitch_ * sizeof(Value) + index_.size() * sizeof(Slot) + 4 * row_of_.size() +
           2 * low_labels_.size() * sizeof(Value) + other_bytes_;
}

template <class Policy>
std::uint64_t Table<Policy>::hash(const Value* values) const {
    // Four independent multiply chains; n_inner values are hashed in whole words, the pad of a row is always zero.
    const auto* bytes = reinterpret_cast<const unsigned char*>(values);
    const std::size_t words = pitch_ * sizeof(Value) / 8;
    constexpr std::uint64_t odd[4] = {0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb, 0xd6e8feb86659fd93};
    std::uint64_t h[4] = {1, 2, 3, 4};
    for (std::size_t i = 0; i < words; ++i) {
        std::uint64_t word;
        std::memcpy(&word, bytes + 8 * i, 8);
        std::uint64_t& part = h[i % 4];
        part = (part ^ word) * odd[i % 4];
        part ^= part >> 29;
    }
    std::uint64_t all = (h[0] ^ (h[1] << 1 | h[1] >> 63)) * odd[2] + (h[2] ^ (h[3] << 7 | h[3] >> 57)) * odd[0];
    return all ^ (all >> 32);
}

template <class Policy>
void Table<Policy>::grow_index() {
    std::vector<Slot> old(index_.size() * 2);
    old.swap(index_);
    const std::size_t mask = index_.size() - 1;
    for (const Slot& slot : old) {
        if (slot.id_plus_one == 0) continue;
        std::size_t at = slot.tag & mask;
        while (index_[at].id_plus_one != 0) at = (at + 1) & mask;
        index_[at] = slot;
    }
}

// Stores a row unless an equal one is there already: equal values may be shared, they are all that is ever read.
template <class Policy>
std::uint32_t Table<Policy>::keep(const Value* values) {
    if (2 * (n_rows_ + 1) > index_.size()) grow_index();
    const std::uint64_t h = hash(values);
    const auto tag = static_cast<std::uint32_t>(h ^ h >> 32);  // also the place, so that growing reads no rows
    const std::size_t mask = index_.size() - 1;
    std::size_t at = tag & mask;
    while (index_[at].id_plus_one != 0) {
        if (index_[at].tag == tag &&
            std::memcmp(row(index_[at].id_plus_one - 1), values, layout_.n_inner * sizeof(Value)) == 0)
            return index_[at].id_plus_one - 1;
        at = (at + 1) & mask;
    }
    if (n_rows_ >> kChunkBits == chunks_.size())
        chunks_.push_back(std::make_unique_for_overwrite<Value[]>(kChunkRows * pitch_ + kSlack));
    const std::uint32_t id = n_rows_++;
    std::memcpy(chunks_[id >> kChunkBits].get() + (id & (kChunkRows - 1)) * pitch_, values, pitch_ * sizeof(Value));
    index_[at] = {tag, id + 1};
    return id;
}

template <class Policy>
void Table<Policy>::fill_cell_row(std::size_t number) {
    std::size_t cell = 0;  // interval indices below n are the single cells themselves
    const std::size_t outer = layout_.tight[number];
    for (std::size_t k = 0; k < layout_.n_outer_axes; ++k)
        cell = cell * static_cast<std::size_t>(layout_.grid.n[k]) + outer / layout_.stride[k] % layout_.axis[k].count();
    const Value* low = &low_labels_[cell * pitch_];
    const Value* high = &high_labels_[cell * pitch_];
    std::fill_n(rows_.begin(), pitch_, Value{0});
    for (std::size_t x = 0; x < layout_.n_inner; ++x) {
        const std::uint32_t first = layout_.split_first[x], last = layout_.split_first[x + 1];
        Value best = static_cast<Value>(~Value{0});
        for (std::uint32_t s = first; s < last; ++s) {
            const auto [left, right] = layout_.split_pairs[s];
            best = std::min(best, join(rows_[left], rows_[right]));
        }
        const bool homogeneous = first == last || (best == Policy::one && low[x] == high[x]);  // lemma 2
        rows_[x] = homogeneous ? Value{0} : best;
        if (rows_[x] >= Policy::limit) overflow_ = true;
        if constexpr (requires { Policy::depth_mask; })
            overflow_ |= (rows_[x] & Policy::depth_mask) == Policy::depth_mask;
    }
    largest_ = std::max(largest_, rows_[layout_.n_inner - 1]);
    row_of_[number] = keep(rows_.data());
}

template <class Policy>
void Table<Policy>::add_jobs(std::size_t number) {
    const std::size_t outer = layout_.tight[number];
    const std::size_t axes = layout_.n_outer_axes;
    auto& t = t_;
    t.resize(axes);
    std::size_t low_cell = 0, high_cell = 0;
    for (std::size_t k = 0; k < axes; ++k) {
        t[k] = outer / layout_.stride[k] % layout_.axis[k].count();
        const auto n = static_cast<std::size_t>(layout_.grid.n[k]);
        low_cell = low_cell * n + static_cast<std::size_t>(layout_.axis[k].a[t[k]]);
        high_cell = high_cell * n + static_cast<std::size_t>(layout_.axis[k].b[t[k]]);
    }
    const std::size_t first = batch_.pairs.size();
    for (std::size_t k = 0; k < axes; ++k) {
        const auto& axis = layout_.axis[k];
        const std::int32_t from = axis.a[t[k]], to = axis.b[t[k]];
        if (from == to) continue;
        const std::size_t base = layout_.relevance_base(k, t);
        const std::size_t rest = outer - t[k] * layout_.stride[k];
        for (std::int32_t m = from; m < to; ++m) {
            if (!layout_.relevant(k, base, m)) continue;
            const Value* left = row(row_of_[layout_.number[rest + axis.index(from, m) * layout_.stride[k]]]);
            const Value* right = row(row_of_[layout_.number[rest + axis.index(m + 1, to) * layout_.stride[k]]]);
            for (std::size_t i = 0; i < pitch_ * sizeof(Value); i += 64) {
                __builtin_prefetch(reinterpret_cast<const char*>(left) + i);
                __builtin_prefetch(reinterpret_cast<const char*>(right) + i);
            }
            batch_.pairs.emplace_back(left, right);
        }
    }
    batch_.jobs.push_back(
        {first, batch_.pairs.size() - first, &low_labels_[low_cell * pitch_], &high_labels_[high_cell * pitch_]});
    pending_.push_back(static_cast<std::uint32_t>(number));
}

template <class Policy>
void Table<Policy>::flush() {
    if (pending_.empty()) return;
    run_batch(batch_);
    overflow_ |= batch_.overflow;
    for (std::size_t j = 0; j < pending_.size(); ++j) {
        Value* values = rows_.data() + j * pitch_;
        std::fill(values + layout_.n_inner, values + pitch_, Value{0});
        const Value whole = values[layout_.n_inner - 1];  // the largest of the row by Theorem 3
        largest_ = std::max(largest_, whole);
        if (whole >= Policy::limit) overflow_ = true;
        row_of_[pending_[j]] = keep(values);
    }
    pending_.clear();
    batch_.jobs.clear();
    batch_.pairs.clear();
}

template <class Policy>
bool Table<Policy>::fill(Control& control) {
    // At most a few equal rows share one (measured: two thirds remain); a table ten times too large is not begun.
    const double rows = static_cast<double>(layout_.tight.size()) * static_cast<double>(pitch_ * sizeof(Value));
    if (rows / 10.0 > static_cast<double>(control.limits().bytes)) {
        control.halt(Stop::memory);
        return false;
    }
    for (std::size_t level = 0; level + 1 < layout_.level_first.size(); ++level) {
        for (std::size_t i = layout_.level_first[level]; i < layout_.level_first[level + 1]; ++i) {
            if (level == 0) {
                fill_cell_row(i);
            } else {
                add_jobs(i);
            }
            if (level == 0 || pending_.size() == lanes_) {
                flush();
                if (overflow_ || control.step(32)) return false;
                if (n_rows_ % 1024 < lanes_) {
                    control.bytes(layout_.bytes() + bytes());
                    if (layout_.bytes() + bytes() > control.limits().bytes) control.halt(Stop::memory);
                }
            }
        }
        flush();
        if (overflow_) return false;
        if (control.stopped()) return false;
    }
    return true;
}

template class Table<Depth>;
template class Table<Splits>;
template class Table<SplitsDepth>;
template class Table<WideSplitsDepth>;

}  // namespace treewright::bornagain
