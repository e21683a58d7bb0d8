// Under sanitizers: the search over groups of equal rows against the search over ranked columns, which knows nothing of
// cells; its kernel on every instruction set; and its bounds at a stop.
#include "check.hpp"
#include "treewright/kernels/cell_solver.hpp"
#include "treewright/objective/squared_error.hpp"
#include "treewright/objective/survival.hpp"
#include "treewright/search/group_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <numeric>
#include <vector>

using namespace treewright;
using namespace treewright::ranked;

namespace {

std::uint32_t number(Dice& dice, std::size_t below) { return static_cast<std::uint32_t>(dice.below(below)); }

// Many equal rows, equal and opposite columns.
void fill(RankedTable& table, Dice& dice, std::uint32_t n, std::uint32_t n_columns) {
    table.n_rows = n;
    table.n_columns = n_columns;
    table.min_leaf = dice.below(3) == 0 ? 2 + number(dice, 3) : 1;
    const bool binary = dice.coin();
    for (std::uint32_t c = 0; c < n_columns; ++c) {
        const std::uint32_t most = binary ? 2 : 1 + number(dice, 4), rare = 1 + number(dice, 4);
        const bool opposite = binary && c > 0 && dice.below(6) == 0;
        for (std::uint32_t i = 0; i < n; ++i) {
            const std::uint32_t fresh = dice.below(rare) == 0 ? number(dice, most) : 0;
            table.rank.push_back(opposite ? 1 - table.rank[(c - 1) * n + i] : fresh);
        }
        const auto last = table.rank.end() - n;
        std::vector<std::uint32_t> seen(last, table.rank.end());  // ranks without holes
        std::sort(seen.begin(), seen.end());
        seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
        for (auto r = last; r != table.rank.end(); ++r)
            *r = static_cast<std::uint32_t>(std::lower_bound(seen.begin(), seen.end(), *r) - seen.begin());
    }
}

std::unique_ptr<RankedObjective> squared_error(Dice& dice, std::uint32_t n, std::uint32_t n_columns) {
    const auto table = std::make_shared<TargetTable>();
    fill(*table, dice, n, n_columns);
    for (std::uint32_t i = 0; i < n; ++i) {
        table->weight.push_back(number(dice, 4));
        table->weighted.push_back(table->weight[i] * (Cost{number(dice, 9)} - 4) *
                                  (Cost{1} << (10 + number(dice, 20))));
    }
    table->prepare();
    const int shift = 20 + static_cast<int>(dice.below(10));
    return std::make_unique<SquaredError>(table, shift, 6, 1 + (Cost{number(dice, 5)} << (50 - shift)));
}

std::unique_ptr<RankedObjective> survival(Dice& dice, std::uint32_t n, std::uint32_t n_columns) {
    const auto table = std::make_shared<EventTable>();
    fill(*table, dice, n, n_columns);
    const int bits = 10 + static_cast<int>(dice.below(42));  // sums beyond what a double holds as well
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::int64_t weight = 1 + number(dice, 3);
        table->events.push_back(dice.coin() ? weight : 0);
        const std::int64_t hazard = table->events.back() == 0 && dice.below(4) == 0 ? 0 : 1 + number(dice, 9);
        table->hazard.push_back(weight * ((hazard << bits) + number(dice, 512)) / (hazard == 0 ? 1024 : 1));
    }
    table->scale = 20 + static_cast<int>(dice.below(12));
    table->prepare();
    return std::make_unique<Survival>(table, 6,
                                      1 + ((6 * table->slack + 3 + (Cost{number(dice, 2)} << table->scale)) << 6));
}

RowGroups grouped(const RankedObjective& objective) {
    Control unlimited({});
    return *RowGroups::of(objective, *objective.two_sums(), unlimited);
}

// The clock is looked at before the first row is grouped, and groups of some rows are none.
void check_end_while_grouping(const RankedObjective& objective) {
    for (const std::int64_t used : {0, 255}) {
        Control control({.seconds = 0.0});
        check(!control.poll(used), "the clock was not looked at yet");
        const auto groups = RowGroups::of(objective, *objective.two_sums(), control);
        check(groups.has_value() != control.ended(), "groups of all rows, or none");
        check(used == 0 || control.ended(), "grouping looks at the clock");
    }
}

template <class Engine>
Outcome run(Engine&& engine, Size size) {
    const Outcome found = engine.run(size);
    std::size_t leaves = 0;
    const std::vector<TreeNode> tree = engine.write(found.plan);
    for (const TreeNode& node : tree) leaves += node.column == TreeNode::kLeaf ? 1 : 0;
    check(leaves * 2 == tree.size() + 1, "a binary tree");
    return found;
}

