// The splits of one node, lowest bound first: taken, solved on both sides, told to the profiles. By one thread, or by
// several (ranked_search.hpp says why they may).
#include "treewright/search/ranked_search.hpp"

#include "ranked_threads.hpp"

#include <algorithm>

namespace treewright::ranked {

namespace {

// Lowest bound first; among equals the widest gap, then the lowest column and split, so that every run is the same.
constexpr auto later = [](const auto& a, const auto& b) {
    if (a.bound != b.bound) return a.bound > b.bound;
    if (a.width != b.width) return a.width < b.width;
    if (a.column != b.column) return a.column > b.column;
    if (a.left_split != b.left_split) return a.left_split > b.left_split;
    return a.is_split < b.is_split;
};

constexpr Gap kClosed{1, 0, 0};

}  // namespace

Gap Search::Hunt::wanted(std::size_t at, Gap gap) const {
    if (!equals || at < first.at) return gap;
    if (at > first.at || gap.first >= first.split) return kClosed;
    gap.last = std::min(gap.last, first.split - 1);
    return gap;
}

void Search::open_all(Hunt& hunt) const {
    Level& here = hunt.here;
    const Cost target = hunt.target();
    here.heap.clear();
    for (std::size_t at = 0; at < hunt.node.columns.size(); ++at) {
        const IntervalBounds& profile = here.profiles[at];
        const auto column = static_cast<std::uint32_t>(at);
        for (std::size_t i = 0; i + 1 < profile.points().size(); ++i) {
            const SplitBounds& point = profile.points()[i];
            if (profile.open(point, target)) here.heap.push_back({point.cost(), 0, column, point.split, true});
            const Gap gap = profile.gap(i, target);
            if (gap.open()) here.heap.push_back({gap.bound, gap.last - gap.first, column, point.split, false});
        }
    }
    std::make_heap(here.heap.begin(), here.heap.end(), later);
}

std::optional<Search::Question> Search::next(Hunt& hunt) {
    auto& heap = hunt.here.heap;
    while (!heap.empty()) {
        const Cost target = hunt.target();
        const Level::Open top = heap.front();
        if (hunt.last_round) {
            const Cost asked = hunt.asked.empty() ? target : *hunt.asked.begin();
            control_.lower_bound(std::min({top.bound, target, asked}));
        }
        if (top.bound >= target) break;
        std::pop_heap(heap.begin(), heap.end(), later);
        heap.pop_back();
        const IntervalBounds& profile = hunt.here.profiles[top.column];
        const std::size_t point = profile.point_before(top.left_split);
        const SplitBounds &before = profile.points()[point], &behind = profile.points()[point + 1];
        const Gap gap = hunt.wanted(
            top.column, top.is_split ? Gap{top.left_split, top.left_split, before.cost()} : profile.gap(point, target));
        if (!gap.open()) continue;
        if (gap.bound > top.bound) {  // its neighbours have risen since: back in the queue
            if (gap.bound >= target) continue;
            heap.push_back({gap.bound, gap.last - gap.first, top.column, top.left_split, top.is_split});
            std::push_heap(heap.begin(), heap.end(), later);
            continue;
        }
        return Question{top, gap, target, before, behind};
    }
    return std::nullopt;
}

Search::Sides Search::prepare(Hunt& hunt, const Question& question) {
    Level& here = hunt.here;
    const std::size_t column = question.from.column;
    const IntervalBounds& profile = here.profiles[column];
    const Gap gap = question.gap;
    const std::uint32_t split = gap.first + (gap.last - gap.first) / 2;
    Cost reach = std::max(profile.span_between(gap.first, split), profile.span_between(split, gap.last));
    const std::size_t i = profile.point_before(split);
    if (question.from.is_split) {  // the half of what is open beside it
        for (const std::size_t side : {i - 1, i}) {
            const Gap beside = profile.gap(side, question.target);
            if (beside.open()) reach = std::max(reach, profile.span_between(beside.first, beside.last) / 2);
        }
    }
    const bool pairs = hunt.size.depth == 3;
    const double share = pairs ? kPairSlack * options_.slack : options_.slack;
    Sides sides{column, split, question.target, static_cast<Cost>(share * static_cast<double>(reach)),
                profile.bounds(split)};
    const SplitBounds &a = profile.points()[i], &b = profile.points()[i + 1];
    if (!objective_.laws().similar) {
        // Without rule Z but with rule M a split closes the gaps beside it by its own bounds alone, the left side the
        // gap behind it, the right side the one before: each is asked for what that takes. A gap without splits needs
        // nothing.
        sides.slack = question.target / kNestedSlack;
        const Cost total = question.target + sides.slack;
        const SplitBounds& before = profile.points()[i - (split == a.split ? 1 : 0)];
        sides.closes_gap = {b.split > split + 1, split - before.split > 1};
        sides.budgets = {total - (sides.closes_gap[0] ? b.right : sides.bounds.right),
                         total - (sides.closes_gap[1] ? before.left : sides.bounds.left)};
    }
    sides.bounds.tag = SplitBounds::kNoTag;
    if (!options_.neighbours) return sides;
    // The nearest splits solved here, before and behind: L_before in L in L_behind, and R_behind in R in R_before.
    // Points between them that come from elsewhere know nothing of their sides.
    std::size_t before = i, behind = i + 1;
    while (before > 0 && profile.points()[before].tag == SplitBounds::kNoTag) --before;
    while (behind + 1 < profile.points().size() && profile.points()[behind].tag == SplitBounds::kNoTag) ++behind;
    const SplitBounds &of_before = profile.points()[before], &of_behind = profile.points()[behind];
    const Cost to_before = profile.span_between(of_before.split, split);
    const Cost to_behind = profile.span_between(split, of_behind.split);
    const auto known_of = [&](std::uint32_t of, std::size_t side, Relation relation, Cost loss) {
        if (of == SplitBounds::kNoTag) return Neighbour{};
        return pairs ? Neighbour{&here.memos[of][side], {}, relation, loss, true}
                     : Neighbour{nullptr, here.rows[of][side], relation, loss, true};
    };
    sides.neighbours[0] = {known_of(of_before.tag, 0, Relation::subset, 0),
                           known_of(of_behind.tag, 0, Relation::superset, to_behind)};
    sides.neighbours[1] = {known_of(of_behind.tag, 1, Relation::subset, 0),
                           known_of(of_before.tag, 1, Relation::superset, to_before)};
    // A tag is in the profile once the split is solved, and not looked up before.
    sides.bounds.tag = static_cast<std::uint32_t>(pairs ? here.memos.size() : here.rows.size());
    if (pairs) {
        auto& memos = here.memos.emplace_back();
        sides.memos = {&memos[0], &memos[1]};
    } else {
        here.rows.emplace_back();
    }
    return sides;
}

void Search::evaluate(const Hunt& hunt, Sides& sides, Outcome& best) {
    const Node& node = hunt.node;
    const Size size = hunt.size;
    const IntervalBounds& profile = hunt.here.profiles[sides.at];  // of it only what never changes
    Level& own = level_at(hunt.level);
    const std::uint32_t position = profile.position(sides.split);
    const Stack::Mark mark = stack_.mark();
    divide(objective_, node, sides.at, position, stack_, goes_left_, own.left, own.right);
    watch_memory();

    const std::array<const Node*, 2> rows{&own.left, &own.right};
    const std::array<Cost*, 2> bound{&sides.bounds.left, &sides.bounds.right};
    std::array<Outcome, 2> found;
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}})
        found[side] = {objective_.leaf_penalty(), objective_.leaf_cost(*rows[side]), PartialTree::leaf()};
    const auto ask = [&](std::size_t side, Cost budget) {
        found[side] =
            solve(*rows[side], size.below(), budget, hunt.level + 1, sides.neighbours[side], sides.memos[side]);
        *bound[side] = std::max(*bound[side], found[side].lower);
    };
    const auto is_below = [&](Cost total) { return *bound[0] + *bound[1] < total; };
    const std::size_t first = own.left.n >= own.right.n ? 0 : 1, second = 1 - first;
    const Cost target = sides.target;
    if (options_.fair_shares && size.depth >= 4) {
        // The last part of a proof is the dearest, so each side is asked for its likely share first: the optimum of
        // depth two is a cheap measure, and no side can prove more than it.
        const Cost total = target + std::min(sides.slack, target / 8);
        const Cost max_first = solve(*rows[first], size.pair(), kNoCost, hunt.level + 1).upper;
        const Cost max_second = solve(*rows[second], size.pair(), kNoCost, hunt.level + 1).upper;
        const double part = static_cast<double>(max_first) / static_cast<double>(max_first + max_second);
        ask(first, std::max(static_cast<Cost>(part * static_cast<double>(total)), total - max_second));
        if (is_below(total)) ask(second, total - *bound[first]);
        if (is_below(target)) ask(first, total - *bound[second]);
    } else if (!objective_.laws().similar && profile.monotone()) {
        ask(first, sides.budgets[first]);
        if (sides.closes_gap[second] || is_below(target)) ask(second, sides.budgets[second]);
    } else {
        const Cost total = target + sides.slack;
        ask(first, total - *bound[second]);
        if (is_below(total)) ask(second, total - *bound[first]);
    }
    if (size.leaves != Size::kAny)
        sides.bounds.sum = share_leaves(hunt, sides, best);
    else if (found[0].upper + found[1].upper < best.upper)
        best.offer(found[0].upper + found[1].upper, remember(node, sides.at, position, found[0].plan, found[1].plan));
    stack_.release(mark);
}

