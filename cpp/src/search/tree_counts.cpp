#include "treewright/search/tree_counts.hpp"

#include "treewright/search/wide_count.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

namespace treewright::bits {

namespace {

constexpr std::size_t kMostDenseCells = std::size_t{1} << 22;

struct Place {
    std::uint32_t leaves;
    std::int64_t errors;
};

// A leaf of a node: its label and what it costs.
struct LeafChoice {
    std::size_t label;
    std::int64_t errors;
};

// Numbers of trees by (leaves, errors), ascending: of the subtrees of a node, or of what is beside it.
template <class Count>
struct Cells {
    struct Run {  // of equal leaves
        std::uint32_t leaves;
        std::size_t begin, end;
    };
    std::vector<Run> runs;
    std::vector<std::int64_t> errors;
    std::vector<Count> counts;

    [[nodiscard]] bool empty() const { return errors.empty(); }
    void push(Place place, const Count& count) {
        if (runs.empty() || runs.back().leaves != place.leaves) runs.push_back({place.leaves, errors.size(), errors.size()});
        ++runs.back().end;
        errors.push_back(place.errors);
        counts.push_back(count);
    }
    [[nodiscard]] std::int64_t least_errors() const { return *std::min_element(errors.begin(), errors.end()); }
    [[nodiscard]] std::size_t bytes() const {
        return runs.capacity() * sizeof(Run) + errors.capacity() * 8 + counts.capacity() * sizeof(Count);
    }
};

// Sums by (leaves, errors) up to limits[leaves]: a table where the range is small, else a hash map.
template <class Count>
class CellSums {
   public:
    void reset(std::int64_t least_errors, std::span<const std::int64_t> limits) {
        limits_ = limits;
        least_ = least_errors;
        const std::int64_t most = limits.empty() ? -1 : *std::max_element(limits.begin(), limits.end());
        width_ = static_cast<std::size_t>(std::max<std::int64_t>(most - least_errors + 1, 1));
        dense_ = width_ <= kMostDenseCells / (limits.size() + 1);
        table_.clear();
        map_.clear();
        if (dense_) table_.resize(limits.size() * width_);
    }
    [[nodiscard]] bool holds(Place place) const {
        return place.leaves < limits_.size() && place.errors <= limits_[place.leaves];
    }
    [[nodiscard]] Count& at(Place place) {
        const std::size_t key = place.leaves * width_ + static_cast<std::size_t>(place.errors - least_);
        return dense_ ? table_[key] : map_[key];
    }
    void add(Place place, const Count& count) {
        if (holds(place)) at(place) += count;
    }
    // All sums of a cell of `a` and one of `b`, `times` over.
    void add_products(const Cells<Count>& a, const Cells<Count>& b, const Count& times) {
        for (const auto& run_a : a.runs)
            for (std::size_t i = run_a.begin; i < run_a.end; ++i) {
                const Count scaled = a.counts[i] * times;
                for (const auto& run_b : b.runs) {
                    const std::uint32_t leaves = run_a.leaves + run_b.leaves;
                    if (leaves >= limits_.size()) break;
                    const std::int64_t most = limits_[leaves] - a.errors[i];
                    for (std::size_t j = run_b.begin; j < run_b.end && b.errors[j] <= most; ++j)
                        at({leaves, a.errors[i] + b.errors[j]}) += scaled * b.counts[j];
                }
            }
    }
    void give(Cells<Count>& out) const {
        const auto give_one = [&](std::size_t key, const Count& count) {
            if (!is_zero(count))
                out.push({static_cast<std::uint32_t>(key / width_), least_ + static_cast<std::int64_t>(key % width_)}, count);
        };
        if (dense_) {
            for (std::size_t key = 0; key < table_.size(); ++key) give_one(key, table_[key]);
            return;
        }
        std::vector<std::size_t> keys;
        for (const auto& [key, count] : map_) keys.push_back(key);
        std::sort(keys.begin(), keys.end());
        for (const std::size_t key : keys) give_one(key, map_.at(key));
    }

   private:
    static bool is_zero(double count) { return count == 0; }
    template <std::size_t kWords>
    static bool is_zero(const WideCount<kWords>& count) { return count.zero(); }

    std::span<const std::int64_t> limits_;
    std::size_t width_ = 1;
    std::int64_t least_ = 0;
    bool dense_ = true;
    std::vector<Count> table_;
    std::unordered_map<std::size_t, Count> map_;
};

// Both passes, with counts of any kind.
template <class Count>
class Counter {
   public:
    Counter(const NearOptimalGraph& graph, const CountRule& rule, Control& control)
        : graph_(graph), rule_(rule), control_(control), inside_(graph.nodes.size()) {}

