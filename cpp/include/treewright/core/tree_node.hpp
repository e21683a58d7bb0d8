// A tree over ranked columns as it leaves an engine.
#pragma once

#include <cstdint>

namespace treewright::ranked {

// A node of the written tree, depth-first: rows with rank <= low go left, all others here have rank >= high.
struct TreeNode {
    static constexpr std::uint32_t kLeaf = 0xffffffffu;
    std::uint32_t column = kLeaf;
    std::uint32_t low = 0;
    std::uint32_t high = 0;
};

}  // namespace treewright::ranked
