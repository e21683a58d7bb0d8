// Labels of all cells of an ensemble, reduced to the planes that matter.
//
// A plane between two slabs with equal labels everywhere is dropped (Vidal and Schiffer 2020, section 3, "filter out
// any hyperplane such that F(z) = F(z + e_j)"). Axes are ordered by length, longest first.
#pragma once

#include "treewright/bornagain/regions.hpp"

#include <cstddef>

namespace treewright::bornagain {

struct Grid {
    std::vector<std::int32_t> n;                    // cells per axis, >= 2, descending
    std::vector<std::int32_t> feature;              // of the ensemble, per axis
    std::vector<std::vector<std::int32_t>> planes;  // of the ensemble, per axis: n - 1 of them
    std::vector<std::uint8_t> labels;               // last axis fastest
    double raw_cells = 1.0;                         // before the reduction

    [[nodiscard]] double boxes() const;  // equation 2 of the paper
    [[nodiscard]] int n_planes() const;
};

// All labels inside `box`, over the planes that some reachable node tests; check `control` for a stop. Memory: two
// bytes a cell.
[[nodiscard]] Grid make_grid(const Ensemble& ensemble, const Box& box, Control& control);

// The slabs from..to of one axis, reduced again; check `control` for a stop.
[[nodiscard]] Grid slice(const Grid& grid, std::size_t axis, std::int32_t from, std::int32_t to, Control& control);

// Cells that make_grid would label.
[[nodiscard]] double count_cells(const std::vector<std::vector<std::int32_t>>& planes);

}  // namespace treewright::bornagain
