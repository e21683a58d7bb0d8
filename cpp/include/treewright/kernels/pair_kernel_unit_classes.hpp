// The depth-two kernel for many classes and weights of 0 and 1: chunks of rows in 8-bit lanes.
//
// Of a chunk first the rows of each class on the left are counted in every lane. That gives the sums c_a at its end and
// the rests e_b = C_b - c_b at its start: no split inside gains more than c_a(end) + e_b(start) for its classes a != b
// (a = b gains C_a, no more than the leaf). Where that is more than the best so far in some lane, halves of the chunk
// are looked at, then walked: over the classes that can label a leaf of a better split, and on the sides that can have
// one. Measured at depth 3 against walking everything: segment .29 -> .18 s, page .43 -> .28 s.
//
// A chunk that is walked has 63 rows, its rests held less the largest rest N at its start, its sums less the largest
// sum M. No rest falls and no sum rises by more than 63, so a class held at -64 because it is further below is never
// above the largest, which a real split has: what is found is never too much, and all numbers fit 8 bits. Classes left
// out of the walk have no part in a gain above the best so far; rests of those looked at and sums are kept exactly.
//
// The last lane has every row on the left: it counts the rows of the chunk, so there is one threshold less.
// Part of pair_kernel_impl.hpp, and compiled once per instruction set like it.

namespace treewright::ranked {
namespace {

inline constexpr std::size_t kPlaces = kMaxUnitClasses + 1;  // the last for rows of no weight

template <int kBytes>
struct SmallSide {
    using V = typename Lanes<std::int8_t, kBytes>::Vector;
    V rest[kMaxUnitClasses];   // e_b - N, at least -64 at the start
    V total[kMaxUnitClasses];  // what e_a - N and c_a - M add up to
    std::uint32_t n = 0;       // classes that may label the right leaf of a better split
    std::uint8_t which[kMaxUnitClasses];
    V best;
};

// Tells whether some position of the chunk is a change of rank; else `best` of the sides means nothing.
template <int kBytes, bool kLeft, bool kRight>
__attribute__((noinline)) bool small_walk(const std::uint32_t* order, const std::uint32_t* end,
                                          const std::uint64_t* lanes, const std::uint8_t* place, const bool* matters,
                                          SmallSide<kBytes>& on_left, SmallSide<kBytes>& on_right) {
    using V = typename SmallSide<kBytes>::V;
    V max_left = {}, max_right = {}, high_left = max_left - 127, high_right = high_left;
    const auto look = [](const SmallSide<kBytes>& side, const V& most, V& high) __attribute__((always_inline)) {
        V rest = side.rest[side.which[0]];
        for (std::uint32_t i = 1; i < side.n; ++i) rest = larger(rest, side.rest[side.which[i]]);
        high = larger(high, rest + most);
    };
    std::uint32_t changes = 0;
    for (; order != end; ++order) {
        const std::uint32_t entry = *order;
        changes |= entry;
        if ((entry & 1u) != 0) {
            if constexpr (kLeft) look(on_left, max_left, high_left);
            if constexpr (kRight) look(on_right, max_right, high_right);
        }
        const std::uint32_t row = entry >> 1;
        const std::size_t which = place[row];
        if (!matters[which]) continue;
        const auto add = [which](SmallSide<kBytes>& side, std::uint64_t in, V& most) __attribute__((always_inline)) {
            const V rest = added<std::int8_t, kBytes>(side.rest[which], in, V{} - 1);
            side.rest[which] = rest;
            most = larger(most, side.total[which] - rest);
        };
        if constexpr (kLeft) add(on_left, lanes[row], max_left);
        if constexpr (kRight) add(on_right, ~lanes[row], max_right);
    }
    on_left.best = high_left;
    on_right.best = high_right;
    return (changes & 1u) != 0;
}

// Less the number of rows of each class on the left: counts[c] and counts[kPlaces + c] together.
template <int kBytes>
__attribute__((noinline)) void small_counts(const std::uint32_t* order, const std::uint32_t* end,
                                            const std::uint64_t* lanes, const std::uint8_t* place,
                                            typename SmallSide<kBytes>::V* counts) {
    using V = typename SmallSide<kBytes>::V;
    const auto add = [&](std::uint32_t entry, std::size_t at) __attribute__((always_inline)) {
        const std::uint32_t row = entry >> 1;
        V& count = counts[at + place[row]];
        count = added<std::int8_t, kBytes>(count, lanes[row], V{} - 1);
    };
    for (; end - order >= 2; order += 2) {
        add(order[0], 0);
        add(order[1], kPlaces);
    }
    if (order != end) add(order[0], 0);
}

// One side of all splits: numbers before and after a chunk.
template <class T, int kBytes>
struct ClassSide {
    using W = Wide<T, kBytes>;
    using V = typename W::V;
    W total[kMaxUnitClasses];                        // C_a
    W rest[kMaxUnitClasses], next[kMaxUnitClasses];  // e_b before the chunk, after it
    W best;
    W base;  // N + M

