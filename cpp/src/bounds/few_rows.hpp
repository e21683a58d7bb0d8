// B8: few rows that prove a bound for every set of rows that holds them.
//
// For any rows T, whether splits select them or not, and every set S that holds them, f(S) >= f(T): S's best tree, used
// on T, has no more errors, and its leaves without rows of T can be cut off. Neither has a depth limit a say, for f(T)
// is without one. So what is proven of T closes all such sets S at once, by a comparison of bits. Where an error costs
// more than a leaf, six or seven of a hundred rows often need as many leaves as all of them. Not valid with a
// minimum leaf size, as B6.
//
// Here is where such rows are kept; src/search/binary_few_rows.hpp finds and uses them.
#pragma once

#include "treewright/space/binary_dataset.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace treewright::binary {

class FewRows {
   public:
    static constexpr std::int64_t kMostLeaves = 5;  // that any of its bounds is worth; to prove six takes too long

    FewRows(const Dataset& data, std::int64_t leaf_penalty)
        : c_(leaf_penalty), n_words_(words_of(data)), columns_(data.n_columns * n_words_) {
        for (std::size_t r = 0; r < data.n_rows; ++r)
            for (std::size_t j = 0; j < data.n_columns; ++j)
                columns_[j * n_words_ + r / 64] |= std::uint64_t{data.bit(r, j)} << (r % 64);
    }

    // Of the rows as bits.
    [[nodiscard]] static std::size_t words_of(const Dataset& data) { return (data.n_rows + 63) / 64; }
    [[nodiscard]] static std::size_t most_bytes(const Dataset& data) {
        return (data.n_columns + kMostSets) * words_of(data) * sizeof(std::uint64_t);
    }
    [[nodiscard]] std::size_t bytes() const {
        return (columns_.capacity() + n_sets_ * n_words_) * sizeof(std::uint64_t);
    }

    // Rows as bits, and the side of them where a column is one, or zero.
    static void mark(std::span<const std::uint32_t> rows, std::span<std::uint64_t> out) {
        std::fill(out.begin(), out.end(), 0);
        for (const std::uint32_t r : rows) out[r / 64] |= std::uint64_t{1} << (r % 64);
    }
    void take_side(std::span<const std::uint64_t> rows, std::size_t column, int side,
                   std::span<std::uint64_t> out) const {
        const std::uint64_t* ones = &columns_[column * n_words_];
        const std::uint64_t flip = side == 1 ? 0 : ~std::uint64_t{0};
        for (std::size_t w = 0; w < n_words_; ++w) out[w] = rows[w] & (ones[w] ^ flip);
    }

    // The highest bound that is above `least`, or `least`; of bounds worth as many leaves the first that is met. What
    // closes a set moves forward.
    [[nodiscard]] std::int64_t bound(std::span<const std::uint64_t> rows, std::int64_t least) {
        for (std::size_t leaves = sets_.size(); leaves-- > 0;) {
            std::vector<Set>& sets = sets_[leaves];
            for (std::size_t k = 0; k < sets.size(); ++k) {
                if (sets[k].bound <= least || !holds(rows, sets[k].rows)) continue;
                ++n_raised_;
                const std::int64_t bound = sets[k].bound;
                std::swap(sets[k], sets[k / 2]);
                return bound;
            }
        }
        return least;
    }

    void add(std::span<const std::uint32_t> rows, std::int64_t bound) {
        Set set{std::vector<std::uint64_t>(n_words_), bound};
        mark(rows, set.rows);
        sets_[static_cast<std::size_t>(std::min(bound / c_, kMostLeaves))].push_back(std::move(set));
        ++n_sets_;
    }

    // Calls `use(rows as bits, bound)` for every set.
    template <class Use>
    void each(const Use& use) const {
        for (const std::vector<Set>& sets : sets_)
            for (const Set& set : sets) use(std::span<const std::uint64_t>(set.rows), set.bound);
    }

    // Whether to go on, and whether to look for more now, after `steps` of the search. A set that pays raises hundreds
    // of bounds (audiology at .001: 11,000 each, at .005 1,300; heart-cleveland, vehicle and pendigits 4 to 22).
    [[nodiscard]] bool pays() const { return n_tried_ < kTrial || n_raised_ >= kLeastRaised * n_tried_; }
    [[nodiscard]] bool wants_more(std::int64_t steps) const {
        return n_sets_ < kMostSets && kStepsPerStep * steps_ <= steps - steps_ + static_cast<std::int64_t>(n_raised_);
    }
    // After every attempt to find some, whether it did or not.
    void took(std::int64_t steps) {
        steps_ += steps;
        ++n_tried_;
    }

   private:
    struct Set {
        std::vector<std::uint64_t> rows;
        std::int64_t bound;
    };
    static constexpr std::size_t kTrial = 16, kLeastRaised = 32, kMostSets = 1024;
    static constexpr std::int64_t kStepsPerStep = 8;  // of the search, for one step that finds rows

    [[nodiscard]] bool holds(std::span<const std::uint64_t> rows, const std::vector<std::uint64_t>& few) const {
        for (std::size_t w = 0; w < n_words_; ++w)
            if ((few[w] & ~rows[w]) != 0) return false;
        return true;
    }

    std::int64_t c_;
    std::size_t n_words_;
    std::vector<std::uint64_t> columns_;                  // column x word of rows
    std::array<std::vector<Set>, kMostLeaves + 1> sets_;  // by the leaves that the bound is worth
    std::size_t n_sets_ = 0;
    std::size_t n_tried_ = 0;
    std::size_t n_raised_ = 0;
    std::int64_t steps_ = 0;
};

}  // namespace treewright::binary
