// Parts of the rows: what is proven of each of them adds up to a bound for all.
//
// Let S_1 .. S_K be disjoint, S all their rows, f_k(S_k) the optimum over S_k with leaves of any size and a leaf
// penalty p_k. Where the penalties add up to no more than the penalty p of the whole,
//
//   f(S) >= f_1(S_1) + ... + f_K(S_K).
//
// Proof. Needs the law superadditive, and losses >= 0. Let T be best for S, with L leaves, and U_k what is left of T on
// S_k: where all rows of S_k take one side of a split, the subtree of that side stands for it. U_k is no deeper than T
// and has L_k <= L leaves. The loss of a leaf of T is at least the sum of its parts' losses. So f(S) = loss(T) + p L >=
// the sum of loss_k(U_k) + p_k L_k >= the sum of f_k(S_k).
//
// Penalties are whole numbers of at least 1. A p below K cannot be shared out: every p_k is 1 then, and (K - p) L, for
// the most leaves that a tree can have, is taken off the sum (`excess`).
//
// The rows are dealt at random: then a tree costs about the same share on every part, and the sum lacks only what trees
// can fit to chance in so few rows.
#pragma once

#include "treewright/objective/ranked_objective.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace treewright::ranked {

class RowParts {
   public:
    // About `part_rows` rows a part, and at least one part.
    RowParts(const RankedObjective& objective, std::size_t part_rows);

    [[nodiscard]] std::size_t count() const { return first_.size() - 1; }
    // The objective over one part, with its share of the leaf penalty.
    [[nodiscard]] std::unique_ptr<RankedObjective> objective(std::size_t part) const;
    // What the parts' penalties are too much by, a leaf.
    [[nodiscard]] Cost excess() const;

   private:
    [[nodiscard]] Cost penalty(std::size_t part) const;
    [[nodiscard]] std::span<const std::uint32_t> rows(std::size_t part) const {
        return std::span(drawn_).subspan(first_[part], first_[part + 1] - first_[part]);
    }

    const RankedObjective& objective_;
    std::vector<std::uint32_t> drawn_;  // all rows, in random order
    std::vector<std::size_t> first_;    // [part]: place of its first row; and the end
};

}  // namespace treewright::ranked
