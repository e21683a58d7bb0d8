// Trees over ranked columns for additive losses, for Python: arrays in, plain values out.
#include "ranked_search.hpp"
#include "treewright/objective/action_costs.hpp"
#include "treewright/objective/largest_numbers.hpp"
#include "treewright/objective/log_loss.hpp"
#include "treewright/objective/pinball.hpp"
#include "treewright/objective/simple_lines.hpp"
#include "treewright/objective/squared_error.hpp"
#include "treewright/objective/survival.hpp"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

namespace nb = nanobind;
using namespace treewright;
using namespace treewright::ranked;

namespace {

nb::dict squared_error(Run& run, Matrix<std::uint32_t> rank, Vector<std::int64_t> weight, Matrix<std::int64_t> weighted,
                       int shift, int tie_bits, std::int64_t leaf) {
    const auto table = std::make_shared<TargetTable>();
    TargetTable& data = *table;
    set_ranks(data, rank, weight.size(), run.min_leaf);
    if (weighted.shape(1) != weight.size() || weighted.shape(0) == 0)
        throw std::invalid_argument("squared_error: arrays of different lengths");
    if (leaf < 1 || leaf > largest::kLeaf || shift < 0 || shift > 96 || tie_bits < 0 || tie_bits > largest::kTieBits)
        throw std::invalid_argument("squared_error: units");
    data.n_outputs = static_cast<std::uint32_t>(weighted.shape(0));
    data.weight.assign(weight.data(), weight.data() + weight.size());
    data.weighted.resize(weighted.size());
    std::int64_t total = 0;
    for (const std::int64_t w : data.weight) {
        if (w < 0 || w > TargetTable::kLargestSum || (total += w) > TargetTable::kLargestSum)
            throw std::invalid_argument("squared_error: weights");
    }
    double squares = 0;
    for (std::uint32_t k = 0; k < data.n_outputs; ++k) {
        total = 0;
        for (std::uint32_t row = 0; row < data.n_rows; ++row) {
            const std::int64_t s = weighted.data()[std::size_t{k} * data.n_rows + row];
            data.weighted[std::size_t{row} * data.n_outputs + k] = s;
            if (s > TargetTable::kLargestSum || s < -TargetTable::kLargestSum || (data.weight[row] == 0 && s != 0) ||
                (total += s < 0 ? -s : s) > TargetTable::kLargestSum)
                throw std::invalid_argument("squared_error: targets too large");
            if (s != 0)
                squares += static_cast<double>(s) * static_cast<double>(s) / static_cast<double>(data.weight[row]);
        }
    }
    if (squares > std::ldexp(1.0, TargetTable::kSquareBits))
        throw std::invalid_argument("squared_error: squares too large");
    if (std::ldexp(squares, tie_bits - shift) > static_cast<double>(largest::kLoss))
        throw std::invalid_argument("squared_error: units too fine");
    const auto make = [&] {
        data.prepare();
        double spans = 0;  // of rows, where leaves have a least size
        for (const double loss : data.largest_loss) spans += std::ceil(std::ldexp(loss, -shift));
        if (std::ldexp(spans, tie_bits) > static_cast<double>(largest::kLoss))
            throw std::invalid_argument("squared_error: units too fine for what rows may lose");
        return std::make_unique<SquaredError>(table, shift, tie_bits, leaf);
    };
    return run_search(run, make);
}

nb::dict action_costs(Run& run, Matrix<std::uint32_t> rank, Matrix<std::int64_t> cost, int tie_bits,
                      std::int64_t leaf) {
    const auto table = std::make_shared<ActionTable>();
    ActionTable& data = *table;
    set_ranks(data, rank, cost.shape(0), run.min_leaf);
    if (cost.shape(1) == 0) throw std::invalid_argument("action_costs: no action");
    if (leaf < 1 || leaf > largest::kLeaf || tie_bits < 0 || tie_bits > largest::kTieBits)
        throw std::invalid_argument("action_costs: units");
    data.n_actions = static_cast<std::uint32_t>(cost.shape(1));
    data.cost.assign(cost.data(), cost.data() + cost.size());
    std::int64_t room = std::int64_t{1} << (59 - tie_bits);  // for the largest costs of all rows
    for (std::uint32_t row = 0; row < data.n_rows; ++row) {
        const auto* first = data.cost.data() + std::size_t{row} * data.n_actions;
        const auto [least, most] = std::minmax_element(first, first + data.n_actions);
        if (*least != 0) throw std::invalid_argument("action_costs: costs not reduced");
        if (*most > room) throw std::invalid_argument("action_costs: costs too large");
        room -= *most;
    }
    return run_over<ActionCosts>(run, table, tie_bits, leaf);
}

nb::dict survival(Run& run, Matrix<std::uint32_t> rank, Vector<std::int64_t> events, Vector<std::int64_t> hazard,
                  int scale, int tie_bits, std::int64_t leaf) {
    const auto table = std::make_shared<EventTable>();
    EventTable& data = *table;
    set_ranks(data, rank, events.size(), run.min_leaf);
    if (hazard.size() != events.size()) throw std::invalid_argument("survival: arrays of different lengths");
    if (leaf < 1 || leaf > largest::kLeaf || tie_bits < 0 || tie_bits > largest::kTieBits || scale < -60 || scale > 60)
        throw std::invalid_argument("survival: units");
    data.scale = scale;
    data.events.assign(events.data(), events.data() + events.size());
    data.hazard.assign(hazard.data(), hazard.data() + hazard.size());
    std::int64_t all_events = 0, all_hazard = 0;
    for (std::uint32_t row = 0; row < data.n_rows; ++row) {
        const std::int64_t d = data.events[row], h = data.hazard[row];
        if (d < 0 || h < d || d > EventTable::kLargestEvents || h > EventTable::kLargestHazard ||
            (all_events += d) > EventTable::kLargestEvents || (all_hazard += h) > EventTable::kLargestHazard)
            throw std::invalid_argument("survival: events or hazards");
    }
    // Terms, the constants of rows, and the costs of all leaves must fit.
    const double room = std::ldexp(1.0, 58 - tie_bits);
    if (data.largest_error() * 5.0 * static_cast<double>(data.n_rows) > room / 4 ||
        data.largest_term() > std::min(static_cast<double>(EventTable::kLargestTerm),
                                       std::ldexp(static_cast<double>(largest::kTerms), -tie_bits)))
        throw std::invalid_argument("survival: units too fine");
    return run_over<Survival>(run, table, tie_bits, leaf);
}

nb::dict log_loss(Run& run, Matrix<std::uint32_t> rank, Vector<std::uint32_t> label, Vector<std::int64_t> weight,
                  std::uint32_t n_classes, int scale, int tie_bits, std::int64_t leaf) {
    const auto table = std::make_shared<ClassTable>();
    ClassTable& data = *table;
    set_ranks(data, rank, label.size(), run.min_leaf);
    if (weight.size() != label.size()) throw std::invalid_argument("log_loss: arrays of different lengths");
    if (leaf < 1 || leaf > largest::kLeaf || tie_bits < 0 || tie_bits > largest::kTieBits || scale < -60 ||
        scale > 60 || n_classes == 0)
        throw std::invalid_argument("log_loss: units");
    data.n_classes = n_classes;
    data.scale = scale;
    data.label.assign(label.data(), label.data() + label.size());
    data.weight.assign(weight.data(), weight.data() + weight.size());
    std::int64_t all = 0;
    for (std::uint32_t row = 0; row < data.n_rows; ++row) {
        const std::int64_t w = data.weight[row];
        if (w < 0 || w > ClassTable::kLargestWeight || (all += w) > ClassTable::kLargestWeight ||
            data.label[row] >= n_classes)
            throw std::invalid_argument("log_loss: labels or weights");
    }
    // Terms, what rows have beside them, and the costs of all leaves must fit.
    const double room = std::ldexp(1.0, 58 - tie_bits);
    if (data.largest_error() * 5.0 * static_cast<double>(data.n_rows) > room / 4 ||
        std::ldexp(static_cast<double>(all) * std::log(static_cast<double>(all) + 1), scale) >
            std::min(static_cast<double>(ClassTable::kLargestTerm),
                     std::ldexp(static_cast<double>(largest::kTerms), -tie_bits)))
        throw std::invalid_argument("log_loss: units too fine");
    return run_over<LogLoss>(run, table, tie_bits, leaf);
}

nb::dict pinball(Run& run, Matrix<std::uint32_t> rank, Vector<std::int64_t> target, Vector<std::uint32_t> place,
                 Vector<std::int64_t> weight, std::int64_t up, std::int64_t down, int shift, int tie_bits,
                 std::int64_t leaf) {
    const auto table = std::make_shared<QuantileTable>();
    QuantileTable& data = *table;
    set_ranks(data, rank, place.size(), run.min_leaf);
    if (weight.size() != place.size()) throw std::invalid_argument("pinball: arrays of different lengths");
    if (leaf < 1 || leaf > largest::kLeaf || shift < 0 || shift > 96 || tie_bits < 0 || tie_bits > largest::kTieBits ||
        up < 1 || down < 1 || up > QuantileTable::kLargestFactor || down > QuantileTable::kLargestFactor - up)
        throw std::invalid_argument("pinball: units");
    data.up = up;
    data.down = down;
    data.target.assign(target.data(), target.data() + target.size());
    data.place.assign(place.data(), place.data() + place.size());
    data.weight.assign(weight.data(), weight.data() + weight.size());
    for (std::size_t v = 0; v < data.target.size(); ++v)
        if (data.target[v] < 0 || data.target[v] > QuantileTable::kLargestTarget ||
            (v > 0 && data.target[v] <= data.target[v - 1]))
            throw std::invalid_argument("pinball: targets");
    std::int64_t all = 0;
    Wide room = Wide{1} << (58 - tie_bits);  // for the largest losses of all rows
    for (std::uint32_t row = 0; row < data.n_rows; ++row) {
        if (data.place[row] >= data.target.size() || data.weight[row] < 1 ||
            data.weight[row] > QuantileTable::kLargestWeight ||
            (all += data.weight[row]) > QuantileTable::kLargestWeight)
            throw std::invalid_argument("pinball: places or weights");
        if ((room -= (data.largest_loss(row) >> shift) + 1) < 0) throw std::invalid_argument("pinball: units too fine");
    }
    return run_over<Pinball>(run, table, shift, tie_bits, leaf, run.options.target_bins);
}

nb::dict simple_lines(Run& run, Matrix<std::uint32_t> rank, Vector<std::int64_t> weight, Vector<std::int64_t> target,
                      Matrix<std::int64_t> value, int scale, int tie_bits, std::int64_t leaf) {
    const auto table = std::make_shared<LineTable>();
    LineTable& data = *table;
    set_ranks(data, rank, target.size(), run.min_leaf);
    if (weight.size() != target.size() || (value.shape(0) != 0 && value.shape(1) != target.size()))
        throw std::invalid_argument("simple_lines: arrays of different lengths");
    if (leaf < 1 || leaf > largest::kLeaf || tie_bits < 0 || tie_bits > 10 || scale < -200 || scale > 60)
        throw std::invalid_argument("simple_lines: units");
    data.n_lines = static_cast<std::uint32_t>(value.shape(0));
    data.scale = scale;
    data.weight.assign(weight.data(), weight.data() + weight.size());
    data.target.assign(target.data(), target.data() + target.size());
    std::int64_t all = 0;
    for (const std::int64_t w : data.weight)
        if (w < 1 || w > LineTable::kLargestWeight || (all += w) > LineTable::kLargestWeight)
            throw std::invalid_argument("simple_lines: weights");
    const std::int64_t largest = std::min(LineTable::kLargestNumber, LineTable::kLargestSum / all);
    data.value.resize(std::size_t{data.n_rows} * data.n_lines);
    double square = 0;  // about 0, so not below that about the mean
    for (std::uint32_t row = 0; row < data.n_rows; ++row) {
        const std::int64_t y = data.target[row];
        if (y > largest || y < -largest) throw std::invalid_argument("simple_lines: targets");
        square += static_cast<double>(data.weight[row]) * static_cast<double>(y) * static_cast<double>(y);
        for (std::uint32_t j = 0; j < data.n_lines; ++j) {
            const std::int64_t x = value.data()[std::size_t{j} * data.n_rows + row];
            if (x != LineTable::kMissing && (x > largest || x < -largest))
                throw std::invalid_argument("simple_lines: values");
            data.value[std::size_t{row} * data.n_lines + j] = x;
        }
    }
    if (std::ldexp(square, scale) > LineTable::kLargestLoss)
        throw std::invalid_argument("simple_lines: units too fine");
    return run_over<SimpleLines>(run, table, tie_bits, leaf);
}

}  // namespace

