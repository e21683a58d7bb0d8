// Targets of rows in their order, from which rows are taken out, and the quantile loss of those that are left.
#pragma once

#include "treewright/tree/quantile_split.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace treewright::tree {

// The distinct targets, ascending, and which of them each row has.
struct RankedTargets {
    std::vector<double> value;
    std::vector<std::uint32_t> rank;
};

// `place_` is the target q that the leaf says, once `loss` has moved it to where at most the share up / (up + down) of
// the weight is below it, and with it at least that: L is least there.
class TargetList {
   public:
    TargetList(const TargetRows& rows, const RankedTargets& targets) : rows_(rows), targets_(targets) {}

    // The rows that are in the list from now on; there is one at least.
    template <class Contains>
    void fill(const Contains& contains) {
        const auto n = static_cast<std::uint32_t>(targets_.value.size());
        nodes_.resize(n);
        for (std::uint32_t at = 0; at < n; ++at) nodes_[at] = {.value = targets_.value[at]};
        weight_ = sum_ = 0;
        for (std::size_t row = 0; row < rows_.target.size(); ++row) {
            if (!contains(row)) continue;
            Node& node = nodes_[targets_.rank[row]];
            node.weight += rows_.weight[row];
            ++node.n_rows;
        }
        std::uint32_t last = kNone;
        for (std::uint32_t at = 0; at < n; ++at) {
            Node& node = nodes_[at];
            if (node.n_rows == 0) continue;
            node.before = last;
            if (last == kNone)
                place_ = at;
            else
                nodes_[last].after = at;
            last = at;
            weight_ += node.weight;
            sum_ += node.weight * node.value;
        }
        weight_below_ = sum_below_ = 0;
    }

    // Rows are taken out in no order of their targets: memory is asked for a target first, then for those beside it.
    void prefetch(std::uint32_t at) const { __builtin_prefetch(nodes_.data() + at); }
    void prefetch_beside(std::uint32_t at) const {
        if (nodes_[at].n_rows > 1) return;
        if (nodes_[at].before != kNone) prefetch(nodes_[at].before);
        if (nodes_[at].after != kNone) prefetch(nodes_[at].after);
    }

    // A row of this target and weight; it is in the list, and another one is, too.
    void remove(std::uint32_t at, double weight) {
        Node& node = nodes_[at];
        const double weighted = weight * node.value;
        node.weight -= weight, weight_ -= weight, sum_ -= weighted;
        if (at < place_) weight_below_ -= weight, sum_below_ -= weighted;
        if (--node.n_rows > 0) return;
        if (node.before != kNone) nodes_[node.before].after = node.after;
        if (node.after != kNone) nodes_[node.after].before = node.before;
        if (at != place_) return;
        if (node.after != kNone)
            place_ = node.after;
        else
            step_down(node.before);
    }

    [[nodiscard]] double loss() {
        const double share = weight_ * (rows_.up / (rows_.up + rows_.down));
        while (weight_below_ > share && nodes_[place_].before != kNone) step_down(nodes_[place_].before);
        while (weight_below_ + nodes_[place_].weight < share && nodes_[place_].after != kNone) {
            weight_below_ += nodes_[place_].weight;
            sum_below_ += nodes_[place_].weight * nodes_[place_].value;
            place_ = nodes_[place_].after;
        }
        const double q = nodes_[place_].value, here = nodes_[place_].weight;
        const double above = (sum_ - sum_below_ - here * q) - q * (weight_ - weight_below_ - here);
        return std::max(0.0, rows_.up * above + rows_.down * (q * weight_below_ - sum_below_));
    }

   private:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};
    struct Node {
        double value = 0, weight = 0;
        std::uint32_t n_rows = 0, before = kNone, after = kNone;
    };
    void step_down(std::uint32_t at) {
        place_ = at;
        weight_below_ -= nodes_[at].weight;
        sum_below_ -= nodes_[at].weight * nodes_[at].value;
    }

    const TargetRows& rows_;
    const RankedTargets& targets_;
    std::vector<Node> nodes_;
    std::uint32_t place_ = 0;
    double weight_ = 0, sum_ = 0, weight_below_ = 0, sum_below_ = 0;
};

}  // namespace treewright::tree
