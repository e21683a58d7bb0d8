#include "treewright/bits/tree_counts.hpp"

#include "treewright/bits/wide_count.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
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

// Sums by (leaves, errors): a table where the range is small, else a hash map.
template <class Count>
class CellSums {
   public:
    void reset(std::uint32_t most_leaves, std::int64_t least_errors, std::int64_t most_errors) {
        width_ = static_cast<std::size_t>(std::max<std::int64_t>(most_errors - least_errors + 1, 1));
        least_ = least_errors;
        most_leaves_ = most_leaves;
        dense_ = width_ <= kMostDenseCells / (most_leaves + 1);
        table_.clear();
        map_.clear();
        if (dense_) table_.resize((most_leaves + 1) * width_);
    }
    [[nodiscard]] Count& at(Place place) {
        const std::size_t key = place.leaves * width_ + static_cast<std::size_t>(place.errors - least_);
        return dense_ ? table_[key] : map_[key];
    }
    // Calls visit(place, count) for all sums, ascending by leaves, then errors.
    template <class Visit>
    void each(const Visit& visit) const {
        const auto place = [&](std::size_t key) {
            return Place{static_cast<std::uint32_t>(key / width_), least_ + static_cast<std::int64_t>(key % width_)};
        };
        if (dense_) {
            for (std::size_t key = 0; key < table_.size(); ++key)
                if (!is_zero(table_[key])) visit(place(key), table_[key]);
            return;
        }
        std::vector<std::size_t> keys;
        for (const auto& [key, count] : map_)
            if (!is_zero(count)) keys.push_back(key);
        std::sort(keys.begin(), keys.end());
        for (const std::size_t key : keys) visit(place(key), map_.at(key));
    }

   private:
    static bool is_zero(double count) { return count == 0; }
    template <std::size_t kWords>
    static bool is_zero(const WideCount<kWords>& count) { return count.zero(); }

    std::size_t width_ = 1;
    std::int64_t least_ = 0;
    std::uint32_t most_leaves_ = 0;
    bool dense_ = true;
    std::vector<Count> table_;
    std::unordered_map<std::size_t, Count> map_;
};

// Both passes, with counts of any kind.
template <class Count>
class Counter {
   public:
    Counter(const NearOptimalGraph& graph, const CountRule& rule, Control& control)
        : graph_(graph), rule_(rule), control_(control) {}

    // Children have larger numbers, so the nodes are counted from the last to the first.
    bool inside() {
        begin_.resize(graph_.nodes.size());
        end_.resize(graph_.nodes.size());
        for (std::size_t n = graph_.nodes.size(); n-- > 0;) {
            if (control_.poll(1 + static_cast<std::int64_t>(graph_.edges_of(n).size()))) return false;
            begin_[n] = places_.size();
            count_node(n);
            end_[n] = places_.size();
            if (places_.size() * (sizeof(Place) + sizeof(Count)) > rule_.most_bytes) {
                control_.halt(Stop::memory);
                return false;
            }
        }
        return true;
    }

    void take(const TreeCounts& counts);  // an inside pass done before
    // The most subtrees of any node.
    [[nodiscard]] Count most() const {
        Count most{};
        for (std::size_t n = 0; n < begin_.size(); ++n) {
            Count sum{};
            for (std::size_t c = begin_[n]; c < end_[n]; ++c) sum += counts_[c];
            most = std::max(most, sum);
        }
        return most;
    }
    void give(TreeCounts& out) const;
    bool outside(std::vector<std::uint64_t>& out);

