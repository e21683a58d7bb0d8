#include "treewright/search/schedule.hpp"

#include "treewright/search/front.hpp"
#include "treewright/search/price_stages.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace treewright::binary {

namespace {

// The first stage, in plain steps. Past 1, so that the dense program is tried before prices are made; with a limit on
// leaves long: 2 took three times as long on tic-tac-toe with 12 and 20 leaves, and 10 half as long again on compas.
constexpr std::int64_t kFirstStage = 2, kFirstStageWithLeafLimit = 10;
constexpr std::int64_t kMostPlainSteps = std::numeric_limits<std::int64_t>::max() / kFirstStageWithLeafLimit;

// With a limit of depth a set of rows is met under several depths, which costs more than it saves where much depth is
// left: audiology at .005 (depth 8) is proven in 4 s instead of not in 60; kr-vs-kp (14) and lymph (13) would take
// twice as long.
constexpr std::int32_t kMaxImpliedDepth = 8;

// Of the recheck of guesses: the fewest steps it gets, its steps before dives with discrepancies, good trees of hard
// problems, and its seconds.
constexpr std::int64_t kMinRecheckSteps = 500, kPlainRecheckSteps = 250;
constexpr double kRecheckSeconds = 1.0;

// Whether a limit on leaves removes no tree: a tree has at most a leaf for each distinct row, and 2^max_depth.
bool cannot_bind(const Dataset& data, const Settings& settings) {
    return static_cast<std::size_t>(settings.max_leaves) >= data.n_rows ||
           (settings.max_depth < 31 && settings.max_leaves >> settings.max_depth != 0);
}

// Whether a tree of more leaves could cost at most `cost`.
bool binds(const Settings& settings, std::int64_t cost) {
    return settings.leaf_penalty == 0 || settings.max_leaves < cost / settings.leaf_penalty;
}

template <class Acc>
class Schedule {
   public:
    Schedule(const Dataset& data, const Settings& settings, const RowPriceSource& source, Control& control,
             std::unique_ptr<Search<Acc>>* kept = nullptr)
        : data_(data),
          settings_(settings),
          control_(control),
          kept_(kept),
          stages_(source,
                  (settings.max_leaves > 0 ? kFirstStageWithLeafLimit : kFirstStage) *
                      std::min(settings.options.plain_steps, kMostPlainSteps),
                  control) {}

    Outcome run() {
        if (settings_.max_leaves > 0) {
            search_within_leaf_limit();
        } else {
            search_without_leaf_limit();
        }
        // A stop while the tree was being written may have left a worse one than was proven to exist.
        if (out_.bounds.upper < kInfinity) out_.bounds.upper = cost(out_.shape);
        out_.stop = control_.reason();
        out_.prices = stages_.prices();
        return std::move(out_);
    }

   private:
    void search_without_leaf_limit() {
        settings_.first_of_equals = ties_can_be_broken();
        auto search = std::make_unique<Search<Acc>>(data_, settings_, std::span<const std::int64_t>{}, control_);
        Bounds known = search->run_plain();
        if (!known.exact() && !control_.ended()) known = search->try_dense_program(known);
        const std::int32_t depth = implied_depth(known.upper);
        if (known.exact() || control_.ended() || depth > kMaxImpliedDepth || depth >= settings_.max_depth) {
            out_.bounds = raise(*search, known);
            out_.shape = search->tree(out_.bounds);
            end(std::move(search));
        } else {
            search_shallow_trees(*search, known, depth);
            account(*search);
        }
    }

    // Whether the first of equal trees can be told for about nothing once the least cost is proven. The dense program
    // has its own. Row prices, which may end a search, say of every split that it costs at least as much, and of none
    // that it costs more. Guesses depend on the order of the search.
    [[nodiscard]] bool ties_can_be_broken() const {
        return depth_for(settings_.max_depth, data_.n_columns) != kUnlimited && stages_.without() &&
               data_.guess.empty();
    }

    // Trees that are no deeper than one of cost known.upper can be.
    void search_shallow_trees(Search<Acc>& any_depth, Bounds known, std::int32_t depth) {
        Settings settings = settings_;
        settings.max_depth = depth;
        auto shallow = std::make_unique<Search<Acc>>(data_, settings, std::span<const std::int64_t>{}, control_,
                                                     any_depth.bytes());
        shallow->begin_together();
        const Bounds found = shallow->run_plain();
        known.upper = std::min(known.upper, found.upper);
        known.lower = std::min(known.upper, std::max(known.lower, found.lower));
        out_.bounds = raise(*shallow, known);
        out_.shape = shallow->tree(out_.bounds);
        if (control_.ended() || cost(out_.shape) > out_.bounds.upper) {  // the first search may have the better tree
            Shape other = any_depth.tree();
            if (cost(other) < cost(out_.shape)) out_.shape = std::move(other);
        }
        end(std::move(shallow));
    }

