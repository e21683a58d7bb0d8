#include "treewright/search/tree_counts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace treewright::bits {

namespace {

// Calls use.operator()<w>() with one of the numbers of words that counts have.
template <class Use>
auto with_words(std::size_t n_words, const Use& use) {
    if (n_words <= 1) return use.template operator()<1>();
    if (n_words == 2) return use.template operator()<2>();
    if (n_words <= 4) return use.template operator()<4>();
    return use.template operator()<16>();
}

constexpr double kMostBits = 1000;

// Words for counts up to `most`, which was rounded; 0 if they are too large.
std::size_t words_for(double most) {
    const double bits = std::log2(std::max(most, 1.0)) + 1;
    return bits < 64 ? 1 : bits < 128 ? 2 : bits < 256 ? 4 : bits < kMostBits ? 16 : 0;
}

template <std::size_t kWords>
void append(WideNumbers& out, const WideCount<kWords>& count) {
    out.words.insert(out.words.end(), count.word.begin(), count.word.end());
}

// The sum of all pairs of a left and a right subtree that fit into the set.
template <class Out, class A, class B>
Out pairs_within(const SetWalk& walk, const Cells<A>& a, const Cells<B>& b) {
    const std::vector<std::int64_t>& most = walk.rule().most_errors;
    std::vector<Out> sums{Out{}};  // of the first cells of b
    const std::size_t first = b.runs.front().begin;
    for (std::size_t c = first; c < b.runs.back().end; ++c) {
        sums.push_back(sums.back());
        sums.back() += Out(b.values[c]);
    }
    Out out;
    for (const CellRun& x : a.runs)
        for (const CellRun& y : b.runs) {
            const std::size_t leaves = x.leaves + y.leaves;
            if (leaves >= most.size()) break;
            if (leaves == 2 && !walk.rule().redundant) continue;
            for (std::size_t i = x.begin; i < x.end; ++i) {
                const auto* end = std::upper_bound(b.errors + y.begin, b.errors + y.end, most[leaves] - a.errors[i]);
                Out some = sums[static_cast<std::size_t>(end - b.errors) - first];
                some -= sums[y.begin - first];
                out += product<Out>(some, a.values[i]);
            }
        }
    return out;
}

// What is beside a node, summed up by leaves.
template <class Count>
class Beside {
   public:
    Beside(std::span<const std::int64_t> most_errors, const Cells<Count>& cells) : most_errors_(most_errors), cells_(cells), sums_{Count{}} {
        if (cells.empty()) return;
        for (std::size_t c = cells.runs.front().begin; c < cells.runs.back().end; ++c) {
            sums_.push_back(sums_.back());
            sums_.back() += cells.values[c];
        }
    }
    // The ways to complete a subtree of so many leaves and errors to a tree of the set.
    [[nodiscard]] Count completed(std::uint32_t leaves, std::int64_t errors) const {
        Count out;
        for (const CellRun& run : cells_.runs) {
            if (run.leaves + leaves >= most_errors_.size()) break;
            const std::int64_t most = most_errors_[run.leaves + leaves] - errors;
            const auto* end = std::upper_bound(cells_.errors + run.begin, cells_.errors + run.end, most);
            const std::size_t first = cells_.runs.front().begin;
            out += sums_[static_cast<std::size_t>(end - cells_.errors) - first];
            out -= sums_[run.begin - first];
        }
        return out;
    }

   private:
    std::span<const std::int64_t> most_errors_;
    Cells<Count> cells_;
    std::vector<Count> sums_;  // of the first cells
};

// Where a node hangs.
struct Parent {
    std::uint32_t node;
    std::uint32_t sibling;
    std::uint32_t copies;
};

}  // namespace

