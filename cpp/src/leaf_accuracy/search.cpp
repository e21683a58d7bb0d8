#include "treewright/leaf_accuracy/search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

namespace treewright::leaf_accuracy {

namespace {

constexpr std::size_t kTriedPairs = 4;
constexpr std::int64_t kPollOfConfirm = 16;  // clock checks' worth of two sides sorted by every column
constexpr std::size_t kMaxPlanes = 64;       // classes and weights of the dense depth-two step

}  // namespace

// The whole of pass 1 for one set of rows: what is known, then the depth-two step, then the splits one by one.
Outcome Search::solve(const Node& node, std::uint32_t depth, std::size_t level, const Origin& origin, Count wanted) {
    const Count n = node.n(), fewest = data_.min_leaf;
    if (n < fewest) return {false, target().size_rate * (fewest - n)};
    const Count own = deficit(node);
    if (own == 0) return {true, 0, node.value, PartialTree::leaf()};
    if (depth == 0) return {false, own};
    if (n < 2 * fewest) return {false, std::min(own, target().size_rate * (fewest - n / 2))};
    if (depth == 1) return split_once(node, level);
    if (const Entry* known = find(node, depth); known != nullptr) {
        if (known->feasible && target().met_by(data_.measure, known->value)) {
            ++statistics_.cache_hits;
            return {true, 0, known->value, known->plan};
        }
        if (known->lower_target >= 0) {
            const auto current = static_cast<std::int32_t>(targets_.size() - 1);
            const Count lower = known->lower_target == current ? known->lower
                                : options_.convert
                                    ? conversion(known->lower_target).lower(known->lower, depth, node.total)
                                    : 0;
            if (lower > 0) {
                ++statistics_.cache_hits;
                return {false, lower};
            }
        }
    }
    const Outcome outcome = branch(node, depth, level, origin, wanted);
    if (options_.cache && (outcome.feasible || outcome.lower > 0)) {
        Entry& kept = entry(node, depth);
        if (!outcome.feasible) {
            kept.lower = outcome.lower;
            kept.lower_target = static_cast<std::int32_t>(targets_.size() - 1);
        } else if (!kept.feasible || data_.measure.less(kept.value, outcome.value)) {
            kept.feasible = true;
            kept.value = outcome.value;
            kept.plan = outcome.plan;
        }
    }
    return outcome;
}

Outcome Search::branch(const Node& node, std::uint32_t depth, std::size_t level, const Origin& origin, Count wanted) {
    if (control_.step(work(node))) return {};
    Level& here = level_at(level);
    Count lower = deficit(node);
    std::size_t best = 0;
    if (is_dense(node)) {
        pairs_.solve(node, target(), nullptr, here.pairs);
        best = data_.rounding.any ? confirm_any(node, here.pairs, level) : here.pairs.best();
    } else {
        const auto in_full = [&](std::size_t i) { return confirm(node, here.pairs.splits[i], level); };
        sweeper_.solve(node, target(), lower, depth == 2 ? wanted : 1, here.pairs,
                       data_.rounding.any ? PairSweeper::Confirm(in_full) : PairSweeper::Confirm());
        best = here.pairs.best();
    }
    ++statistics_.pair_solves;
    if (best < here.pairs.splits.size() && here.pairs.sum(best) == 0) return found_pair(node, here.pairs, best, level);
    if (depth == 2) return {false, std::min(lower, here.pairs.least)};

    ++statistics_.branches;
    open_boxes(node, depth, here);
    for (const ColumnOfPairs& at : by_promise(here.pairs)) {
        open_column(node, at.column, level, origin);
        here.stretches.assign(1, {0, at.count});
        while (!here.stretches.empty() && !control_.stopped()) {
            auto [first, last] = here.stretches.back();
            here.stretches.pop_back();
            while (first < last && here.closed(first)) ++first;
            while (first < last && here.closed(last - 1)) --last;
            if (first == last) continue;
            const std::size_t middle = first + (last - first) / 2;
            here.stretches.push_back({first, middle});
            here.stretches.push_back({middle + 1, last});
            if (here.closed(middle)) continue;
            ask(node, depth, level, at.first, middle, {first, last}, here.pairs.left[at.first + middle],
                here.pairs.right[at.first + middle]);
            if (here.left[middle].feasible && here.right[middle].feasible) return join(node, level, middle);
        }
        for (std::size_t i = 0; i < at.count; ++i) lower = std::min(lower, here.left[i].lower + here.right[i].lower);
        write_boxes(node, here, origin);
        if (control_.stopped()) return {false, 0};
    }
    return {false, lower};
}

// The node's best tree of depth one that meets the target; else the least deficit.
Outcome Search::split_once(const Node& node, std::size_t level) {
    Outcome best{false, deficit(node), node.value, PartialTree::leaf()};
    best.feasible = best.lower == 0;
    TreePoolNode split{};
    SortedColumn& sorted = level_at(level).sorted;
    for (std::uint32_t c = 0; c < data_.table.n_columns; ++c) {
        sorter_.sort(node, c, sorted);
        for (std::size_t i = 0; i < sorted.splits.size(); ++i) {
            const auto [left, right] = sorted.sides(node, i);
            const Count sum = deficit(left) + deficit(right);
            if (sum > 0) {
                best.lower = std::min(best.lower, sum);
                continue;
            }
            const Value value = worse(left.value, right.value);
            if (best.feasible && !data_.measure.less(best.value, value)) continue;
            best.feasible = true;
            best.value = value;
            best.plan = PartialTree::stump();
            split = {c, sorted.splits[i].rank, PartialTree::leaf(), PartialTree::leaf()};
        }
    }
    if (best.feasible) best.lower = 0;
    if (best.plan == PartialTree::stump()) best.plan = remember(split);
    return best;
}

// The depth-two step said that there is a tree; of a few such root splits, the one with the best worst leaf.
Outcome Search::found_pair(const Node& node, const PairAnswer& pairs, std::size_t known, std::size_t level) {
    Outcome best;
    std::vector<std::size_t> roots;
    for (std::size_t i = 0; i < pairs.splits.size(); ++i)
        if (pairs.sum(i) == 0) roots.push_back(i);
    Level& here = level_at(level);
    const std::size_t step = std::max<std::size_t>(1, roots.size() / kTriedPairs);
    std::vector<std::size_t> tried;
    for (std::size_t at = step / 2; at < roots.size(); at += step) tried.push_back(roots[at]);
    if (data_.rounding.any) tried.push_back(known);  // the others may fail in full
    for (const std::size_t at : tried) {
        const auto [column, rank] = pairs.splits[at];
        open_split(node, pairs.splits[at], level);
        const Outcome left = split_once(here.left_node, level + 1);
        if (!left.feasible) continue;
        const Outcome right = split_once(here.right_node, level + 1);
        if (!right.feasible) continue;
        const Value value = worse(left.value, right.value);
        if (best.feasible && !data_.measure.less(best.value, value)) continue;
        best = {true, 0, value, remember({column, rank, left.plan, right.plan})};
    }
    return best;
}

std::pair<Count, Count> Search::confirm(const Node& node, const PairAnswer::Split& root, std::size_t level) {
    Level& here = level_at(level);
    open_split(node, root, level);
    const Count left = split_once(here.left_node, level + 1).feasible ? 0 : 1;
    if (left > 0) return {left, 0};  // enough to refuse the split
    return {0, split_once(here.right_node, level + 1).feasible ? 0 : 1};
}

std::size_t Search::confirm_any(const Node& node, PairAnswer& pairs, std::size_t level) {
    std::size_t found = pairs.splits.size();
    for (std::size_t i = 0; i < pairs.splits.size() && found == pairs.splits.size(); ++i) {
        if (pairs.sum(i) > 0) continue;
        if (control_.poll(kPollOfConfirm)) break;
        std::tie(pairs.left[i], pairs.right[i]) = confirm(node, pairs.splits[i], level);
        if (pairs.sum(i) == 0) found = i;
    }
    pairs.least = pairs.splits.empty() ? kNoCost : pairs.sum(pairs.best());
    return found;
}

void Search::open_split(const Node& node, const PairAnswer::Split& root, std::size_t level) {
    Level& here = level_at(level);
    open_column(node, root.column, level);
    // The last split with every row on its left below the rank.
    const auto beyond = std::find_if(here.sorted.splits.begin(), here.sorted.splits.end(),
                                     [&](const SortedColumn::Split& c) { return c.rank > root.rank; });
    make_sides(node, here, static_cast<std::size_t>(beyond - here.sorted.splits.begin()) - 1);
}

std::size_t Search::max_splits(const Node& node) const {
    std::size_t most = 0;
    for (const std::uint32_t n_ranks : data_.n_ranks) most += std::min<std::size_t>(n_ranks, node.rows.size()) - 1;
    return most;
}

bool Search::is_dense(const Node& node) const {
    return data_.planes.size() <= kMaxPlanes && max_splits(node) <= options_.dense_splits;
}

// A unit is some 20 microseconds: the dense step takes about one per 2e7 splits^2 rows; a sweep counts its own passes.
std::int64_t Search::work(const Node& node) const {
    const double splits = static_cast<double>(max_splits(node));
    return is_dense(node) ? 1 + static_cast<std::int64_t>(splits * splits * static_cast<double>(node.n()) / 2e7) : 1;
}

Outcome Search::join(const Node& node, std::size_t level, std::size_t at) {
    Level& here = level_at(level);
    make_sides(node, here, at);
    for (const bool is_left : {true, false}) {
        Side& side = is_left ? here.left[at] : here.right[at];
        if (side.plan != PartialTree::stump()) continue;
        const Outcome found = split_once(is_left ? here.left_node : here.right_node, level + 1);
        side.plan = found.plan;
        side.value = found.value;
    }
    const Side &left = here.left[at], &right = here.right[at];
    return {true, 0, worse(left.value, right.value),
            remember({here.sorted.column, here.sorted.splits[at].rank, left.plan, right.plan})};
}

std::vector<Search::ColumnOfPairs> Search::by_promise(const PairAnswer& pairs) const {
    std::vector<ColumnOfPairs> columns;
    for (std::size_t i = 0; i < pairs.splits.size(); ++i) {
        if (columns.empty() || columns.back().column != pairs.splits[i].column)
            columns.push_back({pairs.splits[i].column, i, 0, pairs.sum(i)});
        ++columns.back().count;
        columns.back().least = std::min(columns.back().least, pairs.sum(i));
    }
    std::stable_sort(columns.begin(), columns.end(), [](const auto& a, const auto& b) { return a.least < b.least; });
    return columns;
}

void Search::open_column(const Node& node, std::uint32_t column, std::size_t level, const Origin& origin) {
    Level& here = level_at(level);
    SortedColumn& sorted = here.sorted;
    sorter_.sort(node, column, sorted);
    const std::size_t n_splits = sorted.splits.size();
    here.key.resize(n_splits);
    here.left_weight.resize(n_splits);
    here.left.assign(n_splits, {});
    here.right.assign(n_splits, {});
    Fingerprint key;
    std::uint32_t row = 0;
    const auto judge = [&](Side& side, const Leaf& leaf) {
        const Count own = deficit(leaf), rows = leaf.rows;
        if (own == 0) side = {0, true, PartialTree::leaf(), leaf.value};
        if (own > 0 && rows < 2 * data_.min_leaf)
            side.lower = rows < data_.min_leaf ? target().size_rate * (data_.min_leaf - rows)
                                               : std::min(own, target().size_rate * (data_.min_leaf - rows / 2));
    };
    for (std::size_t i = 0; i < n_splits; ++i) {
        for (; row < sorted.splits[i].position; ++row) key.add(data_.table.key[sorted.rows[row]]);
        here.key[i] = key;
        const auto [left, right] = sorted.sides(node, i);
        here.left_weight[i] = left.weight;
        judge(here.left[i], left);
        judge(here.right[i], right);
    }
    read_boxes(node, here, origin);
    if (options_.propagate) spread(here);
}

void Search::spread(Level& here) const {
    const std::size_t n = here.left.size();
    for (std::size_t i = 1; i < n; ++i) {
        const Count more = here.left_weight[i] - here.left_weight[i - 1];
        raise(here.left[i], moved(here.left[i - 1].lower, more));
        raise(here.right[i], moved(here.right[i - 1].lower, -more));
    }
    for (std::size_t i = n; i-- > 1;) {
        const Count more = here.left_weight[i] - here.left_weight[i - 1];
        raise(here.left[i - 1], moved(here.left[i].lower, -more));
        raise(here.right[i - 1], moved(here.right[i].lower, more));
    }
}

void Search::make_sides(const Node& node, Level& here, std::size_t at) const {
    const SortedColumn& sorted = here.sorted;
    const std::size_t n_classes = data_.n_classes(), position = sorted.splits[at].position;
    here.left_node.rows = std::span(sorted.rows).first(position);
    here.right_node.rows = std::span(sorted.rows).subspan(position);
    here.left_node.weight.assign(sorted.left.begin() + static_cast<std::ptrdiff_t>(at * n_classes),
                                 sorted.left.begin() + static_cast<std::ptrdiff_t>((at + 1) * n_classes));
    here.right_node.weight.resize(n_classes);
    for (std::size_t k = 0; k < n_classes; ++k) here.right_node.weight[k] = node.weight[k] - here.left_node.weight[k];
    if (data_.rounding.any) {
        here.left_node.full.assign(sorted.full.begin() + static_cast<std::ptrdiff_t>(at * n_classes),
                                   sorted.full.begin() + static_cast<std::ptrdiff_t>((at + 1) * n_classes));
        here.right_node.full.resize(n_classes);
        for (std::size_t k = 0; k < n_classes; ++k) here.right_node.full[k] = node.full[k] - here.left_node.full[k];
    }
    here.left_node.key = here.key[at];
    here.right_node.key = node.key;
    here.right_node.key.subtract(here.key[at]);
    here.left_node.sum();
    here.right_node.sum();
}

void Search::ask(const Node& node, std::uint32_t depth, std::size_t level, std::size_t first, std::size_t at,
                 std::pair<std::size_t, std::size_t> stretch, Count left_hint, Count right_hint) {
    Level& here = level_at(level);
    make_sides(node, here, at);
    const bool left_first = left_hint >= right_hint;
    for (const bool is_left : {left_first, !left_first}) {
        Side& side = is_left ? here.left[at] : here.right[at];
        if (side.feasible) continue;
        if ((is_left ? left_hint : right_hint) == 0) {
            if (!data_.rounding.any) {
                side.feasible = true;
                side.plan = PartialTree::stump();
                continue;
            }
            const Outcome stump = split_once(is_left ? here.left_node : here.right_node, level + 1);
            if (stump.feasible) {
                side = {0, true, stump.plan, stump.value};
                continue;
            }
        }
        Origin origin;
        if (here.boxes.size > 0)
            origin = {&here.boxes, &here.pairs, here.sorted.column, 2 * (first + at) + (is_left ? 0 : 1)};
        const Count reach = is_left ? here.left_weight[stretch.second - 1] - here.left_weight[at]
                                    : here.left_weight[at] - here.left_weight[stretch.first];
        const Count wanted = 1 + static_cast<Count>(options_.slack * static_cast<double>(target().gain_rate * reach));
        const Outcome found = solve(is_left ? here.left_node : here.right_node, depth - 1, level + 1, origin, wanted);
        if (!found.feasible) {
            raise(side, found.lower);
            if (options_.propagate) propagate_side(here, at, is_left);
            return;
        }
        side = {0, true, found.plan, found.value};
    }
}

void Search::propagate_side(Level& here, std::size_t at, bool is_left) {
    std::vector<Side>& sides = is_left ? here.left : here.right;
    const Count known = sides[at].lower;
    const auto pass = [&](std::size_t other) {
        const Count change = here.left_weight[other] - here.left_weight[at];
        const Count lower = moved(known, is_left ? change : -change);
        raise(sides[other], lower);
        return lower > 0;
    };
    for (std::size_t i = at + 1; i < sides.size() && pass(i); ++i) continue;
    for (std::size_t i = at; i-- > 0 && pass(i);) continue;
}

void Search::use(Target next) {
    targets_.push_back(std::move(next));
    ++statistics_.targets;
    conversions_.resize(targets_.size());
    converted_.assign(targets_.size(), false);
}

const Conversion& Search::conversion(std::int32_t from) {
    const auto at = static_cast<std::size_t>(from);
    if (!converted_[at]) {
        conversions_[at] = Conversion(targets_[at], target(), data_.rounding);
        converted_[at] = true;
    }
    return conversions_[at];
}

const Search::Entry* Search::find(const Node& node, std::uint32_t depth) {
    return options_.cache ? cache_.peek(node.key, Size{depth}) : nullptr;
}

Search::Entry& Search::entry(const Node& node, std::uint32_t depth) {
    watch_memory();
    return cache_.at(node.key, Size{depth}, static_cast<std::uint32_t>(node.n()));
}

Search::Level& Search::level_at(std::size_t level) {
    while (levels_.size() <= level) levels_.push_back(std::make_unique<Level>());
    return *levels_[level];
}

void Search::watch_memory() {
    const std::size_t pool = pool_.capacity() * sizeof(TreePoolNode), bytes = pool + cache_.bytes();
    statistics_.bytes = std::max(statistics_.bytes, bytes);
    control_.bytes(bytes);
    if (pool > control_.limits().bytes / 2) control_.halt(Stop::memory);
}

}  // namespace treewright::leaf_accuracy
