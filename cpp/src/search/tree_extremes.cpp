#include "treewright/search/tree_extremes.hpp"

#include <utility>

namespace treewright::binary {

namespace {

struct ValueTerms {
    const NearOptimalGraph& graph;
    const std::vector<std::int64_t>& leaf_value;

    [[nodiscard]] Largest leaf(std::size_t n, std::size_t label) const {
        return {leaf_value[n * graph.n_classes + label]};
    }
    [[nodiscard]] Largest factor(const SetEdge&) const { return {0}; }
};

}  // namespace

TreeExtremes::TreeExtremes(const NearOptimalGraph& graph, SetRule rule, const std::vector<std::int64_t>& leaf_value,
                           Control& control)
    : pass_(graph, std::move(rule)) {
    complete_ = pass_.run(0, ValueTerms{graph, leaf_value}, control);
}

SizeExtremes TreeExtremes::cells(std::size_t node) const {
    SizeExtremes out;
    pass_.cells(node).each([&](std::uint32_t leaves, std::int64_t errors, const Largest& best) {
        out.leaves.push_back(leaves);
        out.errors.push_back(errors);
        out.values.push_back(best.value);
    });
    return out;
}

}  // namespace treewright::binary
