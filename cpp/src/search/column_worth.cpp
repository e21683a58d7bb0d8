#include "treewright/search/column_worth.hpp"

#include "treewright/search/inside_pass.hpp"
#include "treewright/search/pairs_within.hpp"

#include <algorithm>

namespace treewright::binary {

namespace {

// The fewest errors of subtrees by their leaves, of many nodes one after the other.
class LeastErrors {
   public:
    explicit LeastErrors(std::size_t n_nodes) : begin_(n_nodes, 0), size_(n_nodes, 0) {}

    void make(std::size_t n, std::size_t size) {
        begin_[n] = errors_.size();
        size_[n] = size;
        errors_.resize(errors_.size() + size, kNoTree);
    }
    [[nodiscard]] std::span<std::int64_t> of(std::size_t n) { return std::span(errors_).subspan(begin_[n], size_[n]); }
    [[nodiscard]] std::span<const std::int64_t> of(std::size_t n) const {
        return std::span(errors_).subspan(begin_[n], size_[n]);
    }
    [[nodiscard]] std::size_t size(std::size_t n) const { return size_[n]; }
    [[nodiscard]] std::size_t bytes() const {
        return errors_.capacity() * 8 + (begin_.capacity() + size_.capacity()) * sizeof(std::size_t);
    }

   private:
    std::vector<std::size_t> begin_, size_;
    std::vector<std::int64_t> errors_;
};

void join(std::span<std::int64_t> out, std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
    for (std::size_t x = 0; x < a.size() && x < out.size(); ++x) {
        if (a[x] == kNoTree) continue;
        const std::size_t n = std::min(b.size(), out.size() - x);
        for (std::size_t y = 0; y < n; ++y)
            if (b[y] < kNoTree) out[x + y] = std::min(out[x + y], a[x] + b[y]);
    }
}

// All subtrees that begin with one edge.
void join_sides(const SetWalk& walk, const SetEdge& edge, const LeastErrors& least, std::span<std::int64_t> out) {
    const auto zero = least.of(edge.child[0]), one = least.of(edge.child[1]);
    const std::int64_t pair_of_leaves = out.size() > 2 ? out[2] : kNoTree;
    join(out, zero, one);
    if (out.size() <= 2) return;
    out[2] = pair_of_leaves;  // its labels decide
    walk.each_leaf_pair(edge,
                        [&](std::size_t, std::size_t, std::int64_t errors) { out[2] = std::min(out[2], errors); });
}

std::size_t most_leaves(const SetRule& rule) { return std::max<std::size_t>(rule.max_errors.size(), 2); }

// False if it was stopped.
bool make_least(const SetWalk& walk, LeastErrors& least, Control& control) {
    const NearOptimalGraph& graph = walk.graph();
    for (std::size_t n = graph.nodes.size(); n-- > 0;) {
        if (!walk.reached(n)) continue;
        if (control.poll(1 + static_cast<std::int64_t>(graph.edges_of(n).size()))) return false;
        std::size_t n_leaves = 1;
        for (const SetEdge& edge : graph.edges_of(n))
            if (walk.n_copies(edge) > 0)
                n_leaves = std::max(n_leaves, least.size(edge.child[0]) + least.size(edge.child[1]) - 2);
        least.make(n, std::min(n_leaves + 1, most_leaves(walk.rule())));
        for (const SetEdge& edge : graph.edges_of(n))
            if (walk.n_copies(edge) > 0) join_sides(walk, edge, least, least.of(n));
        walk.each_leaf(n, [&](std::size_t, std::int64_t errors) {
            std::int64_t& entry = least.of(n)[1];
            entry = std::min(entry, errors);
        });
        if (n % 64 == 0 && least.bytes() > walk.rule().max_bytes) {
            control.halt(Stop::memory);
            return false;
        }
    }
    return true;
}

// One column alone, or several as lanes.
struct ColumnAlone {
    using Value = Ways;
    static double& lane(Ways& value, std::size_t) { return value.value; }
};
template <std::size_t kLanes>
struct SomeColumns {
    using Value = LaneWays<kLanes>;
    static double& lane(Value& value, std::size_t at) { return value.value[at]; }
};

template <class Columns>
struct CountTerms {
    using V = typename Columns::Value;
    const SetWalk& walk;
    const ColumnsOfEdges& columns;
    std::size_t first, last;