    // A search that has done its work; it is kept for what is asked next, if anything is.
    void end(std::unique_ptr<Search<Acc>> search) {
        account(*search);
        if (kept_ == nullptr || control_.ended()) return;
        search->use_prices({});  // they end with this run
        *kept_ = std::move(search);
    }

    // The depth of the deepest tree that costs at most `upper`: L leaves cost L * c or more, as no row costs less than
    // 0, and a tree of L leaves is at most L - 1 deep. So no deeper tree is better than one of cost `upper`, and the
    // best tree within this depth is the best of all.
    [[nodiscard]] std::int32_t implied_depth(std::int64_t upper) const {
        if (settings_.leaf_penalty == 0 || upper >= kInfinity) return kUnlimited;
        return static_cast<std::int32_t>(std::min<std::int64_t>(kUnlimited, upper / settings_.leaf_penalty - 1));
    }

    // The bound raised in stages, between which prices are made.
    Bounds raise(Search<Acc>& search, Bounds known) {
        while (!known.exact() && !control_.ended()) {
            known = search.raise_bound(known, stages_.steps_left());
            if (known.exact() || control_.ended() || stages_.last()) break;
            stages_.next(known);
            search.use_prices(stages_.in_use());
        }
        return known;
    }

    void search_within_leaf_limit() {
        std::optional<FrontSearch<Acc>> front(std::in_place, data_, settings_, control_);
        front->start();
        Bounds best = front->at_penalty();
        if (best.upper < kInfinity) control_.incumbent(best.upper);
        for (bool first = true;; first = false) {
            Settings plain = settings_;
            if (!first) plain.options.plain_steps = stages_.steps() / 2;
            {
                Search<Acc> unlimited(data_, plain, stages_.in_use(), control_, front->bytes());
                const Bounds found = unlimited.run_plain();
                best.lower = std::min(best.upper, std::max(best.lower, found.lower));
                if (found.exact() || control_.ended()) take(unlimited, found, best);
                const bool slack =
                    !best.exact() && !control_.ended() && !binds(settings_, std::min(best.upper, found.upper));
                if (slack) {
                    take(*front, best);
                    front.reset();
                    unlimited.ignore_leaf_limit();
                    Bounds whole = found;
                    if (!whole.exact()) whole = unlimited.try_dense_program(whole);
                    whole = raise(unlimited, whole);
                    best.lower = std::min(best.upper, std::max(best.lower, whole.lower));
                    take(unlimited, whole, best);
                }
                account(unlimited);
                if (slack) break;
            }
            if (!best.exact() && !control_.ended()) {
                control_.pause_after(stages_.steps_left());
                best = front->run_at_penalty(best);
                control_.resume();
            }
            if (best.exact() || control_.ended() || stages_.last()) break;
            stages_.next(best);
            if (control_.ended()) break;
        }
        if (front) take(*front, best);
        out_.bounds = best;
    }

    // Takes the tree of a search without the limit if it keeps the limit and is as good as the best.
    void take(Search<Acc>& unlimited, const Bounds& found, Bounds& best) {
        if (found.upper >= kInfinity && best.upper < kInfinity) return;
        Shape shape = unlimited.tree(found);
        const std::int64_t value = found.upper < kInfinity ? cost(shape) : kInfinity;
        if (count_leaves(shape) > settings_.max_leaves || value > best.upper) return;
        if (!out_.shape.empty() && value == best.upper) return;
        best.upper = value;
        out_.shape = std::move(shape);
    }

    // Takes the front's tree if it is the best, at the end of the front.
    void take(FrontSearch<Acc>& front, const Bounds& best) {
        if (out_.shape.empty() || best.upper < cost(out_.shape)) out_.shape = front.tree_at_penalty();
        account(front);
    }

    [[nodiscard]] std::int64_t cost(const Shape& shape) const {
        return cost_of(data_, shape, settings_.leaf_penalty, settings_.unit_shift);
    }

    template <class Engine>
    void account(const Engine& engine) {
        out_.cache_entries = std::max(out_.cache_entries, engine.cache().size());
        out_.cache_shed += engine.cache().shed_count();
        out_.bytes = std::max(out_.bytes, engine.bytes());
    }

