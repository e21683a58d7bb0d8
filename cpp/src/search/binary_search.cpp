#include "treewright/search/binary_search.hpp"

#include "search/binary_phases.hpp"
#include "search/binary_children.hpp"
#include "search/binary_few_rows.hpp"
#include "bounds/guessed_bounds.hpp"
#include "space/row_values.hpp"
#include "search/binary_threads.hpp"
#include "search/binary_ties.hpp"
#include "search/binary_trees.hpp"

#include <algorithm>
#include <utility>

namespace treewright::binary {

namespace {
constexpr std::int64_t kHeavy = 64;  // clock checks' worth of a matrix from which on it pays to ask where others are
}

template <class Acc>
Search<Acc>::Search(const Dataset& data, const Settings& settings, std::span<const std::int64_t> prices,
                    Control& control, std::size_t taken)
    : data_(data),
      settings_(settings),
      options_(settings.options),
      control_(control),
      max_bytes_(control.limits().bytes - std::min(control.limits().bytes, taken)),
      c_(settings.leaf_penalty),
      prices_(prices),
      cache_(data.n_words, max_bytes_),
      subproblems_(data, settings.options.kernel, settings.min_count > 0, control, max_bytes_),
      arena_(subproblems_.arena()) {
    if (!options_.cache) cache_.disable();
    if (settings.min_count > 0 || !data.guess.empty())
        options_.similar_support = options_.few_rows = false;     // B6, B8; guessed_bounds.hpp
    if (!options_.budgets || c_ == 0) options_.few_rows = false;  // nobody asks for so little
    const Subproblem<Acc>& all = subproblems_.root();
    root_ = {all, sum_over(prices, all.rows), guess_of(all.rows)};
    root_depth_ = depth_for(settings.max_depth, data.n_columns);
}

// The search. What it does to one subproblem is on this page.
template <class Acc>
Bounds Search<Acc>::solve(const Node& node, std::int32_t depth, std::int64_t budget) {
    const std::int64_t steps_before = control_.steps();
    const std::int64_t leaf = leaf_cost(node);
    if (control_.step(node.work())) return {std::min(c_, leaf), leaf};
    ArenaScope scope(arena_);

    Children children = bound_children(node, depth);
    if (control_.over()) return {std::min(c_, leaf), leaf};
    const Best best = best_of_depth_two(node, depth, children);
    const std::int64_t floor = floor_of_four_leaves(node);
    if (depth <= 2 || best.value <= floor)
        return finish(node, depth, {best.value, best.value}, best.feature, steps_before);
    if (options_.budgets && budget <= floor)
        return finish(node, depth, {floor, best.value}, best.feature, steps_before);

    price_children(node, children);
    guess_children(node, children);
    const bool heavy = shared_ != nullptr && (depth > 3 || node.work() >= kHeavy);
    Branch here{node, depth, floor, children, best, std::min(best.value, budget), heavy};
    bound_by_few_rows(here);
    const std::span<Candidate> open = candidates(node, depth, here.target, here.children);  // some, if the run is over
    here.on_bits = depth == 3 && !open.empty() && subproblems_.lay_out(node);  // children end with their matrix
    if (shared_ != nullptr && !heavy && shared_->marks(cache_.hash(node.key.data(), depth)) > 1)
        std::reverse(open.begin(), open.end());  // another thread is here, and comes from the front
    search_splits(here, open);
    if (&node == &root_)
        for (int side : {0, 1}) raise(root_lower_[side], here.children.lower[side]);
    return finish(node, depth, bounds_of(here), here.best.feature, steps_before);  // B5
}

template <class Acc>
void Search<Acc>::search_splits(Branch& here, std::span<Candidate> open) {
    const auto going = [&] { return here.heard < here.target && !control_.stopped(); };
    std::size_t n_waiting = 0;  // splits put off, in the place of those that are settled
    for (std::size_t at = 0; at < open.size() && going(); ++at) {
        for (std::size_t w = 0; w < n_waiting && going();) {
            const Candidate split = open[w];
            if (!settle(here, split, true)) {
                ++w;
                continue;
            }
            open[w] = open[--n_waiting];
            learn(here, split, open.subspan(at));
        }
        const Candidate split = open[at];
        if (settle(here, split, here.heavy)) {
            learn(here, split, open.subspan(at + 1));
        } else {
            open[n_waiting++] = split;
        }
    }
    for (std::size_t w = 0; w < n_waiting && going(); ++w) {
        static_cast<void>(settle(here, open[w], false));
        learn(here, open[w], open.first(n_waiting).subspan(w + 1));
    }
}

template <class Acc>
bool Search<Acc>::settle(Branch& here, const Candidate& split, bool may_wait) {
    const std::size_t i = split.column;
    Children& children = here.children;
    ArenaScope scope(arena_);
    Sides<Acc> sides;
    sides.on_bits = here.on_bits;
    sides.to_scan = true;
    const auto gap = [&](int side) { return children.upper[side][i] - children.lower[side][i]; };
    here.improve(i);  // from what the cache knew
    while (children.lower[0][i] + children.lower[1][i] < here.target && (gap(0) > 0 || gap(1) > 0)) {
        const int side = gap(0) > 0 && (gap(1) <= 0 || gap(0) <= gap(1)) ? 0 : 1;  // narrow gap first
        const ChildKey& key = split.child[side];
        recall(key, side, i, children);
        if (shared_ != nullptr && gap(side) > 0) recall_shared(key, side, i, children);
        here.improve(i);
        const std::int64_t child_budget = options_.budgets ? here.target - children.lower[1 - side][i] : kInfinity;
        if (gap(side) <= 0 || children.lower[side][i] >= child_budget) continue;
        if (raised_by_few_rows(here, i, side)) continue;
        if (may_wait && shared_->marks(key.hash) > 0) return false;
        const Mark mark(here.heavy ? shared_.get() : nullptr, key.hash);
        const Node child = make_child(here.node, i, side, key, sides, child_budget);
        const Bounds found = solve(child, key.depth, child_budget);
        children.lower[side][i] = std::max(children.lower[side][i], found.lower);
        children.upper[side][i] = std::min(children.upper[side][i], found.upper);
        here.improve(i);
        if (here.depth > 3 && found.lower >= child_budget) learn_few_rows(here.node, child.rows, child_budget);
        if (control_.stopped()) break;
    }
    return true;
}

template <class Acc>
void Search<Acc>::learn(Branch& here, const Candidate& split, std::span<const Candidate> others) {
    if (options_.similar_support) compare_supports(here.node, split.column, here.target, others, here.children);
    if (here.heavy) hear(here);
    if (&here.node == &root_) announce(bounds_of(here));
}

template <class Acc>
void Search<Acc>::announce(Bounds bounds) {
    if (settings_.max_leaves == 0) control_.incumbent(bounds.upper);  // else it may have too many leaves
    control_.lower_bound(bounds.lower);
}

// What every tree that splits must cost at least.
template <class Acc>
std::int64_t Search<Acc>::lowest(const Children& children) {
    std::int64_t lower = kInfinity;
    for (std::size_t i = 0; i < children.lower[0].size(); ++i)
        lower = std::min(lower, children.lower[0][i] + children.lower[1][i]);
    return lower;
}

template <class Acc>
Bounds Search<Acc>::finish(const Node& node, std::int32_t depth, Bounds bounds, std::int32_t feature,
                           std::int64_t steps_before) {
    const auto work = static_cast<std::uint32_t>(std::min<std::int64_t>(control_.steps() - steps_before, 0xffffff));
    const std::uint64_t hash = cache_.hash(node.key.data(), depth);
    cache_.store(node.key.data(), hash, {bounds.lower, bounds.upper, depth, feature, work});
    cache_.limit_to(max_bytes_ - std::min(max_bytes_, own_bytes() - cache_.bytes()));
    if (shared_ != nullptr) {
        shared_->store(node.key, hash, {bounds.lower, bounds.upper, depth, feature, work});
        const std::size_t now = own_bytes();
        shared_->working_memory(std::exchange(counted_bytes_, now), now);
    }
    control_.bytes(bytes());
    last_feature_ = feature;
    return bounds;
}

// Tells other threads of a better split, and takes over theirs.
template <class Acc>
void Search<Acc>::hear(Branch& here) {
    Best& best = here.best;
    const std::uint64_t hash = cache_.hash(here.node.key.data(), here.depth);
    const auto entry = shared_->find(here.node.key, here.depth, hash);
    if (!entry || best.value < entry->upper)
        shared_->store(here.node.key, hash,
                       {std::min(best.value, here.floor), best.value, here.depth, best.feature, 0});
    here.heard = entry ? entry->lower : 0;
    if (!entry) return;
    if (entry->upper < best.value) best = {entry->upper, entry->feature};
    here.target = std::min(here.target, best.value);
}

template <class Acc>
std::int64_t Search<Acc>::cost(Acc weight) const {
    if (weight >= kInfeasible<Acc>) return kInfinity;
    return (static_cast<std::int64_t>(weight) << settings_.unit_shift) + c_;
}

template <class Acc>
std::int64_t Search<Acc>::leaf_cost(const Node& node) const {
    if (settings_.min_count > 0 && node.total.back() < settings_.min_count) return kInfinity;
    return cost(subproblems_.cheapest(node));
}

template <class Acc>
typename Search<Acc>::Children Search<Acc>::bound_children(const Node& node, std::int32_t depth) {
    const std::size_t m = node.pairs.size;
    Children out;
    for (int side : {0, 1}) {
        out.lower[side] = arena_.take<std::int64_t>(m);
        out.upper[side] = arena_.take<std::int64_t>(m);
    }
    ArenaScope scope(arena_);
    ChildCosts<Acc> costs;
    for (int side : {0, 1}) {
        costs.leaf[side] = arena_.take<Acc>(node.pairs.stride).data();
        costs.two[side] = arena_.take<Acc>(node.pairs.stride).data();
    }
    subproblems_.scan(node, settings_.min_count, costs);
    // Exact if the child has no depth for three leaves; else B2, or B1 alone where that is switched off.
    const std::int64_t few = !options_.lookahead ? c_ : !options_.two_leaves ? 2 * c_ : 3 * c_;
    const bool two_are_known = options_.lookahead && options_.two_leaves;
    for (int side : {0, 1}) {
        for (std::size_t i = 0; i < m; ++i) {
            const std::int64_t one =
                cost(costs.leaf[side][i]);  // infinite: constant here, or too few rows, not a split
            const std::int64_t two = depth >= 2 ? cost(costs.two[side][i]) + c_ : kInfinity;
            const std::int64_t upper = one >= kInfinity ? kInfinity : std::min(one, two);
            const std::int64_t least = std::min(two_are_known ? upper : one, few);
            out.upper[side][i] = upper;
            out.lower[side][i] = depth > 2 && one < kInfinity ? least : upper;
        }
    }
    return out;
}

template <class Acc>
typename Search<Acc>::Best Search<Acc>::best_of_depth_two(const Node& node, std::int32_t depth,
                                                          const Children& children) const {
    Best best{leaf_cost(node), Entry::kLeaf};
    if (depth == 0) return best;
    for (std::size_t i = 0; i < node.pairs.size; ++i) {
        const std::int64_t value = children.upper[0][i] + children.upper[1][i];
        if (value < best.value) best = {value, node.active.columns[i]};
    }
    return best;
}

// B7 for both children of every split: one pass over the rows.
template <class Acc>
void Search<Acc>::price_children(const Node& node, Children& children) {
    if (prices_.empty()) return;
    const std::size_t m = node.pairs.size;
    ArenaScope scope(arena_);
    const auto by_column = arena_.take<std::int64_t>(data_.n_words * 64);
    sum_by_column(data_, prices_, node.rows, node.active.mask, by_column);
    for (std::size_t i = 0; i < m; ++i) {
        const std::int64_t one = by_column[static_cast<std::size_t>(node.active.columns[i])];
        for (int side : {0, 1}) {
            const std::int64_t price = side == 1 ? one : node.price - one;
            children.lower[side][i] = std::min(children.upper[side][i], std::max(children.lower[side][i], price));
        }
    }
}

// The splits that may still beat `target`, most promising first, with what the cache knows of their children.
template <class Acc>
std::span<typename Search<Acc>::Candidate> Search<Acc>::candidates(const Node& node, std::int32_t depth,
                                                                   std::int64_t target, Children& children) {
    const std::size_t m = node.pairs.size;
    const auto all = arena_.take<Candidate>(m);
    std::size_t n = 0;
    Pulse pulse(&control_);
    for (std::size_t i = 0; i < m; ++i) {
        if (children.lower[0][i] + children.lower[1][i] >= target) continue;
        if (pulse.after(m * node.pairs.n_channels)) return {};
        Candidate& candidate = all[n++];
        candidate.column = static_cast<std::uint32_t>(i);
        for (int side : {0, 1}) {
            if (children.lower[side][i] >= children.upper[side][i]) continue;
            candidate.child[side] = child_key(node, i, side, depth);
            cache_.prefetch(candidate.child[side].hash);
        }
    }
    const auto open = all.first(n);
    for (const Candidate& candidate : open)
        for (int side : {0, 1})
            if (children.lower[side][candidate.column] < children.upper[side][candidate.column])
                recall(candidate.child[side], side, candidate.column, children);
    std::sort(open.begin(), open.end(), [&](const Candidate& a, const Candidate& b) {
        const std::int64_t va = children.upper[0][a.column] + children.upper[1][a.column];
        const std::int64_t vb = children.upper[0][b.column] + children.upper[1][b.column];
        return va != vb ? va < vb : a.column < b.column;
    });
    return open;
}

template class Search<std::int32_t>;
template class Search<std::int64_t>;

}  // namespace treewright::binary
