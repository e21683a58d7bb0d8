#include "treewright/bits/search.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace treewright::bits {

namespace {

// A depth budget of at least the number of columns that can still split is no budget: keys of both cases meet.
std::int32_t depth_for(std::int32_t depth, std::size_t n_columns) {
    return depth >= static_cast<std::int32_t>(n_columns) ? kUnlimited : depth;
}

std::int32_t below(std::int32_t depth) { return depth == kUnlimited ? kUnlimited : depth - 1; }

template <class Acc>
Rows<Acc> make_rows(const Dataset& data, bool counted) {
    Rows<Acc> rows;
    rows.n_columns = data.n_columns;
    rows.n_words = data.n_words;
    rows.n_classes = data.n_classes;
    rows.n_channels = data.n_classes + (counted ? 1 : 0);
    rows.bits = data.bits;
    rows.cost.resize(data.n_rows * rows.n_channels);
    for (std::size_t r = 0; r < data.n_rows; ++r) {
        for (std::size_t k = 0; k < rows.n_channels; ++k) {
            const std::int64_t value = k < data.n_classes ? data.cost[r * data.n_classes + k] : data.count[r];
            rows.cost[r * rows.n_channels + k] = static_cast<Acc>(value);
            rows.mean_cost_digits += static_cast<double>(std::bit_width(static_cast<std::uint64_t>(value)));
        }
        int ones = 0;
        for (std::size_t w = 0; w < data.n_words; ++w) ones += std::popcount(data.bits[r * data.n_words + w]);
        rows.mean_square_ones += static_cast<double>(ones) * ones;
    }
    if (data.n_rows > 0) {
        rows.mean_cost_digits /= static_cast<double>(data.n_rows);
        rows.mean_square_ones /= static_cast<double>(data.n_rows);
    }
    return rows;
}

}  // namespace

template <class Acc>
Search<Acc>::Search(const Dataset& data, const Settings& settings, Control& control)
    : data_(data),
      settings_(settings),
      options_(settings.options),
      control_(control),
      simd_(simd()),
      c_(settings.leaf_price),
      rows_(make_rows<Acc>(data, settings.min_count > 0)),
      cache_(data.n_words, control.limits().bytes) {
    if (!options_.cache) cache_.disable();
    if (settings.min_count > 0) options_.similar_support = false;  // B6

    const std::size_t m = data.n_columns;
    const auto rows = arena_.take<std::uint32_t>(data.n_rows);
    std::iota(rows.begin(), rows.end(), 0U);
    const auto columns = arena_.take<std::int32_t>(m);
    std::iota(columns.begin(), columns.end(), 0);
    const auto mask = arena_.take<std::uint64_t>(data.n_words);
    std::fill(mask.begin(), mask.end(), 0);
    for (std::size_t j = 0; j < m; ++j) mask[j / 64] |= std::uint64_t{1} << (j % 64);
    const auto key = arena_.take<std::uint64_t>(2 * data.n_words);
    std::fill(key.begin(), key.end(), 0);
    const auto total = arena_.take<Acc>(rows_.n_channels);
    std::fill(total.begin(), total.end(), Acc{0});
    for (std::size_t r = 0; r < data.n_rows; ++r)
        for (std::size_t k = 0; k < total.size(); ++k) total[k] += rows_.cost[r * total.size() + k];

    Pairs<Acc> pairs{nullptr, m, Pairs<Acc>::stride_of(m), rows_.n_channels};
    pairs.data = arena_.take<Acc>(pairs.entries()).data();
    const Active active{columns, mask};
    count_pairs(simd_, options_.kernel, rows_, rows, active, pairs, pair_scratch_);
    root_ = {rows, active, pairs, total, key};
    root_depth_ = depth_for(settings.max_depth, m);
}

template <class Acc>
Bounds Search<Acc>::run() {
    if (options_.greedy_start) control_.incumbent(greedy(root_, root_depth_));
    const Bounds bounds = solve(root_, root_depth_, kInfinity);
    announce(bounds);
    return bounds;
}

