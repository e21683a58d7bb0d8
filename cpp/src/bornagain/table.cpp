#include "treewright/bornagain/table.hpp"

#include "treewright/core/crew.hpp"

#include <algorithm>
#include <cstring>
#include <span>

namespace treewright::bornagain {

namespace {
constexpr std::size_t kLeastBatches = 8;  // of a level, for each thread: a batch takes some 20 microseconds
}

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
Table<Policy>::Table(const Layout& layout, std::size_t threads, std::size_t other_bytes)
    : layout_(layout), lanes_(batch_lanes<Policy>()), threads_(threads), other_bytes_(other_bytes) {
    constexpr std::size_t tile = 16 / sizeof(Value);
    pitch_ = (layout.n_inner + tile - 1) / tile * tile;
    row_of_.assign(layout.tight.size(), 0);
    chunks_.resize((layout.tight.size() + kChunkRows - 1) >> kChunkBits);
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
}

template <class Policy>
Table<Policy>::Desk::Desk(const Table& table)
    : rows(table.lanes_ * table.pitch_ + kSlack, 0), scratch(table.lanes_ * table.pitch_ + kSlack, 0) {
    batch.rows = rows.data();
    batch.scratch = scratch.data();
    batch.n_inner = table.layout_.n_inner;
    batch.pitch = table.pitch_;
    batch.split_first = table.layout_.split_first.data();
    batch.split_pairs = table.layout_.split_pairs.data();
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
std::uint32_t Table<Policy>::keep(const Value* values, std::uint64_t hash) {
    if (2 * (n_rows_ + 1) > index_.size()) grow_index();
    const auto tag = static_cast<std::uint32_t>(hash ^ hash >> 32);  // also the place, so that growing reads no rows
    const std::size_t mask = index_.size() - 1;
    std::size_t at = tag & mask;
    while (index_[at].id_plus_one != 0) {
        if (index_[at].tag == tag &&
            std::memcmp(row(index_[at].id_plus_one - 1), values, layout_.n_inner * sizeof(Value)) == 0)
            return index_[at].id_plus_one - 1;
        at = (at + 1) & mask;
    }
    std::unique_ptr<Value[]>& chunk = chunks_[n_rows_ >> kChunkBits];
    if (chunk == nullptr) chunk = std::make_unique_for_overwrite<Value[]>(kChunkRows * pitch_ + kSlack);
    const std::uint32_t id = n_rows_++;
    std::memcpy(chunk.get() + (id & (kChunkRows - 1)) * pitch_, values, pitch_ * sizeof(Value));
    index_[at] = {tag, id + 1};
    return id;
}

template <class Policy>
void Table<Policy>::fill_cell_row(std::size_t number, Desk& desk) const {
    std::size_t cell = 0;  // interval indices below n are the single cells themselves
    const std::size_t outer = layout_.tight[number];
    for (std::size_t k = 0; k < layout_.n_outer_axes; ++k)
        cell = cell * static_cast<std::size_t>(layout_.grid.n[k]) + outer / layout_.stride[k] % layout_.axis[k].count();
    const Value* low = &low_labels_[cell * pitch_];
    const Value* high = &high_labels_[cell * pitch_];
    std::vector<Value>& rows = desk.rows;
    for (std::size_t x = 0; x < layout_.n_inner; ++x) {
        const std::uint32_t first = layout_.split_first[x], last = layout_.split_first[x + 1];
        Value best = static_cast<Value>(~Value{0});
        for (std::uint32_t s = first; s < last; ++s) {
            const auto [left, right] = layout_.split_pairs[s];
            best = std::min(best, join(rows[left], rows[right]));
        }
        const bool homogeneous = first == last || (best == Policy::one && low[x] == high[x]);  // lemma 2
        rows[x] = homogeneous ? Value{0} : best;
        if (rows[x] >= Policy::limit) desk.batch.overflow = true;
        if constexpr (requires { Policy::depth_mask; })
            desk.batch.overflow |= (rows[x] & Policy::depth_mask) == Policy::depth_mask;
    }
    desk.numbers.push_back(static_cast<std::uint32_t>(number));
}

template <class Policy>
void Table<Policy>::add_job(std::size_t number, Desk& desk) const {
    const std::size_t outer = layout_.tight[number];
    const std::size_t axes = layout_.n_outer_axes;
    Batch<Policy>& batch = desk.batch;
    auto& t = desk.t;
    t.resize(axes);
    std::size_t low_cell = 0, high_cell = 0;
    for (std::size_t k = 0; k < axes; ++k) {
        t[k] = outer / layout_.stride[k] % layout_.axis[k].count();
        const auto n = static_cast<std::size_t>(layout_.grid.n[k]);
        low_cell = low_cell * n + static_cast<std::size_t>(layout_.axis[k].a[t[k]]);
        high_cell = high_cell * n + static_cast<std::size_t>(layout_.axis[k].b[t[k]]);
    }
    const std::size_t first = batch.pairs.size();
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
            batch.pairs.emplace_back(left, right);
        }
    }
    batch.jobs.push_back(
        {first, batch.pairs.size() - first, &low_labels_[low_cell * pitch_], &high_labels_[high_cell * pitch_]});
    desk.numbers.push_back(static_cast<std::uint32_t>(number));
}

