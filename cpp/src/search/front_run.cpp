// A run of the front: the points one after another, or what the cheapest tree at one leaf penalty needs; and its
// reports.
#include "treewright/search/front.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace treewright::binary {

template <class Acc>
void FrontSearch<Acc>::start() {
    if (settings_.options.greedy_start) return dive(subproblems_.root(), root_key_, root_);
    ArenaScope scope(arena_);
    const auto nothing = arena_.take<Acc>(k_);
    std::fill(nothing.begin(), nothing.end(), Acc{0});
    solve(subproblems_.root(), root_key_, nothing, root_);  // trees of depth two
}

// Some points at once where there are many: neighbours share so much that two cost little more than one.
template <class Acc>
std::size_t FrontSearch<Acc>::next_rung(std::size_t proven) const {
    return std::min(k_, proven < 4 ? 4 : proven + std::max<std::size_t>(1, proven / 4));
}

template <class Acc>
void FrontSearch<Acc>::run() {
    const auto largest = static_cast<std::uint64_t>(subproblems_.cheapest(subproblems_.root()));
    report_shift_ = std::max(0, static_cast<int>(std::bit_width(largest)) + static_cast<int>(std::bit_width(k_)) - 62);
    const double unit = std::ldexp(1.0, report_shift_) / static_cast<double>(k_);
    control_.units(unit, unit, static_cast<double>(data_.base_cost));
    start();
    announce();
    const auto goal = arena_.take<Acc>(k_);
    std::fill(goal.begin(), goal.end(), Acc{0});
    for (std::size_t proven = 0; proven < k_ && !control_.ended();) {
        const std::size_t next = next_rung(proven);
        // The bound rises evenly: a low goal is proven soon, and what is learned serves the next.
        for (const double share : {0.5, 0.75, 2.0}) {
            for (std::size_t l = proven; l < next; ++l)
                goal[l] = share > 1 ? kNoGoal : static_cast<Acc>(share * static_cast<double>(root_.upper[l]));
            solve(subproblems_.root(), root_key_, goal, root_);
            announce();
        }
        proven = next;
    }
}

// F5. Fewer leaves have the lower goals to prove and the fewer trees to try.
template <class Acc>
Bounds FrontSearch<Acc>::run_at_penalty(Bounds known) {
    at_penalty_ = true;
    known_ = known;
    announce();
    const std::int64_t unit = std::int64_t{1} << settings_.unit_shift;
    const auto goal = arena_.take<Acc>(k_);
    std::fill(goal.begin(), goal.end(), Acc{0});
    for (std::size_t proven = 0; proven < k_ && !control_.stopped() && !at_penalty().exact();) {
        const std::size_t next = next_rung(proven);
        for (const double share : {0.5, 0.75, 1.0}) {
            const std::int64_t best = at_penalty().upper;
            for (std::size_t l = proven; l < next; ++l) {
                // The least cost in weight units that gains nothing, rounded up.
                const std::int64_t left = best - settings_.leaf_penalty * static_cast<std::int64_t>(l + 1);
                const std::int64_t least = left <= 0 ? 0 : (left - 1) / unit + 1;
                const auto full = static_cast<Acc>(std::min<std::int64_t>(least, kNoGoal));
                goal[l] = share < 1 ? static_cast<Acc>(share * static_cast<double>(full)) : full;
            }
            solve(subproblems_.root(), root_key_, goal, root_);
            announce();
        }
        proven = next;
    }
    return at_penalty();
}

template <class Acc>
std::int64_t FrontSearch<Acc>::value(Acc cost, std::size_t leaves) const {
    if (cost >= kInfeasible<Acc>) return kInfinity;
    return (static_cast<std::int64_t>(cost) << settings_.unit_shift) +
           settings_.leaf_penalty * static_cast<std::int64_t>(leaves);
}

template <class Acc>
Bounds FrontSearch<Acc>::at_penalty() const {
    std::int64_t lower = kInfinity;
    std::int64_t upper = known_.upper;
    for (std::size_t l = 0; l < k_; ++l) {
        lower = std::min(lower, value(root_.lower[l], l + 1));
        upper = std::min(upper, value(root_.upper[l], l + 1));
    }
    return {std::min(upper, std::max(lower, known_.lower)), upper};
}

template <class Acc>
std::size_t FrontSearch<Acc>::cheapest_leaves() const {
    std::size_t best = 1;
    for (std::size_t l = 2; l <= k_; ++l)
        if (value(root_.upper[l - 1], l) < value(root_.upper[best - 1], best)) best = l;
    return best;
}

template <class Acc>
void FrontSearch<Acc>::announce() {
    if (!at_penalty_) return announce_mean();
    const Bounds now = at_penalty();
    control_.incumbent(now.upper);
    control_.lower_bound(now.lower);
}

// Reports the means over all numbers of leaves: as sums, shifted where these could pass 62 bits.
template <class Acc>
void FrontSearch<Acc>::announce_mean() {
    if (root_.upper[0] >= kInfeasible<Acc>) return;
    std::int64_t upper = 0;
    std::int64_t lower = 0;
    for (std::size_t l = 0; l < k_; ++l) {
        upper += static_cast<std::int64_t>(root_.upper[l]) >> report_shift_;
        lower += static_cast<std::int64_t>(root_.lower[l]) >> report_shift_;
    }
    control_.incumbent(upper);
    control_.lower_bound(lower);
}

template void FrontSearch<std::int32_t>::start();
template void FrontSearch<std::int32_t>::run();
template Bounds FrontSearch<std::int32_t>::run_at_penalty(Bounds);
template Bounds FrontSearch<std::int32_t>::at_penalty() const;
template std::size_t FrontSearch<std::int32_t>::cheapest_leaves() const;
template void FrontSearch<std::int32_t>::announce();
template void FrontSearch<std::int64_t>::start();
template void FrontSearch<std::int64_t>::run();
template Bounds FrontSearch<std::int64_t>::run_at_penalty(Bounds);
template Bounds FrontSearch<std::int64_t>::at_penalty() const;
template std::size_t FrontSearch<std::int64_t>::cheapest_leaves() const;
template void FrontSearch<std::int64_t>::announce();

}  // namespace treewright::binary
