// Under sanitizers: the laws that bounds ask of an objective, on random sets of rows of every objective; and searches
// with random switches and limits against each other. A new objective is one more line in `objectives`.
#include "check.hpp"
#include "ranked_search.hpp"
#include "treewright/objective/action_costs.hpp"
#include "treewright/objective/log_loss.hpp"
#include "treewright/objective/misclassification.hpp"
#include "treewright/objective/pinball.hpp"
#include "treewright/objective/simple_lines.hpp"
#include "treewright/objective/squared_error.hpp"
#include "treewright/objective/survival.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <random>
#include <vector>

using namespace treewright;
using namespace treewright::ranked;

namespace {

using Random32 = std::mt19937;

std::uint32_t below(Random32& random, std::uint32_t most) { return static_cast<std::uint32_t>(random() % most); }

void fill(RankedTable& table, Random32& random, std::uint32_t n) {
    table.n_rows = n;
    table.n_columns = 1 + below(random, 3);
    table.min_leaf = below(random, 3) == 0 ? 2 : 1;
    for (std::uint32_t c = 0; c < table.n_columns; ++c) {
        const std::uint32_t most = 2 + below(random, n);
        for (std::uint32_t i = 0; i < n; ++i) table.rank.push_back(below(random, most));
    }
}

std::unique_ptr<RankedObjective> misclassification(Random32& random, std::uint32_t n) {
    const auto table = std::make_shared<LabelledTable>();
    fill(*table, random, n);
    table->n_classes = 2 + below(random, 2);
    for (std::uint32_t i = 0; i < n; ++i) {
        table->label.push_back(static_cast<std::uint16_t>(below(random, table->n_classes)));
        table->weight.push_back(static_cast<std::int32_t>(below(random, 3)));
    }
    for (std::uint32_t y = 0; y < table->n_classes; ++y)
        for (std::uint32_t k = 0; k < table->n_classes; ++k)
            table->cost.push_back(y == k ? 0 : 1 + static_cast<std::int32_t>(below(random, 3)));
    table->prepare();
    return std::make_unique<Misclassification>(table, Cost{1} << 20, 1 + Cost{below(random, 2)} * (Cost{n} << 15));
}

std::unique_ptr<RankedObjective> squared_error(Random32& random, std::uint32_t n, std::uint32_t n_outputs) {
    const auto table = std::make_shared<TargetTable>();
    fill(*table, random, n);
    table->n_outputs = n_outputs;
    const bool equal = below(random, 2) == 0;  // such rows have a kernel of their own
    for (std::uint32_t i = 0; i < n; ++i) table->weight.push_back(equal ? 1 : below(random, 4));
    for (std::uint32_t i = 0; i < n; ++i)
        for (std::uint32_t k = 0; k < n_outputs; ++k) {
            const std::int64_t step = Cost{1} << (below(random, 2) == 0 ? 20 : 33);
            table->weighted.push_back(table->weight[i] * (Cost{below(random, 99)} - 49) * step / 7);
        }
    table->prepare();
    const int shift = 40 + static_cast<int>(below(random, 8));
    return std::make_unique<SquaredError>(table, shift, 6, 1 + (Cost{below(random, 5)} << (68 - shift)));
}

std::unique_ptr<RankedObjective> action_costs(Random32& random, std::uint32_t n) {
    const auto table = std::make_shared<ActionTable>();
    fill(*table, random, n);
    table->n_actions = 1 + below(random, 4);
    for (std::uint32_t i = 0; i < n; ++i) {
        std::vector<std::int64_t> cost;
        for (std::uint32_t k = 0; k < table->n_actions; ++k) cost.push_back(below(random, 9));
        const std::int64_t least = *std::min_element(cost.begin(), cost.end());
        for (const std::int64_t c : cost) table->cost.push_back(c - least);
    }
    table->prepare();
    return std::make_unique<ActionCosts>(table, 6, 1 + (Cost{below(random, 5)} << 6));
}

std::unique_ptr<RankedObjective> survival(Random32& random, std::uint32_t n) {
    const auto table = std::make_shared<EventTable>();
    fill(*table, random, n);
    const int bits = 10 + static_cast<int>(below(random, 30));
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::int64_t weight = 1 + below(random, 3);
        table->events.push_back(below(random, 2) == 0 ? weight : 0);
        const std::int64_t hazard = table->events.back() == 0 && below(random, 4) == 0 ? 0 : 1 + below(random, 9);
        table->hazard.push_back(weight * (hazard << bits) / 3);
    }
    table->scale = 20 + static_cast<int>(below(random, 18));
    table->prepare();
    return std::make_unique<Survival>(table, 6,
                                      1 + ((9 * table->slack + (Cost{below(random, 2)} << table->scale)) << 6));
}

