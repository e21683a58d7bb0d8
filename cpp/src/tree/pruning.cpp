#include "treewright/tree/pruning.hpp"

#include "leaf_costs.hpp"
#include "loss_costs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace treewright::tree {

bool is_plain(const Labels& labels) {
    for (std::size_t k = 0; k < labels.n_classes; ++k)
        for (std::size_t c = 0; c < labels.n_classes; ++c)
            if (labels.costs[k * labels.n_classes + c] != (k == c ? 0 : 1)) return false;
    return true;
}

double LeafWorth::of(std::int64_t correct, std::int64_t total) const {
    if (total <= 0) return 1.0;
    const double share = static_cast<double>(correct) / static_cast<double>(total);
    if (z == 0) return share;
    if (correct == 0) return 0.0;
    const double n = static_cast<double>(total) * scale, spread = z * z / n;
    const double half = z * std::sqrt(share * (1 - share) / n + spread / (4 * n));
    return std::max(0.0, (share + spread / 2 - half) / (1 + spread));
}

namespace {

// What stands in the place of a node.
enum class Form : std::uint8_t { leaf, split, left, right };

// A subtree as it was pruned.
struct Part {
    Wide cost = 0;
    std::int64_t leaves = 1;
    double worst = 1.0;  // worth of its worst leaf
};

struct Rules {
    CostRates rates;
    double least = 0.0;  // that every leaf must be worth; those of the tree are
    LeafWorth worth;

    // Whether a part takes the place of another.
    [[nodiscard]] bool better(const Part& part, const Part& than) const {
        return part.worst >= least && cheaper(part, than);
    }
    [[nodiscard]] static bool cheaper(const Part& part, const Part& than) {
        return part.cost < than.cost || (part.cost == than.cost && part.leaves < than.leaves);
    }
};

// One round over a tree.
template <class Costs, class Loss>
class Round {
   public:
    Round(const SplitList& splits, const EncodedRows& rows, const Loss& labels, const Rules& rules)
        : splits_(splits),
          rows_(rows),
          rules_(rules),
          children_(children_of(splits)),
          routed_(route(splits, children_, rows, [](std::size_t, std::span<const std::uint32_t>) {})),
          costs_(labels, splits.size()),
          form_(splits.size(), Form::split),
          part_(splits.size()) {}

    // The kept splits: their numbers in the list, -1 for a leaf.
    std::vector<std::int32_t> run() {
        for (std::size_t node = splits_.size(); node-- > 0;) {  // children come after parents
            if (splits_.nodes[node].is_leaf()) {
                for (const std::uint32_t row : routed_.of(node)) costs_.add(node, row);
                become(node, Form::leaf, leaf(node));
            } else {
                choose(node);
            }
        }
        return kept();
    }

    // Leaves of the tree, once sibling leaves of the same prediction are one. Before run() has changed anything.
    std::size_t merged_leaves()
        requires Costs::kPredicts
    {
        Costs costs = costs_;
        std::vector<std::optional<std::size_t>> prediction(splits_.size());
        std::size_t leaves = 0;
        for (std::size_t node = splits_.size(); node-- > 0;) {
            if (splits_.nodes[node].is_leaf()) {
                for (const std::uint32_t row : routed_.of(node)) costs.add(node, row);
                prediction[node] = costs.prediction(node);
                ++leaves;
                continue;
            }
            const auto& left = prediction[index(children_[node].left)];
            if (!left || left != prediction[index(children_[node].right)]) continue;
            prediction[node] = left;
            --leaves;
        }
        return leaves;
    }

   private:
    static std::size_t index(std::int32_t node) { return static_cast<std::size_t>(node); }

    void choose(std::size_t node) {
        const std::size_t left = index(children_[node].left), right = index(children_[node].right);
        costs_.join(node, left, right);
        become(node, Form::split,
               {part_[left].cost + part_[right].cost, part_[left].leaves + part_[right].leaves,
                std::min(part_[left].worst, part_[right].worst)});
        const Part alone = leaf(node);
        if (rules_.better(alone, part_[node])) become(node, Form::leaf, alone);
        try_child(node, Form::left, left, right);
        try_child(node, Form::right, right, left);
    }

