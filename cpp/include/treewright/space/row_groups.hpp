// Rows over few splits: equal rows are one group, and a group is a list of the splits that it is on the rarer side of.
//
// Every split of every ranked column is a binary column here. Rows on the same side of all splits cannot be parted:
// what the least leaf of each group loses is lost by every tree (rule S of interval_bounds.hpp, for any least size of
// leaves: a tree of all groups has each of them whole in one leaf).
#pragma once

#include "treewright/core/control.hpp"
#include "treewright/objective/ranked_objective.hpp"
#include "treewright/objective/two_sums.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace treewright::ranked {

struct RowGroups {
    struct Split {
        std::uint32_t column, rank;  // rows of lower rank are left
        bool ones_left;              // whether the list of a group has the split where the group is left of it
    };
    // Splits beyond which a table has too many, where all columns have one, and else; and rows times splits.
    static constexpr std::size_t kMaxBinary = 512, kMaxSplits = 64, kMaxEntries = std::size_t{1} << 28;
    [[nodiscard]] static bool fit(const RankedTable& table);

    // Moves `sums` from row to group, under the clock: none where the run ends before. Millions of different rows take
    // seconds.
    [[nodiscard]] static std::optional<RowGroups> of(const RankedObjective& objective, const TwoSums& sums,
                                                     Control& control);

    std::vector<Split> splits;
    std::uint32_t n_groups = 0;
    std::size_t n_sums = 0;

    std::vector<Node> group;          // [group]: count, sums and fingerprint; no orders
    std::vector<Cost> loss;           // [group]: of its least leaf, without penalty
    std::vector<double> a, b;         // [group]: as TwoSums
    std::vector<std::uint32_t> row;   // [group]: one of its rows
    std::vector<std::size_t> first;   // [group + 1]: where its list begins
    std::vector<std::uint32_t> list;  // splits that the group is on the side of ones of, ascending

    [[nodiscard]] std::span<const std::uint32_t> ones(std::uint32_t g) const {
        return std::span(list).subspan(first[g], first[g + 1] - first[g]);
    }
    [[nodiscard]] bool is_one(std::uint32_t g, std::uint32_t split) const {
        return (words_[g * n_words_ + split / 64] >> (split % 64) & 1u) != 0;
    }
    [[nodiscard]] std::size_t bytes() const;

   private:
    bool make(const RankedObjective& objective, const TwoSums& sums, Control& control);

    std::vector<std::uint64_t> words_;  // [group]: bit `split`
    std::size_t n_words_;
};

}  // namespace treewright::ranked
