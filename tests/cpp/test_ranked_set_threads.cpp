// Threads that make the graph of near-optimal trees over ranked columns: the graph of one thread, in its order, with
// any switches; stops by steps, callback and memory; one search asked for rising budgets.
#include "check.hpp"
#include "equal_graphs.hpp"
#include "made_ranked.hpp"
#include "ranked_search.hpp"
#include "treewright/search/ranked_near_optimal.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

using namespace treewright;
using namespace treewright::ranked;

namespace {

using Splits = std::vector<std::vector<std::int32_t>>;

// A number for each split of the table.
Splits splits_of(const LabelledTable& table) {
    Splits splits(table.n_columns);
    std::int32_t number = 0;
    for (std::uint32_t c = 0; c < table.n_columns; ++c) {
        std::uint32_t last = 0;
        for (std::uint32_t row = 0; row < table.n_rows; ++row) last = std::max(last, table.rank_of(c, row));
        for (std::uint32_t rank = 0; rank < last; ++rank) splits[c].push_back(number++);
    }
    return splits;
}

void sets(std::mt19937& random, std::size_t& n_edges) {
    const auto below = [&](std::uint32_t most) { return static_cast<std::uint32_t>(random() % most); };
    const auto objective = make_objective(random, 16 + below(20), 2 + below(2));
    const Splits splits = splits_of(objective->data());
    const std::uint32_t depth = 2 + below(3);
    const Cost least = solve(*objective, Options{}, Size{depth}, {.seconds = 600}).upper;
    const Cost budget = least + Cost{below(3)} * objective->unit();
    const auto graph = [&](const Options& options, Control& control) {
        Search search(*objective, options, control);
        return near_optimal_graph(*objective, options, search, depth, budget, splits, control);
    };
    Options options = random_options(random);
    options.alone_work = 0;
    options.threads = 1;
    Control alone({.seconds = 600});
    const binary::NearOptimalGraph one = graph(options, alone);
    check(one.complete && one.nodes.front().budget == budget, "no limit, so complete");
    n_edges = std::max(n_edges, one.edges.size());
    for (const std::uint32_t threads : {2U, 3U, 4U}) {
        options.threads = threads;
        Control control({.seconds = 600});
        check(equal(graph(options, control), one), "the same graph");
    }
    // One search, one budget after the other, each run with a control of its own in the same place.
    Control control({.seconds = 600});
    Search search(*objective, options, control);
    const auto made = [&](Cost most) {
        return near_optimal_graph(*objective, options, search, depth, most, splits, control);
    };
    check(made(least).complete, "the optimal trees");
    control = Control({.seconds = 600});
    check(equal(made(budget), one), "the same graph after a smaller one");

    Limits limits{.seconds = 600};
    limits.steps = 1 + static_cast<std::int64_t>(random() % static_cast<unsigned>(alone.steps() + 1));
    Control stopped(limits);
    check(!graph(options, stopped).complete || stopped.reason() == Stop::none, "a stopped graph is not complete");
    check(stopped.steps() <= limits.steps, "no more steps than granted");
    WatchedRun watched(1 + static_cast<int>(below(4)));
    watched.check_end(graph(options, watched.control).complete);
    Control little({.seconds = 600, .bytes = 1});
    check(!graph(options, little).complete && little.reason() == Stop::memory, "stopped by memory");
}

}  // namespace

int main() {
    std::mt19937 random(7);
    std::size_t n_edges = 0;
    for (int round = 0; round < 40; ++round) sets(random, n_edges);
    check(n_edges > 1000, "levels that are divided");
    std::puts("ranked sets in threads: ok");
}