template <class Acc>
Shape Search<Acc>::tree() {
    Shape shape;
    emit(root_, root_depth_, shape);
    return shape;
}

// The search. Everything it does to one subproblem is on this page.
template <class Acc>
Bounds Search<Acc>::solve(const Node& node, std::int32_t depth, std::int64_t budget) {
    const std::int64_t steps_before = control_.steps();
    const std::int64_t leaf = leaf_cost(node);
    if (control_.step(1 + static_cast<std::int64_t>(node.pairs.entries() / 4096))) return {std::min(c_, leaf), leaf};
    ArenaScope scope(arena_);

    Children children = bound_children(node, depth);
    Best best = best_of_depth_two(node, depth, children);
    const std::int64_t floor = options_.lookahead ? 4 * c_ : c_;  // B3: a tree of four leaves or more
    if (depth <= 2 || best.value <= floor)
        return finish(node, depth, {best.value, best.value}, best.feature, steps_before);
    if (options_.budgets && budget <= floor)
        return finish(node, depth, {floor, best.value}, best.feature, steps_before);

    std::int64_t target = std::min(best.value, budget);
    const std::span<Candidate> open = candidates(node, depth, target, children);
    for (std::size_t at = 0; at < open.size() && !control_.stopped(); ++at) {
        const std::size_t i = open[at].column;
        ArenaScope split_scope(arena_);
        Sides sides;
        const auto gap = [&](int side) { return children.upper[side][i] - children.lower[side][i]; };
        const auto improve = [&] {
            const std::int64_t value = children.upper[0][i] + children.upper[1][i];
            if (value >= best.value) return;
            best = {value, node.active.columns[i]};
            target = std::min(target, value);
        };
        improve();  // from what the cache knew
        while (children.lower[0][i] + children.lower[1][i] < target && (gap(0) > 0 || gap(1) > 0)) {
            const int side = gap(0) > 0 && (gap(1) <= 0 || gap(0) <= gap(1)) ? 0 : 1;  // narrow gap first
            const ChildKey& key = open[at].child[side];
            recall(key, side, i, children);
            improve();
            const std::int64_t child_budget = options_.budgets ? target - children.lower[1 - side][i] : kInfinity;
            if (gap(side) <= 0 || children.lower[side][i] >= child_budget) continue;
            const Node child = make_child(node, i, side, key, sides);
            const Bounds found = solve(child, key.depth, child_budget);
            children.lower[side][i] = std::max(children.lower[side][i], found.lower);
            children.upper[side][i] = std::min(children.upper[side][i], found.upper);
            improve();
            if (control_.stopped()) break;
        }
        if (options_.similar_support) compare_supports(node, i, open.subspan(at + 1), children);
        if (&node == &root_) announce({std::min(best.value, std::max(floor, lowest(children))), best.value});
    }
    const std::int64_t lower = std::min(best.value, std::max(floor, lowest(children)));  // B5
    return finish(node, depth, {lower, best.value}, best.feature, steps_before);
}

template <class Acc>
void Search<Acc>::announce(Bounds bounds) {
    control_.incumbent(bounds.upper);
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
    cache_.store(node.key.data(), cache_.hash(node.key.data(), depth), {bounds.lower, bounds.upper, feature, depth, work});
    control_.bytes(bytes());
    last_feature_ = feature;
    return bounds;
}

template <class Acc>
std::int64_t Search<Acc>::cost(Acc weight) const {
    if (weight >= kInfeasible<Acc>) return kInfinity;
    return (static_cast<std::int64_t>(weight) << settings_.unit_shift) + c_;
}

