// What the leaves of a tree cost for their predictions, while rows come and go.
#pragma once

#include "treewright/tree/pruning.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace treewright::tree {

// Plain costs: the weight of each class in each node, and the largest of them.
class PlainCosts {
   public:
    static constexpr bool kPredicts = true;

    PlainCosts(const Labels& labels, std::size_t n_nodes)
        : labels_(labels), weight_(n_nodes * labels.n_classes, 0), total_(n_nodes, 0), best_(n_nodes, 0) {}

    void add(std::size_t node, std::uint32_t row) {
        std::int64_t& sum = weight_[node * labels_.n_classes + class_of(row)];
        sum += labels_.weight[row];
        total_[node] += labels_.weight[row];
        best_[node] = std::max(best_[node], sum);
    }
    // Takes a row out again; refresh() once all are out.
    void remove(std::size_t node, std::uint32_t row) {
        weight_[node * labels_.n_classes + class_of(row)] -= labels_.weight[row];
        total_[node] -= labels_.weight[row];
    }
    void refresh(std::size_t node) { best_[node] = *std::max_element(at(node), at(node) + labels_.n_classes); }
    // A node has the rows of both sides.
    void join(std::size_t node, std::size_t left, std::size_t right) {
        for (std::size_t k = 0; k < labels_.n_classes; ++k) at(node)[k] = at(left)[k] + at(right)[k];
        total_[node] = total_[left] + total_[right];
        refresh(node);
    }

    [[nodiscard]] Wide paid(std::size_t node) const { return total_[node] - best_[node]; }
    [[nodiscard]] double worth(std::size_t node, const LeafWorth& worth) const {
        return worth.of(best_[node], total_[node]);
    }
    [[nodiscard]] std::size_t prediction(std::size_t node) const {
        const std::int64_t* const sums = weight_.data() + node * labels_.n_classes;
        return static_cast<std::size_t>(std::max_element(sums, sums + labels_.n_classes) - sums);
    }

   private:
    [[nodiscard]] std::size_t class_of(std::uint32_t row) const { return static_cast<std::size_t>(labels_.y[row]); }
    [[nodiscard]] std::int64_t* at(std::size_t node) { return weight_.data() + node * labels_.n_classes; }

    const Labels& labels_;
    std::vector<std::int64_t> weight_;
    std::vector<std::int64_t> total_;
    std::vector<std::int64_t> best_;
};

// Any costs: what each prediction would cost in each node.
class MatrixCosts {
   public:
    static constexpr bool kPredicts = true;

    MatrixCosts(const Labels& labels, std::size_t n_nodes) : labels_(labels), cost_(n_nodes * labels.n_classes, 0) {}

    void add(std::size_t node, std::uint32_t row) { change(node, row, labels_.weight[row]); }
    void remove(std::size_t node, std::uint32_t row) { change(node, row, -labels_.weight[row]); }
    void refresh(std::size_t) const {}
    void join(std::size_t node, std::size_t left, std::size_t right) {
        for (std::size_t c = 0; c < labels_.n_classes; ++c)
            cost_[node * labels_.n_classes + c] =
                cost_[left * labels_.n_classes + c] + cost_[right * labels_.n_classes + c];
    }

    [[nodiscard]] Wide paid(std::size_t node) const { return *cheapest(node); }
    [[nodiscard]] double worth(std::size_t, const LeafWorth&) const {
        return 1.0;
    }  // accuracy is asked of plain costs only
    [[nodiscard]] std::size_t prediction(std::size_t node) const {
        return static_cast<std::size_t>(cheapest(node) - cost_.data()) - node * labels_.n_classes;
    }

   private:
    void change(std::size_t node, std::uint32_t row, std::int64_t weight) {
        const std::int64_t* const costs =
            labels_.costs.data() + static_cast<std::size_t>(labels_.y[row]) * labels_.n_classes;
        Wide* const cost = cost_.data() + node * labels_.n_classes;
        for (std::size_t c = 0; c < labels_.n_classes; ++c) cost[c] += Wide{weight} * costs[c];
    }
    [[nodiscard]] const Wide* cheapest(std::size_t node) const {
        const Wide* const cost = cost_.data() + node * labels_.n_classes;
        return std::min_element(cost, cost + labels_.n_classes);
    }

    const Labels& labels_;
    std::vector<Wide> cost_;
};

}  // namespace treewright::tree
