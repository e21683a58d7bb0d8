// Several threads on one search over binary columns, and the rule of ties, which makes their answer that of one thread:
// against a plain recursion, with every switch; stops at any step; little memory; an end from outside.
#include "check.hpp"
#include "made_input.hpp"
#include "watched_run.hpp"
#include "treewright/core/cost_units.hpp"
#include "treewright/search/binary_shared.hpp"
#include "treewright/search/schedule.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <map>
#include <thread>
#include <utility>
#include <vector>

using namespace treewright;
using namespace treewright::binary;

namespace {

// Least costs of all sets of rows, a bit each, and the tree of the rule in binary_ties.hpp.
class Plain {
   public:
    Plain(const Dataset& data, const Settings& settings) : data_(data), settings_(settings) {}

    [[nodiscard]] std::int64_t leaf(std::uint64_t rows) const {
        std::vector<std::int64_t> costs(data_.n_classes, 0);
        std::int64_t count = 0;
        for (std::size_t r = 0; r < data_.n_rows; ++r) {
            if (((rows >> r) & 1U) == 0) continue;
            count += data_.count[r];
            for (std::size_t k = 0; k < costs.size(); ++k) costs[k] += data_.cost[r * costs.size() + k];
        }
        if (count < settings_.min_count) return kInfinity;
        return (*std::min_element(costs.begin(), costs.end()) << settings_.unit_shift) + settings_.leaf_penalty;
    }
    [[nodiscard]] std::uint64_t side(std::uint64_t rows, std::size_t column, int which) const {
        std::uint64_t part = 0;
        for (std::size_t r = 0; r < data_.n_rows; ++r)
            if (((rows >> r) & 1U) != 0 && data_.bit(r, column) == (which == 1)) part |= std::uint64_t{1} << r;
        return part;
    }
    std::int64_t least(std::uint64_t rows, std::int32_t depth) {
        const auto known = least_.find({rows, depth});
        if (known != least_.end()) return known->second;
        std::int64_t best = leaf(rows);
        for (std::size_t j = 0; depth > 0 && j < data_.n_columns; ++j) best = std::min(best, with(rows, j, depth));
        return least_[{rows, depth}] = best;
    }
    void first(std::uint64_t rows, std::int32_t depth, Shape& out) {
        const std::int64_t value = least(rows, depth);
        std::pair<std::int64_t, std::int32_t> chosen{kInfinity, Entry::kLeaf};
        for (std::size_t j = 0; depth > 0 && value < leaf(rows) && j < data_.n_columns; ++j) {
            if (with(rows, j, depth) != value) continue;
            const std::int32_t small = std::min(depth, 2);
            chosen = std::min(chosen, {with(rows, j, small), static_cast<std::int32_t>(j)});
        }
        out.push_back(chosen.second);
        if (chosen.second < 0) return;
        for (int which : {0, 1}) first(side(rows, static_cast<std::size_t>(chosen.second), which), depth - 1, out);
    }

   private:
    std::int64_t with(std::uint64_t rows, std::size_t column, std::int32_t depth) {
        const std::uint64_t zeros = side(rows, column, 0), ones = side(rows, column, 1);
        if (zeros == 0 || ones == 0) return kInfinity;
        return std::min(kInfinity, least(zeros, depth - 1) + least(ones, depth - 1));
    }

    const Dataset& data_;
    const Settings& settings_;
    std::map<std::pair<std::uint64_t, std::int32_t>, std::int64_t> least_;
};

struct Problem {
    Dataset data;
    Units units;
    Settings settings;

