#include "treewright/kernels/moment_pair_solver.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace treewright::ranked {

namespace {

// Compact rows of a larger table are numbered afresh for each node, so that they lie together in memory. All rows of a
// smaller one, eight bytes each, are in a core's own caches anyway. The first 1,199 passes over protein at depth three:
// 9.4 and 9.2 -> 8.8 and 8.2 s (AVX2, in turns on a busy machine).
constexpr std::uint32_t kNumberedFrom = 16384;

// A unit of work is some ten microseconds, in a pass that takes no logarithms and in one that does.
constexpr std::int64_t kLaneCellsPerUnit = 16384, kLogarithmsPerUnit = 2048;

}  // namespace

MomentPairSolver::MomentPairSolver(const RankedObjective& objective, const Options& options, Control& control,
                                   const Form& form)
    : StumpPairSolver(objective, options, control),
      kernels_(moment_kernels(simd())),
      form_(form),
      size_(MomentTask::row_size(form.n_sums)),
      rows_(form.compact ? 0 : std::size_t{objective.table().n_rows} * size_),
      slot_(form.compact ? 0 : objective.table().n_rows),
      compact_(form.compact ? objective.table().n_rows : 0),
      stretch_ends_(objective.table().n_columns),
      best_left_(kMaxLanes),
      best_right_(kMaxLanes),
      max_left_(kMaxLanes),
      max_right_(kMaxLanes) {
    for (std::uint32_t s = 0; s < form_.n_sums; ++s) left_[s].resize(kMaxLanes);
    if (form_.compact && objective.table().n_rows >= kNumberedFrom) number_.resize(objective.table().n_rows);
    task_.gain = form_.gain;
    task_.n_sums = form_.n_sums;
    task_.shift = form_.shift;
}

const Node& MomentPairSolver::take(const Node& node) {
    error_ = load(node);
    if (!numbers_rows()) return node;
    const std::size_t n_columns = node.columns.size();
    if (orders_.size() < n_columns * node.n) orders_.resize(n_columns * node.n);
    for (std::uint32_t i = 0; i < node.n; ++i) number_[row_of(node.orders[0][i])] = i * 2;
    numbered_.n = node.n;
    numbered_.columns = node.columns;
    numbered_.orders.clear();
    for (std::size_t at = 0; at < n_columns; ++at) {
        const std::uint32_t* order = node.orders[at];
        std::uint32_t* to = orders_.data() + at * node.n;
        numbered_.orders.push_back(to);
        for (std::uint32_t i = 0; i < node.n; ++i) to[i] = number_[row_of(order[i])] | (order[i] & 1u);
    }
    return numbered_;
}

void MomentPairSolver::add_up(const Node& node) {
    total_ = {};
    own_total_ = 0;
    for (std::uint32_t i = 0; i < node.n; ++i) {
        const double* const row = numbers(row_of(node.orders[0][i]));
        for (std::uint32_t s = 0; s < form_.n_sums; ++s) total_[s] += row[s];
        own_total_ += row[own_at()];
    }
}

double MomentPairSolver::gain_of(const Sums& sums) const {
    switch (form_.gain) {
        case Gain::square:
            return sums[1] * sums[1] / std::max(1.0, sums[0]);
        case Gain::events:
            return sums[0] < 1 ? 0 : sums[0] * (form_.shift - std::log(std::max(1.0, sums[1]) / sums[0]));
        case Gain::shares: {
            double n = 0, own = 0;
            for (std::uint32_t s = 0; s < form_.n_sums; ++s) {
                n += sums[s];
                own += sums[s] * std::log(std::max(1.0, sums[s]));
            }
            return form_.shift * n - (n * std::log(std::max(1.0, n)) - own);
        }
        case Gain::actions:
            break;
    }
    return *std::max_element(sums.begin(), sums.begin() + form_.n_sums);
}