    [[nodiscard]] V rest_before(std::uint32_t c, int r) const { return rest[c].at[r]; }
    [[nodiscard]] V sum_before(std::uint32_t c, int r) const { return total[c].at[r] - rest[c].at[r]; }
    [[nodiscard]] V sum_after(std::uint32_t c, int r) const { return total[c].at[r] - next[c].at[r]; }

    void start(const PairTask& task, const std::int32_t* gain) {
        for (int k = 0; k < kBytes; ++k) {
            const bool used = static_cast<std::uint32_t>(k) < task.n_lanes;
            std::int64_t most = 0;
            for (std::uint32_t c = 0; c < task.n_classes; ++c) {
                const std::int32_t all = used ? gain[task.classes[c] * kMaxLanes + static_cast<std::size_t>(k)] : 0;
                total[c].set(k, all);
                most = all > most ? all : most;
            }
            best.set(k, used ? most + task.min_gain : kMax<T>);
        }
    }

    // The largest and the second-largest rest before the chunk and sum after it.
    struct Top {
        V rest, rest2, sum, sum2;
    };
    [[nodiscard]] inline __attribute__((always_inline)) Top top(std::uint32_t n_classes, int r) const {
        Top most{};
        for (std::uint32_t c = 0; c < n_classes; ++c) {
            const V rest_c = rest_before(c, r), sum_c = sum_after(c, r);
            most.rest2 = larger(most.rest2, smaller(most.rest, rest_c));
            most.rest = larger(most.rest, rest_c);
            most.sum2 = larger(most.sum2, smaller(most.sum, sum_c));
            most.sum = larger(most.sum, sum_c);
        }
        return most;
    }

    // Lanes in which the chunk has room for a better split: the largest sum and rest of two classes.
    [[nodiscard]] inline __attribute__((always_inline)) V open(std::uint32_t n_classes, int r) const {
        const Top most = top(n_classes, r);
        V same = {};  // one class has both
        for (std::uint32_t c = 0; c < n_classes; ++c)
            same |= (rest_before(c, r) == most.rest) & (sum_after(c, r) == most.sum);
        const V two = most.sum + most.rest, other = larger(most.sum + most.rest2, most.sum2 + most.rest);
        return ((same & other) | (~same & two)) > best.at[r];
    }

    // The numbers of a walk, and which classes have a part in it.
    void prepare(std::uint32_t n_classes, SmallSide<kBytes>& small, bool* matters) {
        Top most[W::kRegisters];
        W max_sum = {};
        for (int r = 0; r < W::kRegisters; ++r) {
            most[r] = top(n_classes, r);
            for (std::uint32_t c = 0; c < n_classes; ++c) max_sum.at[r] = larger(max_sum.at[r], sum_before(c, r));
            base.at[r] = max_sum.at[r] + most[r].rest;
        }
        small.n = 0;
        for (std::uint32_t c = 0; c < n_classes; ++c) {
            V on_left = {}, on_right = {};  // lanes in which the class may label a leaf of a better split
            for (int r = 0; r < W::kRegisters; ++r) {
                const V rest_c = rest_before(c, r), sum_c = sum_after(c, r);
                on_left |= sum_c + (rest_c == most[r].rest ? most[r].rest2 : most[r].rest) > best.at[r];
                on_right |= rest_c + (sum_c == most[r].sum ? most[r].sum2 : most[r].sum) > best.at[r];
            }
            if (any(on_right)) small.which[small.n++] = static_cast<std::uint8_t>(c);
            matters[c] |= any(on_left | on_right);
            small.rest[c] = narrow<T, kBytes>([&](int r) { return rest_before(c, r) - most[r].rest; });
            small.total[c] = small.rest[c] + narrow<T, kBytes>([&](int r) { return sum_before(c, r) - max_sum.at[r]; });
        }
    }

