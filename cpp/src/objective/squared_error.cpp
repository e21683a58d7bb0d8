#include "treewright/objective/squared_error.hpp"

#include "treewright/kernels/squared_error_pairs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace treewright::ranked {

namespace {

// The rule `similar` is weak for squared error, and where the rules of nested sets hold it costs more than it saves: it
// is used where they do not, with a least size of leaves.
Laws laws_of(const TargetTable& data) { return {true, true, data.min_leaf > 1}; }

}  // namespace

SquaredError::SquaredError(std::shared_ptr<const TargetTable> data, int shift, int tie_bits, Cost leaf_penalty)
    : TableObjective(data, leaf_penalty, 1, kFirst + data->n_outputs, laws_of(*data)),
      shift_(shift),
      tie_bits_(tie_bits) {
    if (!laws().similar) return;
    span_.resize(data_->n_rows);
    for (std::uint32_t row = 0; row < data_->n_rows; ++row)
        span_[row] = static_cast<Cost>(std::ceil(std::ldexp(data_->largest_loss[row], -shift_))) << tie_bits_;
}

Cost SquaredError::loss_cost(const std::int64_t* sums) const {
    if (sums[kWeight] == 0) return 0;
    Wide squares = 0;
    for (std::uint32_t k = 0; k < data_->n_outputs; ++k) squares += Wide{sums[kFirst + k]} * sums[kFirst + k];
    const Wide loss = square(sums) - (squares + sums[kWeight] - 1) / sums[kWeight];  // floor(Q - S^2 / W)
    return static_cast<Cost>(loss >> shift_) << tie_bits_;
}

// Two walks of each column: the first finds the largest gain in double precision, the second compares the splits that
// are close to it as integers.
//
// With S and W exact, a gain G = S_l^2 / W_l + S_r^2 / W_r is computed with a relative error below 8 * 2^-53 (a
// product, a quotient and a sum each, for every output), and G <= Q, for targets are centred as they are. Two splits
// whose gains differ by more than 2 * 2^shift differ in their integer costs in the same direction: the two floors of a
// split lose less than two.
Stump SquaredError::look(const Node& node, Control* control) const {
    const TargetTable& data = *data_;
    Stump best{leaf_cost(node), Stump::kLeaf, 0};
    if (best.cost <= 2 * leaf_penalty()) return best;
    const std::uint32_t n_outputs = data.n_outputs, least = data.min_leaf;
    const double total_weight = static_cast<double>(node.sums[kWeight]);
    const double slack = std::ldexp(2.0, shift_) +
                         std::ldexp(32.0 * (n_outputs + 1), -53) * static_cast<double>(square(node.sums.data()));
    std::vector<double> gains(node.columns.size(), -1.0);
    std::vector<double> left(n_outputs), total(n_outputs);
    for (std::uint32_t k = 0; k < n_outputs; ++k) total[k] = static_cast<double>(node.sums[kFirst + k]);
    // Calls at(i, gain) for every legal split before position i, whose groups differ.
    const auto walk = [&](std::size_t c, const auto& on_row, const auto& at) {
        const std::uint32_t* order = node.orders[c];
        double weight = 0;
        std::fill(left.begin(), left.end(), 0.0);
        for (std::uint32_t i = 0; i < node.n; ++i) {
            if (i >= least && node.n - i >= least && starts_group(order[i])) {
                double on_left = 0, on_right = 0;
                for (std::uint32_t k = 0; k < n_outputs; ++k) {
                    on_left += left[k] * left[k];
                    on_right += (total[k] - left[k]) * (total[k] - left[k]);
                }
                const double rest = total_weight - weight;
                at(i, (weight > 0 ? on_left / weight : 0) + (rest > 0 ? on_right / rest : 0));
            }
            ask_ahead(order, i, node.n, [&](std::uint32_t row) { return data.weight.data() + row; });
            ask_ahead(order, i, node.n, [&](std::uint32_t row) { return data.weighted_of(row); });
            if (n_outputs > 4)  // the numbers of a row may reach into the next line of the cache
                ask_ahead(order, i, node.n, [&](std::uint32_t row) { return data.weighted_of(row) + n_outputs - 1; });
            const std::uint32_t row = row_of(order[i]);
            weight += static_cast<double>(data.weight[row]);
            const std::int64_t* weighted = data.weighted_of(row);
            for (std::uint32_t k = 0; k < n_outputs; ++k) left[k] += static_cast<double>(weighted[k]);
            on_row(row);
        }
    };
    double highest = -1;
    for (std::size_t c = 0; c < node.columns.size(); ++c) {
        if (ends_before(control, node, c)) {
            best.whole = false;  // the best split of the columns so far
            break;
        }
        walk(c, [](std::uint32_t) {}, [&](std::uint32_t, double gain) { gains[c] = std::max(gains[c], gain); });
        highest = std::max(highest, gains[c]);
    }
    std::vector<std::int64_t> before(n_sums()), after(n_sums());
    for (std::size_t c = 0; c < node.columns.size(); ++c) {
        if (gains[c] < 0 || gains[c] < highest - slack) continue;
        std::fill(before.begin(), before.end(), 0);
        walk(
            c, [&](std::uint32_t row) { add_row(row, before.data()); },
            [&](std::uint32_t i, double gain) {
                if (gain < highest - slack) return;
                for (std::size_t k = 0; k < after.size(); ++k) after[k] = node.sums[k] - before[k];
                const Cost cost = loss_cost(before.data()) + loss_cost(after.data()) + 2 * leaf_penalty();
                if (cost < best.cost)
                    best = {cost, node.columns[c], data.rank_of(node.columns[c], row_of(node.orders[c][i])),
                            best.whole};
            });
    }
    return best;
}

std::unique_ptr<PairSolver> SquaredError::pair_solver(const Options& options, Control& control) const {
    if (data_->n_outputs == 1) return std::make_unique<SquaredErrorPairs>(*this, options, control);
    return RankedObjective::pair_solver(options, control);
}

std::optional<TwoSums> SquaredError::two_sums() const {
    const TargetTable& data = *data_;
    if (data.n_outputs != 1) return std::nullopt;
    TwoSums sums;
    sums.form = TwoSums::Form::minus_square;
    for (std::uint32_t row = 0; row < data.n_rows; ++row) {
        sums.a.push_back(static_cast<double>(data.weight[row]));
        sums.b.push_back(static_cast<double>(data.weighted_of(0, row)));
    }
    sums.unit = std::ldexp(1.0, -shift_);
    sums.tie_bits = tie_bits_;
    sums.leaf = std::ldexp(std::ldexp(static_cast<double>(leaf_penalty()), -tie_bits_), shift_);
    sums.leaf_error = 2;
    return sums;
}

}  // namespace treewright::ranked
