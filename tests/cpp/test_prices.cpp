// suggest_violations and bound_violations against a list of all conjunctions.
#include "check.hpp"
#include "made_input.hpp"
#include "treewright/bounds/row_prices.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

using namespace treewright::binary;

namespace {

constexpr int kShift = 3;

// The largest sum of (price - cost of one class) over all conjunctions of at most `depth` literals.
std::int64_t largest(const Dataset& data, const std::vector<std::int64_t>& prices,
                     const std::vector<std::uint32_t>& rows, std::size_t first, std::int32_t depth) {
    std::int64_t best = 0;
    for (std::size_t k = 0; k < data.n_classes; ++k) {
        std::int64_t sum = 0;
        for (const std::uint32_t r : rows) sum += prices[r] - (data.cost[r * data.n_classes + k] << kShift);
        best = std::max(best, sum);
    }
    if (depth == 0) return best;
    for (std::size_t j = first; j < data.n_columns; ++j)
        for (const bool one : {false, true}) {
            std::vector<std::uint32_t> inside;
            for (const std::uint32_t r : rows)
                if (data.bit(r, j) == one) inside.push_back(r);
            if (!inside.empty()) best = std::max(best, largest(data, prices, inside, j + 1, depth - 1));
        }
    return best;
}

// Every conjunction found breaks (*) and comes with its cheapest cost.
void check_finds(const Dataset& data, const std::vector<std::int64_t>& prices, std::int64_t leaf_penalty,
                 const Violations& found) {
    std::int64_t begin = 0;
    for (std::size_t f = 0; f < found.ends.size(); ++f) {
        std::int64_t paid = 0;
        std::vector<std::int64_t> cost(data.n_classes, 0);
        for (std::int64_t at = begin; at < found.ends[f]; ++at) {
            const std::uint32_t r = found.rows[static_cast<std::size_t>(at)];
            paid += prices[r];
            for (std::size_t k = 0; k < data.n_classes; ++k) cost[k] += data.cost[r * data.n_classes + k];
        }
        begin = found.ends[f];
        const std::int64_t cheapest = *std::min_element(cost.begin(), cost.end());
        check(cheapest == found.cheapest[f], "its cheapest class");
        check(paid > leaf_penalty + (cheapest << kShift), "what was found is a violation");
    }
}

// Prices and costs that sums of 32 bits hold only in coarser units: the bound holds, and is near the largest gain.
void large_numbers(Dice& dice) {
    treewright::Control control{treewright::Limits{}};
    for (int trial = 0; trial < 200; ++trial) {
        const MadeInput in(dice, 1 + dice.below(6), 1 + dice.below(40), 2 + dice.below(2), std::int64_t{1} << 40);
        const Dataset data = reduce(in.view());
        std::vector<std::int64_t> prices;
        std::vector<std::uint32_t> all;
        std::int64_t total = 0;
        for (std::uint32_t r = 0; r < data.n_rows; ++r) {
            prices.push_back(static_cast<std::int64_t>((std::uint64_t{dice.below(40)} << 40) + dice.below(1 << 30)));
            total += prices.back();
            all.push_back(r);
        }
        const std::int64_t expected = largest(data, prices, all, 0, static_cast<std::int32_t>(data.n_columns));
        const Pricing pricing{data, prices, 0, kShift, 1 << 20};
        const std::int64_t worst = bound_violations(pricing, 0, 1 << 20, control).worst;
        check(expected <= worst, "no gain is above the bound");
        check(worst - expected <= total / 1'000'000, "the bound is near");
        check(suggest_violations(pricing, 2, control).worst <= worst, "suggestions exist");
    }
}

}  // namespace

int main() {
    Dice dice(6);
    treewright::Control control{treewright::Limits{}};
    std::int64_t saved = 0;  // visits
    for (int trial = 0; trial < 400; ++trial) {
        const MadeInput in(dice, 1 + dice.below(7), 1 + dice.below(40), 2 + dice.below(2));
        const Dataset data = reduce(in.view());
        std::vector<std::int64_t> prices;
        std::vector<std::uint32_t> all;
        for (std::uint32_t r = 0; r < data.n_rows; ++r) {
            prices.push_back(static_cast<std::int64_t>(dice.below(40)));
            all.push_back(r);
        }
        const auto leaf_penalty = static_cast<std::int64_t>(dice.below(60));
        const bool limited = dice.coin();
        const std::int32_t depth =
            limited ? static_cast<std::int32_t>(dice.below(4)) : static_cast<std::int32_t>(data.n_columns);
        const std::int64_t expected = largest(data, prices, all, 0, depth);
        const Pricing pricing{data, prices, leaf_penalty, kShift, limited ? depth : 1 << 20};
        const Violations whole = bound_violations(pricing, leaf_penalty, 1 << 20, control);
        Pricing plain = pricing;
        plain.shared_losses = false;
        const Violations without = bound_violations(plain, leaf_penalty, 1 << 20, control);
        check(without.worst == whole.worst && whole.explored <= without.explored, "shared losses only save visits");
        saved += without.explored - whole.explored;
        check(whole.complete, "explored to the end");
        check(whole.worst == std::max(expected, leaf_penalty), "the largest gain");
        check_finds(data, prices, leaf_penalty, whole);
        check(whole.ends.empty() == (expected <= leaf_penalty), "a violation is found where there is one");
        check_finds(data, prices, leaf_penalty, suggest_violations(pricing, 1 + dice.below(4), control));
        check(suggest_violations(pricing, 2, control).worst <= std::max(expected, std::int64_t{0}),
              "suggestions exist");
        const std::int64_t bar = leaf_penalty + static_cast<std::int64_t>(dice.below(100));
        check(bound_violations(pricing, bar, 1 << 20, control).worst == std::max(expected, bar), "up to the bar");
        for (const std::int64_t most : {1, 2, 5, 20})
            check(expected <= bound_violations(pricing, leaf_penalty, most, control).worst,
                  "cut short, `worst` still holds");
    }
    large_numbers(dice);
    check(saved > 0, "shared losses save visits");
    std::puts("prices: ok");
}
