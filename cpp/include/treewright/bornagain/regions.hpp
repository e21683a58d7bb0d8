// Exact questions about boxes of cells, answered by interval bounds and branch and bound, no integer program needed.
//
// Vidal and Schiffer 2020 (section 4.5) prove a region homogeneous with an integer program. Here each tree gives the
// smallest and largest value of the leaves that its nodes can reach from the box; the sums bound the score of every
// cell. If the bounds leave more than one class, the box is split at the first undecided node of the tree whose value
// is least certain, and both halves are asked again; once every tree has one reachable leaf the label is computed in
// the model's own arithmetic.
//
// Sound: in a box the value of a tree is the value of one of its reachable leaves, so it lies between their smallest
// and largest; a sum of n terms computed in floating point differs from the real sum by less than n ulp of the sum of
// absolute values, which `margin_` covers with room. Labels come only from bounds beyond the margin or from
// `label_of_leaves`, so the margin moves work, never a label. Terminates: every split is strictly inside the box.
#pragma once

#include "treewright/bornagain/ensemble.hpp"
#include "treewright/core/control.hpp"

#include <optional>
#include <vector>

namespace treewright::bornagain {

class Regions {
   public:
    explicit Regions(const Ensemble& ensemble);

    // A cell of `box` with another label than `label`, or none, which proves the box homogeneous. Also none, proving
    // nothing, if `control` stopped on the way.
    [[nodiscard]] std::optional<std::vector<std::int32_t>> find_other(Box box, std::uint8_t label, Control& control);

    // Labels of all cells, last feature fastest. The caller has checked that they fit.
    [[nodiscard]] std::vector<std::uint8_t> label_cells(Control& control);

   private:
    struct Split {
        std::size_t feature;
        std::int32_t plane;
    };
    struct Half {  // of a box that was split
        Split split;
        std::int32_t lo, hi;  // of the box
        bool upper;
    };

    // Walks every tree to its first undecided node in box_; the nodes lie on `stack_` from `base`.
    void advance(std::size_t base);
    // Label of all cells of box_, or -1 and a split.
    [[nodiscard]] int decide(std::size_t base, Split& split);
    // The class that is ahead in the middle of the ranges of all scores.
    [[nodiscard]] std::size_t likely_class(std::size_t base) const;
    // Where a node cuts box_ that both its sides reach.
    [[nodiscard]] Split cut_by(std::int32_t at) const;
    void range(std::int32_t at, std::span<const double> leaf_score, double& lo, double& hi) const;
    // Splits box_ until every part has one label, and calls visit(label) with box_ as the part, lower halves first;
    // ends early, and returns true, if visit does. No recursion: ensembles may be deeper than the stack.
    template <class Visit>
    bool walk(Control& control, const Visit& visit);
    void paint(std::uint8_t label, std::vector<std::uint8_t>& grid);
    void push(std::size_t base);

    const Ensemble& ensemble_;
    std::size_t n_trees_;
    double margin_;
    std::vector<std::vector<double>> margins_;  // [c * n_classes + r][node]: by how much a leaf puts r before c
    std::vector<double> offset_;                // the same from the bias (and the split)
    Box box_;
    std::vector<std::int32_t> stack_;
    std::vector<std::size_t> stride_;
    std::vector<std::int32_t> cell_;
    mutable std::int64_t nodes_ = 0;  // looked at since the last look at the clock
};

}  // namespace treewright::bornagain
