// A tree under construction, in one word: a leaf, the best tree of depth one (found when the tree is written down),
// a root split with such trees below (or with one, and a leaf on the other side), or a node of the tree pool. Subplans
// are shared and never changed.
#pragma once

#include <cstdint>
#include <vector>

namespace treewright::ranked {

class PartialTree {
   public:
    enum class Kind : std::uint8_t { leaf = 0, stump = 1, node = 2, pair = 3, leaf_left = 4, leaf_right = 5 };

    PartialTree() = default;
    static PartialTree leaf() { return PartialTree(0); }
    static PartialTree stump() { return PartialTree(1); }
    // Rows with rank < `rank` in `column` go left; both sides are stumps, or (`kind`) one of them is a leaf.
    static PartialTree pair(std::uint32_t column, std::uint32_t rank, Kind kind = Kind::pair) {
        return PartialTree(static_cast<std::uint64_t>(kind) | (std::uint64_t{column} << 3) |
                           (std::uint64_t{rank} << 32));
    }
    static PartialTree node(std::size_t index) { return PartialTree(2u | (std::uint64_t{index} << 3)); }

    [[nodiscard]] Kind kind() const { return static_cast<Kind>(code_ & 7u); }
    [[nodiscard]] bool is_pair() const { return kind() >= Kind::pair; }
    [[nodiscard]] std::uint32_t column() const { return static_cast<std::uint32_t>(code_) >> 3; }
    [[nodiscard]] std::uint32_t rank() const { return static_cast<std::uint32_t>(code_ >> 32); }
    [[nodiscard]] std::size_t index() const { return static_cast<std::size_t>(code_ >> 3); }
    friend bool operator==(PartialTree, PartialTree) = default;

   private:
    explicit PartialTree(std::uint64_t code) : code_(code) {}
    std::uint64_t code_ = 0;
};

struct TreePoolNode {
    std::uint32_t column;
    std::uint32_t rank;
    PartialTree left;
    PartialTree right;
};

using TreePool = std::vector<TreePoolNode>;

// The node becomes part of the pool: the tree that has it as its root.
[[nodiscard]] inline PartialTree plant(TreePool& pool, const TreePoolNode& node) {
    pool.push_back(node);
    return PartialTree::node(pool.size() - 1);
}

}  // namespace treewright::ranked
