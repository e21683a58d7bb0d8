// Included once per instruction set, inside its target pragma, behind log_lanes_impl.hpp; everything has internal
// linkage.
// Longer than 400 lines: the passes share how they load rows, lanes and bounds, and are inlined into each other.
namespace treewright::ranked {
namespace {

using EightFloats = Lanes<float, 8>;

// Gains of two sets.
struct Gains {
    Eight before, after;
};
struct Square {
    static constexpr int kSums = 2;
    static constexpr bool kBoxes = true;
    // One over the weights of a set and of the rest. One division for both: dividing is what takes time here. No rows
    // gain nothing: weights are whole numbers, so W < 1 is W = 0.
    struct Begin {
        Eight before, after;
    };
    static Begin begin(const Eight* x, const Eight* rest) {
        const Eight w = larger(x[0], spread(1.0)), v = larger(rest[0], spread(1.0)), both = 1.0 / (w * v);
        return {v * both, w * both};
    }
    // The relative error is below 6 * 2^-53.
    static Gains of(const MomentTask&, const Begin& one_over, const Eight* x, const Eight* rest) {
        return {x[1] * x[1] * one_over.before, rest[1] * rest[1] * one_over.after};
    }
    static Gains of(const MomentTask& task, const Eight* x, const Eight* rest) {
        return of(task, begin(x, rest), x, rest);
    }
    // The largest gain at the corners of a box (moment_kernel.hpp): the weights at its ends, sums from `low` to `high`
    // of `all`.
    static Eight box(const Begin& first, const Begin& last, Eight high, Eight low, Eight all) {
        const Eight high_square = high * high, low_square = low * low;
        const Eight above = (all - high) * (all - high), below = (all - low) * (all - low);
        const Eight at_first =
            larger(high_square * first.before + above * first.after, low_square * first.before + below * first.after);
        const Eight at_last =
            larger(high_square * last.before + above * last.after, low_square * last.before + below * last.after);
        return larger(at_first, at_last);
    }
};
// A form that has nothing to keep from one end of a stretch to the next.
struct Plain {
    static constexpr bool kBoxes = false;
    struct Begin {};
    static Begin begin(const Eight*, const Eight*) { return {}; }
};
struct Events : Plain {
    static constexpr int kSums = 2;
    static Eight gain(double shift, Eight events, Eight hazard) {
        return events * ((shift - log_of(larger(hazard, spread(1.0)))) + log_of(larger(events, spread(1.0))));
    }
    static Gains of(const MomentTask& task, const Begin&, const Eight* x, const Eight* rest) {
        return of(task, x, rest);
    }
    static Gains of(const MomentTask& task, const Eight* x, const Eight* rest) {
        return {gain(task.shift, x[0], x[1]), gain(task.shift, rest[0], rest[1])};
    }
};
template <int N>
struct Shares : Plain {
    static constexpr int kSums = N;
    // x log x; weights are whole numbers, and 0 log 0 = 0.
    static Eight times_log(Eight x) { return x * log_of(larger(x, spread(1.0))); }
    static Eight gain(double shift, const Eight* x) {
        Eight n = x[0], own = times_log(x[0]);
        for (int s = 1; s < N; ++s) n += x[s], own += times_log(x[s]);
        return shift * n - (times_log(n) - own);
    }
    static Gains of(const MomentTask& task, const Begin&, const Eight* x, const Eight* rest) {
        return of(task, x, rest);
    }
    static Gains of(const MomentTask& task, const Eight* x, const Eight* rest) {
        return {gain(task.shift, x), gain(task.shift, rest)};
    }
};
template <int N>
struct Actions : Plain {
    static constexpr int kSums = N;
    static Gains of(const MomentTask& task, const Begin&, const Eight* x, const Eight* rest) {
        return of(task, x, rest);
    }
    static Gains of(const MomentTask&, const Eight* x, const Eight* rest) {
        Gains gains{x[0], rest[0]};
        for (int s = 1; s < N; ++s) gains = {larger(gains.before, x[s]), larger(gains.after, rest[s])};
        return gains;
    }
};

// For each entry the sum of those before it: in three steps, in the same order whatever the processor has.
inline Eight sums_before(Eight x) {
#if TREEWRIGHT_VECTOR_BYTES == 64
    const Eight none{};
    x = __builtin_shufflevector(none, x, 0, 8, 9, 10, 11, 12, 13, 14);
    x += __builtin_shufflevector(none, x, 0, 8, 9, 10, 11, 12, 13, 14);
    x += __builtin_shufflevector(none, x, 0, 1, 8, 9, 10, 11, 12, 13);
    return x + __builtin_shufflevector(none, x, 0, 1, 2, 3, 8, 9, 10, 11);
#else
    alignas(64) double sums[9] = {};
    store(sums + 1, x);
    for (int step = 1; step < 8; step *= 2)
        for (int k = 7; k >= step; --k) sums[k] += sums[k - step];
    return load(sums);
#endif
}

// Prefix sums over the lanes, in place: lane b * V + i stands in entry b of vector i.
template <int V>
inline void prefix(Eight* x) {
    for (int i = 1; i < V; ++i) x[i] += x[i - 1];
    const Eight before = sums_before(x[V - 1]);
    for (int i = 0; i < V; ++i) x[i] += before;
}

using Four = Lanes<double, 4>;

// Eight rows of four numbers become four vectors of eight.
#if TREEWRIGHT_VECTOR_BYTES == 64
inline void turn(const Four (&rows)[8], Eight& x0, Eight& x1, Eight& x2, Eight& x3) {
    const auto two = [&](int k) { return __builtin_shufflevector(rows[k], rows[k + 1], 0, 1, 2, 3, 4, 5, 6, 7); };
    const Eight a = two(0), b = two(2), c = two(4), d = two(6);
    const Eight ab = __builtin_shufflevector(a, b, 0, 4, 8, 12, 1, 5, 9, 13);
    const Eight cd = __builtin_shufflevector(c, d, 0, 4, 8, 12, 1, 5, 9, 13);
    x0 = __builtin_shufflevector(ab, cd, 0, 1, 2, 3, 8, 9, 10, 11);
    x1 = __builtin_shufflevector(ab, cd, 4, 5, 6, 7, 12, 13, 14, 15);
    const Eight ab2 = __builtin_shufflevector(a, b, 2, 6, 10, 14, 3, 7, 11, 15);
    const Eight cd2 = __builtin_shufflevector(c, d, 2, 6, 10, 14, 3, 7, 11, 15);
    x2 = __builtin_shufflevector(ab2, cd2, 0, 1, 2, 3, 8, 9, 10, 11);
    x3 = __builtin_shufflevector(ab2, cd2, 4, 5, 6, 7, 12, 13, 14, 15);
}
#else
inline void turn_four(const Four* rows, Four (&x)[4]) {
#if TREEWRIGHT_VECTOR_BYTES == 32
    const Four a = rows[0], b = rows[1], c = rows[2], d = rows[3];
    const Four ab = __builtin_shufflevector(a, b, 0, 4, 2, 6), cd = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    const Four ab2 = __builtin_shufflevector(a, b, 1, 5, 3, 7), cd2 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    x[0] = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    x[1] = __builtin_shufflevector(ab2, cd2, 0, 1, 4, 5);
    x[2] = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    x[3] = __builtin_shufflevector(ab2, cd2, 2, 3, 6, 7);
#else
    double all[4][4];
    for (int k = 0; k < 4; ++k) store(all[k], rows[k]);
    for (int i = 0; i < 4; ++i) {
        const double column[4] = {all[0][i], all[1][i], all[2][i], all[3][i]};
        x[i] = load_as<Four>(column);
    }
#endif
}
inline void turn(const Four (&rows)[8], Eight& x0, Eight& x1, Eight& x2, Eight& x3) {
    Four low[4], high[4];
    turn_four(rows, low);
    turn_four(rows + 4, high);
    x0 = {low[0], high[0]}, x1 = {low[1], high[1]}, x2 = {low[2], high[2]}, x3 = {low[3], high[3]};
}
#endif

// The four numbers of a compact row, as load() of squared_error_pairs.cpp makes them: 1, S, max(S, 0), S^2 + 1. They
// are S times (0, 1, 1, S), and (1, 0, 0, 1) more.
inline Four opened(std::uint64_t compact) {
    using FourBits = Lanes<std::uint64_t, 4>;
    static constexpr std::uint64_t kOfTarget = ~MomentTask::kSlotMask, kOne = std::bit_cast<std::uint64_t>(1.0);
    static constexpr std::uint64_t kLast[] = {0, 0, 0, kOfTarget}, kOnce[] = {0, kOne, kOne, 0};
    static constexpr double kMore[] = {1, 0, 0, 1}, kLeast[] = {0, -std::numeric_limits<double>::infinity(), 0, 0};
    const FourBits row = FourBits{} + compact;
    const Four target = bits_as<Four>(row & (FourBits{} + kOfTarget));
    const Four factor = bits_as<Four>((row & load_as<FourBits>(kLast)) | load_as<FourBits>(kOnce));
    return larger(target * factor + load_as<Four>(kMore), load_as<Four>(kLeast));
}
inline double target_of(std::uint64_t compact) { return std::bit_cast<double>(compact & ~MomentTask::kSlotMask); }
inline std::uint32_t slot_of(std::uint64_t compact) {
    return static_cast<std::uint32_t>(compact & MomentTask::kSlotMask);
}

// Sums of the numbers of the rows of a stretch: by lane on the left, and of all.
template <int N, int V>
struct StretchSums {
    static constexpr int kSize = static_cast<int>(MomentTask::row_size(N)),
                         kOwnAt = static_cast<int>(MomentTask::own_at(N));
    // Neighbours in one order are often neighbours in another, and a sum must be stored before it is read again:
    // kCopies rows are added side by side. Few slots are the same more often, and cost less to add up.
    static constexpr int kCopies = V <= 2 ? 4 : 2, kSlots = 8 * V + 1;
    Eight x[kSize][V];
    double all[kSize];
    alignas(64) double by_slot[kCopies][kSlots + 1][4] = {};  // of four numbers; zero between stretches

