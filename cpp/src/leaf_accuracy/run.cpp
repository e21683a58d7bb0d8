// The run: depth by depth, climbs and refutations, then the second pass; and the tree written down.
#include "treewright/leaf_accuracy/search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace treewright::leaf_accuracy {

namespace {

constexpr std::int64_t kFirstSteps = 4000;  // of a climb before upper bounds are looked for, if they are cheap
constexpr std::int64_t kFewestSteps = 200;
constexpr std::int64_t kCheap = 64;        // units of work of a step (Search::work)
constexpr std::int64_t kShareOfBound = 4;  // one step there for so many in the climb
constexpr Count kGrid = 4096;              // targets tried there are multiples of 1 / kGrid
constexpr double kShown = 0x1p40;          // reports show (1 - value) in units of 1 / kShown

}  // namespace

Node Search::make_root() {
    all_rows_.resize(data_.n_rows());
    std::iota(all_rows_.begin(), all_rows_.end(), 0u);
    Node root;
    root.rows = all_rows_;
    root.weight.assign(data_.n_classes(), 0);
    if (data_.rounding.any) root.full.assign(data_.n_classes(), 0);
    for (const std::uint32_t row : all_rows_) {
        root.weight[data_.table.label[row]] += data_.table.weight[row];
        if (data_.rounding.any) root.full[data_.table.label[row]] += data_.full[row];
        root.key.add(data_.table.key[row]);
    }
    root.sum();
    return root;
}

Answer Search::best(std::uint32_t depth, const FullCostRates* rates) {
    control_.units(1 / kShown, 1 / kShown, 0.0);
    const Node root = make_root();
    Answer best;
    best.value = root.value;
    use(Target::none());
    greedy_ = greedy(root, depth, 0);
    tidy_value(best);
    if (control_.stopped() && depth > 0) climb(root, 1, best);  // which looks at no limit: the best tree of one split
    show(best);
    const std::int64_t first = std::max(kFewestSteps, kFirstSteps / (1 + work(root) / kCheap));
    for (std::uint32_t d = options_.deepen ? std::min(1u, depth) : depth; d < depth && !control_.stopped(); ++d) {
        if (options_.refute) control_.pause_after(first);
        climb(root, d, best);
        control_.resume();
    }
    double target = (data_.measure.of(best.value) + 1) / 2;
    for (std::int64_t steps = first; !control_.ended(); steps *= 2) {
        if (options_.refute) control_.pause_after(steps);
        climb(root, depth, best);
        if (!control_.stopped()) break;
        control_.resume();
        if (!control_.ended()) refute(root, depth, steps / kShareOfBound, target, best);
    }
    best.proven_value = !control_.stopped();
    control_.resume();
    if (best.proven_value) best.value = data_.measure.in_lowest_terms(best.value);  // whichever tree reached it
    if (best.proven_value)
        best.upper_bound = data_.measure.of(best.value);
    else
        tidy_value(best);
    show(best);
    if (rates != nullptr) {
        use(target_as_good(best.value));
        finish(root, depth, *rates, best);
        // A cheaper tree may have a part with a better worst leaf.
        while (!best.proven_value && tidy_value(best)) {
            use(target_as_good(best.value));
            best.cost = kNoTree;
            tidy_cost(root, depth, best);
        }
    }
    return best;
}

Answer Search::cheapest(std::uint32_t depth, const Target& target, const FullCostRates& rates) {
    control_.units(1 / kShown, 1 / kShown, 0.0);
    const Node root = make_root();
    use(target);
    Answer answer;
    greedy_ = greedy(root, depth, 0);
    const Outcome found = solve(root, depth, 0);
    answer.feasible = found.feasible;
    answer.plan = found.plan;
    answer.value = found.value;
    if (!found.feasible) {
        answer.proven_value = !control_.stopped();
        if (answer.proven_value) return answer;
        rates_ = &rates;
        tidy_cost(root, depth, answer);
        if (!answer.feasible) return answer;
    }
    answer.proven_value = true;
    finish(root, depth, rates, answer);
    return answer;
}

