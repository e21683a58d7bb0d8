#include "treewright/search/tree_shares.hpp"

#include "treewright/search/pairs_within.hpp"

#include <algorithm>
#include <numeric>
#include <span>

namespace treewright::binary {

namespace {

struct ShareTerms {
    const SetWalk& walk;

    [[nodiscard]] Ways leaf(std::size_t, std::size_t) const { return {1}; }
    [[nodiscard]] Ways factor(const SetEdge& edge) const { return {static_cast<double>(walk.n_copies(edge))}; }
    [[nodiscard]] Ways pair(const SetEdge& edge, std::size_t, std::size_t) const { return factor(edge); }
};

// Where a node hangs.
struct Parent {
    std::uint32_t node;
    std::uint32_t sibling;
    double copies;
};

// The cells of subtrees of one leaf, or of more.
Cells<Ways> of_one_leaf(Cells<Ways> cells, bool one) {
    const auto more =
        std::partition_point(cells.runs.begin(), cells.runs.end(), [](const CellRun& run) { return run.leaves == 1; });
    const auto n = static_cast<std::size_t>(more - cells.runs.begin());
    cells.runs = one ? cells.runs.first(n) : cells.runs.subspan(n);
    return cells;
}

}  // namespace

TreeShares::TreeShares(const NearOptimalGraph& graph, SetRule rule, Control& control) : pass_(graph, std::move(rule)) {
    complete_ = pass_.run(0, ShareTerms{pass_.walk()}, control);
}

std::vector<double> TreeShares::leaves_in_trees(std::span<const std::uint32_t> to_side, Control& control) const {
    const SetWalk& walk = pass_.walk();
    const SetRule& rule = pass_.rule();
    const NearOptimalGraph& graph = walk.graph();
    const std::size_t n_nodes = graph.nodes.size();
    const auto copies_to = [&](const SetEdge& edge, int side) {
        return to_side.empty() ? walk.n_copies(edge)
                               : to_side[2 * walk.edge_number(edge) + static_cast<std::size_t>(side)];
    };
    std::vector<std::uint8_t> visited(n_nodes, 0);
    std::vector<std::size_t> first_parent(n_nodes + 1, 0);
    const auto each_link = [&](const auto& visit) {
        for (std::size_t n = 0; n < n_nodes; ++n) {
            if (visited[n] == 0) continue;
            for (const SetEdge& edge : graph.edges_of(n)) {
                if (pass_.dead(edge)) continue;
                for (int side : {0, 1})
                    if (const std::uint32_t copies = copies_to(edge, side); copies > 0)
                        visit(edge.child[side],
                              Parent{static_cast<std::uint32_t>(n), edge.child[1 - side], static_cast<double>(copies)});
            }
        }
    };
    visited[0] = pass_.cells(0).empty() ? 0 : 1;
    each_link([&](std::uint32_t child, const Parent&) {
        visited[child] = 1;
        ++first_parent[child + 1];
    });
    std::partial_sum(first_parent.begin(), first_parent.end(), first_parent.begin());
    std::vector<Parent> parents(first_parent.back());
    std::vector<std::size_t> next(first_parent.begin(), first_parent.end() - 1);
    each_link([&](std::uint32_t child, const Parent& parent) { parents[next[child]++] = parent; });

    const std::size_t k = graph.n_classes;
    std::vector<double> of_leaf(n_nodes * k, 0.0);
    std::vector<CellStore<Ways>> around(walk.level(n_nodes - 1) + 1);  // what is beside the nodes of a level
    std::vector<std::pair<std::size_t, std::size_t>> place(n_nodes, {0, 0});
    const auto beside = [&](std::size_t n) { return around[walk.level(n)].cells(place[n].first, place[n].second); };
    CellSums<Ways> sums;
    CellRange range;
    std::size_t level = 0;
    for (std::size_t n = 0; n < n_nodes; ++n) {
        if (visited[n] == 0 || (n > 0 && graph.edges_of(n).empty()))
            continue;  // a leaf alone was seen to by its parents
        if (control.poll(1 + static_cast<std::int64_t>(first_parent[n + 1] - first_parent[n]))) return {};
        if (walk.level(n) > level) {
            if (level > 0) around[level - 1].clear();
            level = walk.level(n);
        }
        CellStore<Ways>& store = around[level];
        const auto push = [&](std::uint32_t leaves, std::int64_t errors, const Ways& count) {
            store.push(leaves, errors, count);
        };
        // The trees in which the node is a leaf, of the ways to complete it that are in the store.
        const auto count_leaf = [&] {
            const auto [first, last] = store.last_node();
            const RunSums<Ways, Ways> here(store.cells(first, last));
            walk.each_leaf(n, [&](std::size_t label, std::int64_t errors) {
                of_leaf[n * k + label] += here.beside(rule, 1, errors).value;
            });
        };
        store.begin_node();
        if (n == 0) {
            store.push(0, 0, {1});
            count_leaf();
        } else {  // from what is beside its parents, as far as some subtree of the node completes it
            const std::span own = std::span(parents).subspan(first_parent[n], first_parent[n + 1] - first_parent[n]);
            range.reset(rule.max_errors.size());
            for (const CellRun& run : pass_.cells(n).runs)
                for (std::size_t l = 0; l + run.leaves < range.most.size(); ++l)
                    range.most[l] = std::max(range.most[l], rule.max_errors[l + run.leaves] - run.errors);
            for (const Parent& parent : own) range.reach(beside(parent.node), pass_.cells(parent.sibling));
            sums.reset(range);
            const auto add = [&](bool one_leaf) {
                for (const Parent& parent : own)
                    sums.add_products(beside(parent.node), of_one_leaf(pass_.cells(parent.sibling), one_leaf),
                                      Ways{parent.copies}, true);
            };
            add(false);
            if (!rule.redundant) {  // beside a leaf the labels decide: the parent sees to that
                sums.give(push);
                count_leaf();
                store.drop_last_node();
                store.begin_node();
            }
            add(true);
            sums.give(push);
            if (rule.redundant) count_leaf();
        }
        place[n] = store.last_node();
        const RunSums<Ways, Ways> here(beside(n));
        bool asked_again = false;
        for (const SetEdge& edge : graph.edges_of(n)) {
            if (pass_.dead(edge)) continue;
            for (int side : {0, 1}) {
                const std::uint32_t child = edge.child[side];
                const double copies = copies_to(edge, side);
                if (copies == 0) continue;
                if (!graph.edges_of(child).empty()) {
                    asked_again = true;
                } else {  // a leaf alone: the ways to complete it are needed in no other form
                    const Cells<Ways> siblings = pass_.cells(edge.child[1 - side]);
                    (rule.redundant ? siblings : of_one_leaf(siblings, false))
                        .each([&](std::uint32_t leaves, std::int64_t others, const Ways& count) {
                            walk.each_leaf(child, [&](std::size_t label, std::int64_t errors) {
                                of_leaf[child * k + label] +=
                                    here.beside(rule, leaves + 1, others + errors).value * count.value * copies;
                            });
                        });
                }
                if (!rule.redundant)
                    walk.each_leaf(child, [&](std::size_t label, std::int64_t errors) {
                        walk.each_leaf(edge.child[1 - side], [&](std::size_t other, std::int64_t others) {
                            if (label != other)
                                of_leaf[child * k + label] += here.beside(rule, 2, errors + others).value * copies;
                        });
                    });
            }
        }
        if (!asked_again) store.drop_last_node();
        if (n % 64 == 0) {
            std::size_t bytes = of_leaf.capacity() * 8;
            for (const auto& some : around) bytes += some.bytes();
            if (bytes > rule.max_bytes) {
                control.halt(Stop::memory);
                return {};
            }
        }
    }
    return of_leaf;
}

}  // namespace treewright::binary
