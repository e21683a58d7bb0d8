#include "treewright/kernels/class_pair_solver.hpp"

#include <algorithm>
#include <cstdlib>

namespace treewright::ranked {

namespace {

bool unit_weights(const LabelledTable& data) {
    return data.min_leaf == 1 &&
           std::all_of(data.weight.begin(), data.weight.end(), [](std::int32_t w) { return w <= 1; }) &&
           std::all_of(data.gain.begin(), data.gain.end(), [](std::int32_t g) { return g <= 1; });
}

bool single_gains(const LabelledTable& data) {
    for (std::size_t y = 0; y < data.n_classes; ++y) {
        const auto row = data.gain.begin() + static_cast<std::ptrdiff_t>(y * data.n_classes);
        if (std::count(row, row + data.n_classes, 0) + 1 != data.n_classes) return false;
    }
    return true;
}

// Of a pass, in the steps of Control.
std::int64_t work_of(const Node& node) {
    return 1 + std::int64_t{node.n} * static_cast<std::int64_t>(node.columns.size()) / 4096;
}

}  // namespace

ClassPairSolver::ClassPairSolver(const Misclassification& objective, const Options& options, Control& control)
    : PairSolver(options),
      objective_(objective),
      data_(objective.data()),
      control_(control),
      kernels_(pair_kernels(simd())),
      narrow_(data_.total_span < kMaxNarrow && data_.n_rows < kMaxNarrow),
      unit_weights_(unit_weights(data_)),
      single_gains_(single_gains(data_)) {
    if (unit_weights_) sign_.assign(data_.signed_weight.begin(), data_.signed_weight.end());
    sign_.resize(data_.n_rows);
    which_.resize(data_.n_classes);
    left_lanes_.resize(data_.n_rows);
    if (!data_.binary()) {
        lookup_.resize(data_.n_rows);
        place_.resize(data_.n_rows);
    }
    profiles_.resize(data_.n_columns);
    gain_.resize(data_.n_classes);
    left_gain_.resize(data_.n_classes * kMaxLanes);
    right_gain_.resize(data_.n_classes * kMaxLanes);
    task_.data = &data_;
    task_.left_lanes = left_lanes_.data();
    task_.sign = sign_.data();
    task_.lookup = lookup_.data();
    task_.place = place_.data();
    task_.min_leaf = data_.min_leaf;
    task_.gain = single_gains_ ? nullptr : data_.gain.data();
}

void ClassPairSolver::choose_kernel(const Node& node) {
    const std::uint32_t n_classes = data_.n_classes;
    present_.clear();
    by_stretches_ = stretches_open_ = false;
    for (std::uint32_t c = 0; c < n_classes; ++c)
        if (node.sums[c] < node.span) present_.push_back(c);
    if (present_.empty()) present_.push_back(0);  // no row gains from any class: the first one stands for all
    // Two classes at most: a row of span one gains from exactly one of them, so one signed sum tells both gains.
    const bool two = data_.binary() || (single_gains_ && present_.size() <= 2);
    if (unit_weights_ && two) {
        mode_ = Mode::unit;
        // Two classes, the only one that is present among them: without it leaves of its rows would look all wrong.
        if (present_.size() < 2) present_ = {0, std::max(present_[0], 1u)};
        for (std::uint32_t i = 0; !data_.binary() && i < node.n; ++i) {  // of two classes they never change
            const std::uint32_t row = row_of(node.orders[0][i]);
            const std::int32_t* gain = &data_.gain[std::size_t{data_.label[row]} * n_classes];
            sign_[row] = static_cast<std::int8_t>(data_.weight[row] * (gain[present_[1]] - gain[present_[0]]));
        }
        by_stretches_ = RowStretches::suit(data_, node, control_.limits().bytes);
        kernel_ = narrow_ ? kernels_.unit16 : by_stretches_ ? kernels_.unit_stretches : kernels_.unit32;
    } else if (data_.binary()) {
        mode_ = Mode::two;
        present_ = {0, 1};
        kernel_ = narrow_ ? kernels_.signed16 : kernels_.signed32;
    } else {
        for (std::uint32_t y = 0; y < n_classes; ++y) {
            which_[y] = single_gains_ ? 0 : y;
            for (std::uint32_t i = 0; single_gains_ && i < present_.size(); ++i)
                if (data_.gain[std::size_t{y} * n_classes + present_[i]] != 0) which_[y] = i;
        }
        task_.n_classes = static_cast<std::uint32_t>(present_.size());
        if (unit_weights_ && single_gains_ && present_.size() <= kMaxUnitClasses) {
            mode_ = Mode::unit_many;
            kernel_ = narrow_ ? kernels_.unit_classes16 : kernels_.unit_classes32;
        } else {
            mode_ = Mode::many;
            kernel_ = narrow_ ? kernels_.classes16 : kernels_.classes32;
        }
    }
    for (std::uint32_t i = 0; (mode_ == Mode::unit_many || mode_ == Mode::many) && i < node.n; ++i) {
        const std::uint32_t row = row_of(node.orders[0][i]);
        const std::uint32_t which = which_[data_.label[row]];
        // With single gains the span is the gain.
        const std::int64_t w = single_gains_ ? data_.span[row] : data_.weight[row];
        if (mode_ == Mode::many)
            lookup_[row] = static_cast<std::uint64_t>(w) << 32 | which;
        else
            place_[row] = static_cast<std::uint8_t>(w != 0 ? which : kMaxUnitClasses);
    }
    const bool is_unit = mode_ == Mode::unit || mode_ == Mode::unit_many;
    n_lanes_ = is_unit ? kernels_.unit_lanes : narrow_ ? kernels_.lanes16 : kernels_.lanes32;
    n_lanes_ = std::min(n_lanes_, options_.lanes);
    n_together_ = std::min(is_unit ? kUnitTogether : narrow_ ? kTogether16 : kTogether32, options_.lanes);
    task_.classes = present_.data();
    task_.min_gain =
        static_cast<std::int32_t>(std::min<Cost>(objective_.leaf_penalty() / objective_.unit(), data_.total_span));
}

Outcome ClassPairSolver::solve(const Node& node, bool three_leaves, Cost budget,
                               std::span<const Neighbour> neighbours) {
    Outcome result;
    result.upper = objective_.leaf_cost(node);
    const std::size_t n_columns = node.columns.size();
    for (std::size_t at = 0; at < n_columns; ++at)
        profiles_[at].reset(objective_, options_, node, at, objective_.leaf_penalty());
    for (const Neighbour& neighbour : neighbours) {
        if (neighbour.memo == nullptr || !worth_sharing(node)) continue;
        import_memo(*neighbour.memo, data_, node, neighbour.relation, neighbour.loss, profiles_);
    }
    choose_kernel(node);
    mark_checks(node);
    const std::int64_t work = work_of(node);
    for (;;) {
        choose_splits(n_columns, std::min(result.upper, budget));
        if (chosen_.empty() || control_.step(work)) break;
        pass(node, [&](std::size_t k) {
            const Begun tree = begun(node, k, three_leaves);
            result.offer(tree.cost, tree.plan);
        });
    }
    result.lower = result.upper;
    const Cost target = std::min(result.upper, budget);
    for (std::size_t at = 0; at < n_columns; ++at)
        result.lower = std::min(result.lower, profiles_[at].lower_bound(target));
    return result;
}

template <class Take>
void ClassPairSolver::pass(const Node& node, Take take) {
    for (std::size_t first = 0; first < chosen_.size(); first += splits_.size()) {
        const std::size_t n = std::min<std::size_t>(n_lanes_, chosen_.size() - first);
        const auto begin = chosen_.begin() + static_cast<std::ptrdiff_t>(first);
        splits_.assign(begin, begin + static_cast<std::ptrdiff_t>(n));
        prepare_lanes(node);
        kernel_(task_);
        for (std::size_t k = 0; k < n; ++k) take(k);
    }
    ++n_passes;
    n_row_steps += std::int64_t{node.n} * static_cast<std::int64_t>(node.columns.size());
}

ClassPairSolver::Begun ClassPairSolver::begun(const Node& node, std::size_t k, bool three_leaves) {
    const auto [at, split] = splits_[k];
    const Lane lane = lane_costs(node, k);
    SplitBounds point{split, lane.left, lane.right};
    PartialTree::Kind kind = PartialTree::Kind::pair;
    if (three_leaves) {  // one side is a leaf
        const Cost left = lane.left_leaf + lane.right, right = lane.left + lane.right_leaf;
        point.sum = std::min(left, right);
        kind = left <= right ? PartialTree::Kind::leaf_left : PartialTree::Kind::leaf_right;
    }
    profiles_[at].insert(point);
    const std::uint32_t first_right = row_of(node.orders[at][left_rows_[k]]);
    return {point.cost(), PartialTree::pair(node.columns[at], data_.rank_of(node.columns[at], first_right), kind)};
}

// Which of equal trees solve() meets first depends on the switches. Here the splits that may cost as little are looked
// at in their order, those that it has closed at that cost among them.
std::optional<PartialTree> ClassPairSolver::first_of_equals(const Node& node, bool three_leaves, const Outcome& found) {
    std::optional<PartialTree> first;
    for (std::size_t at = 0; at < node.columns.size(); ++at)
        for (;;) {
            choose_first_splits(at, found.upper + 1);
            if (chosen_.empty()) break;
            if (control_.step(work_of(node))) return std::nullopt;
            pass(node, [&](std::size_t k) {
                const Begun tree = begun(node, k, three_leaves);
                if (!first && tree.cost == found.upper) first = tree.plan;
            });
            if (first) return first;
        }
    return found.plan;
}

void ClassPairSolver::within(const Node& node, Cost budget, std::vector<SolvedSplit>& found) {
    const std::size_t n_columns = node.columns.size();
    for (std::size_t at = 0; at < n_columns; ++at)
        profiles_[at].reset(objective_, options_, node, at, objective_.leaf_penalty());
    choose_kernel(node);
    mark_checks(node);
    const std::int64_t work = work_of(node);
    for (;;) {
        choose_splits(n_columns, budget + 1);
        if (chosen_.empty() || control_.step(work)) return;
        pass(node, [&](std::size_t k) {
            const auto [at, split] = splits_[k];
            const Lane lane = lane_costs(node, k);
            if (lane.left + lane.right <= budget)
                found.push_back({at, profiles_[at].position(split), lane.left, lane.right});
            SplitBounds point{split, lane.left, lane.right};
            point.tag = kSolved;
            profiles_[at].insert(point);
        });
    }
}

void ClassPairSolver::keep(const Node& node, Cost target, Memo& memo) const {
    target += objective_.stake(node) / 32;  // neighbours' targets differ a little
    memo.columns = node.columns;
    for (std::size_t at = 0; at < node.columns.size(); ++at) {
        profiles_[at].export_to(data_, node, at, target, memo.hints);
        memo.ends.push_back(memo.hints.size());
    }
}

template <class Add>
void ClassPairSolver::each_open_stretch(const IntervalBounds& profile, Cost target, Add add) {
    for (std::size_t i = 0; i + 1 < profile.points().size(); ++i) {
        const SplitBounds& point = profile.points()[i];
        if (profile.open(point, target) && point.tag != kSolved) add(point.split, point.split);
        const Gap gap = profile.gap(i, target);
        if (gap.open()) add(gap.first, gap.last);
    }
}

void ClassPairSolver::choose_splits(std::size_t n_columns, Cost target) {
    chosen_.clear();
    open_.clear();
    open_columns_.clear();
    for (std::size_t at = 0; at < n_columns; ++at) {
        OpenColumn column{static_cast<std::uint32_t>(at), 0, open_.size(), 0};
        const auto add = [&](std::uint32_t first, std::uint32_t last) {
            open_.push_back({first, last});
            column.n_open += last + 1 - first;
        };
        each_open_stretch(profiles_[at], target, add);
        column.end = open_.size();
        if (column.n_open > 0) open_columns_.push_back(column);
    }
    // What columns with few open splits leave of their share goes to the others.
    std::stable_sort(open_columns_.begin(), open_columns_.end(),
                     [](const OpenColumn& a, const OpenColumn& b) { return a.n_open < b.n_open; });
    for (std::size_t c = 0; c < open_columns_.size() && chosen_.size() < n_together_; ++c) {
        const auto& [at, n_open, begin, end] = open_columns_[c];
        const std::size_t share = std::max<std::size_t>((n_together_ - chosen_.size()) / (open_columns_.size() - c), 1);
        const std::uint64_t n_chosen = std::min<std::uint64_t>(n_open, share);
        std::uint64_t chosen = 0, before = 0;  // open splits of earlier stretches
        for (std::size_t i = begin; i < end; ++i) {
            const auto [first, last] = open_[i];
            for (; chosen < n_chosen; ++chosen) {
                const std::uint64_t wanted = (2 * chosen + 1) * n_open / (2 * n_chosen) - before;
                if (wanted > last - first) break;
                chosen_.push_back({at, first + static_cast<std::uint32_t>(wanted)});
            }
            before += last + 1 - first;
        }
    }
}

void ClassPairSolver::choose_first_splits(std::size_t at, Cost target) {
    chosen_.clear();
    const auto add = [&](std::uint32_t first, std::uint32_t last) {
        for (std::uint32_t split = first; split <= last && chosen_.size() < n_together_; ++split)
            chosen_.push_back({static_cast<std::uint32_t>(at), split});
    };
    each_open_stretch(profiles_[at], target, add);
}

ClassPairSolver::Lane ClassPairSolver::lane_costs(const Node& node, std::size_t k) const {
    const auto lane = [&](std::int64_t left_leaf, std::int64_t left_split, std::int64_t right_leaf,
                          std::int64_t right_split) {
        const Cost one = objective_.leaf_penalty(), left = left_leaf * objective_.unit() + one,
                   right = right_leaf * objective_.unit() + one;
        return Lane{left, std::min(left, left_split * objective_.unit() + 2 * one), right,
                    std::min(right, right_split * objective_.unit() + 2 * one)};
    };
    const std::int64_t left_span = left_span_[k], right_span = node.span - left_span;
    std::int32_t left = 0, right = 0;
    for (const std::uint32_t c : present_) {
        left = std::max(left, left_gain_[c * kMaxLanes + k]);
        right = std::max(right, right_gain_[c * kMaxLanes + k]);
    }
    return lane(left_span - left, left_span - task_.best_left[k], right_span - right, right_span - task_.best_right[k]);
}

// Between two groups that are both pure with one and the same label, no second split is needed: along a run of rows
// of one label the cost vectors of both leaves are linear in the weight moved, their minima over classes concave, so
// one of the run's two ends is at least as good. Holds for any subset of the rows, so for every lane; it needs leaves
// of any size. Worth it where every split is looked at and looking is dear: with many classes and weights.
void ClassPairSolver::mark_checks(const Node& node) {
    orders_ = node.orders;
    if (mode_ != Mode::many || data_.min_leaf > 1) return;
    checked_.resize(node.orders.size() * node.n);
    constexpr std::uint32_t kMixed = 0xffffffffu;
    for (std::size_t at = 0; at < node.orders.size(); ++at) {
        const std::uint32_t* order = node.orders[at];
        std::uint32_t* checked = &checked_[at * node.n];
        orders_[at] = checked;
        std::uint32_t before = kMixed;  // label of the group before
        for (std::uint32_t i = 0; i < node.n;) {
            std::uint32_t label = data_.label[row_of(order[i])];
            std::uint32_t end = i;
            do {
                checked[end] = order[end] & ~1u;
                if (data_.label[row_of(order[end])] != label) label = kMixed;
                ++end;
            } while (end < node.n && !starts_group(order[end]));
            if (i > 0 && (label == kMixed || label != before)) checked[i] |= 1u;
            before = label;
            i = end;
        }
    }
}

}  // namespace treewright::ranked
