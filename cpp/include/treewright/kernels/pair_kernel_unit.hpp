// The depth-two kernel for two classes and weights of 0 and 1: 8-bit lanes.
//
// Signed sums s of 8 bits hold for chunks of 126 rows; what a chunk adds is added to wider sums at its end. Large nodes
// are looked at before they are walked: a chunk of P rows of class 1 and N of class 0 takes the sum of a side from s to
// t, and inside it no sum is above min(s + P, t + N) nor below max(s - N, t - P). Most chunks leave no lane room for
// more than its best so far. In nodes of few rows a chunk is too large a part of them to tell much.
//
// Cost per row and second column: walked, 2 loads + 2 additions, 4 minima and maxima, 1.7 ns; looked at, 1 load + 1
// addition, .5 ns. Measured at depth 3: htru 3.1 -> 2.3 s, magic 1.7 -> 1.5 s.
//
// The last lane has every row on the left: its sum is that of the whole chunk, so there is one threshold less.
// Part of pair_kernel_impl.hpp, and compiled once per instruction set like it.

namespace treewright::ranked {
namespace {

inline constexpr std::uint32_t kLookRows = 4096;

// What a row of sign -1, 0, 1 adds to the sums of its lanes.
template <int kBytes>
struct UnitSigns {
    using V = typename Lanes<std::int8_t, kBytes>::Vector;
    V value[3] = {V{} - 1, V{}, V{} + 1};

    [[nodiscard]] inline __attribute__((always_inline)) const V& of(std::int8_t sign) const { return value[sign + 1]; }
};

template <int kBytes>
struct UnitChunk {
    using V = typename Lanes<std::int8_t, kBytes>::Vector;
    V sum_left, high_left, low_left, high_right, low_right;
    bool changed;  // some position of the chunk is a change of rank; else the extremes mean nothing
};

// The innermost loop of the engine; a function of its own so that its vectors stay in registers.
template <int kBytes, bool kHigh, bool kLow>
__attribute__((noinline)) void unit_chunk(const std::uint32_t* order, const std::uint32_t* end,
                                          const std::uint64_t* lanes, const std::int8_t* sign,
                                          const UnitSigns<kBytes>& signs, UnitChunk<kBytes>& out) {
    using V = typename Lanes<std::int8_t, kBytes>::Vector;
    V sum_left = {}, sum = {};
    V high_left = sum - 127, high_right = high_left, low_left = sum + 127, low_right = low_left;
    std::uint32_t changes = 0;
    for (; order != end; ++order) {
        const std::uint32_t entry = *order;
        changes |= entry;
        if ((entry & 1u) != 0) {
            const V sum_right = sum - sum_left;
            if constexpr (kHigh) {
                high_left = larger(high_left, sum_left);
                high_right = larger(high_right, sum_right);
            }
            if constexpr (kLow) {
                low_left = smaller(low_left, sum_left);
                low_right = smaller(low_right, sum_right);
            }
        }
        const std::uint32_t row = entry >> 1;
        const V value = signs.of(sign[row]);
        sum_left = added<std::int8_t, kBytes>(sum_left, lanes[row], value);
        sum += value;
    }
    out = {sum_left, high_left, low_left, high_right, low_right, (changes & 1u) != 0};
}

// What the rows of a chunk add to the sums on the left.
template <int kBytes>
__attribute__((noinline)) typename Lanes<std::int8_t, kBytes>::Vector unit_sums(const std::uint32_t* order,
                                                                                const std::uint32_t* end,
                                                                                const std::uint64_t* lanes,
                                                                                const std::int8_t* sign,
                                                                                const UnitSigns<kBytes>& signs) {
    typename Lanes<std::int8_t, kBytes>::Vector even = {}, odd = {};
    const auto add = [&](auto& sum, std::uint32_t entry) __attribute__((always_inline)) {
        const std::uint32_t row = entry >> 1;
        sum = added<std::int8_t, kBytes>(sum, lanes[row], signs.of(sign[row]));
    };
    for (; end - order >= 2; order += 2) {
        add(even, order[0]);
        add(odd, order[1]);
    }
    if (order != end) add(even, order[0]);
    return even + odd;
}

// The sums and the best splits of both sides, lane by lane, while the rows of a column are added chunk by chunk.
template <class T, int kBytes>
struct UnitSides {
    static constexpr int kLanes = kBytes;
    using W = Wide<T, kBytes>;
    using V = typename W::V;
    using Small = typename Lanes<std::int8_t, kBytes>::Vector;
    struct Side {
        W sum, total, best;
    };
    // Of the last lane, which has all rows on the left.
    static std::int8_t last_of(const Small& added) { return added[kLanes - 1]; }
    static std::int16_t last_of(const Wide<std::int16_t, kBytes>& added) { return added.get(kLanes - 1); }
    Side left, right;
    UnitSigns<kBytes> signs;