TreeCounts::TreeCounts(const NearOptimalGraph& graph, SetRule rule, bool root_only, Control& control)
    : rule_(std::move(rule)), walk_(graph, rule_), places_(graph.nodes.size()) {
    levels_.resize(walk_.level(graph.nodes.size() - 1) + 1);
    std::size_t level = levels_.size() - 1;
    for (std::size_t n = graph.nodes.size(); n-- > 0;) {  // children have larger numbers
        if (walk_.level(n) < level) {
            std::apply([](auto&... store) { (store.shrink(), ...); }, levels_[level].stores);
            if (root_only && level + 1 < levels_.size()) levels_[level + 1] = {};
            level = walk_.level(n);
        }
        if (!walk_.reached(n)) continue;
        if (control.poll(1 + static_cast<std::int64_t>(graph.edges_of(n).size()))) return;
        if (!count_node(n)) {
            too_many_ = true;
            return;
        }
        if (n % 64 == 0 && bytes() > rule_.most_bytes) {
            control.halt(Stop::memory);
            return;
        }
    }
    complete_ = true;
}

std::size_t TreeCounts::bytes() const {
    std::size_t sum = 0;
    const auto add = [&](const auto&... part) { sum += (part.bytes() + ...); };
    for (const Level& level : levels_) std::apply(add, level.stores);
    return sum;
}

template <class Use>
void TreeCounts::with_cells(std::size_t n, const Use& use) const {
    const Place& place = places_[n];
    with_words(place.n_words, [&]<std::size_t kWords>() {
        const auto& store = std::get<CellStore<WideCount<kWords>>>(levels_[walk_.level(n)].stores);
        use(store.cells(place.first_run, place.last_run));
    });
}

bool TreeCounts::count_node(std::size_t n) {
    double most = 0;
    std::size_t n_leaves = 1;
    walk_.each_leaf(n, [&](std::size_t, std::int64_t) { most += 1; });
    for (const SetEdge& edge : walk_.graph().edges_of(n)) {
        if (dead(edge)) continue;
        most += walk_.n_copies(edge) * places_[edge.child[0]].total * places_[edge.child[1]].total;
        with_cells(edge.child[0], [&](const auto& zero) {
            with_cells(edge.child[1], [&](const auto& one) {
                n_leaves = std::max<std::size_t>(n_leaves, zero.runs.back().leaves + one.runs.back().leaves);
            });
        });
    }
    if (most == 0) return true;
    const std::size_t n_words = words_for(most);
    if (n_words == 0) return false;
    range_.reset(std::min(n_leaves + 1, rule_.most_errors.size()));
    walk_.limit(n, range_);
    walk_.each_leaf(n, [&](std::size_t, std::int64_t errors) { range_.reach(1, errors); });
    for (const SetEdge& edge : walk_.graph().edges_of(n)) {
        if (dead(edge)) continue;
        with_cells(edge.child[0], [&](const auto& zero) {
            with_cells(edge.child[1], [&](const auto& one) { range_.reach(zero, one); });
        });
        walk_.each_leaf_pair(edge, [&](std::size_t, std::size_t, std::int64_t errors) { range_.reach(2, errors); });
    }
    with_words(n_words, [&]<std::size_t kWords>() { count_in<kWords>(n); });
    return true;
}

// Both leaves of a pair that fits are cells of the children: a child's budget is at least the node's less the sibling's
// optimum, and a leaf costs at least that. So pairs of leaves may be taken from the labels instead of the cells.
template <std::size_t kWords>
void TreeCounts::count_in(std::size_t n) {
    using Count = WideCount<kWords>;
    auto& sums = std::get<CellSums<Count>>(sums_);
    sums.reset(range_);
    walk_.each_leaf(n, [&](std::size_t, std::int64_t errors) { sums.add(1, errors, Count(1)); });
    for (const SetEdge& edge : walk_.graph().edges_of(n)) {
        if (dead(edge)) continue;
        const Count copies(walk_.n_copies(edge));
        with_cells(edge.child[0], [&]<class A>(const Cells<A>& zero) {
            with_cells(edge.child[1], [&]<class B>(const Cells<B>& one) {
                // A child has no more subtrees than the bound of its parent, so its words are no more.
                if constexpr (sizeof(A) <= sizeof(Count) && sizeof(B) <= sizeof(Count))
                    sums.add_products(zero, one, copies, rule_.redundant);
                else
                    throw std::logic_error("a subtree count of more words than its parent's bound");
            });
        });
        if (!rule_.redundant)
            walk_.each_leaf_pair(edge, [&](std::size_t, std::size_t, std::int64_t errors) { sums.add(2, errors, copies); });
    }
    Count total;
    sums.give([&](std::uint32_t, std::int64_t, const Count& count) { total += count; });
    if (total.none()) return;
    Place& place = places_[n];
    place.total = total.rounded();
    with_words(total.n_words(), [&]<std::size_t kNeeded>() {
        if constexpr (kNeeded <= kWords) {
            auto& store = std::get<CellStore<WideCount<kNeeded>>>(levels_[walk_.level(n)].stores);
            store.begin_node();
            sums.give([&](std::uint32_t leaves, std::int64_t errors, const Count& count) {
                store.push(leaves, errors, WideCount<kNeeded>(count));
            });
            place.n_words = kNeeded;
            std::tie(place.first_run, place.last_run) = store.last_node();
        }
    });
}

