// Active pruning: the fewest leaves that can survive pruning by data, exactly.
//
// Section 4.4 of Vidal and Schiffer 2020 first builds a faithful tree and then removes splits with an empty side; what
// remains depends on which optimal tree was built. Here the leaves that remain are what is minimised:
//
//   P(S) = 1 if the bounding box of S is homogeneous for the ensemble, else min over splits of P(S_left) + P(S_right)
//
// over sets S of data cells, both sides not empty. Exact: pruning any faithful tree removes exactly the splits with an
// empty side, and each leaf that remains holds data whose bounding box lies in a faithful leaf, so it is homogeneous.
// Conversely a tree of this recursion can be completed to a faithful tree whose pruning is that tree: at each node
// split the empty slabs around the bounding box away first (these splits have an empty side), put any faithful tree on
// them.
//
// Bounds. P is monotone: fewer data never need more leaves. Two cells conflict if the bounding box of the two is not
// homogeneous; a leaf's bounding box contains that of any two of its cells, so conflicting cells are in different
// leaves and a clique of conflicts is a lower bound. Missing edges only weaken it.
#pragma once

#include "treewright/bornagain/regions.hpp"

#include <unordered_map>

namespace treewright::bornagain {

struct ActiveResult {
    PlaneTree tree;
    bool optimal = false;
    std::int64_t leaves = 0;
    std::int64_t leaves_bound = 1;
    std::int64_t states = 0;
    std::int64_t cells = 0;  // distinct data cells
};

class Active {
   public:
    // `cells`: distinct cells of the data in the ensemble's coordinates.
    Active(const Ensemble& ensemble, std::vector<std::vector<std::int32_t>> cells, Control& control);

    [[nodiscard]] ActiveResult run();

   private:
    using Set = std::vector<std::uint64_t>;  // one bit a data cell
    struct Known {
        std::int32_t bound = 1;
        bool exact = false;
    };
    struct Split {
        Set left, right;
        std::int32_t bound = 0;      // of both sides together
        std::int64_t conflicts = 0;  // pairs that stay together
        std::size_t feature = 0;
        std::size_t rank = 0;  // of the largest coordinate that goes left
    };
    struct Hash {
        std::size_t operator()(const Set& set) const noexcept;
    };

    void index_cells();
    void find_conflicts();
    // A first tree in little time: the split of most information about the labels, no bounds.
    std::int32_t quick(const Set& set);
    [[nodiscard]] Split quick_split(const Set& set) const;
    [[nodiscard]] bool homogeneous(const Set& set);
    [[nodiscard]] std::int32_t clique(const Set& set);
    [[nodiscard]] std::int64_t conflicts_inside(const Set& set) const;
    Known& look_up(const Set& set);
    // All splits, best bound first; none at a stop.
    [[nodiscard]] std::vector<Split> splits(const Set& set);
    // P(set) if it is below `upper`, else a lower bound of it that is at least `upper`.
    std::int32_t solve(const Set& set, std::int32_t upper);
    void write(const Set& set);
    std::int32_t greedy(const Set& set);
    void emit(const Set& set, const Split& split);
    [[nodiscard]] std::int32_t label(const Set& set) const;

    const Ensemble& ensemble_;
    Control& control_;
    Regions regions_;
    std::vector<std::vector<std::int32_t>> cells_;
    std::vector<std::uint8_t> labels_;
    std::vector<std::vector<std::int32_t>> values_;  // per feature: distinct coordinates of the data
    std::vector<std::vector<Set>> up_to_;            // per feature and rank: cells with at most that coordinate
    std::vector<Set> conflicts_;
    std::unordered_map<Set, Known, Hash> known_;
    std::size_t words_ = 0;
    PlaneTree tree_;
};

}  // namespace treewright::bornagain
