// How much trees of a near-optimal set rely on a column: by how much the cost of a tree rises if the column's values
// are drawn anew from all rows, whatever the rest of a row says (A. Fisher, C. Rudin, F. Dominici, 2019, "All Models
// are Wrong, but Many are Useful", JMLR 20, with the expectation over all pairs of rows in place of one permutation);
// the least and the most of it over all trees.
//
// A leaf is reached by the rows that pass the conditions of its path. With the column drawn anew these are two
// independent events: of R, the rows that pass the conditions on other columns, each has the chance w(V) / w that the
// drawn value passes those on the column, V being the rows that pass these. So, times the total weight w, a leaf of
// label k adds
//     cost(R, k) * w(V) - cost(R and V, k) * w,
// which depends on the leaf alone once R and V are part of a node. The nodes (node of the set's graph, R, V) are solved
// from the root on, equal ones once; the extremes of a sum over leaves are those of its subtrees joined by leaves and
// errors. A split on the column divides V and leaves R as it is, any other one divides R. Before the first split on the
// column V is all rows and R those of the node, so these nodes are those of the set's graph, and leaves add nothing: of
// pairs of leaves only the fewest errors are kept.
//
// What R costs is the sum of what R and V cost, the rows of the node, and R without V. After one split on the column
// the latter are the rows of the node on the other side of that split, at the end of the same path; where it is in the
// graph, no row is looked at.
//
// Only the front of each node is kept (value_front.hpp), one for the least and one for the most.
#pragma once

#include "treewright/core/control.hpp"
#include "treewright/search/set_walk.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace treewright::binary {

struct RelianceRows {
    std::span<const std::uint64_t> ones;  // as in node_rows.hpp
    std::size_t n_rows = 0;
    std::span<const std::int64_t> weight;  // [row]
    std::span<const std::int64_t> cost;    // [row][class]: of predicting it, weights included
    bool leaf_at_root = true;              // whether a tree of one leaf belongs to the set
};

template <class Value>
class OneColumn;

// What the columns share: what the rows of each node cost, and the best two leaves below each split.
class RelianceOfColumns {
   public:
    // All that it is made of outlives it. Not to be used if it was stopped (see `control`).
    RelianceOfColumns(const NearOptimalGraph& graph, const SetRule& rule, RelianceRows rows, Control& control);

    // Of a column that makes so many copies of each edge: the least and the most, times the total weight; nothing if
    // there is no tree, or if it was stopped.
    [[nodiscard]] std::optional<std::pair<double, double>> of(std::span<const std::uint32_t> copies_of,
                                                              Control& control) const;

    [[nodiscard]] std::size_t bytes() const {
        return (leaves_.capacity() + least_pair_.capacity()) * 8 +
               (leaf_alone_.capacity() + leaves_only_.capacity()) / 8;
    }

   private:
    template <class Value>
    friend class OneColumn;
    static constexpr std::int64_t kNoTree = std::numeric_limits<std::int64_t>::max();

    // Calls visit(label, errors) for every label that a leaf at the node may have.
    template <class Visit>
    void each_leaf(std::size_t n, const Visit& visit) const {
        const std::int64_t* const errors = leaves_.data() + 2 * n * n_classes_;
        for (std::size_t label = 0; label < n_classes_; ++label)
            if (errors[label] != kNoTree) visit(label, errors[label]);
    }
    void fetch(std::size_t n) const { __builtin_prefetch(leaves_.data() + 2 * n * n_classes_); }
    [[nodiscard]] std::span<const std::int64_t> node_cost(std::size_t n) const {
        return std::span(leaves_).subspan((2 * n + 1) * n_classes_, n_classes_);
    }
    // As SetWalk's.
    template <class Visit>
    void each_leaf_pair(const SetEdge& edge, const Visit& visit) const {
        each_leaf(edge.child[0], [&](std::size_t zero, std::int64_t a) {
            each_leaf(edge.child[1], [&](std::size_t one, std::int64_t b) {
                if (walk_.rule().redundant || zero != one) visit(zero, one, a + b);
            });
        });
    }
    [[nodiscard]] std::span<const std::uint64_t> ones_of(const SetEdge& edge) const {
        const std::size_t words = (rows_.n_rows + 63) / 64;
        return rows_.ones.subspan(static_cast<std::size_t>(edge.column) * words, words);
    }
    [[nodiscard]] bool leaf_alone(std::size_t n) const { return leaf_alone_[n]; }

    SetWalk walk_;
    RelianceRows rows_;
    std::size_t n_classes_;
    bool is_narrow_ = false;                // costs times weights fit into 64 bits
    std::vector<std::int64_t> leaves_;      // [node]: errors by label, kNoTree if it may not be; costs by label
    std::vector<std::int64_t> least_pair_;  // [edge]: fewest errors of two leaves
    std::vector<bool> leaf_alone_;          // [node]: no split follows
    std::vector<bool> leaves_only_;         // [edge]: on neither side
};

}  // namespace treewright::binary
