// When a search makes row prices, and how much it spends on them (schedule.hpp).
#pragma once

#include "treewright/search/schedule.hpp"

#include <cstdint>
#include <span>

namespace treewright::binary {

class RowPriceStages {
   public:
    // The first stage ends after `first_steps` steps of the run.
    RowPriceStages(const RowPriceSource& source, std::int64_t first_steps, Control& control);

    // Steps that are left of this stage: of the last one, all.
    [[nodiscard]] std::int64_t steps_left() const;
    [[nodiscard]] std::int64_t steps() const { return steps_; }  // of this stage
    // Whether no prices are made any more.
    [[nodiscard]] bool last() const { return last_; }
    // Whether none are ever made.
    [[nodiscard]] bool without() const { return !source_; }
    // Makes prices for the next stage and begins it; what they prove goes into `known`.
    void next(Bounds& known);

    // In use, or none.
    [[nodiscard]] std::span<const std::int64_t> in_use() const {
        return dropped_ || prices_.bound == 0 ? std::span<const std::int64_t>{} : prices_.of_row;
    }
    [[nodiscard]] const Prices& prices() const { return prices_; }

   private:
    const RowPriceSource& source_;
    Control& control_;
    std::int64_t steps_;
    std::int64_t end_;
    int n_made_ = 0;
    bool last_;
    bool dropped_ = false;
    Prices prices_;
};

}  // namespace treewright::binary