void MomentPairSolver::search_splits(const Node& node, bool three_leaves, Cost budget, Outcome& result) {
    const std::size_t n_columns = node.columns.size();
    if (three_leaves || objective_.table().min_leaf > 1 || node.n < form_.min_rows) {
        StumpPairSolver::search_splits(node, three_leaves, budget, result);
        return;
    }
    const Node& seen = take(node);
    make_stretches(node);
    const std::int64_t n_cells = std::int64_t{node.n} * static_cast<std::int64_t>(n_columns);
    const bool of_logarithms = form_.gain == Gain::events || form_.gain == Gain::shares;
    const std::int64_t per_unit = of_logarithms ? kLogarithmsPerUnit : kLaneCellsPerUnit;
    Cost target = std::min(result.upper, budget);
    for (bool any = true; any;) {
        any = false;
        for (std::size_t at = 0; at < n_columns; ++at) {
            choose_splits(at, target);
            if (splits_.empty()) continue;
            if (control_.step(1 + n_cells * static_cast<std::int64_t>(splits_.size()) / per_unit)) return;
            any = true;
            pass(seen, at, target);
        }
    }
    // What is left may be cheapest, and what attains the target is: lowest bound first, as integers.
    if (target < std::min(result.upper, budget)) ++target;
    struct Left {
        Cost bound;
        std::size_t at;
        std::uint32_t split;
    };
    std::vector<Left> left;
    for (std::size_t at = 0; at < n_columns; ++at)
        for (const SplitBounds& point : bounds_[at].points())
            if (bounds_[at].open(point, target)) left.push_back({point.cost(), at, point.split});
    std::sort(left.begin(), left.end(), [](const Left& a, const Left& b) {
        return a.bound != b.bound ? a.bound < b.bound : a.at != b.at ? a.at < b.at : a.split < b.split;
    });
    for (const auto& [bound, at, split] : left) {
        if (bounds_[at].bounds(split).cost() >= std::min(result.upper, budget)) continue;
        if (control_.step(1 + n_cells / kLaneCellsPerUnit)) return;
        solve_split(node, at, split, three_leaves, result);
    }
}

void MomentPairSolver::make_stretches(const Node& node) {
    const std::uint32_t least = node.n < 2000 ? 32 : node.n < 8000 ? 64 : node.n < 16000 ? 128 : 256;
    n_stretches_ = 0;
    has_splits_.clear();
    for (std::size_t at = 0; at < node.columns.size(); ++at) {
        std::vector<std::uint32_t>& ends = stretch_ends_[at];
        ends.clear();
        std::uint32_t n_groups = 0;           // of ties, in the stretch
        std::uint32_t begin = 0, before = 0;  // of the stretch, of the group
        const auto close = [&](std::uint32_t end, bool has_splits) {
            ends.push_back(end);
            has_splits_.push_back(has_splits ? 1 : 0);
            begin = end;
        };
        const auto n_splits = static_cast<std::uint32_t>(bounds_[at].n_splits());
        for (std::uint32_t split = 1; split <= n_splits + 1; ++split) {
            const std::uint32_t end = bounds_[at].position(split);
            const bool large = end - before >= least;  // a large tie is a stretch of its own
            if (large && before > begin) close(before, n_groups > 1), n_groups = 0;
            ++n_groups;
            if (large || end - begin >= least || split > n_splits) close(end, n_groups > 1), n_groups = 0;
            before = end;
        }
        n_stretches_ += ends.size();
    }
    stretch_bound_.resize(n_stretches_ * 2 * kMaxLanes);
    wanted_.resize(n_stretches_);
}

void MomentPairSolver::choose_splits(std::size_t at, Cost target) {
    splits_.clear();
    struct Run {
        std::uint32_t first, last;
    };
    static thread_local std::vector<Run> runs;
    runs.clear();
    std::uint64_t n_open = 0;
    const IntervalBounds& bounds = bounds_[at];
    for (std::size_t i = 0; i + 1 < bounds.points().size(); ++i) {
        const SplitBounds& point = bounds.points()[i];
        // A point imported from a neighbour is open itself; one of a pass is left to the exact end.
        if (bounds.open(point, target) && point.tag != kPassed) {
            runs.push_back({point.split, point.split});
            ++n_open;
        }
        const Gap gap = bounds.gap(i, target);
        if (!gap.open()) continue;
        runs.push_back({gap.first, gap.last});
        n_open += gap.last + 1 - gap.first;
    }
    if (n_open == 0) return;
    const std::uint32_t most = std::max<std::uint32_t>(8, std::min(options_.lanes, kMaxLanes) / 8 * 8);
    const bool first_pass = bounds.points().size() == 2;
    const std::uint64_t wanted =
        first_pass ? std::min<std::uint64_t>(most, kFirstLanes) : std::min<std::uint64_t>(most, 7 * runs.size());
    const std::uint64_t room = std::bit_ceil(std::max<std::uint64_t>(8, std::min(n_open, wanted)));
    const std::uint64_t n_chosen = std::min({n_open, room, std::uint64_t{most}});
    std::uint64_t chosen = 0, before = 0;
    for (const auto& [first, last] : runs) {
        for (; chosen < n_chosen; ++chosen) {
            const std::uint64_t at_open = (2 * chosen + 1) * n_open / (2 * n_chosen) - before;
            if (at_open > last - first) break;
            splits_.push_back(first + static_cast<std::uint32_t>(at_open));
        }
        before += last + 1 - first;
    }
}

