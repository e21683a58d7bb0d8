#include "treewright/search/reliance.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <vector>

namespace treewright::bits {

namespace {

constexpr WideInt kNothing = std::numeric_limits<std::int64_t>::min() * (WideInt{1} << 62);

// The largest of some sums; of a node only the front is kept.
struct LargestWide {
    WideInt value = kNothing;
    static constexpr bool kFrontOnly = true;

    [[nodiscard]] bool none() const { return value == kNothing; }
    LargestWide& operator+=(const LargestWide& other) {
        value = std::max(value, other.value);
        return *this;
    }
    [[nodiscard]] bool exceeds(const LargestWide& other) const { return value > other.value; }
};
template <class Out>
[[nodiscard]] inline Out product(const LargestWide& a, const LargestWide& b) {
    return {a.value + b.value};
}

using Bits = std::span<const std::uint64_t>;

template <class Use>
void each_row_of_both(Bits rows, Bits others, const Use& use) {
    for (std::size_t w = 0; w < rows.size(); ++w)
        for (std::uint64_t left = rows[w] & others[w]; left != 0; left &= left - 1)
            use(64 * w + static_cast<std::size_t>(std::countr_zero(left)));
}

// The graph of nodes (node, R, V), level by level. What passes all conditions is R and V, the rows of the set's node, so that
// the value of a leaf of label k is cost(R, k) * w(V) - cost(node, k) * w.
class Divided {
   public:
    Divided(const NearOptimalGraph& graph, const SetRule& rule, const RelianceTask& task)
        : graph_(graph),
          rule_(rule),
          task_(task),
          words_((task.n_rows + 63) / 64),
          all_(words_, ~std::uint64_t{0}),
          before_(graph.nodes.size(), kUnknown),
          node_cost_(graph.leaf_cost.size(), kUnknownCost) {
        if (const std::size_t last = task.n_rows % 64; last > 0) all_.back() = (std::uint64_t{1} << last) - 1;
        total_ = std::accumulate(task.weight.begin(), task.weight.end(), std::int64_t{0});
        made_.n_classes = graph.n_classes;
    }
    // False if it was stopped.
    bool make(Control& control) {
        Level level;
        before_[0] = add(level, 0, all_, all_, total_, {});
        for (std::size_t first = 0; first < made_.nodes.size();) {
            const std::size_t last = made_.nodes.size();
            Level next;
            next.first = static_cast<std::uint32_t>(last);
            for (std::size_t n = first; n < last; ++n) {
                const auto edges = graph_.edges_of(node_[n]);
                if (control.poll(1 + static_cast<std::int64_t>(edges.size()))) return false;
                made_.nodes[n].first_edge = static_cast<std::uint32_t>(made_.edges.size());
                for (const SetEdge& edge : edges) divide(level, n, edge, next);
                made_.nodes[n].last_edge = static_cast<std::uint32_t>(made_.edges.size());
                if (n % 64 == 0 && bytes() + level.bytes() + next.bytes() > rule_.max_bytes) {
                    control.halt(Stop::memory);
                    return false;
                }
            }
            level = std::move(next);
            first = last;
        }
        return true;
    }
    [[nodiscard]] const NearOptimalGraph& made() const { return made_; }
    [[nodiscard]] const std::vector<WideInt>& values() const { return values_; }

   private:
    static constexpr std::uint32_t kUnknown = ~std::uint32_t{0};
    static constexpr std::int64_t kUnknownCost = -1;
    // Rows and what they cost are kept of nodes that have splits.
    struct Level {
        std::vector<std::uint32_t> place;        // [node]
        std::vector<std::uint64_t> rows, drawn;  // [place]: R and V
        std::vector<std::int64_t> chance;        // [place]: w(V)
        std::vector<std::int64_t> cost;          // [place][class]: cost(R, k)
        std::unordered_multimap<std::uint64_t, std::uint32_t> after;
        std::uint32_t first = 0;  // number of its first node
        [[nodiscard]] std::size_t bytes() const {
            return (rows.capacity() + drawn.capacity() + chance.capacity() + cost.capacity()) * 8 +
                   place.capacity() * 4 + after.size() * 48;
        }
    };

