// Whole trees: made in a hurry, carried over from other rows, written down.
#include "treewright/search/ranked_search.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace treewright::ranked {

namespace {

struct FoundSplit {
    std::size_t at;          // number of the node's column
    std::uint32_t position;  // of the first row on the right
};

FoundSplit find_split(const RankedTable& table, const Node& node, std::uint32_t column, std::uint32_t rank) {
    const auto at = std::find(node.columns.begin(), node.columns.end(), column) - node.columns.begin();
    const std::uint32_t* order = node.orders[static_cast<std::size_t>(at)];
    const std::uint32_t* split = std::partition_point(
        order, order + node.n, [&](std::uint32_t entry) { return table.rank_of(column, row_of(entry)) < rank; });
    return {static_cast<std::size_t>(at), static_cast<std::uint32_t>(split - order)};
}

enum class Side : std::uint8_t { left, right, both };

// Where a split sends the node's rows, which vary in some column.
Side side_of(const RankedTable& table, const Node& node, std::uint32_t column, std::uint32_t rank) {
    const auto at = std::find(node.columns.begin(), node.columns.end(), column);
    const auto* order = node.orders[at == node.columns.end() ? 0 : static_cast<std::size_t>(at - node.columns.begin())];
    if (table.rank_of(column, row_of(order[0])) >= rank) return Side::right;
    return at == node.columns.end() || table.rank_of(column, row_of(order[node.n - 1])) < rank ? Side::left
                                                                                               : Side::both;
}

// Leaves of the part of a written tree that starts at `at`, which moves behind it.
std::uint32_t skip(std::span<const TreeNode> tree, std::size_t& at) {
    if (tree[at++].column == TreeNode::kLeaf) return 1;
    const std::uint32_t left = skip(tree, at);
    return left + skip(tree, at);
}

}  // namespace

PartialTree Search::remember(const Node& node, std::size_t at, std::uint32_t position, PartialTree left,
                             PartialTree right) {
    const std::uint32_t column = node.columns[at];
    return store_->plant({column, table_.rank_of(column, row_of(node.orders[at][position])), left, right});
}

PartialTree Search::split_of(const Node& node, const Stump& stump) {
    if (stump.column == Stump::kLeaf) return PartialTree::leaf();
    const auto [at, position] = find_split(table_, node, stump.column, stump.rank);
    return remember(node, at, position, PartialTree::leaf(), PartialTree::leaf());
}

void Search::grant_a_look() {
    const auto cells = static_cast<std::int64_t>(std::size_t{table_.n_rows} * table_.n_columns);
    if (control_.ended()) control_.grace(std::max(kLook, cells >> 8));
}

// A good tree at once: the root split of the best tree of depth two, then the same on both sides; pruned where a leaf
// is as good.
Outcome Search::greedy(const Node& node, Size size, std::size_t level) {
    const Outcome pair = solve(node, {std::min(size.depth, 2u), size.leaves}, kNoCost, level);
    if (size.depth <= 2 || !pair.plan.is_pair() || control_.stopped()) return pair;
    Outcome result = pair;
    const auto [at, position] = find_split(table_, node, pair.plan.column(), pair.plan.rank());
    Node left, right;
    const Stack::Mark mark = stack_.mark();
    divide(objective_, node, at, position, stack_, goes_left_, left, right);
    Size on_left = size.below(), on_right = size.below();
    if (size.leaves != Size::kAny) {  // leaves are shared by what there is to correct
        const auto loss_of = [&](const Node& side) {
            return static_cast<double>(objective_.leaf_cost(side) - objective_.leaf_penalty());
        };
        const double mass = loss_of(left) + loss_of(right);
        const double share = mass > 0 ? loss_of(left) / mass : 0.5;
        const auto most = static_cast<double>(size.leaves - 1);
        on_left.leaves = static_cast<std::uint32_t>(std::clamp(std::round(share * size.leaves), 1.0, most));
        on_right.leaves = size.leaves - on_left.leaves;
    }
    const Outcome a = greedy(left, on_left.fitted(), level + 1), b = greedy(right, on_right.fitted(), level + 1);
    if (a.upper + b.upper < result.upper) result.offer(a.upper + b.upper, remember(node, at, position, a.plan, b.plan));
    stack_.release(mark);
    return result;
}

// The greedy tree of single splits, for a run that is stopped, which may have nothing yet or less than this: each level
// is one pass over the rows and columns, whatever the limits. So no stopped run ends with a worse tree than the best
// one of a single split, or than a run that was stopped before it, unless one pass takes long and is cut short. Where
// one pass takes long there is no second. The split is kept, for finding it again would be another pass.
Outcome Search::stump_tree(const Node& node, Size size, std::size_t level) {
    const Cost leaf = objective_.leaf_cost(node);
    const Stump stump = size.depth == 0 ? Stump{leaf, Stump::kLeaf, 0} : objective_.best_stump_within(node, control_);
    if (stump.column == Stump::kLeaf) return {0, leaf, PartialTree::leaf()};
    const auto [at, position] = find_split(table_, node, stump.column, stump.rank);
    Outcome result{0, stump.cost, split_of(node, stump)};
    const std::size_t cells = std::size_t{node.n} * node.columns.size() * objective_.stump_work();
    if (size.depth == 1 || size.leaves != Size::kAny || cells > kStumpCells || control_.over()) return result;
    Node left, right;
    const Stack::Mark mark = stack_.mark();
    divide(objective_, node, at, position, stack_, goes_left_, left, right);
    const Outcome a = stump_tree(left, size.below(), level + 1), b = stump_tree(right, size.below(), level + 1);
    if (a.upper + b.upper < result.upper) result.offer(a.upper + b.upper, remember(node, at, position, a.plan, b.plan));
    stack_.release(mark);
    return result;
}

