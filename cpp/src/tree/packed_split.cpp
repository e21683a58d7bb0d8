// The best of splits that are bits already.
#include "treewright/tree/single_split.hpp"

#include "bucket_sums.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace treewright::tree {

namespace {

std::uint64_t word_of(const std::uint8_t* bits, std::size_t n_bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, bits, n_bytes);
    return word;
}

std::size_t common_ones(const std::uint8_t* a, const std::uint8_t* b, std::size_t n_bytes) {
    std::size_t n = 0, at = 0;
    for (; at + 8 <= n_bytes; at += 8)
        n += static_cast<std::size_t>(std::popcount(word_of(a + at, 8) & word_of(b + at, 8)));
    return n + static_cast<std::size_t>(std::popcount(word_of(a + at, n_bytes - at) & word_of(b + at, n_bytes - at)));
}

// Weights of classes on both sides of a split. Where all rows of a class weigh the same, as they do without weights and
// with weights of classes, it counts the bits that a split has in common with the class; else it reads every row.
class SidesOfBits {
   public:
    explicit SidesOfBits(const LabelledRows& rows) : rows_(rows), n_bytes_((rows.y.size() + 7) / 8) {
        std::vector<double> weight(rows.n_classes, 0.0);  // of a row; 0 before the first
        std::vector<std::size_t> count(rows.n_classes, 0);
        for (std::size_t row = 0; row < rows.y.size(); ++row) {
            double& own = weight[static_cast<std::size_t>(rows.y[row])];
            if (!(rows.weight[row] > 0) || (own != 0 && own != rows.weight[row])) return;
            own = rows.weight[row];
            ++count[static_cast<std::size_t>(rows.y[row])];
        }
        if (rows.n_classes > kMostClasses) return;
        weight_ = std::move(weight), count_ = std::move(count);
        member_.assign(rows.n_classes * n_bytes_, 0);
        for (std::size_t row = 0; row < rows.y.size(); ++row)
            member_[static_cast<std::size_t>(rows.y[row]) * n_bytes_ + row / 8] |=
                static_cast<std::uint8_t>(1U << (row % 8));
    }

    // Writes the weights of the classes; returns the number of rows on the right.
    std::size_t read(const std::uint8_t* bits, std::span<double> left, std::span<double> right) const {
        std::size_t n_right = 0;
        if (!weight_.empty()) {
            for (std::size_t k = 0; k < weight_.size(); ++k) {
                const std::size_t n = common_ones(bits, member_.data() + k * n_bytes_, n_bytes_);
                left[k] = static_cast<double>(count_[k] - n) * weight_[k];
                right[k] = static_cast<double>(n) * weight_[k];
                n_right += n;
            }
            return n_right;
        }
        std::fill(left.begin(), left.end(), 0.0);
        std::fill(right.begin(), right.end(), 0.0);
        for (std::size_t row = 0; row < rows_.y.size(); ++row) {
            const bool goes_right = ((bits[row / 8] >> (row % 8)) & 1U) != 0;
            n_right += goes_right;
            (goes_right ? right : left)[static_cast<std::size_t>(rows_.y[row])] += rows_.weight[row];
        }
        return n_right;
    }

   private:
    static constexpr std::size_t kMostClasses = 64;  // a bit of each for every row
    const LabelledRows& rows_;
    std::size_t n_bytes_;
    std::vector<double> weight_;        // of a row of each class; empty where they differ
    std::vector<std::size_t> count_;    // of rows of each class
    std::vector<std::uint8_t> member_;  // of each class, the rows that have it
};

}  // namespace

std::optional<std::size_t> best_single_split(std::span<const std::uint8_t> packed, std::size_t n_splits,
                                             const LabelledRows& rows, std::size_t min_leaf) {
    const Votes votes(rows);
    const SidesOfBits sides(rows);
    const std::size_t n_rows = rows.y.size(), n_bytes = (n_rows + 7) / 8;
    if (n_rows == 0) return std::nullopt;
    std::vector<double> left(votes.n_sums()), right(left.size());
    std::optional<std::size_t> found;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t split = 0; split < n_splits; ++split) {
        const std::size_t n_right = sides.read(packed.data() + split * n_bytes, left, right);
        if (std::min(n_right, n_rows - n_right) < std::max<std::size_t>(min_leaf, 1)) continue;
        const double loss = votes.loss(left.data()) + votes.loss(right.data());
        if (loss < least) least = loss, found = split;
    }
    return found;
}

}  // namespace treewright::tree
