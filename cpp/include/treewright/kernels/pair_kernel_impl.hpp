// Body of the depth-two kernels, included once per instruction set after a target pragma (pair_kernel_*.cpp).
// `kBytes` is the width of a register. Everything has internal linkage: code compiled for a newer processor must
// not be merged by the linker with that of an older one; for the same reason no standard header is included here.
//
// Here the kernels for any weights, and the table of all; those for weights of 0 and 1 have files of their own.
#include "treewright/kernels/pair_kernel_lanes.hpp"
#include "treewright/kernels/pair_kernel_unit.hpp"
#include "treewright/kernels/pair_kernel_unit_classes.hpp"

namespace treewright::ranked {
namespace {

// Two classes, any weights whose total fits T.
template <class T, int kBytes, int kRegisters, bool kCounted>
void signed_pass(PairTask& task) {
    using V = typename Lanes<T, kBytes>::Vector;
    constexpr int kPer = Lanes<T, kBytes>::kCount, kLanes = kPer * kRegisters;
    const std::int32_t* weight = task.data->signed_weight.data();
    V high_left[kRegisters] = {}, low_left[kRegisters] = {}, high_right[kRegisters] = {}, low_right[kRegisters] = {};
    V max_left[kRegisters] = {}, max_right[kRegisters] = {};
    const T fewest = static_cast<T>(task.min_leaf);
    for (int k = 0; kCounted && k < kLanes; ++k) {
        const std::uint32_t rows = static_cast<std::uint32_t>(k) < task.n_lanes ? task.left_rows[k] : 0;
        max_left[k / kPer][k % kPer] = static_cast<T>(static_cast<std::int64_t>(rows) - fewest);
        max_right[k / kPer][k % kPer] = static_cast<T>(static_cast<std::int64_t>(task.n - rows) - fewest);
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
                        on_left &= (count[r] >= fewest) & (count[r] <= max_left[r]);
                        on_right &= (rest >= fewest) & (rest <= max_right[r]);
                    }
                    high_left[r] = larger(high_left[r], on_left);
                    low_left[r] = smaller(low_left[r], on_left);
                    high_right[r] = larger(high_right[r], on_right);
                    low_right[r] = smaller(low_right[r], on_right);
                }
            }
            const std::uint32_t row = entry >> 1;
            const T w = static_cast<T>(weight[row]);
            const std::uint64_t lanes = task.left_lanes[row];
            total = static_cast<T>(total + w);
            for (int r = 0; r < kRegisters; ++r) {
                left[r] = added<T, kBytes>(left[r], lanes >> r * kPer, V{} + w);
                if constexpr (kCounted) count[r] = added<T, kBytes>(count[r], lanes >> r * kPer, V{} + 1);
            }
        }
    }
    const std::size_t first = task.classes[0] * kMaxLanes, second = task.classes[1] * kMaxLanes;
    const auto gain = [&](const std::int32_t* side, std::size_t lane, std::int32_t high, std::int32_t low) {
        return larger(side[first + lane] + high, side[second + lane] - low);
    };
    for (std::size_t lane = 0; lane < task.n_lanes; ++lane) {
        const std::size_t r = lane / kPer, j = lane % kPer;
        task.best_left[lane] = gain(task.left_gain, lane, high_left[r][j], low_left[r][j]);
        task.best_right[lane] = gain(task.right_gain, lane, high_right[r][j], low_right[r][j]);
    }
}