// Cost of a written tree, from its rows.
Cost cost_of(const RankedObjective& objective, const std::vector<TreeNode>& tree, std::size_t& at,
             const std::vector<std::uint32_t>& entries) {
    const TreeNode& top = tree[at++];
    if (top.column == TreeNode::kLeaf) {
        Node leaf;
        leaf.clear(objective.n_sums());
        objective.add_rows(entries.data(), 0, static_cast<std::uint32_t>(entries.size()), leaf);
        check(leaf.n >= objective.table().min_leaf, "rows enough in a leaf");
        return objective.leaf_cost(leaf);
    }
    std::vector<std::uint32_t> left, right;
    for (const std::uint32_t entry : entries) {
        const std::uint32_t rank = objective.table().rank_of(top.column, row_of(entry));
        check(rank <= top.low || rank >= top.high, "no rank between the sides");
        (rank <= top.low ? left : right).push_back(entry);
    }
    const Cost on_left = cost_of(objective, tree, at, left);
    return on_left + cost_of(objective, tree, at, right);
}

bool same(const std::vector<TreeNode>& a, const std::vector<TreeNode>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const TreeNode& x, const TreeNode& y) {
        return x.column == y.column && x.low == y.low && x.high == y.high;
    });
}

// Threads give the tree of one thread, where the work makes it one that does not depend on them; and a stop that one of
// them meets ends all.
void check_threads(const RankedObjective& objective, Options options, Size size, const std::vector<TreeNode>& alone) {
    options.alone_work = 0;
    std::vector<TreeNode> first;
    for (const std::uint32_t threads : {1u, 2u, 4u}) {
        options.threads = threads;
        Control control({});
        GroupSearch search(objective, options, control, grouped(objective));
        const Outcome found = search.run(size);
        const std::vector<TreeNode> tree = search.write(found.plan);
        if (threads == 1) first = tree;
        check(found.exact() && tree.size() == alone.size() && same(tree, first), "the tree of one thread");
        for (const std::int64_t steps : {1, 20, 100}) {
            Control stopping({.steps = steps});
            const Outcome stopped = run(GroupSearch(objective, options, stopping, grouped(objective)), size);
            check(stopped.lower <= found.upper && found.upper <= stopped.upper, "bounds at a stop of threads");
            check(stopping.steps() <= steps, "no more steps than are granted");
        }
    }
}

void check_search(Dice& dice, const RankedObjective& objective) {
    Options options;
    options.segments = dice.coin();
    const Size size{dice.below(3) == 0 ? 60 : 1 + number(dice, 6)};
    if (objective.table().n_rows < objective.table().min_leaf || !GroupSearch::fits(objective, options, size)) return;
    check_end_while_grouping(objective);
    Control ranked_control({});
    const Cost best = run(Search(objective, options, ranked_control), size).upper;
    for (const Simd level : {Simd::plain, Simd::avx2, Simd::avx512}) {
        set_simd_limit(level);
        Control control({});
        GroupSearch search(objective, options, control, grouped(objective));
        const Outcome found = run(search, size);
        check(found.exact() && found.upper == best, "same optimum");
        const std::vector<TreeNode> tree = search.write(found.plan);
        std::vector<std::uint32_t> all;
        for (std::uint32_t row = 0; row < objective.table().n_rows; ++row) all.push_back(row * 2);
        std::size_t at = 0;
        check(cost_of(objective, tree, at, all) == best, "the tree costs what is said");
        if (level == Simd::plain) check_threads(objective, options, size, tree);
        Limits limits;
        limits.steps = 1 + number(dice, 12);
        Control stopping(limits);
        const Outcome stopped = run(GroupSearch(objective, options, stopping, grouped(objective)), size);
        check(stopped.lower <= best && best <= stopped.upper, "bounds at a stop");
    }
}

Node sum_of(const RowGroups& groups, const std::vector<std::uint32_t>& set) {
    Node rows;
    rows.clear(groups.n_sums);
    for (const std::uint32_t g : set) {
        rows.n += groups.group[g].n;
        for (std::size_t k = 0; k < groups.n_sums; ++k) rows.sums[k] += groups.group[g].sums[k];
    }
    return rows;
}

// The cheapest clusters on a line cost no more than any partition of the groups, and hardly less than the cheapest.
void check_segments(Dice& dice, const RankedObjective& objective) {
    if (!RowGroups::fit(objective.table())) return;
    const TwoSums sums = *objective.two_sums();
    const RowGroups groups = grouped(objective);
    Control control({});
    Segmentation segmentation(groups, sums, control);
    if (!segmentation.useful()) return;
    std::vector<std::uint32_t> set;
    for (const std::uint32_t g : segmentation.order())
        if (set.size() < 7 && dice.below(3) > 0) set.push_back(g);
    if (set.empty()) return;
    const auto joined = [&](const Node& a, const Node& b) {
        Node both = a;
        both.n += b.n;
        for (std::size_t k = 0; k < groups.n_sums; ++k) both.sums[k] += b.sums[k];
        return both;
    };
    Cost best = kNoCost;
    std::vector<Node> parts;
    const auto place = [&](const auto& self, std::size_t i) -> void {
        if (i == set.size()) {
            Cost cost = 0;
            for (const Node& part : parts) cost += objective.leaf_cost(part);
            best = std::min(best, cost);
            return;
        }
        for (std::size_t k = 0; k < parts.size(); ++k) {
            const Node before = parts[k];
            parts[k] = joined(before, groups.group[set[i]]);
            self(self, i + 1);
            parts[k] = before;
        }
        parts.push_back(groups.group[set[i]]);
        self(self, i + 1);
        parts.pop_back();
    };
    place(place, 0);
    const Cost bound = segmentation.bound(set, objective.leaf_cost(sum_of(groups, set)));
    check(bound <= best, "no partition costs less than the cheapest clusters");
    const double slack = 2 * sums.error + 10 * sums.leaf_error + 16 + 1e-6 * std::ldexp(static_cast<double>(best), -6);
    check(static_cast<double>(bound) >= static_cast<double>(best) - std::ldexp(slack, 6), "the bound is near");
}