    void take(const MomentTask& task, const std::uint32_t* order, std::uint32_t begin, std::uint32_t end) {
        if constexpr (kSize == 4) {
            const auto add = [&](double (*to)[4], Four m, std::uint32_t slot) {
                store(to[slot], load_as<Four>(to[slot]) + m);
            };
            const auto take_row = [&](std::uint32_t position, double (*to)[4]) {
                if (task.compact != nullptr) {
                    const std::uint64_t row = task.compact[order[position] >> 1];
                    add(to, opened(row), slot_of(row));
                } else {
                    const std::uint32_t row = order[position] >> 1;
                    add(to, load_as<Four>(task.rows + std::size_t{row} * 4), task.slot[row]);
                }
            };
            std::uint32_t at = begin;
            for (; at + kCopies <= end; at += kCopies)
                for (int k = 0; k < kCopies; ++k) take_row(at + static_cast<std::uint32_t>(k), by_slot[k]);
            for (; at < end; ++at) take_row(at, by_slot[0]);
            for (int i = 0; i < V; ++i) {
                Four rows[8];
                for (int k = 0; k < 8; ++k) rows[k] = taken(8 * i + k);
                turn(rows, x[0][i], x[1][i], x[2][i], x[3][i]);
            }
            store(all, taken(8 * V));
            for (int s = 0; s < kSize; ++s) {
                prefix<V>(x[s]);
                all[s] += last(x[s][V - 1]);
            }
        } else {
            alignas(64) double of_number[kSize][8 * V + 8] = {};
            for (double& sum : all) sum = 0;
            for (std::uint32_t i = begin; i < end; ++i) {
                const std::uint32_t row = order[i] >> 1;
                const double* const m = task.rows + std::size_t{row} * kSize;
                const std::size_t at = task.slot[row];
                for (int s = 0; s < kSize; ++s) {
                    of_number[s][at] += m[s];
                    all[s] += m[s];
                }
            }
            for (int s = 0; s < kSize; ++s)
                for (int i = 0; i < V; ++i) x[s][i] = load(of_number[s] + 8 * i);
            for (int s = 0; s < kSize; ++s) prefix<V>(x[s]);
        }
    }

