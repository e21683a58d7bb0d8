// Optimal trees over all splits of ranked columns: branch and bound by depth.
//
// A subproblem is (rows, depth left, budget). Depth two is solved by the kernel (pair_solver.hpp). Above it, each
// column has a profile (interval_bounds.hpp); the open gap with the lowest bound is taken, its middle split is solved
// on both sides one level down, and the profile draws conclusions for the neighbours, until no gap is open. The two
// sides get as budget what would still beat the target, plus slack: slack makes their bounds better than needed there,
// and so closes a wider stretch around the split; correctness does not depend on it. Sides of depth two get more of
// it: their last part of a proof takes no more than a pass or two of the kernel.
//
// Leaf counts (C = cost of a leaf): a tree cheaper than T has fewer than T / C leaves, so a depth below T / C - 1;
// and a tree that needs depth d has d + 1 leaves or more, so f(S, d) >= min(f(S, d - 1), (d + 1) C).
//
// Before a gap's middle is solved, the rows between its two splits are, if that may close it: they are few, and their
// own optimum counts at every split between (rule S). Measured on magic, depth 4, price 0: a gap of 12.5 % after 30 s
// instead of 58, of 4.2 % after 107 s.
//
// Before depth d a node is solved at depth d - 1 (one call against hundreds): its optimum is the incumbent, its bound
// the end point of every profile. At the root a greedy tree comes first.
//
// A limit of L leaves: a side of a split has at most L - 1, and its optimum at that size bounds it; only a split that
// is cheap enough by these bounds is solved for every way to share L leaves between its sides. Depth is at most L - 1.
//
// A run that is not over in two thousand passes looks at few rows first, the core (core_rows.hpp): what is proven of
// them holds for all, and where most rows are easily told apart they need few more to say it all. Measured at price 0:
// htru, depth 4, proven in 44 s where the search over all rows had a gap of 7.8 % after 120; page 10 s for 35,
// occupancy 4 for 15.
//
// Where leaves have a least size, the rules of nested sets do not hold: a run that is not over soon finds the splits
// that are open for leaves of any size, and solves only those (src/search/ranked_any_size.cpp). Measured at price 0,
// depth 3, at least 5 rows in a leaf: autompg .1 s instead of 4.1, concrete .15 s where nothing was proven in 6 s.
//
// Where a search one level less deep was long, the first bound of a deep one is long in coming: it needs two or more
// such searches a column. Such a run proves half of the best cost first, for which subproblems stop early.
//
// A run over many rows that is not over then proves bounds of parts of the rows, which add up (row_parts.hpp).
//
// A run that is not over then asks the root for rising budgets, each a share of the gap closer to the incumbent: asked
// with a low budget, subproblems stop early and close wide stretches, so the bound rises evenly, and what was found out
// is taken up again (bound_memos.hpp).
//
// Several threads (Options::threads) share the splits of one node: the root, or, while nobody helps there, a large one
// below it. Whoever is free takes the open gap or split with the lowest bound, solves both sides with a search of its
// own, and tells the node's profile what it proved; queue, profiles and best tree of the node have one lock, and what
// is solved below it goes into one store (ranked_store.hpp). Below that node each thread searches alone, by the same
// loop.
// Why that proves the same:
//   - A thread prunes against `target`, the least of the budget and the cost of the best tree when it took the split.
//     That tree exists, and the cost of the best tree only falls: what cannot beat an older target cannot beat the
//     present one.
//   - What a thread proves of a side (a bound of a set of rows at a size) depends on no other thread. Profiles draw
//     conclusions from points in any order, and each is a true statement about the node whenever it is drawn.
//   - A gap that is being solved is in no queue and is told to nobody else, but its splits stay open in the profile, so
//     a bound of the node that is read meanwhile, or after a stop, counts it as open.
// Threads begin when one has worked for a while (Options::alone_work): most searches are over before that. A search of
// core rows or of a part has them at once if the search of all rows has.
//
// Of trees of equal cost the answer is always the same one, whoever found which first: see src/search/ranked_ties.cpp.
#pragma once

#include "treewright/core/control.hpp"
#include "treewright/core/crew.hpp"
#include "treewright/bounds/bound_memos.hpp"
#include "treewright/space/ranked_node.hpp"
#include "treewright/search/ranked_options.hpp"
#include "treewright/search/ranked_store.hpp"
#include "treewright/search/outcome.hpp"
#include "treewright/kernels/pair_solver.hpp"
#include "treewright/objective/ranked_objective.hpp"
#include "treewright/bounds/interval_bounds.hpp"
#include "treewright/core/solved_split.hpp"
#include "treewright/core/tree_node.hpp"

