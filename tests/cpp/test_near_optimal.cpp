// Counts and extremes on random graphs against lists of all their trees.
#include "check.hpp"
#include "treewright/search/column_worth.hpp"
#include "treewright/search/tree_counts.hpp"
#include "treewright/search/tree_extremes.hpp"
#include "treewright/search/tree_shares.hpp"
#include "treewright/search/value_front.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

using namespace treewright;
using namespace treewright::binary;

namespace {

struct Tree {
    std::uint32_t leaves;
    std::int64_t errors;
    std::int64_t value;
    int label;                                                    // -1: no leaf
    std::vector<std::pair<std::size_t, std::size_t>> leaf_nodes;  // node, label
};

struct Made {
    NearOptimalGraph graph;
    SetRule rule;
    std::vector<std::int64_t> value;
};

// Levels of nodes, each edge to two nodes of the next. Budgets are large, so that the set is limited by its own rule
// alone.
Made random_case(std::mt19937& random) {
    const auto upto = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
    Made made;
    NearOptimalGraph& graph = made.graph;
    const int depth = 1 + upto(1);
    graph.n_classes = 2 + static_cast<std::size_t>(upto(1));
    std::vector<std::size_t> first_of_level{0};
    for (int level = 0; level <= depth; ++level) {
        const int width = level == 0 ? 1 : 2 + upto(2);
        for (int n = 0; n < width; ++n) {
            graph.nodes.push_back({depth - level, std::int64_t{1} << 40, 0, 0});
            graph.leaf_rows.push_back(upto(4) == 0 ? 0 : 5);
            for (std::size_t k = 0; k < graph.n_classes; ++k) {
                graph.leaf_cost.push_back(upto(3) * (upto(9) == 0 ? 100000 : 1));
                made.value.push_back(upto(20) - 10);
            }
        }
        first_of_level.push_back(graph.nodes.size());
    }
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
        graph.nodes[n].first_edge = static_cast<std::uint32_t>(graph.edges.size());
        const auto level = static_cast<std::size_t>(depth - graph.nodes[n].depth);
        if (graph.nodes[n].depth > 0)
            for (int e = upto(2); e >= 0; --e) {
                const int width = static_cast<int>(first_of_level[level + 2] - first_of_level[level + 1]) - 1;
                const auto child = [&] {
                    return static_cast<std::uint32_t>(first_of_level[level + 1]) +
                           static_cast<std::uint32_t>(upto(width));
                };
                graph.edges.push_back({0, {child(), child()}});
            }
        graph.nodes[n].last_edge = static_cast<std::uint32_t>(graph.edges.size());
    }
    made.rule.max_errors = {-1};
    for (int l = 1; l <= 1 + upto(8); ++l) made.rule.max_errors.push_back(upto(5) == 0 ? 200010 - l : 12 - l);
    std::sort(made.rule.max_errors.begin() + 1, made.rule.max_errors.end(), std::greater<>());
    made.rule.any_label = upto(1) == 1;
    made.rule.redundant = upto(1) == 1;
    for (std::size_t e = 0; e < graph.edges.size(); ++e)
        made.rule.copies.push_back(static_cast<std::uint32_t>(upto(2)));
    return made;
}

// All subtrees of a node, each as often as columns make it.
std::vector<Tree> listed(const Made& made, std::size_t n) {
    const SetWalk walk(made.graph, made.rule);
    const std::size_t k = made.graph.n_classes;
    std::vector<Tree> out;
    walk.each_leaf(n, [&](std::size_t label, std::int64_t errors) {
        out.push_back({1, errors, made.value[n * k + label], static_cast<int>(label), {{n, label}}});
    });
    for (const SetEdge& edge : made.graph.edges_of(n))
        for (std::uint32_t copy = 0; copy < walk.n_copies(edge); ++copy)
            for (const Tree& a : listed(made, edge.child[0]))
                for (const Tree& b : listed(made, edge.child[1])) {
                    if (!made.rule.redundant && a.label >= 0 && a.label == b.label) continue;
                    Tree tree{a.leaves + b.leaves, a.errors + b.errors, a.value + b.value, -1, a.leaf_nodes};
                    tree.leaf_nodes.insert(tree.leaf_nodes.end(), b.leaf_nodes.begin(), b.leaf_nodes.end());
                    out.push_back(std::move(tree));
                }
    return out;
}