    explicit UnitSides(const PairTask& task) {
        for (int k = 0; k < kLanes; ++k) {
            const bool used = static_cast<std::uint32_t>(k) < task.n_lanes;
            const auto start = [&](Side& side, const std::int32_t* gain) {
                const std::int64_t first = used ? gain[task.classes[0] * kMaxLanes + static_cast<std::size_t>(k)] : 0;
                const std::int64_t second = used ? gain[task.classes[1] * kMaxLanes + static_cast<std::size_t>(k)] : 0;
                side.total.set(k, second - first);
                side.best.set(k, used ? (second > first ? second - first : 0) + task.min_gain : kMax<T>);
            };
            start(left, task.left_gain);
            start(right, task.right_gain);
        }
    }

    void begin_column() { left.sum = right.sum = W{}; }

    // Whether a chunk of `n_rows` rows, which adds `added` on the left, leaves room for a better split.
    struct Room {
        bool high, low;
    };
    template <class Added>
    [[nodiscard]] inline __attribute__((always_inline)) Room room(const Added& added, std::uint32_t n_rows) const {
        const auto n = static_cast<std::int32_t>(n_rows), all = std::int32_t{last_of(added)};
        const T up = static_cast<T>((n + all) / 2), down = static_cast<T>((n - all) / 2);
        V above = {}, below = {};
        for (int r = 0; r < W::kRegisters; ++r) {
            const V step = widen<T, kBytes>(added, r);
            const auto look = [&](const Side& side, const V& next) __attribute__((always_inline)) {
                above |= smaller(side.sum.at[r] + up, next + down) > side.best.at[r];
                below |= side.total.at[r] - larger(side.sum.at[r] - down, next - up) > side.best.at[r];
            };
            look(left, left.sum.at[r] + step);
            look(right, right.sum.at[r] + (static_cast<T>(all) - step));
        }
        return {any(above), any(below)};
    }

    // Looks at the split before the next row.
    inline __attribute__((always_inline)) void look_here() {
        for (int r = 0; r < W::kRegisters; ++r)
            for (Side* side : {&left, &right}) {
                const V sum = side->sum.at[r];
                side->best.at[r] = larger(side->best.at[r], larger(sum, side->total.at[r] - sum));
            }
    }

    // Looks at every split of a chunk. Returns what its rows add on the left.
    inline __attribute__((always_inline)) Small walk(const PairTask& task, const std::uint32_t* order,
                                                     const std::uint32_t* end, Room where) {
        UnitChunk<kBytes> chunk;
        const auto function = where.high && where.low ? unit_chunk<kBytes, true, true>
                              : where.high            ? unit_chunk<kBytes, true, false>
                                                      : unit_chunk<kBytes, false, true>;
        function(order, end, task.left_lanes, task.sign, signs, chunk);
        if (!chunk.changed) return chunk.sum_left;
        const auto take = [&](Side& side, const Small& highest, const Small& lowest) {
            for (int r = 0; r < W::kRegisters; ++r) {
                V& best = side.best.at[r];
                const V sum = side.sum.at[r];
                if (where.high) best = larger(best, sum + widen<T, kBytes>(highest, r));
                if (where.low) best = larger(best, side.total.at[r] - sum - widen<T, kBytes>(lowest, r));
            }
        };
        take(left, chunk.high_left, chunk.low_left);
        take(right, chunk.high_right, chunk.low_right);
        return chunk.sum_left;
    }

    template <class Added>
    inline __attribute__((always_inline)) void add(const Added& added) {
        const T all = last_of(added);
        for (int r = 0; r < W::kRegisters; ++r) {
            const V step = widen<T, kBytes>(added, r);
            left.sum.at[r] += step;
            right.sum.at[r] += all - step;
        }
    }

