#include "treewright/kernels/pair_matrix.hpp"

#include <algorithm>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>
#endif

namespace treewright::binary {

namespace {

// --- children of every split ----------------------------------------------------------------------------------

template <class Acc>
struct TwoBest {
    Acc ones;
    Acc zeros;
};

// Row i of a two-class matrix from some column on, as it stands or less the same row of another matrix.
template <class Acc, bool kLess>
struct MatrixRow {
    const Acc* __restrict p;
    const Acc* __restrict q;
    const Acc* __restrict less_p;
    const Acc* __restrict less_q;

    MatrixRow(const Pairs<Acc>& pairs, const Pairs<Acc>& less, std::size_t i, std::size_t from)
        : p(pairs.row(0, i) + from),
          q(pairs.row(1, i) + from),
          less_p(kLess ? less.row(0, i) + from : nullptr),
          less_q(kLess ? less.row(1, i) + from : nullptr) {}
    [[gnu::always_inline]] Acc first(std::size_t j) const { return kLess ? p[j] - less_p[j] : p[j]; }
    [[gnu::always_inline]] Acc second(std::size_t j) const { return kLess ? q[j] - less_q[j] : q[j]; }
};

// Column i beside the columns j of some blocks. The four parts of both columns give the two-leaf trees of both: of j,
// split by i, which lower two1[j] and two0[j], and of i, split by j, of which the best are returned if asked for. The
// pointers are of the first block's first column.
template <bool kBothWays, class Acc, class Row>
[[gnu::always_inline]] inline TwoBest<Acc> compare_columns(Acc p1, Acc q1, const Acc* total, std::size_t n_blocks,
                                                           const Row& row, const Acc* __restrict dp,
                                                           const Acc* __restrict dq, Acc* __restrict two1,
                                                           Acc* __restrict two0) {
    const Acc p0 = total[0] - p1;
    const Acc q0 = total[1] - q1;
    Acc best1 = std::min(p1, q1);
    Acc best0 = std::min(p0, q0);
    for (std::size_t j = 0; j < n_blocks * kLanes; ++j) {
        const Acc p11 = row.first(j);
        const Acc q11 = row.second(j);
        const Acc p01 = dp[j] - p11;
        const Acc q01 = dq[j] - q11;
        const Acc c11 = std::min(p11, q11);
        const Acc c10 = std::min<Acc>(p1 - p11, q1 - q11);
        const Acc c01 = std::min(p01, q01);
        const Acc c00 = std::min<Acc>(p0 - p01, q0 - q01);
        two1[j] = std::min<Acc>(two1[j], c11 + c01);
        two0[j] = std::min<Acc>(two0[j], c10 + c00);
        if constexpr (kBothWays) {
            best1 = std::min<Acc>(best1, c11 + c10);
            best0 = std::min<Acc>(best0, c01 + c00);
        }
    }
    return {best1, best0};
}

template <bool kLess, class Acc>
[[gnu::always_inline]] inline void scan_two_classes(const Pairs<Acc>& pairs, const Pairs<Acc>& less, const Acc* total,
                                                    const ChildCosts<Acc>& out, Acc* diagonal, Control* control) {
    Pulse pulse(control);
    const std::size_t s = pairs.stride;
    Acc* dp = diagonal;
    Acc* dq = diagonal + s;
    std::fill_n(diagonal, 2 * s, Acc{0});  // columns past the last have no ones: what they offer is the leaf itself
    for (std::size_t i = 0; i < pairs.size; ++i) {
        const MatrixRow<Acc, kLess> row(pairs, less, i, i);
        dp[i] = row.first(0);
        dq[i] = row.second(0);
    }
    for (std::size_t i = 0; i < s; ++i) {
        out.two[1][i] = out.leaf[1][i] = std::min(dp[i], dq[i]);
        out.two[0][i] = out.leaf[0][i] = std::min<Acc>(total[0] - dp[i], total[1] - dq[i]);
    }
    for (std::size_t i = 0; i < pairs.size; ++i) {
        const std::size_t own = pairs.first(i);  // in its own block every two columns meet twice
        const std::size_t n_blocks = (s - own) / kLanes;
        if (pulse.after(2 * n_blocks * kLanes)) return;
        const MatrixRow<Acc, kLess> row(pairs, less, i, own);
        if (n_blocks == 1) {
            compare_columns<false>(dp[i], dq[i], total, 1, row, dp + own, dq + own, out.two[1] + own, out.two[0] + own);
            continue;
        }
        const TwoBest<Acc> best = compare_columns<true>(dp[i], dq[i], total, n_blocks, row, dp + own, dq + own,
                                                        out.two[1] + own, out.two[0] + own);
        out.two[1][i] = std::min(out.two[1][i], best.ones);
        out.two[0][i] = std::min(out.two[0][i], best.zeros);
    }
}

// Any number of classes; `min_count` > 0 reads the count channel and forbids smaller leaves.
template <class Acc>
[[gnu::always_inline]] inline void scan_classes(const Pairs<Acc>& pairs, std::size_t n_classes, const Acc* total,
                                                Acc min_count, const ChildCosts<Acc>& out, std::vector<Acc>& scratch,
                                                Control* control) {
    Pulse pulse(control);
    const std::size_t m = pairs.size;
    const std::size_t s = pairs.stride;
    const bool counted = pairs.n_channels > n_classes;
    scratch.resize((pairs.n_channels + 4) * s);
    Acc* diagonal = scratch.data();
    Acc* part[4];  // [2 * first + second]: cheapest class on the rows with column i = first, column j = second
    for (std::size_t a = 0; a < 4; ++a) part[a] = scratch.data() + (pairs.n_channels + a) * s;
    for (std::size_t k = 0; k < pairs.n_channels; ++k)
        for (std::size_t i = 0; i < m; ++i) diagonal[k * s + i] = pairs.at(k, i, i);
    for (int side : {0, 1}) {
        for (std::size_t i = 0; i < m; ++i) {
            Acc best = kInfeasible<Acc>;
            for (std::size_t k = 0; k < n_classes; ++k)
                best = std::min<Acc>(best, side == 1 ? diagonal[k * s + i] : total[k] - diagonal[k * s + i]);
            if (counted) {
                const Acc count = diagonal[n_classes * s + i];
                if ((side == 1 ? count : total[n_classes] - count) < min_count) best = kInfeasible<Acc>;
            }
            out.leaf[side][i] = out.two[side][i] = best;
        }
    }
    for (std::size_t i = 0; i < m; ++i) {
        if (pulse.after((m - i) * (pairs.n_channels + 1))) return;
        for (std::size_t a = 0; a < 4; ++a) std::fill(part[a] + i, part[a] + m, kInfeasible<Acc>);
        for (std::size_t k = 0; k < n_classes; ++k) {
            const Acc* both = pairs.row(k, i);
            const Acc* d = diagonal + k * s;
            const Acc one = d[i];
            const Acc zero = total[k] - one;
            for (std::size_t j = i + 1; j < m; ++j) {
                const Acc c11 = both[j];
                const Acc c01 = d[j] - c11;
                part[3][j] = std::min(part[3][j], c11);
                part[2][j] = std::min<Acc>(part[2][j], one - c11);
                part[1][j] = std::min(part[1][j], c01);
                part[0][j] = std::min<Acc>(part[0][j], zero - c01);
            }
        }
        if (counted) {
            const Acc* both = pairs.row(n_classes, i);
            const Acc* d = diagonal + n_classes * s;
            const Acc one = d[i];
            const Acc zero = total[n_classes] - one;
            for (std::size_t j = i + 1; j < m; ++j) {
                const Acc c11 = both[j];
                const Acc c01 = d[j] - c11;
                if (c11 < min_count) part[3][j] = kInfeasible<Acc>;
                if (one - c11 < min_count) part[2][j] = kInfeasible<Acc>;
                if (c01 < min_count) part[1][j] = kInfeasible<Acc>;
                if (zero - c01 < min_count) part[0][j] = kInfeasible<Acc>;
            }
        }
        Acc best1 = out.two[1][i];
        Acc best0 = out.two[0][i];
        for (std::size_t j = i + 1; j < m; ++j) {
            best1 = std::min<Acc>(best1, part[3][j] + part[2][j]);
            best0 = std::min<Acc>(best0, part[1][j] + part[0][j]);
            out.two[1][j] = std::min<Acc>(out.two[1][j], part[3][j] + part[1][j]);
            out.two[0][j] = std::min<Acc>(out.two[0][j], part[2][j] + part[0][j]);
        }
        out.two[1][i] = best1;
        out.two[0][i] = best0;
    }
}

template <class Acc>
[[gnu::always_inline]] inline void scan_body(const Pairs<Acc>& pairs, const Pairs<Acc>& less, std::size_t n_classes,
                                             const Acc* total, Acc min_count, const ChildCosts<Acc>& out,
                                             std::vector<Acc>& scratch, Control* control) {
    if (scans_differences(n_classes, pairs.n_channels)) {
        scratch.resize(2 * pairs.stride);
        if (less.data != nullptr)
            scan_two_classes<true>(pairs, less, total, out, scratch.data(), control);
        else
            scan_two_classes<false>(pairs, less, total, out, scratch.data(), control);
    } else {
        scan_classes(pairs, n_classes, total, min_count, out, scratch, control);
    }
}

template <class Acc>
[[gnu::always_inline]] inline void subtract_body(const Pairs<Acc>& a, const Pairs<Acc>& b, Pairs<Acc>& out,
                                                 Control* control) {
    Pulse pulse(control);
    for (std::size_t k = 0; k < a.n_channels; ++k) {
        for (std::size_t i = 0; i < a.size; ++i) {
            const std::size_t n_blocks = (a.stride - a.first(i)) / kLanes;
            if (pulse.after(n_blocks * kLanes / 2)) return;
            const Acc* from = a.row(k, i) + a.first(i);
            const Acc* less = b.row(k, i) + a.first(i);
            Acc* to = out.row(k, i) + a.first(i);
            for (std::size_t j = 0; j < n_blocks * kLanes; ++j) to[j] = from[j] - less[j];
        }
    }
}

template <class Acc>
[[gnu::always_inline]] inline void constant_body(const Pairs<Acc>& pairs, const Acc* weight_of_ones, Acc weight,
                                                 std::size_t i, int side, std::uint64_t* ones, std::uint64_t* zeros,
                                                 std::vector<Acc>& scratch) {
    const std::size_t m = pairs.size;
    scratch.resize(m);
    Acc* both = scratch.data();  // weight of the rows where column i and column j are one
    const std::size_t first = pairs.first(i);
    std::fill_n(both, m, Acc{0});
    for (std::size_t k = 0; k < pairs.n_channels; ++k) {
        const Acc* row = pairs.row(k, i);
        const Acc* column = pairs.row(k, 0) + i;
        for (std::size_t j = 0; j < first; ++j) both[j] += column[j * pairs.stride];
        for (std::size_t j = first; j < m; ++j) both[j] += row[j];
    }
    const Acc whole = side == 1 ? weight_of_ones[i] : weight - weight_of_ones[i];
    for (std::size_t w = 0; w * 64 < m; ++w) {
        const std::size_t n = std::min<std::size_t>(64, m - w * 64);
        std::uint64_t full = 0;
        std::uint64_t empty = 0;
        for (std::size_t b = 0; b < n; ++b) {
            const std::size_t j = w * 64 + b;
            const Acc here = side == 1 ? both[j] : weight_of_ones[j] - both[j];
            full |= static_cast<std::uint64_t>(here == whole) << b;
            empty |= static_cast<std::uint64_t>(here == 0) << b;
        }
        ones[w] = full;
        zeros[w] = empty;
    }
}

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
// GCC and Clang inline the bodies above into these functions and vectorise them for the named instruction set.
namespace avx2 {
template <class Acc>
[[gnu::target("avx2,bmi,bmi2,lzcnt,popcnt")]] void scan(const Pairs<Acc>& p, const Pairs<Acc>& less, std::size_t k,
                                                        const Acc* total, Acc min_count, const ChildCosts<Acc>& out,
                                                        std::vector<Acc>& scratch, Control* control) {
    scan_body(p, less, k, total, min_count, out, scratch, control);
}
template <class Acc>
[[gnu::target("avx2")]] void constant(const Pairs<Acc>& pairs, const Acc* weight_of_ones, Acc weight, std::size_t i,
                                      int side, std::uint64_t* ones, std::uint64_t* zeros, std::vector<Acc>& scratch) {
    constant_body(pairs, weight_of_ones, weight, i, side, ones, zeros, scratch);
}
template <class Acc>
[[gnu::target("avx2")]] void subtract_(const Pairs<Acc>& a, const Pairs<Acc>& b, Pairs<Acc>& out, Control* control) {
    subtract_body(a, b, out, control);
}
}  // namespace avx2
namespace avx512 {
template <class Acc>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512dq,bmi,bmi2,prefer-vector-width=512")]] void scan(
    const Pairs<Acc>& p, const Pairs<Acc>& less, std::size_t k, const Acc* total, Acc min_count,
    const ChildCosts<Acc>& out, std::vector<Acc>& scratch, Control* control) {
    scan_body(p, less, k, total, min_count, out, scratch, control);
}
template <class Acc>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512dq,prefer-vector-width=512")]] void constant(
    const Pairs<Acc>& pairs, const Acc* weight_of_ones, Acc weight, std::size_t i, int side, std::uint64_t* ones,
    std::uint64_t* zeros, std::vector<Acc>& scratch) {
    constant_body(pairs, weight_of_ones, weight, i, side, ones, zeros, scratch);
}
template <class Acc>
[[gnu::target("avx512f,prefer-vector-width=512")]] void subtract_(const Pairs<Acc>& a, const Pairs<Acc>& b,
                                                                  Pairs<Acc>& out, Control* control) {
    subtract_body(a, b, out, control);
}
}  // namespace avx512
#endif

}  // namespace

