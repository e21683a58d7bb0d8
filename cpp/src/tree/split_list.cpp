#include "treewright/tree/split_list.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace treewright::tree {

bool SplitList::goes_left(const Split& split, double x) const {
    if (std::isnan(x)) return split.missing_left;
    if (split.kind == Split::Kind::threshold) return x <= split.threshold;
    return std::binary_search(categories.begin() + split.first, categories.begin() + split.last, x);
}

std::vector<Children> children_of(const SplitList& splits) {
    std::vector<Children> children(splits.size());
    std::vector<std::int32_t> open;  // nodes that lack a child, the innermost last
    for (std::size_t node = 0; node < splits.size(); ++node) {
        const auto number = static_cast<std::int32_t>(node);
        if (node > 0) {
            if (open.empty()) throw std::invalid_argument("splits go on after the end of the tree");
            Children& above = children[static_cast<std::size_t>(open.back())];
            if (above.left < 0) {
                above.left = number;
            } else {
                above.right = number;
                open.pop_back();
            }
        }
        if (!splits.nodes[node].is_leaf()) open.push_back(number);
    }
    if (splits.size() == 0 || !open.empty()) throw std::invalid_argument("splits end before the tree does");
    return children;
}

}  // namespace treewright::tree