    void tell(PairTask& task) const {
        for (std::uint32_t k = 0; k < task.n_lanes; ++k) {
            const std::size_t first = task.classes[0] * kMaxLanes + k;
            task.best_left[k] = left.best.get(static_cast<int>(k)) + task.left_gain[first];
            task.best_right[k] = right.best.get(static_cast<int>(k)) + task.right_gain[first];
        }
    }
};

template <class T, int kBytes>
void unit_pass(PairTask& task) {
    UnitSides<T, kBytes> sides(task);
    const bool looks_first = task.n >= kLookRows, far = task.n >= kFarRows;
    const std::uint32_t length = looks_first ? 64 : 126;
    for (const std::uint32_t* order : task.orders) {
        sides.begin_column();
        for (std::uint32_t start = 0; start < task.n; start += length) {
            const std::uint32_t end = task.n - start < length ? task.n : start + length;
            if (far)
                for (std::uint32_t i = end; i < std::min(end + length, task.n); ++i)
                    __builtin_prefetch(task.left_lanes + (order[i] >> 1));
            if (looks_first) {
                const auto added =
                    unit_sums<kBytes>(order + start, order + end, task.left_lanes, task.sign, sides.signs);
                const auto room = sides.room(added, end - start);
                if (room.high || room.low) sides.walk(task, order + start, order + end, room);
                sides.add(added);
            } else {
                sides.add(sides.walk(task, order + start, order + end, {true, true}));
            }
        }
    }
    sides.tell(task);
}

// What the rows of every stretch of some columns add to the sums on the left, the rows in the order of the table.
template <int kBytes, int kColumns>
__attribute__((noinline)) void unit_stretch_sums(const PairTask& task, std::size_t column,
                                                 const UnitSigns<kBytes>& signs,
                                                 typename Lanes<std::int8_t, kBytes>::Vector* sums) {
    const std::uint64_t* lanes = task.left_lanes;
    const std::int8_t* sign = task.sign;
    const StretchedColumn* columns = &task.stretched_columns[column];
    const std::uint16_t* stretch[kColumns];
    for (int c = 0; c < kColumns; ++c) stretch[c] = columns[c].stretch;
    for (std::uint32_t i = 0; i < task.n; ++i) {
        const std::uint32_t row = task.rows[i];
        const std::uint64_t on_left = lanes[row];
        const auto value = signs.of(sign[row]);
        for (int c = 0; c < kColumns; ++c) {
            auto& sum = sums[static_cast<std::size_t>(c) * task.most_stretches + stretch[c][i]];
            sum = added<std::int8_t, kBytes>(sum, on_left, value);
        }
    }
}

// Many rows (row_stretches.hpp): the sums of all stretches first, then a look at groups of them, and at each stretch of
// a group that leaves room. Splits between groups are looked at before any other: where the best split is not far from
// one of them, few groups leave room for a better one.
template <int kBytes>
struct StretchSums {
    using Small = typename Lanes<std::int8_t, kBytes>::Vector;
    static constexpr std::uint32_t kGroup = 16;  // sums of 16 bits hold 260
    const Small* sums;
    const StretchedColumn& column;

    [[nodiscard]] std::uint32_t end_of_group(std::uint32_t s) const {
        return column.n_stretches - s < kGroup ? column.n_stretches : s + kGroup;
    }
    [[nodiscard]] inline __attribute__((always_inline)) Wide<std::int16_t, kBytes> group(std::uint32_t s) const {
        Wide<std::int16_t, kBytes> all = {};
        for (const std::uint32_t end = end_of_group(s); s < end; ++s)
            for (int r = 0; r < all.kRegisters; ++r) all.at[r] += widen<std::int16_t, kBytes>(sums[s], r);
        return all;
    }
};

template <class T, int kBytes>
void unit_stretch_pass(PairTask& task) {
    using Small = typename UnitSides<T, kBytes>::Small;
    UnitSides<T, kBytes> sides(task);
    auto* sums = static_cast<Small*>(task.stretch_sums);
    const std::size_t n_columns = task.orders.size();
    for (std::size_t c = 0; c < n_columns; ++c) {
        if (c % kStretchedTogether == 0) {
            for (std::size_t k = 0; k < kStretchedTogether && c + k < n_columns; ++k)
                __builtin_memset(sums + k * task.most_stretches, 0,
                                 task.stretched_columns[c + k].n_stretches * sizeof(Small));
            c + 1 < n_columns ? unit_stretch_sums<kBytes, kStretchedTogether>(task, c, sides.signs, sums)
                              : unit_stretch_sums<kBytes, 1>(task, c, sides.signs, sums);
        }
        const std::uint32_t* order = task.orders[c];
        const StretchSums<kBytes> stretches{sums + c % kStretchedTogether * task.most_stretches,
                                            task.stretched_columns[c]};
        const auto& [stretch, start, n_stretches] = stretches.column;
        const auto look_before = [&](std::uint32_t s) {
            if ((order[start[s]] & 1u) != 0) sides.look_here();
        };
        sides.begin_column();
        for (std::uint32_t first = 0; first < n_stretches; first = stretches.end_of_group(first)) {
            look_before(first);
            sides.add(stretches.group(first));
        }
        sides.begin_column();
        for (std::uint32_t first = 0, end = 0; first < n_stretches; first = end) {
            end = stretches.end_of_group(first);
            const auto group = stretches.group(first);
            const auto open = sides.room(group, start[end] - start[first]);
            if (!open.high && !open.low) {
                sides.add(group);
                continue;
            }
            for (std::uint32_t s = first; s < end; ++s) {
                look_before(s);
                const auto room = sides.room(stretches.sums[s], start[s + 1] - start[s]);
                if (room.high || room.low) {
                    for (std::uint32_t i = start[s]; i < start[s + 1]; ++i)
                        __builtin_prefetch(task.left_lanes + (order[i] >> 1));
                    sides.walk(task, order + start[s], order + start[s + 1], room);
                }
                sides.add(stretches.sums[s]);
            }
        }
    }
    sides.tell(task);
}

}  // namespace
}  // namespace treewright::ranked
