// Included once per instruction set, inside its target pragma; everything has internal linkage.
#include <algorithm>
#include <cstring>

namespace treewright::ranked {
namespace {

using Eight = double __attribute__((vector_size(64)));
using EightFloats = float __attribute__((vector_size(32)));
using EightMasks = std::int64_t __attribute__((vector_size(64)));

inline Eight spread(double x) { return Eight{} + x; }
inline Eight larger(Eight a, Eight b) { return a > b ? a : b; }
// Gains S^2 / W of two sets, with one division for both: dividing is what takes time here. No rows gain nothing: weights
// are whole numbers, so W < 1 is W = 0. The relative error is below 6 * 2^-53.
struct Gains {
    Eight before, after;
};
inline Gains gains_of(Eight weight, Eight sum, Eight rest_weight, Eight rest_sum) {
    const Eight x = larger(weight, spread(1.0)), y = larger(rest_weight, spread(1.0)), inverse = 1.0 / (x * y);
    return {sum * sum * (y * inverse), rest_sum * rest_sum * (x * inverse)};
}
inline Eight load(const double* from) {
    Eight x;
    std::memcpy(&x, from, sizeof x);
    return x;
}
inline void store(double* to, Eight x) { std::memcpy(to, &x, sizeof x); }

// Prefix sums over the lanes, in place: lane b * V + i stands in entry b of vector i.
template <int V>
inline void prefix(Eight* x) {
    for (int i = 1; i < V; ++i) x[i] += x[i - 1];
    alignas(64) double last[8], before[8];
    store(last, x[V - 1]);
    double sum = 0;
    for (int b = 0; b < 8; ++b) {
        before[b] = sum;
        sum += last[b];
    }
    const Eight base = load(before);
    for (int i = 0; i < V; ++i) x[i] += base;
}

// Sums of the rows of a stretch: by lane on the left, and of all.
template <int V>
struct StretchSums {
    Eight weight[V], sum[V], square[V];
    double all_weight, all_sum, all_square;