std::unique_ptr<RankedObjective> log_loss(Random32& random, std::uint32_t n) {
    const auto table = std::make_shared<ClassTable>();
    fill(*table, random, n);
    table->n_classes = 2 + below(random, 3);
    const int bits = static_cast<int>(below(random, 30));  // known terms and computed ones
    for (std::uint32_t i = 0; i < n; ++i) {
        table->label.push_back(below(random, table->n_classes));
        table->weight.push_back(std::int64_t{1 + below(random, 3)} << bits);
    }
    table->scale = 44 - 5 - bits - static_cast<int>(below(random, 12));
    table->prepare();
    return std::make_unique<LogLoss>(table, 6,
                                     1 + ((6 * table->slack + (Cost{below(random, 2)} << (table->scale + bits))) << 6));
}

std::unique_ptr<RankedObjective> pinball(Random32& random, std::uint32_t n) {
    const auto table = std::make_shared<QuantileTable>();
    fill(*table, random, n);
    table->up = 1 + below(random, 4);
    table->down = 1 + below(random, 4);
    const std::uint32_t n_targets = 1 + below(random, n);
    std::int64_t last = 0;
    for (std::uint32_t v = 0; v < n_targets; ++v) table->target.push_back(last += 1 + below(random, 99));
    for (std::uint32_t i = 0; i < n; ++i) {
        table->place.push_back(below(random, n_targets));
        table->weight.push_back(1 + below(random, 5));
    }
    table->prepare();
    const int shift = static_cast<int>(below(random, 2) * below(random, 6));
    return std::make_unique<Pinball>(table, shift, 6, 1 + (((shift > 0) + Cost{below(random, 300) >> shift}) << 6));
}

std::unique_ptr<RankedObjective> simple_lines(Random32& random, std::uint32_t n) {
    const auto table = std::make_shared<LineTable>();
    fill(*table, random, n);
    table->n_lines = below(random, 11);  // of columns that have splits, too, and of none
    const int value_bits = static_cast<int>(below(random, 46)), target_bits = static_cast<int>(below(random, 40));
    for (std::uint32_t i = 0; i < n; ++i) {
        table->weight.push_back(1 + below(random, 4));
        const std::uint32_t first_rank = table->rank[i];
        table->target.push_back(((std::int64_t{first_rank} * 3 + below(random, 5)) << target_bits) - below(random, 2));
        for (std::uint32_t j = 0; j < table->n_lines; ++j) {
            const bool is_missing = j % 3 == 1 && below(random, 6) == 0;
            const std::int64_t x = j == 0 ? first_rank : below(random, 9);
            table->value.push_back(is_missing ? LineTable::kMissing : (x << value_bits) + below(random, 2));
        }
    }
    double square = 1;
    for (std::uint32_t i = 0; i < n; ++i)
        square += static_cast<double>(table->weight[i]) * std::pow(static_cast<double>(table->target[i]), 2);
    table->scale = 48 - static_cast<int>(std::ceil(std::log2(square)));
    table->prepare();
    return std::make_unique<SimpleLines>(table, 6, 1 + ((7 + (Cost{below(random, 3)} << 43)) << 6));
}

const std::vector<std::function<std::unique_ptr<RankedObjective>(Random32&, std::uint32_t)>> objectives{
    misclassification,
    [](Random32& random, std::uint32_t n) { return squared_error(random, n, 1); },
    [](Random32& random, std::uint32_t n) { return squared_error(random, n, 2); },
    action_costs,
    survival,
    log_loss,
    pinball,
    simple_lines,
};