Cost Search::share_leaves(const Hunt& hunt, const Sides& sides, Outcome& best) {
    const SplitBounds& bounds = sides.bounds;
    const Cost target = sides.target;
    const std::uint32_t depth = hunt.size.depth - 1, leaves = hunt.size.leaves;
    const Level& own = level_at(hunt.level);
    if (bounds.left + bounds.right >= target) return 0;
    Cost least = kNoCost;
    for (std::uint32_t on_left = 1; on_left < leaves; ++on_left) {
        const Outcome left = solve(own.left, {depth, on_left}, target - bounds.right, hunt.level + 1);
        Cost sum = left.lower + bounds.right;
        if (sum < target) {
            const Outcome right = solve(own.right, {depth, leaves - on_left}, target - left.lower, hunt.level + 1);
            sum = left.lower + std::max(right.lower, bounds.right);
            if (left.upper + right.upper < best.upper)
                best.offer(left.upper + right.upper, remember(hunt.node, sides.at, own.left.n, left.plan, right.plan));
        }
        least = std::min(least, sum);
    }
    return least;
}

void Search::absorb(Hunt& hunt, const Question& question, const Sides& sides, const Outcome& found) {
    Level& here = hunt.here;
    IntervalBounds& profile = here.profiles[sides.at];
    profile.insert(sides.bounds);
    if (hunt.equals) {
        if (found.upper < hunt.budget) hunt.first = std::min(hunt.first, Place{sides.at, sides.split});
    } else if (found.upper < hunt.best.upper) {
        hunt.best.offer(found.upper, found.plan);
        if (hunt.of_all_rows) control_.incumbent(found.upper);
        hunt.better = true;
    }
    if (question.from.is_split) return;
    const Cost target = hunt.target();
    const auto push = [&](std::size_t point) {
        const Gap gap = profile.gap(point, target);
        if (!gap.open() || gap.bound >= target) return;
        here.heap.push_back(
            {gap.bound, gap.last - gap.first, question.from.column, profile.points()[point].split, false});
        std::push_heap(here.heap.begin(), here.heap.end(), later);
    };
    const std::size_t point = profile.point_before(sides.split);
    push(point - 1);
    push(point);
}

