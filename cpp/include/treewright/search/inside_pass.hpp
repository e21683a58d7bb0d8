// One pass over the graph of a near-optimal set from its leaves up, which joins values by leaves and errors at every
// node:
//
//     M(n)[l, e] = leaf values of n with e errors  joined with, over edges j,  factor(j) x pairs of M(L_j) and M(R_j),
// where pairs of two leaves of one label may be left out. What a value is, and how values are joined and paired, is its
// own matter (size_cells.hpp): the largest sum over leaves, or the number of trees.
#pragma once

#include "treewright/core/control.hpp"
#include "treewright/search/node_levels.hpp"
#include "treewright/search/set_walk.hpp"
#include "treewright/search/size_cells.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

namespace treewright::binary {

// Terms has leaf(node, label), a V; factor(edge); and pair(edge, label zero, label one), the V of two leaves below an
// edge.
template <class V>
class InsidePass {
   public:
    // Without `keep` a level is forgotten when the one above it is done.
    InsidePass(const NearOptimalGraph& graph, SetRule rule, bool keep = true)
        : rule_(std::move(rule)),
          walk_(graph, rule_),
          keep_(keep),
          places_(graph.nodes.size(), {0, 0}),
          levels_(walk_.level(graph.nodes.size() - 1) + 1) {}
    InsidePass(const InsidePass&) = delete;
    InsidePass& operator=(const InsidePass&) = delete;

    // Nodes from the last down to `first`; false if it was stopped.
    template <class Terms>
    bool run(std::size_t first, const Terms& terms, Control& control) {
        const bool done = visit_levels<Desk>(
            walk_, first, control,
            [&](std::size_t n, Desk& desk) {
                solve(n, terms, desk);
                return fits();
            },
            [&](std::size_t level) {
                if (!keep_ && level + 1 < levels_.size()) levels_[level + 1].clear();
            });
        if (!done && !fits()) control.halt(Stop::memory);
        return done;
    }
    [[nodiscard]] const SetRule& rule() const { return rule_; }
    [[nodiscard]] const SetWalk& walk() const { return walk_; }
    [[nodiscard]] Cells<V> cells(std::size_t n) const {
        return levels_[walk_.level(n)].cells(places_[n].first, places_[n].second);
    }
    [[nodiscard]] bool dead(const SetEdge& edge) const {
        return walk_.n_copies(edge) == 0 || cells(edge.child[0]).empty() || cells(edge.child[1]).empty();
    }
    // The leaves and the fewest errors of what a node can be.
    void reach(std::size_t n, CellRange& range) const {
        std::size_t n_leaves = 1;
        for (const SetEdge& edge : walk_.graph().edges_of(n))
            if (!dead(edge))
                n_leaves = std::max<std::size_t>(
                    n_leaves, cells(edge.child[0]).runs.back().leaves + cells(edge.child[1]).runs.back().leaves);
        range.reset(std::min(n_leaves + 1, rule_.max_errors.size()));
        walk_.limit(n, range);
        walk_.each_leaf(n, [&](std::size_t, std::int64_t errors) { range.reach(1, errors); });
        for (const SetEdge& edge : walk_.graph().edges_of(n)) {
            if (dead(edge)) continue;
            range.reach(cells(edge.child[0]).runs, cells(edge.child[1]).runs);
            walk_.each_leaf_pair(edge, [&](std::size_t, std::size_t, std::int64_t errors) { range.reach(2, errors); });
        }
    }

   private:
    // What one thread joins values with.
    struct Desk {
        CellRange range;
        CellSums<V> sums;
    };

    [[nodiscard]] bool fits() {
        const std::scoped_lock lock(mutex_);
        std::size_t sum = sums_bytes_;
        for (const CellStore<V>& level : levels_) sum += level.bytes();
        return sum <= rule_.max_bytes;
    }
    template <class Terms>
    void solve(std::size_t n, const Terms& terms, Desk& desk) {
        CellSums<V>& sums = desk.sums;
        const std::size_t before = sums.bytes();
        reach(n, desk.range);
        sums.reset(desk.range);
        walk_.each_leaf(n, [&](std::size_t label, std::int64_t errors) { sums.add(1, errors, terms.leaf(n, label)); });
        for (const SetEdge& edge : walk_.graph().edges_of(n)) {
            if (dead(edge)) continue;
            sums.add_products(cells(edge.child[0]), cells(edge.child[1]), terms.factor(edge), rule_.redundant);
            if (!rule_.redundant)
                walk_.each_leaf_pair(edge, [&](std::size_t zero, std::size_t one, std::int64_t errors) {
                    sums.add(2, errors, terms.pair(edge, zero, one));
                });
        }
        const std::scoped_lock lock(mutex_);
        sums_bytes_ += sums.bytes() - before;  // modulo 2^64, as it is meant
        CellStore<V>& store = levels_[walk_.level(n)];
        store.begin_node();
        sums.give(
            [&](std::uint32_t leaves, std::int64_t errors, const V& value) { store.push(leaves, errors, value); });
        places_[n] = store.last_node();
    }

    SetRule rule_;
    SetWalk walk_;
    bool keep_;
    std::vector<std::pair<std::size_t, std::size_t>> places_;  // [node]: first and last run
    std::vector<CellStore<V>> levels_;
    std::mutex mutex_;            // of what follows, and of the store of the level at hand
    std::size_t sums_bytes_ = 0;  // of all threads
};

}  // namespace treewright::binary