    [[nodiscard]] std::size_t bytes() const {
        return made_.bytes() + values_.capacity() * sizeof(WideInt) + node_cost_.capacity() * 8;
    }
    [[nodiscard]] Bits part(const std::vector<std::uint64_t>& of, std::size_t at) const {
        return Bits(of).subspan(at * words_, words_);
    }
    [[nodiscard]] Bits side_of(Bits rows, Bits ones, int side) {
        side_.resize(words_);
        for (std::size_t w = 0; w < words_; ++w) side_[w] = rows[w] & (side == 1 ? ones[w] : ~ones[w]);
        return side_;
    }
    void add_cost(Bits rows, Bits others, std::span<std::int64_t> out) const {
        const std::size_t k = graph_.n_classes;
        each_row_of_both(rows, others, [&](std::size_t row) {
            for (std::size_t c = 0; c < k; ++c) out[c] += task_.cost[row * k + c];
        });
    }
    [[nodiscard]] std::int64_t weight_of_both(Bits rows, Bits others) const {
        std::int64_t sum = 0;
        each_row_of_both(rows, others, [&](std::size_t row) { sum += task_.weight[row]; });
        return sum;
    }
    [[nodiscard]] std::int64_t weight_of_ones(std::int32_t split, Bits ones) {
        const auto [at, fresh] = weight_of_ones_.try_emplace(split, 0);
        if (fresh) at->second = weight_of_both(all_, ones);
        return at->second;
    }
    // Of the rows of a node of the set's graph, which are R and V.
    std::span<const std::int64_t> node_cost(std::uint32_t node, Bits rows, Bits drawn) {
        const auto out = std::span(node_cost_).subspan(node * graph_.n_classes, graph_.n_classes);
        if (out[0] == kUnknownCost) {
            std::fill(out.begin(), out.end(), 0);
            add_cost(rows, drawn, out);
        }
        return out;
    }
    // Whether R and V of a node are asked for; a leaf alone needs them once.
    [[nodiscard]] bool needs_rows(std::uint32_t node) const {
        return !graph_.edges_of(node).empty() || node_cost_[node * graph_.n_classes] == kUnknownCost;
    }

    std::uint32_t add(Level& level, std::uint32_t node, Bits rows, Bits drawn, std::int64_t chance,
                      std::span<const std::int64_t> cost) {
        const auto made = static_cast<std::uint32_t>(made_.nodes.size());
        node_.push_back(node);
        made_.nodes.push_back({graph_.nodes[node].depth, graph_.nodes[node].budget, 0, 0});
        made_.leaf_rows.push_back(graph_.leaf_rows[node]);
        const auto costs = graph_.costs(node);
        made_.leaf_cost.insert(made_.leaf_cost.end(), costs.begin(), costs.end());
        values_.resize(values_.size() + graph_.n_classes, 0);
        level.place.push_back(static_cast<std::uint32_t>(level.chance.size()));
        if (graph_.edges_of(node).empty()) return made;
        level.rows.insert(level.rows.end(), rows.begin(), rows.end());
        level.drawn.insert(level.drawn.end(), drawn.begin(), drawn.end());
        level.chance.push_back(chance);
        level.cost.insert(level.cost.end(), cost.begin(), cost.end());
        level.cost.resize(level.chance.size() * graph_.n_classes, 0);
        return made;
    }
    // A node after a split on the column. Of leaves alone the value decides, so those of equal value are one node.
    std::uint32_t after(Level& level, std::uint32_t node, Bits rows, Bits drawn, std::int64_t chance,
                        std::span<const std::int64_t> cost) {
        const bool leaf_alone = graph_.edges_of(node).empty();
        const auto own = node_cost(node, rows, drawn);
        value_.clear();
        for (std::size_t c = 0; c < graph_.n_classes; ++c)
            value_.push_back(WideInt{cost[c]} * chance - WideInt{own[c]} * total_);
        std::uint64_t key = node;
        const auto mix = [&](std::uint64_t word) { key = (std::rotl(key, 5) ^ word) * 0x9E3779B97F4A7C15U; };
        for (const WideInt value : value_) mix(static_cast<std::uint64_t>(value));
        if (!leaf_alone)
            for (const Bits bits : {rows, drawn})
                for (const std::uint64_t word : bits) mix(word);
        const auto [first, last] = level.after.equal_range(key);
        for (auto at = first; at != last; ++at) {
            if (node_[at->second] != node) continue;
            if (leaf_alone) {
                if (std::equal(value_.begin(), value_.end(), values_.begin() + value_at(at->second))) return at->second;
                continue;
            }
            const std::size_t place = level.place[at->second - level.first];
            if (std::equal(rows.begin(), rows.end(), part(level.rows, place).begin()) &&
                std::equal(drawn.begin(), drawn.end(), part(level.drawn, place).begin()))
                return at->second;
        }
        const std::uint32_t made = add(level, node, rows, drawn, chance, cost);
        level.after.emplace(key, made);
        std::copy(value_.begin(), value_.end(), values_.begin() + value_at(made));
        return made;
    }
    [[nodiscard]] std::ptrdiff_t value_at(std::uint32_t made) const {
        return static_cast<std::ptrdiff_t>(made * graph_.n_classes);
    }
    void divide(const Level& level, std::size_t n, const SetEdge& edge, Level& next) {
        const auto number = static_cast<std::size_t>(&edge - graph_.edges.data());
        const std::uint32_t copies = rule_.copies[number], own = task_.copies_of[number];
        const std::size_t k = graph_.n_classes, place = level.place[n - level.first];
        const Bits rows = part(level.rows, place), drawn = part(level.drawn, place);
        const Bits ones = task_.ones.subspan(static_cast<std::size_t>(edge.column) * words_, words_);
        const bool untouched =
            before_[node_[n]] == n;  // no split on the column so far: V is all rows, R those of the node
        const auto cost = untouched ? node_cost(node_[n], rows, drawn) : std::span(level.cost).subspan(place * k, k);
        for (const bool asks : {false, true}) {
            if ((asks ? own : copies - own) == 0) continue;
            SetEdge made{edge.column, {0, 0}};
            if (untouched && !asks) {
                for (const int side : {0, 1}) {
                    const std::uint32_t child = edge.child[side];
                    if (before_[child] == kUnknown) {
                        const Bits below = graph_.edges_of(child).empty() ? Bits{} : side_of(rows, ones, side);
                        before_[child] = add(next, child, below, drawn, total_, {});
                    }
                    made.child[side] = before_[child];
                }
            } else if (asks) {
                const std::int64_t right = untouched ? weight_of_ones(edge.column, ones) : weight_of_both(drawn, ones);
                for (const int side : {0, 1}) {
                    const std::uint32_t child = edge.child[side];
                    const Bits below = needs_rows(child) ? side_of(drawn, ones, side) : Bits{};
                    made.child[side] =
                        after(next, child, rows, below, side == 1 ? right : level.chance[place] - right, cost);
                }
            } else {
                cost_[0].assign(cost.begin(), cost.end());
                cost_[1].assign(k, 0);
                add_cost(rows, ones, cost_[1]);
                for (std::size_t c = 0; c < k; ++c) cost_[0][c] -= cost_[1][c];
                for (const int side : {0, 1}) {
                    const std::uint32_t child = edge.child[side];
                    const Bits below = needs_rows(child) ? side_of(rows, ones, side) : Bits{};
                    made.child[side] = after(next, child, below, drawn, level.chance[place], cost_[side]);
                }
            }
            made_.edges.push_back(made);
        }
    }

