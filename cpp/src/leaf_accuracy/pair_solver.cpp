#include "treewright/leaf_accuracy/pair_solver.hpp"

#include "leaf_accuracy/rule.hpp"

#include <algorithm>
#include <bit>

namespace treewright::leaf_accuracy {

namespace {

constexpr std::uint32_t kNoRow = 0xffffffffu;
constexpr std::size_t kWordsAtOnce = std::size_t{1} << 26;   // some ten milliseconds of a kernel
constexpr std::size_t kWordsPerUnit = std::size_t{1} << 16;  // as one look at the clock
constexpr Cost kMaxKernel = Cost{1} << 49;  // of the unit times all weights, and of a leaf: four leaves stay below 2^52

Cost lost(const Data& data, Count rows) {
    const Whole by_rows = data.max_lost * static_cast<Whole>(rows);
    return static_cast<Cost>(std::min(data.lost, by_rows));
}

}  // namespace

FullCostRates FullCostRates::of(Cost unit, Cost leaf, const Data& data) {
    FullCostRates rates;
    rates.unit = unit;
    rates.leaf = leaf;
    const Cost per_weight = unit << data.shift;
    const Cost most = std::max(per_weight * data.total, leaf);
    while (most / rates.factor > kMaxKernel) rates.factor *= 2;
    rates.kernel.unit = static_cast<Count>(per_weight / rates.factor);
    rates.kernel.leaf = static_cast<Count>(leaf / rates.factor);
    rates.exact = rates.factor == 1 && !data.rounding.any;
    return rates;
}

Cost FullCostRates::lower(Count sum, const Data& data, Count rows) const {
    if (sum >= kNoCost) return kNoTree;
    return factor * sum - unit * lost(data, rows);
}

Count FullCostRates::sum(Cost cost, const Data& data, Count rows) const {
    if (cost >= kNoTree) return kNoCost;
    const Cost more = cost + unit * lost(data, rows);
    return static_cast<Count>(std::min<Cost>(kNoCost, more / factor + (more % factor > 0 ? 1 : 0)));
}

std::size_t PairAnswer::best() const {
    std::size_t at = 0;
    for (std::size_t i = 1; i < left.size(); ++i)
        if (sum(i) < sum(at)) at = i;
    return at;
}

void PairSolver::solve(const Node& node, const Target& target, const CostRates* rates, Control& control,
                       PairAnswer& answer) {
    find_splits(node, pair_table_kernels(simd()), answer);
    solve_again(node, target, rates, control, answer);
}

void PairSolver::solve_again(const Node& node, const Target& target, const CostRates* rates, Control& control,
                             PairAnswer& answer) {
    const PairTableKernels& kernels = pair_table_kernels(simd());
    if (rule_fits_narrow(target, rates, data_.total))
        run(node, target, rates, kernels.narrow, narrow_, control, answer);
    else
        run(node, target, rates, kernels.wide, wide_, control, answer);
}

// The node's rows by plane, the bits of its splits, and how many rows of each plane every split sends right.
void PairSolver::find_splits(const Node& node, const PairTableKernels& kernels, PairAnswer& answer) {
    const std::size_t n_planes = data_.planes.size();
    start_.assign(n_planes + 1, 0);
    for (const std::uint32_t row : node.rows) ++start_[data_.plane[row] + 1];
    planes_.clear();
    n_words_ = 0;
    for (std::size_t p = 0; p < n_planes; ++p) {
        const std::size_t count = start_[p + 1];
        start_[p + 1] = 0;
        if (count == 0) continue;
        Plane plane = data_.planes[p];
        plane.first = n_words_;
        plane.last = n_words_ += (count + 63) / 64;
        start_[p] = plane.first * 64;
        planes_.push_back(plane);
    }
    rows_.assign(n_words_ * 64, kNoRow);
    for (const std::uint32_t row : node.rows) rows_[start_[data_.plane[row]]++] = row;

    answer.splits.clear();
    found_.clear();
    ones_.clear();
    codes_.resize(n_words_ * 64);
    const auto n_rows = static_cast<std::int32_t>(node.rows.size());
    std::int32_t last = n_rows;
    for (const Strip& strip : data_.strips) {
        if (strip.first == 0) last = n_rows;
        if (last == 0) continue;
        std::uint8_t most = 0;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            codes_[i] = rows_[i] == kNoRow ? std::uint8_t{0} : strip.code(data_.table.rank_of(strip.column, rows_[i]));
            most = std::max(most, codes_[i]);
        }
        for (std::uint32_t k = 1; k <= most; ++k) {
            const std::size_t at = found_.size();
            found_.resize(at + n_words_);
            kernels.compare(codes_.data(), n_words_, static_cast<std::uint8_t>(k), &found_[at]);
            const std::size_t sums = ones_.size();
            std::int32_t right = 0;
            for (const Plane& plane : planes_) {
                std::int32_t count = 0;
                for (std::size_t w = plane.first; w < plane.last; ++w) count += std::popcount(found_[at + w]);
                ones_.push_back(count);
                right += count;
            }
            if (right == last) {  // no row has the rank in between: the split before, or none
                found_.resize(at);
                ones_.resize(sums);
                continue;
            }
            last = right;
            answer.splits.push_back({strip.column, strip.first + k});
        }
        if (most < 255) last = 0;  // nothing of this column beyond
    }
    const std::size_t n_splits = answer.splits.size();
    stride_ = (n_splits + PairTable<double>::kStride - 1) / PairTable<double>::kStride * PairTable<double>::kStride;
    bits_.assign(n_words_ * stride_, 0);
    for (std::size_t i = 0; i < n_splits; ++i)
        for (std::size_t w = 0; w < n_words_; ++w) bits_[w * stride_ + i] = found_[i * n_words_ + w];
}

