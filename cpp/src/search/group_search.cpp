#include "treewright/search/group_search.hpp"

#include "search/cost_of_leaves.hpp"
#include <algorithm>
#include <numeric>
#include <utility>

namespace treewright::ranked {

namespace {

constexpr std::uint32_t kQuickDepth = 8, kGreedyDepth = 32;

}  // namespace

bool GroupSearch::fits(const RankedObjective& objective, const Options& options, Size limits) {
    return options.groups && limits.fitted().leaves == Size::kAny && RowGroups::fit(objective.table()) &&
           objective.two_sums().has_value();
}

// What a thread that helps works with; kept from one round to the next.
struct GroupSearch::Helper {
    explicit Helper(const GroupSearch& lead)
        : control(lead.control_.helper()), search(lead.objective_, lead.options_, control, lead.few_, lead.store_) {}
    Control control;
    GroupSearch search;
};

GroupSearch::GroupSearch(const RankedObjective& objective, const Options& options, Control& control, RowGroups groups)
    : GroupSearch(objective, options, control, std::make_shared<const Few>(*objective.two_sums(), std::move(groups)),
                  std::make_shared<Store>(control.limits().bytes, options.threads)) {}

GroupSearch::GroupSearch(const RankedObjective& objective, const Options& options, Control& control,
                         std::shared_ptr<const Few> few, std::shared_ptr<Store> store)
    : objective_(objective),
      table_(objective.table()),
      options_(options),
      control_(control),
      few_(std::move(few)),
      sums_(few_->sums),
      groups_(few_->groups),
      store_(std::move(store)),
      cells_(groups_, sums_, table_.min_leaf, control),
      segmentation_(groups_, sums_, control),
      segments_(options.segments && segmentation_.useful()),
      penalty_(objective.leaf_penalty()),
      n_ones_(groups_.splits.size()),
      key_(groups_.splits.size()),
      by_split_(groups_.splits.size()) {}

GroupSearch::~GroupSearch() { store_->working_memory(counted_bytes_, 0); }

Outcome GroupSearch::run(Size limits) {
    Set root;
    root.rows.clear(groups_.n_sums);
    for (const std::uint32_t g : segmentation_.order()) add(g, root);
    const std::uint32_t limit = limits.fitted().depth, depth = limit + 1 < groups_.n_groups ? limit : kFree;
    const Cost leaf = objective_.leaf_cost(root.rows);
    Outcome best{std::min(leaf, least(root)), leaf, PartialTree::leaf()};
    control_.incumbent(leaf);
    watch_memory();
    const auto better = [&](const Outcome& found) {
        best.offer(found.upper, found.plan);
        control_.incumbent(best.upper);
    };
    // Trees at once, before any limit is looked at; then deeper and deeper.
    better(greedy(root, std::min(depth, kQuickDepth), 1, 0));
    for (std::uint32_t d = std::min(limit, 2u);; d = depth == kFree && d == kRootDeepened ? kFree : d + 1) {
        if (control_.stopped()) return best;
        if (d == 3 && depth > 3) better(greedy(root, std::min(depth, kGreedyDepth), 2, 0));
        at_full_depth_ = d == depth;
        const Outcome found = solve(root, d, best.upper, 0);
        better(found);
        const Cost deeper =
            d == depth ? kNoCost
                       : std::max(at_any_depth(root), root.unavoidable + cost_of_leaves(Cost{d} + 2, penalty_));
        best.lower = std::min(best.upper, std::max(best.lower, std::min(found.lower, deeper)));
        control_.lower_bound(best.lower);
        if (best.exact() || d == depth) break;
    }
    if (best.exact() && worth_a_crew() && !control_.stopped())
        if (const std::optional<PartialTree> first = first_of_equals(root, depth, best.upper, 0)) best.plan = *first;
    return best;
}

Outcome GroupSearch::solve(const Set& set, std::uint32_t depth, Cost budget, std::size_t level) {
    const Cost leaf = objective_.leaf_cost(set.rows), two_leaves = set.unavoidable + 2 * penalty_;
    if (depth == 0 || leaf <= two_leaves || set.groups.size() < 2 || set.rows.n / 2 < table_.min_leaf)
        return {leaf, leaf, PartialTree::leaf()};
    // Trees of more than `max_leaves` leaves cost at least `beyond` >= min(budget, leaf): not wanted.
    Cost beyond = kNoCost;
    const Cost target = std::min(budget, leaf), max_leaves = (target - 1 - set.unavoidable) / penalty_;
    if (max_leaves < 2) return {std::min(leaf, two_leaves), leaf, PartialTree::leaf()};
    const Cost max_depth =
        std::min<Cost>(max_leaves, static_cast<Cost>(set.groups.size())) - 1;  // of a tree that is wanted
    const bool limited = depth != kFree;
    if (max_depth <= Cost{depth}) {
        depth = max_depth <= Cost{kDeepened} ? static_cast<std::uint32_t>(max_depth) : kFree;
        beyond = set.unavoidable + (max_leaves + 1) * penalty_;
    }
    Outcome result = store_->find(set.rows.rows, {depth});
    if (result.exact() || result.lower >= budget) {
        ++statistics_.cache_hits;
    } else if (const Cost any = may_reach(set, depth, budget) ? at_any_depth(set) : 0; any >= budget) {
        result.lower = any;
        ++n_closed_;
    } else {
        const Outcome known = result;
        result = depth == 1 ? stump(set, level) : branch(set, depth, budget, level);
        result.offer(known.upper, known.plan);
        result.lower = std::min(result.upper, std::max({result.lower, known.lower, any}));
        store_->keep(set.rows.rows, {depth}, set.rows.n, result);
        if (segments_ && depth >= kMinSegmented && depth != kFree)
            store_->keep(set.rows.rows, {kFree}, set.rows.n,
                         {std::min(result.lower, set.unavoidable + (Cost{depth} + 2) * penalty_), kNoCost, {}});
    }
    result.lower = std::min(result.lower, beyond);
    // A tree that is wanted is not too deep; another one may be.
    if (limited && depth == kFree && result.upper >= target) result.upper = kNoCost;
    result.offer(leaf, PartialTree::leaf());
    return result;
}

// At depth three one call of the kernel takes hardly more than the bound does, where it is not known.
bool GroupSearch::may_reach(const Set& set, std::uint32_t depth, Cost target) const {
    if (!segments_ || depth < kMinSegmented) return false;
    return depth > kMinSegmented || store_->find(set.rows.rows, {kFree}).lower > 0 || some_clusters(set) >= target;
}

Cost GroupSearch::some_clusters(const Set& set) const {
    return segmentation_.some_clusters(set.groups, objective_.leaf_cost(set.rows));
}

Cost GroupSearch::at_any_depth(const Set& set) {
    if (!segments_) return 0;
    const Cost known = store_->find(set.rows.rows, {kFree}).lower;
    if (known > 0) return known;
    // What it costs against what it saved: if too little, one of some sets is tried.
    const std::int64_t saved = n_closed_ * (cells_.n_cells / std::max<std::int64_t>(cells_.n_solves, 1));
    if (segmentation_.n_values > kFreeValues + saved * kValuesPerCell && ++n_passed_over_ % kTriedSets != 0) return 0;
    const Cost bound = std::max<Cost>(segmentation_.bound(set.groups, objective_.leaf_cost(set.rows)), 1);
    store_->keep(set.rows.rows, {kFree}, set.rows.n, {bound, kNoCost, {}});
    return bound;
}

Outcome GroupSearch::branch(const Set& set, std::uint32_t depth, Cost budget, std::size_t level) {
    ++statistics_.nodes;
    Outcome best{least(set), objective_.leaf_cost(set.rows), PartialTree::leaf()};
    if (depth > 3) {
        const std::uint32_t less = depth == kFree ? kDeepened : depth - 1;
        const Outcome shallower = solve(set, less, std::min(best.upper, budget), level);
        best.offer(shallower.upper, shallower.plan);
        const Cost deeper = set.unavoidable + cost_of_leaves(Cost{less} + 2, penalty_);
        if (std::min(best.upper, budget) <= deeper) {
            best.lower = std::min({best.upper, shallower.lower, deeper});
            return best;
        }
        if (control_.stopped()) return best;
    }
    Level& here = level_at(level);
    find_columns(set, here);
    if (here.columns.empty()) {
        best.lower = best.upper;
        return best;
    }
    bound_roots(set, depth, here);
    std::sort(here.roots.begin(), here.roots.end(), [](const Root& a, const Root& b) {
        return a.bound != b.bound ? a.bound < b.bound : a.likely != b.likely ? a.likely < b.likely : a.split < b.split;
    });
    Hunt hunt{set, depth, budget, level, here.roots, best};
    work_together(hunt);
    best = hunt.best;
    best.lower = best.upper;
    for (const Root& root : here.roots) best.lower = std::min(best.lower, root.bound);
    return best;
}

void GroupSearch::work_together(Hunt& hunt) {
    if (control_.in_crew() || options_.threads < 2 || hunt.depth < kMinShared || !worth_a_crew())
        return work(hunt, nullptr);
    Crew crew(control_);
    work(hunt, &crew);
    crew.watch();
    crew.finish();
}

// As many as have room for what they add up.
void GroupSearch::call_helpers(Hunt& hunt, Crew& crew) {
    const std::size_t one = kBytesPerPair * groups_.splits.size() * groups_.splits.size();
    const std::size_t most = std::min<std::size_t>(options_.threads - 1, control_.limits().bytes / 4 / one);
    while (helpers_.size() < most) helpers_.push_back(std::make_unique<Helper>(*this));
    for (const auto& helper : helpers_) helper->control = control_.helper();  // the crew may be another
    hunt.shared = true;
    crew.call(helpers_, [&hunt](Helper& helper) { helper.search.work(hunt, nullptr); });
}

void GroupSearch::work(Hunt& hunt, Crew* crew) {
    for (bool first = true;; first = false) {
        // The first root of all rows is settled together, one level below.
        if (crew != nullptr && !crew->called() && !(first && hunt.level == 0)) call_helpers(hunt, *crew);
        Root* root = nullptr;
        Cost known = 0;
        {
            const auto held = hunt.lock();
            known = hunt.best.upper;
            if (hunt.next == hunt.roots.size() || hunt.roots[hunt.next].bound >= std::min(known, hunt.budget) ||
                control_.stopped())
                return;
            root = &hunt.roots[hunt.next++];
        }
        const Outcome found = settle(hunt, *root, known);
        const auto held = hunt.lock();
        hunt.best.offer(found.upper, found.plan);
        if (hunt.level == 0 && at_full_depth_) control_.incumbent(hunt.best.upper);
    }
}

Outcome GroupSearch::settle(const Hunt& hunt, Root& root, Cost known) {
    const std::uint32_t depth = hunt.depth;
    const Cost target = std::min(known, hunt.budget);
    Level& here = level_at(hunt.level);
    part(hunt.set, root.split, here.ones, here.zeros);
    if (!legal(here.ones, here.zeros)) {
        root.bound = kNoCost;
        return {};
    }
    const bool ones_first = here.ones.rows.n >= here.zeros.rows.n;
    const Set &first_set = ones_first ? here.ones : here.zeros, &second_set = ones_first ? here.zeros : here.ones;
    Cost min_first = least(first_set), min_second = least(second_set), likely_second = min_second;
    const bool one_call = segments_ && depth == kMinSegmented + 1;  // of the kernel, for each side
    bool by_clusters = depth > kMinSegmented;
    if (one_call) {
        // Not where the cost of some clusters tells that the bound of the cheapest ones leaves this root open.
        likely_second = std::max(likely_second, some_clusters(second_set));
        by_clusters = some_clusters(first_set) + likely_second >= target;
    }
    if (by_clusters) {
        min_first = std::max(min_first, at_any_depth(first_set));
        if (!one_call || min_first + likely_second >= target)
            likely_second = min_second = std::max(min_second, at_any_depth(second_set));
        root.bound = std::max(root.bound, min_first + min_second);
        if (root.bound >= target) {
            ++n_closed_;
            return {};
        }
    }
    // The first side is solved for what the second one is likely to cost: its tree is looked for later, if the bound of
    // the second one leaves the root open.
    const std::size_t below = hunt.level + 1;
    Outcome first = solve(first_set, one_less(depth), target - likely_second, below);
    min_first = std::max(min_first, first.lower);
    root.bound = std::max(root.bound, min_first + min_second);
    if (root.bound >= target) return {};
    const Outcome second = solve(second_set, one_less(depth), target - min_first, below);
    root.bound = std::max(root.bound, min_first + second.lower);
    if (root.bound < target && !first.exact()) {
        first = solve(first_set, one_less(depth), target - second.lower, below);
        root.bound = std::max(root.bound, first.lower + second.lower);
    }
    const Cost cost = first.upper + second.upper;
    if (cost >= known) return {};
    watch_memory();
    const Outcome &ones = ones_first ? first : second, &zeros = ones_first ? second : first;
    return {0, cost, remember(root.split, ones.plan, zeros.plan)};
}

Outcome GroupSearch::stump(const Set& set, std::size_t level) {
    const Cost leaf = objective_.leaf_cost(set.rows);
    Outcome best{leaf, leaf, PartialTree::leaf()};
    Level& here = level_at(level);
    find_columns(set, here);
    for (Node& ones : by_split_) ones.clear(groups_.n_sums);
    for (const std::uint32_t g : set.groups) {
        const Node& group = groups_.group[g];
        for (const std::uint32_t split : groups_.ones(g)) {
            Node& to = by_split_[split];
            to.n += group.n;
            for (std::size_t k = 0; k < groups_.n_sums; ++k) to.sums[k] += group.sums[k];
        }
    }
    Node& rest = here.zeros.rows;
    rest.clear(groups_.n_sums);
    std::uint32_t found = 0;
    for (const std::uint32_t split : here.columns) {
        const Node& ones = by_split_[split];
        rest.n = set.rows.n - ones.n;
        if (ones.n < table_.min_leaf || rest.n < table_.min_leaf) continue;
        for (std::size_t k = 0; k < groups_.n_sums; ++k) rest.sums[k] = set.rows.sums[k] - ones.sums[k];
        const Cost cost = objective_.leaf_cost(ones) + objective_.leaf_cost(rest);
        if (cost >= best.upper) continue;
        best.upper = best.lower = cost;
        found = split + 1;
    }
    if (found > 0) best.plan = remember(found - 1, PartialTree::leaf(), PartialTree::leaf());
    return best;
}

Outcome GroupSearch::greedy(const Set& set, std::uint32_t depth, std::uint32_t look, std::size_t level) {
    const Outcome top = solve(set, std::min(depth, look), kNoCost, level);
    if (depth <= look || top.plan.kind() != PartialTree::Kind::node || (look > 1 && control_.stopped())) return top;
    Set ones, zeros;
    part(set, store_->planted(top.plan).column, ones, zeros);
    const Outcome a = greedy(ones, depth - 1, look, level), b = greedy(zeros, depth - 1, look, level);
    Outcome result = top;
    if (a.upper + b.upper < result.upper)
        result.offer(a.upper + b.upper, remember(store_->planted(top.plan).column, a.plan, b.plan));
    return result;
}

void GroupSearch::part(const Set& set, std::uint32_t split, Set& ones, Set& zeros) const {
    for (Set* side : {&ones, &zeros}) {
        side->groups.clear();
        side->rows.clear(groups_.n_sums);
        side->unavoidable = 0;
    }
    for (const std::uint32_t g : set.groups) groups_.is_one(g, split) ? add(g, ones) : zeros.groups.push_back(g);
    zeros.rows.n = set.rows.n - ones.rows.n;
    for (std::size_t k = 0; k < groups_.n_sums; ++k) zeros.rows.sums[k] = set.rows.sums[k] - ones.rows.sums[k];
    zeros.rows.rows = set.rows.rows;
    zeros.rows.rows.subtract(ones.rows.rows);
    zeros.unavoidable = set.unavoidable - ones.unavoidable;
}

bool GroupSearch::legal(const Set& ones, const Set& zeros) const {
    return ones.rows.n >= table_.min_leaf && zeros.rows.n >= table_.min_leaf;
}

void GroupSearch::add(std::uint32_t g, Set& set) const {
    const Node& group = groups_.group[g];
    set.groups.push_back(g);
    set.rows.n += group.n;
    for (std::size_t k = 0; k < groups_.n_sums; ++k) set.rows.sums[k] += group.sums[k];
    set.rows.rows.add(group.rows);
    set.unavoidable += groups_.loss[g];
}

PartialTree GroupSearch::remember(std::uint32_t split, PartialTree ones, PartialTree zeros) {
    return store_->plant({split, 0, ones, zeros});
}

std::vector<TreeNode> GroupSearch::write(PartialTree plan) const {
    std::vector<std::uint32_t> all(groups_.n_groups);
    std::iota(all.begin(), all.end(), 0u);
    std::vector<TreeNode> tree;
    write(plan, all, tree);
    return tree;
}

void GroupSearch::write(PartialTree plan, const std::vector<std::uint32_t>& groups, std::vector<TreeNode>& tree) const {
    tree.push_back({});
    if (plan.kind() != PartialTree::Kind::node) return;
    const TreePoolNode top = store_->planted(plan);
    const RowGroups::Split& split = groups_.splits[top.column];
    std::vector<std::uint32_t> left, right;
    std::uint32_t low = 0, high = TreeNode::kLeaf;
    for (const std::uint32_t g : groups) {
        const std::uint32_t rank = table_.rank_of(split.column, groups_.row[g]);
        if (rank < split.rank) {
            left.push_back(g);
            low = std::max(low, rank);
        } else {
            right.push_back(g);
            high = std::min(high, rank);
        }
    }
    tree.back() = {split.column, low, high};
    write(split.ones_left ? top.left : top.right, left, tree);
    write(split.ones_left ? top.right : top.left, right, tree);
}

GroupSearch::Level& GroupSearch::level_at(std::size_t level) {
    while (levels_.size() <= level) levels_.push_back(std::make_unique<Level>());
    return *levels_[level];
}

bool GroupSearch::worth_a_crew() const { return cells_.n_cells * kWorkPerCell >= options_.alone_work; }

void GroupSearch::watch_memory() {
    const std::size_t own = cells_.bytes();
    store_->working_memory(counted_bytes_, own);
    counted_bytes_ = own;
    const std::size_t bytes = groups_.bytes() + store_->bytes();
    statistics_.bytes = std::max(statistics_.bytes, bytes);
    control_.bytes(bytes);
    if (bytes > control_.limits().bytes) control_.halt(Stop::memory);
}

Statistics GroupSearch::statistics() const {
    Statistics result = statistics_;
    result.passes += cells_.n_solves;
    result.row_steps += cells_.n_cells;
    for (const auto& helper : helpers_) result += helper->search.statistics();
    return result;
}

}  // namespace treewright::ranked
