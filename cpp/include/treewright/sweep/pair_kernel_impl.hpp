// Body of the depth-two kernels, included once per instruction set after a target pragma (sweep_kernel_*.cpp).
// `kBytes` is the width of a register. Everything has internal linkage: code compiled for a newer processor must
// not be merged by the linker with that of an older one; for the same reason no standard header is included here.
//
// Cost per row, second column and register of lanes: 2 loads + 2 adds for the sums, 4 minima/maxima for the bounds.

namespace treewright::sweep {
namespace {

template <class T, int kBytes>
struct Lanes {
    typedef T Vector __attribute__((vector_size(kBytes)));
    static constexpr int kCount = kBytes / static_cast<int>(sizeof(T));
};

template <class V>
inline __attribute__((always_inline)) V larger(V a, V b) {
    return a > b ? a : b;
}
template <class V>
inline __attribute__((always_inline)) V smaller(V a, V b) {
    return a < b ? a : b;
}

// Two classes, weights in {-1, 0, 1}. 8-bit sums hold for chunks of 126 rows; at the end of a chunk its extremes are
// added to the 32-bit sums at its start. The sign is read together with the bucket: index = 3 * bucket + 1 + sign.
template <int kBytes>
struct UnitTables {
    using V = typename Lanes<std::int8_t, kBytes>::Vector;
    static constexpr int kLanes = kBytes;
    V left[(kLanes + 1) * 3];
    V right[(kLanes + 1) * 3];

    UnitTables() {
        for (int b = 0; b <= kLanes; ++b)
            for (int s = 0; s < 3; ++s)
                for (int k = 0; k < kLanes; ++k) {
                    left[b * 3 + s][k] = static_cast<std::int8_t>(k >= b ? s - 1 : 0);
                    right[b * 3 + s][k] = static_cast<std::int8_t>(k >= b ? 0 : s - 1);
                }
    }
};

template <int kBytes>
struct UnitChunk {
    using V = typename Lanes<std::int8_t, kBytes>::Vector;
    V sum_left, high_left, low_left, sum_right, high_right, low_right;
    bool changed;  // some position of the chunk is a change of rank; else the extremes mean nothing
};

// The innermost loop of the engine; a function of its own so that the six vectors stay in registers.
template <int kBytes>
__attribute__((noinline)) void unit_chunk(const std::uint32_t* order, const std::uint32_t* end,
                                          const std::uint8_t* bucket, const UnitTables<kBytes>& tables,
                                          UnitChunk<kBytes>& out) {
    using V = typename Lanes<std::int8_t, kBytes>::Vector;
    V sum_left = {}, sum_right = {};
    V high_left = sum_left - 127, high_right = high_left, low_left = sum_left + 127, low_right = low_left;
    std::uint32_t changes = 0;
    for (; order != end; ++order) {
        const std::uint32_t entry = *order;
        changes |= entry;
        if ((entry & 1u) != 0) {
            high_left = larger(high_left, sum_left);
            low_left = smaller(low_left, sum_left);
            high_right = larger(high_right, sum_right);
            low_right = smaller(low_right, sum_right);
        }
        const std::uint8_t index = bucket[entry >> 1];
        sum_left += tables.left[index];
        sum_right += tables.right[index];
    }
    out = {sum_left, high_left, low_left, sum_right, high_right, low_right, (changes & 1u) != 0};
}

template <int kBytes>
void unit_pass(PairTask& task) {
    constexpr int kLanes = kBytes;
    constexpr std::uint32_t kChunk = 126;
    static const UnitTables<kBytes> tables;  // made once: small nodes take less time than these
    UnitChunk<kBytes> chunk;
    struct Side {
        std::int32_t base[kLanes] = {}, high[kLanes] = {}, low[kLanes] = {};

        void add(const std::int8_t* sum, const std::int8_t* highest, const std::int8_t* lowest, bool changed) {
            if (changed)
                for (int k = 0; k < kLanes; ++k) {
                    const std::int32_t up = base[k] + highest[k], down = base[k] + lowest[k];
                    high[k] = up > high[k] ? up : high[k];
                    low[k] = down < low[k] ? down : low[k];
                }
            for (int k = 0; k < kLanes; ++k) base[k] += sum[k];
        }
    };
    const auto bytes = [](const auto& vector) { return reinterpret_cast<const std::int8_t*>(&vector); };
    Side left, right;
    for (const std::uint32_t* order : task.orders) {
        for (int k = 0; k < kLanes; ++k) left.base[k] = right.base[k] = 0;
        for (std::uint32_t start = 0; start < task.n; start += kChunk) {
            const std::uint32_t end = task.n - start < kChunk ? task.n : start + kChunk;
            unit_chunk<kBytes>(order + start, order + end, task.bucket, tables, chunk);
            left.add(bytes(chunk.sum_left), bytes(chunk.high_left), bytes(chunk.low_left), chunk.changed);
            right.add(bytes(chunk.sum_right), bytes(chunk.high_right), bytes(chunk.low_right), chunk.changed);
        }
    }
    for (int k = 0; k < kLanes; ++k) {
        const auto lane = static_cast<std::size_t>(k);
        task.high_left[lane] = left.high[k];
        task.low_left[lane] = left.low[k];
        task.high_right[lane] = right.high[k];
        task.low_right[lane] = right.low[k];
    }
}

// mask[b] has all bits set in the lanes k >= b: those where a row of bucket b is on the left side.
template <class T, int kBytes, int kRegisters>
struct Masks {
    using V = typename Lanes<T, kBytes>::Vector;
    static constexpr int kPer = Lanes<T, kBytes>::kCount;
    static constexpr int kLanes = kPer * kRegisters;
    V left[(kLanes + 1) * kRegisters];

