// A tree over ranked columns for Python, depth-first: None for a leaf, else (column, low, high).
#pragma once

#include "treewright/core/tree_node.hpp"

#include <nanobind/nanobind.h>

#include <span>

namespace treewright {

inline nanobind::list to_python(std::span<const ranked::TreeNode> tree) {
    nanobind::list nodes;
    for (const ranked::TreeNode& node : tree) {
        if (node.column == ranked::TreeNode::kLeaf)
            nodes.append(nanobind::none());
        else
            nodes.append(nanobind::make_tuple(node.column, node.low, node.high));
    }
    return nodes;
}

}  // namespace treewright
