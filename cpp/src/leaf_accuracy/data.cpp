#include "treewright/leaf_accuracy/data.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace treewright::leaf_accuracy {

void Data::prepare() {
    table.key = ranked::keys_of_rows(table.n_rows);
    const std::size_t n = table.n_rows;
    std::map<std::pair<std::uint32_t, std::int32_t>, std::uint32_t> number;
    std::vector<std::int32_t> last(table.n_classes,
                                   0);  // weight of the last row of each class: the next is often alike
    total = 0;
    unit_weights = true;
    for (std::size_t i = 0; i < n; ++i) {
        if (std::exchange(last[table.label[i]], table.weight[i]) != table.weight[i])
            number.try_emplace({table.label[i], table.weight[i]}, 0);
        total += table.weight[i];
        unit_weights = unit_weights && table.weight[i] == 1;
    }
    rounding = {};
    lost = max_lost = 0;
    if (!full.empty()) {
        rounding.any = true;
        rounding.shift = shift;
        for (std::size_t i = 0; i < n; ++i) {
            const Whole coarse = Whole{static_cast<std::uint64_t>(table.weight[i])} << shift;
            const bool up = coarse > full[i];
            const Whole change = up ? coarse - full[i] : full[i] - coarse;
            if (up) {
                lost += change;
                max_lost = std::max(max_lost, change);
            }
            const double in_units = std::ldexp(static_cast<double>(change), -shift);
            rounding.most += in_units;
            rounding.share = std::max(rounding.share, in_units / table.weight[i]);
        }
        // Pays for the rounding of these sums.
        rounding.most = rounding.most * (1 + 1e-9) + 1e-9;
        rounding.share = rounding.share * (1 + 1e-9);
    }
    planes.clear();
    for (auto& [key, at] : number) {
        at = static_cast<std::uint32_t>(planes.size());
        planes.push_back({key.first, key.second, 0, 0});
    }
    plane.resize(n);
    std::fill(last.begin(), last.end(), 0);
    std::vector<std::uint32_t> of_last(table.n_classes, 0);
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t label = table.label[i];
        if (std::exchange(last[label], table.weight[i]) != table.weight[i])
            of_last[label] = number.at({label, table.weight[i]});
        plane[i] = of_last[label];
    }

    orders_ = std::make_unique<Order[]>(table.n_columns);
    n_ranks.assign(table.n_columns, 1);
    n_splits = 0;
    strips.clear();
    for (std::uint32_t c = 0; c < table.n_columns; ++c) {
        const auto ranks = std::span(table.rank).subspan(c * n, n);
        n_ranks[c] = *std::max_element(ranks.begin(), ranks.end()) + 1;
        n_splits += n_ranks[c] - 1;
        for (std::uint32_t first = 0; first + 1 < n_ranks[c]; first += 255) strips.push_back({c, first});
    }
}

const std::uint32_t* Data::order(std::uint32_t column) const {
    Order& order = orders_[column];
    std::call_once(order.once, [&] { order.rows = ranked::order_of(table, column); });
    return order.rows.data();
}

void Node::sum() {
    total = std::accumulate(weight.begin(), weight.end(), Count{0});
    largest = *std::max_element(weight.begin(), weight.end());
    value = {static_cast<Whole>(largest), static_cast<Whole>(total)};
    if (full.empty()) return;
    value = {*std::max_element(full.begin(), full.end()), std::accumulate(full.begin(), full.end(), Whole{0})};
}

void SortedColumn::clear(std::uint32_t of_column) {
    column = of_column;
    splits.clear();
    left.clear();
    full.clear();
}

Sides SortedColumn::sides(const Node& node, std::size_t split) const {
    Sides sides;
    const std::size_t n_classes = node.weight.size(), at = split * n_classes;
    for (std::size_t k = 0; k < n_classes; ++k) {
        const Count on_left = left[at + k], on_right = node.weight[k] - on_left;
        sides.left.largest = std::max(sides.left.largest, on_left);
        sides.right.largest = std::max(sides.right.largest, on_right);
        sides.left.weight += on_left;
    }
    sides.right.weight = node.total - sides.left.weight;
    sides.left.rows = splits[split].position;
    sides.right.rows = node.n() - sides.left.rows;
    if (full.empty()) {
        sides.left.value = {static_cast<Whole>(sides.left.largest), static_cast<Whole>(sides.left.weight)};
        sides.right.value = {static_cast<Whole>(sides.right.largest), static_cast<Whole>(sides.right.weight)};
        return sides;
    }
    for (std::size_t k = 0; k < n_classes; ++k) {
        const Whole on_left = full[at + k], on_right = node.full[k] - on_left;
        sides.left.value.correct = std::max(sides.left.value.correct, on_left);
        sides.right.value.correct = std::max(sides.right.value.correct, on_right);
        sides.left.value.weight += on_left;
    }
    sides.right.value.weight = node.value.weight - sides.left.value.weight;
    return sides;
}

}  // namespace treewright::leaf_accuracy
