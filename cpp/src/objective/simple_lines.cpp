#include "treewright/objective/simple_lines.hpp"

#include "treewright/core/control.hpp"
#include "treewright/kernels/line_kernel.hpp"
#include "treewright/kernels/stump_pair_solver.hpp"
#include "treewright/objective/floor_of.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace treewright::ranked {

namespace {

// The sums of a node in words of 64 bits. Those of products are kept in three parts, of 40 bits but for the highest: so
// words of sets of rows can be added and subtracted one by one, and for at most 2^22 rows none overflows.
constexpr int kPartBits = 40;
constexpr std::size_t kParts = 3, kFirstLine = 2 + kParts, kWordsOfLine = 2 + 2 * kParts;

void add_product(Wide product, std::int64_t* words) {
    constexpr Wide kMask = (Wide{1} << kPartBits) - 1;
    words[0] += static_cast<std::int64_t>(product & kMask);
    words[1] += static_cast<std::int64_t>(product >> kPartBits & kMask);
    words[2] += static_cast<std::int64_t>(product >> 2 * kPartBits);
}

Wide product_of(const std::int64_t* words) {
    return (Wide{words[2]} << 2 * kPartBits) + (Wide{words[1]} << kPartBits) + words[0];
}

// Of whole numbers in the bounds of LineTable: below 2^125.
Wide spread_of(std::int64_t weight, Wide product, std::int64_t a, std::int64_t b) {
    return Wide{weight} * product - Wide{a} * b;
}

// Sums of a column and a line that pass between two looks at the clock's countdown: some ten microseconds.
constexpr std::size_t kSumsPerBeat = 4096;

// About a center: sum w (u - c)^2.
double square_about(std::int64_t weight, Wide square, std::int64_t sum, std::int64_t center) {
    return static_cast<double>(square - 2 * Wide{center} * sum + Wide{center} * center * weight);
}

}  // namespace

void LineTable::prepare() {
    constexpr std::size_t kLanes = 8;
    RankedTable::prepare();
    units = std::ldexp(1.0, scale);
    lanes = (n_lines + kLanes - 1) / kLanes * kLanes;
    weights.assign(weight.begin(), weight.end());
    targets.assign(target.begin(), target.end());
    values.assign(std::size_t{n_rows} * lanes, 0.0);
    for (std::size_t row = 0; row < n_rows; ++row)
        for (std::size_t j = 0; j < n_lines; ++j) {
            const std::int64_t x = value[row * n_lines + j];
            values[row * lanes + j] = x == kMissing ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(x);
        }
}

void LineTable::take(const LineTable& other, std::span<const std::uint32_t> rows) {
    RankedTable::take(other, rows);
    n_lines = other.n_lines;
    scale = other.scale;
    weight = of_rows(rows, other.weight);
    target = of_rows(rows, other.target);
    value = of_rows(rows, other.value, n_lines);
    prepare();
}

LineSums::LineSums(std::span<const std::int64_t> words, std::size_t n_lines)
    : weight(words[0]), target(words[1]), square(product_of(&words[2])) {
    for (std::size_t j = 0; j < n_lines; ++j) {
        const std::int64_t* own = &words[kFirstLine + j * kWordsOfLine];
        lines.push_back({own[0], own[1], product_of(own + 2), product_of(own + 2 + kParts)});
    }
}

void LineSums::add(const LineTable& data, std::uint32_t row) {
    const std::int64_t w = data.weight[row], weighted = w * data.target[row];
    weight += w;
    target += weighted;
    square += Wide{weighted} * data.target[row];
    const std::int64_t* x = data.value.data() + std::size_t{row} * data.n_lines;
    for (std::size_t j = 0; j < lines.size(); ++j) {
        Of& own = lines[j];
        if (x[j] == LineTable::kMissing) {
            own.missing += w;
            continue;
        }
        own.sum += w * x[j];
        own.square += Wide{w * x[j]} * x[j];
        own.product += Wide{weighted} * x[j];
    }
}

LineSums& LineSums::operator-=(const LineSums& other) {
    weight -= other.weight;
    target -= other.target;
    square -= other.square;
    for (std::size_t j = 0; j < lines.size(); ++j) {
        lines[j].missing -= other.lines[j].missing;
        lines[j].sum -= other.lines[j].sum;
        lines[j].square -= other.lines[j].square;
        lines[j].product -= other.lines[j].product;
    }
    return *this;
}

SimpleLines::SimpleLines(std::shared_ptr<const LineTable> data, int tie_bits, Cost leaf_penalty)
    : TableObjective(data, leaf_penalty, 1, kFirstLine + data->n_lines * kWordsOfLine, {true, true, false}),
      tie_bits_(tie_bits) {}