    // Children have larger numbers, so the nodes are counted from the last to the first.
    bool inside() {
        for (std::size_t n = graph_.nodes.size(); n-- > 0;) {
            if (control_.poll(1 + static_cast<std::int64_t>(graph_.edges_of(n).size()))) return false;
            count_node(n);
            bytes_ += inside_[n].bytes();
            if (bytes_ > rule_.most_bytes) return !control_.halt(Stop::memory);
        }
        return true;
    }
    bool outside(std::vector<std::uint64_t>& out);

    // The most subtrees of any node.
    [[nodiscard]] Count most() const {
        Count most{};
        for (const Cells<Count>& cells : inside_) most = std::max(most, std::accumulate(cells.counts.begin(), cells.counts.end(), Count{}, plus));
        return most;
    }
    void give(TreeCounts& out) const;
    void take(const TreeCounts& counts);  // an inside pass done before

   private:
    static Count plus(Count a, const Count& b) { return a += b; }
    [[nodiscard]] bool in_set(Place place) const {
        return place.leaves < rule_.most_errors.size() && place.errors <= rule_.most_errors[place.leaves];
    }
    [[nodiscard]] std::uint32_t n_copies(const SetEdge& edge) const {
        return rule_.copies[static_cast<std::size_t>(&edge - graph_.edges.data())];
    }
    // An edge that no tree of the set follows: closed, or with a side that the rules leave empty.
    [[nodiscard]] bool dead(const SetEdge& edge) const {
        return n_copies(edge) == 0 || inside_[edge.child[0]].empty() || inside_[edge.child[1]].empty();
    }
    // Calls visit(choice) for every label that a leaf at the node may have.
    template <class Visit>
    void each_leaf(std::size_t n, const Visit& visit) const {
        if (graph_.leaf_rows[n] < rule_.min_rows) return;
        const auto costs = graph_.costs(n);
        if (!rule_.any_label) {
            const auto best = std::min_element(costs.begin(), costs.end());
            visit(LeafChoice{static_cast<std::size_t>(best - costs.begin()), *best});
            return;
        }
        for (std::size_t k = 0; k < costs.size(); ++k) visit(LeafChoice{k, costs[k]});
    }
    // Calls visit(errors, label) for every pair of equal leaves below the edge.
    template <class Visit>
    void each_redundant(const SetEdge& edge, const Visit& visit) const {
        if (rule_.redundant) return;
        each_leaf(edge.child[0], [&](LeafChoice zero) {
            each_leaf(edge.child[1], [&](LeafChoice one) {
                if (zero.label == one.label) visit(zero.errors + one.errors, zero.label);
            });
        });
    }
    void count_node(std::size_t n);
    [[nodiscard]] Count followed(const SetEdge& edge) const;
    [[nodiscard]] Cells<Count> beside(std::size_t n, const std::vector<Cells<Count>>& of_parents);

    // Trees in which the edge's two children are leaves of one label: counted on the way, and taken off at the end.
    struct Redundant {
        std::uint32_t child[2];
        std::size_t label;
        Count count;
    };
    // Where a node hangs.
    struct Parent {
        std::uint32_t node;
        std::uint32_t sibling;
        std::uint32_t copies;
    };

