// Core rows: few rows of a table on which a good tree costs nearly what it costs on all.
//
// What is proven of any subset of the rows holds for the table (rule M of interval_bounds.hpp): f(K) <= f(S) for K
// inside S. A search over few rows is short, and where most rows are easily told apart, few rows say nearly all. Which
// rows to take is guessed (label_odds.hpp) and then learned: a tree that is cheap on the core alone adds the rows that
// show it.
#pragma once

#include "treewright/objective/misclassification.hpp"
#include "treewright/core/tree_node.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace treewright::ranked {

class CoreRows {
   public:
    CoreRows(const Misclassification& objective, std::vector<float> odds);

    [[nodiscard]] std::size_t size() const { return size_; }
    // Takes every row with a chance of odds * factor. More rows, never fewer, as the factor grows.
    void take(double factor);
    // How many rows that would take by itself.
    [[nodiscard]] double size_at(double factor) const;
    // Takes rows until the tree, with the best labels for either, costs as much on the core as on all rows.
    void cover(std::span<const TreeNode> tree);
    // The objective over the core alone, with the ranks of the whole table.
    [[nodiscard]] std::unique_ptr<RankedObjective> objective() const;

   private:
    std::size_t cover(std::span<const TreeNode> tree, std::size_t at, std::span<std::uint32_t> rows);
    void cover_leaf(std::span<const std::uint32_t> rows);
    void take_row(std::uint32_t row);

    const Misclassification& objective_;
    const LabelledTable& data_;
    std::vector<std::uint32_t> drawn_;  // all rows, in random order
    std::vector<float> factor_;         // [row]: from which factor on it is taken
    std::vector<char> taken_;           // [row]
    std::size_t size_ = 0;
};

}  // namespace treewright::ranked