void SimpleLines::add_row(std::uint32_t row, Node& node) const {
    const LineTable& data = *data_;
    const std::int64_t w = data.weight[row], weighted = w * data.target[row];
    std::int64_t* words = node.sums.data();
    words[0] += w;
    words[1] += weighted;
    add_product(Wide{weighted} * data.target[row], words + 2);
    const std::int64_t* x = data.value.data() + std::size_t{row} * data.n_lines;
    words += kFirstLine;
    for (std::size_t j = 0; j < data.n_lines; ++j, words += kWordsOfLine) {
        if (x[j] == LineTable::kMissing) {
            words[0] += w;
            continue;
        }
        words[1] += w * x[j];
        add_product(Wide{w * x[j]} * x[j], words + 2);
        add_product(Wide{weighted} * x[j], words + 2 + kParts);
    }
}

// Let u = 2^-53 and A = S(y, y). All S are exact, and each is off by less than u of itself as a double. So the quotient
// is off by less than 5.1 u of itself, and it is at most A (Cauchy and Schwarz), as is the largest of several; A
// itself, the difference and the division by W add less than 3 u A. In all p is off by less than 8.2 u 2^scale A / W;
// that A / W is at most that of all rows, 2^scale times which is at most 2^49: less than .52 units.
double SimpleLines::computed(const LineSums& sums) const {
    const double of_target = static_cast<double>(spread_of(sums.weight, sums.square, sums.target, sums.target));
    double gain = 0;
    for (const LineSums::Of& own : sums.lines) {
        if (own.missing != 0) continue;
        const Wide of_values = spread_of(sums.weight, own.square, own.sum, own.sum);
        if (of_values == 0) continue;
        const double both = static_cast<double>(spread_of(sums.weight, own.product, own.sum, sums.target));
        gain = std::max(gain, both * both / static_cast<double>(of_values));
    }
    return (of_target - gain) / static_cast<double>(sums.weight) * data_->units;
}

// Terms below 2^50 and 4 n below 2^25 are exact as doubles but for the last bits of p, which is one number for a set of
// rows.
Cost SimpleLines::loss_cost(const LineSums& sums, std::uint32_t n) const {
    const std::int64_t beside = 4 * kSlack * std::int64_t{n} - 3 * kSlack;
    return static_cast<Cost>(floor_of(computed(sums)) + beside) << tie_bits_;
}

Cost SimpleLines::leaf_cost(const Node& node) const {
    if (node.n == 0) return leaf_penalty();
    return loss_cost(LineSums(node.sums, data_->n_lines), node.n) + leaf_penalty();
}

// What a pass of the kernel over a node is asked with; it owns the numbers that the pass points to.
class SimpleLines::Pass {
   public:
    Pass(const LineTable& data, const LineSums& all, std::uint32_t n)
        : centers_(data.lanes, 0.0),
          value_errors_(data.lanes, 0.0),
          product_errors_(data.lanes, 0.0),
          scratch_(3 * std::size_t{n}) {
        const double error = 5 * std::ldexp(static_cast<double>(n) + 8, -53);
        const std::int64_t target_center = all.target / all.weight;
        const double of_target = square_about(all.weight, all.square, all.target, target_center);
        for (std::size_t j = 0; j < data.n_lines; ++j) {
            const LineSums::Of& own = all.lines[j];
            const std::int64_t known = all.weight - own.missing;
            if (known == 0) continue;
            const std::int64_t center = own.sum / known;
            const double of_values = square_about(known, own.square, own.sum, center);
            centers_[j] = static_cast<double>(center);
            value_errors_[j] = error * of_values;
            product_errors_[j] = error * std::sqrt(of_values * of_target);
        }
        pass_.n = n;
        pass_.lanes = data.lanes;
        pass_.weights = data.weights.data();
        pass_.targets = data.targets.data();
        pass_.values = data.values.data();
        pass_.target_center = static_cast<double>(target_center);
        pass_.centers = centers_.data();
        pass_.target_error = error * of_target;
        pass_.value_errors = value_errors_.data();
        pass_.product_errors = product_errors_.data();
        pass_.inverse_weight = scratch_.data();
        pass_.mean_target = scratch_.data() + n;
        pass_.gain = scratch_.data() + 2 * std::size_t{n};
    }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

    // Bounds of the loss of the rows before each position of an order, or of those from it on.
    void bound_losses(const std::uint32_t* order, bool backward, double* bounds) {
        pass_.order = order;
        pass_.backward = backward;
        kernels_.bound_losses(pass_, bounds);
    }