    const NearOptimalGraph& graph_;
    const SetRule& rule_;
    const RelianceTask& task_;
    std::size_t words_;
    std::int64_t total_ = 0;
    std::vector<std::uint64_t> all_;
    std::vector<std::uint32_t> before_;    // [node of the set's graph]: made of it, with V all rows
    std::vector<std::int64_t> node_cost_;  // [node of the set's graph][class]
    std::vector<std::uint32_t> node_;      // [made]
    std::vector<std::uint64_t> side_;
    std::unordered_map<std::int32_t, std::int64_t> weight_of_ones_;  // by split
    std::vector<std::int64_t> cost_[2];
    std::vector<WideInt> value_;
    NearOptimalGraph made_;
    std::vector<WideInt> values_;  // [made][class]
};

struct Terms {
    const NearOptimalGraph& graph;
    const std::vector<WideInt>& values;
    int sign;

    [[nodiscard]] LargestWide leaf(std::size_t n, std::size_t label) const {
        return {sign * values[n * graph.n_classes + label]};
    }
    [[nodiscard]] LargestWide factor(const SetEdge&) const { return {0}; }
    [[nodiscard]] LargestWide pair(const SetEdge& edge, std::size_t zero, std::size_t one) const {
        return {leaf(edge.child[0], zero).value + leaf(edge.child[1], one).value};
    }
};

}  // namespace

std::optional<std::pair<double, double>> reliance(const NearOptimalGraph& graph, const SetRule& rule,
                                                  const RelianceTask& task, Control& control) {
    Divided divided(graph, rule, task);
    if (!divided.make(control)) return std::nullopt;
    SetRule every = rule;
    every.copies.assign(divided.made().edges.size(), 1);
    double ends[2] = {0, 0};
    for (const int sign : {-1, 1}) {
        InsidePass<LargestWide> pass(divided.made(), every, false);
        if (!pass.run(0, Terms{divided.made(), divided.values(), sign}, control)) return std::nullopt;
        LargestWide most;
        pass.cells(0).each([&](std::uint32_t leaves, std::int64_t, const LargestWide& value) {
            if (leaves > 1 || task.leaf_at_root) most += value;
        });
        if (most.none()) return std::nullopt;
        ends[sign == 1 ? 1 : 0] = sign * static_cast<double>(most.value);
    }
    return std::pair(ends[0], ends[1]);
}

}  // namespace treewright::bits