// Stores the rows of a batch.
template <class Policy>
void Table<Policy>::keep(Desk& desk, Control& control) {
    std::vector<std::uint64_t> hashes;
    for (std::size_t j = 0; j < desk.numbers.size(); ++j) {
        Value* values = desk.rows.data() + j * pitch_;
        std::fill(values + layout_.n_inner, values + pitch_, Value{0});
        hashes.push_back(hash(values));
    }
    const std::scoped_lock lock(mutex_);
    overflow_ |= desk.batch.overflow;
    for (std::size_t j = 0; j < desk.numbers.size(); ++j) {
        const Value* values = desk.rows.data() + j * pitch_;
        const Value whole = values[layout_.n_inner - 1];  // the largest of the row by Theorem 3
        largest_ = std::max(largest_, whole);
        if (whole >= Policy::limit) overflow_ = true;
        row_of_[desk.numbers[j]] = keep(values, hashes[j]);
    }
    const std::size_t held = layout_.bytes() + bytes();
    control.bytes(held);
    if (held > control.limits().bytes) control.halt(Stop::memory);
    desk.numbers.clear();
    desk.batch.jobs.clear();
    desk.batch.pairs.clear();
}

// The part of one thread: batches of the level, until none is left.
template <class Policy>
void Table<Policy>::fill_level(Level& level, Control& control, Desk& desk) {
    while (!control.stopped()) {
        std::size_t first;
        {
            const std::scoped_lock lock(mutex_);
            first = level.next;
            if (first == level.last || overflow_) return;
            level.next = std::min(first + level.batch, level.last);
        }
        const std::size_t last = std::min(first + level.batch, level.last);
        if (level.first == 0) {  // the single cells
            fill_cell_row(first, desk);
        } else {
            for (std::size_t number = first; number < last; ++number) add_job(number, desk);
            run_batch(desk.batch);
        }
        keep(desk, control);
        if (control.step(32)) return;
    }
}

template <class Policy>
bool Table<Policy>::fill(Control& control) {
    // At most a few equal rows share one (measured: two thirds remain); a table ten times too large is not begun.
    const double rows = static_cast<double>(layout_.tight.size()) * static_cast<double>(pitch_ * sizeof(Value));
    if (rows / 10.0 > static_cast<double>(control.limits().bytes)) {
        control.halt(Stop::memory);
        return false;
    }
    struct Helper {
        Helper(const Table& table, Control& head) : control(head.helper()), desk(table) {}
        Control control;
        Desk desk;
    };
    std::vector<std::unique_ptr<Helper>> helpers;
    Desk desk(*this);
    for (std::size_t l = 0; l + 1 < layout_.level_first.size(); ++l) {
        Level level{layout_.level_first[l], layout_.level_first[l + 1], l == 0 ? 1 : lanes_, layout_.level_first[l]};
        const std::size_t batches = (level.last - level.first + level.batch - 1) / level.batch;
        Crew crew(control);
        if (const std::size_t most = std::min(threads_, batches / kLeastBatches); most > 1) {
            while (helpers.size() + 1 < most) helpers.push_back(std::make_unique<Helper>(*this, control));
            crew.call(std::span(helpers).first(most - 1),
                      [this, &level](Helper& helper) { fill_level(level, helper.control, helper.desk); });
        }
        fill_level(level, control, desk);
        crew.finish();
        if (overflow_ || control.stopped()) return false;
    }
    return true;
}

template class Table<Depth>;
template class Table<Splits>;
template class Table<SplitsDepth>;
template class Table<WideSplitsDepth>;

}  // namespace treewright::bornagain