// Better and better trees until none is better or the run stops or pauses.
void Search::climb(const Node& root, std::uint32_t depth, Answer& best) {
    const bool can_be_sure =
        data_.measure.criterion == Criterion::accuracy;  // then no leaf is better than one without errors
    while (!can_be_sure || best.value.correct < best.value.weight) {
        use(target_at(best.value, true));
        const Outcome found = solve(root, depth, 0);
        if (!found.feasible) {
            if (found.lower == 0 && !control_.stopped())
                throw std::logic_error("leaf_accuracy: a question without an answer");
            return;
        }
        best.value = found.value;
        best.plan = found.plan;
        show(best);
        if (depth == 1 && control_.stopped()) return;  // split_once() took the best of one split
    }
}

// Asks for trees much better than the best: a refusal is an upper bound.
void Search::refute(const Node& root, std::uint32_t depth, std::int64_t steps, double& target, Answer& best) {
    const std::int64_t end = control_.steps() + steps;
    for (;;) {
        const double low = data_.measure.of(best.value), high = best.upper_bound;
        const double grid = std::ceil(std::clamp(target, low, high) * kGrid);
        const double q = grid / kGrid;
        if (q <= low || q >= high || control_.steps() >= end) {
            target = low + (high - low) / 2;
            return;
        }
        const Value wanted{static_cast<Whole>(grid), static_cast<Whole>(kGrid)};
        use(data_.measure.criterion == Criterion::accuracy
                ? target_at(wanted, false)
                : Target::at_bound(data_.measure, data_.rounding, q, false, data_.min_leaf, data_.total));
        control_.pause_after(end - control_.steps());
        const Outcome found = solve(root, depth, 0);
        const bool open = control_.stopped() && !found.feasible && found.lower == 0;
        control_.resume();
        if (control_.ended()) return;
        if (open) {  // too near to the optimum for these steps
            target = q + (high - q) / 2;
            return;
        }
        if (found.feasible) {
            best.value = found.value;
            best.plan = found.plan;
        } else {
            best.upper_bound = q;
        }
        show(best);
        target = data_.measure.of(best.value) + (best.upper_bound - data_.measure.of(best.value)) / 2;
    }
}

// Pass 2 at the current target, from a tree that meets it.
void Search::finish(const Node& root, std::uint32_t depth, const FullCostRates& rates, Answer& answer) {
    rates_ = &rates;
    std::vector<std::uint32_t> rows = all_rows_;
    answer.cost = weigh(rows, answer.plan).cost;
    long_ = long_ || work_done() >= options_.alone_work;
    const Cheapest found = least(root, depth, long_ ? kNoTree : answer.cost, 0);
    if (found.upper < answer.cost || (long_ && !control_.stopped())) {
        answer.cost = found.upper;
        answer.plan = found.plan;
    }
    answer.proven_cost = !control_.stopped();
    if (!answer.proven_cost) tidy_cost(root, depth, answer);
    answer.cost_bound = answer.proven_cost ? answer.cost : std::min(found.lower, answer.cost);
}

void Search::show(const Answer& best) {
    const auto unit = [](double value) { return static_cast<Count>(std::llround((1 - value) * kShown)); };
    control_.incumbent(unit(data_.measure.of(best.value)));
    control_.lower_bound(unit(best.upper_bound));
}

std::vector<TreeNode> Search::write(PartialTree plan) const {
    std::vector<TreeNode> tree;
    const auto write = [&](const auto& self, PartialTree at, std::vector<std::uint32_t> rows) -> void {
        tree.push_back({});
        if (at == PartialTree::leaf()) return;
        const TreePoolNode node = store_->planted(at);
        const auto rank = [&](std::uint32_t row) { return data_.table.rank_of(node.column, row); };
        const auto middle =
            std::partition(rows.begin(), rows.end(), [&](std::uint32_t row) { return rank(row) < node.rank; });
        std::vector<std::uint32_t> left(rows.begin(), middle), right(middle, rows.end());
        std::uint32_t low = 0, high = 0xffffffffu;
        for (const std::uint32_t row : left) low = std::max(low, rank(row));
        for (const std::uint32_t row : right) high = std::min(high, rank(row));
        tree.back() = {node.column, low, high};
        self(self, node.left, std::move(left));
        self(self, node.right, std::move(right));
    };
    write(write, plan, all_rows_);
    return tree;
}

}  // namespace treewright::leaf_accuracy