    Problem(const MadeInput& in, std::int64_t leaf_penalty, std::int32_t depth, std::int64_t min_count)
        : data(reduce(in.view(min_count > 0))), units(Units::make(total(in), static_cast<double>(leaf_penalty))) {
        settings = {units.leaf_penalty, units.shift, depth, 0, min_count, {}};
        settings.options.alone_steps = 0;
    }
    [[nodiscard]] std::int64_t total(const MadeInput& in) const {
        std::int64_t sum = static_cast<std::int64_t>(in.n_rows);
        for (const std::int64_t c : data.cost) sum += c;
        return sum;
    }
    template <class Acc>
    [[nodiscard]] Outcome search(std::size_t threads, Control& control, bool fewest_leaves = false) const {
        Settings asked = settings;
        asked.threads = threads;
        return search_tree<Acc>(data, asked, fewest_leaves, {}, control);
    }
};

void same(const Outcome& a, const Outcome& b) {
    check(a.bounds.exact() && b.bounds.exact(), "a run without limits ends");
    check(a.bounds.lower == b.bounds.lower && a.bounds.upper == b.bounds.upper, "the same bounds");
    check(a.shape == b.shape && a.leaves_exact == b.leaves_exact, "the same tree");
}

// Tiny tables: the tree is the one of the rule, whatever is switched off, and however the run went.
template <class Acc>
void follow_the_rule(Dice& dice, std::int64_t scale, int& deep) {
    const std::size_t columns = 4 + dice.below(3);
    const MadeInput in(dice, columns, 8 + dice.below(16), 2 + dice.below(2), scale);
    Problem problem(in, scale * static_cast<std::int64_t>(dice.below(3)), static_cast<std::int32_t>(2 + dice.below(3)),
                    static_cast<std::int64_t>(dice.below(3)));
    Settings& settings = problem.settings;
    const auto rows = (std::uint64_t{1} << problem.data.n_rows) - 1;
    // With as many columns as levels, or fewer, the depth is no limit, and the dense program may answer.
    if (static_cast<std::size_t>(settings.max_depth) >= problem.data.n_columns) return;
    Plain plain(problem.data, settings);
    Shape expected;
    plain.first(rows, settings.max_depth, expected);
    if (plain.least(rows, settings.max_depth) >= kInfinity) return;
    deep += plain.least(rows, settings.max_depth) < plain.least(rows, 2) ? 1 : 0;
    for (int trial = 0; trial < 5; ++trial) {
        settings.options.plain_steps = trial == 0 ? 20'000 : static_cast<std::int64_t>(1 + dice.below(20));
        if (trial > 1) {
            settings.options.lookahead = dice.coin();
            settings.options.two_leaves = dice.coin();
            settings.options.budgets = dice.coin();
            settings.options.similar_support = dice.coin();
            settings.options.few_rows = dice.coin();
            settings.options.cache = dice.below(4) > 0;
            settings.options.greedy_start = dice.coin();
        }
        Control control({.seconds = 60});
        const Outcome found = problem.search<Acc>(1 + dice.below(4), control);
        check(found.bounds.exact(), "a run without limits ends");
        check(found.bounds.upper == plain.least(rows, settings.max_depth), "the least cost");
        check(found.shape == expected, "the first of equal trees");
    }
}

// Larger ones, on which threads meet: the answer of one; and stops at any step keep what is proven.
template <class Acc>
void meet(Dice& dice, std::int64_t scale) {
    const MadeInput in(dice, 8 + dice.below(5), 40 + dice.below(80), 2, scale);
    Problem problem(in, scale * static_cast<std::int64_t>(dice.below(3)), static_cast<std::int32_t>(3 + dice.below(3)),
                    static_cast<std::int64_t>(dice.below(4)));
    problem.settings.options.plain_steps = dice.coin() ? 20'000 : static_cast<std::int64_t>(1 + dice.below(200));
    const bool fewest = dice.coin();
    Control alone({.seconds = 60});
    const Outcome one = problem.search<Acc>(1, alone, fewest);
    for (const std::size_t threads : {2U, 4U}) {
        Control control({.seconds = 60});
        same(one, problem.search<Acc>(threads, control, fewest));
        problem.settings.options.alone_steps = static_cast<std::int64_t>(dice.below(3));
    }
    problem.settings.options.alone_steps = 0;
    Limits limits{.seconds = 60};
    limits.steps = static_cast<std::int64_t>(1 + dice.below(static_cast<std::size_t>(alone.steps())));
    if (dice.coin()) limits.bytes = std::size_t{1} << (10 + dice.below(20));
    Control control(limits);
    const Outcome stopped = problem.search<Acc>(3, control);
    check(control.steps() <= limits.steps, "no more steps than granted");
    check(stopped.bounds.lower <= one.bounds.upper, "a bound that holds");
    check(stopped.bounds.upper >= one.bounds.upper, "no tree is better than the best");
    const std::int64_t paid = cost_of(problem.data, stopped.shape, problem.settings.leaf_penalty, problem.units.shift);
    check(paid == stopped.bounds.upper, "the tree is the one that is told");
}

// A callback that ends the run ends all threads.
void end_from_outside(Dice& dice) {
    const MadeInput in(dice, 14, 200, 2);
    Problem problem(in, 0, 5, 0);
    WatchedRun watched(3);
    const Outcome out = problem.search<std::int32_t>(3, watched.control);
    watched.check_end(out.bounds.exact());
    check(out.bounds.lower <= out.bounds.upper, "bounds");
}

// Marks and bounds from several threads at once.
void share() {
    SharedBounds shared(1, std::size_t{1} << 26);  // nothing is shed
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (std::int64_t t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (std::uint64_t i = 0; i < 2000; ++i) {
                const std::uint64_t key[2] = {i, 0};
                const std::uint64_t hash = i * 0x9e3779b97f4a7c15ULL;
                const Mark mark(&shared, hash);
                if (shared.marks(hash) < 1) ++wrong;
                shared.store(key, hash, {t, 10 + t, 3, static_cast<std::int32_t>(t), 1});
                const auto entry = shared.find(key, 3, hash);
                if (entry && (entry->lower < t || entry->upper > 10 + t)) ++wrong;
            }
        });
    for (std::thread& thread : threads) thread.join();
    check(wrong == 0, "what was stored is found, or better");
    check(shared.marks(0x9e3779b97f4a7c15ULL) == 0, "no mark is left");
}

}  // namespace

int main() {
    Dice dice(7);
    int deep = 0;
    share();
    for (int trial = 0; trial < 250; ++trial) {
        follow_the_rule<std::int32_t>(dice, 1, deep);
        follow_the_rule<std::int64_t>(dice, std::int64_t{1} << 30, deep);
    }
    check(deep > 100, "trees that are deeper than two");
    for (int trial = 0; trial < 60; ++trial) {
        meet<std::int32_t>(dice, 1);
        meet<std::int64_t>(dice, std::int64_t{1} << 24);
    }
    for (int trial = 0; trial < 5; ++trial) end_from_outside(dice);
    std::puts("binary threads: ok");
}
