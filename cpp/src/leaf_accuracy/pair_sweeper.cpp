#include "treewright/leaf_accuracy/pair_sweeper.hpp"

#include "leaf_accuracy/rule.hpp"

#include <algorithm>
#include <atomic>
#include <tuple>

namespace treewright::leaf_accuracy {

namespace {

constexpr std::uint32_t kNone = 0xffffffffu;
constexpr std::size_t kStepsPerUnit = 2000;  // rows x columns of a pass per unit of clock checks, some 20 microseconds
constexpr std::size_t kSumsPerUnit = 2000;   // rows x classes of a column that is sorted and summed
constexpr std::int64_t kLeastWork = 20;      // units of a round that threads divide
constexpr std::size_t kFilterShare = 16;     // a node of so small a share of the rows is sorted, not filtered

}  // namespace

void PairSweeper::solve(const Node& node, const Target& target, Count own_deficit, Count wanted, PairAnswer& answer,
                        const Confirm& confirm, const Threads& threads) {
    if (!prepare(node, answer)) return;
    const std::size_t n_splits = answer.splits.size();
    lower_.assign(n_splits, 0);
    for (std::size_t i = 0; i < n_splits; ++i)
        for (const bool is_left : {true, false}) {
            const Count rows = is_left ? position_[i] : node.n() - position_[i];
            const Count own = leaf(target, nullptr, node, i, is_left);
            if (own > 0 && rows < 2 * target.min_leaf)  // as in Search::open_column
                (is_left ? lower_.left : lower_.right)[i] =
                    rows < target.min_leaf ? target.size_rate * (target.min_leaf - rows)
                                           : std::min(own, target.size_rate * (target.min_leaf - rows / 2));
        }
    // No more can be proven than the least sum found, or the node's own deficit.
    std::atomic<Count> enough = std::min(wanted, own_deficit);
    const auto work = static_cast<std::int64_t>(1 + node.rows.size() * varying_.size() / kStepsPerUnit);
    std::atomic<bool> more = true;
    std::atomic<std::size_t> next;
    const auto sweep = [&](Desk& desk, Control& control) {
        for (std::size_t at; enough > 0 && (at = next++) < columns_.size();) {
            const Column& column = columns_[at];
            for (std::size_t i = column.first; i < column.last; ++i)
                open_[i] = exact_[i] == 0 && lower_.left[i] + lower_.right[i] < enough;
            choose(column, desk);
            if (desk.chosen.empty()) continue;
            more = true;
            if (control.step(work)) return;
            desk.work_done += work;
            pass(node, target, nullptr, column, desk, lower_);
            for (const std::size_t i : desk.chosen) {
                exact_[i] = 1;
                if (confirm && lower_.left[i] + lower_.right[i] == 0)
                    std::tie(lower_.left[i], lower_.right[i]) = confirm(i);
                const Count sum = lower_.left[i] + lower_.right[i];
                for (Count least = enough; sum < least && !enough.compare_exchange_weak(least, sum);) {}
            }
            spread(target, column.first, column.last);
        }
    };
    while (more && enough > 0 && !control_.stopped()) {
        more = false;
        next = 0;
        if (threads && !confirm && static_cast<std::int64_t>(columns_.size()) * work >= kLeastWork)
            threads(sweep);
        else
            sweep(desk_, control_);
    }
    answer.least = kNoCost;
    answer.left = lower_.left;
    answer.right = lower_.right;
    for (std::size_t i = 0; i < n_splits; ++i) {
        answer.least = std::min(answer.least, answer.sum(i));
        if (exact_[i] != 0) continue;
        answer.left[i] = std::max<Count>(answer.left[i], 1);
        answer.right[i] = std::max<Count>(answer.right[i], 1);
    }
}

void PairSweeper::solve_costs(const Node& node, const Target& target, const CostRates& rates, Count budget,
                              PairAnswer& answer, Count& relaxed, const Settle& settle) {
    relaxed = 0;
    if (!prepare(node, answer)) return;
    const std::size_t n_splits = answer.splits.size();
    lower_.assign(n_splits, 0);
    cost_.assign(n_splits, kNoCost);
    floor_.assign(n_splits, rates.leaf);
    Count best = budget;
    if (!settle && target.deficit(node.total, node.largest, node.n()) == 0)
        best = std::min(best, rates.unit * (node.total - node.largest) + rates.leaf);
    const auto work = static_cast<std::int64_t>(1 + 3 * node.rows.size() * varying_.size() / kStepsPerUnit);
    bool more = true;
    while (more && !control_.stopped()) {
        more = false;
        for (const Column& column : columns_) {
            for (std::size_t i = column.first; i < column.last; ++i)
                open_[i] =
                    exact_[i] == 0 && lower_.left[i] + lower_.right[i] == 0 && floor_.left[i] + floor_.right[i] < best;
            choose(column, desk_);
            if (desk_.chosen.empty()) continue;
            if (control_.step(work)) break;
            desk_.work_done += work;
            more = true;
            pass(node, target, nullptr, column, desk_, lower_);
            pass(node, target, &rates, column, desk_, cost_);
            pass(node, Target::none(), &rates, column, desk_, floor_);
            for (const std::size_t i : desk_.chosen) {
                exact_[i] = 1;
                const Count sum = cost_.left[i] + cost_.right[i];
                if (sum >= best) continue;
                if (settle) {
                    settled_[i] = 1;
                    best = std::min(best, settle(i));
                } else {
                    best = sum;
                }
            }
            spread(target, column.first, column.last);
            spread_floors(rates, column.first, column.last);
        }
    }
    answer.least = kNoCost;
    answer.left = cost_.left;
    answer.right = cost_.right;
    relaxed = rates.unit * (node.total - node.largest) + rates.leaf;
    for (std::size_t i = 0; i < n_splits; ++i) {
        const Count floor = floor_.left[i] + floor_.right[i];
        relaxed = std::min(relaxed, floor);
        const bool fails = lower_.left[i] + lower_.right[i] > 0;
        if (!fails && settled_[i] == 0) answer.least = std::min(answer.least, exact_[i] != 0 ? answer.sum(i) : floor);
    }
}

bool PairSweeper::prepare(const Node& node, PairAnswer& answer) {
    const std::size_t n = node.rows.size(), n_rows = data_.n_rows(), n_classes = data_.n_classes();
    place_.assign(n_rows, kNone);
    label_.resize(n);
    weight_.resize(n);
    for (std::uint32_t k = 0; k < n; ++k) {
        const std::uint32_t row = node.rows[k];
        place_[row] = k;
        label_[k] = data_.table.label[row];
        weight_[k] = data_.table.weight[row];
    }
    orders_.resize(data_.table.n_columns);
    varying_.clear();
    columns_.clear();
    position_.clear();
    left_sum_.clear();
    answer.splits.clear();
    answer.left.clear();
    answer.right.clear();
    answer.least = 0;
    std::vector<Count> sum(n_classes);
    const auto work = static_cast<std::int64_t>(1 + n * n_classes / kSumsPerUnit);
    for (std::uint32_t c = 0; c < data_.table.n_columns; ++c) {
        if (control_.poll(work)) {
            answer.splits.clear();
            return false;
        }
        std::vector<std::uint32_t>& order = orders_[c];
        order.clear();
        const std::uint32_t* rank = &data_.table.rank[std::size_t{c} * n_rows];
        if (n * kFilterShare >= n_rows) {
            const std::uint32_t* all = data_.order(c);
            for (std::size_t i = 0; i < n_rows; ++i)
                if (const std::uint32_t row = ranked::row_of(all[i]); place_[row] != kNone) order.push_back(row);
        } else {
            keyed_.resize(n);
            for (std::size_t k = 0; k < n; ++k) keyed_[k] = (std::uint64_t{rank[node.rows[k]]} << 32) | node.rows[k];
            std::sort(keyed_.begin(), keyed_.end());
            for (const std::uint64_t key : keyed_) order.push_back(static_cast<std::uint32_t>(key));
        }
        const std::size_t first = answer.splits.size();
        std::fill(sum.begin(), sum.end(), 0);
        std::uint32_t before = 0;
        for (std::uint32_t i = 0; i < n; ++i) {
            const std::uint32_t row = order[i];
            const bool starts = i > 0 && rank[row] != before;
            if (starts) {
                answer.splits.push_back({c, before + 1});
                position_.push_back(i);
                left_sum_.insert(left_sum_.end(), sum.begin(), sum.end());
            }
            before = rank[row];
            sum[data_.table.label[row]] += data_.table.weight[row];
            order[i] = 2 * place_[row] + (starts ? 1u : 0u);
        }
        if (answer.splits.size() == first) continue;
        columns_.push_back({c, first, answer.splits.size()});
        varying_.push_back(order.data());
    }
    exact_.assign(answer.splits.size(), 0);
    settled_.assign(answer.splits.size(), 0);
    open_.assign(answer.splits.size(), 0);
    return true;
}

void PairSweeper::choose(const Column& column, Desk& desk) const {
    desk.candidates.clear();
    desk.chosen.clear();
    for (std::size_t i = column.first; i < column.last; ++i)
        if (open_[i] != 0) desk.candidates.push_back(i);
    const std::size_t n = desk.candidates.size(), lanes = std::min(n, kMaxLanes);
    for (std::size_t k = 0; k < lanes; ++k) desk.chosen.push_back(desk.candidates[(2 * k + 1) * n / (2 * lanes)]);
}

void PairSweeper::pass(const Node& node, const Target& target, const CostRates* rates, const Column& column, Desk& desk,
                       Bounds& out) const {
    const PairTableKernels& kernels = pair_table_kernels(simd());
    ++desk.n_passes;
    desk.bucket.resize(node.rows.size());
    const std::vector<std::uint32_t>& order = orders_[column.order];
    std::size_t lane = 0;
    for (std::uint32_t i = 0; i < order.size(); ++i) {
        while (lane < desk.chosen.size() && position_[desk.chosen[lane]] <= i) ++lane;
        desk.bucket[order[i] >> 1] = static_cast<std::uint8_t>(lane);
    }
    if (rule_fits_narrow(target, rates, data_.total))
        run(node, target, rates, kernels.narrow_sweep, desk, desk.narrow, out);
    else
        run(node, target, rates, kernels.wide_sweep, desk, desk.wide, out);
}

template <class T>
void PairSweeper::run(const Node& node, const Target& target, const CostRates* rates, SweepKernel<T> kernel, Desk& desk,
                      Lanes<T>& lanes, Bounds& out) const {
    const std::vector<std::size_t>& chosen = desk.chosen;
    const std::size_t n_classes = data_.n_classes(), n_channels = n_classes + (data_.unit_weights ? 0 : 1);
    const LeafRule<T> rule = make_rule<T>(target, rates);
    lanes.left_total.assign(n_channels * kMaxLanes, T{0});
    lanes.sums.assign((n_channels + 1) * kMaxLanes + n_channels, T{0});
    lanes.total.assign(n_channels, T{0});
    lanes.left_best.assign(kMaxLanes, T{0});
    lanes.right_best.assign(kMaxLanes, T{0});
    for (std::size_t k = 0; k < n_classes; ++k) lanes.total[k] = static_cast<T>(node.weight[k]);
    if (!data_.unit_weights) lanes.total[n_classes] = static_cast<T>(node.n());
    const auto number = [&](Count value) { return value >= kNoCost ? rule.none : static_cast<T>(value); };
    for (std::size_t lane = 0; lane < chosen.size(); ++lane) {
        const std::size_t i = chosen[lane];
        for (std::size_t k = 0; k < n_classes; ++k)
            lanes.left_total[k * kMaxLanes + lane] = static_cast<T>(left_sum_[i * n_classes + k]);
        if (!data_.unit_weights) lanes.left_total[n_classes * kMaxLanes + lane] = static_cast<T>(position_[i]);
        lanes.left_best[lane] = number(leaf(target, rates, node, i, true));
        lanes.right_best[lane] = number(leaf(target, rates, node, i, false));
    }
    // Lanes without a split have every row on the left.
    for (std::size_t lane = chosen.size(); lane < kMaxLanes; ++lane)
        for (std::size_t k = 0; k < n_channels; ++k) lanes.left_total[k * kMaxLanes + lane] = lanes.total[k];
    PairSweep<T> task;
    task.n_rows = node.rows.size();
    task.orders = varying_;
    task.bucket = desk.bucket.data();
    task.label = label_.data();
    task.weight = weight_.data();
    task.n_classes = n_classes;
    task.counted = !data_.unit_weights;
    task.left_total = lanes.left_total.data();
    task.total = lanes.total.data();
    task.sums = lanes.sums.data();
    task.left_best = lanes.left_best.data();
    task.right_best = lanes.right_best.data();
    kernel(task, rule);
    const auto value = [&](T lane) {
        return rates != nullptr && lane >= rule.none ? kNoCost : static_cast<Count>(lane);
    };
    for (std::size_t lane = 0; lane < chosen.size(); ++lane) {
        out.left[chosen[lane]] = value(lanes.left_best[lane]);
        out.right[chosen[lane]] = value(lanes.right_best[lane]);
    }
}

Count PairSweeper::leaf(const Target& target, const CostRates* rates, const Node& node, std::size_t i,
                        bool is_left) const {
    const std::size_t n_classes = data_.n_classes();
    Count total = 0, largest = 0;
    for (std::size_t k = 0; k < n_classes; ++k) {
        const Count left = left_sum_[i * n_classes + k], here = is_left ? left : node.weight[k] - left;
        total += here;
        largest = std::max(largest, here);
    }
    const Count deficit = target.deficit(total, largest, is_left ? position_[i] : node.n() - position_[i]);
    if (rates == nullptr) return deficit;
    return deficit > 0 ? kNoCost : rates->unit * (total - largest) + rates->leaf;
}

Count PairSweeper::left_weight(std::size_t i) const {
    const std::size_t n_classes = data_.n_classes();
    Count sum = 0;
    for (std::size_t k = 0; k < n_classes; ++k) sum += left_sum_[i * n_classes + k];
    return sum;
}

// The rates of target.hpp, from each split to the next one of the column, both ways.
void PairSweeper::spread(const Target& target, std::size_t first, std::size_t last) {
    const auto raise = [](Count& to, Count value) { to = std::max(to, value); };
    for (std::size_t i = first + 1; i < last; ++i) {
        const Count more = left_weight(i) - left_weight(i - 1);
        raise(lower_.left[i], lower_.left[i - 1] - target.gain_rate * more);
        raise(lower_.right[i], lower_.right[i - 1] - target.loss_rate * more);
    }
    for (std::size_t i = last; i-- > first + 1;) {
        const Count more = left_weight(i) - left_weight(i - 1);
        raise(lower_.left[i - 1], lower_.left[i] - target.loss_rate * more);
        raise(lower_.right[i - 1], lower_.right[i] - target.gain_rate * more);
    }
}

// F of a subset holds for its supersets, and for its subsets less the weight between (search.hpp).
void PairSweeper::spread_floors(const CostRates& rates, std::size_t first, std::size_t last) {
    const auto raise = [](Count& to, Count value) { to = std::max(to, value); };
    for (std::size_t i = first + 1; i < last; ++i) {
        const Count more = rates.unit * (left_weight(i) - left_weight(i - 1));
        raise(floor_.left[i], floor_.left[i - 1]);
        raise(floor_.right[i], floor_.right[i - 1] - more);
    }
    for (std::size_t i = last; i-- > first + 1;) {
        const Count more = rates.unit * (left_weight(i) - left_weight(i - 1));
        raise(floor_.left[i - 1], floor_.left[i] - more);
        raise(floor_.right[i - 1], floor_.right[i]);
    }
}

}  // namespace treewright::leaf_accuracy
