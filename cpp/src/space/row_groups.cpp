#include "treewright/space/row_groups.hpp"

#include "treewright/core/random.hpp"

#include <algorithm>
#include <unordered_map>

namespace treewright::ranked {

namespace {

std::uint32_t max_rank(const RankedTable& table, std::uint32_t column) {
    const std::uint32_t* first = table.rank.data() + std::size_t{column} * table.n_rows;
    return *std::max_element(first, first + table.n_rows);
}

constexpr std::size_t kCellsPerUnit = 4000;  // rows that a split is looked up for per unit of clock checks
constexpr std::uint32_t kRowsPerLook = 64;
constexpr std::int64_t kUnitsOfRows = 4;  // to find the group of so many

}  // namespace

bool RowGroups::fit(const RankedTable& table) {
    std::size_t n_splits = 0;
    bool binary = true;
    for (std::uint32_t c = 0; c < table.n_columns; ++c) {
        const std::uint32_t most = max_rank(table, c);
        n_splits += most;
        binary = binary && most <= 1;
    }
    return n_splits >= 1 && n_splits <= (binary ? kMaxBinary : kMaxSplits) && n_splits * table.n_rows <= kMaxEntries;
}

std::optional<RowGroups> RowGroups::of(const RankedObjective& objective, const TwoSums& sums, Control& control) {
    RowGroups groups;
    if (!groups.make(objective, sums, control)) return std::nullopt;
    return groups;
}

bool RowGroups::make(const RankedObjective& objective, const TwoSums& sums, Control& control) {
    n_sums = objective.n_sums();
    const RankedTable& table = objective.table();
    for (std::uint32_t c = 0; c < table.n_columns; ++c)
        for (std::uint32_t rank = 1, most = max_rank(table, c); rank <= most; ++rank)
            splits.push_back({c, rank, false});
    n_words_ = (splits.size() + 63) / 64;

    // Equal rows have equal sums of the keys of the splits that they are right of.
    std::vector<Fingerprint> of_row(table.n_rows), key(splits.size());
    Random random;
    for (Fingerprint& k : key) {
        const std::uint64_t high = random();
        k = {high, random()};
    }
    std::vector<std::uint32_t> n_right(splits.size(), 0);
    for (std::size_t c = 0; c < splits.size(); ++c) {
        if (control.poll(static_cast<std::int64_t>(1 + table.n_rows / kCellsPerUnit))) return false;
        for (std::uint32_t r = 0; r < table.n_rows; ++r)
            if (table.rank_of(splits[c].column, r) >= splits[c].rank) of_row[r].add(key[c]), ++n_right[c];
    }
    struct Hash {
        std::size_t operator()(const Fingerprint& f) const { return static_cast<std::size_t>(f.low); }
    };
    std::unordered_map<Fingerprint, std::uint32_t, Hash> known;
    for (std::uint32_t r = 0; r < table.n_rows; ++r) {
        if (r % kRowsPerLook == 0 && control.poll(kUnitsOfRows)) return false;
        const auto [place, is_new] = known.try_emplace(of_row[r], n_groups);
        if (is_new) {
            ++n_groups;
            row.push_back(r);
            group.emplace_back();
            group.back().clear(n_sums);
            a.push_back(0);
            b.push_back(0);
        }
        const std::uint32_t g = place->second, entry = r * 2;
        objective.add_rows(&entry, 0, 1, group[g]);
        a[g] += sums.a[r];
        b[g] += sums.b[r];
    }
    for (std::size_t c = 0; c < splits.size(); ++c) {
        std::size_t groups_right = 0;
        for (const std::uint32_t r : row) groups_right += table.rank_of(splits[c].column, r) >= splits[c].rank ? 1 : 0;
        splits[c].ones_left = groups_right * 2 > n_groups;
    }
    words_.assign(n_groups * n_words_, 0);
    first.push_back(0);
    for (std::uint32_t g = 0; g < n_groups; ++g) {
        if (g % kRowsPerLook == 0 && control.poll(kUnitsOfRows)) return false;
        for (std::uint32_t c = 0; c < splits.size(); ++c) {
            const bool right = table.rank_of(splits[c].column, row[g]) >= splits[c].rank;
            if (right == splits[c].ones_left) continue;
            list.push_back(c);
            words_[g * n_words_ + c / 64] |= std::uint64_t{1} << (c % 64);
        }
        first.push_back(list.size());
        loss.push_back(objective.leaf_cost(group[g]) - objective.leaf_penalty());
    }
    return true;
}

std::size_t RowGroups::bytes() const {
    return words_.size() * 8 + list.size() * 4 + n_groups * (sizeof(Node) + n_sums * 8 + 40);
}

}  // namespace treewright::ranked
