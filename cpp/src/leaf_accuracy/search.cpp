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
constexpr std::int64_t kLeastOfConfirm = 16;    // clock checks' worth of two sides sorted by every column
constexpr std::int64_t kCellsOfConfirm = 4000;  // of two sides' columns in a clock check's time
constexpr std::size_t kMaxPlanes = 64;          // classes and weights of the dense depth-two step

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
    if (options_.cache) {
        const Store::Known known = store_->find(node.key, depth);
        if (known.feasible && target().met_by(data_.measure, known.value)) {
            ++statistics_.cache_hits;
            return {true, 0, known.value, known.plan};
        }
        if (known.lower_target >= 0) {
            const auto current = static_cast<std::int32_t>(targets_.size() - 1);
            const Count lower = known.lower_target == current ? known.lower
                                : options_.convert
                                    ? conversion(known.lower_target).lower(known.lower, depth, node.total)
                                    : 0;
            if (lower > 0) {
                ++statistics_.cache_hits;
                return {false, lower};
            }
        }
    }
    const Outcome outcome = branch(node, depth, level, origin, wanted);
    if (options_.cache && (outcome.feasible || outcome.lower > 0)) {
        watch_memory();
        store_->keep(node.key, depth, static_cast<std::uint32_t>(node.n()), outcome,
                     static_cast<std::int32_t>(targets_.size() - 1), data_.measure);
    }
    return outcome;
}

Outcome Search::branch(const Node& node, std::uint32_t depth, std::size_t level, const Origin& origin, Count wanted) {
    if (control_.step(work(node))) return {};
    done_ += work(node);
    Level& here = level_at(level);
    Count lower = deficit(node);
    std::size_t best = 0;
    if (is_dense(node)) {
        pairs_.solve(node, target(), nullptr, control_, here.pairs);
        best = data_.rounding.any ? confirm_any(node, here.pairs, level) : here.pairs.best();
    } else {
        const auto in_full = [&](std::size_t i) { return confirm(node, here.pairs.splits[i], level); };
        sweeper_.solve(node, target(), lower, depth == 2 ? wanted : 1, here.pairs,
                       data_.rounding.any ? PairSweeper::Confirm(in_full) : PairSweeper::Confirm(),
                       level == 0 ? threads_for_sweeps(node, depth) : PairSweeper::Threads());
        best = here.pairs.best();
    }
    ++statistics_.pair_solves;
    if (best < here.pairs.splits.size() && here.pairs.sum(best) == 0) return found_pair(node, here.pairs, best, level);
    if (control_.stopped()) return {};
    if (depth == 2) return {false, std::min(lower, here.pairs.least)};

    ++statistics_.branches;
    open_boxes(node, depth, here);
    if (level == 0) return search_root(node, depth, lower);
    OpenColumn& column = here.column;
    std::unique_lock<std::mutex> alone;
    for (const ColumnOfPairs& at : by_promise(here.pairs)) {
        open_column(node, at.column, column, origin);
        while (!control_.stopped()) {
            std::optional<Question> question = next_split(column);
            if (!question) break;
            describe(*question, at, here.pairs, here.boxes);
            ask(node, depth, level, column, *question, alone);
            if (column.met(question->at)) return join(node, level, column, question->at);
        }
        lower = std::min(lower, column.least());
        write_boxes(node, column, origin);
        if (control_.stopped()) return {false, 0};
    }
    return {false, lower};
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
        if (best.feasible && control_.poll(work_of_confirm(node))) break;
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
        if (control_.poll(work_of_confirm(node))) break;
        std::tie(pairs.left[i], pairs.right[i]) = confirm(node, pairs.splits[i], level);
        if (pairs.sum(i) == 0) found = i;
    }
    pairs.least = pairs.splits.empty() ? kNoCost : pairs.sum(pairs.best());
    return found;
}