   private:
    // The sums of a slot, which become zero.
    Four taken(int slot) {
        auto sum = load_as<Four>(by_slot[0][slot]);
        for (int k = 1; k < kCopies; ++k) sum += load_as<Four>(by_slot[k][slot]);
        for (int k = 0; k < kCopies; ++k) store(by_slot[k][slot], Four{});
        return sum;
    }
};

inline void store_bounds(float* to, Eight bound) {
    store_floats(to, bound * (1.0 + 1e-6));  // rounded up
}

template <class Form, int V>
void sweep_lanes(MomentTask& task) {
    constexpr int N = Form::kSums;
    Eight left[V][N], right[V][N], best_left[V], best_right[V], max_left[V], max_right[V];
    for (int i = 0; i < V; ++i) {
        for (int s = 0; s < N; ++s) {
            left[i][s] = load(task.left[s] + 8 * i);
            right[i][s] = task.total[s] - left[i][s];
        }
        const Gains leaves = Form::of(task, left[i], right[i]);
        best_left[i] = max_left[i] = leaves.before;
        best_right[i] = max_right[i] = leaves.after;
    }
    float* bound = task.stretch_bound;
    const std::uint8_t* has_splits = task.has_splits;
    StretchSums<N, V> in;
    constexpr int kOwn = StretchSums<N, V>::kOwnAt, kAbove = MomentTask::kAboveAt;
    for (std::size_t c = 0; c < task.orders.size(); ++c) {
        Eight on_left[V][N] = {}, on_right[V][N] = {}, before_left[V] = {}, before_right[V] = {};
        typename Form::Begin begin_left[V], begin_right[V];
        for (int i = 0; i < V; ++i) {
            begin_left[i] = Form::begin(on_left[i], left[i]);
            begin_right[i] = Form::begin(on_right[i], right[i]);
        }
        std::uint32_t begin = 0;
        for (const std::uint32_t end : task.stretch_ends[c]) {
            in.take(task, task.orders[c], begin, end);
            begin = end;
            const bool splits = *has_splits++ != 0;
            for (int i = 0; i < V; ++i) {
                Eight rest_left[N], rest_right[N];
                const Eight weight_left = on_left[i][0], weight_right = on_right[i][0];
                const Eight from_left = on_left[i][1], from_right = on_right[i][1];
                for (int s = 0; s < N; ++s) {
                    on_left[i][s] += in.x[s][i];
                    rest_left[s] = left[i][s] - on_left[i][s];
                    on_right[i][s] += in.all[s] - in.x[s][i];
                    rest_right[s] = right[i][s] - on_right[i][s];
                }
                const auto end_left = Form::begin(on_left[i], rest_left),
                           end_right = Form::begin(on_right[i], rest_right);
                const Gains to_left = Form::of(task, end_left, on_left[i], rest_left);
                const Gains to_right = Form::of(task, end_right, on_right[i], rest_right);
                Eight in_left = before_left[i] + to_left.after + in.x[kOwn][i];
                Eight in_right = before_right[i] + to_right.after + (in.all[kOwn] - in.x[kOwn][i]);
                if constexpr (Form::kBoxes) {
                    const Eight above_left = in.x[kAbove][i], above_right = in.all[kAbove] - above_left;
                    const Eight box_left = Form::box(begin_left[i], end_left, from_left + above_left,
                                                     on_left[i][1] - above_left, left[i][1]);
                    const Eight box_right = Form::box(begin_right[i], end_right, from_right + above_right,
                                                      on_right[i][1] - above_right, right[i][1]);
                    in_left =
                        choose(smaller(weight_left, rest_left[0]) >= spread(1.0), smaller(in_left, box_left), in_left);
                    in_right = choose(smaller(weight_right, rest_right[0]) >= spread(1.0), smaller(in_right, box_right),
                                      in_right);
                    begin_left[i] = end_left;
                    begin_right[i] = end_right;
                }
                if (!splits) in_left = in_right = Eight{};
                // Rounded up: what is added is more than the errors of a stretch of a million rows.
                in_left *= 1.0 + 1e-9;
                in_right *= 1.0 + 1e-9;
                store_bounds(bound + 8 * i, in_left);
                store_bounds(bound + 8 * (V + i), in_right);
                max_left[i] = larger(max_left[i], in_left);
                max_right[i] = larger(max_right[i], in_right);
                before_left[i] = to_left.before;
                before_right[i] = to_right.before;
                best_left[i] = larger(best_left[i], to_left.before + to_left.after);
                best_right[i] = larger(best_right[i], to_right.before + to_right.after);
            }
            bound += 16 * V;
        }
    }
    for (int i = 0; i < V; ++i) {
        store(task.best_left + 8 * i, best_left[i]);
        store(task.best_right + 8 * i, best_right[i]);
        store(task.max_left + 8 * i, max_left[i]);
        store(task.max_right + 8 * i, max_right[i]);
    }
}

// Which stretches may gain more than a lane's limit.
template <int V>
void mark_lanes(MomentTask& task) {
    EightFloats limit[2 * V];
    for (int i = 0; i < 2 * V; ++i) limit[i] = load_as<EightFloats>(task.limit + 8 * i);
    const float* bound = task.stretch_bound;
    for (std::size_t j = 0; j < task.n_stretches; ++j, bound += 16 * V) {
        Lanes<std::int32_t, 8> above{};
        for (int i = 0; i < 2 * V; ++i) above = above | (load_as<EightFloats>(bound + 8 * i) > limit[i]);
        task.wanted[j] = any(above) ? 1 : 0;
    }
}

// Up to eight sides of splits, and the rows of one stretch one by one: every split within it is evaluated.
template <class Form>
struct Walk {
    static constexpr int N = Form::kSums;
    alignas(64) double on[N][8], total[N][8], own_lane[8], is_left[8], is_right[8], best[8];
    double* best_at[8];
    int n = 0;
    double lane[MomentTask::kMaxLanes + 1];  // [place]; a row that no lane has on its left is behind them all

