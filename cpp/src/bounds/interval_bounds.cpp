#include "treewright/bounds/interval_bounds.hpp"

#include "treewright/objective/ranked_objective.hpp"
#include "treewright/space/ranked_node.hpp"

#include <algorithm>

namespace treewright::ranked {

void IntervalBounds::reset(const RankedObjective& objective, const Options& options, const Node& node, std::size_t at,
                           Cost whole, bool any_size) {
    const std::span order{node.orders[at], node.n};
    const std::uint32_t min_leaf = objective.table().min_leaf;
    split_positions(order, position_);
    n_rows_ = node.n;
    unit_ = objective.span_unit();
    leaf_ = objective.leaf_penalty();
    total_span_ = node.span * unit_;
    any_size_ = any_size && min_leaf > 1;
    monotone_ = options.monotone && objective.laws().monotone && (min_leaf == 1 || any_size);
    // a point's sum holds for leaves of any size only where no stretch of rows moves from one side to the other
    lipschitz_ = options.lipschitz && objective.laws().similar && !any_size_;
    prefix_.clear();
    if (lipschitz_) objective.prefix_spans(order, position_, prefix_);
    const auto n_splits = static_cast<std::uint32_t>(position_.size());
    first_legal_ = 1;
    last_legal_ = n_splits;
    if (min_leaf > 1) {
        while (first_legal_ <= n_splits && position(first_legal_) < min_leaf) ++first_legal_;
        while (last_legal_ >= 1 && n_rows_ - position(last_legal_) < min_leaf) --last_legal_;
    }
    points_.clear();
    points_.push_back({0, leaf_, std::max(leaf_, whole)});
    points_.push_back({n_splits + 1, std::max(leaf_, whole), leaf_});
}

void IntervalBounds::reopen(Cost whole) {
    for (SplitBounds& point : points_) point.between = 0;
    points_.front().right = std::max(points_.front().right, whole);
    points_.back().left = std::max(points_.back().left, whole);
    spread();
}

Cost IntervalBounds::span_(std::uint32_t split) const {
    if (split == 0) return 0;
    if (split > position_.size()) return total_span_;
    return prefix_.empty() ? unit_ * position_[split - 1] : prefix_[split - 1];
}

std::uint32_t IntervalBounds::first_beyond(Cost span) const {
    if (prefix_.empty()) {
        const Cost rows = span / unit_;  // W(split) = unit * p > span  <=>  p > floor(span / unit)
        return static_cast<std::uint32_t>(
                   std::upper_bound(position_.begin(), position_.end(), rows,
                                    [](Cost value, std::uint32_t p) { return value < Cost{p}; }) -
                   position_.begin()) +
               1;
    }
    return static_cast<std::uint32_t>(std::upper_bound(prefix_.begin(), prefix_.end(), span) - prefix_.begin()) + 1;
}

std::uint32_t IntervalBounds::last_before(Cost span) const {
    if (prefix_.empty()) {
        // W(split) = unit * p < span  <=>  p < ceil(span / unit)
        const Cost rows = span <= 0 ? 0 : (span - 1) / unit_ + 1;
        return static_cast<std::uint32_t>(
            std::lower_bound(position_.begin(), position_.end(), rows,
                             [](std::uint32_t p, Cost value) { return Cost{p} < value; }) -
            position_.begin());
    }
    return static_cast<std::uint32_t>(std::lower_bound(prefix_.begin(), prefix_.end(), span) - prefix_.begin());
}

Cost IntervalBounds::gap_bound(const SplitBounds& a, const SplitBounds& b) const {
    Cost bound = 2 * leaf_;
    if (monotone_) bound = std::max(bound, a.left + b.right);
    if (lipschitz_) bound = std::max(bound, b.left + a.right - span_between(a.split, b.split));
    return bound;
}

Gap IntervalBounds::gap(std::size_t left_point, Cost target) const {
    const SplitBounds& a = points_[left_point];
    const SplitBounds& b = points_[left_point + 1];
    Gap gap{std::max(a.split + 1, first_legal_), std::min(b.split - 1, last_legal_), 0};
    if (!gap.open()) return gap;
    gap.bound = gap_bound(a, b);
    if (a.between > 0) gap.bound = std::max(gap.bound, a.left + b.right + a.between);  // monotone then
    if (gap.bound >= target) {
        gap.last = gap.first - 1;
        return gap;
    }
    if (monotone_ && lipschitz_) {
        const Cost from_left = a.cost() - target, from_right = b.cost() - target;
        if (from_left >= 0) gap.first = std::max(gap.first, first_beyond(span_(a.split) + from_left));
        if (from_right >= 0) gap.last = std::min(gap.last, last_before(span_(b.split) - from_right));
        if (gap.last + 1 < gap.first) gap.last = gap.first - 1;
    }
    return gap;
}

std::size_t IntervalBounds::point_before(std::uint32_t split) const {
    return static_cast<std::size_t>(
               std::upper_bound(points_.begin(), points_.end(), split,
                                [](std::uint32_t c, const SplitBounds& p) { return c < p.split; }) -
               points_.begin()) -
           1;
}

void IntervalBounds::insert(SplitBounds point) {
    std::size_t i = point_before(point.split) + 1;
    const SplitBounds known = bounds(point.split);
    point.left = std::max(point.left, known.left);
    point.right = std::max(point.right, known.right);
    point.sum = std::max(point.sum, known.sum);
    if (points_[i - 1].split == point.split) {
        --i;
        point.between = points_[i].between;
        points_[i] = point;
    } else {
        points_[i - 1].between = 0;
        points_.insert(points_.begin() + static_cast<std::ptrdiff_t>(i), point);
    }
    // ... and of the new point for the others, outwards while anything changes.
    for (std::size_t j = i + 1; j < points_.size(); ++j) {
        SplitBounds& p = points_[j];
        const Cost loss = span_(p.split) - span_(point.split);
        bool changed = false;
        if (monotone_ && p.left < point.left) p.left = point.left, changed = true;
        if (lipschitz_ && p.right < point.right - loss) p.right = point.right - loss, changed = true;
        if (!changed) break;
    }
    for (std::size_t j = i; j-- > 0;) {
        SplitBounds& p = points_[j];
        const Cost loss = span_(point.split) - span_(p.split);
        bool changed = false;
        if (monotone_ && p.right < point.right) p.right = point.right, changed = true;
        if (lipschitz_ && p.left < point.left - loss) p.left = point.left - loss, changed = true;
        if (!changed) break;
    }
}

void IntervalBounds::import_from(const RankedTable& table, const Node& node, std::size_t at,
                                 std::span<const Hint> hints, Relation relation, Cost loss) {
    if ((relation == Relation::subset && !monotone_) || (relation == Relation::superset && !lipschitz_)) return;
    const std::uint32_t* order = node.orders[at];
    const std::uint32_t column = node.columns[at];
    const auto rank_at = [&](std::size_t split) {  // of the first row on the right
        return table.rank_of(column, row_of(order[position_[split - 1]]));
    };
    const std::size_t n_splits = position_.size();
    std::vector<SplitBounds> merged;
    merged.reserve(points_.size() + hints.size());
    std::size_t next = 0, split = 1;  // points taken so far; first split not before the hint
    for (const Hint& hint : hints) {
        const Cost left = std::max(leaf_, hint.left - loss), right = std::max(leaf_, hint.right - loss);
        const Cost sum = any_size_ && relation != Relation::same ? 0 : hint.sum - loss;
        if (table.rank_of(column, row_of(order[0])) >= hint.rank) continue;
        // Gallop to the first split whose right side starts at the hint's rank or beyond: the same rows go left.
        std::size_t step = 1, low = split;
        while (low + step <= n_splits && rank_at(low + step - 1) < hint.rank) low += step, step *= 2;
        std::size_t high = std::min(low + step, n_splits + 1);
        while (low < high) {
            const std::size_t middle = (low + high) / 2;
            if (rank_at(middle) < hint.rank)
                low = middle + 1;
            else
                high = middle;
        }
        split = low;
        if (split > n_splits) break;
        while (next < points_.size() && points_[next].split <= split) merged.push_back(points_[next++]);
        if (merged.back().split == split) {
            merged.back().left = std::max(merged.back().left, left);
            merged.back().right = std::max(merged.back().right, right);
            merged.back().sum = std::max(merged.back().sum, sum);
        } else {
            merged.push_back({static_cast<std::uint32_t>(split), left, right, sum});
        }
    }
    merged.insert(merged.end(), points_.begin() + static_cast<std::ptrdiff_t>(next), points_.end());
    points_.swap(merged);
    spread();
}

void IntervalBounds::spread() {
    for (std::size_t i = 1; i < points_.size(); ++i) {
        const SplitBounds& a = points_[i - 1];
        SplitBounds& b = points_[i];
        if (monotone_) b.left = std::max(b.left, a.left);
        if (lipschitz_) b.right = std::max(b.right, a.right - span_between(a.split, b.split));
    }
    for (std::size_t i = points_.size() - 1; i-- > 0;) {
        SplitBounds& a = points_[i];
        const SplitBounds& b = points_[i + 1];
        if (monotone_) a.right = std::max(a.right, b.right);
        if (lipschitz_) a.left = std::max(a.left, b.left - span_between(a.split, b.split));
    }
}

void IntervalBounds::export_to(const RankedTable& table, const Node& node, std::size_t at, Cost target,
                               std::vector<Hint>& hints) const {
    std::size_t kept = 0;
    for (std::size_t i = 1; i + 1 < points_.size(); ++i) {
        if (gap_bound(points_[kept], points_[i + 1]) >= target) continue;
        kept = i;
        const std::uint32_t row = row_of(node.orders[at][position(points_[i].split)]);
        hints.push_back({table.rank_of(node.columns[at], row), points_[i].left, points_[i].right, points_[i].cost()});
    }
}

SplitBounds IntervalBounds::bounds(std::uint32_t split) const {
    const std::size_t i = point_before(split);
    const SplitBounds& a = points_[i];
    if (a.split == split) return a;
    const SplitBounds& b = points_[i + 1];
    SplitBounds at{split, leaf_, leaf_};
    if (monotone_) {
        at.left = std::max(at.left, a.left);
        at.right = std::max(at.right, b.right);
    }
    if (lipschitz_) {
        at.left = std::max(at.left, b.left - span_between(split, b.split));
        at.right = std::max(at.right, a.right - span_between(a.split, split));
    }
    return at;
}

Cost IntervalBounds::lower_bound(Cost target) const {
    Cost bound = kNoCost;
    for (std::size_t i = 0; i + 1 < points_.size(); ++i) {
        const SplitBounds &a = points_[i], &b = points_[i + 1];
        if (legal(a.split)) bound = std::min(bound, a.cost());
        if (b.split - a.split == 1) continue;
        const Gap rest = gap(i, target);
        // What rows between two points add was said of open splits alone: of a closed one it is the target that counts.
        bound = std::min(bound, rest.open() ? rest.bound : std::max(gap_bound(a, b), target));
    }
    return bound;
}

}  // namespace treewright::ranked