   private:
    const LineKernels& kernels_ = line_kernels(simd());
    std::vector<double> centers_, value_errors_, product_errors_, scratch_;
    LinePass pass_;
};

SimpleLines::Bounds SimpleLines::bound_splits(const Node& node, const LineSums& all, Control* control) const {
    const std::uint32_t least = data_->min_leaf, n = node.n;
    const std::int64_t work = 1 + static_cast<std::int64_t>(2 * n * data_->lanes / kSumsPerBeat);  // of both walks
    Pass pass(*data_, all, n);
    Bounds bounds;
    bounds.of_split.resize(node.columns.size() * n);
    std::vector<double> behind(n);
    for (std::size_t& c = bounds.n_seen; c < node.columns.size(); ++c) {
        if (control != nullptr && control->must_abandon(work)) break;
        const std::uint32_t* order = node.orders[c];
        double* of_split = bounds.of_split.data() + c * n;
        pass.bound_losses(order, false, of_split);
        pass.bound_losses(order, true, behind.data());
        for (std::uint32_t i = 1; i < n; ++i) {
            if (!starts_group(order[i])) continue;
            of_split[i] += behind[i];
            bounds.lowest_of_all = std::min(bounds.lowest_of_all, of_split[i]);
            if (of_split[i] >= bounds.lowest || i < least || n - i < least) continue;
            bounds.lowest = of_split[i];
            bounds.column = c, bounds.position = i;
        }
    }
    return bounds;
}

// Two walks of each column by the kernel give a bound for each split; splits whose bound is not above the cost of the
// best one are computed exactly, in their order, so that the first of equals is found. The bounds of all splits, with
// leaves of any number of rows, make Stump::any_size.
Stump SimpleLines::look(const Node& node, Control* control) const {
    const LineTable& data = *data_;
    const std::uint32_t least = data.min_leaf, n = node.n;
    const Cost leaf = leaf_cost(node), two_leaves = 2 * leaf_penalty();
    Stump best{leaf, Stump::kLeaf, 0, true, node.columns.empty() ? leaf : std::min(leaf, two_leaves)};
    if (leaf <= two_leaves || n < 2 * least || node.columns.empty()) return best;
    const LineSums all(node.sums, data.n_lines);
    const Bounds bounds = bound_splits(node, all, control);
    // Of two sides, p is below the loss by less than one unit each, and two floors take less than one each.
    const double others = 4.0 * kSlack * n - 6.0 * kSlack - 4.0;
    best.whole = bounds.n_seen == node.columns.size();
    if (best.whole) {
        const double units = std::max(0.0, std::min(bounds.lowest_of_all * data.units + others - 1, data.kLargestLoss));
        const Cost of_any = two_leaves + (static_cast<Cost>(floor_of(units)) << tie_bits_);
        best.any_size = std::min(leaf, of_any);
    }
    if (bounds.position == 0) return best;

    LineSums before(data.n_lines);
    const auto cost_at = [&](std::uint32_t i) {
        LineSums after = all;
        after -= before;
        return loss_cost(before, i) + loss_cost(after, n - i) + two_leaves;
    };
    for (std::uint32_t i = 0; i < bounds.position; ++i) before.add(data, row_of(node.orders[bounds.column][i]));
    const auto most = [&](Cost cost) {
        const double room = static_cast<double>((cost - two_leaves) >> tie_bits_) - others + 1;
        return room / data.units;
    };
    const auto offer = [&](Cost cost, std::size_t c, std::uint32_t i) {
        if (cost >= best.cost) return;
        best.cost = cost;
        best.column = node.columns[c];
        best.rank = data.rank_of(node.columns[c], row_of(node.orders[c][i]));
    };
    const Cost first = cost_at(bounds.position);
    double limit = most(std::min(best.cost, first));
    for (std::size_t c = 0; c < bounds.n_seen; ++c) {
        if (control != nullptr && control->must_abandon(1)) {
            best.whole = false;
            break;
        }
        const std::uint32_t* order = node.orders[c];
        before = LineSums(data.n_lines);
        std::uint32_t added = 0;
        for (std::uint32_t i = least; i + least <= n; ++i) {
            if (!starts_group(order[i]) || bounds.of_split[c * n + i] > limit) continue;
            for (; added < i; ++added) before.add(data, row_of(order[added]));
            offer(cost_at(i), c, i);
            limit = std::min(limit, most(best.cost));
        }
    }
    if (!best.whole) offer(first, bounds.column, bounds.position);
    return best;
}

std::unique_ptr<PairSolver> SimpleLines::pair_solver(const Options& options, Control& control) const {
    return std::make_unique<StumpPairSolver>(*this, options, control, true);
}

}  // namespace treewright::ranked
