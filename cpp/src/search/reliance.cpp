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
void each_row(Bits rows, const Use& use) {
    for (std::size_t w = 0; w < rows.size(); ++w)
        for (std::uint64_t left = rows[w]; left != 0; left &= left - 1)
            use(64 * w + static_cast<std::size_t>(std::countr_zero(left)));
}

// The graph of nodes (node, R, V), level by level.
class Divided {
   public:
    Divided(const NearOptimalGraph& graph, const SetRule& rule, const RelianceTask& task)
        : graph_(graph),
          rule_(rule),
          task_(task),
          words_((task.n_rows + 63) / 64),
          all_(words_, ~std::uint64_t{0}),
          before_(graph.nodes.size(), kUnknown) {
        if (const std::size_t last = task.n_rows % 64; last > 0) all_.back() = (std::uint64_t{1} << last) - 1;
        total_ = std::accumulate(task.weight.begin(), task.weight.end(), std::int64_t{0});
        made_.n_classes = graph.n_classes;
    }
    // False if it was stopped.
    bool make(Control& control) {
        Level level;
        before(level, 0, all_);
        for (std::size_t first = 0; first < made_.nodes.size();) {
            const std::size_t last = made_.nodes.size();
            Level next;
            for (std::size_t n = first; n < last; ++n) {
                const auto edges = graph_.edges_of(node_[n]);
                if (control.poll(1 + static_cast<std::int64_t>(edges.size()))) return false;
                made_.nodes[n].first_edge = static_cast<std::uint32_t>(made_.edges.size());
                for (const SetEdge& edge : edges) divide(level, n - first, edge, next);
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
    struct Level {
        std::vector<std::uint64_t> rows, drawn;  // R and V of its nodes
        std::unordered_multimap<std::uint64_t, std::uint32_t> after;
        std::uint32_t first = 0;  // number of its first node
        [[nodiscard]] std::size_t bytes() const { return (rows.capacity() + drawn.capacity()) * 8 + after.size() * 48; }
    };

    [[nodiscard]] std::size_t bytes() const { return made_.bytes() + values_.capacity() * sizeof(WideInt); }
    [[nodiscard]] Bits part(const std::vector<std::uint64_t>& of, std::size_t at) const {
        return Bits(of).subspan(at * words_, words_);
    }

    std::uint32_t add(Level& level, std::uint32_t node, Bits rows, Bits drawn) {
        const auto made = static_cast<std::uint32_t>(made_.nodes.size());
        if (level.rows.empty()) level.first = made;
        node_.push_back(node);
        made_.nodes.push_back({graph_.nodes[node].depth, graph_.nodes[node].budget, 0, 0});
        made_.leaf_rows.push_back(graph_.leaf_rows[node]);
        const auto costs = graph_.costs(node);
        made_.leaf_cost.insert(made_.leaf_cost.end(), costs.begin(), costs.end());
        level.rows.insert(level.rows.end(), rows.begin(), rows.end());
        level.drawn.insert(level.drawn.end(), drawn.begin(), drawn.end());
        values_.resize(values_.size() + graph_.n_classes, 0);
        return made;
    }
    std::uint32_t before(Level& level, std::uint32_t node, Bits rows) {
        if (before_[node] == kUnknown) before_[node] = add(level, node, rows, all_);
        return before_[node];
    }
    std::uint32_t after(Level& level, std::uint32_t node, Bits rows, Bits drawn) {
        std::uint64_t key = node;
        for (const Bits bits : {rows, drawn})
            for (const std::uint64_t word : bits) key = (std::rotl(key, 5) ^ word) * 0x9E3779B97F4A7C15U;
        const auto [first, last] = level.after.equal_range(key);
        for (auto at = first; at != last; ++at) {
            const std::size_t place = at->second - level.first;
            if (node_[at->second] == node && std::equal(rows.begin(), rows.end(), part(level.rows, place).begin()) &&
                std::equal(drawn.begin(), drawn.end(), part(level.drawn, place).begin()))
                return at->second;
        }
        const std::uint32_t made = add(level, node, rows, drawn);
        level.after.emplace(key, made);
        std::int64_t chance = 0;
        each_row(drawn, [&](std::size_t row) { chance += task_.weight[row]; });
        WideInt* const value = values_.data() + made * graph_.n_classes;
        const std::size_t k = graph_.n_classes;
        for (std::size_t w = 0; w < words_; ++w) {
            const auto each = [&](std::uint64_t left, std::int64_t factor) {
                for (; left != 0; left &= left - 1) {
                    const std::size_t row = 64 * w + static_cast<std::size_t>(std::countr_zero(left));
                    for (std::size_t c = 0; c < k; ++c) value[c] += WideInt{task_.cost[row * k + c]} * factor;
                }
            };
            each(rows[w] & drawn[w], chance - total_);
            each(rows[w] & ~drawn[w], chance);
        }
        return made;
    }
    void divide(const Level& level, std::size_t at, const SetEdge& edge, Level& next) {
        const auto number = static_cast<std::size_t>(&edge - graph_.edges.data());
        const std::uint32_t copies = rule_.copies[number], own = task_.copies_of[number];
        const Bits rows = part(level.rows, at), drawn = part(level.drawn, at);
        const Bits ones = task_.ones.subspan(static_cast<std::size_t>(edge.column) * words_, words_);
        for (const bool asks : {false, true}) {
            if ((asks ? own : copies - own) == 0) continue;
            SetEdge made{edge.column, {0, 0}};
            const Bits divided = asks ? drawn : rows;
            for (int side : {0, 1}) {
                scratch_.resize(words_);
                for (std::size_t w = 0; w < words_; ++w) scratch_[w] = divided[w] & (side == 1 ? ones[w] : ~ones[w]);
                const bool still_all = !asks && std::equal(drawn.begin(), drawn.end(), all_.begin());
                made.child[side] = still_all ? before(next, edge.child[side], scratch_)
                                   : asks    ? after(next, edge.child[side], rows, scratch_)
                                             : after(next, edge.child[side], scratch_, drawn);
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
    std::vector<std::uint32_t> before_;  // [node of the set's graph]: made of it, with V all rows
    std::vector<std::uint32_t> node_;    // [made]
    std::vector<std::uint64_t> scratch_;
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
        InsidePass<LargestWide> pass(divided.made(), every);
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