   private:
    [[nodiscard]] std::int64_t cost(Place place) const {
        return (place.errors << rule_.unit_shift) + static_cast<std::int64_t>(place.leaves) * rule_.leaf_price;
    }
    [[nodiscard]] bool in_set(Place place) const {
        return place.leaves < rule_.most_errors.size() && place.errors <= rule_.most_errors[place.leaves];
    }
    [[nodiscard]] bool open(const SetEdge& edge) const {
        return rule_.edge_open.empty() || rule_.edge_open[static_cast<std::size_t>(&edge - graph_.edges.data())] != 0;
    }
    [[nodiscard]] Count copies(const SetEdge& edge) const {
        return Count(rule_.copies[static_cast<std::size_t>(edge.column)]);
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
    // Fewer leaves may make more errors, so what a subtree may be is never less than what the whole may be.
    [[nodiscard]] bool within(Place place, std::int64_t budget) const { return in_set(place) && cost(place) <= budget; }
    // Whether some subtree of the node completes what is beside it to a tree of the set.
    [[nodiscard]] bool fits_some(Place beside, std::size_t n) const {
        for (std::size_t c = begin_[n]; c < end_[n]; ++c)
            if (in_set({beside.leaves + places_[c].leaves, beside.errors + places_[c].errors})) return true;
        return false;
    }

    // Trees in which the edge's two children are leaves of one label: counted on the way, and taken off at the end.
    struct Redundant {
        std::uint32_t child[2];
        std::size_t label;
        Count count;
    };

    const NearOptimalGraph& graph_;
    const CountRule& rule_;
    Control& control_;
    std::vector<std::size_t> begin_, end_;  // [node], cells
    std::vector<Place> places_;
    std::vector<Count> counts_;
    CellSums<Count> sums_;
    std::vector<Redundant> redundant_;
};

template <class Count>
void Counter<Count>::count_node(std::size_t n) {
    const SetNode& node = graph_.nodes[n];
    const auto edges = graph_.edges_of(n);
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::int64_t most = 0;
    std::uint32_t most_leaves = 1;
    const auto widen = [&](Place low, Place high) {
        least = std::min(least, low.errors);
        most = std::max(most, high.errors);
        most_leaves = std::max(most_leaves, high.leaves);
    };
    each_leaf(n, [&](LeafChoice leaf) { widen({1, leaf.errors}, {1, leaf.errors}); });
    for (const SetEdge& edge : edges) {
        if (!open(edge)) continue;
        Place low{0, 0}, high{0, 0};
        bool empty = false;
        for (const std::uint32_t child : edge.child) {
            empty |= begin_[child] == end_[child];
            std::int64_t fewest = std::numeric_limits<std::int64_t>::max(), largest = 0;
            for (std::size_t c = begin_[child]; c < end_[child]; ++c) {
                fewest = std::min(fewest, places_[c].errors);
                largest = std::max(largest, places_[c].errors);
            }
            if (empty) break;
            low.errors += fewest;
            high.errors += largest;
            high.leaves += places_[end_[child] - 1].leaves;
        }
        if (!empty) widen(low, high);
    }
    if (least > most) return;
    most_leaves = std::min(most_leaves, static_cast<std::uint32_t>(rule_.most_errors.size() - 1));
    most = std::min(most, *std::max_element(rule_.most_errors.begin(), rule_.most_errors.end()));
    most = std::min(most, (node.budget - rule_.leaf_price) >> rule_.unit_shift);
    if (least > most) return;
    sums_.reset(most_leaves, least, most);
    each_leaf(n, [&](LeafChoice leaf) {
        if (within({1, leaf.errors}, node.budget)) sums_.at({1, leaf.errors}) += Count(1);
    });
    for (const SetEdge& edge : edges) {
        if (!open(edge)) continue;
        const auto [left, right] = edge.child;
        const Count times = copies(edge);
        for (std::size_t a = begin_[left]; a < end_[left]; ++a) {
            const Count scaled = counts_[a] * times;
            for (std::size_t b = begin_[right]; b < end_[right]; ++b) {
                const Place sum{places_[a].leaves + places_[b].leaves, places_[a].errors + places_[b].errors};
                if (within(sum, node.budget)) sums_.at(sum) += scaled * counts_[b];
            }
        }
        each_redundant(edge, [&](std::int64_t errors, std::size_t) {
            // Both leaves were counted only if each fits its own budget, which it does wherever the two fit here: a
            // child's budget is at least the node's less the sibling's optimum, and a leaf costs at least that.
            if (within({2, errors}, node.budget)) sums_.at({2, errors}) -= times;
        });
    }
    sums_.each([&](Place place, const Count& count) {
        places_.push_back(place);
        counts_.push_back(count);
    });
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

template <class Count>
void Counter<Count>::give(TreeCounts& out) const {
    out.first_cell.assign(1, 0);
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
        for (std::size_t c = begin_[n]; c < end_[n]; ++c) {
            out.leaves.push_back(places_[c].leaves);
            out.errors.push_back(places_[c].errors);
            out.counts.insert(out.counts.end(), counts_[c].word.begin(), counts_[c].word.end());
        }
        out.first_cell.push_back(out.leaves.size());
    }
}

template <class Count>
void Counter<Count>::take(const TreeCounts& counts) {
    begin_.assign(counts.first_cell.begin(), counts.first_cell.end() - 1);
    end_.assign(counts.first_cell.begin() + 1, counts.first_cell.end());
    for (std::size_t c = 0; c < counts.leaves.size(); ++c) {
        places_.push_back({counts.leaves[c], counts.errors[c]});
        Count count;
        std::copy_n(counts.counts.begin() + static_cast<std::ptrdiff_t>(c * counts.n_words), counts.n_words,
                    count.word.begin());
        counts_.push_back(count);
    }
}

template <class Count>
bool Counter<Count>::outside(std::vector<std::uint64_t>& out) {
    struct Cell {
        Place place;
        Count count;
    };
    const std::size_t n_nodes = graph_.nodes.size();
    const std::size_t n_words = Count{}.word.size();
    std::vector<std::vector<Cell>> beside(n_nodes);
    std::vector<Count> of_leaf(n_nodes * graph_.n_classes);
    const auto leaf_at = [&](std::size_t n, std::size_t label) -> Count& { return of_leaf[n * graph_.n_classes + label]; };
    const auto merge = [](std::vector<Cell>& cells) {
        std::sort(cells.begin(), cells.end(), [](const Cell& a, const Cell& b) {
            return a.place.leaves != b.place.leaves ? a.place.leaves < b.place.leaves : a.place.errors < b.place.errors;
        });
        std::size_t kept = 0;
        for (std::size_t c = 0; c < cells.size(); ++c) {
            if (kept > 0 && cells[kept - 1].place.leaves == cells[c].place.leaves &&
                cells[kept - 1].place.errors == cells[c].place.errors)
                cells[kept - 1].count += cells[c].count;
            else
                cells[kept++] = cells[c];
        }
        cells.resize(kept);
    };
    std::vector<Cell> sums;
    beside[0].push_back({{0, 0}, Count(1)});
    for (std::size_t n = 0; n < n_nodes; ++n) {
        if (control_.poll(1 + static_cast<std::int64_t>(beside[n].size()))) return false;
        merge(beside[n]);
        const std::vector<Cell> here = std::move(beside[n]);
        beside[n] = {};
        const auto completed = [&](std::uint32_t leaves, std::int64_t errors) {
            Count sum{};
            for (const Cell& cell : here)
                if (in_set({cell.place.leaves + leaves, cell.place.errors + errors})) sum += cell.count;
            return sum;
        };
        each_leaf(n, [&](LeafChoice leaf) { leaf_at(n, leaf.label) += completed(1, leaf.errors); });
        for (const SetEdge& edge : graph_.edges_of(n)) {
            if (!open(edge)) continue;
            const Count times = copies(edge);
            for (int side : {0, 1}) {
                const std::uint32_t child = edge.child[side], sibling = edge.child[1 - side];
                if (begin_[child] == end_[child]) continue;
                sums.clear();
                for (const Cell& cell : here)
                    for (std::size_t b = begin_[sibling]; b < end_[sibling]; ++b) {
                        const Place place{cell.place.leaves + places_[b].leaves, cell.place.errors + places_[b].errors};
                        if (!fits_some(place, child)) continue;
                        sums.push_back({place, cell.count * counts_[b] * times});
                    }
                merge(sums);
                beside[child].insert(beside[child].end(), sums.begin(), sums.end());
                if (beside[child].size() > 4096) merge(beside[child]);
            }
            each_redundant(edge, [&](std::int64_t errors, std::size_t label) {
                redundant_.push_back({{edge.child[0], edge.child[1]}, label, completed(2, errors) * times});
            });
        }
    }
    for (const Redundant& pair : redundant_)
        for (const std::uint32_t child : pair.child) leaf_at(child, pair.label) -= pair.count;
    out.reserve(of_leaf.size() * n_words);
    for (const Count& count : of_leaf) out.insert(out.end(), count.word.begin(), count.word.end());
    return true;
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
    {
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