template <class T>
void PairSolver::run(const Node& node, const Target& target, const CostRates* rates, PairKernel<T> kernel,
                     Lanes<T>& lanes, Control& control, PairAnswer& answer) {
    const std::size_t n_splits = ones_.size() / std::max<std::size_t>(1, planes_.size()), n_classes = data_.n_classes();
    const std::size_t n_channels = n_classes + (data_.unit_weights ? 0 : 1);
    lanes.right.assign(n_channels * stride_, T{0});
    lanes.both.resize(n_channels * stride_);
    lanes.total.assign(n_channels, T{0});
    for (std::size_t k = 0; k < n_classes; ++k) lanes.total[k] = static_cast<T>(node.weight[k]);
    if (!data_.unit_weights) lanes.total[n_classes] = static_cast<T>(node.n());
    for (std::size_t i = 0; i < n_splits; ++i)
        for (std::size_t p = 0; p < planes_.size(); ++p) {
            const T count = static_cast<T>(ones_[i * planes_.size() + p]);
            lanes.right[planes_[p].channel * stride_ + i] += count * static_cast<T>(planes_[p].weight);
            if (!data_.unit_weights) lanes.right[n_classes * stride_ + i] += count;
        }

    lanes.left_best.assign(stride_, T{0});
    lanes.right_best.assign(stride_, T{0});
    const LeafRule<T> rule = make_rule<T>(target, rates);
    const auto leaf = [&](Count total, Count largest, Count rows) {
        const Count deficit = target.deficit(total, largest, rows);
        if (rates == nullptr) return static_cast<T>(deficit);
        return deficit > 0 ? rule.none : static_cast<T>(rates->unit * (total - largest) + rates->leaf);
    };
    for (std::size_t i = 0; i < n_splits; ++i) {
        Count right = 0, right_most = 0, left_most = 0;
        for (std::size_t k = 0; k < n_classes; ++k) {
            const auto here = static_cast<Count>(lanes.right[k * stride_ + i]);
            right += here;
            right_most = std::max(right_most, here);
            left_most = std::max(left_most, node.weight[k] - here);
        }
        const Count rows = data_.unit_weights ? right : static_cast<Count>(lanes.right[n_classes * stride_ + i]);
        lanes.left_best[i] = leaf(node.total - right, left_most, node.n() - rows);
        lanes.right_best[i] = leaf(right, right_most, rows);
    }

    PairTable<T> task;
    task.stride = stride_;
    task.n_words = n_words_;
    task.bits = bits_.data();
    task.planes = planes_;
    task.n_channels = n_channels;
    task.counted = !data_.unit_weights;
    task.right = lanes.right.data();
    task.total = lanes.total.data();
    task.both = lanes.both.data();
    task.left_best = lanes.left_best.data();
    task.right_best = lanes.right_best.data();
    // Half of the pairs say nothing of the others, so a stop gives nothing.
    const std::size_t at_once = std::max<std::size_t>(1, kWordsAtOnce / std::max<std::size_t>(1, n_words_ * stride_));
    const auto work = static_cast<std::int64_t>(1 + at_once * n_words_ * stride_ / kWordsPerUnit);
    for (task.first = 0; task.first < n_splits; task.first = task.last) {
        if (task.first > 0 && control.poll(work)) {
            answer.splits.clear();
            answer.left.clear();
            answer.right.clear();
            answer.least = 0;
            return;
        }
        task.last = std::min(n_splits, task.first + at_once);
        kernel(task, rule);
    }

    answer.left.resize(n_splits);
    answer.right.resize(n_splits);
    const auto number = [&](T value) {
        return rates != nullptr && value >= rule.none ? kNoCost : static_cast<Count>(value);
    };
    for (std::size_t i = 0; i < n_splits; ++i) {
        answer.left[i] = number(lanes.left_best[i]);
        answer.right[i] = number(lanes.right_best[i]);
    }
    answer.least = n_splits > 0 ? answer.sum(answer.best()) : kNoCost;
}

}  // namespace treewright::leaf_accuracy
