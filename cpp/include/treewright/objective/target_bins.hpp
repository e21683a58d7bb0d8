// What the best split of a column loses at least in quantile regression, from sums of few bins of targets.
//
// For any numbers m_i from -down to up with sum w_i m_i = 0, a set of rows loses at every value q
//     sum w_i loss(y_i - q) >= sum w_i m_i (y_i - q) = sum w_i m_i y_i.
// The targets of a node are put into bins of about equal weight, in ascending order; m is -down in the bins below the
// quantile, up in those above, and in the bin of the quantile what makes the sum 0. That it lies between -down and up
// says that it is the bin of the quantile. So weight and weighted sum of each bin are enough for a bound; what it lacks
// is what the rows of one bin differ among themselves.
//
// The rows of a column are taken in stretches. A split in a stretch, or at its end, has all rows before it on the left
// and all behind it on the right, and a part of a set loses no more than the set (law `monotone`), so the bounds of
// these two parts hold for the two sides. Exact losses take a list of targets from which rows are taken one after the
// other (pinball.cpp), five times as long; a column that cannot have the best split needs none of it.
#pragma once

#include "treewright/objective/pinball.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace treewright::ranked {

class TargetBins {
   public:
    // `weight_of`: of each target of the table, of the rows of the node.
    TargetBins(const QuantileTable& data, const std::vector<std::int64_t>& weight_of);

    // No two sides of a split of the column lose less.
    [[nodiscard]] double least_loss(std::span<const std::uint32_t> order) const;
    // Whether weights times factors are exact in double precision: else there is no bound.
    [[nodiscard]] bool exact_weights() const { return exact_weights_; }

   private:
    static constexpr std::size_t kBins = 16;
    static constexpr std::uint32_t kFewest = 24, kStretches = 32;  // rows in a stretch; how many there are at most
    struct Target {
        double value;  // about the centre
        std::size_t bin;
    };
    struct Sums {
        double weight = 0, sum = 0;
        void add(double more_weight, double more_sum) { weight += more_weight, sum += more_sum; }
    };

    template <class BinOf>
    [[nodiscard]] double loss_of(const Sums& all, const BinOf& bin_of) const;

    const QuantileTable& data_;
    std::vector<Target> target_;  // [target of the table]
    std::array<Sums, kBins> bins_{};
    Sums all_;
    double up_, down_;
    double error_ = 0;  // of a loss, for each row
    bool exact_weights_;
};

}  // namespace treewright::ranked