// A tree of other rows: its upper splits stay where they leave both sides rows enough for a leaf, and below them stands
// the best tree of depth two with no more leaves. In place of a split that does not, the subtree of the larger side
// stands for all rows of the node: leaves of the other rows may have been of any size (row_parts.hpp).
Outcome Search::refit(std::span<const TreeNode> tree, std::size_t& at, const Node& node, Size size, std::size_t level) {
    const TreeNode& top = tree[at];
    const bool is_leaf = top.column == TreeNode::kLeaf, any_leaves = size.leaves == Size::kAny;
    if ((is_leaf ? any_leaves : size.depth <= 2) && !control_.stopped()) {
        const std::uint32_t leaves = skip(tree, at);
        return solve(node, {std::min(size.depth, 2u), any_leaves ? Size::kAny : leaves}, kNoCost, level);
    }
    if (is_leaf || node.columns.empty()) {
        skip(tree, at);
        const Cost leaf = objective_.leaf_cost(node);
        return {leaf, leaf, PartialTree::leaf()};
    }
    Side side = side_of(table_, node, top.column, top.high);
    FoundSplit split{};
    if (side == Side::both) {
        split = find_split(table_, node, top.column, top.high);
        const std::uint32_t on_right = node.n - split.position;
        if (std::min(split.position, on_right) < table_.min_leaf)
            side = split.position < on_right ? Side::right : Side::left;
    }
    if (side != Side::both) {
        ++at;
        if (side == Side::right) skip(tree, at);
        const Outcome rest = refit(tree, at, node, size.below(), level);
        if (side == Side::left) skip(tree, at);
        return rest;
    }
    Node left_node, right_node;
    const Stack::Mark mark = stack_.mark();
    divide(objective_, node, split.at, split.position, stack_, goes_left_, left_node, right_node);
    ++at;
    const Outcome left = refit(tree, at, left_node, size.below(), level + 1);
    const Outcome right = refit(tree, at, right_node, size.below(), level + 1);
    stack_.release(mark);
    const Cost cost = left.upper + right.upper;
    return {0, cost, remember(node, split.at, split.position, left.plan, right.plan)};
}

std::vector<TreeNode> Search::write(PartialTree plan) {
    Node root;
    make_root(objective_, root);
    if (!proven_) grant_a_look();
    std::vector<TreeNode> tree;
    write(plan, root, 0, tree);
    return tree;
}

void Search::write(PartialTree plan, const Node& node, std::size_t level, std::vector<TreeNode>& tree) {
    std::uint32_t column = TreeNode::kLeaf, rank = 0;
    PartialTree left = PartialTree::leaf(), right = PartialTree::leaf();
    switch (plan.kind()) {
        case PartialTree::Kind::leaf:
            break;
        case PartialTree::Kind::stump: {
            // A tree that is not proven is as good as there is time for.
            const Stump stump = proven_ ? objective_.best_stump(node) : objective_.best_stump_within(node, control_);
            column = stump.column;
            rank = stump.rank;
            break;
        }
        case PartialTree::Kind::pair:
        case PartialTree::Kind::leaf_left:
        case PartialTree::Kind::leaf_right:
            column = plan.column();
            rank = plan.rank();
            if (plan.kind() != PartialTree::Kind::leaf_left) left = PartialTree::stump();
            if (plan.kind() != PartialTree::Kind::leaf_right) right = PartialTree::stump();
            break;
        case PartialTree::Kind::node: {
            const TreePoolNode written = store_->planted(plan);
            column = written.column;
            rank = written.rank;
            left = written.left;
            right = written.right;
            break;
        }
    }
    tree.push_back({});
    if (column == TreeNode::kLeaf) return;
    const auto [at, position] = find_split(table_, node, column, rank);
    const std::uint32_t* order = node.orders[at];
    tree.back() = {column, table_.rank_of(column, row_of(order[position - 1])),
                   table_.rank_of(column, row_of(order[position]))};
    if (left.kind() == PartialTree::Kind::leaf && right.kind() == PartialTree::Kind::leaf) {  // the rows need no order
        tree.resize(tree.size() + 2);
        return;
    }
    Node left_node, right_node;
    const Stack::Mark mark = stack_.mark();
    divide(objective_, node, at, position, stack_, goes_left_, left_node, right_node);
    write(left, left_node, level + 1, tree);
    write(right, right_node, level + 1, tree);
    stack_.release(mark);
}

}  // namespace treewright::ranked
