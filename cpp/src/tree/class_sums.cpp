#include "treewright/tree/class_sums.hpp"

namespace treewright::tree {

ClassSums class_sums(const SplitList& splits, const EncodedRows& rows, std::span<const std::int32_t> y,
                     std::span<const double> weight, std::size_t n_classes) {
    ClassSums sums;
    sums.children = children_of(splits);
    sums.weight.assign(splits.size() * n_classes, 0.0);
    sums.count.assign(splits.size(), 0);
    static_cast<void>(route(splits, sums.children, rows, [&](std::size_t node, std::span<const std::uint32_t> here) {
        double* const sum = sums.weight.data() + node * n_classes;
        for (const std::uint32_t row : here) sum[static_cast<std::size_t>(y[row])] += weight[row];
        sums.count[node] = static_cast<std::int64_t>(here.size());
    }));
    return sums;
}

}  // namespace treewright::tree