    // Gives the rows of the `other` side to a child, which keeps them if it is then the best that can stand here.
    void try_child(std::size_t node, Form form, std::size_t child, std::size_t other) {
        const Part& now = part_[child];
        if (now.leaves == 1) return;                    // that leaf was tried with all rows
        if (!Rules::cheaper(now, part_[node])) return;  // rows make nothing cheaper
        Part with = now;
        const auto moved = routed_.of(other);
        touched_.clear();
        std::size_t n_added = 0;
        for (const std::uint32_t row : moved) {
            const std::size_t at = leaf_of(child, row);
            const Wide before = costs_.paid(at);
            costs_.add(at, row);
            touched_.push_back(at);
            ++n_added;
            with.cost += (costs_.paid(at) - before) * rules_.rates.unit;
            if (!Rules::cheaper(with, part_[node])) break;
        }
        if (n_added == moved.size()) {
            with.worst = worst_of(child);
            if (rules_.better(with, part_[node])) return become(node, form, with);
        }
        for (std::size_t i = 0; i < n_added; ++i) costs_.remove(touched_[i], moved[i]);
        for (const std::size_t at : touched_) costs_.refresh(at);
    }

    void become(std::size_t node, Form form, const Part& part) {
        form_[node] = form;
        part_[node] = part;
    }

    [[nodiscard]] Part leaf(std::size_t node) const {
        return {costs_.paid(node) * rules_.rates.unit + rules_.rates.leaf, 1,
                rules_.least > 0 ? costs_.worth(node, rules_.worth) : 1.0};
    }

    // Where a row ends below a node, as pruned.
    [[nodiscard]] std::size_t leaf_of(std::size_t node, std::uint32_t row) const {
        while (form_[node] != Form::leaf) {
            const Split& split = splits_.nodes[node];
            const bool left = form_[node] == Form::left ||
                              (form_[node] == Form::split && splits_.goes_left(split, rows_.at(row, split.column)));
            node = index(left ? children_[node].left : children_[node].right);
        }
        return node;
    }

    [[nodiscard]] double worst_of(std::size_t top) {
        if (rules_.least <= 0) return 1.0;  // nobody asks
        double worst = 1.0;
        walk(top, [&](std::size_t node) {
            if (form_[node] == Form::leaf) worst = std::min(worst, costs_.worth(node, rules_.worth));
        });
        return worst;
    }

    [[nodiscard]] std::vector<std::int32_t> kept() {
        std::vector<std::int32_t> kept;
        walk(0, [&](std::size_t node) {
            kept.push_back(form_[node] == Form::leaf ? -1 : static_cast<std::int32_t>(node));
        });
        return kept;
    }

    // The nodes that stay below one, depth-first.
    template <class Visit>
    void walk(std::size_t top, Visit visit) {
        std::vector<std::size_t> pending{top};
        while (!pending.empty()) {
            const std::size_t node = pending.back();
            pending.pop_back();
            const Form form = form_[node];
            if (form == Form::leaf || form == Form::split) visit(node);
            if (form == Form::split || form == Form::right) pending.push_back(index(children_[node].right));
            if (form == Form::split || form == Form::left) pending.push_back(index(children_[node].left));
        }
    }

    const SplitList& splits_;
    const EncodedRows& rows_;
    const Rules& rules_;
    std::vector<Children> children_;
    RoutedRows routed_;
    Costs costs_;
    std::vector<Form> form_;
    std::vector<Part> part_;
    std::vector<std::size_t> touched_;
};

// A tree that shrinks from round to round.
template <class Costs, class Loss = Labels>
class Pruner {
   public:
    Pruner(const SplitList& splits, const EncodedRows& rows, const Loss& labels, Deadline deadline)
        : splits_(splits), rows_(&rows), labels_(&labels), deadline_(deadline) {
        source_.reserve(splits.size());
        for (std::size_t node = 0; node < splits.size(); ++node)
            source_.push_back(splits.nodes[node].is_leaf() ? -1 : static_cast<std::int32_t>(node));
    }

