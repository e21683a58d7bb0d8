// Budgets of rising rounds: they end with the optimum whatever a round takes, and where rounds grow evenly, all of them
// together take little more than the last one.
#include "check.hpp"
#include "treewright/search/budget_rounds.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>

using treewright::binary::BudgetRounds;

namespace {

struct Climb {
    std::int64_t steps = 0;       // of all rounds
    std::int64_t last_round = 0;  // its steps
    int rounds = 0;
};

// As a search makes them: a budget of at most the optimum becomes the bound, any other one ends with the optimum.
Climb climb(std::int64_t lower, std::int64_t upper, std::int64_t optimum,
            const std::function<std::int64_t(std::int64_t)>& steps_of) {
    BudgetRounds rounds;
    Climb all;
    while (lower < upper) {
        const std::int64_t budget = rounds.next(lower, upper);
        check(budget > lower, "a round proves more than is known");
        check(budget <= upper, "no round for more than is needed");
        all.last_round = steps_of(std::min(budget, optimum));
        all.steps += all.last_round;
        check(++all.rounds < 1000, "the rounds end");
        if (budget > optimum) upper = optimum;
        lower = std::min(budget, optimum);
        if (budget <= lower) rounds.done(lower, all.last_round);
    }
    check(lower == optimum, "the optimum is proven");
    return all;
}

void any_steps() {
    Dice dice(5);
    for (int trial = 0; trial < 20'000; ++trial) {
        const auto optimum = static_cast<std::int64_t>(1 + dice.below(trial % 2 == 0 ? 30 : 1'000'000'000));
        const auto lower = static_cast<std::int64_t>(dice.below(static_cast<std::size_t>(optimum) + 1));
        const auto over = static_cast<std::int64_t>(dice.below(static_cast<std::size_t>(optimum)));
        climb(lower, optimum + over, optimum,
              [&](std::int64_t) { return static_cast<std::int64_t>(dice.below(3) * dice.below(1'000'000'000)); });
    }
}

// Steps that grow by e^growth from nothing to the optimum.
void even_growth() {
    for (const double growth : {1.0, 2.0, 4.0, 8.0, 16.0}) {
        const double optimum = 1e6;
        const Climb all = climb(0, 1'000'000, 1'000'000, [&](std::int64_t budget) {
            return std::llround(1e9 * std::exp(growth * (static_cast<double>(budget) / optimum - 1)));
        });
        const double times = static_cast<double>(all.steps) / static_cast<double>(all.last_round);
        std::printf("growth %4.0f: %d rounds, %.2f times the last\n", growth, all.rounds, times);
        check(times < (growth < 4 ? 2.5 : 1.7), "the rounds before the last take little");
        check(growth < 16 || all.rounds > 4, "the bound rises in steps where the problem is hard");
    }
}

}  // namespace

int main() {
    any_steps();
    even_growth();
    std::puts("ok");
    return 0;
}