void Search::open_split(const Node& node, const PairAnswer::Split& root, std::size_t level) {
    Level& here = level_at(level);
    SortedColumn& sorted = here.column.sorted;
    const auto goes_left = [&](std::uint32_t row) { return data_.table.rank_of(root.column, row) < root.rank; };
    sorted.clear(root.column);
    sorted.rows.assign(node.rows.begin(), node.rows.end());
    const auto middle = std::stable_partition(sorted.rows.begin(), sorted.rows.end(), goes_left);
    sorted.left.assign(data_.n_classes(), 0);
    sorted.full.assign(data_.rounding.any ? data_.n_classes() : 0, 0);
    here.column.key.assign(1, {});
    for (auto row = sorted.rows.begin(); row != middle; ++row) {
        sorted.left[data_.table.label[*row]] += data_.table.weight[*row];
        if (data_.rounding.any) sorted.full[data_.table.label[*row]] += data_.full[*row];
        here.column.key[0].add(data_.table.key[*row]);
    }
    sorted.splits.push_back({static_cast<std::uint32_t>(middle - sorted.rows.begin()), root.rank});
    make_sides(node, here.column, 0, here);
}

std::size_t Search::max_splits(const Node& node) const {
    std::size_t most = 0;
    for (const std::uint32_t n_ranks : data_.n_ranks) most += std::min<std::size_t>(n_ranks, node.rows.size()) - 1;
    return most;
}

bool Search::is_dense(const Node& node) const {
    return data_.planes.size() <= kMaxPlanes && max_splits(node) <= options_.dense_splits;
}

// A unit is some 20 microseconds: the dense step takes about one per 2e7 splits^2 rows, and a class is as much as 500
// rows, for each leaf counts it; a sweep counts its own passes.
std::int64_t Search::work(const Node& node) const {
    if (!is_dense(node)) return 1;
    const double splits = static_cast<double>(max_splits(node));
    const double rows = static_cast<double>(node.n()) + 500.0 * static_cast<double>(data_.n_classes());
    return 1 + static_cast<std::int64_t>(splits * splits * rows / 2e7);
}

// Of looking for the best split of both sides of a split of the node.
std::int64_t Search::work_of_confirm(const Node& node) const {
    return kLeastOfConfirm + node.n() * data_.table.n_columns / kCellsOfConfirm;
}

Outcome Search::join(const Node& node, std::size_t level, OpenColumn& column, std::size_t at) {
    Level& own = level_at(level);
    make_sides(node, column, at, own);
    for (const bool is_left : {true, false}) {
        Side& side = is_left ? column.left[at] : column.right[at];
        if (side.plan != PartialTree::stump()) continue;
        const Outcome found = split_once(is_left ? own.left_node : own.right_node, level + 1);
        side.plan = found.plan;
        side.value = found.value;
    }
    const Side &left = column.left[at], &right = column.right[at];
    return {true, 0, worse(left.value, right.value),
            remember({column.sorted.column, column.sorted.splits[at].rank, left.plan, right.plan})};
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

void Search::use(Target next) {
    targets_.push_back(std::make_shared<const Target>(std::move(next)));
    ++statistics_.targets;
    conversions_.resize(targets_.size());
    converted_.assign(targets_.size(), false);
}

const Conversion& Search::conversion(std::int32_t from) {
    const auto at = static_cast<std::size_t>(from);
    if (!converted_[at]) {
        conversions_[at] = Conversion(*targets_[at], target(), data_.rounding);
        converted_[at] = true;
    }
    return conversions_[at];
}

Search::Level& Search::level_at(std::size_t level) {
    while (levels_.size() <= level) levels_.push_back(std::make_unique<Level>());
    return *levels_[level];
}

void Search::watch_memory() {
    const std::size_t pool = store_->pool_bytes(), bytes = pool + store_->cache_bytes() + cheapest_.bytes();
    statistics_.bytes = std::max(statistics_.bytes, bytes);
    control_.bytes(bytes);
    if (pool > control_.limits().bytes / 2) control_.halt(Stop::memory);
}

}  // namespace treewright::leaf_accuracy
