#include "treewright/space/threshold_bits.hpp"

#include "treewright/kernels/ascending_thresholds.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace treewright {

namespace {

void set_bit(std::uint8_t* bits, std::size_t row) {
    bits[row / 8] = static_cast<std::uint8_t>(bits[row / 8] | (1u << (row % 8)));
}

// Thresholds of one column, with their bits one after the other.
class OneColumn {
   public:
    OneColumn(std::span<const double> x, std::span<const Threshold> thresholds, std::uint8_t* bits)
        : x_(x), thresholds_(thresholds), bits_(bits), bytes_(row_bytes(x.size())) {}

    void write() {
        order_.resize(thresholds_.size());
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        std::stable_sort(order_.begin(), order_.end(),
                         [this](std::size_t a, std::size_t b) { return thresholds_[a].value < thresholds_[b].value; });
        write_changes();
        for (std::size_t k = 1; k < order_.size(); ++k) {
            const std::uint8_t* const before = of(k - 1);
            std::uint8_t* const own = of(k);
            for (std::size_t byte = 0; byte < bytes_; ++byte) own[byte] ^= before[byte];
        }
        send_missing_left();
    }

   private:
    // The bits of the k-th threshold from below.
    [[nodiscard]] std::uint8_t* of(std::size_t k) const { return bits_ + order_[k] * bytes_; }

    // Of the lowest threshold all rows on its right, of every other those that are not on its right, unlike before.
    void write_changes() {
        std::vector<double> ascending(order_.size());
        for (std::size_t k = 0; k < order_.size(); ++k) ascending[k] = thresholds_[order_[k]].value;
        const AscendingThresholds search(ascending);
        std::fill_n(bits_, order_.size() * bytes_, std::uint8_t{0});
        for (std::size_t row = 0; row < x_.size(); ++row) {
            const bool is_missing = std::isnan(x_[row]);
            const std::size_t below = is_missing ? order_.size() : search.below(x_[row]);
            if (below > 0) set_bit(of(0), row);
            if (below > 0 && below < order_.size()) set_bit(of(below), row);
            if (is_missing) missing_.push_back(row);
        }
    }

    void send_missing_left() {
        for (std::size_t k = 0; k < order_.size(); ++k) {
            if (!thresholds_[k].missing_left) continue;
            for (const std::size_t row : missing_) {
                std::uint8_t& byte = bits_[k * bytes_ + row / 8];
                byte = static_cast<std::uint8_t>(byte & ~(1u << (row % 8)));
            }
        }
    }

    std::span<const double> x_;
    std::span<const Threshold> thresholds_;
    std::uint8_t* bits_;
    std::size_t bytes_;
    std::vector<std::size_t> order_, missing_;
};

}  // namespace

void write_threshold_bits(std::span<const double> values, std::size_t n_rows, std::span<const Threshold> thresholds,
                          std::span<std::uint8_t> bits) {
    for (std::size_t first = 0, end = 0; first < thresholds.size(); first = end) {
        const std::uint32_t column = thresholds[first].column;
        while (end < thresholds.size() && thresholds[end].column == column) ++end;
        OneColumn(values.subspan(column * n_rows, n_rows), thresholds.subspan(first, end - first),
                  bits.data() + first * row_bytes(n_rows))
            .write();
    }
}

}  // namespace treewright