// Loss of a leaf over the rows whose bit is set, and their span.
struct Leaf {
    Cost loss, span;
};
Leaf leaf_of(const RankedObjective& objective, std::uint32_t rows) {
    std::vector<std::uint32_t> entries;
    for (std::uint32_t row = 0; row < objective.table().n_rows; ++row)
        if ((rows >> row & 1u) != 0) entries.push_back(row * 2);
    Node node;
    node.clear(objective.n_sums());
    objective.add_rows(entries.data(), 0, static_cast<std::uint32_t>(entries.size()), node);
    return {objective.leaf_cost(node) - objective.leaf_penalty(), node.span * objective.span_unit()};
}

void check_laws(Random32& random, const RankedObjective& objective) {
    const std::uint32_t all = (1u << objective.table().n_rows) - 1;
    for (int round = 0; round < 200; ++round) {
        const std::uint32_t a = static_cast<std::uint32_t>(random()) & all;
        const std::uint32_t b = static_cast<std::uint32_t>(random()) & all & ~a;
        const Leaf on_a = leaf_of(objective, a), on_b = leaf_of(objective, b), both = leaf_of(objective, a | b);
        check(on_a.loss >= 0, "a loss is not negative");
        if (objective.laws().monotone) check(on_a.loss <= both.loss, "monotone");
        if (objective.laws().superadditive) check(on_a.loss + on_b.loss <= both.loss, "superadditive");
        if (objective.laws().similar && a != 0) check(both.loss <= on_a.loss + on_b.span, "similar");
    }
}

// Some of the rows as an objective of their own: any of these lose there what they lose among all.
void check_part(Random32& random, const RankedObjective& objective) {
    std::vector<std::uint32_t> rows;
    std::uint32_t of_all = 0, of_part = 0;
    for (std::uint32_t row = 0; row < objective.table().n_rows; ++row) {
        if (below(random, 3) == 0) continue;
        const bool is_in = below(random, 3) > 0;
        of_all |= std::uint32_t{is_in} << row;
        of_part |= std::uint32_t{is_in} << rows.size();
        rows.push_back(row);
    }
    if (rows.empty()) return;
    const auto part = objective.part(rows, 1);
    check(leaf_of(*part, of_part).loss == leaf_of(objective, of_all).loss, "a part has the same losses");
    const auto dear = objective.with_leaf_penalty(objective.leaf_penalty() + 5);
    check(leaf_of(*dear, of_all).loss == leaf_of(objective, of_all).loss, "the penalty changes no loss");
}

void check_search(Random32& random, const RankedObjective& objective) {
    const Size size{1 + below(random, 4), random() % 3 == 0 ? 2 + below(random, 6) : Size::kAny};
    check_variants(random, objective, size, solve(objective, Options{}, size, {}).upper);
}

// A look at all splits that a stopped run cuts short says so, and never claims less than the best split costs; in the
// grace that a stopped run has for its best single split the look is whole.
void check_stopped_look(const RankedObjective& objective) {
    Node root;
    make_root(objective, root);
    const Stump best = objective.best_stump(root);
    const auto stopped_with = [&](std::int64_t grace) {
        Control control({});
        control.halt(Stop::interrupt);
        control.grace(grace);
        return objective.best_stump_within(root, control);
    };
    const Stump cut = stopped_with(0);
    check(cut.cost >= best.cost && (cut.cost == best.cost || !cut.whole), "a look that was cut short says so");
    const Stump whole = stopped_with(std::int64_t{1} << 40);
    check(whole.whole && whole.cost == best.cost, "a look within its grace is whole");
}

}  // namespace

int main() {
    Random32 random(17);
    for (const auto& make : objectives) {
        for (int round = 0; round < 40; ++round) check_laws(random, *make(random, 2 + below(random, 20)));
        for (int round = 0; round < 40; ++round) check_part(random, *make(random, 2 + below(random, 20)));
        for (int round = 0; round < 40; ++round) check_stopped_look(*make(random, 2 + below(random, 200)));
        for (int round = 0; round < 10; ++round) check_search(random, *make(random, 4 + below(random, 40)));
    }
    std::printf("laws hold, searches agree\n");
    return 0;
}
