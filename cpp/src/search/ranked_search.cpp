#include "treewright/search/ranked_search.hpp"

#include "search/cost_of_leaves.hpp"
#include "treewright/space/orders.hpp"

#include <algorithm>
#include <utility>

namespace treewright::ranked {

namespace {

// Before parts of the rows are looked at, a plain search that has proven half of what was to be proven goes on so many
// times longer, and again as long as that halves what is left. A million rows of ten columns come to a gap of .0003 so;
// the parts, which take half as long, leave one of .0145 (docs/decisions/hard-problems.md).
constexpr std::int64_t kPatienceBeforeParts = 12;

// The first bound of a root takes about as many steps as a search one level less deep, times the columns. Where these
// are a twentieth of `early_work` or more, the plain search says nothing for seconds (docs/decisions/hard-problems.md).
constexpr std::int64_t kEarlyPart = 20;

}  // namespace

Outcome Search::run(Size limits) {
    Node root;
    make_root(objective_, root);
    limits.depth = std::min(limits.depth, table_.n_rows);
    limits = limits.fitted();
    Outcome best = prove(root, limits);
    last_round_ = false;
    proven_ = best.exact();
    if (!proven_ && control_.ended()) {
        grant_a_look();
        const Outcome stumps = stump_tree(root, {std::min(limits.depth, kStumpDepth), limits.leaves}, 0);
        best.offer(stumps.upper, stumps.plan);
    }
    if (best.exact() && !control_.stopped())
        if (const auto plan = limits.depth > 2 ? first_of_equals(root, limits, best.upper, 0)
                                               : first_of_equal_pairs(root, limits.leaves == 3, best))
            best.plan = *plan;
    return best;
}

Outcome Search::prove(const Node& root, Size limits) {
    const auto at_depth = [&](std::uint32_t depth) { return Size{depth, limits.leaves}.fitted(); };
    const Cost leaf = objective_.leaf_cost(root);
    control_.incumbent(leaf);
    Outcome best{0, leaf, PartialTree::leaf()};
    if (!control_.glance()) best = solve(root, at_depth(std::min(limits.depth, 2u)), kNoCost, 0);
    if (limits.depth <= 2) return best;
    control_.incumbent(best.upper);
    root_ = best;  // bounds one level less deep
    const Outcome quick = greedy(root, {std::min(limits.depth, kGreedyDepth), limits.leaves}, 0);
    best.offer(quick.upper, quick.plan);
    Cost proven = 0;
    for (std::uint32_t d = 3;; ++d) {
        // A tree deeper than d - 1 has d + 1 leaves or more.
        const Cost deeper = options_.leaf_count ? cost_of_leaves(Cost{d} + 1, objective_.leaf_penalty())
                                                : 2 * objective_.leaf_penalty();
        proven = std::max(proven, std::min(root_.lower, deeper));
        best.lower = std::min(best.upper, proven);
        control_.incumbent(best.upper);
        control_.lower_bound(best.lower);
        if (best.exact() || control_.stopped()) return best;
        last_round_ = d == limits.depth;
        const std::int64_t before = statistics().row_steps;
        const Outcome found = climb(root, at_depth(d), best);
        shallower_row_steps_ = statistics().row_steps - before;
        best.offer(found.upper, found.plan);
        root_.lower = found.lower;  // its tree may be deeper than d: what is kept of a size is a tree of that size
        if (last_round_) {
            best.lower = std::min(best.upper, std::max(best.lower, found.lower));
            return best;
        }
    }
}

Outcome Search::climb(const Node& root, Size size, Outcome found) {
    Cost begun = found.lower;
    const auto ask = [&](Cost budget) {
        const Outcome next = solve(root, size, budget, 0);
        found.lower = std::max(found.lower, next.lower);
        found.offer(next.upper, next.plan);
        found.lower = std::min(found.lower, found.upper);
    };
    const auto over = [&] { return found.exact() || control_.stopped(); };
    const auto ask_for_a_while = [&](Cost budget, std::int64_t passes) {
        control_.pause_after(passes);
        ask(budget);
        control_.resume();
    };
    const auto passes_of = [&](std::int64_t work) { return 1 + work / std::max<std::int64_t>(pass_work(root), 1); };
    const std::int64_t plain_passes = passes_of(options_.plain_work);
    const bool core = options_.core && options_.monotone && table_.min_leaf == 1;
    const bool parts = options_.parts && last_round_ && objective_.laws().superadditive &&
                       table_.n_rows / kFewestParts >= options_.part_rows;
    by_any_size_ = false;
    const bool by_any_size = may_begin_with_any_size(size);
    const bool early = wants_early_bound(root, size);
    if (core || parts || by_any_size || early) {
        const std::int64_t look = early ? passes_of(options_.early_work / kEarlyPart) : plain_passes;
        ask_for_a_while(found.upper, std::min({options_.core_passes, plain_passes / 3, look}));
    }
    by_any_size_ = by_any_size;
    if (core && !over()) prove_on_core(root, size, found);
    const Cost half = found.upper - found.upper / 2;
    if (early && !over() && found.lower < half) ask_for_a_while(half, passes_of(options_.early_work));
    if (parts && !over()) {
        ask_for_a_while(found.upper, std::min(options_.core_passes, plain_passes));
        while (!over() && found.lower - begun >= found.upper - found.lower) {
            begun = found.lower;
            ask_for_a_while(found.upper, kPatienceBeforeParts * plain_passes);
        }
        if (!over()) prove_on_parts(root, size, found);
    }
    if (over()) return found;
    if (!options_.rising) {
        ask(found.upper);
        return found;
    }
    ask_for_a_while(found.upper, plain_passes);
    for (const int part : kRisingGaps) {
        const Cost budget = found.upper - found.upper / part;
        if (over()) return found;
        if (found.lower < budget) ask(budget);
    }
    if (!over()) ask(found.upper);
    return found;
}

bool Search::wants_early_bound(const Node& root, Size size) const {
    if (!last_round_ || size.depth < 4 || !objective_.laws().similar || options_.early_work == 0) return false;
    const auto n_columns = static_cast<std::int64_t>(root.columns.size());
    return shallower_row_steps_ * n_columns >= options_.early_work / kEarlyPart;
}

std::int64_t Search::pass_work(const Node& node) const {
    return std::int64_t{node.n} * static_cast<std::int64_t>(node.columns.size()) * pairs_->pace();
}

Outcome Search::solve(const Node& node, Size size, Cost budget, std::size_t level,
                      std::span<const Neighbour> neighbours, Memo* memo) {
    size = size.fitted();
    const Cost leaf = objective_.leaf_cost(node);
    if (leaf <= 2 * objective_.leaf_penalty() || size.depth == 0 || node.columns.empty() ||
        node.n < 2 * table_.min_leaf)
        return {leaf, leaf, PartialTree::leaf()};

    // Trees of more than `max_leaves` leaves cost at least `beyond` >= min(budget, leaf): not wanted.
    Cost beyond = kNoCost;
    if (options_.leaf_count) {
        const Cost max_leaves = (std::min(budget, leaf) - 1) / objective_.leaf_penalty();
        if (max_leaves < 2) return {std::min(leaf, 2 * objective_.leaf_penalty()), leaf, PartialTree::leaf()};
        if (max_leaves - 1 < Cost{size.depth}) {
            size = Size{static_cast<std::uint32_t>(max_leaves - 1), size.leaves}.fitted();
            beyond = (max_leaves + 1) * objective_.leaf_penalty();
        }
    }

    Outcome result = options_.cache ? store_->find(node.rows, size) : Outcome{};
    if (result.exact() || result.lower >= budget) {
        ++statistics_.cache_hits;
    } else if (size.depth == 1) {
        const Stump stump = objective_.best_stump_within(node, control_);
        const Cost two_leaves = std::min(stump.cost, 2 * objective_.leaf_penalty());
        result = {stump.whole ? stump.cost : two_leaves, stump.cost,
                  stump.whole && level > 0 ? PartialTree::stump() : split_of(node, stump)};
    } else {
        if (size.depth == 2) {
            ++statistics_.pair_solves;
            result = pairs_->solve(node, size.leaves == 3, budget, neighbours);
            if (memo != nullptr && pairs_->worth_sharing(node))
                pairs_->keep(node, std::min(result.upper, budget), *memo);
        } else {
            // A node that was asked before, below the root, is solved to the end: raised little by little it costs
            // more.
            if (level > 0 && result.lower > 0) budget = std::max(budget, result.upper);
            const Outcome known = result;
            result = branch(node, size, budget, level, neighbours);
            result.offer(known.upper, known.plan);
            result.lower = std::min(result.upper, std::max(result.lower, known.lower));
        }
        if (options_.cache) store_->keep(node.rows, size, node.n, result);
    }
    result.lower = std::min(result.lower, beyond);
    return result;
}

Outcome Search::branch(const Node& node, Size size, Cost budget, std::size_t level,
                       std::span<const Neighbour> neighbours) {
    ++statistics_.nodes;
    const bool at_root = level == 0;
    const std::size_t n_columns = node.columns.size();
    Outcome best{0, objective_.leaf_cost(node), PartialTree::leaf()};
    if (!at_root && control_.poll()) {  // not by way of all depths between
        const Outcome two_levels = solve(node, {2, size.leaves}, std::min(best.upper, budget), level);
        best.offer(two_levels.upper, two_levels.plan);
        return best;
    }
    Cost whole = objective_.leaf_penalty();  // lower bound of the node one level down
    if (options_.shallower) {
        const Outcome shallower =
            at_root ? root_ : solve(node, {size.depth - 1, size.leaves}, std::min(best.upper, budget), level);
        best.offer(shallower.upper, shallower.plan);
        whole = shallower.lower;
        const Cost deeper = cost_of_leaves(Cost{size.depth} + 1, objective_.leaf_penalty());
        if (options_.leaf_count && std::min(best.upper, budget) <= deeper) {
            best.lower = std::min(whole, deeper);
            return best;
        }
    }
    Level& here = level_at(level);
    Hunt hunt{node, size, budget, level, here, best, at_root && last_round_, at_root && !on_better_};
    if (begins_with_any_size(size)) {
        const Cost lower = search_by_any_size(hunt);
        hunt.best.lower = std::min(hunt.best.upper, lower);
        return hunt.best;
    }
    const bool known = open_profiles(node, size, level, neighbours, whole);
    search_splits(hunt);
    best = hunt.best;

    best.lower = best.upper;
    const Cost target = std::min(best.upper, budget);
    for (std::size_t at = 0; at < n_columns; ++at)
        best.lower = std::min(best.lower, here.profiles[at].lower_bound(target));
    if (best.exact() ? pairs_->worth_sharing(node) || at_root : options_.resume) {
        // Of a finished node neighbours want no more than what closes gaps at about its optimum.
        const Cost closed = best.exact() ? best.upper + objective_.stake(node) / 32 : kNoCost;
        Memo memo;
        for (std::size_t at = 0; at < n_columns; ++at) {
            here.profiles[at].export_to(table_, node, at, closed, memo.hints);
            memo.columns.push_back(node.columns[at]);
            memo.ends.push_back(memo.hints.size());
        }
        store_->keep_memo(node.rows, size, std::move(memo));
    } else if (known) {
        store_->drop_memo(node.rows, size);
    }
    return best;
}

bool Search::open_profiles(const Node& node, Size size, std::size_t level, std::span<const Neighbour> neighbours,
                           Cost whole) {
    const std::size_t n_columns = node.columns.size();
    Level& here = level_at(level);
    here.memos.clear();
    here.rows.clear();
    here.of = node.rows;
    here.size = size;
    if (here.profiles.size() < n_columns) here.profiles.resize(n_columns);
    const auto known = options_.resume ? store_->memo(node.rows, size) : nullptr;
    for (std::size_t at = 0; at < n_columns; ++at) here.profiles[at].reset(objective_, options_, node, at, whole);
    if (known != nullptr) import_memo(*known, table_, node, Relation::same, 0, here.profiles);
    const bool shares = pairs_->worth_sharing(node);
    for (const Neighbour& neighbour : neighbours)
        if (const auto memo = shares && neighbour.known ? store_->memo(neighbour.rows, size) : nullptr; memo != nullptr)
            import_memo(*memo, table_, node, neighbour.relation, neighbour.loss, here.profiles);
    if (level == 0 && core_memo_.size == size)
        import_memo(core_memo_.memo, table_, node, Relation::subset, 0, here.profiles);
    return known != nullptr;
}

void Search::reopen_profiles(const Node& node, Size size, std::size_t level, Cost whole) {
    Level& here = level_at(level);
    if (!options_.resume || here.of != node.rows || here.size != size) {
        open_profiles(node, size, level, {}, whole);
        return;
    }
    for (std::size_t at = 0; at < node.columns.size(); ++at) here.profiles[at].reopen(whole);
    if (level == 0 && core_memo_.size == size)
        import_memo(core_memo_.memo, table_, node, Relation::subset, 0, here.profiles);
}

Search::Level& Search::level_at(std::size_t level) {
    while (levels_.size() <= level) levels_.push_back(std::make_unique<Level>());
    return *levels_[level];
}

void Search::watch_memory() {
    const std::size_t own = stack_.bytes() + pairs_->bytes();
    store_->working_memory(counted_bytes_, own);
    counted_bytes_ = own;
    const std::size_t bytes = beside_ + this->bytes();
    statistics_.bytes = std::max(statistics_.bytes, bytes);
    control_.bytes(bytes);
    if (bytes > control_.limits().bytes) control_.halt(Stop::memory);
}

Statistics& Statistics::operator+=(const Statistics& other) {
    pair_solves += other.pair_solves;
    passes += other.passes;
    row_steps += other.row_steps;
    nodes += other.nodes;
    cache_hits += other.cache_hits;
    gaps_closed += other.gaps_closed;
    core_rows = std::max(core_rows, other.core_rows);
    parts += other.parts;
    bytes = std::max(bytes, other.bytes);
    return *this;
}

}  // namespace treewright::ranked
