// Body of the depth-two kernels, included once per instruction set after a target pragma
// (src/leaf_accuracy/pair_table_*.cpp). `kBytes` is the width of a register; `Bits` has the two operations that the
// compilers' generic vectors lack. Everything has internal linkage, as in kernels/pair_kernel_impl.hpp.

namespace treewright::leaf_accuracy {
namespace {

template <class T, int kBytes>
struct Lanes {
    typedef T Vector __attribute__((vector_size(kBytes)));
    static constexpr std::size_t kCount = kBytes / sizeof(T);

    static inline __attribute__((always_inline)) Vector load(const T* from) {
        Vector v;
        __builtin_memcpy(&v, from, kBytes);
        return v;
    }
    static inline __attribute__((always_inline)) void store(T* to, Vector v) { __builtin_memcpy(to, &v, kBytes); }
};

template <class V>
inline __attribute__((always_inline)) V larger(V a, V b) {
    return a > b ? a : b;
}
template <class V>
inline __attribute__((always_inline)) V smaller(V a, V b) {
    return a < b ? a : b;
}

// Sums of the rows right of both split i and split j, for all j from `first` (a multiple of eight) on.
template <class T, int kBytes, class Bits>
void count_both(const PairTable<T>& task, std::size_t i, std::size_t first) {
    constexpr std::size_t kPer = kBytes / 8;
    constexpr std::size_t kBlock = 4;
    using V = typename Lanes<std::uint64_t, kBytes>::Vector;
    using Load = Lanes<std::uint64_t, kBytes>;
    for (std::size_t c = 0; c < task.n_channels; ++c)
        for (std::size_t j = first; j < task.stride; ++j) task.both[c * task.stride + j] = 0;
    for (const Plane& plane : task.planes) {
        T* sums = task.both + plane.channel * task.stride;
        T* rows = task.counted ? task.both + (task.n_channels - 1) * task.stride : nullptr;
        typedef std::int32_t Narrow __attribute__((vector_size(kPer * 4)));
        typedef T Some __attribute__((vector_size(kPer * sizeof(T))));
        const auto add = [](T* to, const Some& number) __attribute__((always_inline)) {
            Some known;
            __builtin_memcpy(&known, to, sizeof(Some));
            known += number;
            __builtin_memcpy(to, &known, sizeof(Some));
        };
        const auto keep = [&](std::size_t j, const V& count) __attribute__((always_inline)) {
            const Some number = __builtin_convertvector(__builtin_convertvector(count, Narrow), Some);
            add(sums + j, number * static_cast<T>(plane.weight));
            if (rows != nullptr) add(rows + j, number);
        };
        std::size_t j = first;
        for (; j + kBlock * kPer <= task.stride; j += kBlock * kPer) {
            V count[kBlock] = {};
            for (std::size_t w = plane.first; w < plane.last; ++w) {
                const std::uint64_t* word = task.bits + w * task.stride;
                const V mine = word[i] - V{};
                for (std::size_t b = 0; b < kBlock; ++b)
                    count[b] += Bits::popcount(mine & Load::load(word + j + b * kPer));
            }
            for (std::size_t b = 0; b < kBlock; ++b) keep(j + b * kPer, count[b]);
        }
        for (; j < task.stride; j += kPer) {
            V count = {};
            for (std::size_t w = plane.first; w < plane.last; ++w) {
                const std::uint64_t* word = task.bits + w * task.stride;
                const V mine = word[i] - V{};
                count += Bits::popcount(mine & Load::load(word + j));
            }
            keep(j, count);
        }
    }
}

template <class T, int kBytes, bool kTable, bool kCost>
inline __attribute__((always_inline)) typename Lanes<T, kBytes>::Vector leaf_value(
    const LeafRule<T>& rule, typename Lanes<T, kBytes>::Vector weight, typename Lanes<T, kBytes>::Vector largest,
    typename Lanes<T, kBytes>::Vector rows) {
    using V = typename Lanes<T, kBytes>::Vector;
    V wanted;
    if constexpr (kTable) {
        for (std::size_t k = 0; k < Lanes<T, kBytes>::kCount; ++k)
            wanted[k] = static_cast<T>(rule.table[static_cast<std::size_t>(weight[k])]);
    } else {
        wanted = weight * rule.slope + rule.offset;
    }
    const V zero = {};
    V deficit = larger(wanted - largest * rule.per_row, zero);
    deficit = larger(deficit, (rule.min_leaf - rows) * rule.size_rate);
    if constexpr (!kCost) {
        return deficit;
    } else {
        const V cost = (weight - largest) * rule.unit + rule.leaf;
        return deficit > zero ? zero + rule.none : cost;
    }
}

// The four leaves of all pairs (i, j), j from `first` on; kClasses = 0: any number, in a loop.
template <class T, int kBytes, int kClasses, bool kCounted, bool kTable, bool kCost>
void score(const PairTable<T>& task, const LeafRule<T>& rule, std::size_t i, std::size_t first) {
    using L = Lanes<T, kBytes>;
    using V = typename L::Vector;
    const std::size_t n_classes = kClasses > 0 ? kClasses : task.n_channels - (task.counted ? 1 : 0);
    V best_left = V{} + task.left_best[i], best_right = V{} + task.right_best[i];
    for (std::size_t j = first; j < task.stride; j += L::kCount) {
        V ll = {}, lr = {}, rl = {}, rr = {}, ll_most = {}, lr_most = {}, rl_most = {}, rr_most = {};
        for (std::size_t c = 0; c < n_classes; ++c) {
            const V both = L::load(task.both + c * task.stride + j);
            const V right_j = L::load(task.right + c * task.stride + j);
            const T right_i = task.right[c * task.stride + i];
            const V i_only = right_i - both, j_only = right_j - both;
            const V neither = (task.total[c] - right_i) - j_only;
            ll += neither, lr += j_only, rl += i_only, rr += both;
            ll_most = larger(ll_most, neither), lr_most = larger(lr_most, j_only);
            rl_most = larger(rl_most, i_only), rr_most = larger(rr_most, both);
        }
        V ll_rows = ll, lr_rows = lr, rl_rows = rl, rr_rows = rr;
        if (kCounted) {
            const std::size_t at = (task.n_channels - 1) * task.stride;
            const V right_j = L::load(task.right + at + j);
            const T right_i = task.right[at + i];
            rr_rows = L::load(task.both + at + j);
            rl_rows = right_i - rr_rows;
            lr_rows = right_j - rr_rows;
            ll_rows = (task.total[task.n_channels - 1] - right_i) - lr_rows;
        }
        const V a = leaf_value<T, kBytes, kTable, kCost>(rule, ll, ll_most, ll_rows);
        const V b = leaf_value<T, kBytes, kTable, kCost>(rule, lr, lr_most, lr_rows);
        const V c = leaf_value<T, kBytes, kTable, kCost>(rule, rl, rl_most, rl_rows);
        const V d = leaf_value<T, kBytes, kTable, kCost>(rule, rr, rr_most, rr_rows);
        best_left = smaller(best_left, a + b);
        best_right = smaller(best_right, c + d);
        L::store(task.left_best + j, smaller(L::load(task.left_best + j), a + c));
        L::store(task.right_best + j, smaller(L::load(task.right_best + j), b + d));
    }
    for (std::size_t k = 0; k < L::kCount; ++k) {  // j = i was among them: the arrays hold it already
        task.left_best[i] = smaller(task.left_best[i], static_cast<T>(best_left[k]));
        task.right_best[i] = smaller(task.right_best[i], static_cast<T>(best_right[k]));
    }
}

template <class T, int kBytes, class Bits, int kClasses, bool kCounted, bool kTable, bool kCost>
void all_pairs(const PairTable<T>& task, const LeafRule<T>& rule) {
    for (std::size_t i = task.first; i < task.last; ++i) {
        const std::size_t first = i / PairTable<T>::kStride * PairTable<T>::kStride;
        count_both<T, kBytes, Bits>(task, i, first);
        score<T, kBytes, kClasses, kCounted, kTable, kCost>(task, rule, i, first);
    }
}

template <class T, int kBytes, class Bits, bool kTable, bool kCost>
void by_classes(const PairTable<T>& task, const LeafRule<T>& rule) {
    if (task.counted)
        all_pairs<T, kBytes, Bits, 0, true, kTable, kCost>(task, rule);
    else if (task.n_channels == 2)
        all_pairs<T, kBytes, Bits, 2, false, kTable, kCost>(task, rule);
    else
        all_pairs<T, kBytes, Bits, 0, false, kTable, kCost>(task, rule);
}

template <class T, int kBytes, class Bits>
void pairs(const PairTable<T>& task, const LeafRule<T>& rule) {
    if (rule.table == nullptr)
        rule.cost ? by_classes<T, kBytes, Bits, false, true>(task, rule)
                  : by_classes<T, kBytes, Bits, false, false>(task, rule);
    else
        rule.cost ? by_classes<T, kBytes, Bits, true, true>(task, rule)
                  : by_classes<T, kBytes, Bits, true, false>(task, rule);
}

// One pass of a sweep (pair_sweep.hpp), register by register of lanes.
template <class T, int kBytes, int kClasses, bool kCounted, bool kTable, bool kCost>
void sweep(const PairSweep<T>& task, const LeafRule<T>& rule) {
    using L = Lanes<T, kBytes>;
    using V = typename L::Vector;
    const std::size_t n_classes = kClasses > 0 ? kClasses : task.n_classes;
    const std::size_t n_channels = n_classes + (kCounted ? 1 : 0);
    V number = {};  // of the lanes
    for (std::size_t base = 0; base < kMaxLanes; base += L::kCount) {
        for (std::size_t k = 0; k < L::kCount; ++k) number[k] = static_cast<T>(base + k);
        V best_left = L::load(task.left_best + base), best_right = L::load(task.right_best + base);
        for (const std::uint32_t* order : task.orders) {
            for (std::size_t c = 0; c < n_channels; ++c) L::store(task.sums + c * kMaxLanes + base, V{});
            T* run = task.sums + n_channels * kMaxLanes;  // sums over both sides
            for (std::size_t c = 0; c < n_channels; ++c) run[c] = 0;
            for (std::size_t i = 0; i < task.n_rows; ++i) {
                const std::uint32_t entry = order[i];
                if ((entry & 1u) != 0) {
                    V ll = {}, lr = {}, rl = {}, rr = {}, ll_most = {}, lr_most = {}, rl_most = {}, rr_most = {};
                    for (std::size_t c = 0; c < n_classes; ++c) {
                        const V a = L::load(task.sums + c * kMaxLanes + base);
                        const V left = L::load(task.left_total + c * kMaxLanes + base);
                        const V b = left - a, x = run[c] - a, y = (task.total[c] - run[c]) - b;
                        ll += a, lr += b, rl += x, rr += y;
                        ll_most = larger(ll_most, a), lr_most = larger(lr_most, b);
                        rl_most = larger(rl_most, x), rr_most = larger(rr_most, y);
                    }
                    V ll_rows = ll, lr_rows = lr, rl_rows = rl, rr_rows = rr;
                    if (kCounted) {
                        ll_rows = L::load(task.sums + n_classes * kMaxLanes + base);
                        lr_rows = L::load(task.left_total + n_classes * kMaxLanes + base) - ll_rows;
                        rl_rows = run[n_classes] - ll_rows;
                        rr_rows = (task.total[n_classes] - run[n_classes]) - lr_rows;
                    }
                    best_left =
                        smaller(best_left, leaf_value<T, kBytes, kTable, kCost>(rule, ll, ll_most, ll_rows) +
                                               leaf_value<T, kBytes, kTable, kCost>(rule, lr, lr_most, lr_rows));
                    best_right =
                        smaller(best_right, leaf_value<T, kBytes, kTable, kCost>(rule, rl, rl_most, rl_rows) +
                                                leaf_value<T, kBytes, kTable, kCost>(rule, rr, rr_most, rr_rows));
                }
                const std::uint32_t row = entry >> 1;
                const V zero = {};
                const auto on_left = number >= zero + static_cast<T>(task.bucket[row]);
                const std::size_t label = task.label[row];
                const T weight = static_cast<T>(task.weight[row]);
                T* sums = task.sums + label * kMaxLanes + base;
                L::store(sums, L::load(sums) + (on_left ? zero + weight : zero));
                run[label] += weight;
                if (kCounted) {
                    T* rows = task.sums + n_classes * kMaxLanes + base;
                    L::store(rows, L::load(rows) + (on_left ? zero + T{1} : zero));
                    run[n_classes] += 1;
                }
            }
        }
        L::store(task.left_best + base, best_left);
        L::store(task.right_best + base, best_right);
    }
}

template <class T, int kBytes, bool kTable, bool kCost>
void sweep_by_classes(const PairSweep<T>& task, const LeafRule<T>& rule) {
    if (task.counted)
        sweep<T, kBytes, 0, true, kTable, kCost>(task, rule);
    else if (task.n_classes == 2)
        sweep<T, kBytes, 2, false, kTable, kCost>(task, rule);
    else
        sweep<T, kBytes, 0, false, kTable, kCost>(task, rule);
}

template <class T, int kBytes>
void sweep_any(const PairSweep<T>& task, const LeafRule<T>& rule) {
    if (rule.table == nullptr)
        rule.cost ? sweep_by_classes<T, kBytes, false, true>(task, rule)
                  : sweep_by_classes<T, kBytes, false, false>(task, rule);
    else
        rule.cost ? sweep_by_classes<T, kBytes, true, true>(task, rule)
                  : sweep_by_classes<T, kBytes, true, false>(task, rule);
}

template <int kBytes, class Bits>
const PairTableKernels& kernels() {
    static constexpr PairTableKernels all{pairs<std::int32_t, kBytes, Bits>, pairs<double, kBytes, Bits>,
                                          sweep_any<std::int32_t, kBytes>, sweep_any<double, kBytes>, Bits::compare};
    return all;
}

}  // namespace
}  // namespace treewright::leaf_accuracy
