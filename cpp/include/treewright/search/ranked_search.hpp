// Optimal trees over all cuts of ranked columns: branch and bound by depth.
//
// A subproblem is (rows, depth left, budget). Depth two is solved by the kernel (pair_solver.hpp). Above it, each
// column has a profile (interval_bounds.hpp); the open gap with the lowest bound is taken, its middle cut is solved on both
// sides one level down, and the profile draws conclusions for the neighbours, until no gap is open. The two sides get
// as budget what would still beat the target, plus slack: slack makes their bounds better than needed there, and so
// closes a wider stretch around the cut. It buys width, never validity. Sides of depth two get more of it: their last
// part of a proof takes no more than a pass or two of the kernel.
//
// Leaf counts (C = cost of a leaf): a tree cheaper than T has fewer than T / C leaves, so depth at most T / C - 2;
// and a tree that needs depth d has d + 1 leaves or more, so f(S, d) >= min(f(S, d - 1), (d + 1) C).
//
// Before a gap's middle is solved, the rows between its two cuts are, if that may close it: they are few, and their own
// optimum counts at every cut between (rule S). Measured on magic, depth 4, price 0: a gap of 12.5 % after 30 s instead of
// 58, of 4.2 % after 107 s.
//
// Before depth d a node is solved at depth d - 1 (one call against hundreds): its optimum is the incumbent, its bound
// the end point of every profile. At the root a greedy tree comes first.
//
// A limit of L leaves: a side of a cut has at most L - 1, and its optimum at that size bounds it; only a cut that is
// cheap enough by these bounds is solved for every way to share L leaves between its sides. Depth is at most L - 1.
//
// A run that is not over in two thousand passes looks at few rows first, the core (core_rows.hpp): what is proven of them
// holds for all, and where most rows are easily told apart they need few more to say it all. Measured at price 0: htru,
// depth 4, proven in 44 s where the search over all rows had a gap of 7.8 % after 120; page 10 s for 35, occupancy 4 for 15.
//
// A run over many rows that is not over then proves bounds of parts of the rows, which add up (row_parts.hpp).
//
// A run that is not over then asks the root for rising budgets, each a share of the gap closer to the incumbent: asked
// with a low budget, subproblems stop early and close wide stretches, so the bound rises evenly, and what was found out
// is taken up again (bound_memos.hpp).
#pragma once

#include "treewright/core/control.hpp"
#include "treewright/core/bound_cache.hpp"
#include "treewright/bounds/bound_memos.hpp"
#include "treewright/space/ranked_node.hpp"
#include "treewright/search/ranked_options.hpp"
#include "treewright/search/outcome.hpp"
#include "treewright/kernels/pair_solver.hpp"
#include "treewright/objective/ranked_objective.hpp"
#include "treewright/bounds/interval_bounds.hpp"
#include "treewright/core/tree_node.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace treewright::ranked {

struct Statistics {
    std::int64_t pair_solves = 0;  // depth-two subproblems
    std::int64_t passes = 0;
    std::int64_t row_steps = 0;
    std::int64_t nodes = 0;  // subproblems of depth three and more
    std::int64_t cache_hits = 0;
    std::int64_t gaps_closed = 0;  // by the rows between two cuts
    std::int64_t core_rows = 0;    // of the largest core that was looked at
    std::int64_t parts = 0;        // of the rows, that were searched by themselves
    std::size_t bytes = 0;

    Statistics& operator+=(const Statistics& other);
};

class Search {
   public:
    // `bytes`: what the cache and the memos may grow to is three quarters of it.
    Search(const RankedObjective& objective, const Options& options, Control& control, std::size_t bytes);
    Search(const RankedObjective& objective, const Options& options, Control& control)
        : Search(objective, options, control, control.limits().bytes) {}

    // Best tree of at most `limits.depth` >= 1 levels of splits and `limits.leaves` >= 2 leaves.
    [[nodiscard]] Outcome run(Size limits);
    ~Search();
    // The plan as a tree, depth-first.
    [[nodiscard]] std::vector<TreeNode> write(PartialTree plan);
    [[nodiscard]] Statistics statistics() const;

   private:
    // Working memory of one level of the recursion, reused by all its nodes.
    struct Level {
        Node left, right;
        Node between, part;  // rows between two cuts, some of them
        std::vector<IntervalBounds> profiles;
        struct Open {
            Cost bound;
            std::uint32_t width;
            std::uint32_t column;     // number of the node's column
            std::uint32_t left_cut;   // point at the gap's left, or the open cut itself
            bool is_cut;
        };
        std::vector<Open> heap;
        std::vector<std::array<Memo, 2>> memos;        // of the two sides of each cut solved, if these had depth two
        std::vector<std::array<Fingerprint, 2>> rows;  // of the two sides, if these were deeper
    };