    Masks() {
        for (int b = 0; b <= kLanes; ++b)
            for (int k = 0; k < kLanes; ++k)
                left[b * kRegisters + k / kPer][k % kPer] = static_cast<T>(k >= b ? -1 : 0);
    }
};

// Two classes, any weights whose total fits T.
template <class T, int kBytes, int kRegisters, bool kCounted>
void signed_pass(PairTask& task) {
    using M = Masks<T, kBytes, kRegisters>;
    using V = typename M::V;
    static const M masks;
    const std::uint8_t* bucket = task.bucket;
    const std::int32_t* weight = task.data->signed_weight.data();
    V high_left[kRegisters] = {}, low_left[kRegisters] = {}, high_right[kRegisters] = {}, low_right[kRegisters] = {};
    V most_left[kRegisters] = {}, most_right[kRegisters] = {};
    const T fewest = static_cast<T>(task.min_leaf);
    for (int k = 0; kCounted && k < M::kLanes; ++k) {
        const std::uint32_t rows = static_cast<std::uint32_t>(k) < task.n_lanes ? task.left_rows[k] : 0;
        most_left[k / M::kPer][k % M::kPer] = static_cast<T>(static_cast<std::int64_t>(rows) - fewest);
        most_right[k / M::kPer][k % M::kPer] = static_cast<T>(static_cast<std::int64_t>(task.n - rows) - fewest);
    }
    for (const std::uint32_t* order : task.orders) {
        V left[kRegisters] = {}, count[kRegisters] = {};
        T total = 0;
        for (std::uint32_t i = 0; i < task.n; ++i) {
            const std::uint32_t entry = order[i];
            if ((entry & 1u) != 0) {
                for (int r = 0; r < kRegisters; ++r) {
                    V on_left = left[r], on_right = total - left[r];
                    if constexpr (kCounted) {
                        const V rest = static_cast<T>(i) - count[r];
                        on_left &= (count[r] >= fewest) & (count[r] <= most_left[r]);
                        on_right &= (rest >= fewest) & (rest <= most_right[r]);
                    }
                    high_left[r] = larger(high_left[r], on_left);
                    low_left[r] = smaller(low_left[r], on_left);
                    high_right[r] = larger(high_right[r], on_right);
                    low_right[r] = smaller(low_right[r], on_right);
                }
            }
            const std::uint32_t row = entry >> 1;
            const T w = static_cast<T>(weight[row]);
            const V* mask = &masks.left[static_cast<std::size_t>(bucket[row]) * kRegisters];
            total = static_cast<T>(total + w);
            for (int r = 0; r < kRegisters; ++r) {
                left[r] += mask[r] & w;
                if constexpr (kCounted) count[r] -= mask[r];
            }
        }
    }
    for (int k = 0; k < M::kLanes; ++k) {
        const int r = k / M::kPer, j = k % M::kPer;
        const auto lane = static_cast<std::size_t>(k);
        task.high_left[lane] = high_left[r][j];
        task.low_left[lane] = low_left[r][j];
        task.high_right[lane] = high_right[r][j];
        task.low_right[lane] = low_right[r][j];
    }
}

// Many classes, gains c_a of the left leaf and e_a = C_a - c_a of the right leaf, for every class a present in the
// node. Gains are not negative, so c_a only grows: its largest over a is a running maximum, updated with the one class
// that a row changes; only the largest e_a has to be looked for, and only at marked positions. The row's lookup holds
// its weight, class (or label) and bucket together.
template <class T, int kBytes, int kRegisters, bool kCounted>
void classes_pass(PairTask& task) {
    using M = Masks<T, kBytes, kRegisters>;
    using V = typename M::V;
    static const M masks;
    const std::uint32_t n_classes = task.n_classes;
    struct Class {
        V left_rest[kRegisters], right_rest[kRegisters];    // e_a of the two sides
        V left_total[kRegisters], right_total[kRegisters];  // C_a
    };
    constexpr std::uint32_t kInline = 16;
    Class inline_classes[kInline];
    Class* classes = n_classes <= kInline
                         ? inline_classes
                         : static_cast<Class*>(::operator new(sizeof(Class) * n_classes, std::align_val_t{64}));
    V most_left[kRegisters] = {}, most_right[kRegisters] = {}, best_left[kRegisters] = {}, best_right[kRegisters] = {};
    const T fewest = static_cast<T>(task.min_leaf);
    for (int k = 0; k < M::kLanes; ++k) {
        const int r = k / M::kPer, j = k % M::kPer;
        const bool used = static_cast<std::uint32_t>(k) < task.n_lanes;
        for (std::uint32_t c = 0; c < n_classes; ++c) {
            const std::size_t at = task.classes[c] * kMostLanes + static_cast<std::size_t>(k);
            classes[c].left_total[r][j] = static_cast<T>(used ? task.left_gain[at] : 0);
            classes[c].right_total[r][j] = static_cast<T>(used ? task.right_gain[at] : 0);
        }
        if (!kCounted) continue;
        const std::uint32_t rows = used ? task.left_rows[k] : 0;
        most_left[r][j] = static_cast<T>(static_cast<std::int64_t>(rows) - fewest);
        most_right[r][j] = static_cast<T>(static_cast<std::int64_t>(task.n - rows) - fewest);
    }
    for (const std::uint32_t* order : task.orders) {
        for (std::uint32_t c = 0; c < n_classes; ++c)
            for (int r = 0; r < kRegisters; ++r) {
                classes[c].left_rest[r] = classes[c].left_total[r];
                classes[c].right_rest[r] = classes[c].right_total[r];
            }
        V count[kRegisters] = {}, most_gain_left[kRegisters] = {}, most_gain_right[kRegisters] = {};
        const auto add = [&](Class& one, T w, const V* mask) __attribute__((always_inline)) {
            for (int r = 0; r < kRegisters; ++r) {
                one.left_rest[r] -= mask[r] & w;
                one.right_rest[r] -= ~mask[r] & w;
                most_gain_left[r] = larger(most_gain_left[r], one.left_total[r] - one.left_rest[r]);
                most_gain_right[r] = larger(most_gain_right[r], one.right_total[r] - one.right_rest[r]);
            }
        };
        for (std::uint32_t i = 0; i < task.n; ++i) {
            const std::uint32_t entry = order[i];
            if ((entry & 1u) != 0) {
                V left[kRegisters], right[kRegisters];
                for (int r = 0; r < kRegisters; ++r) {
                    left[r] = classes[0].left_rest[r];
                    right[r] = classes[0].right_rest[r];
                }
                for (std::uint32_t c = 1; c < n_classes; ++c)
                    for (int r = 0; r < kRegisters; ++r) {
                        left[r] = larger(left[r], classes[c].left_rest[r]);
                        right[r] = larger(right[r], classes[c].right_rest[r]);
                    }
                for (int r = 0; r < kRegisters; ++r) {
                    left[r] += most_gain_left[r];
                    right[r] += most_gain_right[r];
                    if constexpr (kCounted) {
                        const V rest = static_cast<T>(i) - count[r];
                        left[r] &= (count[r] >= fewest) & (count[r] <= most_left[r]);
                        right[r] &= (rest >= fewest) & (rest <= most_right[r]);
                    }
                    best_left[r] = larger(best_left[r], left[r]);
                    best_right[r] = larger(best_right[r], right[r]);
                }
            }
            const std::uint64_t row = task.lookup[entry >> 1];
            const V* mask = &masks.left[(row & 0xffu) * kRegisters];
            const std::size_t which = (row >> 8) & 0xffffffu;
            const auto weight = static_cast<std::int32_t>(row >> 32);
            if (task.gain == nullptr) {
                add(classes[which], static_cast<T>(weight), mask);
            } else {
                const std::int32_t* gain = task.gain + which * task.data->n_classes;
                for (std::uint32_t c = 0; c < n_classes; ++c)
                    if (gain[task.classes[c]] != 0)
                        add(classes[c], static_cast<T>(gain[task.classes[c]] * weight), mask);
            }
            if constexpr (kCounted)
                for (int r = 0; r < kRegisters; ++r) count[r] -= mask[r];
        }
    }
    for (int k = 0; k < M::kLanes; ++k) {
        task.high_left[static_cast<std::size_t>(k)] = best_left[k / M::kPer][k % M::kPer];
        task.high_right[static_cast<std::size_t>(k)] = best_right[k / M::kPer][k % M::kPer];
    }
    if (classes != inline_classes) ::operator delete(classes, std::align_val_t{64});
}

// Many classes, weights 0 or 1, one class gained from a row: the sums of classes_pass in 8 bits, for chunks of 63 rows.
// In a chunk the rests e_a are held less the largest of them at its start, N, and the sums c_a less the largest, M. No
// rest falls and no sum rises by more than 63, so a class that starts more than 63 below the largest is never the
// largest in the chunk: held at -64 it stays below, and all numbers fit 8 bits.
template <int kBytes>
struct SmallClass {
    using V = typename Lanes<std::int8_t, kBytes>::Vector;
    V left_rest, right_rest;    // e_a - N, at least -64 at the start
    V left_total, right_total;  // what e_a - N and c_a - M add up to
};

template <int kBytes>
__attribute__((noinline)) bool small_chunk(const std::uint32_t* order, const std::uint32_t* end,
                                           const std::uint64_t* lookup, const Masks<std::int8_t, kBytes, 1>& masks,
                                           SmallClass<kBytes>* classes, std::uint32_t n_classes,
                                           typename SmallClass<kBytes>::V& best_left,
                                           typename SmallClass<kBytes>::V& best_right) {
    using V = typename SmallClass<kBytes>::V;
    V most_left = {}, most_right = {}, high_left = most_left - 127, high_right = high_left;
    std::uint32_t changes = 0;
    for (; order != end; ++order) {
        const std::uint32_t entry = *order;
        changes |= entry;
        if ((entry & 1u) != 0) {
            V left = classes[0].left_rest, right = classes[0].right_rest;
            for (std::uint32_t c = 1; c < n_classes; ++c) {
                left = larger(left, classes[c].left_rest);
                right = larger(right, classes[c].right_rest);
            }
            high_left = larger(high_left, left + most_left);
            high_right = larger(high_right, right + most_right);
        }
        const std::uint64_t row = lookup[entry >> 1];
        if ((row >> 32) == 0) continue;
        const V mask = masks.left[row & 0xffu];  // -1 where the row is on the left
        SmallClass<kBytes>& one = classes[(row >> 8) & 0xffffffu];
        one.left_rest += mask;
        one.right_rest += ~mask;
        most_left = larger(most_left, one.left_total - one.left_rest);
        most_right = larger(most_right, one.right_total - one.right_rest);
    }
    best_left = high_left;
    best_right = high_right;
    return (changes & 1u) != 0;
}

template <class T, int kBytes>
void unit_classes_pass(PairTask& task) {
    constexpr int kLanes = kBytes;
    constexpr std::uint32_t kChunk = 63;
    constexpr T kFloor = -64;
    static const Masks<std::int8_t, kBytes, 1> masks;
    using V = typename SmallClass<kBytes>::V;
    struct Side {
        T total[kMostUnitClasses][kLanes], rest[kMostUnitClasses][kLanes];  // C_a, e_a
        T top[kLanes];                                                      // N + M
        T best[kLanes];

        // The numbers of a chunk; `rest_out` and `total_out` lead to those of class 0, `step` bytes from class to class.
        void start(std::uint32_t n_classes, std::int8_t* rest_out, std::int8_t* total_out, std::size_t step) {
            T most_rest[kLanes], most_sum[kLanes];
            for (int k = 0; k < kLanes; ++k) most_rest[k] = most_sum[k] = 0;
            for (std::uint32_t c = 0; c < n_classes; ++c)
                for (int k = 0; k < kLanes; ++k) {
                    const T sum = static_cast<T>(total[c][k] - rest[c][k]);
                    most_rest[k] = rest[c][k] > most_rest[k] ? rest[c][k] : most_rest[k];
                    most_sum[k] = sum > most_sum[k] ? sum : most_sum[k];
                }
            for (std::uint32_t c = 0; c < n_classes; ++c) {
                std::int8_t small_rest[kLanes], small_total[kLanes];  // bytes elsewhere may alias anything
                for (int k = 0; k < kLanes; ++k) {
                    T low_rest = static_cast<T>(rest[c][k] - most_rest[k]);
                    T low_sum = static_cast<T>(total[c][k] - rest[c][k] - most_sum[k]);
                    low_rest = low_rest < kFloor ? kFloor : low_rest;
                    low_sum = low_sum < kFloor ? kFloor : low_sum;
                    small_rest[k] = static_cast<std::int8_t>(low_rest);
                    small_total[k] = static_cast<std::int8_t>(low_rest + low_sum);
                    rest[c][k] = static_cast<T>(rest[c][k] - low_rest);  // finish() adds what is left of it
                }
                __builtin_memcpy(rest_out + c * step, small_rest, kLanes);
                __builtin_memcpy(total_out + c * step, small_total, kLanes);
            }
            for (int k = 0; k < kLanes; ++k) top[k] = static_cast<T>(most_rest[k] + most_sum[k]);
        }
        void finish(std::uint32_t n_classes, const std::int8_t* rest_in, std::size_t step, const std::int8_t* high,
                    bool changed) {
            for (std::uint32_t c = 0; c < n_classes; ++c) {
                std::int8_t small_rest[kLanes];
                __builtin_memcpy(small_rest, rest_in + c * step, kLanes);
                for (int k = 0; k < kLanes; ++k) rest[c][k] = static_cast<T>(rest[c][k] + small_rest[k]);
            }
            if (!changed) return;
            for (int k = 0; k < kLanes; ++k) {
                const T gain = static_cast<T>(top[k] + high[k]);
                best[k] = gain > best[k] ? gain : best[k];
            }
        }
    };
    Side left, right;
    SmallClass<kBytes> classes[kMostUnitClasses];
    constexpr std::size_t kStep = sizeof(SmallClass<kBytes>);
    const auto bytes = [](V& vector) { return reinterpret_cast<std::int8_t*>(&vector); };
    const std::uint32_t n_classes = task.n_classes;
    for (int k = 0; k < kLanes; ++k) {
        left.best[k] = right.best[k] = 0;
        const bool used = static_cast<std::uint32_t>(k) < task.n_lanes;
        for (std::uint32_t c = 0; c < n_classes; ++c) {
            const std::size_t at = task.classes[c] * kMostLanes + static_cast<std::size_t>(used ? k : 0);
            left.total[c][k] = static_cast<T>(task.left_gain[at]);
            right.total[c][k] = static_cast<T>(task.right_gain[at]);
        }
    }
    for (const std::uint32_t* order : task.orders) {
        for (std::uint32_t c = 0; c < n_classes; ++c)
            for (int k = 0; k < kLanes; ++k) {
                left.rest[c][k] = left.total[c][k];
                right.rest[c][k] = right.total[c][k];
            }
        for (std::uint32_t start = 0; start < task.n; start += kChunk) {
            const std::uint32_t end = task.n - start < kChunk ? task.n : start + kChunk;
            left.start(n_classes, bytes(classes[0].left_rest), bytes(classes[0].left_total), kStep);
            right.start(n_classes, bytes(classes[0].right_rest), bytes(classes[0].right_total), kStep);
            V high_left, high_right;
            const bool changed = small_chunk<kBytes>(order + start, order + end, task.lookup, masks, classes, n_classes,
                                                     high_left, high_right);
            left.finish(n_classes, bytes(classes[0].left_rest), kStep, bytes(high_left), changed);
            right.finish(n_classes, bytes(classes[0].right_rest), kStep, bytes(high_right), changed);
        }
    }
    for (int k = 0; k < kLanes; ++k) {
        task.high_left[static_cast<std::size_t>(k)] = left.best[k];
        task.high_right[static_cast<std::size_t>(k)] = right.best[k];
    }
}

// Picks the counting version only where a leaf must hold more than one row.
template <class T, int kBytes, int kRegisters>
void signed_any(PairTask& task) {
    task.min_leaf > 1 ? signed_pass<T, kBytes, kRegisters, true>(task)
                      : signed_pass<T, kBytes, kRegisters, false>(task);
}

template <class T, int kBytes, int kRegisters>
void classes_any(PairTask& task) {
    task.min_leaf > 1 ? classes_pass<T, kBytes, kRegisters, true>(task)
                      : classes_pass<T, kBytes, kRegisters, false>(task);
}

template <int kBytes>
const PairKernels& table() {
    static constexpr int kTwo = 2;  // registers of 16- and 32-bit lanes worked on at once
    static constexpr PairKernels kernels{unit_pass<kBytes>,
                                         signed_any<std::int16_t, kBytes, kTwo>,
                                         signed_any<std::int32_t, kBytes, kTwo>,
                                         classes_any<std::int16_t, kBytes, kTwo>,
                                         classes_any<std::int32_t, kBytes, kTwo>,
                                         unit_classes_pass<std::int16_t, kBytes>,
                                         unit_classes_pass<std::int32_t, kBytes>,
                                         kBytes,
                                         kBytes / 2 * kTwo,
                                         kBytes / 4 * kTwo};
    return kernels;
}

}  // namespace
}  // namespace treewright::sweep
