#include "treewright/bornagain/depth_budget.hpp"

#include <algorithm>

namespace treewright::bornagain {

Cursor Cursor::whole(const Layout& layout) {
    Cursor box;
    for (const auto& axis : layout.axis) box.t.push_back(axis.count() - 1);
    box.outer = layout.n_outer - 1;
    box.inner = layout.n_inner - 1;
    return box;
}

std::size_t Cursor::replace(const Layout& layout, std::size_t k, std::size_t index) {
    std::size_t& number = k < layout.n_outer_axes ? outer : inner;
    number = number - t[k] * layout.stride[k] + index * layout.stride[k];
    return std::exchange(t[k], index);
}

template <class Policy>
std::vector<typename DepthBudget<Policy>::Split> DepthBudget<Policy>::candidates(Cursor& box, int budget) const {
    std::vector<Split> found;
    for (std::size_t k = 0; k < layout_.axis.size(); ++k) {
        const auto& axis = layout_.axis[k];
        const std::int32_t from = axis.a[box.t[k]], to = axis.b[box.t[k]];
        for (std::int32_t m = from; m < to; ++m) {
            const std::size_t whole = box.replace(layout_, k, axis.index(from, m));
            int depth = depth_.value(box.outer, box.inner);
            std::int64_t bound = 1 + lower(box);
            box.replace(layout_, k, axis.index(m + 1, to));
            depth = std::max<int>(depth, depth_.value(box.outer, box.inner));
            bound += lower(box);
            box.replace(layout_, k, whole);
            if (depth < budget) found.push_back({bound, k, m});
        }
    }
    std::stable_sort(found.begin(), found.end(), [&](const Split& x, const Split& y) {
        return x.bound != y.bound ? x.bound < y.bound : layout_.grid.feature[x.axis] < layout_.grid.feature[y.axis];
    });
    return found;
}

template <class Policy>
std::int64_t DepthBudget<Policy>::fewest(Cursor& box, int budget, std::int64_t upper) {
    const std::int64_t least = lower(box);
    if (budget >= depth_of_lower(box)) return least;
    if (budget < depth_.value(box.outer, box.inner)) return kInfeasible;
    if (least >= upper) return std::max(least, upper);
    const std::uint64_t key =
        (std::uint64_t{layout_.number[box.outer]} * layout_.n_inner + box.inner) * 256 + static_cast<unsigned>(budget);
    if (const auto known = memo_.find(key); known != memo_.end()) {
        if (known->second.exact || known->second.value >= upper) return known->second.value;
    }
    if (control_.step(8)) return std::max(least, upper);
    std::int64_t best = upper;
    for (const Split& split : candidates(box, budget)) {
        if (split.bound >= best) break;
        const auto& axis = layout_.axis[split.axis];
        const std::int32_t from = axis.a[box.t[split.axis]], to = axis.b[box.t[split.axis]];
        const std::size_t whole = box.replace(layout_, split.axis, axis.index(split.plane + 1, to));
        const std::int64_t right_least = lower(box);
        box.replace(layout_, split.axis, axis.index(from, split.plane));
        const std::int64_t left = fewest(box, budget - 1, best - 1 - right_least);
        if (left < best - 1 - right_least) {
            box.replace(layout_, split.axis, axis.index(split.plane + 1, to));
            const std::int64_t right = fewest(box, budget - 1, best - 1 - left);
            best = std::min(best, 1 + left + right);
        }
        box.replace(layout_, split.axis, whole);
    }
    if (!control_.stopped()) memo_[key] = {best, best < upper};
    return best;
}

template class DepthBudget<SplitsDepth>;
template class DepthBudget<WideSplitsDepth>;

}  // namespace treewright::bornagain