// The least cost of a tree over some groups, by trying all.
Cost least_of(const RankedObjective& objective, const RowGroups& groups, const std::vector<std::uint32_t>& set,
              const std::vector<std::uint32_t>& columns, int depth) {
    const Node rows = sum_of(groups, set);
    if (rows.n < std::max(objective.table().min_leaf, 1u)) return kNoCost;
    Cost best = objective.leaf_cost(rows);
    if (depth == 0) return best;
    for (const std::uint32_t split : columns) {
        std::vector<std::uint32_t> side[2];
        for (const std::uint32_t g : set) side[groups.is_one(g, split) ? 1 : 0].push_back(g);
        const Cost ones = least_of(objective, groups, side[1], columns, depth - 1);
        if (ones == kNoCost) continue;
        const Cost zeros = least_of(objective, groups, side[0], columns, depth - 1);
        if (zeros != kNoCost) best = std::min(best, ones + zeros);
    }
    return best;
}

// Every instruction set gives the same bits, and each root is bounded by what its best tree costs, to within the error
// that is told.
void check_kernel(Dice& dice, const RankedObjective& objective) {
    if (!RowGroups::fit(objective.table())) return;
    const TwoSums sums = *objective.two_sums();
    const RowGroups groups = grouped(objective);
    std::vector<std::uint32_t> set, columns;
    for (std::uint32_t g = 0; g < groups.n_groups; ++g)
        if (dice.below(5) > 0) set.push_back(g);
    for (std::uint32_t c = 0; c < groups.splits.size(); ++c)
        if (dice.below(5) > 0) columns.push_back(c);
    if (set.empty() || columns.empty()) return;
    const Cost one_leaf = objective.leaf_cost(sum_of(groups, set));
    for (const int depth : {2, 3}) {
        std::vector<double> first;
        for (const Simd level : {Simd::plain, Simd::avx2, Simd::avx512}) {
            set_simd_limit(level);
            Control control({});
            CellSolver cells(groups, sums, objective.table().min_leaf, control);
            std::vector<double> value, again;
            check(cells.solve(set, columns, depth, value), "solved");
            check(cells.solve(set, columns, depth, again) && value == again, "the same again");
            if (first.empty()) first = value;
            check(value == first, "the same on every processor");
            if (level != Simd::plain || (depth == 3 && columns.size() > 8)) continue;
            const double slack = 4 * sums.error_of(8) + 2 * sums.unit * cells.error() + 16;
            for (std::size_t c = 0; c < columns.size(); ++c) {
                Cost best = 0;
                for (const bool one : {false, true}) {
                    std::vector<std::uint32_t> side;
                    for (const std::uint32_t g : set)
                        if (groups.is_one(g, columns[c]) == one) side.push_back(g);
                    const Cost of_side = side.empty() ? kNoCost : least_of(objective, groups, side, columns, depth - 1);
                    best = of_side == kNoCost || best == kNoCost ? kNoCost : best + of_side;
                }
                check(std::isinf(value[c]) || best != kNoCost || objective.table().min_leaf == 1,
                      "a root without a tree has no value");
                if (best == kNoCost) continue;
                check(!std::isinf(value[c]), "a root with a tree has one");
                const Cost bound = cells.bound(value[c], one_leaf);
                check(bound <= best, "no tree costs less than its value tells");
                const double short_of = std::ldexp(static_cast<double>(best - bound), -sums.tie_bits);
                check(short_of <= slack, "the bound is as near as is told");
            }
        }
    }
}

}  // namespace

int main() {
    Dice dice(23);
    for (int round = 0; round < 700; ++round) {
        const std::uint32_t n = 1 + number(dice, 40), n_columns = 1 + number(dice, round % 10 == 0 ? 20 : 6);
        const auto objective = dice.coin() ? squared_error(dice, n, n_columns) : survival(dice, n, n_columns);
        if (objective->two_sums().has_value()) check_kernel(dice, *objective);
        if (objective->two_sums().has_value()) check_segments(dice, *objective);
        if (n_columns <= 6) check_search(dice, *objective);
    }
    std::printf("groups of equal rows agree with ranked columns\n");
    return 0;
}