void bind_additive(nb::module_& m) {
    bind_search(m, "squared_error_solve", &squared_error,
                "Best tree for squared error over all splits of ranked columns; see treewright.search._additive.",
                "rank", "weight", "weighted", "shift", "tie_bits", "leaf");
    bind_search(m, "action_costs_solve", &action_costs,
                "Best tree of actions over all splits of ranked columns; see treewright.search._additive.", "rank",
                "cost", "tie_bits", "leaf");
    bind_search(m, "survival_solve", &survival,
                "Best survival tree over all splits of ranked columns; see treewright.search._additive.", "rank",
                "events", "hazard", "scale", "tie_bits", "leaf");
    bind_search(
        m, "log_loss_solve", &log_loss,
        "Best probability tree for log loss over all splits of ranked columns; see treewright.search._additive.",
        "rank", "label", "weight", "n_classes", "scale", "tie_bits", "leaf");
    bind_search(m, "pinball_solve", &pinball,
                "Best tree of quantiles over all splits of ranked columns; see treewright.search._additive.", "rank",
                "target", "place", "weight", "up", "down", "shift", "tie_bits", "leaf");
    bind_search(
        m, "simple_lines_solve", &simple_lines,
        "Best tree of lines in one column over all splits of ranked columns; see treewright.search._simple_lines.",
        "rank", "weight", "target", "value", "scale", "tie_bits", "leaf");
}
