#include "treewright/bits/prices.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace treewright::bits {

namespace {

// Depth-first enumeration of conjunctions as sets of rows. Literal 2j+1 is "column j is one", 2j is "is zero".
class Enumeration {
   public:
    Enumeration(const Dataset& data, std::span<const std::int64_t> prices, std::int64_t leaf_price, int unit_shift,
                std::int32_t max_depth, std::size_t most_found, std::int64_t most_explored)
        : data_(data),
          classes_(data.n_classes),
          threshold_(leaf_price),
          max_depth_(max_depth),
          most_found_(most_found),
          most_explored_(most_explored),
          gain_(data.n_rows * classes_) {
        for (std::size_t r = 0; r < data.n_rows; ++r)
            for (std::size_t k = 0; k < classes_; ++k)
                gain_[r * classes_ + k] = prices[r] - (data.cost[r * classes_ + k] << unit_shift);
        columns_in(all_ones_);
    }

    Violations run() {
        std::vector<std::uint32_t> rows(data_.n_rows);
        std::iota(rows.begin(), rows.end(), 0U);
        Sums all = sum(rows);
        consider(rows, all.gain);
        visit(rows, all, 0, 0);
        return std::move(out_);
    }

   private:
    struct Sums {
        std::vector<std::int64_t> gain;       // one a class
        std::vector<std::int64_t> potential;  // positive parts only
    };
    // Sums over the rows where each column is one, and how many they are.
    struct ColumnSums {
        std::vector<std::int64_t> gain;       // n_columns x n_classes
        std::vector<std::int64_t> potential;
        std::vector<std::uint32_t> count;
    };
    struct Branch {
        std::uint32_t literal;
        std::int64_t potential;
        std::int64_t gain;
    };

    void columns_in(std::vector<std::uint64_t>& mask) const { mask.assign(data_.n_words, ~std::uint64_t{0}); }

    Sums sum(std::span<const std::uint32_t> rows) const {
        Sums s{std::vector<std::int64_t>(classes_, 0), std::vector<std::int64_t>(classes_, 0)};
        for (const std::uint32_t r : rows)
            for (std::size_t k = 0; k < classes_; ++k) add(r, k, s.gain[k], s.potential[k]);
        return s;
    }

    void add(std::uint32_t r, std::size_t k, std::int64_t& gain, std::int64_t& potential) const {
        const std::int64_t g = gain_[r * classes_ + k];
        gain += g;
        potential += std::max<std::int64_t>(g, 0);
    }

    ColumnSums sum_columns(std::span<const std::uint32_t> rows) const {
        const std::size_t m = data_.n_columns;
        ColumnSums s{std::vector<std::int64_t>(m * classes_, 0), std::vector<std::int64_t>(m * classes_, 0),
                     std::vector<std::uint32_t>(m, 0)};
        for (const std::uint32_t r : rows) {
            for (std::size_t w = 0; w < data_.n_words; ++w) {
                for (std::uint64_t left = data_.bits[r * data_.n_words + w]; left != 0; left &= left - 1) {
                    const std::size_t j = w * 64 + static_cast<std::size_t>(std::countr_zero(left));
                    ++s.count[j];
                    for (std::size_t k = 0; k < classes_; ++k)
                        add(r, k, s.gain[j * classes_ + k], s.potential[j * classes_ + k]);
                }
            }
        }
        return s;
    }

    // What a branch must exceed to matter: any violation while more are wanted, then only a worse one.
    [[nodiscard]] std::int64_t bar() const {
        return out_.ends.size() < most_found_ ? threshold_ : std::max(threshold_, out_.worst);
    }

    void consider(std::span<const std::uint32_t> rows, const std::vector<std::int64_t>& gain) {
        const std::int64_t best = *std::max_element(gain.begin(), gain.end());
        out_.worst = std::max(out_.worst, best);
        if (best <= threshold_ || out_.ends.size() >= most_found_) return;
        std::vector<std::int64_t> cost(classes_, 0);
        for (const std::uint32_t r : rows)
            for (std::size_t k = 0; k < classes_; ++k) cost[k] += data_.cost[r * classes_ + k];
        out_.rows.insert(out_.rows.end(), rows.begin(), rows.end());
        out_.ends.push_back(static_cast<std::int64_t>(out_.rows.size()));
        out_.cheapest.push_back(*std::min_element(cost.begin(), cost.end()));
    }

