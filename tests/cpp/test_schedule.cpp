// All phases of a search against a plain recursion over the input rows: with and without a limit on leaves, leaf
// penalties, row prices, every other limit, switches, little memory, a stop at any step or while prices are made. And
// graphs of near-optimal trees by a search that is kept.
#include "check.hpp"
#include "equal_graphs.hpp"
#include "made_input.hpp"
#include "plain_trees.hpp"
#include "watched_run.hpp"
#include "treewright/bounds/row_prices.hpp"
#include "treewright/core/cost_units.hpp"
#include "treewright/search/near_optimal.hpp"
#include "treewright/search/schedule.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <span>
#include <utility>
#include <vector>

using namespace treewright;
using namespace treewright::binary;

namespace {

struct Counts {
    int stopped = 0;
    int proven = 0;
    int priced = 0;
    int certified = 0;
    int counted = 0;
};

// Prices that are valid whatever the rows: all together are no more than the price of one leaf.
RowPriceSource share_of_a_leaf(std::size_t n_rows, std::int64_t leaf_penalty, bool stops, Counts& counts,
                               Control& control) {
    return [=, &counts, &control, made = std::int64_t{0}](const RowPriceRequest& request) mutable {
        check(request.seconds >= 0 && request.work >= 0 && request.proven_bound >= 0, "a request");
        Prices prices;
        prices.of_row.assign(n_rows, n_rows == 0 ? 0 : leaf_penalty / static_cast<std::int64_t>(n_rows));
        for (const std::int64_t y : prices.of_row) prices.bound += y;
        prices.rounds = ++made;
        prices.done = made == 3;
        ++counts.priced;
        if (stops) control.halt(Stop::interrupt);
        return prices;
    };
}

// Each row's price is raised as long as no conjunction breaks what prices must keep.
RowPriceSource certified_prices(const Dataset& data, const Settings& settings, Counts& counts) {
    return [&, made = std::int64_t{0}](const RowPriceRequest&) mutable {
        Prices prices;
        prices.of_row.assign(data.n_rows, 0);
        const std::int64_t c = settings.leaf_penalty;
        const Pricing pricing{data, prices.of_row, c, settings.unit_shift, settings.max_depth};
        Control endless(Limits{});
        for (const std::int64_t step : {c / 2, c / 4, c / 8}) {
            for (std::int64_t& price : prices.of_row) {
                price += step;
                if (bound_violations(pricing, c, std::int64_t{1} << 40, endless).worst > c) price -= step;
            }
        }
        for (const std::int64_t price : prices.of_row) prices.bound += price;
        prices.rounds = ++made;
        prices.done = made == 3;
        ++counts.certified;
        return prices;
    };
}

template <class Acc>
void run(Dice& dice, std::int64_t scale, Counts& counts) {
    const std::size_t columns = 1 + dice.below(5);
    const MadeInput in(dice, columns, 1 + dice.below(10), 2 + dice.below(2), scale);
    const Rules rules{scale * static_cast<std::int64_t>(dice.below(4)) / 2,
                      dice.coin() ? static_cast<std::int32_t>(columns) : static_cast<std::int32_t>(dice.below(4)),
                      static_cast<std::int32_t>(dice.below(7)), std::min<std::size_t>(in.n_rows, 1 + dice.below(3))};
    std::vector<std::size_t> all(in.n_rows);
    for (std::size_t r = 0; r < in.n_rows; ++r) all[r] = r;
    const auto most = rules.max_leaves > 0 ? rules.max_leaves : static_cast<std::int32_t>(in.n_rows);
    if (rules.max_leaves == 0 && in.n_rows > 6) return;  // the recursion would need more leaves than it tries
    const std::int64_t expected = plain(in, rules, all, rules.max_depth, most);

    for (int trial = 0; trial < 6; ++trial) {
        Options options;
        options.plain_steps = trial == 0 ? 20000 : static_cast<std::int64_t>(1 + dice.below(6));
        options.lattice = trial == 0 || dice.coin();
        if (trial > 1) {
            options.lookahead = dice.coin();
            options.budgets = dice.coin();
            options.similar_support = dice.coin();
            options.few_rows = dice.coin();
            options.cache = dice.coin();
            options.greedy_start = dice.coin();
            options.kernel = dice.coin() ? PairKernel::rows : PairKernel::columns;
        }
        const Dataset data = reduce(in.view(rules.min_count > 1, dice.coin()));
        std::int64_t total = static_cast<std::int64_t>(in.n_rows);
        for (const std::int64_t c : data.cost) total += c;
        const Units units = Units::make(total, static_cast<double>(rules.leaf_penalty));
        Settings settings{units.leaf_penalty,
                          units.shift,
                          rules.max_depth,
                          rules.max_leaves,
                          rules.min_count > 1 ? static_cast<std::int64_t>(rules.min_count) : 0,
                          options};
        if (rules.max_depth >= static_cast<std::int32_t>(columns) && dice.coin()) settings.max_depth = kUnlimited;
        const bool stopped = trial >= 4, stops_pricing = trial == 5;
        Limits limits{.seconds = 60};
        if (trial == 4) limits.steps = static_cast<std::int64_t>(1 + dice.below(25));
        if (trial == 3) limits.bytes = 1;  // the caches shed all the time
        Control control(limits);
        RowPriceSource prices;
        if (trial > 0 && settings.leaf_penalty > 0)
            prices = trial > 1 && trial < 5
                         ? certified_prices(data, settings, counts)
                         : share_of_a_leaf(data.n_rows, settings.leaf_penalty, stops_pricing, counts, control);
        const bool counts_leaves = static_cast<std::int64_t>(data.n_rows) < (std::int64_t{1} << units.shift) - 1;
        const Outcome out = search_tree<Acc>(data, settings, counts_leaves, prices, control);

        Walk walk{in, data, out.shape, rules};
        const std::int64_t cost = walk.go(all, rules.max_depth);
        check(walk.at == out.shape.size(), "nothing left over");
        check(walk.leaves == count_leaves(out.shape) && (rules.max_leaves == 0 || walk.leaves <= rules.max_leaves),
              "not too many leaves");
        check(cost >= expected, "no tree is better than the best");
        const std::int64_t paid = cost_of(data, out.shape, settings.leaf_penalty, settings.unit_shift);
        check(paid >= out.bounds.upper && (stopped || paid == out.bounds.upper), "the tree is the one that was proven");
        // One cost unit a leaf is for ties, and a price above all errors together is lowered to them (cost_units.hpp).
        const std::int64_t optimum = ((expected - data.base_cost) << units.shift) + most;
        check(rules.leaf_penalty > total + 1 || out.bounds.lower <= optimum, "a bound that holds");
        ++(control.ended() ? counts.stopped : counts.proven);
        check(stopped || !control.ended(), "no stop that was not asked for");
        if (out.bounds.exact()) check(cost == expected, "the cost of the best tree of all");
        if (!control.ended()) check(out.bounds.exact(), "a run without limits ends");
        if (rules.leaf_penalty == 0 && out.leaves_exact && walk.leaves > 1) {
            ++counts.counted;
            check(plain(in, rules, all, rules.max_depth, walk.leaves - 1) > expected, "the fewest leaves");
        }
    }
}

// With prices from the first step on, and without: the same least cost.
template <class Acc>
void with_prices(Dice& dice, std::int64_t scale, Counts& counts) {
    const MadeInput in(dice, 4 + dice.below(5), 12 + dice.below(30), 2 + dice.below(2), scale);
    const std::int64_t least = dice.coin() ? 0 : 2;
    const Dataset data = reduce(in.view(least > 0, dice.coin()));
    const Units units =
        Units::make(1000 * scale, static_cast<double>(scale * static_cast<std::int64_t>(1 + dice.below(8))));
    Settings settings{units.leaf_penalty,
                      units.shift,
                      dice.coin() ? kUnlimited : static_cast<std::int32_t>(3 + dice.below(3)),
                      0,
                      least,
                      {}};
    settings.options.lattice = false;
    settings.options.greedy_start = dice.coin();
    settings.options.lookahead = dice.coin();
    const Prices prices = certified_prices(data, settings, counts)({1, 1, 0});
    const auto least_cost = [&](std::span<const std::int64_t> of_row) {
        Control control({.seconds = 60});
        Search<Acc> search(data, settings, of_row, control);
        const Bounds bounds = search.run();
        check(bounds.exact(), "a run without limits ends");
        const Shape shape = search.tree(bounds);
        check(cost_of(data, shape, settings.leaf_penalty, settings.unit_shift) == bounds.upper,
              "the tree that was proven");
        return bounds.upper;
    };
    const std::int64_t expected = least_cost({});
    check(prices.bound <= expected, "no tree costs less than all prices");
    check(least_cost(prices.of_row) == expected, "prices change no answer");
}

// A callback may end the run while a matrix is counted: of what is half done nothing is proven.
template <class Acc>
int end_inside_of_matrices(Dice& dice, std::int64_t scale) {
    const MadeInput in(dice, 110, 200, 2, scale);
    const Dataset data = reduce(in.view());
    const Units units = Units::make(10'000 * scale, static_cast<double>(scale * 10));
    Settings settings{units.leaf_penalty, units.shift, 3, 0, 0, {}};
    settings.options.kernel = PairKernel::rows;
    Control whole({.seconds = 60});
    const std::int64_t optimum = search_tree<Acc>(data, settings, false, {}, whole).bounds.upper;
    int n_ended = 0;
    for (int last = 1;; last += 2, ++n_ended) {
        WatchedRun watched(last, static_cast<double>(optimum));
        const Outcome out = search_tree<Acc>(data, settings, false, {}, watched.control);
        watched.check_end(out.bounds.exact());
        check(out.bounds.lower <= optimum && out.bounds.upper >= optimum, "bounds that hold");
        check(cost_of(data, out.shape, settings.leaf_penalty, settings.unit_shift) == out.bounds.upper, "its tree");
        if (!watched.control.ended()) break;
    }
    return n_ended;
}

// Guesses of any height, and the recheck after them: what it leaves open holds if it ended, and its steps keep the
// budget.
template <class Acc>
int recheck(Dice& dice, std::int64_t scale) {
    const std::size_t columns = 1 + dice.below(5);
    const MadeInput in(dice, columns, 2 + dice.below(7), 2 + dice.below(2), scale);
    const Rules rules{scale * static_cast<std::int64_t>(dice.below(4)) / 2,
                      static_cast<std::int32_t>(1 + dice.below(4)), static_cast<std::int32_t>(1 + dice.below(7)),
                      std::min<std::size_t>(in.n_rows, 1 + dice.below(2))};
    std::vector<std::size_t> all(in.n_rows);
    for (std::size_t r = 0; r < in.n_rows; ++r) all[r] = r;
    const std::int64_t expected = plain(in, rules, all, rules.max_depth, rules.max_leaves);
    std::vector<std::int64_t> guess(in.n_rows);
    for (std::size_t r = 0; r < in.n_rows; ++r) guess[r] = in.price(r, dice.below(in.n_classes));
    Input input = in.view(rules.min_count > 1, dice.coin());
    input.guess = guess;
    const Dataset data = reduce(input);
    std::int64_t total = static_cast<std::int64_t>(in.n_rows);
    for (const std::int64_t c : data.cost) total += c;
    for (const std::int64_t g : data.guess) total += g;
    const Units units = Units::make(total, static_cast<double>(rules.leaf_penalty));
    Options options;
    if (dice.coin()) options.plain_steps = static_cast<std::int64_t>(1 + dice.below(6));
    const Settings settings{units.leaf_penalty,
                            units.shift,
                            rules.max_depth,
                            rules.max_leaves,
                            rules.min_count > 1 ? static_cast<std::int64_t>(rules.min_count) : 0,
                            options};
    Control control({.seconds = 60});
    const RecheckBudget budget{0, dice.coin() ? 100000 : static_cast<std::int64_t>(1 + dice.below(25))};
    const RowPriceSource none;
    const Outcome out = search_tree<Acc>(data, settings, false, none, control, budget);
    check(!control.ended(), "the recheck ends no run");
    if (!out.recheck) return 0;
    check(control.steps() <= budget.max_steps, "no more steps than allowed");
    Walk walk{in, data, out.recheck->shape, rules};
    const std::int64_t cost = walk.go(all, rules.max_depth);
    check(walk.at == out.recheck->shape.size() && walk.leaves <= rules.max_leaves, "a tree within the limits");
    check(cost >= expected, "no tree is better than the best");
    if (out.recheck->ended && rules.leaf_penalty <= total)
        check(cost - out.recheck->guess <= expected, "what Theorem 4.3 leaves open");
    return 1;
}

// The search that has found the best tree makes the graphs that a new one makes; its prices have ended with its run.
template <class Acc>
int keep(Dice& dice, std::int64_t scale, Counts& counts) {
    const MadeInput in(dice, 2 + dice.below(4), 4 + dice.below(20), 2 + dice.below(2), scale);
    const auto least = static_cast<std::int64_t>(1 + dice.below(3));
    const Dataset rows = reduce(in.view(true, true));
    const Dataset data = least > 1 ? rows : costly_rows(rows);
    if (data.n_rows == 0) return 0;
    const Units units =
        Units::make(1000 * scale, static_cast<double>(scale * static_cast<std::int64_t>(dice.below(3))));
    Settings settings{units.leaf_penalty,    units.shift, static_cast<std::int32_t>(1 + dice.below(4)), 0,
                      least > 1 ? least : 0, {}};
    settings.options.plain_steps = static_cast<std::int64_t>(1 + dice.below(20));
    Control control({.seconds = 60});
    std::unique_ptr<Search<Acc>> search;
    Outcome out;
    {
        const RowPriceSource prices = share_of_a_leaf(data.n_rows, settings.leaf_penalty, false, counts, control);
        out = search_tree<Acc>(data, settings, true, dice.coin() ? prices : RowPriceSource{}, control, {}, &search);
    }
    check(search != nullptr, "a search that was not stopped is kept");
    if (out.bounds.upper >= kInfinity) return 0;
    int edges = 0;
    for (const std::int64_t more : {std::int64_t{0}, std::int64_t{1} << units.shift, scale << units.shift}) {
        const std::int64_t budget = out.bounds.upper + more;
        control = Control({.seconds = 60});
        const NearOptimalGraph graph = near_optimal_graph(rows, *search, settings.max_depth, budget, control);
        Control alone({.seconds = 60});
        Search<Acc> fresh(data, settings, {}, alone);
        check(graph.complete, "no limit, so complete");
        check(equal(graph, near_optimal_graph(rows, fresh, settings.max_depth, budget, alone)), "the same graph");
        edges = static_cast<int>(graph.edges.size());
    }
    return edges;
}

}  // namespace

int main() {
    Dice dice(17);
    Counts counts;
    for (int trial = 0; trial < 500; ++trial) {
        run<std::int32_t>(dice, 2, counts);
        run<std::int64_t>(dice, std::int64_t{1} << 34, counts);
    }
    for (int trial = 0; trial < 100; ++trial) {
        with_prices<std::int32_t>(dice, 2, counts);
        with_prices<std::int64_t>(dice, std::int64_t{1} << 34, counts);
    }
    check(end_inside_of_matrices<std::int32_t>(dice, 1) > 10, "runs that a callback ended");
    int rechecked = 0;
    for (int trial = 0; trial < 2000; ++trial)
        rechecked += recheck<std::int32_t>(dice, 2) + recheck<std::int64_t>(dice, std::int64_t{1} << 34);
    check(rechecked > 100, "guesses that a tree refutes");
    int edges = 0;
    for (int trial = 0; trial < 300; ++trial)
        edges += keep<std::int32_t>(dice, 2, counts) + keep<std::int64_t>(dice, std::int64_t{1} << 34, counts);
    check(edges > 1000, "graphs with trees");
    check(counts.priced > 100 && counts.certified > 100 && counts.stopped > 100 && counts.proven > 1000 &&
              counts.counted > 100,
          "every way was taken");
    std::puts("schedule: ok");
}
