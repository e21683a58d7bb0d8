// Optimal trees over all cuts of ranked columns: branch and bound by depth.
//
// A subproblem is (rows, depth left, budget). Depth two is solved by the kernel (pair_solver.hpp). Above it, each
// column has a profile (profile.hpp); the open gap with the lowest bound is taken, its middle cut is solved on both
// sides one level down, and the profile draws conclusions for the neighbours, until no gap is open. The two sides get
// as budget what would still beat the target, plus slack: slack makes their bounds better than needed there, and so
// closes a wider stretch around the cut. It buys width, never validity.
//
// Leaf counts (C = cost of a leaf): a tree cheaper than T has fewer than T / C leaves, so depth at most T / C - 2;
// and a tree that needs depth d has d + 1 leaves or more, so f(S, d) >= min(f(S, d - 1), (d + 1) C).
//
// Before depth d a node is solved at depth d - 1 (one call against hundreds): its optimum is the incumbent, its bound
// the end point of every profile. At the root a greedy tree comes first.
#pragma once

#include "treewright/control.hpp"
#include "treewright/sweep/cache.hpp"
#include "treewright/sweep/node.hpp"
#include "treewright/sweep/options.hpp"
#include "treewright/sweep/outcome.hpp"
#include "treewright/sweep/pair_solver.hpp"
#include "treewright/sweep/profile.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace treewright::sweep {

// A node of the written tree, depth-first: rows with rank <= low go left, all others here have rank >= high.
struct TreeNode {
    static constexpr std::uint32_t kLeaf = 0xffffffffu;
    std::uint32_t column = kLeaf;
    std::uint32_t low = 0;
    std::uint32_t high = 0;
};

struct Statistics {
    std::int64_t pair_solves = 0;  // depth-two subproblems
    std::int64_t passes = 0;
    std::int64_t row_steps = 0;
    std::int64_t nodes = 0;  // subproblems of depth three and more
    std::int64_t cache_hits = 0;
    std::size_t bytes = 0;
};

class Search {
   public:
    Search(const Data& data, const Options& options, Control& control);

    // Best tree of at most `depth` >= 1 levels of splits.
    [[nodiscard]] Outcome run(std::uint32_t depth);
    // The plan as a tree, depth-first.
    [[nodiscard]] std::vector<TreeNode> write(Plan plan);
    [[nodiscard]] Statistics statistics() const;

   private:
    // Working memory of one level of the recursion, reused by all its nodes.
    struct Level {
        Node left, right;
        std::vector<Profile> profiles;
        struct Open {
            Cost bound;
            std::uint32_t width;
            std::uint32_t column;     // number of the node's column
            std::uint32_t left_cut;   // point at the gap's left
        };
        std::vector<Open> heap;
        std::vector<std::array<Memo, 2>> memos;  // of the two sides of each cut solved, if these had depth two
    };

    // `neighbours` may help, and `memo`, if given, is filled, where the depth is two.
    [[nodiscard]] Outcome solve(const Node& node, std::uint32_t depth, Cost budget, std::size_t level,
                                std::span<const Neighbour> neighbours = {}, Memo* memo = nullptr);
    [[nodiscard]] Outcome branch(const Node& node, std::uint32_t depth, Cost budget, std::size_t level);
    // Solves both sides of a cut and tells the profile.
    void evaluate(const Node& node, std::uint32_t depth, Level& here, std::size_t at, const Gap& gap, Cost target,
                  std::size_t level, Outcome& best);
    [[nodiscard]] Outcome greedy(const Node& node, std::uint32_t depth, std::size_t level);
    void write(Plan plan, const Node& node, std::size_t level, std::vector<TreeNode>& tree);
    [[nodiscard]] Plan remember(const Node& node, std::size_t at, std::uint32_t position, Plan left, Plan right);
    [[nodiscard]] Level& level_at(std::size_t level);
    void watch_memory();

    static constexpr std::uint32_t kGreedyDepth = 32;

    const Data& data_;
    const Options& options_;
    Control& control_;
    PairSolver pairs_;
    Cache cache_;
    Stack stack_;
    PlanBook book_;
    std::vector<std::unique_ptr<Level>> levels_;
    std::vector<std::uint8_t> goes_left_;
    Statistics statistics_;
    Outcome root_;             // the root solved one level less deep
    bool last_round_ = false;  // the root is being solved at its full depth
};

}  // namespace treewright::sweep