    const NearOptimalGraph& graph_;
    const CountRule& rule_;
    Control& control_;
    std::vector<Cells<Count>> inside_;  // [node]
    std::vector<std::size_t> first_parent_;
    std::vector<Parent> parents_;
    std::size_t bytes_ = 0;
    CellSums<Count> sums_;
    std::vector<std::int64_t> limits_;
};

template <class Count>
void Counter<Count>::count_node(std::size_t n) {
    const SetNode& node = graph_.nodes[n];
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::size_t most_leaves = 1;
    each_leaf(n, [&](LeafChoice leaf) { least = std::min(least, leaf.errors); });
    for (const SetEdge& edge : graph_.edges_of(n)) {
        if (dead(edge)) continue;
        const Cells<Count>&zero = inside_[edge.child[0]], &one = inside_[edge.child[1]];
        least = std::min(least, zero.least_errors() + one.least_errors());
        most_leaves = std::max<std::size_t>(most_leaves, zero.runs.back().leaves + one.runs.back().leaves);
    }
    // Fewer leaves may make more errors, so what a subtree may be is never less than what the whole may be.
    limits_.assign(std::min(most_leaves + 1, rule_.most_errors.size()), -1);
    bool some = false;
    for (std::size_t l = 1; l < limits_.size(); ++l) {
        const std::int64_t left = node.budget - static_cast<std::int64_t>(l) * rule_.leaf_price;
        limits_[l] = std::min(rule_.most_errors[l], left < 0 ? -1 : left >> rule_.unit_shift);
        some |= limits_[l] >= least;
    }
    if (!some) return;
    sums_.reset(least, limits_);
    each_leaf(n, [&](LeafChoice leaf) { sums_.add({1, leaf.errors}, Count(1)); });
    for (const SetEdge& edge : graph_.edges_of(n)) {
        if (dead(edge)) continue;
        const Count times(n_copies(edge));
        sums_.add_products(inside_[edge.child[0]], inside_[edge.child[1]], times);
        // Both leaves were counted if the two fit here: a child's budget is at least the node's less the sibling's
        // optimum, and a leaf costs at least that.
        each_redundant(edge, [&](std::int64_t errors, std::size_t) {
            if (sums_.holds({2, errors})) sums_.at({2, errors}) -= times;
        });
    }
    sums_.give(inside_[n]);
}

// What is beside a node, from what is beside its parents, as far as some subtree of the node completes it.
template <class Count>
Cells<Count> Counter<Count>::beside(std::size_t n, const std::vector<Cells<Count>>& of_parents) {
    const Cells<Count>& here = inside_[n];
    limits_.assign(rule_.most_errors.size(), -1);
    for (const auto& run : here.runs)
        for (std::size_t l = 0; l + run.leaves < limits_.size(); ++l)
            limits_[l] = std::max(limits_[l], rule_.most_errors[l + run.leaves] - here.errors[run.begin]);
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    const std::span parents = std::span(parents_).subspan(first_parent_[n], first_parent_[n + 1] - first_parent_[n]);
    for (const Parent& parent : parents)
        if (!of_parents[parent.node].empty())
            least = std::min(least, of_parents[parent.node].least_errors() + inside_[parent.sibling].least_errors());
    Cells<Count> out;
    if (least == std::numeric_limits<std::int64_t>::max()) return out;
    sums_.reset(least, limits_);
    for (const Parent& parent : parents)
        sums_.add_products(of_parents[parent.node], inside_[parent.sibling], Count(parent.copies));
    sums_.give(out);
    return out;
}

template <class Count>
bool Counter<Count>::outside(std::vector<std::uint64_t>& out) {
    const std::size_t n_nodes = graph_.nodes.size();
    first_parent_.assign(n_nodes + 1, 0);
    const auto each_link = [&](const auto& visit) {
        for (std::size_t n = 0; n < n_nodes; ++n)
            for (const SetEdge& edge : graph_.edges_of(n)) {
                if (dead(edge)) continue;
                for (int side : {0, 1})
                    visit(edge.child[side], Parent{static_cast<std::uint32_t>(n), edge.child[1 - side], n_copies(edge)});
            }
    };
    each_link([&](std::uint32_t child, const Parent&) { ++first_parent_[child + 1]; });
    std::partial_sum(first_parent_.begin(), first_parent_.end(), first_parent_.begin());
    parents_.resize(first_parent_.back());
    std::vector<std::size_t> next(first_parent_.begin(), first_parent_.end() - 1);
    each_link([&](std::uint32_t child, const Parent& parent) { parents_[next[child]++] = parent; });

    std::vector<Count> of_leaf(n_nodes * graph_.n_classes);
    std::vector<Redundant> redundant;
    std::vector<Cells<Count>> around(n_nodes);
    std::size_t to_free = 0;  // nodes two levels up are asked no more
    for (std::size_t n = 0; n < n_nodes; ++n) {
        if (control_.poll(1 + static_cast<std::int64_t>(first_parent_[n + 1] - first_parent_[n]))) return false;
        while (graph_.nodes[to_free].depth > graph_.nodes[n].depth + 1) around[to_free++] = {};
        if (inside_[n].empty()) continue;
        if (n == 0) around[0].push({0, 0}, Count(1));
        else around[n] = beside(n, around);
        const Cells<Count>& here = around[n];
        const auto completed = [&](std::uint32_t leaves, std::int64_t errors) {
            Count sum{};
            for (const auto& run : here.runs)
                for (std::size_t c = run.begin; c < run.end; ++c)
                    if (in_set({run.leaves + leaves, here.errors[c] + errors})) sum += here.counts[c];
            return sum;
        };
        each_leaf(n, [&](LeafChoice leaf) { of_leaf[n * graph_.n_classes + leaf.label] += completed(1, leaf.errors); });
        for (const SetEdge& edge : graph_.edges_of(n))
            if (!dead(edge))
                each_redundant(edge, [&](std::int64_t errors, std::size_t label) {
                    redundant.push_back({{edge.child[0], edge.child[1]}, label, completed(2, errors) * Count(n_copies(edge))});
                });
    }
    for (const Redundant& pair : redundant)
        for (const std::uint32_t child : pair.child) of_leaf[child * graph_.n_classes + pair.label] -= pair.count;
    out.reserve(of_leaf.size() * Count{}.word.size());
    for (const Count& count : of_leaf) out.insert(out.end(), count.word.begin(), count.word.end());
    return true;
}

template <class Count>
void Counter<Count>::give(TreeCounts& out) const {
    out.first_cell.assign(1, 0);
    for (const Cells<Count>& cells : inside_) {
        for (const auto& run : cells.runs) out.leaves.insert(out.leaves.end(), run.end - run.begin, run.leaves);
        out.errors.insert(out.errors.end(), cells.errors.begin(), cells.errors.end());
        for (const Count& count : cells.counts) out.counts.insert(out.counts.end(), count.word.begin(), count.word.end());
        out.first_cell.push_back(out.errors.size());
    }
    for (const SetEdge& edge : graph_.edges_of(0)) {
        Count sum{};
        if (!dead(edge)) sum = followed(edge);
        out.root_edges.insert(out.root_edges.end(), sum.word.begin(), sum.word.end());
    }
}

template <class Count>
void Counter<Count>::take(const TreeCounts& counts) {
    for (std::size_t n = 0; n < inside_.size(); ++n)
        for (std::size_t c = counts.first_cell[n]; c < counts.first_cell[n + 1]; ++c) {
            Count count;
            std::copy_n(counts.counts.begin() + static_cast<std::ptrdiff_t>(c * counts.n_words), counts.n_words,
                        count.word.begin());
            inside_[n].push({counts.leaves[c], counts.errors[c]}, count);
        }
}

// The trees that begin with the edge.
template <class Count>
Count Counter<Count>::followed(const SetEdge& edge) const {
    CellSums<Count> sums;
    const Cells<Count>&zero = inside_[edge.child[0]], &one = inside_[edge.child[1]];
    sums.reset(zero.least_errors() + one.least_errors(), rule_.most_errors);
    sums.add_products(zero, one, Count(n_copies(edge)));
    each_redundant(edge, [&](std::int64_t errors, std::size_t) {
        if (sums.holds({2, errors})) sums.at({2, errors}) -= Count(n_copies(edge));
    });
    Cells<Count> cells;
    sums.give(cells);
    return std::accumulate(cells.counts.begin(), cells.counts.end(), Count{}, plus);
}

// Calls use(WideCount) with counts of so many words.
template <class Use>
auto with_words(std::size_t n_words, const Use& use) {
    switch (n_words) {
        case 1: return use(WideCount<1>{});
        case 2: return use(WideCount<2>{});
        case 4: return use(WideCount<4>{});
        default: return use(WideCount<16>{});
    }
}

// Words for counts up to `most`; 0 if they are too large. Sixteen bits are spare: the outside pass counts, for a moment, trees
// whose last split is redundant, at most one for each tree and split.
std::size_t words_for(double most) {
    const double bits = std::log2(std::max(most, 1.0)) + 16;
    return bits < 64 ? 1 : bits < 128 ? 2 : bits < 256 ? 4 : bits < 1024 ? 16 : 0;
}

}  // namespace

TreeCounts count_trees(const NearOptimalGraph& graph, const CountRule& rule, Control& control) {
    TreeCounts out;
    out.n_words = rule.n_words;
    if (out.n_words == 0) {
        Counter<double> rough(graph, rule, control);
        if (!rough.inside()) return out;
        out.n_words = words_for(rough.most());
    }
    if (out.n_words == 0) {
        out.too_many = true;
        return out;
    }
    with_words(out.n_words, [&]<std::size_t kWords>(WideCount<kWords>) {
        Counter<WideCount<kWords>> counter(graph, rule, control);
        out.complete = counter.inside();
        if (out.complete) counter.give(out);
    });
    return out;
}

std::vector<std::uint64_t> count_leaves_in_trees(const NearOptimalGraph& graph, const CountRule& rule,
                                                 const TreeCounts& inside, Control& control) {
    std::vector<std::uint64_t> out;
    with_words(inside.n_words, [&]<std::size_t kWords>(WideCount<kWords>) {
        Counter<WideCount<kWords>> counter(graph, rule, control);
        counter.take(inside);
        if (!counter.outside(out)) out.clear();
    });
    return out;
}

}  // namespace treewright::bits