    const Dataset& data_;
    Settings settings_;
    Control& control_;
    std::unique_ptr<Search<Acc>>* kept_;
    RowPriceStages stages_;
    Outcome out_;
};

// Of trees that cost `out.bounds.upper`, which is proven least, one with the fewest leaves. Each costs one unit here,
// all together less than one weight unit, so a tree of more weight is never preferred.
template <class Acc>
void find_fewest_leaves(const Dataset& data, Settings settings, Outcome& out, Control& control) {
    const std::int64_t leaves = count_leaves(out.shape);
    out.leaves_exact = leaves == 1;
    if (out.leaves_exact || control.ended()) return;
    settings.leaf_penalty = 1;
    const RowPriceSource none;
    const Outcome found = Schedule<Acc>(data, settings, none, control).run();
    out.leaves_exact = found.bounds.exact();
    if (count_leaves(found.shape) < leaves && cost_of(data, found.shape, 0, settings.unit_shift) <= out.bounds.upper)
        out.shape = found.shape;
    out.cache_entries = std::max(out.cache_entries, found.cache_entries);
    out.cache_shed += found.cache_shed;
    out.bytes = std::max(out.bytes, found.bytes);
}

// The guesses of the reduced rows, no higher than what the tree pays for each; false if none is lower than before.
bool lower_guesses(const Dataset& data, const Shape& shape, std::vector<std::int64_t>& guess) {
    guess = data.guess;
    for_each_leaf(data, shape, [&](const std::vector<std::uint32_t>& rows, std::size_t predicted, std::int64_t) {
        for (const std::uint32_t r : rows) guess[r] = std::min(guess[r], data.cost[r * data.n_classes + predicted]);
    });
    return guess != data.guess;
}

// Searches shortly with a lower guess, if the tree found shows that there is one.
template <class Acc>
std::optional<Recheck> recheck_guess(const Dataset& data, Settings settings, const Shape& found,
                                     const RecheckBudget& budget, Control& control) {
    const std::int64_t wanted = std::max(kMinRecheckSteps, (budget.steps_before + control.steps()) / 4);
    const std::int64_t steps = std::min(wanted, budget.max_steps - control.steps());
    const double seconds = std::min(kRecheckSeconds, control.limits().seconds - control.seconds());
    std::vector<std::int64_t> lower;
    if (steps <= 0 || seconds <= 0 || !lower_guesses(data, found, lower)) return {};
    Dataset repaired = data;
    repaired.guess = std::move(lower);
    settings.options.plain_steps = std::min(kPlainRecheckSteps, settings.options.plain_steps);
    settings.options.lattice = false;
    Recheck out;
    out.guess = std::accumulate(repaired.guess.begin(), repaired.guess.end(), std::int64_t{0});
    control.run_part({seconds, steps, control.limits().bytes}, [&](Control& part) {
        const RowPriceSource none;
        Outcome again = Schedule<Acc>(repaired, settings, none, part).run();
        out.shape = std::move(again.shape);
        out.ended = again.bounds.exact();
        out.interrupted = part.reason() == Stop::interrupt;
    });
    return out;
}

}  // namespace

template <class Acc>
Outcome search_tree(const Dataset& data, const Settings& asked, bool fewest_leaves, const RowPriceSource& prices,
                    Control& control, const std::optional<RecheckBudget>& recheck, std::unique_ptr<Search<Acc>>* kept) {
    Settings settings = asked;
    if (settings.max_leaves > 0 && cannot_bind(data, settings)) settings.max_leaves = 0;
    Outcome out = Schedule<Acc>(data, settings, prices, control, kept).run();
    out.leaves_exact = settings.leaf_penalty > 0;
    if (fewest_leaves && settings.leaf_penalty == 0 && out.bounds.exact())
        find_fewest_leaves<Acc>(data, settings, out, control);
    const bool guessed = !data.guess.empty() && out.bounds.exact() && out.bounds.upper < kInfinity;
    if (recheck && guessed && !control.ended())
        out.recheck = recheck_guess<Acc>(data, settings, out.shape, *recheck, control);
    return out;
}

template Outcome search_tree<std::int32_t>(const Dataset&, const Settings&, bool, const RowPriceSource&, Control&,
                                           const std::optional<RecheckBudget>&, std::unique_ptr<Search<std::int32_t>>*);
template Outcome search_tree<std::int64_t>(const Dataset&, const Settings&, bool, const RowPriceSource&, Control&,
                                           const std::optional<RecheckBudget>&, std::unique_ptr<Search<std::int64_t>>*);

}  // namespace treewright::binary
