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

// Terms has leaf(node, label) and factor(edge). Where redundant splits do not count, the labels of a pair of leaves
// decide whether it does, so these pairs are not made of cells.
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

   private:
    struct Split {
        const SetEdge* edge;
        Cells<V> zero, one;

        [[nodiscard]] std::size_t most_leaves() const { return zero.runs.back().leaves + one.runs.back().leaves; }
    };
    // What one thread joins values with.
    struct Desk {
        std::vector<Split> splits;  // of the node at hand
        CellRange range;
        CellSums<V> sums;
    };

    [[nodiscard]] bool fits() {
        const std::scoped_lock lock(mutex_);
        std::size_t sum = sums_bytes_;
        for (const CellStore<V>& level : levels_) sum += level.bytes();
        return sum <= rule_.max_bytes;
    }
    void find_splits(std::size_t n, std::vector<Split>& splits) const {
        splits.clear();
        for (const SetEdge& edge : walk_.graph().edges_of(n)) {
            if (walk_.n_copies(edge) == 0) continue;
            const CellStore<V>& below = levels_[walk_.level(n) + 1];
            const auto side = [&](std::uint32_t child) {
                return below.cells(places_[child].first, places_[child].second);
            };
            const Split split{&edge, side(edge.child[0]), side(edge.child[1])};
            if (!split.zero.empty() && !split.one.empty()) splits.push_back(split);
        }
    }
    // The leaves and the fewest errors of what a node can be.
    void reach(std::size_t n, const std::vector<Split>& splits, CellRange& range) const {
        std::size_t n_leaves = 1;
        for (const Split& split : splits) n_leaves = std::max(n_leaves, split.most_leaves());
        range.reset(std::min(n_leaves + 1, rule_.max_errors.size()));
        walk_.limit(n, range);
        walk_.each_leaf(n, [&](std::size_t, std::int64_t errors) { range.reach(1, errors); });
        for (const Split& split : splits) {
            range.reach(split.zero.runs, split.one.runs);
            if (!rule_.redundant)
                walk_.each_leaf_pair(*split.edge,
                                     [&](std::size_t, std::size_t, std::int64_t errors) { range.reach(2, errors); });
        }
    }
    template <class Terms>
    void solve(std::size_t n, const Terms& terms, Desk& desk) {
        CellSums<V>& sums = desk.sums;
        const std::size_t before = sums.bytes();
        find_splits(n, desk.splits);
        reach(n, desk.splits, desk.range);
        sums.reset(desk.range);
        walk_.each_leaf(n, [&](std::size_t label, std::int64_t errors) { sums.add(1, errors, terms.leaf(n, label)); });
        for (const Split& split : desk.splits) {
            const SetEdge& edge = *split.edge;
            const V factor = terms.factor(edge);
            sums.add_products(split.zero, split.one, factor, rule_.redundant);
            if (!rule_.redundant)
                walk_.each_leaf_pair(edge, [&](std::size_t zero, std::size_t one, std::int64_t errors) {
                    const V with_zero = product<V>(terms.leaf(edge.child[0], zero), factor);
                    sums.add(2, errors, product<V>(with_zero, terms.leaf(edge.child[1], one)));
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
