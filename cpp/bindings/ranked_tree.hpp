// A tree over ranked columns for Python, depth-first: None for a leaf, else (column, low, high).
#pragma once

#include "treewright/sweep/tree_node.hpp"

#include <nanobind/nanobind.h>

#include <span>

namespace treewright {

inline nanobind::list to_python(std::span<const sweep::TreeNode> tree) {
    nanobind::list nodes;
    for (const sweep::TreeNode& node : tree) {
        if (node.column == sweep::TreeNode::kLeaf)
            nodes.append(nanobind::none());
        else
            nodes.append(nanobind::make_tuple(node.column, node.low, node.high));
    }
    return nodes;
}

}  // namespace treewright
