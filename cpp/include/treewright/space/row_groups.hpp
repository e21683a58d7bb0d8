// Rows over few cuts: equal rows are one group, and a group is a list of the cuts that it is on the rarer side of.
//
// Every cut of every ranked column is a binary column here. Rows on the same side of all cuts cannot be parted: what the
// least leaf of each group loses is lost by every tree (rule S of interval_bounds.hpp, for any least size of leaves: a tree
// of all groups has each of them whole in one leaf).
#pragma once

#include "treewright/objective/ranked_objective.hpp"
#include "treewright/objective/two_sums.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace treewright::ranked {

struct RowGroups {
    struct Cut {
        std::uint32_t column, rank;  // rows of lower rank are left
        bool ones_left;              // whether the list of a group has the cut where the group is left of it
    };
    // Cuts beyond which a table has too many, where all columns have one, and else; and rows times cuts.
    static constexpr std::size_t kMostBinary = 512, kMostCuts = 64, kMostEntries = std::size_t{1} << 28;
    [[nodiscard]] static bool fit(const RankedTable& table);

    // `objective` stays in use; `sums` is moved from row to group.
    RowGroups(const RankedObjective& objective, const TwoSums& sums);

    std::vector<Cut> cuts;
    std::uint32_t n_groups = 0;
    std::size_t n_sums = 0;

    std::vector<Node> group;          // [group]: count, sums and fingerprint; no orders
    std::vector<Cost> loss;           // [group]: of its least leaf, without penalty
    std::vector<double> a, b;         // [group]: as TwoSums
    std::vector<std::uint32_t> row;   // [group]: one of its rows
    std::vector<std::size_t> first;   // [group + 1]: where its list begins
    std::vector<std::uint32_t> list;  // cuts that the group is on the side of ones of, ascending

    [[nodiscard]] std::span<const std::uint32_t> ones(std::uint32_t g) const {
        return std::span(list).subspan(first[g], first[g + 1] - first[g]);
    }
    [[nodiscard]] bool is_one(std::uint32_t g, std::uint32_t cut) const {
        return (words_[g * n_words_ + cut / 64] >> (cut % 64) & 1u) != 0;
    }
    [[nodiscard]] std::size_t bytes() const;

   private:
    std::vector<std::uint64_t> words_;  // [group]: bit `cut`
    std::size_t n_words_;
};

}  // namespace treewright::ranked
