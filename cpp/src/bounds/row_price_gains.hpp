// What every row gains in a conjunction, in 32-bit quanta, and its sums for every literal at once.
//
// The gain of row x for class k is y_x - cost_k(x). Quanta of 2^shift cost units are chosen so that no sum overflows; a
// gain is rounded up, so a sum of quanta is never below the true one. Literal 2j+1 is "column j is one", 2j "is zero".
#pragma once

#include "treewright/space/binary_dataset.hpp"
#include "treewright/bounds/row_prices.hpp"
#include "treewright/core/cpu.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace treewright::binary {

class Gains {
   public:
    Gains(const Dataset& data, std::span<const std::int64_t> prices, int unit_shift)
        : n_rows_(data.n_rows), stride_((data.n_columns + 15) / 16 * 16), simd_(simd()) {
        std::vector<std::int64_t> exact(data.n_rows * data.n_classes);
        std::int64_t total = 0;
        for (std::size_t r = 0; r < data.n_rows; ++r) {
            std::int64_t largest = 0;
            for (std::size_t k = 0; k < data.n_classes; ++k) {
                const std::int64_t g = prices[r] - (data.cost[r * data.n_classes + k] << unit_shift);
                exact[k * data.n_rows + r] = g;
                largest = std::max(largest, g < 0 ? -g : g);
            }
            total += largest;
        }
        // Rounding up adds less than one quantum a row.
        while ((total >> shift_) + static_cast<std::int64_t>(data.n_rows) >= (std::int64_t{1} << 30)) ++shift_;
        gain_.resize(exact.size());
        const std::int64_t round = (std::int64_t{1} << shift_) - 1;
        for (std::size_t i = 0; i < exact.size(); ++i)
            gain_[i] = static_cast<std::int32_t>((exact[i] + round) >> shift_);

        mask_.assign(data.n_rows * stride_, 0);
        for (std::size_t r = 0; r < data.n_rows; ++r)
            for (std::size_t j = 0; j < data.n_columns; ++j)
                if (data.bit(r, j)) mask_[r * stride_ + j] = -1;
    }

    [[nodiscard]] std::int32_t of(std::size_t k, std::uint32_t row) const { return gain_[k * n_rows_ + row]; }
    [[nodiscard]] std::size_t stride() const { return stride_; }
    // No sum of quanta is above this if no sum of costs is above `cost`.
    [[nodiscard]] std::int32_t quanta(std::int64_t cost) const {
        return static_cast<std::int32_t>(std::min<std::int64_t>(cost >> shift_, std::int64_t{1} << 30));
    }
    [[nodiscard]] std::int64_t cost(std::int32_t quanta) const { return static_cast<std::int64_t>(quanta) << shift_; }

    // out[j] = sum of the gains of the rows where column j is one.
    void sum(std::size_t k, std::span<const std::uint32_t> rows, std::int32_t* out) const {
        const std::int32_t* gain = gain_.data() + k * n_rows_;
        const auto value = [&](std::size_t i) { return gain[rows[i]]; };
        simd_ == Simd::plain ? sum_plain(rows, value, out) : sum_avx2(rows, value, out);
    }

    // The same of other values than gains, `values[i]` for `rows[i]`.
    void sum(std::span<const std::int32_t> values, std::span<const std::uint32_t> rows, std::int32_t* out) const {
        const auto value = [&](std::size_t i) { return values[i]; };
        simd_ == Simd::plain ? sum_plain(rows, value, out) : sum_avx2(rows, value, out);
    }

    // The smallest number of a column: `of_zero[j]` where the row holds zero in column j, `of_one[j]` where one.
    [[nodiscard]] std::int32_t smallest(std::uint32_t row, const std::int32_t* of_zero,
                                        const std::int32_t* of_one) const {
        return simd_ == Simd::plain ? smallest_plain(row, of_zero, of_one) : smallest_avx2(row, of_zero, of_one);
    }

