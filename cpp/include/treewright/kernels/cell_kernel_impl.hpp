// Included once per instruction set, inside its target pragma, behind log_lanes_impl.hpp; everything has internal
// linkage.
namespace treewright::ranked {
namespace {

constexpr float kNone = std::numeric_limits<float>::infinity();

// g of two cells. Sums that are whole numbers and below 1 are 0.
struct MinusSquare {
    // One division for both.
    static void of(Floats a, Floats b, Floats a2, Floats b2, float /*b_unit*/, Floats& value, Floats& value2) {
        const Floats x = larger(a, spread(1.0f)), y = larger(a2, spread(1.0f)), inverse = 1.0f / (x * y);
        value = -(b * b) * (y * inverse);
        value2 = -(b2 * b2) * (x * inverse);
    }
};
struct EventsLog {
    // One logarithm of the quotient: its error is that of the logarithm and of one rounding more.
    static Floats of(Floats a, Floats b, float b_unit) {
        return a * log_of(larger(b, spread(b_unit)) / larger(a, spread(1.0f)));
    }
    static void of(Floats a, Floats b, Floats a2, Floats b2, float b_unit, Floats& value, Floats& value2) {
        value = of(a, b, b_unit);
        value2 = of(a2, b2, b_unit);
    }
};

// The lanes at or after `first`, all ones.
inline FloatMasks from_lane(std::uint32_t first) {
    static constexpr std::int32_t kLane[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    return load_as<FloatMasks>(kLane) >= FloatMasks{} + static_cast<std::int32_t>(first);
}
inline Floats where(FloatMasks mask, Floats x) { return choose(mask, x, spread(kNone)); }
inline Floats load_floats(const float* from) { return load_as<Floats>(from); }
// The smaller of a row and `x`, into the row.
inline void lower(float* row, Floats x) { store(row, smaller(load_floats(row), x)); }
inline void lower(float& known, Floats x) {
    float all[8], found = known;
    store(all, x);
    for (const float one : all) found = one < found ? one : found;
    known = found;
}

// Eight cells that differ in the last of the columns, and those beside them: their sums.
template <bool kCounts>
struct Cells {
    static constexpr int kSums = kCounts ? 3 : 2;
    Eight sum[kSums];
    TREEWRIGHT_INLINE const Eight& operator[](int s) const { return sum[s]; }
};

// g of `n` cells, two by two; none where a cell has too few rows.
template <class Form, bool kCounts, int n>
TREEWRIGHT_INLINE void evaluate(const CellTask& task, const Cells<kCounts> (&cell)[n], Floats (&value)[n]) {
    const auto b_unit = static_cast<float>(task.b_unit);
    for (int c = 0; c < n; c += 2)
        Form::of(floats_of(cell[c][0]), floats_of(cell[c][1]), floats_of(cell[c + 1][0]), floats_of(cell[c + 1][1]),
                 b_unit, value[c], value[c + 1]);
    if constexpr (kCounts) {
        const Floats few = spread(static_cast<float>(task.min_count));
        for (int c = 0; c < n; ++c) value[c] = choose(floats_of(cell[c][2]) < few, spread(kNone), value[c]);
    }
}

// What was added to eight places of a plane, which are cleared.
template <bool kCounts>
TREEWRIGHT_INLINE Cells<kCounts> take(CellTask& task, std::size_t at) {
    Cells<kCounts> found;
    double* const added = task.added + 2 * at;
    load_turns(added, found.sum[0], found.sum[1]);
    store(added, Eight{});
    store(added + 8, Eight{});
    if constexpr (kCounts) {
        found.sum[2] = load(task.added_rows + at);
        store(task.added_rows + at, Eight{});
    }
    return found;
}

template <class Form, bool kCounts>
void sides_as_leaves(CellTask& task) {
    const Floats leaf = spread(static_cast<float>(task.leaf));
    for (std::uint32_t k = 0; k < task.n_columns; k += 8) {
        Cells<kCounts> cell[2];
        Floats value[2];
        for (int s = 0; s < Cells<kCounts>::kSums; ++s) {
            cell[1].sum[s] = load(task.single[s] + k);
            cell[0].sum[s] = task.total[s] - cell[1][s];
        }
        evaluate<Form, kCounts>(task, cell, value);
        for (int s = 0; s < 2; ++s) store(task.side[s] + k, value[s] + leaf);
    }
}

template <class Form, bool kCounts>
void pairs_of(CellTask& task) {
    const std::uint32_t p = task.n_columns;
    constexpr int n_sums = Cells<kCounts>::kSums;
    const Floats two_leaves = spread(static_cast<float>(2 * task.leaf));
    sides_as_leaves<Form, kCounts>(task);
    for (std::uint32_t i = 0; i + 1 < p; ++i) {
        double on[3], off[3];
        for (int s = 0; s < n_sums; ++s) on[s] = task.single[s][i], off[s] = task.total[s] - on[s];
        Floats best[2] = {spread(kNone), spread(kNone)};
        for (std::uint32_t k = (i + 1) / 8 * 8; k < p; k += 8) {
            const std::size_t at = std::size_t{i} * task.stride + k;
            Cells<kCounts> cell[4];
            Floats value[4];
            cell[3] = take<kCounts>(task, at);
            for (int s = 0; s < n_sums; ++s) {
                store(task.pair[s] + at, cell[3][s]);
                cell[2].sum[s] = on[s] - cell[3][s];
                cell[1].sum[s] = load(task.single[s] + k) - cell[3][s];
                cell[0].sum[s] = off[s] - cell[1][s];
            }
            evaluate<Form, kCounts>(task, cell, value);
            for (int c = 0; c < 4; ++c) store(task.value[c] + at, value[c]);
            const FloatMasks valid = k > i ? from_lane(0) : from_lane(i + 1 - k);
            for (int s = 0; s < 2; ++s) {
                best[s] = smaller(best[s], where(valid, value[2 * s] + value[2 * s + 1] + two_leaves));
                lower(task.side[s] + k, where(valid, value[s] + value[2 + s] + two_leaves));
            }
        }
        for (int s = 0; s < 2; ++s) lower(task.side[s][i], best[s]);
    }
}

template <class Form, bool kCounts>
void slab_of(CellTask& task, std::uint32_t i) {
    const std::uint32_t p = task.n_columns;
    constexpr int n_sums = Cells<kCounts>::kSums;
    const std::size_t row_i = std::size_t{i} * task.stride;
    double on_i[3], off_i[3];
    for (int s = 0; s < n_sums; ++s) on_i[s] = task.single[s][i], off_i[s] = task.total[s] - on_i[s];
    for (std::uint32_t j = i + 1; j + 1 < p; ++j) {
        const std::size_t row_j = std::size_t{j} * task.stride;
        double one_one[3], one_zero[3], zero_one[3], zero_zero[3];  // columns i and j
        for (int s = 0; s < n_sums; ++s) {
            one_one[s] = task.pair[s][row_i + j];
            one_zero[s] = on_i[s] - one_one[s];
            zero_one[s] = task.single[s][j] - one_one[s];
            zero_zero[s] = off_i[s] - zero_one[s];
        }
        Floats best[4] = {spread(kNone), spread(kNone), spread(kNone), spread(kNone)};
        for (std::uint32_t k = (j + 1) / 8 * 8; k < p; k += 8) {
            Cells<kCounts> cell[8];  // i j k as bits of the number, i the highest
            Floats value[8];
            cell[7] = take<kCounts>(task, row_j + k);
            for (int s = 0; s < n_sums; ++s) {
                const Eight with_i = load(task.pair[s] + row_i + k);
                cell[6].sum[s] = one_one[s] - cell[7][s];
                cell[5].sum[s] = with_i - cell[7][s];
                cell[3].sum[s] = load(task.pair[s] + row_j + k) - cell[7][s];
                cell[4].sum[s] = one_zero[s] - cell[5][s];
                cell[2].sum[s] = zero_one[s] - cell[3][s];
                cell[1].sum[s] = load(task.single[s] + k) - with_i - cell[3][s];
                cell[0].sum[s] = zero_zero[s] - cell[1][s];
            }
            evaluate<Form, kCounts>(task, cell, value);
            if (k <= j) {
                const FloatMasks valid = from_lane(j + 1 - k);
                for (int c = 0; c < 8; ++c) value[c] = where(valid, value[c]);
            }
            for (int c = 0; c < 4; ++c) {
                best[c] = smaller(best[c], value[2 * c] + value[2 * c + 1]);
                const int ik = (c & 2) * 2 + (c & 1);  // cell of i and k: bits 2 and 0
                lower(task.split[c] + row_i + k, value[ik] + value[ik + 2]);
                lower(task.split[c] + row_j + k, value[c] + value[c + 4]);  // cell of j and k: bits 1 and 0
            }
        }
        for (int c = 0; c < 4; ++c) lower(task.split[c][row_i + j], best[c]);
    }
}

template <class Form, bool kCounts>
void below_of(CellTask& task) {
    const std::uint32_t p = task.n_columns;
    const Floats leaf = spread(static_cast<float>(task.leaf)), two_leaves = spread(static_cast<float>(2 * task.leaf));
    sides_as_leaves<Form, kCounts>(task);
    for (std::uint32_t i = 0; i + 1 < p; ++i) {
        Floats best[2] = {spread(kNone), spread(kNone)};
        for (std::uint32_t k = (i + 1) / 8 * 8; k < p; k += 8) {
            const std::size_t at = std::size_t{i} * task.stride + k;
            Floats stump[4];
            for (int c = 0; c < 4; ++c)
                stump[c] =
                    smaller(load_floats(task.value[c] + at) + leaf, load_floats(task.split[c] + at) + two_leaves);
            const FloatMasks valid = k > i ? from_lane(0) : from_lane(i + 1 - k);
            for (int s = 0; s < 2; ++s) {
                best[s] = smaller(best[s], where(valid, stump[2 * s] + stump[2 * s + 1]));
                lower(task.side[s] + k, where(valid, stump[s] + stump[2 + s]));
            }
        }
        for (int s = 0; s < 2; ++s) lower(task.side[s][i], best[s]);
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