void Search::work(Hunt& hunt, Crew* crew) {
    Level& own = level_at(hunt.level);
    std::unique_lock lock(hunt.mutex);
    while (!control_.stopped()) {
        if (crew != nullptr && hunt.level == 0 && hunt.better && on_better_) {
            const PartialTree plan = hunt.best.plan;
            hunt.better = false;
            lock.unlock();
            on_better_(plan);
            lock.lock();
            continue;
        }
        const std::optional<Question> question = next(hunt);
        if (!question) {
            if (hunt.asked.empty()) break;
            hunt.changed.wait_for(lock, kGlance);
            lock.unlock();  // the caller's report may take its time
            control_.glance();
            lock.lock();
            continue;
        }
        if (crew != nullptr) call_helpers(hunt, *crew);
        const auto asked = hunt.asked.insert(question->from.bound);
        bool closed = false;
        if (rows_between_may_close(hunt, *question)) {
            lock.unlock();
            const Cost sum = rows_between_add(hunt, *question);
            lock.lock();
            IntervalBounds& profile = hunt.here.profiles[question->from.column];
            const std::size_t point = profile.point_before(question->before.split);
            if (sum > 0) profile.add_between(point, sum);
            closed = !profile.gap(point, question->target).open();
            statistics_.gaps_closed += closed ? 1 : 0;
        }
        if (!closed) {
            Sides sides = prepare(hunt, *question);
            Outcome found{0, hunt.equals || hunt.within != nullptr ? hunt.budget : hunt.best.upper, {}};
            lock.unlock();
            evaluate(hunt, sides, found);
            lock.lock();
            if (hunt.within != nullptr) {
                if (control_.stopped()) break;
                // Below the budget both sides were asked for more than they cost, so their bounds are their optima.
                if (found.upper < hunt.budget)
                    hunt.within->push_back({static_cast<std::uint32_t>(sides.at),
                                            hunt.here.profiles[sides.at].position(sides.split), sides.bounds.left,
                                            sides.bounds.right});
                found = Outcome{};
            }
            if (sides.bounds.tag != SplitBounds::kNoTag && hunt.size.depth > 3)
                hunt.here.rows[sides.bounds.tag] = {own.left.rows, own.right.rows};
            absorb(hunt, *question, sides, found);
        }
        hunt.asked.erase(asked);
        hunt.changed.notify_all();
    }
}

}  // namespace treewright::ranked