    // `neighbours` may help; `memo`, if given, is filled where the depth is two.
    [[nodiscard]] Outcome solve(const Node& node, Size size, Cost budget, std::size_t level,
                                std::span<const Neighbour> neighbours = {}, Memo* memo = nullptr);
    [[nodiscard]] Outcome branch(const Node& node, Size size, Cost budget, std::size_t level,
                                 std::span<const Neighbour> neighbours);
    // The root above depth two, with budgets that rise to the cost of the best tree known.
    [[nodiscard]] Outcome climb(const Node& root, Size size, Outcome found);
    // The same on few rows, as far as these prove it (search/ranked_core.cpp).
    void prove_on_core(const Node& root, Size size, Outcome& found);
    // The same on parts of the rows, whose bounds add up (search/ranked_parts.cpp).
    void prove_on_parts(const Node& root, Size size, Outcome& found);
    // Nanoseconds, about, of one pass of the kernel over the rows of a node.
    [[nodiscard]] std::int64_t pass_work(const Node& node) const;
    // Fills the queue of a level with the open cuts and gaps of all columns.
    void open_all(Level& here, std::size_t n_columns, Cost target) const;
    // Solves both sides of a cut and tells the profile; `reach` is the span that the answer should close beside it.
    void evaluate(const Node& node, Size size, Level& here, std::size_t at, std::uint32_t cut, Cost reach, Cost target,
                  std::size_t level, Outcome& best);
    // Whether the rows between a point of a profile and the next, solved by themselves, close the gap (rule S).
    [[nodiscard]] bool rows_between_close(const Node& node, Size size, Level& here, std::size_t at, std::size_t point,
                                          const Gap& gap, Cost target, std::size_t level);
    // The search for the least loss alone: this one where leaves only break ties, else one of its own.
    [[nodiscard]] Search& losses();
    // Least cost of a cut whose sides share a limit of leaves, as far as it is below `target`: else a bound above.
    [[nodiscard]] Cost share_leaves(const Node& node, Size size, Level& here, std::size_t at, const SplitBounds& bounds,
                                    Cost target, std::size_t level, Outcome& best);
    [[nodiscard]] Outcome greedy(const Node& node, Size size, std::size_t level);
    [[nodiscard]] Outcome stump_tree(const Node& node, Size size, std::size_t level);
    [[nodiscard]] Outcome refit(std::span<const TreeNode> tree, std::size_t& at, const Node& node, Size size,
                                std::size_t level);
    void write(PartialTree plan, const Node& node, std::size_t level, std::vector<TreeNode>& tree);
    [[nodiscard]] PartialTree remember(const Node& node, std::size_t at, std::uint32_t position, PartialTree left, PartialTree right);
    [[nodiscard]] Level& level_at(std::size_t level);
    void watch_memory();
    [[nodiscard]] std::size_t bytes() const;

    static constexpr std::uint32_t kGreedyDepth = 32;
    static constexpr std::uint32_t kStumpDepth = 4;
    static constexpr std::array kRisingGaps{2, 6, 12, 24};  // parts of the best cost
    static constexpr double kCoreFactor = 6;  // rows of the first core are taken with that chance times their doubt
    static constexpr std::int64_t kCorePatience = 4;  // times Options::plain_work
    static constexpr std::uint32_t kFewestParts = 4;
    static constexpr double kPairSlack = 4;  // times Options::slack
    static constexpr Cost kNestedSlack = 50;  // part of the target, where rule Z is not used
    // Rows between two cuts are tried where they may add what is needed: in parts they add less than at once. A halving
    // of the open cuts doubles the number of small problems and halves the rows that do not count.
    static constexpr double kPartOfErrors = 0.7;
    static constexpr int kHalvings = 4;
    static constexpr std::size_t kMostMemoBytes = std::size_t{1} << 28;

    const RankedObjective& objective_;
    const RankedTable& table_;
    const Options& options_;
    Control& control_;
    std::size_t bytes_;
    std::size_t beside_ = 0;    // of the searches that wait for this one
    std::function<void(PartialTree)> on_better_;  // a better tree of the root; if empty, it is a tree of all rows
    std::unique_ptr<RankedObjective> free_leaves_;  // the objective with leaves that only break ties, once it is needed,
    std::unique_ptr<Search> losses_;     // and its search
    std::unique_ptr<PairSolver> pairs_;
    Cache cache_;
    Memos memos_;
    Stack stack_;
    TreePool pool_;
    std::vector<std::unique_ptr<Level>> levels_;
    std::vector<std::uint8_t> goes_left_;
    Statistics statistics_;
    std::unique_ptr<CoreRows> core_;  // once they are needed
    struct {
        Size size{0};
        Memo memo;
    } core_memo_;  // what core rows say about the root's cuts
    Outcome root_;             // the root solved one level less deep
    bool last_round_ = false;  // the root is being solved at its full depth
};

}  // namespace treewright::ranked