void MomentPairSolver::set_costs(Side& side) const {
    // floor(a) + floor(b) > a + b - 2, so it is at least floor(a + b) - 1.
    const Cost penalty = objective_.leaf_penalty();
    const auto floor_of = [&](double loss, int n_leaves) {
        return static_cast<Cost>(std::floor(std::max(loss, 0.0) * form_.per_unit - n_leaves * form_.leaf));
    };
    const auto cost_of = [&](Cost loss) { return std::max<Cost>(loss, 0) << form_.tie_bits; };
    const double leaf = side.total - side.leaf;
    const Cost leaf_lower = cost_of(floor_of(leaf - error_, 1)) + penalty;
    const Cost leaf_upper = cost_of(floor_of(leaf + error_, 1)) + penalty;
    const Cost split_lower = cost_of(floor_of(side.total - side.bound - error_, 2) - 1) + 2 * penalty;
    const Cost split_upper = cost_of(floor_of(side.total - side.best + error_, 2)) + 2 * penalty;
    side.lower = std::min(leaf_lower, split_lower);
    side.upper = std::min(leaf_upper, split_upper);
}

void MomentPairSolver::prepare(const Node& node, std::size_t at) {
    lanes_.clear();
    const std::uint32_t* order = node.orders[at];
    std::uint32_t i = 0;
    Sums left{};
    double own = 0;
    const auto set = [&](const Sums& sums, double total, Side& side) {
        side.total = total;
        side.leaf = gain_of(sums);
    };
    for (const std::uint32_t split : splits_) {
        Lane lane;
        lane.split = split;
        lane.position = bounds_[at].position(split);
        if (form_.compact) {
            left[0] += lane.position - i;
            for (; i < lane.position; ++i) {
                const auto s = std::bit_cast<double>(compact(row_of(order[i])) & ~MomentTask::kSlotMask);
                left[1] += s;
                own += s * s + 1;
            }
        }
        for (; i < lane.position; ++i) {
            const double* const row = numbers(row_of(order[i]));
            for (std::uint32_t s = 0; s < form_.n_sums; ++s) left[s] += row[s];
            own += row[own_at()];
        }
        lane.left = left;
        Sums right = total_;
        for (std::uint32_t s = 0; s < form_.n_sums; ++s) right[s] -= left[s];
        set(left, own, lane.sides[0]);
        set(right, own_total_ - own, lane.sides[1]);
        lanes_.push_back(lane);
    }
}

// Tells the kernel the lanes: which rows each has on its left, and its moments.
void MomentPairSolver::place_lanes(const Node& node, std::size_t at) {
    const auto n = static_cast<std::uint32_t>(lanes_.size());
    const std::uint32_t n_lanes = std::max<std::uint32_t>(8, std::bit_ceil(n));
    const std::uint32_t* order = node.orders[at];
    std::uint32_t i = 0;
    for (std::uint32_t s = 0; s < form_.n_sums; ++s) std::fill(left_[s].begin(), left_[s].end(), total_[s]);
    const auto place_rows = [&](std::uint32_t end, std::uint32_t place) {
        if (form_.compact)
            for (; i < end; ++i)
                compact(row_of(order[i])) = (compact(row_of(order[i])) & ~MomentTask::kSlotMask) | place;
        for (; i < end; ++i) slot_[row_of(order[i])] = static_cast<std::uint8_t>(place);
    };
    for (std::uint32_t k = 0; k < n; ++k) {
        const std::uint32_t place = place_of(k, n_lanes);
        place_rows(lanes_[k].position, place);
        for (std::uint32_t s = 0; s < form_.n_sums; ++s) left_[s][place] = lanes_[k].left[s];
    }
    // Lanes without a split have all rows on the left.
    place_rows(node.n, n < n_lanes ? place_of(n, n_lanes) : n_lanes);
    task_.rows = rows_.data();
    task_.slot = slot_.data();
    task_.compact = form_.compact ? compact_.data() : nullptr;
    task_.orders = node.orders;
    task_.stretch_ends = std::span(stretch_ends_).first(node.columns.size());
    task_.n_lanes = n_lanes;
    for (std::uint32_t s = 0; s < form_.n_sums; ++s) {
        task_.total[s] = total_[s];
        task_.left[s] = left_[s].data();
    }
    task_.best_left = best_left_.data();
    task_.best_right = best_right_.data();
    task_.has_splits = has_splits_.data();
    task_.stretch_bound = stretch_bound_.data();
    task_.max_left = max_left_.data();
    task_.max_right = max_right_.data();
    task_.n_stretches = n_stretches_;
    task_.wanted = wanted_.data();
}

