// Budgets of the rounds in which a search raises the bound of its root.
//
// A round with a budget proves that no tree costs less, or ends with the optimum. It repeats most of the round before:
// of a set of rows that was left at a bound below its new budget, the splits are looked at again. What a round takes
// grows about exponentially with its budget. So the next budget is chosen so that its round should take about kGrowth
// times the steps of the last: then all rounds before the last one together take about a third of its steps. The first
// two rounds, from which the growth is learned, take half of the gap each. Budgets that halve the gap every time would
// let rounds near the optimum, which take nearly as long as the last one, add up to twice its steps.
//
// Any rising budgets end with the optimum, because what was proven stays.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace treewright::binary {

class BudgetRounds {
   public:
    // Above `lower`, what is proven, and at most `upper`, the cost of the best tree: then it is the last round.
    [[nodiscard]] std::int64_t next(std::int64_t lower, std::int64_t upper) const {
        const std::int64_t gap = upper - lower, half = lower + gap / 2 + 1;
        if (kLastGap * gap < upper) return upper;
        if (n_done_ < 2) return std::min(half, upper);
        const auto left = static_cast<double>(upper - last_.bound);
        const double growth = std::log(static_cast<double>(last_.steps) / static_cast<double>(before_.steps)) /
                              static_cast<double>(last_.bound - before_.bound);
        const double n_left = std::round(growth * left / std::log(kGrowth));
        if (n_left <= 1) return upper;
        return std::clamp(last_.bound + static_cast<std::int64_t>(left / n_left), lower + gap / 8 + 1,
                          std::min(half + gap / 4, upper));
    }

    // A round has raised the bound to `bound` and took so many steps.
    void done(std::int64_t bound, std::int64_t steps) {
        if (n_done_ > 0 && bound <= last_.bound) return;
        before_ = std::exchange(last_, {bound, std::max<std::int64_t>(steps, 1)});
        ++n_done_;
    }

   private:
    static constexpr std::int64_t kLastGap = 16;  // a gap of less than this part of the cost takes no further round
    static constexpr double kGrowth = 4;

    struct Round {
        std::int64_t bound = 0, steps = 1;
    };
    Round before_{}, last_{};
    int n_done_ = 0;
};

}  // namespace treewright::binary
