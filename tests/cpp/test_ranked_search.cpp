// Under sanitizers: the bounds of a profile against every neighbour solved, and searches with random switches and
// limits against each other.
#include "check.hpp"
#include "made_ranked.hpp"
#include "ranked_search.hpp"
#include "treewright/bounds/core_rows.hpp"
#include "treewright/bounds/label_odds.hpp"
#include "treewright/space/orders.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

using namespace treewright;
using namespace treewright::ranked;

namespace {

// Every conclusion of a profile of column 0, at depth one below the split, against the truth.
void check_profile(std::mt19937& random, const Misclassification& objective) {
    const LabelledTable& d = objective.data();
    Node root;
    make_root(objective, root);
    if (root.columns.empty() || root.columns[0] != 0 || root.n < 2 * d.min_leaf) return;
    Options options;
    options.monotone = random() % 4 != 0;
    options.lipschitz = random() % 4 != 0;
    IntervalBounds profile;
    profile.reset(objective, options, root, 0, objective.best_stump(root).cost);
    const auto n_splits = static_cast<std::uint32_t>(profile.n_splits());
    std::vector<SplitBounds> truth{{0, 0, 0}};
    std::vector<std::uint8_t> scratch(d.n_rows + OrderKernels::kPadding);
    Cost best = kNoCost;
    for (std::uint32_t split = 1; split <= n_splits; ++split) {
        Stack stack;
        Node left, right;
        divide(objective, root, 0, profile.position(split), stack, scratch, left, right);
        truth.push_back({split, objective.best_stump(left).cost, objective.best_stump(right).cost});
        if (profile.legal(split)) best = std::min(best, truth.back().left + truth.back().right);
    }
    if (best == kNoCost) return;
    Cost target = best + static_cast<Cost>(random() % (3 * static_cast<std::uint64_t>(objective.unit())));
    for (int step = 0; step < 8; ++step) {
        if (step == 6) {  // asked again for more: what was said of splits that were open before holds no longer
            for (std::size_t i = 0; i + 1 < profile.points().size(); ++i) profile.add_between(i, kNoCost / 8);
            profile.reopen(objective.best_stump(root).cost);
            target += objective.unit();
        }
        const std::uint32_t split = 1 + static_cast<std::uint32_t>(random() % n_splits);
        if (profile.legal(split)) profile.insert(truth[split]);
        std::vector<char> open(n_splits + 1, 0);
        for (std::size_t i = 0; i + 1 < profile.points().size(); ++i) {
            const Gap gap = profile.gap(i, target);
            for (std::uint32_t c = gap.first; gap.open() && c <= gap.last; ++c) {
                open[c] = 1;
                check(gap.bound <= truth[c].left + truth[c].right, "gap bound");
            }
        }
        for (const SplitBounds& point : profile.points())
            if (point.split >= 1 && point.split <= n_splits) open[point.split] = 1;
        for (std::uint32_t c = 1; c <= n_splits; ++c) {
            if (!profile.legal(c)) continue;
            const SplitBounds bound = profile.bounds(c);
            check(bound.left <= truth[c].left && bound.right <= truth[c].right, "bounds of a split");
            if (open[c] == 0) check(truth[c].left + truth[c].right >= target, "closed split");
        }
        check(profile.lower_bound(target) <= best, "lower bound");
    }
    if (!profile.monotone()) return;
    // What is said of the open splits of a gap says nothing of its closed ones, under a target that none is below.
    target = best - static_cast<Cost>(random() % (2 * static_cast<std::uint64_t>(objective.unit())));
    for (std::size_t i = 0; i + 1 < profile.points().size(); ++i) {
        const Gap gap = profile.gap(i, target);
        if (!gap.open()) continue;
        Cost least = kNoCost;
        for (std::uint32_t c = gap.first; c <= gap.last; ++c) least = std::min(least, truth[c].left + truth[c].right);
        profile.add_between(i, least - profile.points()[i].left - profile.points()[i + 1].right);
    }
    check(profile.lower_bound(target) <= best, "lower bound of all splits, with what is said of open ones");
}

// Best cost of a written tree on a table: each leaf has the label that is best there.
Cost cost_of(const LabelledTable& d, const std::vector<TreeNode>& tree, std::size_t& at,
             const std::vector<std::uint32_t>& rows) {
    const TreeNode node = tree[at++];
    if (node.column == TreeNode::kLeaf) {
        std::vector<Cost> loss(d.n_classes, 0);
        for (const std::uint32_t row : rows)
            for (std::uint32_t k = 0; k < d.n_classes; ++k)
                loss[k] += Cost{d.weight[row]} * d.cost[d.label[row] * d.n_classes + k];
        return *std::min_element(loss.begin(), loss.end());
    }
    std::vector<std::uint32_t> left, right;
    for (const std::uint32_t row : rows) (d.rank_of(node.column, row) < node.high ? left : right).push_back(row);
    const Cost on_left = cost_of(d, tree, at, left);
    return on_left + cost_of(d, tree, at, right);
}

Cost cost_of(const LabelledTable& d, const std::vector<TreeNode>& tree) {
    std::vector<std::uint32_t> rows(d.n_rows);
    std::iota(rows.begin(), rows.end(), 0u);
    std::size_t at = 0;
    return cost_of(d, tree, at, rows);
}

// A core only grows; a tree it holds costs there what it costs on all rows; its optimum is no higher than that of all.
void check_core(std::mt19937& random, const Misclassification& objective) {
    const LabelledTable& d = objective.data();
    Control control{Limits{}};
    const std::vector<float> odds = label_odds(d, control, [](const auto&) { return true; });
    check(odds.size() == d.n_rows, "odds of every row");
    check(label_odds(d, control, [](const auto&) { return false; }).empty(), "no odds where they are not wanted");
    const bool any = std::any_of(odds.begin(), odds.end(), [](float own) { return own > 0; });
    check((objective.core_rows(1e9, 0, control) == nullptr) == any, "no core of more rows than are allowed");
    for (std::uint32_t row = 0; row < d.n_rows; ++row)
        check(odds[row] >= 0 && (odds[row] == 0) == (d.span[row] == 0), "odds where a row can be charged");
    CoreRows core(objective, odds);
    core.take(0.5 * static_cast<double>(random() % 8));
    const std::size_t before = core.size();
    std::vector<TreeNode> tree(7);
    for (const std::size_t inner : {0, 1, 4}) {
        const auto column = static_cast<std::uint32_t>(random() % d.n_columns);
        const auto rank = static_cast<std::uint32_t>(random() % d.n_rows);
        tree[inner] = {column, rank, rank + 1};
    }
    core.cover(tree);
    check(core.size() >= before, "a core only grows");
    if (core.size() == 0) return;
    const auto few = core.objective();
    const auto table = [](const RankedObjective& part) { return dynamic_cast<const Misclassification&>(part).data(); };
    check(few->table().n_rows == core.size(), "as many rows as it says");
    check(cost_of(table(*few), tree) == cost_of(d, tree), "a tree that is covered costs the same");
    const Cost on_few = solve(*few, Options{}, {3}, {}).upper;
    if (d.min_leaf == 1) check(on_few <= solve(objective, Options{}, {3}, {}).upper, "f(K) <= f(S)");
    core.take(1e9);
    check(cost_of(table(*core.objective()), tree) == cost_of(d, tree), "all rows that count");
}

}  // namespace

int main() {
    std::mt19937 random(11);
    for (int round = 0; round < 400; ++round) {
        const auto objective = make_objective(random, 2 + static_cast<std::uint32_t>(random() % 40), 1 + round % 3);
        check_profile(random, *objective);
        check_core(random, *objective);
    }
    for (int round = 0; round < 60; ++round) {
        const auto objective = make_objective(random, 4 + static_cast<std::uint32_t>(random() % 24), 2 + round % 2);
        const Size depth{3 + static_cast<std::uint32_t>(random() % 2),
                         random() % 2 == 0 ? Size::kAny : 2 + static_cast<std::uint32_t>(random() % 8)};
        const Outcome best = solve(*objective, Options{}, depth, {});
        check(best.exact(), "solved");
        check_variants(random, *objective, depth, best.upper);
    }
    std::printf("profiles and searches agree\n");
    return 0;
}
