// How many thresholds of a column lie below a value.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace treewright {

class AscendingThresholds {
   public:
    explicit AscendingThresholds(std::span<const double> ascending) {
        while (2 * half_ <= ascending.size()) half_ *= 2;
        padded_.assign(2 * half_, std::numeric_limits<double>::infinity());
        std::copy(ascending.begin(), ascending.end(), padded_.begin());
    }

    // Without branches, for the values of a column come in no order. Of NaN nothing is below.
    [[nodiscard]] std::size_t below(double x) const {
        std::size_t below = 0;
        for (std::size_t step = half_; step > 0; step /= 2) below += x > padded_[below + step - 1] ? step : 0;
        return below;
    }

   private:
    std::size_t half_ = 1;
    std::vector<double> padded_;
};

}  // namespace treewright
