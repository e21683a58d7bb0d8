// A split of a ranked node whose two sides are solved.
#pragma once

#include "treewright/core/cost.hpp"

#include <cstdint>

namespace treewright::ranked {

struct SolvedSplit {
    std::uint32_t at;        // number of the node's column
    std::uint32_t position;  // rows before it in that column's order go left
    Cost left, right;        // optima of the sides
};

}  // namespace treewright::ranked
