#include "treewright/search/tree_extremes.hpp"

#include <algorithm>
#include <utility>

namespace treewright::bits {

TreeExtremes::TreeExtremes(const NearOptimalGraph& graph, SetRule rule, std::vector<std::int64_t> leaf_value, Control& control)
    : rule_(std::move(rule)), walk_(graph, rule_), leaf_value_(std::move(leaf_value)), places_(graph.nodes.size(), {0, 0}) {
    for (std::size_t n = graph.nodes.size(); n-- > 0;) {
        if (!walk_.reached(n)) continue;
        if (control.poll(1 + static_cast<std::int64_t>(graph.edges_of(n).size()))) return;
        solve_node(n);
        if (store_.bytes() + sums_.bytes() > rule_.most_bytes) {
            control.halt(Stop::memory);
            return;
        }
    }
    complete_ = true;
}

void TreeExtremes::solve_node(std::size_t n) {
    const auto dead = [&](const SetEdge& edge) {
        return walk_.n_copies(edge) == 0 || cells_of(edge.child[0]).empty() || cells_of(edge.child[1]).empty();
    };
    std::size_t n_leaves = 1;
    for (const SetEdge& edge : walk_.graph().edges_of(n))
        if (!dead(edge))
            n_leaves = std::max<std::size_t>(n_leaves, cells_of(edge.child[0]).runs.back().leaves + cells_of(edge.child[1]).runs.back().leaves);
    range_.reset(std::min(n_leaves + 1, rule_.most_errors.size()));
    walk_.limit(n, range_);
    walk_.each_leaf(n, [&](std::size_t, std::int64_t errors) { range_.reach(1, errors); });
    for (const SetEdge& edge : walk_.graph().edges_of(n)) {
        if (dead(edge)) continue;
        range_.reach(cells_of(edge.child[0]), cells_of(edge.child[1]));
        walk_.each_leaf_pair(edge, [&](std::size_t, std::size_t, std::int64_t errors) { range_.reach(2, errors); });
    }
    sums_.reset(range_);
    walk_.each_leaf(n, [&](std::size_t label, std::int64_t errors) { sums_.add(1, errors, value(n, label)); });
    for (const SetEdge& edge : walk_.graph().edges_of(n)) {
        if (dead(edge)) continue;
        sums_.add_products(cells_of(edge.child[0]), cells_of(edge.child[1]), Largest{0}, rule_.redundant);
        if (!rule_.redundant)
            walk_.each_leaf_pair(edge, [&](std::size_t zero, std::size_t one, std::int64_t errors) {
                sums_.add(2, errors, {value(edge.child[0], zero).value + value(edge.child[1], one).value});
            });
    }
    store_.begin_node();
    sums_.give([&](std::uint32_t leaves, std::int64_t errors, const Largest& best) { store_.push(leaves, errors, best); });
    places_[n] = store_.last_node();
}

SizeExtremes TreeExtremes::cells(std::size_t node) const {
    SizeExtremes out;
    const Cells<Largest> cells = cells_of(node);
    for (const CellRun& run : cells.runs)
        for (std::size_t c = run.begin; c < run.end; ++c) {
            out.leaves.push_back(run.leaves);
            out.errors.push_back(cells.errors[c]);
            out.values.push_back(cells.values[c].value);
        }
    return out;
}

}  // namespace treewright::bits