    // One round; true if the tree became smaller.
    bool round(const Rules& rules) {
        Round<Costs, Loss> round(splits_, *rows_, *labels_, rules);
        if constexpr (Costs::kPredicts)
            if (!merged_leaves_) merged_leaves_ = round.merged_leaves();
        return keep(round.run());
    }

    // Goes on with the kept splits, -1 for a leaf; true if the tree became smaller.
    bool keep(const std::vector<std::int32_t>& kept) {
        if (kept.size() == splits_.size()) return false;
        SplitList smaller;
        smaller.categories = splits_.categories;
        std::vector<std::int32_t> source;
        for (const std::int32_t node : kept) {
            smaller.nodes.push_back(node < 0 ? Split{} : splits_.nodes[static_cast<std::size_t>(node)]);
            source.push_back(node < 0 ? -1 : source_[static_cast<std::size_t>(node)]);
        }
        splits_ = std::move(smaller);
        source_ = std::move(source);
        return true;
    }

    // Rounds until nothing changes; true if something did.
    bool rounds(const Rules& rules) {
        bool any = false;
        while (round(rules)) {
            any = true;
            if (late()) break;
        }
        return any;
    }

    [[nodiscard]] bool late() const { return std::chrono::steady_clock::now() > deadline_; }
    [[nodiscard]] const SplitList& splits() const { return splits_; }
    [[nodiscard]] PrunedTree pruned() { return {std::move(source_), merged_leaves_.value_or(1)}; }

   private:
    SplitList splits_;
    const EncodedRows* rows_;
    const Loss* labels_;
    Deadline deadline_;
    std::vector<std::int32_t> source_;
    std::optional<std::size_t> merged_leaves_;
};

template <class Costs, class Loss>
PrunedTree cheapest(const SplitList& splits, const EncodedRows& rows, const Loss& labels, const Rules& rules,
                    Deadline deadline) {
    Pruner<Costs, Loss> pruner(splits, rows, labels, deadline);
    pruner.rounds(rules);
    return pruner.pruned();
}

// Single prunings that raise the worth of the worst leaf. It rises only if all leaves of that worth go, so only the
// nodes above all of them are looked at: one path.
class WorstLeaf {
   public:
    WorstLeaf(const SplitList& splits, const EncodedRows& rows, const Labels& labels, const LeafWorth& worth)
        : splits_(splits),
          rows_(rows),
          labels_(labels),
          worth_(worth),
          children_(children_of(splits)),
          routed_(route(splits, children_, rows, [](std::size_t, std::span<const std::uint32_t>) {})),
          costs_(labels, splits.size()),
          end_(splits.size()) {
        for (std::size_t node = splits_.size(); node-- > 0;) {
            const bool is_leaf = splits_.nodes[node].is_leaf();
            end_[node] = is_leaf ? node + 1 : end_[index(children_[node].right)];
            if (!is_leaf) continue;
            for (const std::uint32_t row : routed_.of(node)) costs_.add(node, row);
        }
        worst_ = worst_within(costs_, 0, splits_.size());
    }

    [[nodiscard]] double worst() const { return worst_; }

    // The splits kept by the best of them, -1 for a leaf; all of them if none is better.
    std::vector<std::int32_t> raised() {
        std::vector<std::int32_t> best = parts(0, 0, 0, splits_.size());
        double value = worst_;
        for (std::size_t node = 0; !splits_.nodes[node].is_leaf();) {
            const std::size_t left = index(children_[node].left), right = index(children_[node].right);
            const double outside =
                std::min(worst_within(costs_, 0, node), worst_within(costs_, end_[node], splits_.size()));
            if (outside <= worst_) break;
            const auto consider = [&](double inside, std::size_t from, std::size_t to) {
                if (std::min(outside, inside) <= value) return;
                value = std::min(outside, inside);
                best = parts(node, end_[node], from, to);
            };
            consider(as_leaf(node), node, node);
            consider(with_rows(left, right), left, end_[left]);
            consider(with_rows(right, left), right, end_[right]);
            node = worst_within(costs_, left, right) <= worst_ ? left : right;
        }
        return best;
    }

