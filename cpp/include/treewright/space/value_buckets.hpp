// A column in buckets of neighbouring values: how many distinct values it has, and the gaps between some of them,
// without sorting it.
//
// Whoever cuts a column into few bins asks for a few gaps near given shares of the rows. One pass counts the rows of
// some thousand buckets, another writes each value into its bucket; a bucket is sorted when a gap in it is asked for.
// Distinct values are counted bucket by bucket, with a bit for each hash. Buckets divide the range of the values
// evenly; where that puts many rows into one bucket, they divide the range of the bit patterns, which are in the same
// order. A bucket that is large all the same is sorted at once, so nothing depends on the shape of the column but time.
//
// Cost: a million distinct values take a third of what `rank_values` takes, and no ranks are written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace treewright {

class ValueBuckets {
   public:
    // Between two neighbouring distinct values; `left` rows have a value of at most `below`.
    struct Gap {
        double below = 0.0, above = 0.0;
        std::uint32_t left = 0;
    };

    explicit ValueBuckets(std::span<const double> column);  // NaN is missing; fewer than 2^32 - 1 rows

    [[nodiscard]] std::uint32_t n_known() const { return static_cast<std::uint32_t>(values_.size()); }
    [[nodiscard]] std::uint32_t n_gaps() const { return distinct_.back() > 0 ? distinct_.back() - 1 : 0; }
    [[nodiscard]] Gap gap(std::uint32_t which);           // which < n_gaps()
    [[nodiscard]] std::uint32_t first_with(double rows);  // the first gap with as many rows on its left, or n_gaps()

   private:
    [[nodiscard]] std::span<double> bucket(std::size_t b) {
        return std::span(values_).subspan(first_[b], first_[b + 1] - first_[b]);
    }
    [[nodiscard]] std::uint32_t count_values(std::size_t b);
    void sort(std::size_t b);

    std::vector<double> values_;           // that are known, bucket by bucket; zero has no sign
    std::vector<std::uint32_t> first_;     // of each bucket that is not empty, its first value; then their number
    std::vector<std::uint32_t> distinct_;  // distinct values in smaller buckets; then their number
    std::vector<bool> sorted_;
};

}  // namespace treewright