#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <vector>

namespace treewright::ranked {

struct Statistics {
    std::int64_t pair_solves = 0;  // depth-two subproblems
    std::int64_t passes = 0;
    std::int64_t row_steps = 0;
    std::int64_t nodes = 0;  // subproblems of depth three and more
    std::int64_t cache_hits = 0;
    std::int64_t gaps_closed = 0;  // by the rows between two splits
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
    // Adds all splits that a tree of depth at most `depth` >= 3 within the budget begins with, in any order, unless it
    // is stopped. The node is of any rows of the table. What was solved for one call is known to the next. `together`:
    // all threads divide the splits of the node.
    void splits_within(const Node& node, std::uint32_t depth, Cost budget, bool together,
                       std::vector<SolvedSplit>& found);
    // Runs work(search, control) in all threads, or in this one as long as little has been done, each with a search of
    // its own on one store.
    void share_work(const std::function<void(Search&, Control&)>& work);
    [[nodiscard]] std::size_t threads() const { return options_.threads; }
    [[nodiscard]] std::size_t bytes() const {
        return store_->all_bytes() + (any_size_ == nullptr ? 0 : any_size_->bytes());
    }

   private:
    Search(const RankedObjective& objective, const Options& options, Control& control, std::size_t bytes,
           std::shared_ptr<Store> store);

    // Working memory of one level of the recursion, reused by all its nodes.
    struct Level {
        Node left, right;
        Node between, part;  // rows between two splits, some of them
        std::vector<IntervalBounds> profiles;
        struct Open {
            Cost bound;
            std::uint32_t width;
            std::uint32_t column;      // number of the node's column
            std::uint32_t left_split;  // point at the gap's left, or the open split itself
            bool is_split;
        };
        std::vector<Open> heap;
        // Threads read the memos of splits that are solved while others are added: a deque leaves them in their place.
        std::deque<std::array<Memo, 2>> memos;         // of the two sides of each split solved, if these had depth two
        std::vector<std::array<Fingerprint, 2>> rows;  // of the two sides, if these were deeper
        Fingerprint of{};                              // the rows and the size of the node that the profiles are of
        Size size{0};
    };

    // A split of a node: the number of its column, then the split. The first of several is the least.
    struct Place {
        std::size_t at;
        std::uint32_t split;
        friend auto operator<=>(const Place&, const Place&) = default;
    };

    // The splits of one node while they are searched.
    struct Hunt {
        const Node& node;
        Size size;
        Cost budget;
        std::size_t level;
        Level& here;
        Outcome best;
        bool last_round = false;   // the bound is one of the whole search
        bool of_all_rows = false;  // the best tree is one of the whole search
        bool equals = false;  // looks for the first split that costs budget - 1, which is known to be the least ...
        Place first{~std::size_t{0}, 0};             // ... and is no later than this one
        std::vector<SolvedSplit>* within = nullptr;  // if given, it gets all splits below the budget, which stays
        // Of threads: all above but `node`, `size`, `budget` and what a profile keeps from reset() is behind `mutex`.
        std::mutex mutex{};
        std::condition_variable changed{};
        std::multiset<Cost> asked{};  // bounds of what is being solved
        bool better = false;          // the lead has not yet told of the best tree

        [[nodiscard]] Cost target() const { return equals ? budget : std::min(best.upper, budget); }
        // What is left of a gap of a column.
        [[nodiscard]] Gap wanted(std::size_t at, Gap gap) const;
    };

    // What is asked of a gap or of an open split.
    struct Question {
        Level::Open from;
        Gap gap;
        Cost target;
        SplitBounds before, behind;  // the points around it
    };
    struct Sides {  // a split to be solved
        std::size_t at;
        std::uint32_t split;
        Cost target, slack;
        SplitBounds bounds;
        std::array<std::array<Neighbour, 2>, 2> neighbours{};  // of the left side, of the right
        std::array<Memo*, 2> memos{};                          // to be filled
        std::array<Cost, 2> budgets{};                         // of a nested loss
        std::array<bool, 2> closes_gap{};                      // whether its bound closes a gap beside the split
    };