template <class Acc>
void subtract(Simd level, const Pairs<Acc>& a, const Pairs<Acc>& b, Pairs<Acc>& out, Control* control) {
    switch (level) {
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
        case Simd::avx512:
            return avx512::subtract_(a, b, out, control);
        case Simd::avx2:
            return avx2::subtract_(a, b, out, control);
#endif
        default:
            return subtract_body(a, b, out, control);
    }
}

template <class Acc>
void scan_children(Simd level, const Pairs<Acc>& pairs, const Pairs<Acc>& less, std::size_t n_classes, const Acc* total,
                   Acc min_count, const ChildCosts<Acc>& out, std::vector<Acc>& scratch, Control* control) {
    switch (level) {
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
        case Simd::avx512:
            return avx512::scan(pairs, less, n_classes, total, min_count, out, scratch, control);
        case Simd::avx2:
            return avx2::scan(pairs, less, n_classes, total, min_count, out, scratch, control);
#endif
        default:
            return scan_body(pairs, less, n_classes, total, min_count, out, scratch, control);
    }
}

template <class Acc>
void constant_columns(Simd level, const Pairs<Acc>& pairs, std::span<const Acc> weight_of_ones, Acc weight,
                      std::size_t i, int side, std::span<std::uint64_t> ones, std::span<std::uint64_t> zeros,
                      std::vector<Acc>& scratch) {
    const Acc* w = weight_of_ones.data();
    switch (level) {
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
        case Simd::avx512:
            return avx512::constant(pairs, w, weight, i, side, ones.data(), zeros.data(), scratch);
        case Simd::avx2:
            return avx2::constant(pairs, w, weight, i, side, ones.data(), zeros.data(), scratch);
#endif
        default:
            return constant_body(pairs, w, weight, i, side, ones.data(), zeros.data(), scratch);
    }
}