// Trees without each column, and the best with and without it, beside lists of all trees. A tree is without a column if
// it is one of those of the graph in which the column's copies are closed; the others that are left are with it.
void check_columns(const Made& made, Control& control, std::mt19937& random) {
    const std::size_t n_columns = 1 + random() % (kMostLanes + 3), n_edges = made.graph.edges.size();
    std::vector<std::uint32_t> kind(n_edges), copies(n_edges * n_columns, 0);
    for (std::size_t e = 0; e < n_edges; ++e) {
        kind[e] = static_cast<std::uint32_t>(e);
        for (std::uint32_t copy = 0; copy < made.rule.copies[e]; ++copy) ++copies[e * n_columns + random() % n_columns];
    }
    const ColumnsOfEdges columns{kind, copies, n_columns};
    const LeastWith with = least_with_columns(made.graph, made.rule, columns, control);
    const std::size_t most = made.rule.max_errors.size();
    const auto sizes = [&](const Made& some) {  // of its trees within the set
        std::map<std::pair<std::size_t, std::int64_t>, std::size_t> out;
        for (const Tree& tree : listed(some, 0))
            if (tree.leaves < most && tree.errors <= made.rule.max_errors[tree.leaves])
                ++out[{tree.leaves, tree.errors}];
        return out;
    };
    const auto all = sizes(made);
    const auto same = [&](std::size_t leaves, std::int64_t errors, const std::vector<std::int64_t>& expected) {
        const bool some = errors <= made.rule.max_errors[leaves];
        check(expected[leaves] == (some ? errors : kNoTree), "the fewest errors with or without a column");
    };
    for (std::size_t first = 0; first < n_columns; first += kMostLanes) {
        const std::size_t last = std::min(first + kMostLanes, n_columns);
        const auto found = trees_without_columns(made.graph, made.rule, columns, first, last, control);
        check(found.size() == last - first, "as many columns as asked for");
        for (std::size_t c = first; c < last; ++c) {
            Made closed = made;
            for (std::size_t e = 0; e < n_edges; ++e) closed.rule.copies[e] -= columns.on(e, c);
            const auto left = sizes(closed);
            std::vector<std::int64_t> least_with(most, kNoTree), least_without(most, kNoTree);
            std::size_t n_split_trees = 0;
            for (const auto& [size, n] : left) {
                n_split_trees += size.first > 1 ? n : 0;
                least_without[size.first] = std::min(least_without[size.first], size.second);
            }
            for (const auto& [size, n] : all)
                if (const auto at = left.find(size); n > (at == left.end() ? 0 : at->second))
                    least_with[size.first] = std::min(least_with[size.first], size.second);
            check(found[c - first].n_split_trees == static_cast<double>(n_split_trees), "trees without a column");
            const auto alone = trees_without_columns(made.graph, made.rule, columns, c, c + 1, control);
            check(alone[0].n_split_trees == found[c - first].n_split_trees && alone[0].least == found[c - first].least,
                  "a column alone and beside others");
            for (std::size_t l = 1; l < most; ++l) {
                same(l, l < found[c - first].least.size() ? found[c - first].least[l] : kNoTree, least_without);
                same(l, l < with.n_leaves ? with.errors[c * with.n_leaves + l] : kNoTree, least_with);
            }
        }
    }
}

// Subtrees as a node has them: leaves alone, the needless ones left out as `side_front` does, or a front.
template <class Value>
std::vector<SizedValue<Value>> random_side(std::mt19937& random) {
    using Sized = SizedValue<Value>;
    const auto upto = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
    const auto some = [&](int most_leaves) {
        return Sized{1 + static_cast<std::uint32_t>(upto(most_leaves - 1)), upto(6), upto(8) - 4};
    };
    std::vector<Sized> out;
    if (upto(2) == 0) {
        for (int label = upto(2); label >= 0; --label) out.push_back(some(1));
        std::ranges::sort(out, {}, [](const Sized& leaf) { return std::pair(leaf.errors, -leaf.value); });
        const auto needless = [](const Sized& kept, const Sized& next) { return next.value <= kept.value; };
        out.erase(std::unique(out.begin(), out.end(), needless), out.end());
        return out;
    }
    ValueFront<Value> front;
    const std::vector<std::int64_t> most(6, 6);
    front.begin(most);
    for (int n = 1 + upto(12); n > 0; --n) {
        const Sized own = some(5);
        front.add(own.leaves, own.errors, own.value);
    }
    front.give(out);
    return out;
}

// The front of pairs of several sides against the list of all pairs: what none of no more leaves and errors makes
// needless, single leaves compared among themselves alone.
template <class Value>
void check_fronts(std::mt19937& random) {
    using Sized = SizedValue<Value>;
    const auto upto = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
    ValueFront<Value> front;
    std::vector<std::int64_t> most(static_cast<std::size_t>(3 + upto(6)), -1);
    for (std::size_t leaves = 1; leaves < most.size(); ++leaves)
        most[leaves] = 12 - upto(2) - static_cast<std::int64_t>(leaves);
    front.begin(most);
    std::vector<Sized> every;
    for (int n = 1 + upto(3); n > 0; --n) {
        const auto zero = random_side<Value>(random), one = random_side<Value>(random);
        front.add_pairs(zero, one);
        for (const Sized& a : zero)
            for (const Sized& b : one)
                if (a.leaves + b.leaves > 2 && a.leaves + b.leaves < most.size() &&
                    a.errors + b.errors <= most[a.leaves + b.leaves])
                    every.push_back({a.leaves + b.leaves, a.errors + b.errors, a.value + b.value});
    }
    const auto place = [](const Sized& own) { return std::tuple(own.leaves, own.errors, -own.value); };
    std::ranges::sort(every, {}, place);
    std::vector<Sized> left, found;
    for (const Sized& own : every)
        if (std::ranges::none_of(
                left, [&](const Sized& kept) { return kept.errors <= own.errors && kept.value >= own.value; }))
            left.push_back(own);
    front.give(found);
    check(std::ranges::equal(left, found, {}, place, place), "the front of pairs is that of all pairs listed");
}

}  // namespace

