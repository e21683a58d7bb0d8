// The best tree of one split of a set of rows, and the cheapest, without sorting a column.
//
// A sort of a million rows and the sums at each of its thresholds take a quarter of a second a column. Most thresholds
// can be passed over: a pass adds each row to one of some thousand blocks of neighbouring ranks, the splits between
// blocks are looked at, and then those inside of the few blocks that may hold a better one.
//
// Inside a block. Let A be the rows left of it, B those in it, C those right of it; A_k is the weight of class k. A
// split inside sends A and a part S of B to the left. Adding rows of other classes makes a leaf worse, adding rows of
// its largest class better (an accuracy: (c + s) / (n + s) >= c / n; the lower end of the Wilson interval: it grows
// with c, falls with n, and grows with s in c + s of n + s). So, with b the largest class of B,
//     value(A + S)  =  max over k of value(A_k + S_k of |A| + |S|)
//                  <=  max over k of value(A_k + S_k of |A| + S_k)  <=  value(max A_k + b of |A| + b),
// and the same for C. The worse of the two sides is no better than both bounds. What a tree gets wrong is
// superadditive, so a split inside gets no less wrong than A and C do as leaves of their own. Sums are whole numbers;
// values of the Wilson interval are compared with room for their rounding (Measure::surely_less).
//
// The split that is returned is the first one in the order of columns and ranks among those as good, whichever way it
// was found: nothing depends on blocks but time. A block as good as the best so far is looked into, for its first.
//
// Cost: a pass over the rows of a column; one more, and a sort of the rows that it finds, where a block is looked into.
#include "treewright/leaf_accuracy/search.hpp"

#include <algorithm>

namespace treewright::leaf_accuracy {

struct Search::Reach {
    Value left, right;  // no side inside the block is better
    Whole wrong;        // no split inside gets less wrong
};

Search::Reach Search::reach_of(const Node& node, const SortedColumn& blocks, std::size_t block) const {
    const std::size_t n_classes = node.weight.size(), n_splits = blocks.splits.size();
    Whole left = 0, most_left = 0, right = 0, most_right = 0, most = 0;
    const auto weigh = [&](const auto& sums, const auto& all) {
        for (std::size_t k = 0; k < n_classes; ++k) {
            const auto before = block == 0 ? Whole{0} : static_cast<Whole>(sums[(block - 1) * n_classes + k]);
            const auto total = static_cast<Whole>(all[k]);
            const Whole until = block == n_splits ? total : static_cast<Whole>(sums[block * n_classes + k]);
            left += before;
            right += total - until;
            most_left = std::max(most_left, before);
            most_right = std::max(most_right, total - until);
            most = std::max(most, until - before);
        }
    };
    if (node.full.empty())
        weigh(blocks.left, node.weight);
    else
        weigh(blocks.full, node.full);
    return {{most_left + most, left + most}, {most_right + most, right + most}, left - most_left + right - most_right};
}

// Calls look(column, split) for every split of the node, but for those inside of blocks that may hold none of interest.
template <class MayHold, class Look>
void Search::visit_splits(const Node& node, std::size_t level, const MayHold& may_hold, const Look& look) {
    SortedColumn &sorted = level_at(level).column.sorted, &blocks = level_at(level).blocks;
    const auto look_at_all = [&](const SortedColumn& column) {
        for (std::size_t i = 0; i < column.splits.size(); ++i) look(column, i);
        statistics_.looked += static_cast<std::int64_t>(column.splits.size());
    };
    std::vector<bool> open;
    for (std::uint32_t c = 0; c < data_.table.n_columns; ++c) {
        const unsigned bits = node.rows.size() < options_.block_rows ? 0 : sorter_.bits_of_blocks(node, c);
        if (bits == 0) {
            sorter_.sums(node, c, sorted);
            look_at_all(sorted);
            continue;
        }
        sorter_.sums_of_blocks(node, c, bits, blocks);
        look_at_all(blocks);
        const std::size_t n_splits = blocks.splits.size();
        open.assign(n_splits + 1, false);
        bool any = false;
        for (std::size_t block = 0; block <= n_splits; ++block) {
            const Count before = block == 0 ? 0 : blocks.splits[block - 1].position;
            const Count until = block == n_splits ? node.n() : blocks.splits[block].position;
            if (until - before < 2 || until - 1 < data_.min_leaf || node.n() - before - 1 < data_.min_leaf) continue;
            if (may_hold(reach_of(node, blocks, block))) open[block] = any = true;
        }
        if (!any) continue;
        sorter_.sums_inside(node, blocks, bits, open, sorted);
        look_at_all(sorted);
    }
}

Outcome Search::split_once(const Node& node, std::size_t level) {
    Outcome best{deficit(node) == 0, 0, node.value, PartialTree::leaf()};
    TreePoolNode split{};
    const auto may_hold = [&](const Reach& reach) {
        for (const Value bound : {reach.left, reach.right})
            if (target().out_of_reach(data_.measure, bound) ||
                (best.feasible && data_.measure.surely_less(bound, best.value)))
                return false;
        return true;
    };
    visit_splits(node, level, may_hold, [&](const SortedColumn& column, std::size_t i) {
        const auto [left, right] = column.sides(node, i);
        if (deficit(left) + deficit(right) > 0) return;
        const Value value = worse(left.value, right.value);
        const TreePoolNode here{column.column, column.splits[i].rank, PartialTree::leaf(), PartialTree::leaf()};
        if (best.feasible && !data_.measure.less(best.value, value)) {
            const bool before = best.plan == PartialTree::stump() && here.column == split.column &&
                                here.rank < split.rank && !data_.measure.less(value, best.value);
            if (!before) return;
        }
        best = {true, 0, value, PartialTree::stump()};
        split = here;
    });
    if (!best.feasible) best.lower = 1;  // deficits are whole numbers
    if (best.plan == PartialTree::stump()) best.plan = remember(split);
    return best;
}

Cheapest Search::cheapest_stump(const Node& node, std::size_t level) {
    Cheapest best{0, cost_of(node.leaf()), PartialTree::leaf()};
    TreePoolNode split{};
    const auto cost_of_wrong = [&](Whole wrong) { return rates_->unit * static_cast<Cost>(wrong) + 2 * rates_->leaf; };
    const auto may_hold = [&](const Reach& reach) {
        return cost_of_wrong(reach.wrong) <= best.upper && !target().out_of_reach(data_.measure, reach.left) &&
               !target().out_of_reach(data_.measure, reach.right);
    };
    visit_splits(node, level, may_hold, [&](const SortedColumn& column, std::size_t i) {
        const auto [left, right] = column.sides(node, i);
        const Cost cost = cost_of_wrong(node.value.weight - left.value.correct - right.value.correct);
        const TreePoolNode here{column.column, column.splits[i].rank, PartialTree::leaf(), PartialTree::leaf()};
        const bool before = best.plan == PartialTree::stump() && cost == best.upper && here.column == split.column &&
                            here.rank < split.rank;
        if ((cost >= best.upper && !before) || deficit(left) + deficit(right) > 0) return;
        best.upper = cost;
        best.plan = PartialTree::stump();
        split = here;
    });
    if (best.plan == PartialTree::stump()) best.plan = remember(split);
    best.lower = best.upper;
    return best;
}

}  // namespace treewright::leaf_accuracy
