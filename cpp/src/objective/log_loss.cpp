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

LogLoss::LogLoss(std::shared_ptr<const ClassTable> data, int tie_bits, Cost leaf_penalty)
    : RankedObjective(*data, leaf_penalty, 1, data->n_classes, {true, true, false}),
      data_(std::move(data)),
      tie_bits_(tie_bits) {}

void LogLoss::add_rows(const std::uint32_t* order, std::uint32_t begin, std::uint32_t end, Node& node) const {
    node.n += end - begin;
    for (std::uint32_t i = begin; i < end; ++i) {
        const std::uint32_t row = row_of(order[i]);
        node.sums[data_->label[row]] += data_->weight[row];
        node.rows.add(data_->key[row]);
    }
}

Cost LogLoss::leaf_cost(const Node& node) const {
    if (node.n == 0) return leaf_penalty();
    std::int64_t all = 0, own = 0;
    for (const std::int64_t n : node.sums) all += n, own += data_->term(n);
    const Cost loss = data_->term(all) - own + data_->slack * (4 * Cost{node.n} - 3);
    return (loss << tie_bits_) + leaf_penalty();
}

Stump LogLoss::best_stump(const Node& node) const {
    const ClassTable& data = *data_;
    const std::uint32_t least = data.min_leaf;
    Stump best{leaf_cost(node), Stump::kLeaf, 0};
    if (best.cost <= 2 * leaf_penalty()) return best;
    std::int64_t all = 0, own = 0;
    for (const std::int64_t n : node.sums) all += n, own += data.term(n);
    // What both sides have besides p: the same for every split.
    const Cost beside = data.slack * (4 * Cost{node.n} - 6);
    std::vector<std::int64_t> left(node.sums.size()), right;
    for (std::size_t c = 0; c < node.columns.size(); ++c) {
        std::fill(left.begin(), left.end(), 0);
        right = node.sums;
        std::int64_t n_left = 0, n_right = all, own_left = 0, own_right = own;
        const std::uint32_t* order = node.orders[c];
        for (std::uint32_t i = 0; i < node.n; ++i) {
            ask_ahead(order, i, node.n, [&](std::uint32_t row) { return data.label.data() + row; });
            ask_ahead(order, i, node.n, [&](std::uint32_t row) { return data.weight.data() + row; });
            const std::uint32_t row = row_of(order[i]);
            if (i >= least && node.n - i >= least && starts_group(order[i])) {
                const Cost loss = data.term(n_left) - own_left + data.term(n_right) - own_right + beside;
                const Cost cost = (loss << tie_bits_) + 2 * leaf_penalty();
                if (cost < best.cost) best = {cost, node.columns[c], data.rank_of(node.columns[c], row)};
            }
            const std::int64_t weight = data.weight[row];
            std::int64_t &here = left[data.label[row]], &there = right[data.label[row]];
            own_left -= data.term(here);
            own_right -= data.term(there);
            here += weight, there -= weight, n_left += weight, n_right -= weight;
            own_left += data.term(here);
            own_right += data.term(there);
        }
    }
    return best;
}

std::unique_ptr<PairSolver> LogLoss::pair_solver(const Options& options, Control& control) const {
    if (data_->n_classes <= SharePairs::kMaxClasses) return std::make_unique<SharePairs>(*this, options, control);
    return RankedObjective::pair_solver(options, control);
}

std::unique_ptr<RankedObjective> LogLoss::with_leaf_penalty(Cost penalty) const {
    return std::make_unique<LogLoss>(data_, tie_bits_, penalty);
}

// With the slack of all rows, so that integer losses of parts and of the whole are those of one function of sets.
std::unique_ptr<RankedObjective> LogLoss::part(std::span<const std::uint32_t> rows, Cost penalty) const {
    const auto part = std::make_shared<ClassTable>();
    part->take(*data_, rows);
    part->n_classes = data_->n_classes;
    part->scale = data_->scale;
    part->slack = data_->slack;
    part->known = data_->known;
    for (const std::uint32_t row : rows) {
        part->label.push_back(data_->label[row]);
        part->weight.push_back(data_->weight[row]);
    }
    part->RankedTable::prepare();
    return std::make_unique<LogLoss>(part, tie_bits_, penalty);
}

}  // namespace treewright::ranked