    explicit Walk(std::uint32_t n_lanes) {
        for (std::uint32_t place = 0; place < n_lanes; ++place) lane[place] = place % 8 * (n_lanes / 8) + place / 8;
        lane[n_lanes] = n_lanes;
    }
    // A side with what it has before the stretch, and all of it.
    void add(const MomentTask& task, const MomentTask::ScanSide& side, const double (*left)[MomentTask::kMaxLanes],
             const double* sum) {
        for (int s = 0; s < N; ++s) {
            const double of_left = task.left[s][side.place];
            on[s][n] = side.is_right ? sum[s] - left[s][side.place] : left[s][side.place];
            total[s][n] = side.is_right ? task.total[s] - of_left : of_left;
        }
        own_lane[n] = lane[side.place];
        is_left[n] = side.is_right ? 0 : 1;
        is_right[n] = side.is_right ? 1 : 0;
        best_at[n] = (side.is_right ? task.best_right : task.best_left) + side.place;
        ++n;
    }
    void run(const MomentTask& task, const std::uint32_t* order, std::uint32_t begin, std::uint32_t end) {
        for (int k = n; k < 8; ++k) {
            for (int s = 0; s < N; ++s) on[s][k] = total[s][k] = 0;
            own_lane[k] = is_left[k] = is_right[k] = 0;
        }
        Eight before[N], all[N], most{};
        for (int s = 0; s < N; ++s) before[s] = load(on[s]), all[s] = load(total[s]);
        const Eight lanes = load(own_lane), left = load(is_left), right = load(is_right);
        for (std::uint32_t p = begin; p < end; ++p) {
            const std::uint32_t row = order[p] >> 1;
            const double* m;
            std::uint32_t place;
            double own[N];
            if (N == 2 && task.compact != nullptr) {
                own[0] = 1, own[1] = target_of(task.compact[row]);
                m = own;
                place = slot_of(task.compact[row]);
            } else {
                m = task.rows + std::size_t{row} * MomentTask::row_size(N);
                place = task.slot[row];
            }
            if (p > begin && (order[p] & 1u) != 0) {
                Eight rest[N];
                for (int s = 0; s < N; ++s) rest[s] = all[s] - before[s];
                const Gains gains = Form::of(task, before, rest);
                most = larger(most, gains.before + gains.after);
            }
            const Eight share = choose(lanes >= spread(lane[place]), left, right);
            for (int s = 0; s < N; ++s) before[s] += share * spread(m[s]);
        }
        store(best, most);
        for (int k = 0; k < n; ++k) *best_at[k] = std::max(*best_at[k], best[k]);
        n = 0;
    }
};

template <class Form, int V>
void scan_lanes(MomentTask& task) {
    constexpr int N = Form::kSums;
    const std::uint8_t* wanted = task.wanted;
    const float* bound = task.stretch_bound;
    StretchSums<N, V> in;
    Walk<Form> walk(task.n_lanes);
    for (std::size_t c = 0; c < task.orders.size(); ++c) {
        Eight on_left[N][V] = {};
        double sum[N] = {};
        std::uint32_t begin = 0;
        const auto& ends = task.stretch_ends[c];
        std::size_t last = ends.size();  // nothing is wanted behind it
        while (last > 0 && wanted[last - 1] == 0) --last;
        for (std::size_t j = 0; j < last; ++j) {
            if (wanted[j] != 0) {
                alignas(64) double left[N][MomentTask::kMaxLanes];
                for (int s = 0; s < N; ++s)
                    for (int i = 0; i < V; ++i) store(left[s] + 8 * i, on_left[s][i]);
                for (const MomentTask::ScanSide& side : task.sides) {
                    if (bound[j * task.n_bounds + side.bound] <= task.limit[side.bound]) continue;
                    walk.add(task, side, left, sum);
                    if (walk.n == 8) walk.run(task, task.orders[c], begin, ends[j]);
                }
                if (walk.n > 0) walk.run(task, task.orders[c], begin, ends[j]);
            }
            in.take(task, task.orders[c], begin, ends[j]);
            for (int s = 0; s < N; ++s) {
                sum[s] += in.all[s];
                for (int i = 0; i < V; ++i) on_left[s][i] += in.x[s][i];
            }
            begin = ends[j];
        }
        wanted += ends.size();
        bound += ends.size() * task.n_bounds;
    }
}

template <class Form>
void sweep_as(MomentTask& task) {
    switch (task.n_lanes / 8) {
        case 1:
            return sweep_lanes<Form, 1>(task);
        case 2:
            return sweep_lanes<Form, 2>(task);
        case 4:
            return sweep_lanes<Form, 4>(task);
        default:
            return sweep_lanes<Form, 8>(task);
    }
}

template <class Form>
void scan_as(MomentTask& task) {
    switch (task.n_lanes / 8) {
        case 1:
            return scan_lanes<Form, 1>(task);
        case 2:
            return scan_lanes<Form, 2>(task);
        case 4:
            return scan_lanes<Form, 4>(task);
        default:
            return scan_lanes<Form, 8>(task);
    }
}

void sweep(MomentTask& task) {
    switch (task.gain) {
        case Gain::square:
            return sweep_as<Square>(task);
        case Gain::events:
            return sweep_as<Events>(task);
        case Gain::actions:
            return task.n_sums == 3 ? sweep_as<Actions<3>>(task) : sweep_as<Actions<7>>(task);
        case Gain::shares:
            if (task.n_sums == 2) return sweep_as<Shares<2>>(task);
            return task.n_sums == 3 ? sweep_as<Shares<3>>(task) : sweep_as<Shares<7>>(task);
    }
}

void scan(MomentTask& task) {
    switch (task.gain) {
        case Gain::square:
            return scan_as<Square>(task);
        case Gain::events:
            return scan_as<Events>(task);
        case Gain::actions:
            return task.n_sums == 3 ? scan_as<Actions<3>>(task) : scan_as<Actions<7>>(task);
        case Gain::shares:
            if (task.n_sums == 2) return scan_as<Shares<2>>(task);
            return task.n_sums == 3 ? scan_as<Shares<3>>(task) : scan_as<Shares<7>>(task);
    }
}

void mark(MomentTask& task) {
    switch (task.n_lanes / 8) {
        case 1:
            return mark_lanes<1>(task);
        case 2:
            return mark_lanes<2>(task);
        case 4:
            return mark_lanes<4>(task);
        default:
            return mark_lanes<8>(task);
    }
}

constexpr MomentKernels kKernels{sweep, mark, scan};

}  // namespace
}  // namespace treewright::ranked