   private:
    static std::size_t index(std::int32_t node) { return static_cast<std::size_t>(node); }

    [[nodiscard]] double worst_within(const PlainCosts& costs, std::size_t from, std::size_t to) const {
        double worst = std::numeric_limits<double>::infinity();
        for (std::size_t node = from; node < to; ++node)
            if (splits_.nodes[node].is_leaf()) worst = std::min(worst, costs.worth(node, worth_));
        return worst;
    }
    [[nodiscard]] double as_leaf(std::size_t node) const {
        PlainCosts one(labels_, 1);
        for (const std::uint32_t row : routed_.of(node)) one.add(0, row);
        return one.worth(0, worth_);
    }
    [[nodiscard]] double with_rows(std::size_t child, std::size_t other) const {
        PlainCosts costs = costs_;
        for (const std::uint32_t row : routed_.of(other)) {
            std::size_t node = child;
            while (!splits_.nodes[node].is_leaf()) {
                const Split& split = splits_.nodes[node];
                node = index(splits_.goes_left(split, rows_.at(row, split.column)) ? children_[node].left
                                                                                   : children_[node].right);
            }
            costs.add(node, row);
        }
        return worst_within(costs, child, end_[child]);
    }
    // All nodes, with those from `from` to `to` (none: a leaf) in the place of those from `begin` to `end`.
    [[nodiscard]] std::vector<std::int32_t> parts(std::size_t begin, std::size_t end, std::size_t from,
                                                  std::size_t to) const {
        std::vector<std::int32_t> kept;
        const auto append = [&](std::size_t node) {
            kept.push_back(splits_.nodes[node].is_leaf() ? -1 : static_cast<std::int32_t>(node));
        };
        for (std::size_t node = 0; node < begin; ++node) append(node);
        if (from == to) kept.push_back(-1);
        for (std::size_t node = from; node < to; ++node) append(node);
        for (std::size_t node = end; begin < end && node < splits_.size(); ++node) append(node);
        return kept;
    }

    const SplitList& splits_;
    const EncodedRows& rows_;
    const Labels& labels_;
    const LeafWorth& worth_;
    std::vector<Children> children_;
    RoutedRows routed_;
    PlainCosts costs_;
    std::vector<std::size_t> end_;
    double worst_ = 0.0;
};

}  // namespace

PrunedTree cheapest_pruning(const SplitList& splits, const EncodedRows& rows, const Labels& labels,
                            const CostRates& rates, double least, const LeafWorth& worth, Deadline deadline) {
    const Rules rules{rates, least, worth};
    if (is_plain(labels)) return cheapest<PlainCosts>(splits, rows, labels, rules, deadline);
    return cheapest<MatrixCosts>(splits, rows, labels, rules, deadline);
}

PrunedTree cheapest_pruning(const SplitList& splits, const EncodedRows& rows, const LossSums& loss, std::int64_t leaf,
                            Deadline deadline) {
    return cheapest<LossCosts>(splits, rows, loss, Rules{{1, leaf}, 0.0, {}}, deadline);
}

PrunedTree best_worst_leaf(const SplitList& splits, const EncodedRows& rows, const Labels& labels,
                           const CostRates& rates, const LeafWorth& worth, Deadline deadline) {
    Pruner<PlainCosts> pruner(splits, rows, labels, deadline);
    for (bool changed = true; changed && !pruner.late();) {
        WorstLeaf leaf(pruner.splits(), rows, labels, worth);
        const double worst = leaf.worst();
        changed = pruner.keep(leaf.raised()) || pruner.rounds({rates, worst, worth});
    }
    return pruner.pruned();
}

}  // namespace treewright::tree
