// What the leaves of a tree cost for an additive loss, while rows come and go.
//
// Sums over rows are integers, so a row that is taken out again leaves nothing behind. Only the loss of a leaf is a
// floating-point number; it is rounded to `kUnits` units of the loss of one leaf, about 1e-14 of it.
#pragma once

#include "treewright/tree/pruning.hpp"

#include "loss_of_sums.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace treewright::tree {

class LossCosts {
   public:
    static constexpr bool kPredicts = false;  // leaves are never one because of what they predict

    LossCosts(const LossSums& loss, std::size_t n_nodes) : loss_(loss), sum_(n_nodes * loss.n_sums, 0) {}

    void add(std::size_t node, std::uint32_t row) {
        const std::int64_t* const row_sums = of_row(row);
        for (std::size_t k = 0; k < loss_.n_sums; ++k) at(node)[k] += row_sums[k];
    }
    void remove(std::size_t node, std::uint32_t row) {
        const std::int64_t* const row_sums = of_row(row);
        for (std::size_t k = 0; k < loss_.n_sums; ++k) at(node)[k] -= row_sums[k];
    }
    void refresh(std::size_t) const {}
    void join(std::size_t node, std::size_t left, std::size_t right) {
        for (std::size_t k = 0; k < loss_.n_sums; ++k) at(node)[k] = at(left)[k] + at(right)[k];
    }

    [[nodiscard]] Wide paid(std::size_t node) const {
        const double share = loss_of(node) / loss_.one_leaf;
        return std::llround(std::clamp(share, 0.0, kMaxShare) * kUnits);
    }
    [[nodiscard]] double worth(std::size_t, const LeafWorth&) const { return 1.0; }  // nobody asks

   private:
    static constexpr double kUnits = static_cast<double>(LossSums::kUnits);
    static constexpr double kMaxShare = 1 << 14;  // a leaf of a tree that is worse than one leaf

    [[nodiscard]] double loss_of(std::size_t node) const {
        const std::int64_t* const sum = sum_.data() + node * loss_.n_sums;
        const auto number = [&](std::size_t k) { return static_cast<double>(sum[k]) * loss_.unit[k]; };
        return loss_of_sums(loss_.kind, loss_.n_sums, number);
    }
    [[nodiscard]] const std::int64_t* of_row(std::uint32_t row) const {
        return loss_.sums.data() + std::size_t{row} * loss_.n_sums;
    }
    [[nodiscard]] std::int64_t* at(std::size_t node) { return sum_.data() + node * loss_.n_sums; }

    const LossSums& loss_;
    std::vector<std::int64_t> sum_;
};

}  // namespace treewright::tree