template <class Acc>
std::int64_t Search<Acc>::leaf_cost(const Node& node) const {
    if (settings_.min_count > 0 && node.total.back() < settings_.min_count) return kInfinity;
    return cost(*std::min_element(node.total.begin(), node.total.begin() + static_cast<std::ptrdiff_t>(data_.n_classes)));
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
        costs.leaf[side] = arena_.take<Acc>(m).data();
        costs.two[side] = arena_.take<Acc>(m).data();
    }
    scan_children(simd_, node.pairs, data_.n_classes, node.total.data(), static_cast<Acc>(settings_.min_count), costs,
                  scan_scratch_);
    const Acc everything = std::accumulate(node.total.begin(), node.total.end(), Acc{0});
    for (int side : {0, 1}) {
        for (std::size_t i = 0; i < m; ++i) {
            Acc ones = 0;
            for (std::size_t k = 0; k < node.pairs.n_channels; ++k) ones += node.pairs.at(k, i, i);
            if (ones == 0 || ones == everything) {  // constant here: not a split (a leaf may cost nothing)
                out.lower[side][i] = out.upper[side][i] = kInfinity;
                continue;
            }
            const std::int64_t one = cost(costs.leaf[side][i]);
            const std::int64_t two = depth >= 2 ? std::min(kInfinity, cost(costs.two[side][i]) + c_) : kInfinity;
            const std::int64_t upper = std::min(one, two);
            // Exact if the child has no depth for three leaves; else B2, or B1 alone where that is switched off.
            std::int64_t lower = upper;
            if (depth > 2) {
                if (!options_.lookahead) lower = std::min(one, c_);
                else if (!options_.two_leaves) lower = std::min(one, 2 * c_);
                else lower = std::min(upper, 3 * c_);
            }
            out.lower[side][i] = lower;
            out.upper[side][i] = upper;
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

// The splits that may still beat `target`, most promising first, with what the cache knows of their children.
template <class Acc>
std::span<typename Search<Acc>::Candidate> Search<Acc>::candidates(const Node& node, std::int32_t depth,
                                                                   std::int64_t target, Children& children) {
    const std::size_t m = node.pairs.size;
    const auto all = arena_.take<Candidate>(m);
    std::size_t n = 0;
    for (std::size_t i = 0; i < m; ++i) {
        if (children.lower[0][i] + children.lower[1][i] >= target) continue;
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

template <class Acc>
typename Search<Acc>::ChildKey Search<Acc>::child_key(const Node& node, std::size_t column, int side,
                                                      std::int32_t depth) {
    const std::size_t m = node.pairs.size;
    const std::size_t w = data_.n_words;
    ChildKey out;
    out.key = arena_.take<std::uint64_t>(2 * w);
    std::copy(node.key.begin(), node.key.end(), out.key.begin());
    ArenaScope scope(arena_);
    const auto ones = arena_.take<std::uint64_t>((m + 63) / 64);
    const auto zeros = arena_.take<std::uint64_t>((m + 63) / 64);
    constant_columns(simd_, node.pairs, node.total.data(), column, side, ones, zeros);
    std::size_t n_constant = 0;
    const auto scatter = [&](std::span<const std::uint64_t> local, std::size_t half) {
        for (std::size_t lw = 0; lw < local.size(); ++lw) {
            for (std::uint64_t left = local[lw]; left != 0; left &= left - 1) {
                const auto j = static_cast<std::size_t>(node.active.columns[lw * 64 + static_cast<std::size_t>(std::countr_zero(left))]);
                out.key[half * w + j / 64] |= std::uint64_t{1} << (j % 64);
                ++n_constant;
            }
        }
    };
    scatter(ones, 0);
    scatter(zeros, 1);
    out.depth = depth_for(below(depth), m - n_constant);
    out.hash = cache_.hash(out.key.data(), out.depth);
    return out;
}

template <class Acc>
void Search<Acc>::recall(const ChildKey& key, int side, std::size_t column, Children& children) {
    if (const Entry* known = cache_.find(key.key.data(), key.depth, key.hash)) {
        children.lower[side][column] = std::max(children.lower[side][column], known->lower);
        children.upper[side][column] = std::min(children.upper[side][column], known->upper);
    }
}

// B6 from both children of a solved split to the children of the splits still open.
template <class Acc>
void Search<Acc>::compare_supports(const Node& node, std::size_t solved, std::span<const Candidate> others,
                                   Children& children) {
    const auto sum = [&](std::size_t i, std::size_t j) {
        std::int64_t s = 0;
        for (std::size_t k = 0; k < data_.n_classes; ++k) s += node.pairs.at(k, i, j);
        return s;
    };
    const std::int64_t all = std::accumulate(node.total.begin(), node.total.end(), std::int64_t{0});
    const std::int64_t ones = sum(solved, solved);
    for (const Candidate& other : others) {
        const std::size_t i = other.column;
        const std::int64_t both = sum(solved, i);
        const std::int64_t here = sum(i, i);
        // moved[a][b]: weight of the rows with solved = a and i = b.
        const std::int64_t moved[2][2] = {{all - ones - here + both, here - both}, {ones - both, both}};
        for (int mine : {0, 1}) {
            for (int theirs : {0, 1}) {
                const std::int64_t bound =
                    children.lower[theirs][solved] - (moved[theirs][1 - mine] << settings_.unit_shift);
                children.lower[mine][i] = std::min(children.upper[mine][i], std::max(children.lower[mine][i], bound));
            }
        }
    }
}

template <class Acc>
void Search<Acc>::split(const Node& node, std::size_t column, Sides& sides) {
    const auto j = static_cast<std::size_t>(node.active.columns[column]);
    const std::size_t word = j / 64;
    const unsigned digit = j % 64;
    const auto zeros = arena_.take<std::uint32_t>(node.rows.size());
    const auto ones = arena_.take<std::uint32_t>(node.rows.size());
    std::size_t n[2] = {0, 0};
    for (const std::uint32_t r : node.rows) {
        const std::uint64_t one = (data_.bits[r * data_.n_words + word] >> digit) & 1U;
        zeros[n[0]] = r;
        ones[n[1]] = r;
        n[1] += one;
        n[0] += 1 - one;
    }
    sides.rows[0] = zeros.first(n[0]);
    sides.rows[1] = ones.first(n[1]);
    sides.small_side = n[1] <= n[0] ? 1 : 0;
    sides.small = node.pairs;
    sides.small.data = arena_.take<Acc>(node.pairs.entries()).data();
    count_pairs(simd_, options_.kernel, rows_, sides.rows[sides.small_side], node.active, sides.small, pair_scratch_);
}

template <class Acc>
typename Search<Acc>::Node Search<Acc>::make_child(const Node& node, std::size_t column, int side, const ChildKey& key,
                                                   Sides& sides) {
    if (sides.small_side < 0) split(node, column, sides);
    const auto total = arena_.take<Acc>(node.total.size());
    for (std::size_t k = 0; k < total.size(); ++k) {
        const Acc one = node.pairs.at(k, column, column);
        total[k] = side == 1 ? one : node.total[k] - one;
    }
    Node child{sides.rows[side], node.active, sides.small, total, key.key};
    if (side != sides.small_side) {
        child.pairs.data = arena_.take<Acc>(node.pairs.entries()).data();
        subtract(simd_, node.pairs, sides.small, child.pairs);  // sibling = parent - other sibling
    }
    if (key.depth <= 2) return child;  // solved from the matrix as it is

    // Drop the columns that have become constant.
    const std::size_t w = data_.n_words;
    const auto columns = arena_.take<std::int32_t>(node.pairs.size);
    const auto local = arena_.take<std::uint32_t>(node.pairs.size);
    const auto mask = arena_.take<std::uint64_t>(w);
    std::size_t m = 0;
    for (std::size_t j = 0; j < node.pairs.size; ++j) {
        const auto column_j = static_cast<std::size_t>(node.active.columns[j]);
        if (((key.key[column_j / 64] | key.key[w + column_j / 64]) >> (column_j % 64)) & 1U) continue;
        columns[m] = node.active.columns[j];
        local[m++] = static_cast<std::uint32_t>(j);
    }
    if (m == node.pairs.size) return child;
    for (std::size_t word = 0; word < w; ++word)
        mask[word] = node.active.mask[word] & ~(key.key[word] | key.key[w + word]);
    child.active = {columns.first(m), mask};
    const Pairs<Acc> wide = child.pairs;
    child.pairs = {nullptr, m, Pairs<Acc>::stride_of(m), wide.n_channels};
    child.pairs.data = arena_.take<Acc>(child.pairs.entries()).data();
    for (std::size_t k = 0; k < wide.n_channels; ++k) {
        for (std::size_t i = 0; i < m; ++i) {
            const Acc* from = wide.row(k, local[i]);
            Acc* to = child.pairs.row(k, i);
            for (std::size_t j = 0; j < m; ++j) to[j] = from[local[j]];
            std::fill(to + m, to + child.pairs.stride, Acc{0});
        }
    }
    return child;
}

// A first tree: at every node the split whose children's best trees of two leaves cost least. Its value and
// splits go into the cache, so that a run stopped at once still has a whole tree.
template <class Acc>
std::int64_t Search<Acc>::greedy(const Node& node, std::int32_t depth) {
    ArenaScope scope(arena_);
    const std::int64_t steps_before = control_.steps();
    const std::int64_t leaf = leaf_cost(node);
    if (control_.step(1 + static_cast<std::int64_t>(node.pairs.entries() / 4096))) return leaf;
    Children children = bound_children(node, depth);
    Best best = best_of_depth_two(node, depth, children);
    const std::int64_t floor = options_.lookahead ? 4 * c_ : c_;
    if (best.feature == Entry::kLeaf || depth <= 2 || best.value <= floor)
        return finish(node, depth, {depth <= 2 || best.value <= floor ? best.value : floor, best.value}, best.feature,
                      steps_before).upper;
    const auto at = static_cast<std::size_t>(
        std::lower_bound(node.active.columns.begin(), node.active.columns.end(), best.feature) -
        node.active.columns.begin());
    std::int64_t value = 0;
    Sides sides;
    for (int side : {0, 1}) {
        if (children.lower[side][at] >= children.upper[side][at]) {
            value += children.upper[side][at];
            continue;
        }
        const ChildKey key = child_key(node, at, side, depth);
        value += std::min(children.upper[side][at], greedy(make_child(node, at, side, key, sides), key.depth));
    }
    best.value = std::min(best.value, value);
    return finish(node, depth, {floor, best.value}, best.feature, steps_before).upper;
}

// Writes the best tree known for the node; solves what the cache has lost, unless the run was stopped.
template <class Acc>
void Search<Acc>::emit(const Node& node, std::int32_t depth, Shape& out) {
    ArenaScope scope(arena_);
    Children children = bound_children(node, depth);
    Best best = best_of_depth_two(node, depth, children);
    const std::int64_t floor = options_.lookahead ? 4 * c_ : c_;
    if (depth > 2 && best.value > floor) {
        const std::uint64_t hash = cache_.hash(node.key.data(), depth);
        const Entry* known = cache_.find(node.key.data(), depth, hash);
        if ((known == nullptr || known->lower < known->upper) && !control_.stopped()) {
            const Bounds found = solve(node, depth, kInfinity);
            known = cache_.find(node.key.data(), depth, hash);
            if (known == nullptr) best = {found.upper, last_feature_};
        }
        if (known != nullptr && known->upper < best.value) best = {known->upper, known->feature};
    }
    out.push_back(best.feature);
    if (best.feature == Entry::kLeaf) return;
    const auto at = static_cast<std::size_t>(
        std::lower_bound(node.active.columns.begin(), node.active.columns.end(), best.feature) -
        node.active.columns.begin());
    Sides sides;
    for (int side : {0, 1}) {
        const ChildKey key = child_key(node, at, side, depth);
        emit(make_child(node, at, side, key, sides), key.depth, out);
    }
}

template class Search<std::int32_t>;
template class Search<std::int64_t>;

}  // namespace treewright::bits
