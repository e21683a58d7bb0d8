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
    Orders& orders = *orders_;
    std::call_once(orders.once, [&] { orders.of_columns = ranked::orders_of(table); });
    return orders.of_columns.data() + std::size_t{column} * table.n_rows;
}

void Node::sum() {
    total = std::accumulate(weight.begin(), weight.end(), Count{0});
    largest = *std::max_element(weight.begin(), weight.end());
    value = {static_cast<Whole>(largest), static_cast<Whole>(total)};
    if (full.empty()) return;
    value = {*std::max_element(full.begin(), full.end()), std::accumulate(full.begin(), full.end(), Whole{0})};
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

void Sorter::sums(const Node& node, std::uint32_t column, SortedColumn& out) {
    const std::size_t n_classes = data_.n_classes(), n_ranks = data_.n_ranks[column], n_sums = n_ranks * n_classes;
    if (n_sums > node.rows.size()) return sort(node, column, out);
    const std::uint32_t* rank = &data_.table.rank[std::size_t{column} * data_.n_rows()];
    out.column = column;
    out.splits.clear();
    out.left.clear();
    out.full.clear();
    start_.assign(n_ranks, 0);
    weight_.assign(n_sums, 0);
    full_.assign(data_.full.empty() ? 0 : n_sums, 0);
    for (const std::uint32_t row : node.rows) {
        const std::size_t at = rank[row] * n_classes + data_.table.label[row];
        ++start_[rank[row]];
        weight_[at] += data_.table.weight[row];
        if (!full_.empty()) full_[at] += data_.full[row];
    }
    std::uint32_t position = 0;
    for (std::uint32_t r = 0; r < n_ranks; ++r) {
        if (start_[r] == 0) continue;
        const std::size_t at = r * n_classes, before = out.left.size() - n_classes;  // of the last split, if any
        position += start_[r];
        if (position == node.rows.size()) break;
        const bool first = out.splits.empty();
        out.splits.push_back({position, r + 1});
        for (std::size_t k = 0; k < n_classes; ++k) {
            out.left.push_back(weight_[at + k] + (first ? 0 : out.left[before + k]));
            if (!full_.empty()) out.full.push_back(full_[at + k] + (first ? Whole{0} : out.full[before + k]));
        }
    }
}

void Sorter::sort(const Node& node, std::uint32_t column, SortedColumn& out) {
    const std::uint32_t* rank = &data_.table.rank[std::size_t{column} * data_.n_rows()];
    const std::size_t n = node.rows.size(), n_classes = data_.n_classes();
    const std::size_t n_ranks = data_.n_ranks[column];
    out.column = column;
    out.rows.resize(n);
    if (n_ranks <= 2 * n + 16) {
        start_.assign(n_ranks + 1, 0);
        for (const std::uint32_t row : node.rows) ++start_[rank[row] + 1];
        for (std::size_t r = 0; r < n_ranks; ++r) start_[r + 1] += start_[r];
        for (const std::uint32_t row : node.rows) out.rows[start_[rank[row]]++] = row;
    } else {
        entries_.resize(n);
        for (std::size_t i = 0; i < n; ++i) entries_[i] = (std::uint64_t{rank[node.rows[i]]} << 32) | node.rows[i];
        std::sort(entries_.begin(), entries_.end());
        for (std::size_t i = 0; i < n; ++i) out.rows[i] = static_cast<std::uint32_t>(entries_[i]);
    }
    out.splits.clear();
    out.left.clear();
    out.full.clear();
    std::vector<Count> sum(n_classes, 0);
    std::vector<Whole> full(data_.full.empty() ? 0 : n_classes, 0);
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t row = out.rows[i];
        if (i > 0 && rank[row] != rank[out.rows[i - 1]]) {
            out.splits.push_back({i, rank[out.rows[i - 1]] + 1});
            out.left.insert(out.left.end(), sum.begin(), sum.end());
            out.full.insert(out.full.end(), full.begin(), full.end());
        }
        sum[data_.table.label[row]] += data_.table.weight[row];
        if (!full.empty()) full[data_.table.label[row]] += data_.full[row];
    }
}

}  // namespace treewright::leaf_accuracy