SizeCounts TreeCounts::cells(std::size_t node) const {
    SizeCounts out;
    if (places_[node].n_words == 0) return out;
    out.counts.n_words = places_[node].n_words;
    with_cells(node, [&](const auto& cells) {
        for (const CellRun& run : cells.runs)
            for (std::size_t c = run.begin; c < run.end; ++c) {
                out.leaves.push_back(run.leaves);
                out.errors.push_back(cells.errors[c]);
                append(out.counts, cells.values[c]);
            }
    });
    return out;
}

WideNumbers TreeCounts::root_edges() const {
    WideNumbers out;
    out.n_words = std::max<std::size_t>(places_[0].n_words, 1);
    with_words(out.n_words, [&]<std::size_t kWords>() {
        using Count = WideCount<kWords>;
        for (const SetEdge& edge : walk_.graph().edges_of(0)) {
            Count sum;
            if (!dead(edge)) {
                with_cells(edge.child[0], [&](const auto& zero) {
                    with_cells(edge.child[1], [&](const auto& one) { sum = pairs_within<Count>(walk_, zero, one); });
                });
                if (!rule_.redundant && rule_.most_errors.size() > 2)
                    walk_.each_leaf_pair(edge, [&](std::size_t, std::size_t, std::int64_t errors) {
                        if (errors <= rule_.most_errors[2]) sum += Count(1);
                    });
                sum = product<Count>(sum, Count(walk_.n_copies(edge)));
            }
            append(out, sum);
        }
    });
    return out;
}

WideNumbers TreeCounts::leaves_in_trees(std::span<const std::uint32_t> to_side, Control& control) const {
    WideNumbers out;
    with_words(places_[0].n_words, [&]<std::size_t kWords>() { out = leaves_in<kWords>(to_side, control); });
    return out;
}

