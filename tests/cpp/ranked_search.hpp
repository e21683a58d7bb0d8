// Searches over ranked columns with random switches, for tests of them; each run is checked for what holds of all.
#pragma once

#include "check.hpp"
#include "watched_run.hpp"
#include "treewright/search/ranked_search.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

// Switches that must not change an optimum, at random; phases of long runs begin at once.
inline treewright::ranked::Options random_options(std::mt19937& random) {
    treewright::ranked::Options options;
    for (bool* option :
         {&options.monotone, &options.lipschitz, &options.between, &options.leaf_count, &options.shallower,
          &options.cache, &options.resume, &options.fair_shares, &options.any_size, &options.compact_rows})
        *option = random() % 2 == 0;
    options.plain_work = 1 + static_cast<std::int64_t>(random() % 20000);
    options.sharing_work = 0;
    options.core_passes = static_cast<std::int64_t>(random() % 10);
    options.core_share = random() % 2 == 0 ? 1.0 : 0.6;
    options.parts = random() % 2 == 0;
    options.part_rows = 1 + static_cast<std::uint32_t>(random() % 4);
    options.slack = 0.25 * static_cast<double>(random() % 4);
    options.threads = 1 + static_cast<std::uint32_t>(random() % 4);
    options.alone_work = random() % 2 == 0 ? 0 : 20000;
    options.together_work = random() % 2 == 0 ? 0 : 1000;
    options.lanes = 1 + static_cast<std::uint32_t>(random() % (random() % 2 == 0 ? 5 : 64));
    return options;
}

inline treewright::ranked::Outcome solve(const treewright::ranked::RankedObjective& objective,
                                         const treewright::ranked::Options& options, treewright::ranked::Size size,
                                         treewright::Limits limits,
                                         std::vector<treewright::ranked::TreeNode>* found = nullptr) {
    treewright::Control control(limits);
    treewright::ranked::Search search(objective, options, control);
    const treewright::ranked::Outcome outcome = search.run(size);
    check(outcome.lower <= outcome.upper, "lower <= upper");
    check(control.stopped() || outcome.exact(), "exact unless stopped");
    std::size_t leaves = 0;
    const std::vector<treewright::ranked::TreeNode> tree = search.write(outcome.plan);
    for (const treewright::ranked::TreeNode& node : tree)
        leaves += node.column == treewright::ranked::TreeNode::kLeaf ? 1 : 0;
    check(leaves * 2 == tree.size() + 1, "a binary tree");
    check(leaves <= size.leaves, "no more leaves than allowed");
    check(control.steps() <= limits.steps, "no more steps than allowed");
    if (found != nullptr) *found = tree;
    return outcome;
}

inline bool same_tree(const std::vector<treewright::ranked::TreeNode>& a,
                      const std::vector<treewright::ranked::TreeNode>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& one, const auto& other) {
        return one.column == other.column &&
               (one.column == treewright::ranked::TreeNode::kLeaf || one.high == other.high);
    });
}

// Every variant finds the optimum `best`, with other numbers of threads the same tree, and a stop leaves bounds around
// it.
inline void check_variants(std::mt19937& random, const treewright::ranked::RankedObjective& objective,
                           treewright::ranked::Size size, treewright::ranked::Cost best) {
    for (int variant = 0; variant < 3; ++variant) {
        treewright::ranked::Options options = random_options(random);
        std::vector<treewright::ranked::TreeNode> tree;
        check(solve(objective, options, size, {}, &tree).upper == best, "same optimum");
        std::vector<treewright::ranked::TreeNode> other;
        options.threads = 1 + options.threads % 4;
        check(solve(objective, options, size, {}, &other).upper == best, "same optimum");
        check(same_tree(tree, other), "same tree, whatever the threads");
        treewright::Limits limits;
        limits.steps = 1 + static_cast<std::int64_t>(random() % 50);
        const treewright::ranked::Outcome stopped = solve(objective, options, size, limits);
        check(stopped.upper >= best && stopped.lower <= best, "bounds at a stop");
        WatchedRun watched(1 + static_cast<int>(random() % (random() % 2 == 0 ? 4 : 1000)), static_cast<double>(best));
        treewright::ranked::Search search(objective, options, watched.control);
        const treewright::ranked::Outcome ended = search.run(size);
        watched.check_end(ended.exact());
        check(ended.upper >= best && ended.lower <= best, "bounds at an end from outside");
    }
}
