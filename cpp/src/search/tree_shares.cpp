#include "treewright/search/tree_shares.hpp"

#include "treewright/search/pairs_within.hpp"

#include <algorithm>
#include <numeric>
#include <span>

namespace treewright::bits {

namespace {

struct Terms {
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

TreeShares::TreeShares(const NearOptimalGraph& graph, SetRule rule, bool root_only, Control& control)
    : pass_(graph, std::move(rule)) {
    complete_ = pass_.run(root_only ? 1 : 0, Terms{pass_.walk()}, control);
}

double TreeShares::total() const {
    Ways out;
    for (const SetEdge& edge : pass_.walk().graph().edges_of(0)) {
        if (pass_.dead(edge)) continue;
        Ways sum = pairs_within<Ways>(pass_.rule(), pass_.cells(edge.child[0]), pass_.cells(edge.child[1]));
        if (!pass_.rule().redundant && pass_.rule().max_errors.size() > 2)
            pass_.walk().each_leaf_pair(edge, [&](std::size_t, std::size_t, std::int64_t errors) {
                if (errors <= pass_.rule().max_errors[2]) sum += Ways{1};
            });
        out.value += sum.value * pass_.walk().n_copies(edge);
    }
    return out.value;
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

ColumnWorth column_worth(const NearOptimalGraph& graph, const SetRule& rule,
                         std::span<const std::uint32_t> copies_without, Control& control) {
    const SetWalk walk(graph, rule);
    const std::size_t n_nodes = graph.nodes.size();
    // Of each node the fewest errors of its subtrees by their leaves: all, those with a split on the columns, those without.
    enum Kind : std::size_t { all, with, without };
    std::vector<std::int64_t> least[3];
    std::vector<std::size_t> begin(n_nodes, 0), size(n_nodes, 0);  // of a node, in each of them
    const auto of = [&](Kind kind, std::size_t n) { return std::span(least[kind]).subspan(begin[n], size[n]); };
    const auto join = [&](std::span<std::int64_t> out, std::span<const std::int64_t> a,
                          std::span<const std::int64_t> b) {
        for (std::size_t x = 1; x < a.size(); ++x)
            for (std::size_t y = x == 1 ? 2 : 1; a[x] < kNoTree && y < b.size() && x + y < out.size(); ++y)
                if (b[y] < kNoTree) out[x + y] = std::min(out[x + y], a[x] + b[y]);
    };
    for (std::size_t n = n_nodes; n-- > 0;) {
        if (!walk.reached(n)) continue;
        if (control.poll(1 + static_cast<std::int64_t>(graph.edges_of(n).size()))) return {};
        std::size_t n_leaves = 1;
        for (const SetEdge& edge : graph.edges_of(n))
            if (walk.n_copies(edge) > 0) n_leaves = std::max(n_leaves, size[edge.child[0]] + size[edge.child[1]] - 2);
        begin[n] = least[all].size();
        size[n] = std::min(n_leaves + 1, std::max<std::size_t>(rule.max_errors.size(), 2));
        for (auto& some : least) some.resize(begin[n] + size[n], kNoTree);
        for (const SetEdge& edge : graph.edges_of(n)) {
            if (walk.n_copies(edge) == 0) continue;
            const std::size_t zero = edge.child[0], one = edge.child[1];
            const bool some = copies_without[walk.edge_number(edge)] > 0,
                       asks = copies_without[walk.edge_number(edge)] < walk.n_copies(edge);
            join(of(all, n), of(all, zero), of(all, one));
            if (asks) join(of(with, n), of(all, zero), of(all, one));
            if (some) {
                join(of(without, n), of(without, zero), of(without, one));
                join(of(with, n), of(with, zero), of(all, one));
                join(of(with, n), of(all, zero), of(with, one));
            }
            walk.each_leaf_pair(edge, [&](std::size_t, std::size_t, std::int64_t errors) {
                for (const Kind kind : {all, with, without})
                    if (size[n] > 2 && (kind == all || (kind == with ? asks : some)))
                        of(kind, n)[2] = std::min(of(kind, n)[2], errors);
            });
        }
        walk.each_leaf(n, [&](std::size_t, std::int64_t errors) {
            for (const Kind kind : {all, without}) of(kind, n)[1] = std::min(of(kind, n)[1], errors);
        });
    }
    const auto root = [&](Kind kind) { return std::vector<std::int64_t>(of(kind, 0).begin(), of(kind, 0).end()); };
    return {root(with), root(without)};
}

}  // namespace treewright::bits