    // The next gap or split that may cost less than the target; none if there is none now.
    [[nodiscard]] std::optional<Question> next(Hunt& hunt);
    [[nodiscard]] Sides prepare(Hunt& hunt, const Question& question);
    // Solves both sides of a split: their bounds go to `sides`, a tree that is cheaper than `best` to it.
    void evaluate(const Hunt& hunt, Sides& sides, Outcome& best);
    // Tells the profile and the queue what came out.
    void absorb(Hunt& hunt, const Question& question, const Sides& sides, const Outcome& found);
    // Searches the splits until none is left; with helpers where none are at work and the node is worth it.
    void search_splits(Hunt& hunt);
    void work_together(Hunt& hunt);
    // The part of one thread; `crew`: of the calling one, whose helpers it calls.
    void work(Hunt& hunt, Crew* crew);
    void call_helpers(Hunt& hunt, Crew& crew);
    // How many there are, made now if they were not, for nodes of so many rows and columns; none while one thread has
    // not worked for long.
    [[nodiscard]] std::size_t helpers_for(std::size_t n_rows, std::size_t n_columns, std::size_t depth);
    // A queue of the open splits and gaps of all columns, given the profiles.
    void open_all(Hunt& hunt) const;
    // Profiles of a node with all that is known of them; true if a memo of the node itself was there.
    bool open_profiles(const Node& node, Size size, std::size_t level, std::span<const Neighbour> neighbours,
                       Cost whole);
    // The profiles that the search of a node left, if it was the last one of its level, with what its splits have told
    // their neighbours; else open_profiles().
    void reopen_profiles(const Node& node, Size size, std::size_t level, Cost whole);
    // The tree of cost `cost`, the least for these rows, that the rule for equals chooses; none after a stop.
    [[nodiscard]] std::optional<PartialTree> first_of_equals(const Node& node, Size size, Cost cost, std::size_t level);
    // The same where no tree is deeper than two, right behind the solver that has found one of them.
    [[nodiscard]] std::optional<PartialTree> first_of_equal_pairs(const Node& node, bool three_leaves,
                                                                  const Outcome& found);
    [[nodiscard]] std::optional<Place> first_place(const Node& node, Size size, Cost cost, std::size_t level,
                                                   PartialTree known, Cost whole);
    [[nodiscard]] std::optional<PartialTree> split_first(const Node& node, Size size, Cost cost, std::size_t level,
                                                         PartialTree known, Cost whole);

    // `neighbours` may help; `memo`, if given, is filled where the depth is two.
    [[nodiscard]] Outcome solve(const Node& node, Size size, Cost budget, std::size_t level,
                                std::span<const Neighbour> neighbours = {}, Memo* memo = nullptr);
    [[nodiscard]] Outcome branch(const Node& node, Size size, Cost budget, std::size_t level,
                                 std::span<const Neighbour> neighbours);
    // Proves the least cost, and finds a tree of it.
    [[nodiscard]] Outcome prove(const Node& root, Size limits);
    // The root above depth two, with budgets that rise to the cost of the best tree known.
    [[nodiscard]] Outcome climb(const Node& root, Size size, Outcome found);
    // Of a search over some of the rows; it has threads at once if this one has.
    [[nodiscard]] Options options_for_few_rows() const;
    // The same on few rows, as far as these prove it (search/ranked_core.cpp).
    void prove_on_core(const Node& root, Size size, Outcome& found);
    // The same on parts of the rows, whose bounds add up (search/ranked_parts.cpp).
    void prove_on_parts(const Node& root, Size size, Outcome& found);
    // Whether the first bound of the root would be long in coming.
    [[nodiscard]] bool wants_early_bound(const Node& root, Size size) const;
    // Nanoseconds, about, of one pass of the kernel over the rows of a node.
    [[nodiscard]] std::int64_t pass_work(const Node& node) const;
    // Whether the rows between the two points around a gap, solved by themselves, may close it (rule S); then how much
    // they add.
    [[nodiscard]] bool rows_between_may_close(const Hunt& hunt, const Question& question);
    [[nodiscard]] Cost rows_between_add(const Hunt& hunt, const Question& question);
    // Trees whose leaves have a least size, by way of those of any size (search/ranked_any_size.cpp). Whether that is a
    // way;
    [[nodiscard]] bool may_begin_with_any_size(Size size) const;
    [[nodiscard]] bool begins_with_any_size(Size size) const { return by_any_size_ && may_begin_with_any_size(size); }
    // the search for leaves of any size;
    [[nodiscard]] Search& any_size();
    // the splits that may cost less than `target`, each with the costs of its sides by leaves of any size;
    [[nodiscard]] std::vector<SolvedSplit> open_by_any_size(const Node& node, Size size, Cost target);
    // one of them by leaves of the least size: a bound of its cost, and the tree if it costs less than `target`; the
    // costs of the sides are then those by such leaves, too;
    [[nodiscard]] Outcome solve_sides(const Node& node, SolvedSplit& split, Size size, Cost target, std::size_t level);
    // all of them: returns a lower bound of the node, the target if nothing is cheaper;
    [[nodiscard]] Cost search_by_any_size(Hunt& hunt);
    // the first that costs `cost`, which is the least.
    [[nodiscard]] std::optional<SolvedSplit> first_by_any_size(const Node& node, Size size, Cost cost,
                                                               std::size_t level);
    // The search for the least loss alone: this one where leaves only break ties, else one of its own.
    [[nodiscard]] Search& losses();
    // Least cost of a split whose sides share a limit of leaves, as far as it is below `target`: else a bound above.
    [[nodiscard]] Cost share_leaves(const Hunt& hunt, const Sides& sides, Outcome& best);
    [[nodiscard]] Outcome greedy(const Node& node, Size size, std::size_t level);
    [[nodiscard]] Outcome stump_tree(const Node& node, Size size, std::size_t level);
    [[nodiscard]] Outcome refit(std::span<const TreeNode> tree, std::size_t& at, const Node& node, Size size,
                                std::size_t level);
    void write(PartialTree plan, const Node& node, std::size_t level, std::vector<TreeNode>& tree);
    // A stump's split, so that it need not be found again.
    [[nodiscard]] PartialTree split_of(const Node& node, const Stump& stump);
    // Lets a run that has ended look at about one node more.
    void grant_a_look();
    [[nodiscard]] PartialTree remember(const Node& node, std::size_t at, std::uint32_t position, PartialTree left,
                                       PartialTree right);
    [[nodiscard]] Level& level_at(std::size_t level);
    void watch_memory();