    // `first` is the smallest literal that may still be added, so that every set of literals is met once. Without a
    // depth limit, a branch whose rows also share an earlier literal is skipped: adding that literal first gives the
    // same rows (the closed sets are met once).
    void visit(std::span<const std::uint32_t> rows, const Sums& all, std::uint32_t first, std::int32_t depth) {
        ++out_.explored;
        if (depth >= max_depth_) return;
        const ColumnSums one = sum_columns(rows);
        const auto n = static_cast<std::uint32_t>(rows.size());
        std::vector<Branch> branches;
        for (std::uint32_t literal = first; literal < 2 * data_.n_columns; ++literal) {
            const std::size_t j = literal / 2;
            if (one.count[j] == 0 || one.count[j] == n) continue;
            std::int64_t gain = 0;
            std::int64_t potential = 0;
            for (std::size_t k = 0; k < classes_; ++k) {
                const std::int64_t g = one.gain[j * classes_ + k];
                const std::int64_t p = one.potential[j * classes_ + k];
                gain = std::max(gain, literal % 2 == 1 ? g : all.gain[k] - g);
                potential = std::max(potential, literal % 2 == 1 ? p : all.potential[k] - p);
            }
            if (potential > threshold_) branches.push_back({literal, potential, gain});
        }
        std::sort(branches.begin(), branches.end(), [](const Branch& a, const Branch& b) {
            return a.gain != b.gain ? a.gain > b.gain : a.literal < b.literal;
        });
        std::vector<std::uint32_t> inside;
        for (const Branch& branch : branches) {
            if (branch.potential <= bar()) continue;
            if (out_.explored >= most_explored_) {
                out_.worst = std::max(out_.worst, branch.potential);
                out_.complete = false;
                continue;
            }
            const std::size_t j = branch.literal / 2;
            inside.clear();
            std::vector<std::uint64_t> ones(all_ones_);
            std::vector<std::uint64_t> zeros(all_ones_);
            for (const std::uint32_t r : rows) {
                const std::uint64_t* words = data_.bits.data() + r * data_.n_words;
                if (((words[j / 64] >> (j % 64)) & 1U) != branch.literal % 2) continue;
                inside.push_back(r);
                for (std::size_t w = 0; w < data_.n_words; ++w) {
                    ones[w] &= words[w];
                    zeros[w] &= ~words[w];
                }
            }
            if (max_depth_ >= static_cast<std::int32_t>(data_.n_columns) && met_before(one, n, branch.literal, ones, zeros))
                continue;
            const Sums sums = sum(inside);
            consider(inside, sums.gain);
            const std::vector<std::uint32_t> own(inside);
            visit(own, sums, branch.literal + 1, depth + 1);
        }
    }

    // Whether the rows of the branch share a literal below its own that its parent did not share.
    [[nodiscard]] bool met_before(const ColumnSums& parent, std::uint32_t n, std::uint32_t literal,
                                  const std::vector<std::uint64_t>& ones, const std::vector<std::uint64_t>& zeros) const {
        for (std::size_t j = 0; j <= literal / 2; ++j) {
            if (parent.count[j] == 0 || parent.count[j] == n) continue;
            const bool one = (ones[j / 64] >> (j % 64)) & 1U;
            const bool zero = (zeros[j / 64] >> (j % 64)) & 1U;
            if ((zero && 2 * j < literal) || (one && 2 * j + 1 < literal)) return true;
        }
        return false;
    }

    const Dataset& data_;
    std::size_t classes_;
    std::int64_t threshold_;
    std::int32_t max_depth_;
    std::size_t most_found_;
    std::int64_t most_explored_;
    std::vector<std::int64_t> gain_;
    std::vector<std::uint64_t> all_ones_;
    Violations out_;
};

}  // namespace

Violations find_violations(const Dataset& data, std::span<const std::int64_t> prices, std::int64_t leaf_price,
                           int unit_shift, std::int32_t max_depth, std::size_t most_found, std::int64_t most_explored) {
    return Enumeration(data, prices, leaf_price, unit_shift, max_depth, most_found, most_explored).run();
}

}  // namespace treewright::bits
