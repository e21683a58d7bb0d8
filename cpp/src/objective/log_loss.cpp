#include "treewright/objective/log_loss.hpp"

#include "treewright/kernels/share_pairs.hpp"
#include "treewright/objective/logarithms.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace treewright::ranked {

namespace {

constexpr std::int64_t kMaxKnown = std::int64_t{1} << 17;  // one megabyte

}  // namespace

// A weight is exact as a double.
double ClassTable::largest_error() const {
    const std::int64_t all = std::accumulate(weight.begin(), weight.end(), std::int64_t{0});
    const double most = static_cast<double>(all);
    return std::ceil(times_log_error(most, std::log(std::max(most, 1.0)), scale)) *
           (static_cast<double>(n_classes) + 1);
}

std::int64_t ClassTable::computed(std::int64_t n) const {
    if (n <= 1) return 0;
    const double number = static_cast<double>(n);
    return std::llrint(times_log(number, number, std::ldexp(1.0, scale)));
}

void ClassTable::prepare() {
    RankedTable::prepare();
    slack = static_cast<std::int64_t>(largest_error());
    const std::int64_t all = std::accumulate(weight.begin(), weight.end(), std::int64_t{0});
    known.clear();
    std::vector<std::int64_t> terms;
    for (std::int64_t n = 0; n <= std::min(all, kMaxKnown); ++n) terms.push_back(computed(n));
    known = std::move(terms);
}

void ClassTable::take(const ClassTable& other, std::span<const std::uint32_t> rows) {
    RankedTable::take(other, rows);
    n_classes = other.n_classes;
    scale = other.scale;
    slack = other.slack;
    known = other.known;
    label = of_rows(rows, other.label);
    weight = of_rows(rows, other.weight);
    RankedTable::prepare();
}

LogLoss::LogLoss(std::shared_ptr<const ClassTable> data, int tie_bits, Cost leaf_penalty)
    : TableObjective(data, leaf_penalty, 1, data->n_classes, {true, true, false}), tie_bits_(tie_bits) {}

Cost LogLoss::leaf_cost(const Node& node) const {
    if (node.n == 0) return leaf_penalty();
    std::int64_t all = 0, own = 0;
    for (const std::int64_t n : node.sums) all += n, own += data_->term(n);
    const Cost loss = data_->term(all) - own + data_->slack * (4 * Cost{node.n} - 3);
    return (loss << tie_bits_) + leaf_penalty();
}

Stump LogLoss::look(const Node& node, Control* control) const {
    const ClassTable& data = *data_;
    Stump best{leaf_cost(node), Stump::kLeaf, 0};
    if (best.cost <= 2 * leaf_penalty()) return best;
    std::int64_t all = 0, own = 0;
    for (const std::int64_t n : node.sums) all += n, own += data.term(n);
    // What both sides have besides p: the same for every split.
    const Cost beside = data.slack * (4 * Cost{node.n} - 6);
    std::vector<std::int64_t> left(node.sums.size()), right;
    for (std::size_t c = 0; c < node.columns.size(); ++c) {
        if (ends_before(control, node, c)) {
            best.whole = false;  // the best split of the columns so far
            break;
        }
        std::fill(left.begin(), left.end(), 0);
        right = node.sums;
        std::int64_t n_left = 0, n_right = all, own_left = 0, own_right = own;
        const auto cost_here = [&] {
            const Cost loss = data.term(n_left) - own_left + data.term(n_right) - own_right + beside;
            return (loss << tie_bits_) + 2 * leaf_penalty();
        };
        const auto move = [&](std::uint32_t row) {
            const std::int64_t weight = data.weight[row];
            std::int64_t &here = left[data.label[row]], &there = right[data.label[row]];
            own_left -= data.term(here);
            own_right -= data.term(there);
            here += weight, there -= weight, n_left += weight, n_right -= weight;
            own_left += data.term(here);
            own_right += data.term(there);
        };
        walk(
            node, c, best, cost_here, move, [&](std::uint32_t row) { return data.label.data() + row; },
            [&](std::uint32_t row) { return data.weight.data() + row; });
    }
    return best;
}

std::unique_ptr<PairSolver> LogLoss::pair_solver(const Options& options, Control& control) const {
    if (data_->n_classes <= SharePairs::kMaxClasses) return std::make_unique<SharePairs>(*this, options, control);
    return RankedObjective::pair_solver(options, control);
}

}  // namespace treewright::ranked
