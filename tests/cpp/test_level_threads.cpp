// Threads that divide the levels of a program without a search: near-optimal sets (graph and counts) and born-again
// tables. The answer of one thread, to the last number; stops by time, memory and callback.
#include "check.hpp"
#include "equal_graphs.hpp"
#include "made_ensemble.hpp"
#include "made_input.hpp"
#include "watched_run.hpp"
#include "treewright/bornagain/exact.hpp"
#include "treewright/core/cost_units.hpp"
#include "treewright/core/cpu.hpp"
#include "treewright/search/near_optimal.hpp"
#include "treewright/search/tree_counts.hpp"
#include "treewright/search/tree_extremes.hpp"
#include "treewright/search/tree_shares.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

using namespace treewright;

namespace {

struct SetProblem {
    MadeInput in;
    binary::Dataset data;
    binary::Settings settings;
    std::int64_t budget;

    explicit SetProblem(Dice& dice)
        : in(dice, 11 + dice.below(3), 60 + dice.below(60), 2 + dice.below(2)), data(binary::reduce(in.view(true))) {
        settings.leaf_penalty = static_cast<std::int64_t>(1 + dice.below(3));
        settings.max_depth = static_cast<std::int32_t>(3 + dice.below(2));
        settings.min_count = 1;
        settings.options.alone_steps = static_cast<std::int64_t>(dice.coin() ? 0 : dice.below(40));
        Control control({.seconds = 600});
        binary::Search<std::int32_t> search(data, settings, {}, control);
        budget = search.run().upper + static_cast<std::int64_t>(30 + dice.below(30));
    }
    binary::NearOptimalGraph graph(std::size_t threads, Control& control) const {
        binary::Settings asked = settings;
        asked.threads = threads;
        binary::Search<std::int32_t> search(data, asked, {}, control);
        return binary::near_optimal_graph(data, search, settings.max_depth, budget, control);
    }
    binary::SetRule rule(const binary::NearOptimalGraph& graph, std::size_t threads, bool any_label) const {
        binary::SetRule rule;
        rule.leaf_penalty = settings.leaf_penalty;
        rule.any_label = any_label;
        rule.copies.assign(graph.edges.size(), 1);
        rule.max_errors.push_back(-1);
        for (std::int64_t l = 1; l <= (1 << settings.max_depth); ++l)
            rule.max_errors.push_back(std::max<std::int64_t>(-1, budget - l * settings.leaf_penalty));
        rule.threads = threads;
        return rule;
    }
};

// Counts, shares and extremes at every node.
struct Passes {
    std::vector<std::uint64_t> counts;
    std::vector<double> shares;
    std::vector<std::int64_t> extremes;
    bool operator==(const Passes&) const = default;
};

Passes passes(const SetProblem& problem, const binary::NearOptimalGraph& graph, std::size_t threads, bool any_label) {
    Control control({.seconds = 600});
    Passes out;
    const binary::TreeCounts counts(graph, problem.rule(graph, threads, any_label), false, control);
    check(counts.complete(), "all trees counted");
    const binary::TreeShares shares(graph, problem.rule(graph, threads, any_label), control);
    out.shares = shares.leaves_in_trees({}, control);
    const binary::TreeExtremes extremes(graph, problem.rule(graph, threads, any_label), graph.leaf_cost, control);
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
        const binary::SizeCounts cells = counts.cells(n);
        out.counts.insert(out.counts.end(), cells.counts.words.begin(), cells.counts.words.end());
        for (std::size_t c = 0; c < cells.leaves.size(); ++c)
            out.counts.push_back(cells.leaves[c] + 1000 * static_cast<std::uint64_t>(cells.errors[c]));
        const binary::SizeExtremes best = extremes.cells(n);
        out.extremes.insert(out.extremes.end(), best.values.begin(), best.values.end());
    }
    return out;
}

