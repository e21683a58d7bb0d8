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

template <class T, int kBytes>
void unit_pass(PairTask& task) {
    constexpr int kLanes = kBytes;
    using W = Wide<T, kBytes>;
    using V = typename W::V;
    using Small = typename Lanes<std::int8_t, kBytes>::Vector;
    const UnitSigns<kBytes> signs;
    const bool looks_first = task.n >= kLookRows, far = task.n >= kFarRows;
    const std::uint32_t length = looks_first ? 64 : 126;
    struct Side {
        W sum, total, best;
    };
    Side left, right;
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
    UnitChunk<kBytes> chunk;
    for (const std::uint32_t* order : task.orders) {
        left.sum = right.sum = W{};
        for (std::uint32_t start = 0; start < task.n; start += length) {
            const std::uint32_t end = task.n - start < length ? task.n : start + length;
            const auto walk = [&](bool high, bool low) {
                const auto function = high && low ? unit_chunk<kBytes, true, true>
                                      : high      ? unit_chunk<kBytes, true, false>
                                                  : unit_chunk<kBytes, false, true>;
                function(order + start, order + end, task.left_lanes, task.sign, signs, chunk);
                if (!chunk.changed) return;
                const auto take = [&](Side& side, const Small& highest, const Small& lowest) {
                    for (int r = 0; r < W::kRegisters; ++r) {
                        V& best = side.best.at[r];
                        const V sum = side.sum.at[r];
                        if (high) best = larger(best, sum + widen<T, kBytes>(highest, r));
                        if (low) best = larger(best, side.total.at[r] - sum - widen<T, kBytes>(lowest, r));
                    }
                };
                take(left, chunk.high_left, chunk.low_left);
                take(right, chunk.high_right, chunk.low_right);
            };
            if (far)
                for (std::uint32_t i = end; i < std::min(end + length, task.n); ++i)
                    __builtin_prefetch(task.left_lanes + (order[i] >> 1));
            Small added;
            if (looks_first) {
                added = unit_sums<kBytes>(order + start, order + end, task.left_lanes, task.sign, signs);
                const auto n_rows = static_cast<std::int32_t>(end - start), all = std::int32_t{added[kLanes - 1]};
                const T up = static_cast<T>((n_rows + all) / 2), down = static_cast<T>((n_rows - all) / 2);
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
                const bool high = any(above), low = any(below);
                if (high || low) walk(high, low);
            } else {
                walk(true, true);
                added = chunk.sum_left;
            }
            const T all = added[kLanes - 1];
            for (int r = 0; r < W::kRegisters; ++r) {
                const V step = widen<T, kBytes>(added, r);
                left.sum.at[r] += step;
                right.sum.at[r] += all - step;
            }
        }
    }
    for (std::uint32_t k = 0; k < task.n_lanes; ++k) {
        const std::size_t first = task.classes[0] * kMaxLanes + k;
        task.best_left[k] = left.best.get(static_cast<int>(k)) + task.left_gain[first];
        task.best_right[k] = right.best.get(static_cast<int>(k)) + task.right_gain[first];
    }
}

}  // namespace
}  // namespace treewright::ranked
