// All boxes of a grid, numbered for the dynamic program, and which of them need a row of values at all.
//
// Axes are split in two groups: a row holds the values of all boxes over the short inner axes (contiguous, a few
// hundred), and there is one row for each box over the outer axes, unless a smaller box has the same values:
//
// Lemma 1. Call a plane relevant in a box if two cells of the box on both sides of it, equal in all other
// coordinates, have different labels. If the plane at the border of a box (one slab away from its end) is not
// relevant, the box has the same optimal depth, leaves, and leaves within any depth, as the box without that slab.
// Proof: the smaller box is not harder (restrict any tree, Theorem 3 of Vidal and Schiffer 2020). Conversely take a
// tree for the smaller box and apply it to a cell of the slab as if the cell were its neighbour across the plane:
// labels agree, and the tree tests no plane of the dropped slab, so the same tree is faithful on the larger box.
// A plane that is irrelevant in a box is irrelevant in every box inside it.
// Corollary: if the plane is irrelevant for a box over the outer axes times the full inner range, it is so for every
// inner box, and both boxes share one row. In the same way splits on irrelevant planes inside a box are never needed:
// map every slab group between relevant planes to one of its slabs; the tree restricted to these slabs uses no
// irrelevant plane that still separates something, and it has the same labels everywhere.
//
// On the published forests 0.7 to 6 % of the boxes are tight (no irrelevant border), which is what makes the table fit.
#pragma once

#include "treewright/bornagain/grid.hpp"

#include <array>
#include <utility>

namespace treewright::bornagain {

// The intervals [a, b] of an axis with n cells, shorter ones first, so that parts come before the whole.
struct Intervals {
    std::int32_t n = 1;
    std::vector<std::int32_t> a, b;

    explicit Intervals(std::int32_t cells);
    [[nodiscard]] std::size_t count() const { return a.size(); }
    [[nodiscard]] std::size_t index(std::int32_t from, std::int32_t to) const {
        const std::int32_t length = to - from;
        return static_cast<std::size_t>(length * n - length * (length - 1) / 2 + from);
    }
};

class Layout {
   public:
    static constexpr std::size_t kMaxOuter = std::size_t{1} << 22;
    static constexpr std::size_t kMinInner = 100;

    // Bytes that a layout of `grid` needs at most, without building it.
    [[nodiscard]] static double forecast_bytes(const Grid& grid);

    Layout(const Grid& grid, Control& control);

    [[nodiscard]] bool relevant(std::size_t k, std::size_t base, std::int32_t plane) const {
        return relevance_[k][base + static_cast<std::size_t>(plane) * plane_stride_[k]] != 0;
    }
    // Index of `outer` in the relevance table of axis k, that axis left out.
    [[nodiscard]] std::size_t relevance_base(std::size_t k, const std::vector<std::size_t>& t) const;
    [[nodiscard]] std::size_t bytes() const;

    const Grid& grid;
    std::vector<Intervals> axis;  // outer axes first
    std::size_t n_outer_axes = 0;
    std::vector<std::size_t> stride;       // of interval indices: within outer boxes, within inner boxes
    std::size_t n_outer = 1, n_inner = 1;  // boxes
    std::size_t inner_cells = 1, outer_cells = 1;
    std::vector<std::uint32_t> number;                 // per outer box: number of the tight box that shares its row
    std::vector<std::uint32_t> tight;                  // outer box by number; numbers ascend with the level
    std::vector<std::size_t> level_first;              // level = sum of lengths; level 0 are the single outer cells
    std::vector<std::uint32_t> inner_low, inner_high;  // inner cell at the corners of an inner box
    std::vector<std::uint32_t> split_first;            // per inner box, its splits:
    std::vector<std::pair<std::uint32_t, std::uint32_t>> split_pairs;

   private:
    void fill_relevance(std::size_t k);
    void find_tight(Control& control);
    void fill_inner();

    std::vector<std::vector<std::uint8_t>> relevance_;  // [axis]: intervals of the others, plane of this one
    std::vector<std::vector<std::size_t>> relevance_stride_;
    std::vector<std::size_t> plane_stride_;
    std::vector<std::size_t> cell_stride_;  // per axis, in cells of the grid
};

}  // namespace treewright::bornagain