template void subtract(Simd, const Pairs<std::int32_t>&, const Pairs<std::int32_t>&, Pairs<std::int32_t>&, Control*);
template void subtract(Simd, const Pairs<std::int64_t>&, const Pairs<std::int64_t>&, Pairs<std::int64_t>&, Control*);
template void scan_children(Simd, const Pairs<std::int32_t>&, const Pairs<std::int32_t>&, std::size_t,
                            const std::int32_t*, std::int32_t, const ChildCosts<std::int32_t>&,
                            std::vector<std::int32_t>&, Control*);
template void scan_children(Simd, const Pairs<std::int64_t>&, const Pairs<std::int64_t>&, std::size_t,
                            const std::int64_t*, std::int64_t, const ChildCosts<std::int64_t>&,
                            std::vector<std::int64_t>&, Control*);
template void constant_columns(Simd, const Pairs<std::int32_t>&, std::span<const std::int32_t>, std::int32_t,
                               std::size_t, int, std::span<std::uint64_t>, std::span<std::uint64_t>,
                               std::vector<std::int32_t>&);
template void constant_columns(Simd, const Pairs<std::int64_t>&, std::span<const std::int64_t>, std::int64_t,
                               std::size_t, int, std::span<std::uint64_t>, std::span<std::uint64_t>,
                               std::vector<std::int64_t>&);

}  // namespace treewright::binary