int main() {
    std::mt19937 random(7);
    std::size_t n_trees = 0;
    for (int round = 0; round < 1500; ++round) {
        const Made made = random_case(random);
        std::map<std::pair<std::uint32_t, std::int64_t>, std::pair<std::uint64_t, std::int64_t>> cells;
        std::vector<std::uint64_t> in_leaf(made.graph.leaf_cost.size(), 0);
        for (const Tree& tree : listed(made, 0)) {
            if (tree.leaves >= made.rule.max_errors.size() || tree.errors > made.rule.max_errors[tree.leaves]) continue;
            const auto [at, fresh] = cells.try_emplace({tree.leaves, tree.errors}, 0, tree.value);
            ++at->second.first;
            at->second.second = std::max(at->second.second, tree.value);
            for (const auto& [node, label] : tree.leaf_nodes) ++in_leaf[node * made.graph.n_classes + label];
            ++n_trees;
        }
        Control control{Limits{}};
        for (const bool root_only : {false, true}) {
            const TreeCounts counts(made.graph, made.rule, root_only, control);
            check(counts.complete(), "counts.complete()");
            const SizeCounts found = counts.cells(0);
            check(found.errors.size() == cells.size(), "found.errors.size() == cells.size()");
            std::uint64_t total = 0;
            for (std::size_t c = 0; c < found.errors.size(); ++c) {
                check(
                    cells.at({found.leaves[c], found.errors[c]}).first == found.counts.words[c * found.counts.n_words],
                    "cells.at({found.leaves[c], found.errors[c]}).first == found.counts.words[c * "
                    "found.counts.n_words]");
                total += found.counts.words[c * found.counts.n_words];
            }
            std::uint64_t leaf_alone = 0, by_edge = 0;
            for (const auto& [cell, entry] : cells) leaf_alone += cell.first == 1 ? entry.first : 0;
            const WideNumbers edges = counts.root_edges();
            for (std::size_t e = 0; e < edges.words.size(); e += edges.n_words) by_edge += edges.words[e];
            check(by_edge + leaf_alone == total, "by_edge + leaf_alone == total");
            if (root_only || cells.empty()) continue;
            const TreeShares shares(made.graph, made.rule, control);  // small numbers: exact
            const std::vector<double> leaves = shares.leaves_in_trees({}, control);
            for (std::size_t i = 0; i < in_leaf.size(); ++i)
                check(leaves[i] == static_cast<double>(in_leaf[i]), "trees in which a node is a leaf");
        }
        check_columns(made, control, random);
        const TreeExtremes extremes(made.graph, made.rule, made.value, control);
        const SizeExtremes best = extremes.cells(0);
        check(best.errors.size() == cells.size(), "best.errors.size() == cells.size()");
        for (std::size_t c = 0; c < best.errors.size(); ++c)
            check(cells.at({best.leaves[c], best.errors[c]}).second == best.values[c],
                  "cells.at({best.leaves[c], best.errors[c]}).second == best.values[c]");
    }
    check(n_trees > 2000, "n_trees > 2000");
    for (int round = 0; round < 20000; ++round) {
        check_fronts<std::int64_t>(random);
        check_fronts<WideInt>(random);
    }

    // Counts that need several words: a tower of splits that each have 2^30 columns.
    NearOptimalGraph tower;
    tower.n_classes = 2;
    SetRule rule;
    for (int depth = 5; depth >= 0; --depth) {
        tower.nodes.push_back({depth, std::int64_t{1} << 40, static_cast<std::uint32_t>(tower.edges.size()), 0});
        if (depth > 0) {
            const auto next = static_cast<std::uint32_t>(tower.nodes.size());
            tower.edges.push_back({0, {next, next}});
            rule.copies.push_back(std::uint32_t{1} << 30);
        }
        tower.nodes.back().last_edge = static_cast<std::uint32_t>(tower.edges.size());
        tower.leaf_cost.insert(tower.leaf_cost.end(), {0, 1});
        tower.leaf_rows.push_back(1);
    }
    rule.max_errors.assign(33, 0);
    rule.max_errors[0] = -1;
    rule.redundant = true;
    Control control{Limits{}};
    const TreeCounts counts(tower, rule, false, control);
    const SizeCounts found = counts.cells(0);
    check(found.leaves.back() == 32,
          "found.leaves.back() == 32");  // the full tree: 2^30 columns at each of its 31 splits
    const std::uint64_t* last = found.counts.words.data() + (found.leaves.size() - 1) * found.counts.n_words;
    for (std::size_t w = 0; w < found.counts.n_words; ++w)
        check(last[w] == (w == 930 / 64 ? std::uint64_t{1} << (930 % 64) : 0),
              "last[w] == (w == 930 / 64 ? std::uint64_t{1} << (930 % 64) : 0)");
    return 0;
}
