// Under sanitizers: searches at the largest numbers that the bindings let in (objective/largest_numbers.hpp). Whatever
// passes 64 bits ends the test; and searches with other switches must find the same optimum.
#include "check.hpp"
#include "ranked_search.hpp"
#include "treewright/core/cost_units.hpp"
#include "treewright/objective/action_costs.hpp"
#include "treewright/objective/largest_numbers.hpp"
#include "treewright/objective/misclassification.hpp"
#include "treewright/objective/squared_error.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <random>
#include <vector>

using namespace treewright;
using namespace treewright::ranked;

namespace {

using Random32 = std::mt19937;

constexpr std::uint32_t kRows = 24;

std::int64_t below(Random32& random, std::int64_t most) {
    return static_cast<std::int64_t>((std::uint64_t{random()} << 32 | random()) % static_cast<std::uint64_t>(most));
}

void fill(RankedTable& table, Random32& random) {
    table.n_rows = kRows;
    table.n_columns = 2;
    table.min_leaf = 1 + static_cast<std::uint32_t>(below(random, 2));
    for (std::uint32_t i = 0; i < 2 * kRows; ++i) table.rank.push_back(static_cast<std::uint32_t>(below(random, 9)));
}

// Parts of `total`, one for each row: nearly equal, or nearly all of it in one row.
std::vector<std::int64_t> parts_of(Random32& random, std::int64_t total) {
    std::vector<std::int64_t> parts(kRows, 1);
    const bool equal = below(random, 2) == 0;
    if (equal) std::fill(parts.begin(), parts.end(), total / kRows);
    parts[static_cast<std::size_t>(below(random, kRows))] += total - (equal ? total / kRows : 1) * kRows;
    return parts;
}

Cost a_leaf(Random32& random, Cost most) { return below(random, 2) == 0 ? most : 1 + below(random, most); }

std::unique_ptr<RankedObjective> misclassification(Random32& random) {
    const auto table = std::make_shared<LabelledTable>();
    fill(*table, random);
    table->n_classes = 2 + static_cast<std::uint32_t>(below(random, 2));
    for (const std::int64_t w : parts_of(random, largest::kClassTotal - 1)) {
        table->label.push_back(static_cast<std::uint16_t>(below(random, table->n_classes)));
        table->weight.push_back(static_cast<std::int32_t>(w));
    }
    for (std::uint32_t y = 0; y < table->n_classes; ++y)
        for (std::uint32_t k = 0; k < table->n_classes; ++k) table->cost.push_back(y == k ? 0 : 1);
    table->prepare();
    const Cost unit = largest::kClassCost / (largest::kClassTotal - 1);
    return std::make_unique<Misclassification>(table, unit, a_leaf(random, largest::kClassCost));
}

std::unique_ptr<RankedObjective> squared_error(Random32& random) {
    const auto table = std::make_shared<TargetTable>();
    fill(*table, random);
    table->n_outputs = 1 + static_cast<std::uint32_t>(below(random, 2));
    const bool compact = below(random, 2) == 0;  // weights of one
    table->weight = compact ? std::vector<std::int64_t>(kRows, 1) : parts_of(random, TargetTable::kLargestSum);
    table->weighted.resize(std::size_t{kRows} * table->n_outputs);
    for (std::uint32_t k = 0; k < table->n_outputs; ++k) {
        const std::vector<std::int64_t> parts = parts_of(random, TargetTable::kLargestSum);
        for (std::uint32_t row = 0; row < kRows; ++row)
            table->weighted[row * table->n_outputs + k] = below(random, 2) == 0 ? parts[row] : -parts[row];
    }
    double squares = 0;
    for (std::size_t at = 0; at < table->weighted.size(); ++at) {
        const auto s = static_cast<double>(table->weighted[at]);
        squares += s * s / static_cast<double>(table->weight[at / table->n_outputs]);
    }
    table->prepare();
    const int tie_bits = 6;
    int shift = 0;
    const auto fits = [&] {
        double spans = 0;  // of rows, where leaves have a least size
        for (const double loss : table->largest_loss) spans += std::ceil(std::ldexp(loss, -shift));
        const double most = std::max(std::ldexp(squares, -shift), spans);
        return std::ldexp(most, tie_bits) <= static_cast<double>(largest::kLoss);
    };
    while (!fits()) ++shift;
    return std::make_unique<SquaredError>(table, shift, tie_bits, a_leaf(random, largest::kLeaf));
}

std::unique_ptr<RankedObjective> action_costs(Random32& random) {
    const auto table = std::make_shared<ActionTable>();
    fill(*table, random);
    table->n_actions = 3;
    for (const std::int64_t most : parts_of(random, std::int64_t{1} << 53)) {
        const auto zero = static_cast<std::size_t>(below(random, 3));
        for (std::size_t action = 0; action < 3; ++action) table->cost.push_back(action == zero ? 0 : most);
    }
    table->prepare();
    return std::make_unique<ActionCosts>(table, 6, a_leaf(random, largest::kLeaf));
}

std::unique_ptr<RankedObjective> pinball(Random32& random) {
    const auto table = std::make_shared<QuantileTable>();
    fill(*table, random);
    table->up = 1 + below(random, QuantileTable::kLargestFactor - 1);
    table->down = QuantileTable::kLargestFactor - table->up;
    table->target = {0, 1, QuantileTable::kLargestTarget / 2, QuantileTable::kLargestTarget};
    table->weight = parts_of(random, QuantileTable::kLargestWeight);
    for (std::uint32_t row = 0; row < kRows; ++row)
        table->place.push_back(static_cast<std::uint32_t>(below(random, 4)));
    table->prepare();
    const int tie_bits = 6;
    const auto fits = [&](int shift) {
        Wide room = Wide{1} << (58 - tie_bits);
        for (std::uint32_t row = 0; row < kRows; ++row) room -= (table->largest_loss(row) >> shift) + 1;
        return room >= 0;
    };
    int shift = 0;
    while (!fits(shift)) ++shift;
    return std::make_unique<Pinball>(table, shift, tie_bits, a_leaf(random, largest::kLeaf));
}

std::unique_ptr<RankedObjective> survival(Random32& random) {
    const auto table = std::make_shared<EventTable>();
    fill(*table, random);
    table->events = parts_of(random, EventTable::kLargestEvents);
    // Hazards are no less than their row's events: what is left over goes to one row.
    table->hazard = table->events;
    table->hazard[static_cast<std::size_t>(below(random, kRows))] +=
        EventTable::kLargestHazard - EventTable::kLargestEvents;
    const int tie_bits = 6;
    const auto most = static_cast<double>(std::min(EventTable::kLargestTerm, largest::kTerms >> tie_bits));
    table->scale = 60;
    while (table->largest_term() > most) --table->scale;
    table->prepare();
    return std::make_unique<Survival>(table, tie_bits, a_leaf(random, largest::kLeaf));
}

std::unique_ptr<RankedObjective> log_loss(Random32& random) {
    const auto table = std::make_shared<ClassTable>();
    fill(*table, random);
    table->n_classes = 3;
    table->weight = parts_of(random, ClassTable::kLargestWeight);
    for (std::uint32_t row = 0; row < kRows; ++row)
        table->label.push_back(static_cast<std::uint32_t>(below(random, 3)));
    const int tie_bits = 6;
    const auto most = static_cast<double>(std::min(ClassTable::kLargestTerm, largest::kTerms >> tie_bits));
    const double terms = std::ldexp(1.0, 50) * std::log(std::ldexp(1.0, 50) + 1);
    table->scale = 60;
    while (std::ldexp(terms, table->scale) > most) --table->scale;
    table->prepare();
    return std::make_unique<LogLoss>(table, tie_bits, a_leaf(random, largest::kLeaf));
}

// Units of binary columns: all costs and a leaf stay where the bounds expect them, at any leaf penalty.
void check_binary_units(Random32& random) {
    for (const std::int64_t total :
         {largest::kBinaryTotal, largest::kBinaryTotal - 1, std::int64_t{1}, std::int64_t{0}})
        for (const double penalty : {0.0, 1e-300, 0.5, 1e18, 1e300, static_cast<double>(below(random, 1 << 30))}) {
            const binary::Units units = binary::Units::make(total, penalty);
            check((total << units.shift) <= largest::kBinaryTotal, "costs within their cap");
            check(units.leaf_penalty >= 0 && units.leaf_penalty <= largest::kBinaryTotal + 3, "a leaf within its cap");
        }
}

}  // namespace

int main() {
    Random32 random(29);
    const std::vector<std::function<std::unique_ptr<RankedObjective>(Random32&)>> objectives = {
        misclassification, squared_error, action_costs, pinball, survival, log_loss};
    for (const auto& make : objectives)
        for (int round = 0; round < 12; ++round) {
            const std::unique_ptr<RankedObjective> objective = make(random);
            const Size size{1 + static_cast<std::uint32_t>(below(random, 4)), Size::kAny};
            const Cost best = solve(*objective, Options{}, size, {}).upper;
            check(best >= 1 && best < kNoCost, "a cost below kNoCost");
            check_variants(random, *objective, size, best);
        }
    check_binary_units(random);
    std::printf("the largest numbers fit\n");
    return 0;
}
