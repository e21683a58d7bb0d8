#include "treewright/search/ranked_search.hpp"

#include "treewright/bounds/core_rows.hpp"
#include "treewright/space/orders.hpp"

#include <algorithm>
#include <utility>

namespace treewright::ranked {

namespace {

// Lowest bound first; among equals the widest gap, then the lowest column and cut, so that every run is the same.
constexpr auto later = [](const auto& a, const auto& b) {
    if (a.bound != b.bound) return a.bound > b.bound;
    if (a.width != b.width) return a.width < b.width;
    if (a.column != b.column) return a.column > b.column;
    if (a.left_cut != b.left_cut) return a.left_cut > b.left_cut;
    return a.is_cut < b.is_cut;
};

}  // namespace

Search::Search(const RankedObjective& objective, const Options& options, Control& control, std::size_t bytes)
    : objective_(objective),
      table_(objective.table()),
      options_(options),
      control_(control),
      bytes_(bytes),
      pairs_(objective.pair_solver(options, control)),
      cache_(bytes / 2),
      memos_(std::min(bytes / 4, kMostMemoBytes)),
      goes_left_(table_.n_rows + OrderKernels::kPadding) {}

Search::~Search() = default;

Outcome Search::run(Size limits) {
    Node root;
    make_root(objective_, root);
    limits.depth = std::min(limits.depth, table_.n_rows);
    limits = limits.fitted();
    const auto at_depth = [&](std::uint32_t depth) { return Size{depth, limits.leaves}.fitted(); };
    control_.incumbent(objective_.leaf_cost(root));
    Outcome best = solve(root, at_depth(std::min(limits.depth, 2u)), kNoCost, 0);
    if (control_.stopped()) {  // before the first pass ended; a tree of stumps looks at no clock
        const Outcome stumps = stump_tree(root, {std::min(limits.depth, kStumpDepth), limits.leaves}, 0);
        best.offer(stumps.upper, stumps.plan);
    }
    if (limits.depth <= 2) return best;
    control_.incumbent(best.upper);
    root_ = best;  // bounds one level less deep
    const Outcome quick = greedy(root, {std::min(limits.depth, kGreedyDepth), limits.leaves}, 0);
    best.offer(quick.upper, quick.plan);
    Cost proven = 0;
    for (std::uint32_t d = 3;; ++d) {
        // A tree deeper than d - 1 has d + 1 leaves or more.
        const Cost deeper = options_.leaf_count ? (Cost{d} + 1) * objective_.leaf_penalty() : 2 * objective_.leaf_penalty();
        proven = std::max(proven, std::min(root_.lower, deeper));
        best.lower = std::min(best.upper, proven);
        control_.incumbent(best.upper);
        control_.lower_bound(best.lower);
        if (best.exact() || control_.stopped()) return best;
        last_round_ = d == limits.depth;
        root_ = climb(root, at_depth(d), best);
        best.offer(root_.upper, root_.plan);
        if (last_round_) {
            best.lower = std::min(best.upper, std::max(best.lower, root_.lower));
            return best;
        }
    }
}

Outcome Search::climb(const Node& root, Size size, Outcome found) {
    const auto ask = [&](Cost budget) {
        const Outcome next = solve(root, size, budget, 0);
        found.lower = std::max(found.lower, next.lower);
        found.offer(next.upper, next.plan);
        found.lower = std::min(found.lower, found.upper);
    };
    const auto over = [&] { return found.exact() || control_.stopped(); };
    const std::int64_t plain_passes = 1 + options_.plain_work / std::max<std::int64_t>(pass_work(root), 1);
    const bool core = options_.core && options_.monotone && table_.min_leaf == 1;
    const bool parts = options_.parts && last_round_ && objective_.laws().superadditive &&
                       table_.n_rows / kFewestParts >= options_.part_rows;
    if (core || parts) {
        control_.pause_after(std::min(options_.core_passes, plain_passes / 3));
        ask(found.upper);
        control_.resume();
    }
    if (core && !over()) prove_on_core(root, size, found);
    if (parts && !over()) prove_on_parts(root, size, found);
    if (over()) return found;
    if (!options_.rising) {
        ask(found.upper);
        return found;
    }
    control_.pause_after(plain_passes);
    ask(found.upper);
    control_.resume();
    for (const int part : kRisingGaps) {
        const Cost budget = found.upper - found.upper / part;
        if (over()) return found;
        if (found.lower < budget) ask(budget);
    }
    if (!over()) ask(found.upper);
    return found;
}

std::int64_t Search::pass_work(const Node& node) const {
    return std::int64_t{node.n} * static_cast<std::int64_t>(node.columns.size()) * pairs_->pace();
}

Outcome Search::solve(const Node& node, Size size, Cost budget, std::size_t level,
                      std::span<const Neighbour> neighbours, Memo* memo) {
    size = size.fitted();
    const Cost leaf = objective_.leaf_cost(node);
    if (leaf <= 2 * objective_.leaf_penalty() || size.depth == 0 || node.columns.empty() || node.n < 2 * table_.min_leaf)
        return {leaf, leaf, PartialTree::leaf()};

    // Trees of more than `most_leaves` leaves cost at least `beyond` >= min(budget, leaf): not wanted.
    Cost beyond = kNoCost;
    if (options_.leaf_count) {
        const Cost most_leaves = (std::min(budget, leaf) - 1) / objective_.leaf_penalty();
        if (most_leaves < 2) return {std::min(leaf, 2 * objective_.leaf_penalty()), leaf, PartialTree::leaf()};
        if (most_leaves - 1 < Cost{size.depth}) {
            size = Size{static_cast<std::uint32_t>(most_leaves - 1), size.leaves}.fitted();
            beyond = (most_leaves + 1) * objective_.leaf_penalty();
        }
    }

    Outcome result = options_.cache ? cache_.find(node.rows, size) : Outcome{};
    if (result.exact() || result.lower >= budget) {
        ++statistics_.cache_hits;
    } else if (size.depth == 1) {
        const Stump stump = objective_.best_stump(node);
        result = {stump.cost, stump.cost, PartialTree::stump()};
    } else {
        if (size.depth == 2) {
            ++statistics_.pair_solves;
            result = pairs_->solve(node, size.leaves == 3, budget, neighbours);
            if (memo != nullptr && pairs_->worth_sharing(node)) pairs_->keep(node, std::min(result.upper, budget), *memo);
        } else {
            // A node that was asked before, below the root, is solved to the end: raised little by little it costs more.
            if (level > 0 && result.lower > 0) budget = std::max(budget, result.upper);
            const Outcome known = result;
            result = branch(node, size, budget, level, neighbours);
            result.offer(known.upper, known.plan);
            result.lower = std::min(result.upper, std::max(result.lower, known.lower));
        }
        if (options_.cache) cache_.store(node.rows, size, node.n, result);
    }
    result.lower = std::min(result.lower, beyond);
    return result;
}

void Search::open_all(Level& here, std::size_t n_columns, Cost target) const {
    here.heap.clear();
    for (std::size_t at = 0; at < n_columns; ++at) {
        const IntervalBounds& profile = here.profiles[at];
        const auto column = static_cast<std::uint32_t>(at);
        for (std::size_t i = 0; i + 1 < profile.points().size(); ++i) {
            const SplitBounds& point = profile.points()[i];
            if (profile.open(point, target)) here.heap.push_back({point.cost(), 0, column, point.cut, true});
            const Gap gap = profile.gap(i, target);
            if (gap.open()) here.heap.push_back({gap.bound, gap.last - gap.first, column, point.cut, false});
        }
    }
    std::make_heap(here.heap.begin(), here.heap.end(), later);
}

Outcome Search::branch(const Node& node, Size size, Cost budget, std::size_t level,
                       std::span<const Neighbour> neighbours) {
    ++statistics_.nodes;
    const bool at_root = level == 0;
    const std::size_t n_columns = node.columns.size();
    Outcome best{0, objective_.leaf_cost(node), PartialTree::leaf()};
    Cost whole = objective_.leaf_penalty();  // lower bound of the node one level down
    if (options_.shallower) {
        const Outcome shallower =
            at_root ? root_ : solve(node, {size.depth - 1, size.leaves}, std::min(best.upper, budget), level);
        best.offer(shallower.upper, shallower.plan);
        whole = shallower.lower;
        const Cost deeper = (Cost{size.depth} + 1) * objective_.leaf_penalty();
        if (options_.leaf_count && std::min(best.upper, budget) <= deeper) {
            best.lower = std::min(whole, deeper);
            return best;
        }
    }
    Level& here = level_at(level);
    here.memos.clear();
    here.rows.clear();
    if (here.profiles.size() < n_columns) here.profiles.resize(n_columns);
    const Memo* known = options_.resume ? memos_.find(node.rows, size) : nullptr;
    for (std::size_t at = 0; at < n_columns; ++at) here.profiles[at].reset(objective_, options_, node, at, whole);
    if (known != nullptr) import_memo(*known, table_, node, Relation::same, 0, here.profiles);
    const bool shares = pairs_->worth_sharing(node);
    for (const Neighbour& neighbour : neighbours)
        if (const Memo* memo = shares && neighbour.known ? memos_.find(neighbour.rows, size) : nullptr; memo != nullptr)
            import_memo(*memo, table_, node, neighbour.relation, neighbour.loss, here.profiles);
    if (at_root && core_memo_.size == size)
        import_memo(core_memo_.memo, table_, node, Relation::subset, 0, here.profiles);
    open_all(here, n_columns, std::min(best.upper, budget));

    while (!here.heap.empty() && !control_.stopped()) {
        const Cost target = std::min(best.upper, budget);
        const Level::Open top = here.heap.front();
        if (at_root && last_round_) control_.lower_bound(std::min(top.bound, target));
        if (top.bound >= target) break;
        std::pop_heap(here.heap.begin(), here.heap.end(), later);
        here.heap.pop_back();
        const auto push = [&](const Gap& gap, std::uint32_t left_cut, bool is_cut = false) {
            if (!gap.open() || gap.bound >= target) return;
            here.heap.push_back({gap.bound, gap.last - gap.first, top.column, left_cut, is_cut});
            std::push_heap(here.heap.begin(), here.heap.end(), later);
        };
        IntervalBounds& profile = here.profiles[top.column];
        const std::size_t point = profile.point_before(top.left_cut);
        const Gap gap = top.is_cut ? Gap{top.left_cut, top.left_cut, profile.points()[point].cost()}
                                   : profile.gap(point, target);
        if (!gap.open()) continue;
        if (gap.bound > top.bound) {  // its neighbours have risen since: back in the queue
            push(gap, top.left_cut, top.is_cut);
            continue;
        }
        if (!top.is_cut && rows_between_close(node, size, here, top.column, point, gap, target, level)) continue;
        const std::uint32_t cut = gap.first + (gap.last - gap.first) / 2;
        Cost reach = std::max(profile.span_between(gap.first, cut), profile.span_between(cut, gap.last));
        if (top.is_cut) {  // the half of what is open beside it
            for (const std::size_t i : {point - 1, point}) {
                const Gap beside = profile.gap(i, target);
                if (beside.open()) reach = std::max(reach, profile.span_between(beside.first, beside.last) / 2);
            }
        }
        const Cost before = best.upper;
        evaluate(node, size, here, top.column, cut, reach, target, level, best);
        if (at_root && best.upper < before) on_better_ ? on_better_(best.plan) : control_.incumbent(best.upper);
        if (top.is_cut) continue;
        const Cost now = std::min(best.upper, budget);
        push(profile.gap(point, now), top.left_cut);
        push(profile.gap(point + 1, now), profile.points()[point + 1].cut);
    }

    best.lower = best.upper;
    const Cost target = std::min(best.upper, budget);
    for (std::size_t at = 0; at < n_columns; ++at)
        best.lower = std::min(best.lower, here.profiles[at].lower_bound(target));
    if (best.exact() ? shares || at_root : options_.resume) {
        // Of a finished node neighbours want no more than what closes gaps at about its optimum.
        const Cost closed = best.exact() ? best.upper + objective_.stake(node) / 32 : kNoCost;
        Memo memo;
        for (std::size_t at = 0; at < n_columns; ++at) {
            here.profiles[at].export_to(table_, node, at, closed, memo.hints);
            memo.columns.push_back(node.columns[at]);
            memo.ends.push_back(memo.hints.size());
        }
        memos_.store(node.rows, size, std::move(memo));
    } else if (known != nullptr) {
        memos_.drop(node.rows, size);
    }
    return best;
}

void Search::evaluate(const Node& node, Size size, Level& here, std::size_t at, std::uint32_t cut, Cost reach,
                      Cost target, std::size_t level, Outcome& best) {
    IntervalBounds& profile = here.profiles[at];
    const bool fair = options_.fair_shares && size.depth >= 4, pairs = size.depth == 3;
    const double share = pairs ? kPairSlack * options_.slack : options_.slack;
    Cost slack = static_cast<Cost>(share * static_cast<double>(reach));
    const bool nested = !objective_.laws().similar;
    if (nested) slack = target / kNestedSlack;
    if (fair) slack = std::min(slack, target / 8);
    const std::uint32_t position = profile.position(cut);
    const Stack::Mark mark = stack_.mark();
    split(objective_, node, at, position, stack_, goes_left_, here.left, here.right);
    watch_memory();

    SplitBounds bounds = profile.bounds(cut);
    const bool left_first = here.left.n >= here.right.n;
    Node& first_node = left_first ? here.left : here.right;
    Node& second_node = left_first ? here.right : here.left;
    Cost& first_bound = left_first ? bounds.left : bounds.right;
    Cost& second_bound = left_first ? bounds.right : bounds.left;

    // The nearest cuts solved, a before and b after: L_a in L in L_b, and R_b in R in R_a.
    std::array<std::array<Neighbour, 2>, 2> neighbours{};
    std::uint32_t tag = SplitBounds::kNoTag;
    if (options_.neighbours) {
        const std::size_t i = profile.point_before(cut);
        const SplitBounds &a = profile.points()[i], &b = profile.points()[i + 1];
        const Cost to_a = profile.span_between(a.cut, cut), to_b = profile.span_between(cut, b.cut);
        tag = static_cast<std::uint32_t>(pairs ? here.memos.size() : here.rows.size());
        if (pairs) here.memos.emplace_back();
        if (!pairs) here.rows.push_back({here.left.rows, here.right.rows});
        const auto known_of = [&](std::uint32_t of, std::size_t side, Relation relation, Cost loss) {
            if (of == SplitBounds::kNoTag) return Neighbour{};
            return pairs ? Neighbour{&here.memos[of][side], {}, relation, loss, true}
                         : Neighbour{nullptr, here.rows[of][side], relation, loss, true};
        };
        neighbours[0] = {known_of(a.tag, 0, Relation::subset, 0), known_of(b.tag, 0, Relation::superset, to_b)};
        neighbours[1] = {known_of(b.tag, 1, Relation::subset, 0), known_of(a.tag, 1, Relation::superset, to_a)};
    }
    const std::size_t first_side = left_first ? 0 : 1, second_side = 1 - first_side;
    const auto memo = [&](std::size_t side) { return options_.neighbours && pairs ? &here.memos[tag][side] : nullptr; };

    const auto leaf_of = [&](const Node& side) {
        return Outcome{objective_.leaf_penalty(), objective_.leaf_cost(side), PartialTree::leaf()};
    };
    Outcome first = leaf_of(first_node), second = leaf_of(second_node);
    const auto ask_first = [&](Cost budget) {
        first = solve(first_node, size.below(), budget, level + 1, neighbours[first_side], memo(first_side));
        first_bound = std::max(first_bound, first.lower);
    };
    const auto ask_second = [&](Cost budget) {
        second = solve(second_node, size.below(), budget, level + 1, neighbours[second_side], memo(second_side));
        second_bound = std::max(second_bound, second.lower);
    };
    const Cost total = target + slack;
    if (nested && profile.monotone() && !fair) {
        // Without rule Z but with rule M a cut closes the gaps beside it by its own bounds alone, the left side the gap behind it, the
        // right side the one before: each is asked for what that takes. A gap without cuts needs nothing.
        const std::size_t i = profile.point_before(cut);
        const SplitBounds before = profile.points()[i - (cut == profile.points()[i].cut ? 1 : 0)];
        const SplitBounds behind = profile.points()[i + 1];
        const bool gap_before = cut - before.cut > 1, gap_behind = behind.cut > cut + 1;
        const Cost for_left = total - (gap_behind ? behind.right : bounds.right);
        const Cost for_right = total - (gap_before ? before.left : bounds.left);
        ask_first(left_first ? for_left : for_right);
        if ((left_first ? gap_before : gap_behind) || first_bound + second_bound < target)
            ask_second(left_first ? for_right : for_left);
    } else if (!fair) {
        ask_first(total - second_bound);
        if (first_bound + second_bound < total) ask_second(total - first_bound);
    } else {
        // The last part of a proof is the dearest, so each side is asked for its likely share first: the optimum of
        // depth two is a cheap measure, and no side can prove more than it.
        const Cost most_first = solve(first_node, size.pair(), kNoCost, level + 1).upper;
        const Cost most_second = solve(second_node, size.pair(), kNoCost, level + 1).upper;
        const double part = static_cast<double>(most_first) / static_cast<double>(most_first + most_second);
        ask_first(std::max(static_cast<Cost>(part * static_cast<double>(total)), total - most_second));
        if (first_bound + second_bound < total) ask_second(total - first_bound);
        if (first_bound + second_bound < target) ask_first(total - second_bound);
    }
    if (size.leaves != Size::kAny) {
        bounds.sum = share_leaves(node, size, here, at, bounds, target, level, best);
    } else if (first.upper + second.upper < best.upper) {
        const PartialTree plan = remember(node, at, position, (left_first ? first : second).plan,
                                   (left_first ? second : first).plan);
        best.offer(first.upper + second.upper, plan);
    }
    stack_.release(mark);
    bounds.tag = tag;
    profile.insert(bounds);
}

Cost Search::share_leaves(const Node& node, Size size, Level& here, std::size_t at, const SplitBounds& bounds, Cost target,
                          std::size_t level, Outcome& best) {
    if (bounds.left + bounds.right >= target) return 0;
    Cost least = kNoCost;
    for (std::uint32_t on_left = 1; on_left < size.leaves; ++on_left) {
        const Outcome left = solve(here.left, {size.depth - 1, on_left}, target - bounds.right, level + 1);
        Cost sum = left.lower + bounds.right;
        if (sum < target) {
            const std::uint32_t on_right = size.leaves - on_left;
            const Outcome right = solve(here.right, {size.depth - 1, on_right}, target - left.lower, level + 1);
            sum = left.lower + std::max(right.lower, bounds.right);
            if (left.upper + right.upper < best.upper)
                best.offer(left.upper + right.upper, remember(node, at, here.left.n, left.plan, right.plan));
        }
        least = std::min(least, sum);
    }
    return least;
}

Search::Level& Search::level_at(std::size_t level) {
    while (levels_.size() <= level) levels_.push_back(std::make_unique<Level>());
    return *levels_[level];
}

std::size_t Search::bytes() const {
    std::size_t bytes = stack_.bytes() + cache_.bytes() + memos_.bytes() + pool_.capacity() * sizeof(TreePoolNode);
    if (losses_ != nullptr) bytes += losses_->bytes();
    return bytes;
}

void Search::watch_memory() {
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

Statistics Search::statistics() const {
    Statistics result = statistics_;
    result.passes += pairs_->n_passes;
    result.row_steps += pairs_->n_row_steps;
    if (losses_ != nullptr) result += losses_->statistics();
    return result;
}

}  // namespace treewright::ranked