    void take(const SmallSide<kBytes>& small) {
        for (int r = 0; r < W::kRegisters; ++r)
            best.at[r] = larger(best.at[r], base.at[r] + widen<T, kBytes>(small.best, r));
    }
};

template <class T, int kBytes>
void unit_classes_pass(PairTask& task) {
    constexpr std::uint32_t kWalked = 63, kLooked = 126;
    using Side = ClassSide<T, kBytes>;
    using V = typename Side::V;
    using Small = typename SmallSide<kBytes>::V;
    constexpr int kRegisters = Side::W::kRegisters;
    const std::uint32_t n_classes = task.n_classes;
    Side left, right;
    SmallSide<kBytes> small_left, small_right;
    left.start(task, task.left_gain);
    right.start(task, task.right_gain);
    Small n_rows[2 * kPlaces];
    for (const std::uint32_t* order : task.orders) {
        for (std::uint32_t c = 0; c < n_classes; ++c) {
            left.rest[c] = left.total[c];
            right.rest[c] = right.total[c];
        }
        for (std::uint32_t start = 0, end = 0, halves_until = 0; start < task.n; start = end) {
            const std::uint32_t length = start < halves_until ? kWalked : kLooked;
            end = task.n - start < length ? task.n : start + length;
            for (std::uint32_t c = 0; c < n_classes; ++c) n_rows[c] = n_rows[kPlaces + c] = Small{};
            n_rows[kMaxUnitClasses] = n_rows[kPlaces + kMaxUnitClasses] = Small{};
            small_counts<kBytes>(order + start, order + end, task.left_lanes, task.place, n_rows);
            for (std::uint32_t c = 0; c < n_classes; ++c) {
                n_rows[c] += n_rows[kPlaces + c];
                const T all = n_rows[c][kBytes - 1];
                for (int r = 0; r < kRegisters; ++r) {
                    const V step = widen<T, kBytes>(n_rows[c], r);
                    left.next[c].at[r] = left.rest[c].at[r] + step;
                    right.next[c].at[r] = right.rest[c].at[r] + (all - step);
                }
            }
            V open_left = {}, open_right = {};
            for (int r = 0; r < kRegisters; ++r) {
                open_left |= left.open(n_classes, r);
                open_right |= right.open(n_classes, r);
            }
            const bool on_left = any(open_left), on_right = any(open_right);
            if (on_left || on_right) {
                if (end - start > kWalked) {
                    halves_until = end;
                    end = start;
                    continue;
                }
                bool matters[kPlaces] = {};
                if (on_left) left.prepare(n_classes, small_left, matters);
                if (on_right) right.prepare(n_classes, small_right, matters);
                const auto walk = on_left && on_right ? small_walk<kBytes, true, true>
                                  : on_left           ? small_walk<kBytes, true, false>
                                                      : small_walk<kBytes, false, true>;
                if (walk(order + start, order + end, task.left_lanes, task.place, matters, small_left, small_right)) {
                    if (on_left) left.take(small_left);
                    if (on_right) right.take(small_right);
                }
            }
            for (std::uint32_t c = 0; c < n_classes; ++c) {
                left.rest[c] = left.next[c];
                right.rest[c] = right.next[c];
            }
        }
    }
    for (std::uint32_t k = 0; k < task.n_lanes; ++k) {
        task.best_left[k] = left.best.get(static_cast<int>(k));
        task.best_right[k] = right.best.get(static_cast<int>(k));
    }
}

}  // namespace
}  // namespace treewright::ranked
