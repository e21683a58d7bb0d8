#include "treewright/kernels/stump_pair_solver.hpp"

#include "treewright/space/orders.hpp"

#include <algorithm>

namespace treewright::ranked {

StumpPairSolver::StumpPairSolver(const RankedObjective& objective, const Options& options, Control& control,
                                 bool any_size)
    : PairSolver(options),
      objective_(objective),
      control_(control),
      any_size_(any_size && objective.table().min_leaf > 1),
      bounds_(objective.table().n_columns),
      goes_left_(objective.table().n_rows + OrderKernels::kPadding) {}

Outcome StumpPairSolver::solve(const Node& node, bool three_leaves, Cost budget,
                               std::span<const Neighbour> neighbours) {
    Outcome result;
    result.upper = objective_.leaf_cost(node);
    const std::size_t n_columns = node.columns.size();
    for (std::size_t at = 0; at < n_columns; ++at)
        bounds_[at].reset(objective_, options_, node, at, objective_.leaf_penalty(), any_size_);
    for (const Neighbour& neighbour : neighbours) {
        if (neighbour.memo == nullptr || !worth_sharing(node)) continue;
        import_memo(*neighbour.memo, objective_.table(), node, neighbour.relation, neighbour.loss, bounds_);
    }
    search_splits(node, three_leaves, budget, result);
    result.lower = result.upper;
    const Cost target = std::min(result.upper, budget);
    for (std::size_t at = 0; at < n_columns; ++at)
        result.lower = std::min(result.lower, bounds_[at].lower_bound(target));
    return result;
}

void StumpPairSolver::search_splits(const Node& node, bool three_leaves, Cost budget, Outcome& result) {
    const std::size_t sums = std::size_t{node.n} * node.columns.size() * (8 + objective_.n_sums()) / 8;
    const std::int64_t work = 1 + static_cast<std::int64_t>(sums / 4096);
    std::vector<std::uint32_t> splits;
    for (bool any = true; any;) {
        any = false;
        for (std::size_t at = 0; at < node.columns.size(); ++at) {
            const IntervalBounds& bounds = bounds_[at];
            const Cost target = std::min(result.upper, budget);
            splits.clear();  // what others said may be cheap, and the middle of every gap
            for (std::size_t i = 0; i + 1 < bounds.points().size(); ++i) {
                if (bounds.open(bounds.points()[i], target)) splits.push_back(bounds.points()[i].split);
                const Gap gap = bounds.gap(i, target);
                if (gap.open()) splits.push_back(gap.first + (gap.last - gap.first) / 2);
            }
            for (const std::uint32_t split : splits) {
                any = true;
                // Its neighbours may have told enough since.
                if (const SplitBounds known = bounds.bounds(split); known.cost() >= std::min(result.upper, budget)) {
                    bounds_[at].insert(known);
                    continue;
                }
                if (control_.step(work)) return;
                solve_split(node, at, split, three_leaves, result);
            }
        }
    }
}

void StumpPairSolver::solve_split(const Node& node, std::size_t at, std::uint32_t split, bool three_leaves,
                                  Outcome& result) {
    const std::uint32_t position = bounds_[at].position(split);
    const Stack::Mark mark = stack_.mark();
    divide(objective_, node, at, position, stack_, goes_left_, left_, right_);
    const Stump left = objective_.best_stump_within(left_, control_);
    const Stump right = left.whole ? objective_.best_stump_within(right_, control_) : left;
    stack_.release(mark);
    if (!right.whole) return;
    ++n_passes;
    n_row_steps += std::int64_t{node.n} * static_cast<std::int64_t>(node.columns.size());
    const Cost cost = left.cost + right.cost;
    SplitBounds point{split, left.cost, right.cost, cost};
    if (any_size_) point.left = left.any_size, point.right = right.any_size;
    PartialTree::Kind kind = PartialTree::Kind::pair;
    if (three_leaves) {  // one side is a leaf
        const Cost on_right = objective_.leaf_cost(left_) + right.cost,
                   on_left = left.cost + objective_.leaf_cost(right_);
        point.sum = std::min(on_right, on_left);
        kind = on_right <= on_left ? PartialTree::Kind::leaf_left : PartialTree::Kind::leaf_right;
    }
    bounds_[at].insert(point);
    const std::uint32_t first_right = row_of(node.orders[at][position]);
    result.offer(point.sum,
                 PartialTree::pair(node.columns[at], objective_.table().rank_of(node.columns[at], first_right), kind));
}

void StumpPairSolver::keep(const Node& node, Cost target, Memo& memo) const {
    target += objective_.stake(node) / 32;  // neighbours' targets differ a little
    memo.columns = node.columns;
    for (std::size_t at = 0; at < node.columns.size(); ++at) {
        bounds_[at].export_to(objective_.table(), node, at, target, memo.hints);
        memo.ends.push_back(memo.hints.size());
    }
}

}  // namespace treewright::ranked