    static constexpr std::uint32_t kGreedyDepth = 32;
    static constexpr std::uint32_t kStumpDepth = 4;
    static constexpr std::size_t kStumpCells = std::size_t{1} << 22;  // a pass over more takes a large part of a second
    static constexpr std::int64_t kLook = std::int64_t{1} << 14;      // of Control::must_abandon(): a tenth of a second
    static constexpr std::array kRisingGaps{2, 6, 12, 24};            // parts of the best cost
    static constexpr double kCoreFactor = 6;  // rows of the first core are taken with that chance times their doubt
    static constexpr std::int64_t kCorePatience = 4;  // times Options::plain_work
    static constexpr std::uint32_t kFewestParts = 4;
    static constexpr double kPairSlack = 4;   // times Options::slack
    static constexpr Cost kNestedSlack = 50;  // part of the target, where rule Z is not used
    // Rows between two splits are tried where they may add what is needed: in parts they add less than at once. A
    // halving of the open splits doubles the number of small problems and halves the rows that do not count.
    static constexpr double kPartOfErrors = 0.7;
    static constexpr int kHalvings = 4;
    static constexpr std::size_t kLevelsAtOnce = 4;  // whose working memory share_work() counts a thread with

    const RankedObjective& objective_;
    const RankedTable& table_;
    const Options& options_;
    Control& control_;
    std::size_t bytes_;
    std::size_t beside_ = 0;                      // of the searches that wait for this one
    std::function<void(PartialTree)> on_better_;  // a better tree of the root; if empty, it is a tree of all rows
    std::unique_ptr<RankedObjective>
        free_leaves_;                 // the objective with leaves that only break ties, once it is needed,
    std::unique_ptr<Search> losses_;  // and its search
    std::unique_ptr<RankedObjective> any_size_objective_;  // the objective with leaves of any size, once it is needed,
    std::unique_ptr<Search> any_size_;                     // and its search
    std::unique_ptr<PairSolver> pairs_;
    std::shared_ptr<Store> store_;
    Stack stack_;
    std::size_t counted_bytes_ = 0;  // of the stack, as the store knows it
    struct Helper;
    std::vector<std::unique_ptr<Helper>> helpers_;  // once they are needed
    std::vector<std::unique_ptr<Level>> levels_;
    std::vector<std::uint8_t> goes_left_;
    Statistics statistics_;
    std::optional<std::unique_ptr<CoreRows>> core_;  // once they are looked for; null if there are none
    struct {
        Size size{0};
        Memo memo;
    } core_memo_;                           // what core rows say about the root's splits
    Outcome root_;                          // the root solved one level less deep,
    std::int64_t shallower_row_steps_ = 0;  // and the work that this took
    bool proven_ = false;                   // the run ended with a proof
    bool last_round_ = false;               // the root is being solved at its full depth
    bool by_any_size_ = false;              // a plain search was not over soon
};

}  // namespace treewright::ranked
