// A tree ensemble over the cells of its own thresholds, and its decision rule in the model's own arithmetic.
//
// Every feature is an axis of cells: plane p separates cell p from cell p + 1, `cell <= p` goes left. A feature on
// which the model routes missing values has one more cell at the top end, which means "missing"; the plane below it
// asks "is the value known?". So a missing value is one more level of the axis, and everything that works on boxes of
// cells handles it without a special case.
//
// The decision (Vidal and Schiffer 2020, section 2, "weighted majority") is generalised: the scores are
// bias + sum of leaf values in tree order, and a `Link` turns scores into a class. A hard vote is a leaf value with
// the weight of the tree at its class. Sums and links repeat the model's own float operations, so the label of a cell
// is the label that the library itself returns, ties in the last bit included.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace treewright::bornagain {

enum class Link : std::uint8_t {
    argmax,     // first largest of scores / divisor
    positive,   // one score: class 1 if score > cutoff, else class 0
    softmax32,  // first largest of the single-precision softmax (XGBoost)
    softmax64,  // first largest of the double-precision softmax (LightGBM)
};

struct Node {
    std::int32_t feature = -1;  // -1 marks a leaf
    std::int32_t plane = 0;     // cells up to this one go left; -1 sends all right
    std::int32_t left = 0;
    std::int32_t right = 0;
    std::int32_t value = 0;  // first score of a leaf in `values`
    bool missing_left = false;
};

// A box of cells, both ends included.
struct Box {
    std::vector<std::int32_t> lo, hi;

    [[nodiscard]] double cells() const;
    bool operator==(const Box&) const = default;
};

struct Ensemble {
    std::int32_t n_outputs = 1;
    std::int32_t n_classes = 2;
    Link link = Link::argmax;
    bool single = false;   // sums in single precision
    bool exact = false;    // all sums are exact in any order (small integers), so bounds need no margin
    double divisor = 1.0;  // scores are divided by it before the argmax
    double cutoff = 0.0;
    std::vector<double> bias;         // one a score
    std::vector<std::int32_t> roots;  // one a tree
    std::vector<Node> nodes;
    std::vector<double> values;
    std::vector<std::int32_t> n_cells;  // per feature, the missing cell included
    std::vector<std::uint8_t> missing;  // per feature: whether the top cell means "missing"

    [[nodiscard]] std::size_t n_features() const { return n_cells.size(); }
    [[nodiscard]] Box whole() const;

    // Whether some cell of the interval [lo, hi] of the node's feature goes left (right).
    [[nodiscard]] bool reaches_left(const Node& node, std::int32_t lo, std::int32_t hi) const {
        return lo <= node.plane ? (lo < top(node.feature) || node.missing_left)
                                : (hi == top(node.feature) && node.missing_left);
    }
    [[nodiscard]] bool reaches_right(const Node& node, std::int32_t lo, std::int32_t hi) const {
        const std::int32_t last = top(node.feature);
        const std::int32_t last_known = hi < last ? hi : last - 1;
        return (last_known > node.plane && last_known >= lo) || (hi == last && !node.missing_left);
    }
    // The missing cell of a feature; beyond the axis if the feature has none.
    [[nodiscard]] std::int32_t top(std::int32_t feature) const {
        const auto f = static_cast<std::size_t>(feature);
        return n_cells[f] - (missing[f] != 0 ? 1 : 0);
    }

    // Class of scores; `scores` is used as scratch.
    [[nodiscard]] std::uint8_t classify(std::span<double> scores) const;
    // Class of one cell.
    [[nodiscard]] std::uint8_t label(std::span<const std::int32_t> cell) const;
    // Class if every tree is known to be in the leaf `leaves[t]`.
    [[nodiscard]] std::uint8_t label_of_leaves(std::span<const std::int32_t> leaves) const;

    // Planes inside `box` that a node reachable in it tests, ascending, one list a feature.
    [[nodiscard]] std::vector<std::vector<std::int32_t>> planes(const Box& box) const;
    // The ensemble inside `box` over only those planes: same labels, fewer cells. New plane i of feature f is
    // planes[f][i] here.
    [[nodiscard]] Ensemble restricted(const Box& box, const std::vector<std::vector<std::int32_t>>& planes) const;
};

// A tree over the planes of an ensemble, depth-first, left before right.
struct PlaneNode {
    std::int32_t feature = -1;  // -1 marks a leaf
    std::int32_t plane = 0;
    std::int32_t label = 0;  // of a leaf
};
using PlaneTree = std::vector<PlaneNode>;

}  // namespace treewright::bornagain