    void take(const MomentTask& task, const std::uint32_t* order, std::uint32_t begin, std::uint32_t end) {
        alignas(64) double w[8 * V + 8] = {}, s[8 * V + 8] = {}, q[8 * V + 8] = {};
        double tw = 0, ts = 0, tq = 0;
        for (std::uint32_t i = begin; i < end; ++i) {
            const std::uint32_t row = order[i] >> 1;
            const Moments& m = task.rows[row];
            const std::size_t at = task.slot[row];
            w[at] += m.weight;
            s[at] += m.sum;
            q[at] += m.square;
            tw += m.weight;
            ts += m.sum;
            tq += m.square;
        }
        for (int i = 0; i < V; ++i) {
            weight[i] = load(w + 8 * i);
            sum[i] = load(s + 8 * i);
            square[i] = load(q + 8 * i);
        }
        prefix<V>(weight);
        prefix<V>(sum);
        prefix<V>(square);
        all_weight = tw;
        all_sum = ts;
        all_square = tq;
    }
};

inline void store_bounds(float* to, Eight bound) {
    const EightFloats x = __builtin_convertvector(bound * (1.0 + 1e-6), EightFloats);  // rounded up
    std::memcpy(to, &x, sizeof x);
}

template <int V>
void sweep_lanes(MomentTask& task) {
    Eight left_weight[V], left_sum[V], right_weight[V], right_sum[V], best_left[V], best_right[V];
    Eight most_left[V], most_right[V];
    for (int i = 0; i < V; ++i) {
        left_weight[i] = load(task.left_weight + 8 * i);
        left_sum[i] = load(task.left_sum + 8 * i);
        right_weight[i] = task.total.weight - left_weight[i];
        right_sum[i] = task.total.sum - left_sum[i];
        const Gains leaves = gains_of(left_weight[i], left_sum[i], right_weight[i], right_sum[i]);
        best_left[i] = most_left[i] = leaves.before;
        best_right[i] = most_right[i] = leaves.after;
    }
    float* bound = task.stretch_bound;
    StretchSums<V> in;
    for (std::size_t c = 0; c < task.orders.size(); ++c) {
        Eight lw[V] = {}, ls[V] = {}, before_left[V] = {}, before_right[V] = {};
        double weight = 0, sum = 0;
        std::uint32_t begin = 0;
        for (const std::uint32_t end : task.stretch_ends[c]) {
            in.take(task, task.orders[c], begin, end);
            begin = end;
            weight += in.all_weight;
            sum += in.all_sum;
            for (int i = 0; i < V; ++i) {
                lw[i] += in.weight[i];
                ls[i] += in.sum[i];
                const Eight rw = weight - lw[i], rs = sum - ls[i];
                const Gains left = gains_of(lw[i], ls[i], left_weight[i] - lw[i], left_sum[i] - ls[i]);
                const Gains right = gains_of(rw, rs, right_weight[i] - rw, right_sum[i] - rs);
                // Rounded up: what is added is more than the errors of a stretch of a million rows.
                const Eight in_left = (before_left[i] + left.after + in.square[i]) * (1.0 + 1e-9);
                const Eight in_right =
                    (before_right[i] + right.after + (in.all_square - in.square[i])) * (1.0 + 1e-9);
                store_bounds(bound + 8 * i, in_left);
                store_bounds(bound + 8 * (V + i), in_right);
                most_left[i] = larger(most_left[i], in_left);
                most_right[i] = larger(most_right[i], in_right);
                before_left[i] = left.before;
                before_right[i] = right.before;
                best_left[i] = larger(best_left[i], left.before + left.after);
                best_right[i] = larger(best_right[i], right.before + right.after);
            }
            bound += 16 * V;
        }
    }
    for (int i = 0; i < V; ++i) {
        store(task.best_left + 8 * i, best_left[i]);
        store(task.best_right + 8 * i, best_right[i]);
        store(task.most_left + 8 * i, most_left[i]);
        store(task.most_right + 8 * i, most_right[i]);
    }
}

// Which stretches may gain more than a lane's limit.
template <int V>
void mark_lanes(MomentTask& task) {
    EightFloats limit[2 * V];
    std::memcpy(limit, task.limit, sizeof limit);
    const float* bound = task.stretch_bound;
    for (std::size_t j = 0; j < task.n_stretches; ++j, bound += 16 * V) {
        std::int32_t __attribute__((vector_size(32))) above{};
        for (int i = 0; i < 2 * V; ++i) {
            EightFloats x;
            std::memcpy(&x, bound + 8 * i, sizeof x);
            above |= x > limit[i];
        }
        std::int64_t words[4];
        std::memcpy(words, &above, sizeof words);
        task.wanted[j] = (words[0] | words[1] | words[2] | words[3]) != 0 ? 1 : 0;
    }
}

template <int V>
void scan_lanes(MomentTask& task) {
    Eight left_weight[V], left_sum[V], right_weight[V], right_sum[V], best_left[V], best_right[V], first_slot[V];
    for (int i = 0; i < V; ++i) {
        left_weight[i] = load(task.left_weight + 8 * i);
        left_sum[i] = load(task.left_sum + 8 * i);
        right_weight[i] = task.total.weight - left_weight[i];
        right_sum[i] = task.total.sum - left_sum[i];
        best_left[i] = load(task.best_left + 8 * i);
        best_right[i] = load(task.best_right + 8 * i);
        for (int b = 0; b < 8; ++b) first_slot[i][b] = b * V + i;  // the lane
    }
    const std::uint8_t* wanted = task.wanted;
    StretchSums<V> in;
    for (std::size_t c = 0; c < task.orders.size(); ++c) {
        const std::uint32_t* order = task.orders[c];
        Eight lw[V] = {}, ls[V] = {};
        double weight = 0, sum = 0;
        std::uint32_t begin = 0;
        const auto& ends = task.stretch_ends[c];
        std::size_t last = ends.size();  // nothing is wanted behind it
        while (last > 0 && wanted[last - 1] == 0) --last;
        for (std::size_t j = 0; j < last; ++j) {
            const std::uint32_t end = ends[j];
            if (wanted[j] == 0) {
                in.take(task, order, begin, end);
                weight += in.all_weight;
                sum += in.all_sum;
                for (int i = 0; i < V; ++i) {
                    lw[i] += in.weight[i];
                    ls[i] += in.sum[i];
                }
            } else {
                for (std::uint32_t p = begin; p < end; ++p) {
                    const std::uint32_t row = order[p] >> 1;
                    const Moments& m = task.rows[row];
                    if (p > begin && (order[p] & 1u) != 0) {
                        for (int i = 0; i < V; ++i) {
                            const Eight rw = weight - lw[i], rs = sum - ls[i];
                            const Gains left = gains_of(lw[i], ls[i], left_weight[i] - lw[i], left_sum[i] - ls[i]);
                            const Gains right = gains_of(rw, rs, right_weight[i] - rw, right_sum[i] - rs);
                            best_left[i] = larger(best_left[i], left.before + left.after);
                            best_right[i] = larger(best_right[i], right.before + right.after);
                        }
                    }
                    const std::uint32_t place = task.slot[row];
                    // The lane of a place; a row that no lane has on its left is behind them all.
                    const double lane = place < 8 * V ? static_cast<double>(place % 8 * V + place / 8) : 1e9;
                    weight += m.weight;
                    sum += m.sum;
                    for (int i = 0; i < V; ++i) {
                        const EightMasks on_left = first_slot[i] >= lane;
                        lw[i] += on_left ? spread(m.weight) : Eight{};
                        ls[i] += on_left ? spread(m.sum) : Eight{};
                    }
                }
            }
            begin = end;
        }
        wanted += ends.size();
    }
    for (int i = 0; i < V; ++i) {
        store(task.best_left + 8 * i, best_left[i]);
        store(task.best_right + 8 * i, best_right[i]);
    }
}

void sweep(MomentTask& task) {
    switch (task.n_lanes / 8) {
        case 1: return sweep_lanes<1>(task);
        case 2: return sweep_lanes<2>(task);
        case 4: return sweep_lanes<4>(task);
        default: return sweep_lanes<8>(task);
    }
}

void scan(MomentTask& task) {
    switch (task.n_lanes / 8) {
        case 1: return scan_lanes<1>(task);
        case 2: return scan_lanes<2>(task);
        case 4: return scan_lanes<4>(task);
        default: return scan_lanes<8>(task);
    }
}

void mark(MomentTask& task) {
    switch (task.n_lanes / 8) {
        case 1: return mark_lanes<1>(task);
        case 2: return mark_lanes<2>(task);
        case 4: return mark_lanes<4>(task);
        default: return mark_lanes<8>(task);
    }
}

constexpr MomentKernels kKernels{sweep, mark, scan};

}  // namespace
}  // namespace treewright::ranked
