// What every pass over the graph of a near-optimal set needs to know: which trees are asked for, which edges and nodes
// they use, which leaves a node may be, and how large a subtree there may get.
#pragma once

#include "treewright/search/near_optimal.hpp"
#include "treewright/search/size_cells.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace treewright::binary {

struct SetRule {
    std::vector<std::int64_t> max_errors;  // [leaves]: of a tree of the set, above what every tree pays; -1: none
    std::int64_t leaf_penalty = 0;         // in cost units, as the graph was made
    int unit_shift = 0;
    bool any_label = false;             // a leaf may predict any class, not only the cheapest (first of equals)
    bool redundant = false;             // splits with the same label on both sides count
    std::int64_t min_rows = 1;          // in a leaf
    std::vector<std::uint32_t> copies;  // [edge]: input columns that make this split; 0 closes the edge
    std::size_t max_bytes = static_cast<std::size_t>(-1);
    std::size_t threads = 1;  // of a pass (node_levels.hpp)
};

class SetWalk {
   public:
    SetWalk(const NearOptimalGraph& graph, const SetRule& rule)
        : graph_(graph), rule_(rule), spare_(graph.nodes[0].budget), reached_(graph.nodes.size(), 0) {
        reached_[0] = 1;
        for (std::size_t n = 0; n < graph.nodes.size(); ++n)  // parents come first
            if (reached_[n] != 0)
                for (const SetEdge& edge : graph.edges_of(n))
                    if (n_copies(edge) > 0) reached_[edge.child[0]] = reached_[edge.child[1]] = 1;
        for (std::size_t l = 1; l < rule.max_errors.size(); ++l)
            if (rule.max_errors[l] >= 0) {
                const std::int64_t errors = std::min(rule.max_errors[l], graph.nodes[0].budget >> rule.unit_shift);
                spare_ = std::min(spare_, graph.nodes[0].budget - (errors << rule.unit_shift) -
                                              static_cast<std::int64_t>(l) * rule.leaf_penalty);
            }
        spare_ = std::max<std::int64_t>(spare_, 0);
    }

    [[nodiscard]] const NearOptimalGraph& graph() const { return graph_; }
    [[nodiscard]] const SetRule& rule() const { return rule_; }
    [[nodiscard]] bool reached(std::size_t n) const { return reached_[n] != 0; }
    [[nodiscard]] std::size_t edge_number(const SetEdge& edge) const {
        return static_cast<std::size_t>(&edge - graph_.edges.data());
    }
    [[nodiscard]] std::uint32_t n_copies(const SetEdge& edge) const { return rule_.copies[edge_number(edge)]; }
    // Nodes of one depth are one level, the root's 0.
    [[nodiscard]] std::size_t level(std::size_t n) const {
        return static_cast<std::size_t>(graph_.nodes[0].depth - graph_.nodes[n].depth);
    }

    // Calls visit(label, errors) for every label that a leaf at the node may have.
    template <class Visit>
    void each_leaf(std::size_t n, const Visit& visit) const {
        if (graph_.leaf_rows[n] < rule_.min_rows) return;
        const auto costs = graph_.costs(n);
        if (!rule_.any_label) {
            const auto best = std::min_element(costs.begin(), costs.end());
            visit(static_cast<std::size_t>(best - costs.begin()), *best);
            return;
        }
        for (std::size_t k = 0; k < costs.size(); ++k) visit(k, costs[k]);
    }
    // Calls visit(label zero, label one, errors) for every pair of leaves below the edge that makes a tree.
    template <class Visit>
    void each_leaf_pair(const SetEdge& edge, const Visit& visit) const {
        each_leaf(edge.child[0], [&](std::size_t zero, std::int64_t a) {
            each_leaf(edge.child[1], [&](std::size_t one, std::int64_t b) {
                if (rule_.redundant || zero != one) visit(zero, one, a + b);
            });
        });
    }
    // The most errors of a subtree by its leaves. Fewer leaves may make more errors, so what a subtree may be is never
    // less than what the whole may be. A node's budget is that of the graph less what the rest of a tree costs at
    // least, so trees that cost less leave as much less to each node.
    void limit(std::size_t n, CellRange& range) const {
        for (std::size_t l = 1; l < range.most.size(); ++l) {
            const std::int64_t left =
                graph_.nodes[n].budget - spare_ - static_cast<std::int64_t>(l) * rule_.leaf_penalty;
            range.most[l] = std::min(rule_.max_errors[l], left < 0 ? -1 : left >> rule_.unit_shift);
        }
    }

   private:
    const NearOptimalGraph& graph_;
    const SetRule& rule_;
    std::int64_t spare_;  // of the graph's budget, which no tree of the rule needs
    std::vector<std::uint8_t> reached_;
};

}  // namespace treewright::binary
