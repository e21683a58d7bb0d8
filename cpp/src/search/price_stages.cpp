#include "treewright/search/price_stages.hpp"

#include <algorithm>
#include <limits>

namespace treewright::binary {

namespace {

constexpr std::int64_t kEndless = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kGrowth = 5;        // each stage may do this many times the steps of the one before
constexpr double kShareOfTime = 0.35;      // for prices
constexpr double kTimesSearch = 4;         // at most so long as the search took until then
constexpr double kMinSeconds = 0.5;        // with less for prices than a first round takes, none are made
constexpr double kMinShare = 0.5;          // prices are given up if they prove less of what the search proved
constexpr std::int64_t kWorkPerStep = 30;  // conjunctions visited for each step of the stage before
constexpr std::int64_t kMaxWork = 60'000'000;

}  // namespace

RowPriceStages::RowPriceStages(const RowPriceSource& source, std::int64_t first_steps, Control& control)
    : source_(source),
      control_(control),
      steps_(first_steps),
      end_(first_steps),
      last_(!source || first_steps >= control.limits().steps || kShareOfTime * control.limits().seconds < kMinSeconds) {
}

std::int64_t RowPriceStages::steps_left() const {
    return last_ ? kEndless - control_.steps() : std::max<std::int64_t>(0, end_ - control_.steps());
}

void RowPriceStages::next(Bounds& known) {
    const double max_seconds = kShareOfTime * control_.limits().seconds;
    const std::int64_t proven_by_search = known.lower;
    const double searched = control_.seconds() - prices_.seconds;
    prices_ = source_({std::max(0.0, std::min(max_seconds - prices_.seconds, kTimesSearch * searched)),
                       std::min(kWorkPerStep * steps_, kMaxWork - prices_.work), known.lower});
    known.lower = std::min(known.upper, std::max(known.lower, prices_.bound));
    control_.lower_bound(known.lower);
    if (control_.ended()) return;
    ++n_made_;
    steps_ *= kGrowth;
    end_ = control_.steps() + steps_;
    dropped_ = n_made_ > 1 && static_cast<double>(prices_.bound) < kMinShare * static_cast<double>(proven_by_search);
    last_ = dropped_ || prices_.done || prices_.work >= kMaxWork || prices_.seconds >= 0.99 * max_seconds ||
            end_ >= control_.limits().steps;
}

}  // namespace treewright::binary
