// The rows of a table counted in every node of a tree.
#pragma once

#include "treewright/tree/split_list.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace treewright::tree {

struct ClassSums {
    std::vector<Children> children;
    std::vector<std::int64_t> count;  // rows of each node
    std::vector<double> weight;       // of each node and class; added in the order of the rows, as numpy.bincount does
};
[[nodiscard]] ClassSums class_sums(const SplitList& splits, const EncodedRows& rows, std::span<const std::int32_t> y,
                                   std::span<const double> weight, std::size_t n_classes);

}  // namespace treewright::tree
