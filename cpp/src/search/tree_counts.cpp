#include "treewright/search/tree_counts.hpp"

#include "treewright/search/pairs_within.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

namespace treewright::binary {

namespace {

// Calls use.operator()<w>() with one of the numbers of words that counts have.
template <class Use>
auto with_words(std::size_t n_words, const Use& use) {
    if (n_words <= 1) return use.template operator()<1>();
    if (n_words == 2) return use.template operator()<2>();
    if (n_words <= 4) return use.template operator()<4>();
    return use.template operator()<16>();
}

constexpr double kMaxBits = 1000;

// Words for counts up to `most`, which was rounded; 0 if they are too large.
std::size_t words_for(double most) {
    const double bits = std::log2(std::max(most, 1.0)) + 1;
    return bits < 64 ? 1 : bits < 128 ? 2 : bits < 256 ? 4 : bits < kMaxBits ? 16 : 0;
}

template <std::size_t kWords>
void append(WideNumbers& out, const WideCount<kWords>& count) {
    out.words.insert(out.words.end(), count.word.begin(), count.word.end());
}

}  // namespace

TreeCounts::TreeCounts(const NearOptimalGraph& graph, SetRule rule, bool root_only, Control& control)
    : rule_(std::move(rule)), walk_(graph, rule_), places_(graph.nodes.size()) {
    levels_.resize(walk_.level(graph.nodes.size() - 1) + 1);
    complete_ = visit_levels<Desk>(
        walk_, 0, control,
        [&](std::size_t n, Desk& desk) {
            if (!count_node(n, desk)) {
                too_many_ = true;
                return false;
            }
            return n % 64 != 0 || fits();
        },
        [&](std::size_t level) {
            std::apply([](auto&... store) { (store.shrink(), ...); }, levels_[level].stores);
            if (root_only && level + 1 < levels_.size()) levels_[level + 1] = {};
        });
    if (!complete_ && !too_many_ && !fits()) control.halt(Stop::memory);
}

bool TreeCounts::fits() {
    const std::scoped_lock lock(mutex_);
    return bytes() <= rule_.max_bytes;
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

std::span<const CellRun> TreeCounts::runs_of(std::size_t n) const {
    std::span<const CellRun> out;
    with_cells(n, [&](const auto& cells) { out = cells.runs; });
    return out;
}

bool TreeCounts::count_node(std::size_t n, Desk& desk) {
    CellRange& range = desk.range;
    double most = 0;
    std::size_t n_leaves = 1;
    walk_.each_leaf(n, [&](std::size_t, std::int64_t) { most += 1; });
    for (const SetEdge& edge : walk_.graph().edges_of(n)) {
        if (dead(edge)) continue;
        most += walk_.n_copies(edge) * places_[edge.child[0]].total * places_[edge.child[1]].total;
        n_leaves = std::max<std::size_t>(n_leaves,
                                         runs_of(edge.child[0]).back().leaves + runs_of(edge.child[1]).back().leaves);
    }
    if (most == 0) return true;
    const std::size_t n_words = words_for(most);
    if (n_words == 0) return false;
    range.reset(std::min(n_leaves + 1, rule_.max_errors.size()));
    walk_.limit(n, range);
    walk_.each_leaf(n, [&](std::size_t, std::int64_t errors) { range.reach(1, errors); });
    for (const SetEdge& edge : walk_.graph().edges_of(n)) {
        if (dead(edge)) continue;
        range.reach(runs_of(edge.child[0]), runs_of(edge.child[1]));
        walk_.each_leaf_pair(edge, [&](std::size_t, std::size_t, std::int64_t errors) { range.reach(2, errors); });
    }
    with_words(n_words, [&]<std::size_t kWords>() { count_in<kWords>(n, desk); });
    return true;
}

// Both leaves of a pair that fits are cells of the children: a child's budget is at least the node's less the sibling's
// optimum, and a leaf costs at least that. So pairs of leaves may be taken from the labels instead of the cells.
template <std::size_t kWords>
void TreeCounts::count_in(std::size_t n, Desk& desk) {
    using Count = WideCount<kWords>;
    auto& sums = std::get<CellSums<Count>>(desk.sums);
    sums.reset(desk.range);
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
            walk_.each_leaf_pair(edge,
                                 [&](std::size_t, std::size_t, std::int64_t errors) { sums.add(2, errors, copies); });
    }
    Count total;
    sums.give([&](std::uint32_t, std::int64_t, const Count& count) { total += count; });
    if (total.none()) return;
    const std::scoped_lock lock(mutex_);
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
        cells.each([&](std::uint32_t leaves, std::int64_t errors, const auto& count) {
            out.leaves.push_back(leaves);
            out.errors.push_back(errors);
            append(out.counts, count);
        });
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
                std::optional<RunSums<Count>> ones;
                with_cells(edge.child[1], [&](const auto& one) { ones.emplace(one); });
                with_cells(edge.child[0], [&](const auto& zero) { sum = pairs_within(rule_, zero, *ones); });
                if (!rule_.redundant && rule_.max_errors.size() > 2)
                    walk_.each_leaf_pair(edge, [&](std::size_t, std::size_t, std::int64_t errors) {
                        if (errors <= rule_.max_errors[2]) sum += Count(1);
                    });
                sum = product<Count>(sum, Count(walk_.n_copies(edge)));
            }
            append(out, sum);
        }
    });
    return out;
}

}  // namespace treewright::binary
