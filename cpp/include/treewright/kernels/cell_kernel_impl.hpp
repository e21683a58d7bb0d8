// Included once per instruction set, inside its target pragma, behind log_lanes_impl.hpp; everything has internal
// linkage.
namespace treewright::ranked {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

// g of two cells. Sums that are whole numbers and below 1 are 0.
struct MinusSquare {
    // One division for both.
    static void of(Eight a, Eight b, Eight a2, Eight b2, Eight& value, Eight& value2) {
        const Eight x = larger(a, spread(1.0)), y = larger(a2, spread(1.0)), inverse = 1.0 / (x * y);
        value = -(b * b) * (y * inverse);
        value2 = -(b2 * b2) * (x * inverse);
    }
};
struct EventsLog {
    // One logarithm of the quotient: its error is that of the logarithm and of one rounding more.
    static Eight of(Eight a, Eight b) { return a * log_of(larger(b, spread(1.0)) / larger(a, spread(1.0))); }
    static void of(Eight a, Eight b, Eight a2, Eight b2, Eight& value, Eight& value2) {
        value = of(a, b);
        value2 = of(a2, b2);
    }
};

// The lanes at or after `first`, all ones.
inline EightMasks from_lane(std::uint32_t first) {
    static constexpr std::int64_t kLane[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    return load_as<EightMasks>(kLane) >= EightMasks{} + static_cast<std::int64_t>(first);
}
inline Eight where(EightMasks mask, Eight x) { return choose(mask, x, spread(kNone)); }

constexpr int kSums = 3, kCount = 2;

template <class Form, bool kCounts>
void sides_as_leaves(CellTask& task) {
    constexpr int n_sums = kCounts ? 3 : 2;
    const Eight leaf = spread(task.leaf), few = spread(task.min_count);
    for (std::uint32_t k = 0; k < task.n_columns; k += 8) {
        Eight on[kSums], off[kSums], one, zero;
        for (int s = 0; s < n_sums; ++s) on[s] = load(task.single[s] + k), off[s] = task.total[s] - on[s];
        Form::of(on[0], on[1], off[0], off[1], one, zero);
        if constexpr (kCounts) {
            one = choose(on[kCount] < few, spread(kNone), one);
            zero = choose(off[kCount] < few, spread(kNone), zero);
        }
        store(task.side[1] + k, one + leaf);
        store(task.side[0] + k, zero + leaf);
    }
}

template <class Form, bool kCounts>
void pairs_of(CellTask& task) {
    const std::uint32_t p = task.n_columns;
    constexpr int n_sums = kCounts ? 3 : 2;
    const Eight leaf = spread(task.leaf), two_leaves = leaf + leaf, few = spread(task.min_count);
    sides_as_leaves<Form, kCounts>(task);
    for (std::uint32_t i = 0; i + 1 < p; ++i) {
        double on[kSums], off[kSums];
        for (int s = 0; s < n_sums; ++s) on[s] = task.single[s][i], off[s] = task.total[s] - on[s];
        Eight best[2] = {spread(kNone), spread(kNone)};
        for (std::uint32_t k = (i + 1) / 8 * 8; k < p; k += 8) {
            const std::size_t at = std::size_t{i} * task.stride + k;
            Eight cell[4][kSums], value[4];
            for (int s = 0; s < n_sums; ++s) {
                cell[3][s] = load(task.pair[s] + at);
                cell[2][s] = on[s] - cell[3][s];
                cell[1][s] = load(task.single[s] + k) - cell[3][s];
                cell[0][s] = off[s] - cell[1][s];
            }
            for (int c = 0; c < 4; c += 2)
                Form::of(cell[c][0], cell[c][1], cell[c + 1][0], cell[c + 1][1], value[c], value[c + 1]);
            if constexpr (kCounts)
                for (int c = 0; c < 4; ++c) value[c] = choose(cell[c][kCount] < few, spread(kNone), value[c]);
            for (int c = 0; c < 4; ++c) store(task.value[c] + at, value[c]);
            const EightMasks valid = k > i ? from_lane(0) : from_lane(i + 1 - k);
            for (int s = 0; s < 2; ++s) {
                best[s] = smaller(best[s], where(valid, value[2 * s] + value[2 * s + 1] + two_leaves));
                const Eight by_i = where(valid, value[s] + value[2 + s] + two_leaves);
                store(task.side[s] + k, smaller(load(task.side[s] + k), by_i));
            }
        }
        for (int s = 0; s < 2; ++s) {
            const double found = least(best[s]);
            if (found < task.side[s][i]) task.side[s][i] = found;
        }
    }
}

template <class Form, bool kCounts>
void slab_of(CellTask& task, std::uint32_t i) {
    const std::uint32_t p = task.n_columns;
    constexpr int n_sums = kCounts ? 3 : 2;
    const Eight few = spread(task.min_count);
    const std::size_t row_i = std::size_t{i} * task.stride;
    double on_i[kSums], off_i[kSums];
    for (int s = 0; s < n_sums; ++s) on_i[s] = task.single[s][i], off_i[s] = task.total[s] - on_i[s];
    for (std::uint32_t j = i + 1; j + 1 < p; ++j) {
        const std::size_t row_j = std::size_t{j} * task.stride;
        double one_one[kSums], one_zero[kSums], zero_one[kSums], zero_zero[kSums];  // columns i and j
        for (int s = 0; s < n_sums; ++s) {
            one_one[s] = task.pair[s][row_i + j];
            one_zero[s] = on_i[s] - one_one[s];
            zero_one[s] = task.single[s][j] - one_one[s];
            zero_zero[s] = off_i[s] - zero_one[s];
        }
        Eight best[4] = {spread(kNone), spread(kNone), spread(kNone), spread(kNone)};
        for (std::uint32_t k = (j + 1) / 8 * 8; k < p; k += 8) {
            Eight cell[8][kSums], value[8];  // i j k as bits of the number, i the highest
            for (int s = 0; s < n_sums; ++s) {
                double* const triple = task.triple[s] + row_j + k;
                cell[7][s] = load(triple);
                store(triple, Eight{});
                cell[6][s] = one_one[s] - cell[7][s];
                cell[5][s] = load(task.pair[s] + row_i + k) - cell[7][s];
                cell[3][s] = load(task.pair[s] + row_j + k) - cell[7][s];
                cell[4][s] = one_zero[s] - cell[5][s];
                cell[2][s] = zero_one[s] - cell[3][s];
                cell[1][s] = load(task.single[s] + k) - load(task.pair[s] + row_i + k) - cell[3][s];
                cell[0][s] = zero_zero[s] - cell[1][s];
            }
            for (int c = 0; c < 8; c += 2)
                Form::of(cell[c][0], cell[c][1], cell[c + 1][0], cell[c + 1][1], value[c], value[c + 1]);
            if constexpr (kCounts)
                for (int c = 0; c < 8; ++c) value[c] = choose(cell[c][kCount] < few, spread(kNone), value[c]);
            if (k <= j) {
                const EightMasks valid = from_lane(j + 1 - k);
                for (int c = 0; c < 8; ++c) value[c] = where(valid, value[c]);
            }
            for (int c = 0; c < 4; ++c) {
                best[c] = smaller(best[c], value[2 * c] + value[2 * c + 1]);
                double* const by_j = task.split[c] + row_i + k;  // cell of i and k: bits 2 and 0
                const int ik = (c & 2) * 2 + (c & 1);
                store(by_j, smaller(load(by_j), value[ik] + value[ik + 2]));
                double* const by_i = task.split[c] + row_j + k;  // cell of j and k: bits 1 and 0
                store(by_i, smaller(load(by_i), value[c] + value[c + 4]));
            }
        }
        for (int c = 0; c < 4; ++c) {
            const double found = least(best[c]);
            double& known = task.split[c][row_i + j];
            if (found < known) known = found;
        }
    }
}

template <class Form, bool kCounts>
void below_of(CellTask& task) {
    const std::uint32_t p = task.n_columns;
    const Eight leaf = spread(task.leaf), two_leaves = leaf + leaf;
    sides_as_leaves<Form, kCounts>(task);
    for (std::uint32_t i = 0; i + 1 < p; ++i) {
        Eight best[2] = {spread(kNone), spread(kNone)};
        for (std::uint32_t k = (i + 1) / 8 * 8; k < p; k += 8) {
            const std::size_t at = std::size_t{i} * task.stride + k;
            Eight stump[4];
            for (int c = 0; c < 4; ++c)
                stump[c] = smaller(load(task.value[c] + at) + leaf, load(task.split[c] + at) + two_leaves);
            const EightMasks valid = k > i ? from_lane(0) : from_lane(i + 1 - k);
            for (int s = 0; s < 2; ++s) {
                best[s] = smaller(best[s], where(valid, stump[2 * s] + stump[2 * s + 1]));
                const Eight by_i = where(valid, stump[s] + stump[2 + s]);
                store(task.side[s] + k, smaller(load(task.side[s] + k), by_i));
            }
        }
        for (int s = 0; s < 2; ++s) {
            const double found = least(best[s]);
            if (found < task.side[s][i]) task.side[s][i] = found;
        }
    }
}

template <template <class, bool> class Run, class... Rest>
void choose(CellTask& task, Rest... rest) {
    const bool counts = task.min_count > 1;
    if (task.form == TwoSums::Form::minus_square)
        counts ? Run<MinusSquare, true>::on(task, rest...) : Run<MinusSquare, false>::on(task, rest...);
    else
        counts ? Run<EventsLog, true>::on(task, rest...) : Run<EventsLog, false>::on(task, rest...);
}
template <class Form, bool kCounts>
struct Pairs {
    static void on(CellTask& task) { pairs_of<Form, kCounts>(task); }
};
template <class Form, bool kCounts>
struct Slab {
    static void on(CellTask& task, std::uint32_t i) { slab_of<Form, kCounts>(task, i); }
};
template <class Form, bool kCounts>
struct Below {
    static void on(CellTask& task) { below_of<Form, kCounts>(task); }
};

void pairs(CellTask& task) { choose<Pairs>(task); }
void slab(CellTask& task, std::uint32_t i) { choose<Slab>(task, i); }
void below(CellTask& task) { choose<Below>(task); }

constexpr CellKernels kKernels{pairs, slab, below};

}  // namespace
}  // namespace treewright::ranked
