// How large a tree may be.
#pragma once

#include "treewright/core/cost.hpp"

#include <algorithm>
#include <cstdint>

namespace treewright::ranked {

// Limits of a subtree: levels of splits, and leaves. Only `fitted` sizes are compared and stored.
struct Size {
    static constexpr std::uint32_t kAny = 0xffffffffu;
    std::uint32_t depth;
    std::uint32_t leaves = kAny;

    friend bool operator==(const Size&, const Size&) = default;
    // The same trees with the least depth that a limit of leaves leaves, and no limit where the depth is one already.
    [[nodiscard]] Size fitted() const {
        const std::uint32_t levels = std::min(depth, leaves - 1);
        return {levels, levels < 32 && leaves >> levels != 0 ? kAny : leaves};
    }
    // Leaves of a tree over so many rows, at most.
    [[nodiscard]] Cost max_leaves(Cost rows) const {
        return std::min({rows, Cost{leaves}, Cost{1} << std::min(depth, 40u)});
    }
    [[nodiscard]] Size below() const { return {depth - 1, leaves == kAny ? kAny : leaves - 1}; }
    [[nodiscard]] Size pair() const { return {2, leaves == kAny ? kAny : leaves - 1}; }
};

}  // namespace treewright::ranked