// Many classes, gains c_a of the left leaf and e_a = C_a - c_a of the right leaf, for every class a present in the
// node. Gains are not negative, so c_a only grows: its largest over a is a running maximum, updated with the one class
// that a row changes; only the largest e_a has to be looked for, and only at marked positions. The row's lookup holds
// its weight and class (or label) together.
template <class T, int kBytes, int kRegisters, bool kCounted>
void classes_pass(PairTask& task) {
    using V = typename Lanes<T, kBytes>::Vector;
    constexpr int kPer = Lanes<T, kBytes>::kCount, kLanes = kPer * kRegisters;
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
    V max_left[kRegisters] = {}, max_right[kRegisters] = {}, best_left[kRegisters] = {}, best_right[kRegisters] = {};
    const T fewest = static_cast<T>(task.min_leaf);
    for (int k = 0; k < kLanes; ++k) {
        const int r = k / kPer, j = k % kPer;
        const bool used = static_cast<std::uint32_t>(k) < task.n_lanes;
        for (std::uint32_t c = 0; c < n_classes; ++c) {
            const std::size_t at = task.classes[c] * kMaxLanes + static_cast<std::size_t>(k);
            classes[c].left_total[r][j] = static_cast<T>(used ? task.left_gain[at] : 0);
            classes[c].right_total[r][j] = static_cast<T>(used ? task.right_gain[at] : 0);
        }
        if (!kCounted) continue;
        const std::uint32_t rows = used ? task.left_rows[k] : 0;
        max_left[r][j] = static_cast<T>(static_cast<std::int64_t>(rows) - fewest);
        max_right[r][j] = static_cast<T>(static_cast<std::int64_t>(task.n - rows) - fewest);
    }
    for (const std::uint32_t* order : task.orders) {
        for (std::uint32_t c = 0; c < n_classes; ++c)
            for (int r = 0; r < kRegisters; ++r) {
                classes[c].left_rest[r] = classes[c].left_total[r];
                classes[c].right_rest[r] = classes[c].right_total[r];
            }
        V count[kRegisters] = {}, max_gain_left[kRegisters] = {}, max_gain_right[kRegisters] = {};
        const auto add = [&](Class& one, T w, std::uint64_t lanes) __attribute__((always_inline)) {
            for (int r = 0; r < kRegisters; ++r) {
                one.left_rest[r] = added<T, kBytes>(one.left_rest[r], lanes >> r * kPer, V{} - w);
                one.right_rest[r] = added<T, kBytes>(one.right_rest[r], ~lanes >> r * kPer, V{} - w);
                max_gain_left[r] = larger(max_gain_left[r], one.left_total[r] - one.left_rest[r]);
                max_gain_right[r] = larger(max_gain_right[r], one.right_total[r] - one.right_rest[r]);
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
                    left[r] += max_gain_left[r];
                    right[r] += max_gain_right[r];
                    if constexpr (kCounted) {
                        const V rest = static_cast<T>(i) - count[r];
                        left[r] &= (count[r] >= fewest) & (count[r] <= max_left[r]);
                        right[r] &= (rest >= fewest) & (rest <= max_right[r]);
                    }
                    best_left[r] = larger(best_left[r], left[r]);
                    best_right[r] = larger(best_right[r], right[r]);
                }
            }
            const std::uint64_t row = task.lookup[entry >> 1], lanes = task.left_lanes[entry >> 1];
            const std::size_t which = row & 0xffffffffu;
            const auto weight = static_cast<std::int32_t>(row >> 32);
            if (task.gain == nullptr) {
                add(classes[which], static_cast<T>(weight), lanes);
            } else {
                const std::int32_t* gain = task.gain + which * task.data->n_classes;
                for (std::uint32_t c = 0; c < n_classes; ++c)
                    if (gain[task.classes[c]] != 0)
                        add(classes[c], static_cast<T>(gain[task.classes[c]] * weight), lanes);
            }
            if constexpr (kCounted)
                for (int r = 0; r < kRegisters; ++r) count[r] = added<T, kBytes>(count[r], lanes >> r * kPer, V{} + 1);
        }
    }
    for (int k = 0; k < kLanes; ++k) {
        task.best_left[static_cast<std::size_t>(k)] = best_left[k / kPer][k % kPer];
        task.best_right[static_cast<std::size_t>(k)] = best_right[k / kPer][k % kPer];
    }
    if (classes != inline_classes) ::operator delete(classes, std::align_val_t{64});
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
    static constexpr PairKernels kernels{unit_pass<std::int16_t, kBytes>,
                                         unit_pass<std::int32_t, kBytes>,
                                         unit_stretch_pass<std::int32_t, kBytes>,
                                         signed_any<std::int16_t, kBytes, kTwo>,
                                         signed_any<std::int32_t, kBytes, kTwo>,
                                         classes_any<std::int16_t, kBytes, kTwo>,
                                         classes_any<std::int32_t, kBytes, kTwo>,
                                         unit_classes_pass<std::int16_t, kBytes>,
                                         unit_classes_pass<std::int32_t, kBytes>,
                                         kBytes - 1,
                                         kBytes / 2 * kTwo,
                                         kBytes / 4 * kTwo};
    return kernels;
}

}  // namespace
}  // namespace treewright::ranked