   private:
    template <class Value>
    [[gnu::always_inline]] inline void add(std::span<const std::uint32_t> rows, Value value, std::int32_t* out) const {
        std::fill(out, out + stride_, 0);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::int32_t added = value(i);
            const std::int32_t* mask = mask_.data() + rows[i] * stride_;
            for (std::size_t j = 0; j < stride_; ++j) out[j] += added & mask[j];
        }
    }
    template <class Value>
    void sum_plain(std::span<const std::uint32_t> rows, Value value, std::int32_t* out) const {
        add(rows, value, out);
    }
    template <class Value>
    [[gnu::target("avx2")]] void sum_avx2(std::span<const std::uint32_t> rows, Value value, std::int32_t* out) const {
        add(rows, value, out);
    }

    [[gnu::always_inline]] inline std::int32_t least(std::uint32_t row, const std::int32_t* of_zero,
                                                     const std::int32_t* of_one) const {
        const std::int32_t* mask = mask_.data() + row * stride_;
        std::int32_t out = std::numeric_limits<std::int32_t>::max();
        for (std::size_t j = 0; j < stride_; ++j) out = std::min(out, (of_one[j] & mask[j]) | (of_zero[j] & ~mask[j]));
        return out;
    }
    [[nodiscard]] std::int32_t smallest_plain(std::uint32_t row, const std::int32_t* of_zero,
                                              const std::int32_t* of_one) const {
        return least(row, of_zero, of_one);
    }
    [[nodiscard]] [[gnu::target("avx2")]] std::int32_t smallest_avx2(std::uint32_t row, const std::int32_t* of_zero,
                                                                     const std::int32_t* of_one) const {
        return least(row, of_zero, of_one);
    }

    std::size_t n_rows_;
    std::size_t stride_;
    Simd simd_;
    int shift_ = 0;
    std::vector<std::int32_t> gain_;  // n_classes x n_rows
    std::vector<std::int32_t> mask_;  // n_rows x stride: all bits set where the column is one
};

// The best conjunctions found, at most one a slot.
class Finds {
   public:
    struct Find {
        std::int32_t gain = 0;
        std::vector<std::uint32_t> rows;
    };
    explicit Finds(std::size_t n_slots) : best_(n_slots) {}

    void keep(std::size_t slot, std::int32_t gain, std::span<const std::uint32_t> positive,
              std::span<const std::uint32_t> negative) {
        Find& find = best_[slot];
        if (gain <= find.gain) return;
        find.gain = gain;
        find.rows.assign(positive.begin(), positive.end());
        find.rows.insert(find.rows.end(), negative.begin(), negative.end());
    }

    // Distinct ones, largest gain first, without those that say little new: at most 30 % of their rows are in fewer
    // than `kPerRow` of those before.
    [[nodiscard]] std::vector<Find> take(std::size_t n_rows) {
        std::erase_if(best_, [](const Find& f) { return f.rows.empty(); });
        for (Find& f : best_) std::sort(f.rows.begin(), f.rows.end());
        std::sort(best_.begin(), best_.end(),
                  [](const Find& a, const Find& b) { return a.gain != b.gain ? a.gain > b.gain : a.rows < b.rows; });
        best_.erase(
            std::unique(best_.begin(), best_.end(), [](const Find& a, const Find& b) { return a.rows == b.rows; }),
            best_.end());
        std::vector<int> used(n_rows, 0);
        std::erase_if(best_, [&](const Find& f) {
            std::size_t fresh = 0;
            for (const std::uint32_t r : f.rows) fresh += used[r] < kPerRow ? 1 : 0;
            if (fresh * 10 <= f.rows.size() * 3) return true;
            for (const std::uint32_t r : f.rows) ++used[r];
            return false;
        });
        return std::move(best_);
    }

   private:
    static constexpr int kPerRow = 8;
    std::vector<Find> best_;
};

inline void add_finds(const Dataset& data, const std::vector<Finds::Find>& finds, Violations& out) {
    std::vector<std::int64_t> cost(data.n_classes);
    for (const Finds::Find& find : finds) {
        std::fill(cost.begin(), cost.end(), 0);
        for (const std::uint32_t r : find.rows)
            for (std::size_t k = 0; k < data.n_classes; ++k) cost[k] += data.cost[r * data.n_classes + k];
        out.rows.insert(out.rows.end(), find.rows.begin(), find.rows.end());
        out.ends.push_back(static_cast<std::int64_t>(out.rows.size()));
        out.cheapest.push_back(*std::min_element(cost.begin(), cost.end()));
    }
}

}  // namespace treewright::binary
