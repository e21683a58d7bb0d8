// What the leaves of a deep tree cost at least, without overflow.
//
// A leaf may cost 2^60, and a tree of depth d that is no shallower has d + 1 leaves or more: their cost passes 64 bits
// from d = 8 on. A tree of so many leaves costs no less than one of fewer, so only as many are counted as stay below
// kNoCost, which is above every tree that is looked for.
#pragma once

#include "treewright/core/cost.hpp"

#include <algorithm>

namespace treewright::ranked {

[[nodiscard]] inline Cost cost_of_leaves(Cost leaves, Cost penalty) {
    return penalty > 0 ? std::min(leaves, kNoCost / penalty) * penalty : 0;
}

}  // namespace treewright::ranked
