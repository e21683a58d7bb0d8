// Smallest faithful trees of a labelled grid: least depth, fewest leaves, or fewest leaves within the least depth.
#pragma once

#include "treewright/bornagain/grid.hpp"

namespace treewright::bornagain {

enum class Goal : std::uint8_t { depth, leaves, depth_leaves };

struct Exact {
    bool solved = false;            // the goal is proven; else `tree` may be empty, and only the bounds hold
    PlaneTree tree;                 // over the planes of the ensemble of the grid
    std::int32_t depth_bound = 0;   // no faithful tree is shallower
    std::int64_t leaves_bound = 1;  // no faithful tree (for depth_leaves: within the least depth) has fewer leaves
    double tight_boxes = 0;         // outer boxes that need a row
    double rows = 0;                // rows stored, all tables
    double bytes = 0;               // tables and layout at their largest
    std::int64_t states = 0;        // of the search within a depth budget
};

// Limits: a stop of `control` ends the run with the bounds proven so far. `threads` fill the tables together; labels,
// layout, and the search within a depth budget above the tables have one.
[[nodiscard]] Exact solve_exact(const Grid& grid, Goal goal, std::size_t threads, Control& control);

}  // namespace treewright::bornagain
