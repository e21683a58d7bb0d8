// Counts and extremes on random graphs against lists of all their trees.
#include "check.hpp"
#include "treewright/search/tree_counts.hpp"
#include "treewright/search/tree_extremes.hpp"
#include "treewright/search/tree_shares.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

using namespace treewright;
using namespace treewright::bits;

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

// Levels of nodes, each edge to two nodes of the next. Budgets are large, so that the set is limited by its own rule alone.
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
            const TreeShares shares(made.graph, made.rule, false, control);  // small numbers: exact
            check(shares.total() + static_cast<double>(leaf_alone) == static_cast<double>(total), "the shares' total");
            check(TreeShares(made.graph, made.rule, true, control).total() == shares.total(), "the total alone");
            const std::vector<double> leaves = shares.leaves_in_trees({}, control);
            for (std::size_t i = 0; i < in_leaf.size(); ++i)
                check(leaves[i] == static_cast<double>(in_leaf[i]), "trees in which a node is a leaf");
        }
        const TreeExtremes extremes(made.graph, made.rule, made.value, control);
        const SizeExtremes best = extremes.cells(0);
        check(best.errors.size() == cells.size(), "best.errors.size() == cells.size()");
        for (std::size_t c = 0; c < best.errors.size(); ++c)
            check(cells.at({best.leaves[c], best.errors[c]}).second == best.values[c],
                  "cells.at({best.leaves[c], best.errors[c]}).second == best.values[c]");
    }
    check(n_trees > 2000, "n_trees > 2000");

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