void sets(Dice& dice, std::size_t& n_edges) {
    const SetProblem problem(dice);
    Control alone({.seconds = 600});
    const binary::NearOptimalGraph graph = problem.graph(1, alone);
    check(graph.complete, "no limit, so complete");
    n_edges = std::max(n_edges, graph.edges.size());
    const bool any_label = dice.coin();
    const Passes one = passes(problem, graph, 1, any_label);
    for (const std::size_t threads : {2U, 3U, 4U}) {
        Control control({.seconds = 600});
        check(equal(problem.graph(threads, control), graph), "the same graph");
        check(passes(problem, graph, threads, any_label) == one, "the same counts");
    }
    Limits limits{.seconds = 600};
    limits.steps = static_cast<std::int64_t>(1 + dice.below(static_cast<std::size_t>(alone.steps())));
    Control stopped(limits);
    check(!problem.graph(3, stopped).complete || stopped.reason() == Stop::none, "a stopped graph is not complete");
    check(stopped.steps() <= limits.steps, "no more steps than granted");
    WatchedRun watched(1 + static_cast<int>(dice.below(4)));
    watched.check_end(problem.graph(3, watched.control).complete);
    // Little memory: the counts end with that reason, whoever meets the limit.
    binary::SetRule rule = problem.rule(graph, 3, any_label);
    rule.max_bytes = 64;
    Control little({.seconds = 600});
    const binary::TreeCounts counts(graph, rule, false, little);
    check(counts.complete() ? little.reason() == Stop::none : little.reason() == Stop::memory, "stopped by memory");
}

bool equal(const bornagain::PlaneTree& a, const bornagain::PlaneTree& b) {
    return std::ranges::equal(a, b, [](const bornagain::PlaneNode& x, const bornagain::PlaneNode& y) {
        return x.feature == y.feature && x.plane == y.plane && x.label == y.label;
    });
}

void tables(std::mt19937& random, int round, double& rows) {
    const bornagain::Ensemble e = random_ensemble(random, 4 + round % 4, 8 + round % 5, 2 + round % 2);
    Control control({.seconds = 600});
    const bornagain::Grid grid = bornagain::make_grid(e, e.whole(), control);
    for (const auto goal : {bornagain::Goal::depth, bornagain::Goal::leaves, bornagain::Goal::depth_leaves}) {
        Control alone({.seconds = 600});
        const bornagain::Exact one = bornagain::solve_exact(grid, goal, 1, alone);
        rows = std::max(rows, one.rows);
        for (const std::size_t threads : {2U, 3U, 4U}) {
            Control together({.seconds = 600});
            const bornagain::Exact several = bornagain::solve_exact(grid, goal, threads, together);
            check(several.solved && equal(several.tree, one.tree), "the same tree");
            check(several.depth_bound == one.depth_bound && several.leaves_bound == one.leaves_bound,
                  "the same bounds");
            check(several.rows == one.rows && several.bytes == one.bytes, "the same rows");
            check(together.steps() == alone.steps(), "the same steps");
        }
        Limits limits{.seconds = 600};
        limits.steps = 1 + static_cast<std::int64_t>(random() % static_cast<unsigned>(alone.steps()));
        Control stopped(limits);
        const bornagain::Exact some = bornagain::solve_exact(grid, goal, 3, stopped);
        check(stopped.steps() <= limits.steps, "no more steps than granted");
        check(some.depth_bound <= one.depth_bound && some.leaves_bound <= one.leaves_bound, "bounds that hold");
        WatchedRun watched(1 + static_cast<int>(random() % 4));
        watched.check_end(bornagain::solve_exact(grid, goal, 3, watched.control).solved);
        Control little({.seconds = 600, .bytes = static_cast<std::size_t>(one.bytes) / 2});
        const bornagain::Exact none = bornagain::solve_exact(grid, goal, 3, little);
        check(!none.solved && little.reason() == Stop::memory, "stopped by memory");
    }
}

}  // namespace

int main() {
    Dice dice(3);
    std::size_t n_edges = 0;
    for (int round = 0; round < 12; ++round) sets(dice, n_edges);
    check(n_edges > 5000, "levels that are divided");
    std::mt19937 random(5);
    set_simd_limit(Simd::plain);  // small batches, so that there are many
    double rows = 0;
    for (int round = 0; round < 10; ++round) tables(random, round, rows);
    check(rows > 1000, "tables that are divided");
    std::puts("level threads: ok");
}
