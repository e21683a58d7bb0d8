#include "treewright/space/ranked_table.hpp"

#include "treewright/core/random.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

namespace treewright::ranked {

namespace {

// Rows by rank, ties by row: a counting sort. Where every row has a rank of its own, which is tried first if it can be,
// nothing is counted: of a million rows that takes a fifth of the time (benchmarks/limits.py).
void sort_column(std::span<const std::uint32_t> rank, std::span<std::uint32_t> order) {
    if (rank.empty()) return;
    const std::uint32_t n_ranks = *std::max_element(rank.begin(), rank.end()) + 1;
    if (n_ranks == rank.size()) {
        // No entry is 0, for each says that it begins a group: a place that is 0 still has no row.
        bool distinct = true;
        std::fill(order.begin(), order.end(), 0u);
        for (std::uint32_t row = 0; row < rank.size() && distinct; ++row) {
            std::uint32_t& place = order[rank[row]];
            distinct = place == 0;
            place = row * 2 | 1u;
        }
        if (distinct) return;
    }
    std::vector<std::uint32_t> next(n_ranks, 0);
    for (const std::uint32_t r : rank) ++next[r];
    std::uint32_t sum = 0;
    for (std::uint32_t& count : next) sum += std::exchange(count, sum);
    for (std::uint32_t row = 0; row < rank.size(); ++row) order[next[rank[row]]++] = row * 2;
    order[0] |= 1u;
    for (const std::uint32_t end : next)  // where one rank ends, the next begins
        if (end < order.size()) order[end] |= 1u;
}

}  // namespace

std::vector<std::uint32_t> orders_of(const RankedTable& table) {
    const std::size_t n = table.n_rows;
    std::vector<std::uint32_t> order(n * table.n_columns);
    for (std::size_t c = 0; c < table.n_columns; ++c)
        sort_column(std::span(table.rank).subspan(c * n, n), std::span(order).subspan(c * n, n));
    return order;
}

std::vector<std::uint32_t> order_of(const RankedTable& table, std::uint32_t column) {
    const std::size_t n = table.n_rows;
    std::vector<std::uint32_t> order(n);
    sort_column(std::span(table.rank).subspan(column * n, n), order);
    return order;
}

std::vector<Fingerprint> keys_of_rows(std::size_t n_rows) {
    std::vector<Fingerprint> key(n_rows);
    Random random;
    for (Fingerprint& k : key) {
        const std::uint64_t high = random();
        k = {high, random()};
    }
    return key;
}

void RankedTable::prepare() {
    order = orders_of(*this);
    key = keys_of_rows(n_rows);
}

void RankedTable::take(const RankedTable& other, std::span<const std::uint32_t> rows) {
    n_rows = static_cast<std::uint32_t>(rows.size());
    n_columns = other.n_columns;
    min_leaf = 1;
    rank.clear();
    rank.reserve(rows.size() * n_columns);
    for (std::uint32_t c = 0; c < n_columns; ++c)
        for (const std::uint32_t row : rows) rank.push_back(other.rank_of(c, row));
}

std::vector<std::uint32_t> drawn_rows(const RankedTable& table, std::span<const std::uint64_t> content) {
    std::vector<std::uint64_t> draw(content.begin(), content.end());
    for (std::uint32_t c = 0; c < table.n_columns; ++c)
        for (std::uint32_t row = 0; row < table.n_rows; ++row) draw[row] = Random(draw[row] + table.rank_of(c, row))();
    std::vector<std::uint32_t> rows(table.n_rows);
    std::iota(rows.begin(), rows.end(), 0u);
    std::sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) { return draw[a] < draw[b]; });
    return rows;
}

}  // namespace treewright::ranked
