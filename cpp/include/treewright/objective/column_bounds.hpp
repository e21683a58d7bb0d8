// What the best split of a column loses at least in quantile regression, from sums over few bins of targets.
//
// The rows of a column are taken in stretches. A split in a stretch, or at its end, has all rows before it on the left
// and all behind it on the right, and a part of a set loses no more than the set (law `monotone`), so the bounds of
// these two parts (target_bins.hpp) hold for the two sides. Exact losses take a list of targets from which rows are
// taken one after the other (pinball.cpp), five times as long; a column that cannot have the best split needs none of
// it.
#pragma once

#include "treewright/objective/pinball.hpp"
#include "treewright/objective/target_bins.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace treewright::ranked {

class ColumnBounds {
   public:
    // `weight_of`: of each target of the table, of the rows of the node.
    ColumnBounds(const QuantileTable& data, std::span<const std::int64_t> weight_of);

    // Whether weights times factors are exact in double precision: else there is no bound.
    [[nodiscard]] bool exact_weights() const { return bins_.has_value(); }
    // No two sides of a split of the column lose less.
    [[nodiscard]] double least_loss(std::span<const std::uint32_t> order) const;

   private:
    using Sums = TargetBins::Sums;
    static constexpr std::size_t kBins = 16;
    static constexpr std::uint32_t kFewest = 24, kStretches = 32;  // rows in a stretch; how many there are at most

    const QuantileTable& data_;
    std::optional<TargetBins> bins_;  // of targets about the middle one
    std::array<Sums, kBins> sums_{};  // of each bin, all rows of the node
    Sums all_;
    double error_ = 0;  // of a loss, for each row
};

}  // namespace treewright::ranked
