// How many trees of a near-optimal set there are, by leaves and errors, at every node of its graph.
//
// Inside.  H(n)[l, e] counts the subtrees of node n with l leaves and e errors (weight units) that fit into the node's
// budget:
//     H(n) = leaves of n + sum over edges j of copies(j) * conv(H(L_j), H(R_j)),
// where pairs of two leaves of one label (redundant splits) may be left out, and copies(j) is the number of input
// columns that split all rows as j does. Cells hold l and e apart, so that any leaf penalty stays exact: at the root a
// cell is in the set if e <= max_errors[l].
//
// Counts are exact. The product of the children's totals bounds what a node can count, and says how many words it
// needs: one for nearly all nodes, more towards the root.
#pragma once

#include "treewright/search/node_levels.hpp"
#include "treewright/search/set_walk.hpp"
#include "treewright/search/size_cells.hpp"
#include "treewright/search/wide_count.hpp"
#include "treewright/core/control.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <tuple>
#include <vector>

namespace treewright::binary {

// Numbers of `n_words` 64-bit words each, lowest first.
struct WideNumbers {
    std::size_t n_words = 1;
    std::vector<std::uint64_t> words;
};

// The cells of one node.
struct SizeCounts {
    std::vector<std::uint32_t> leaves;
    std::vector<std::int64_t> errors;
    WideNumbers counts;
};

class TreeCounts {
   public:
    // Counts; with `root_only` a level is forgotten when the one above it is counted, and only root() and root_edges()
    // may be asked.
    TreeCounts(const NearOptimalGraph& graph, SetRule rule, bool root_only, Control& control);
    TreeCounts(const TreeCounts&) = delete;
    TreeCounts& operator=(const TreeCounts&) = delete;

    [[nodiscard]] bool complete() const { return complete_; }
    [[nodiscard]] bool too_many() const { return too_many_; }  // more than 2^1000 trees
    [[nodiscard]] SizeCounts cells(std::size_t node) const;
    // [edge of the root]: trees that begin with it.
    [[nodiscard]] WideNumbers root_edges() const;
    [[nodiscard]] std::size_t bytes() const;

   private:
    struct Level {
        std::tuple<CellStore<WideCount<1>>, CellStore<WideCount<2>>, CellStore<WideCount<4>>, CellStore<WideCount<16>>>
            stores;
    };
    struct Place {
        std::uint8_t n_words = 0;  // 0: no cells
        std::size_t first_run = 0, last_run = 0;
        double total = 0;
    };

    // What one thread adds up with.
    struct Desk {
        CellRange range;
        std::tuple<CellSums<WideCount<1>>, CellSums<WideCount<2>>, CellSums<WideCount<4>>, CellSums<WideCount<16>>>
            sums;
    };

    bool count_node(std::size_t n, Desk& desk);  // false if its count has too many words
    template <std::size_t kWords>
    void count_in(std::size_t n, Desk& desk);
    [[nodiscard]] bool fits();  // into the memory limit
    // Calls use(Cells<WideCount<w>>) with the cells of a node.
    template <class Use>
    void with_cells(std::size_t n, const Use& use) const;
    [[nodiscard]] std::span<const CellRun> runs_of(std::size_t n) const;
    [[nodiscard]] bool dead(const SetEdge& edge) const {
        return walk_.n_copies(edge) == 0 || places_[edge.child[0]].n_words == 0 || places_[edge.child[1]].n_words == 0;
    }

    SetRule rule_;
    SetWalk walk_;
    std::vector<Place> places_;  // [node]
    std::vector<Level> levels_;
    std::mutex mutex_;  // of the stores of the level that is counted
    bool complete_ = false;
    std::atomic<bool> too_many_ = false;
};

}  // namespace treewright::binary