void MomentPairSolver::pass(const Node& node, std::size_t at, Cost& target) {
    prepare(node, at);
    place_lanes(node, at);
    kernels_.sweep(task_);
    ++n_passes;
    n_row_steps += std::int64_t{node.n} * static_cast<std::int64_t>(node.columns.size());
    const std::uint32_t n_lanes = task_.n_lanes;
    const auto attained = [&](std::uint32_t place, std::size_t side) {
        return side == 0 ? best_left_[place] : best_right_[place];
    };
    for (std::uint32_t k = 0; k < lanes_.size(); ++k) {
        const std::uint32_t place = place_of(k, n_lanes);
        for (const std::size_t s : {0, 1}) {
            Side& side = lanes_[k].sides[s];
            side.best = attained(place, s);
            side.bound = std::max(side.best, (s == 0 ? max_left_ : max_right_)[place]);
            set_costs(side);
        }
        target = std::min(target, lanes_[k].upper());
    }
    if (want_stretches(target)) {
        // Only lanes that want something go on, closer together; their stretches are known by their places here.
        std::vector<Lane> all;
        std::vector<std::uint32_t> which;
        constexpr double kNone = std::numeric_limits<double>::infinity();
        for (std::uint32_t k = 0; k < lanes_.size(); ++k)
            if (lanes_[k].wanted[0] < kNone || lanes_[k].wanted[1] < kNone) which.push_back(k);
        all.swap(lanes_);
        for (const std::uint32_t k : which) lanes_.push_back(all[k]);
        const std::uint32_t n_swept = task_.n_lanes;
        place_lanes(node, at);
        scan_sides_.clear();
        for (std::uint32_t k = 0; k < lanes_.size(); ++k)
            for (const std::uint32_t s : {0u, 1u})
                if (lanes_[k].wanted[s] < kNone)
                    scan_sides_.push_back(
                        {place_of(k, task_.n_lanes), s == 1, s * n_swept + place_of(which[k], n_swept)});
        task_.sides = scan_sides_;
        task_.n_bounds = 2 * n_swept;
        for (std::uint32_t k = 0; k < lanes_.size(); ++k) {
            const std::uint32_t place = place_of(k, task_.n_lanes);
            best_left_[place] = lanes_[k].sides[0].best;
            best_right_[place] = lanes_[k].sides[1].best;
        }
        kernels_.scan(task_);
        for (std::uint32_t k = 0; k < lanes_.size(); ++k) {
            const std::uint32_t place = place_of(k, task_.n_lanes);
            Lane& lane = all[which[k]];
            for (const std::size_t s : {0, 1}) {
                Side& side = lane.sides[s];
                side.best = std::max(side.best, attained(place, s));
                side.bound = std::max(side.best, std::min(side.bound, lane.wanted[s]));
                set_costs(side);
            }
            target = std::min(target, lane.upper());
        }
        lanes_.swap(all);
    }
    for (const Lane& lane : lanes_)
        bounds_[at].insert({lane.split, lane.sides[0].lower, lane.sides[1].lower, 0, 0, kPassed});
}

// A side is worth a walk where its bound leaves open what what is attained would close: its own split, or the gap to
// the next lane on either side (the left side bounds the gap behind it, the right side the one before).
bool MomentPairSolver::want_stretches(Cost target) {
    constexpr double kNone = std::numeric_limits<double>::infinity();
    const Cost penalty = objective_.leaf_penalty();
    const std::size_t n = lanes_.size();
    bool any = false;
    for (std::size_t k = 0; k < n; ++k) {
        Lane& lane = lanes_[k];
        for (const std::size_t s : {0, 1}) {
            const Side& side = lane.sides[s];
            lane.wanted[s] = kNone;
            if (side.bound <= side.best || side.lower >= side.upper) continue;
            Cost most = kNoCost;  // least of the other side that this one shall reach the target with
            const Side& other = lane.sides[1 - s];
            if (lane.lower() < target) most = std::min(most, other.lower);
            const std::size_t next = s == 0 ? k + 1 : k - 1;  // wraps around: no lane
            if (next < n) {
                const Side& beyond = lanes_[next].sides[1 - s];
                if (side.lower + beyond.lower < target && side.upper + beyond.upper >= target)
                    most = std::min(most, beyond.lower);
            }
            if (most == kNoCost) continue;
            // Gains that keep the cost of a split at target - most or above need no walk.
            const double loss =
                static_cast<double>(((target - most - 2 * penalty) >> form_.tie_bits) + 3) + 2 * form_.leaf;
            lane.wanted[s] = std::max(side.best, side.total - loss / form_.per_unit - error_);
            if (lane.wanted[s] >= side.bound) lane.wanted[s] = kNone;
            any = any || lane.wanted[s] < kNone;
        }
    }
    if (!any) return false;
    const std::uint32_t n_lanes = task_.n_lanes;
    limit_.fill(std::numeric_limits<float>::infinity());
    for (std::uint32_t k = 0; k < n; ++k)
        for (const std::size_t s : {0, 1})
            limit_[s * n_lanes + place_of(k, n_lanes)] = static_cast<float>(lanes_[k].wanted[s] * (1 - 1e-6));
    task_.limit = limit_.data();
    kernels_.mark(task_);
    return true;
}

}  // namespace treewright::ranked