    [[nodiscard]] V leaf(std::size_t, std::size_t) const {
        V out;
        for (std::size_t c = first; c < last; ++c) Columns::lane(out, c - first) = 1;
        return out;
    }
    [[nodiscard]] V factor(const SetEdge& edge) const {
        V out;
        const std::uint32_t copies = walk.n_copies(edge);
        if (copies == 0) return out;
        const std::size_t number = walk.edge_number(edge);
        for (std::size_t c = first; c < last; ++c) Columns::lane(out, c - first) = copies - columns.on(number, c);
        return out;
    }
};

// The fewest errors of one lane's subtrees by their leaves.
template <class Columns>
void read_least(const Cells<typename Columns::Value>& cells, std::size_t lane, std::vector<std::int64_t>& out) {
    out.assign(cells.runs.back().leaves + 1, kNoTree);
    cells.each([&](std::uint32_t leaves, std::int64_t errors, typename Columns::Value value) {
        if (Columns::lane(value, lane) > 0) out[leaves] = std::min(out[leaves], errors);
    });
}

template <class Columns>
std::vector<TreesWithout> trees_without(const NearOptimalGraph& graph, const SetRule& rule,
                                        const ColumnsOfEdges& columns, std::size_t first, std::size_t last,
                                        Control& control) {
    using V = typename Columns::Value;
    InsidePass<V> pass(graph, rule, false);
    const SetWalk& walk = pass.walk();
    const CountTerms<Columns> terms{walk, columns, first, last};
    if (!pass.run(1, terms, control)) return {};
    std::vector<TreesWithout> out(last - first);
    for (TreesWithout& found : out) {
        found.least.assign(most_leaves(rule), kNoTree);
        walk.each_leaf(0, [&](std::size_t, std::int64_t errors) { found.least[1] = std::min(found.least[1], errors); });
    }
    std::vector<std::int64_t> zero, one;
    for (const SetEdge& edge : graph.edges_of(0)) {
        if (pass.dead(edge)) continue;
        const auto a = pass.cells(edge.child[0]), b = pass.cells(edge.child[1]);
        V sum = pairs_within<V>(rule, a, RunSums<V>(b));
        if (!rule.redundant && rule.max_errors.size() > 2)
            walk.each_leaf_pair(edge, [&](std::size_t, std::size_t, std::int64_t errors) {
                if (errors <= rule.max_errors[2]) sum += terms.leaf(0, 0);
            });
        V factor = terms.factor(edge);
        for (std::size_t lane = 0; lane < out.size(); ++lane) {
            if (Columns::lane(factor, lane) == 0) continue;
            out[lane].n_split_trees += Columns::lane(sum, lane) * Columns::lane(factor, lane);
            read_least<Columns>(a, lane, zero);
            read_least<Columns>(b, lane, one);
            const std::int64_t leaf_one = one.size() > 1 ? one[1] : kNoTree;
            if (!rule.redundant && zero.size() > 1 && zero[1] < kNoTree && leaf_one < kNoTree) {
                // A leaf beside a leaf: the labels decide.
                one[1] = kNoTree;
                join(out[lane].least, zero, one);
                one.assign({kNoTree, leaf_one});
                zero[1] = kNoTree;
                walk.each_leaf_pair(edge, [&](std::size_t, std::size_t, std::int64_t errors) {
                    if (out[lane].least.size() > 2) out[lane].least[2] = std::min(out[lane].least[2], errors);
                });
            }
            join(out[lane].least, zero, one);
        }
    }
    return out;
}

}  // namespace

LeastWith least_with_columns(const NearOptimalGraph& graph, const SetRule& rule, const ColumnsOfEdges& columns,
                             Control& control) {
    const SetWalk walk(graph, rule);
    const std::size_t n_nodes = graph.nodes.size(), n_kinds = columns.copies.size() / columns.n_columns;
    LeastErrors least(n_nodes), beside(n_nodes);
    if (!make_least(walk, least, control)) return {};
    std::vector<std::vector<std::size_t>> columns_of(n_kinds);
    for (std::size_t i = 0; i < columns.copies.size(); ++i)
        if (columns.copies[i] > 0) columns_of[i / columns.n_columns].push_back(i % columns.n_columns);
    const std::size_t n_leaves = least.size(0);
    LeastWith out{n_leaves, std::vector<std::int64_t>(columns.n_columns * n_leaves, kNoTree)};
    beside.make(0, n_leaves);
    beside.of(0)[0] = 0;
    std::vector<std::int64_t> below;
    for (std::size_t n = 0; n < n_nodes; ++n) {
        if (beside.size(n) == 0) continue;
        if (control.poll(1 + static_cast<std::int64_t>(graph.edges_of(n).size()))) return {};
        for (const SetEdge& edge : graph.edges_of(n)) {
            if (walk.n_copies(edge) == 0) continue;
            for (const int side : {0, 1}) {
                const std::size_t child = edge.child[side];
                if (graph.edges_of(child).empty()) continue;
                if (beside.size(child) == 0) beside.make(child, n_leaves);
                join(beside.of(child), beside.of(n), least.of(edge.child[1 - side]));
            }
            below.assign(std::min(least.size(edge.child[0]) + least.size(edge.child[1]) - 1, n_leaves), kNoTree);
            join_sides(walk, edge, least, below);
            for (const std::size_t c : columns_of[columns.kind[walk.edge_number(edge)]])
                join(std::span(out.errors).subspan(c * n_leaves, n_leaves), beside.of(n), below);
        }
        if (n % 64 == 0 && least.bytes() + beside.bytes() > rule.max_bytes) {
            control.halt(Stop::memory);
            return {};
        }
    }
    return out;
}

std::vector<TreesWithout> trees_without_columns(const NearOptimalGraph& graph, const SetRule& rule,
                                                const ColumnsOfEdges& columns, std::size_t first, std::size_t last,
                                                Control& control) {
    const std::size_t n = last - first;
    return n == 1           ? trees_without<ColumnAlone>(graph, rule, columns, first, last, control)
           : n <= kFewLanes ? trees_without<SomeColumns<kFewLanes>>(graph, rule, columns, first, last, control)
                            : trees_without<SomeColumns<kMostLanes>>(graph, rule, columns, first, last, control);
}

}  // namespace treewright::binary
