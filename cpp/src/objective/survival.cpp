#include "treewright/objective/survival.hpp"

#include "treewright/kernels/survival_pairs.hpp"
#include "treewright/objective/floor_of.hpp"
#include "treewright/objective/logarithms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace treewright::ranked {

// D is exact (below 2^53). H as a double and the quotient are off by less than u = 2^-53 each, and the power of two is
// exact, so the logarithm is of a number off by less than 2.01 u, as logarithms.hpp asks. It is at least 1, but for
// that, since H / D is at least the least quotient of a row; and at most the largest one where every row has an event,
// else at most H of all rows. The sum K is below 2^53, exact, and the difference adds one rounding, of less than half a
// unit while both are below 2^53.
double EventTable::largest_error() const { return times_log_error(all_events(), log_most(), scale); }

double EventTable::largest_term() const { return std::ldexp(all_events() * (log_most() + 1), scale); }

double EventTable::all_events() const {
    return static_cast<double>(std::accumulate(events.begin(), events.end(), std::int64_t{0}));
}

double EventTable::log_most() const {
    double most = 1;
    std::int64_t all_hazard = 0;
    bool censored = false;
    for (std::uint32_t row = 0; row < n_rows; ++row) {
        all_hazard += hazard[row];
        if (events[row] > 0)
            most = std::max(most, static_cast<double>(hazard[row]) / static_cast<double>(events[row]));
        else
            censored = censored || hazard[row] > 0;
    }
    return std::log((censored ? static_cast<double>(all_hazard) : most) / power_below_quotients());
}

double EventTable::power_below_quotients() const {
    double least = std::numeric_limits<double>::infinity();
    for (std::uint32_t row = 0; row < n_rows; ++row)
        if (events[row] > 0)
            least = std::min(least, static_cast<double>(hazard[row]) / static_cast<double>(events[row]));
    return std::isfinite(least) ? std::ldexp(1.0, std::ilogb(least)) : 1;
}

void EventTable::prepare() {
    RankedTable::prepare();
    per_event = power_below_quotients();
    slack = static_cast<std::int64_t>(std::ceil(largest_error()));
    units = std::ldexp(1.0, scale);
    constant.resize(n_rows);
    for (std::uint32_t row = 0; row < n_rows; ++row) {
        // At most the true number: the computed one less its largest error, rounded down.
        const std::int64_t own = events[row] == 0 ? 0 : floor_of(events_times_log(events[row], hazard[row])) - slack;
        constant[row] = own - 4 * slack;
    }
}

void EventTable::take(const EventTable& other, std::span<const std::uint32_t> rows) {
    RankedTable::take(other, rows);
    scale = other.scale;
    per_event = other.per_event;
    slack = other.slack;
    units = other.units;
    events = of_rows(rows, other.events);
    hazard = of_rows(rows, other.hazard);
    constant = of_rows(rows, other.constant);
    RankedTable::prepare();
}

Survival::Survival(std::shared_ptr<const EventTable> data, int tie_bits, Cost leaf_penalty)
    : TableObjective(data, leaf_penalty, 1, kSums, {true, true, false}), tie_bits_(tie_bits) {}

Cost Survival::loss_cost(std::int64_t events, std::int64_t hazard, std::int64_t constant) const {
    const double term = events == 0 ? 0.0 : data_->events_times_log(events, hazard);
    return static_cast<Cost>(floor_of(term - static_cast<double>(constant + 3 * data_->slack))) << tie_bits_;
}

Stump Survival::best_stump(const Node& node) const {
    const EventTable& data = *data_;
    Stump best{leaf_cost(node), Stump::kLeaf, 0};
    if (best.cost <= 2 * leaf_penalty()) return best;
    for (std::size_t c = 0; c < node.columns.size(); ++c) {
        std::int64_t events = 0, hazard = 0, constant = 0;
        const auto cost_here = [&] {
            return loss_cost(events, hazard, constant) +
                   loss_cost(node.sums[kEvents] - events, node.sums[kHazard] - hazard,
                             node.sums[kConstant] - constant) +
                   2 * leaf_penalty();
        };
        const auto move = [&](std::uint32_t row) {
            events += data.events[row];
            hazard += data.hazard[row];
            constant += data.constant[row];
        };
        walk(
            node, c, best, cost_here, move, [&](std::uint32_t row) { return data.events.data() + row; },
            [&](std::uint32_t row) { return data.hazard.data() + row; },
            [&](std::uint32_t row) { return data.constant.data() + row; });
    }
    return best;
}

std::unique_ptr<PairSolver> Survival::pair_solver(const Options& options, Control& control) const {
    if (const std::optional<TwoSums> sums = two_sums())
        return std::make_unique<SurvivalPairs>(*this, *sums, options, control);
    return RankedObjective::pair_solver(options, control);
}

// Let h' = h / v, rounded to a whole number, v = 2^shift. For m of the rows with sum H >= n v, n all rows, v H' is off
// by at most m v / 2 <= H / 2, so |log(v H') - log H| <= 2 (m v / 2) / H, and D log(v H' / D) is off by at most
//     D / H m v <= m v max(d_i / h_i),
// for a quotient of sums is no larger than the largest quotient; D log v is the same for every tree. Over the leaves of
// a tree that adds up to n v max(d_i / h_i). H >= n v is asked of each row with an event. The moment kernel adds 3e-11
// D (moment_kernel.hpp); the integer loss computes each D log(H / D) with an error of a slack, and floors it.
std::optional<TwoSums> Survival::two_sums() const {
    const EventTable& data = *data_;
    std::int64_t all_events = 0, all_hazard = 0;
    for (std::uint32_t row = 0; row < data.n_rows; ++row)
        all_events += data.events[row], all_hazard += data.hazard[row];
    int shift = 0;
    while ((all_hazard >> shift) > (std::int64_t{1} << 52) - data.n_rows) ++shift;
    const double v = std::ldexp(1.0, shift), n = data.n_rows;
    TwoSums sums;
    sums.form = TwoSums::Form::events_log;
    sums.b_unit = v / data.per_event;
    double steepest = 0;
    for (std::uint32_t row = 0; row < data.n_rows; ++row) {
        const double d = static_cast<double>(data.events[row]), h = static_cast<double>(data.hazard[row]);
        sums.a.push_back(d);
        sums.b.push_back(static_cast<double>((data.hazard[row] + (std::int64_t{1} << shift >> 1)) >> shift));
        if (d == 0) continue;
        if (shift > 0 && h < n * v) return std::nullopt;
        steepest = std::max(steepest, d / h);
    }
    const double slack = static_cast<double>(data.slack);
    sums.unit = std::ldexp(1.0, data.scale);
    sums.tie_bits = tie_bits_;
    sums.leaf = (std::ldexp(static_cast<double>(leaf_penalty()), -tie_bits_) - 3 * slack) / sums.unit;
    const double rounded = shift > 0 ? n * v * steepest : 0;
    sums.error = (rounded + 4e-11 * static_cast<double>(all_events)) * sums.unit * (1 + 1e-9);
    sums.leaf_error = slack + 2;
    return sums;
}

}  // namespace treewright::ranked