template <std::size_t kWords>
WideNumbers TreeCounts::leaves_in(std::span<const std::uint32_t> to_side, Control& control) const {
    using Count = WideCount<kWords>;
    const NearOptimalGraph& graph = walk_.graph();
    const std::size_t n_nodes = graph.nodes.size();
    const auto copies_to = [&](const SetEdge& edge, int side) {
        return to_side.empty() ? walk_.n_copies(edge) : to_side[2 * walk_.edge_number(edge) + static_cast<std::size_t>(side)];
    };
    std::vector<std::uint8_t> visited(n_nodes, 0);
    std::vector<std::size_t> first_parent(n_nodes + 1, 0);
    const auto each_link = [&](const auto& visit) {
        for (std::size_t n = 0; n < n_nodes; ++n) {
            if (visited[n] == 0) continue;
            for (const SetEdge& edge : graph.edges_of(n)) {
                if (dead(edge)) continue;
                for (int side : {0, 1})
                    if (const std::uint32_t copies = copies_to(edge, side); copies > 0)
                        visit(edge.child[side], Parent{static_cast<std::uint32_t>(n), edge.child[1 - side], copies});
            }
        }
    };
    visited[0] = places_[0].n_words > 0;
    each_link([&](std::uint32_t child, const Parent&) {
        visited[child] = 1;
        ++first_parent[child + 1];
    });
    std::partial_sum(first_parent.begin(), first_parent.end(), first_parent.begin());
    std::vector<Parent> parents(first_parent.back());
    std::vector<std::size_t> next(first_parent.begin(), first_parent.end() - 1);
    each_link([&](std::uint32_t child, const Parent& parent) { parents[next[child]++] = parent; });

    std::vector<Count> of_leaf(n_nodes * graph.n_classes);
    std::vector<CellStore<Count>> around(levels_.size());  // what is beside the nodes of a level
    std::vector<std::pair<std::size_t, std::size_t>> place(n_nodes, {0, 0});
    const auto beside = [&](std::size_t n) { return around[walk_.level(n)].cells(place[n].first, place[n].second); };
    CellSums<Count> sums;
    CellRange range;
    std::size_t level = 0;
    for (std::size_t n = 0; n < n_nodes; ++n) {
        if (visited[n] == 0 || (n > 0 && graph.edges_of(n).empty())) continue;  // a leaf alone was seen to by its parents
        if (control.poll(1 + static_cast<std::int64_t>(first_parent[n + 1] - first_parent[n]))) return {};
        if (walk_.level(n) > level) {
            if (level > 0) around[level - 1].clear();
            level = walk_.level(n);
        }
        CellStore<Count>& store = around[level];
        store.begin_node();
        if (n == 0) {
            store.push(0, 0, Count(1));
        } else {  // from what is beside its parents, as far as some subtree of the node completes it
            const std::span own = std::span(parents).subspan(first_parent[n], first_parent[n + 1] - first_parent[n]);
            range.reset(rule_.most_errors.size());
            with_cells(n, [&](const auto& here) {
                for (const CellRun& run : here.runs)
                    for (std::size_t l = 0; l + run.leaves < range.most.size(); ++l)
                        range.most[l] = std::max(range.most[l], rule_.most_errors[l + run.leaves] - here.errors[run.begin]);
            });
            for (const Parent& parent : own)
                with_cells(parent.sibling, [&](const auto& sibling) { range.reach(beside(parent.node), sibling); });
            sums.reset(range);
            for (const Parent& parent : own)
                with_cells(parent.sibling, [&](const auto& sibling) {
                    sums.add_products(beside(parent.node), sibling, Count(parent.copies), true);
                });
            sums.give([&](std::uint32_t leaves, std::int64_t errors, const Count& count) { store.push(leaves, errors, count); });
        }
        place[n] = store.last_node();
        const Beside<Count> here(rule_.most_errors, beside(n));
        const std::size_t k = graph.n_classes;
        walk_.each_leaf(n, [&](std::size_t label, std::int64_t errors) { of_leaf[n * k + label] += here.completed(1, errors); });
        bool asked_again = false;
        for (const SetEdge& edge : graph.edges_of(n)) {
            if (dead(edge)) continue;
            for (int side : {0, 1}) {
                const std::uint32_t child = edge.child[side];
                const Count copies(copies_to(edge, side));
                if (copies.none()) continue;
                if (!graph.edges_of(child).empty()) {
                    asked_again = true;
                } else {  // a leaf alone: the ways to complete it are needed in no other form
                    with_cells(edge.child[1 - side], [&](const auto& sibling) {
                        for (const CellRun& run : sibling.runs)
                            for (std::size_t c = run.begin; c < run.end; ++c)
                                walk_.each_leaf(child, [&](std::size_t label, std::int64_t errors) {
                                    const Count ways = here.completed(run.leaves + 1, sibling.errors[c] + errors);
                                    of_leaf[child * k + label] += product<Count>(product<Count>(ways, sibling.values[c]), copies);
                                });
                    });
                }
                if (!rule_.redundant)
                    walk_.each_leaf(child, [&](std::size_t label, std::int64_t errors) {
                        walk_.each_leaf(edge.child[1 - side], [&](std::size_t other, std::int64_t others) {
                            if (label == other) of_leaf[child * k + label] -= product<Count>(here.completed(2, errors + others), copies);
                        });
                    });
            }
        }
        if (!asked_again) store.drop_last_node();
    }
    WideNumbers out;
    out.n_words = kWords;
    out.words.reserve(of_leaf.size() * kWords);
    for (const Count& count : of_leaf) append(out, count);
    return out;
}

}  // namespace treewright::bits
