#include "treewright/bits/kernels.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace treewright::bits {

namespace {

// --- row-wise pair counting: for every row, every two ones -----------------------------------------------------

// Calls f(local position) for every active one of the row, ascending.
template <class F>
inline void for_each_active_one(const std::uint64_t* words, const Active& active, const std::uint16_t* local_of, F&& f) {
    for (std::size_t w = 0; w < active.mask.size(); ++w)
        for (std::uint64_t left = words[w] & active.mask[w]; left != 0; left &= left - 1)
            f(local_of[w * 64 + static_cast<std::size_t>(std::countr_zero(left))]);
}

template <class Acc>
void pairs_by_rows(const Rows<Acc>& data, std::span<const std::uint32_t> rows, const Active& active, Pairs<Acc>& out,
                   PairScratch<Acc>& scratch) {
    const std::size_t m = active.columns.size();
    scratch.ones.resize(data.n_words * 64 + m);
    std::uint16_t* local_of = scratch.ones.data() + m;
    for (std::size_t j = 0; j < m; ++j) local_of[active.columns[j]] = static_cast<std::uint16_t>(j);
    std::uint16_t* ones = scratch.ones.data();
    for (const std::uint32_t r : rows) {
        std::size_t n = 0;
        for_each_active_one(data.bits.data() + r * data.n_words, active, local_of,
                            [&](std::uint16_t j) { ones[n++] = j; });
        const Acc* cost = data.cost.data() + r * data.n_channels;
        for (std::size_t k = 0; k < data.n_channels; ++k) {
            const Acc c = cost[k];
            if (c == 0) continue;
            for (std::size_t a = 0; a < n; ++a) {
                Acc* row = out.row(k, ones[a]);
                for (std::size_t b = a; b < n; ++b) row[ones[b]] += c;
            }
        }
    }
}

// --- column-wise pair counting: bit columns, one plane per binary digit of the costs ---------------------------

void transpose64(std::uint64_t* a) {
    std::uint64_t mask = 0x00000000ffffffffULL;
    for (unsigned j = 32; j != 0; j >>= 1, mask ^= mask << j) {
        for (unsigned k = 0; k < 64; k = (k + j + 1) & ~j) {
            const std::uint64_t t = ((a[k] >> j) ^ a[k + j]) & mask;
            a[k] ^= t << j;
            a[k + j] ^= t;
        }
    }
}

// Bit columns of the active columns over the given rows: `columns[j * blocks + b]`.
template <class Acc>
[[gnu::always_inline]] inline void make_columns(const Rows<Acc>& data, std::span<const std::uint32_t> rows,
                                                const Active& active, PairScratch<Acc>& scratch) {
    const std::size_t blocks = (rows.size() + 63) / 64;
    scratch.columns.resize(active.columns.size() * blocks);
    std::uint64_t block[64];
    for (std::size_t b = 0; b < blocks; ++b) {
        const std::size_t n = std::min<std::size_t>(64, rows.size() - b * 64);
        std::size_t j = 0;
        for (std::size_t w = 0; w < data.n_words; ++w) {
            if (active.mask[w] == 0) continue;
            for (std::size_t r = 0; r < n; ++r) block[r] = data.bits[rows[b * 64 + r] * data.n_words + w];
            std::fill(block + n, block + 64, 0);
            transpose64(block);
            for (std::uint64_t left = active.mask[w]; left != 0; left &= left - 1)
                scratch.columns[blocks * j++ + b] = block[std::countr_zero(left)];
        }
    }
}

template <class Acc>
[[gnu::always_inline]] inline void add_plane(std::size_t m, std::size_t blocks, const std::uint64_t* columns,
                                             const std::uint64_t* plane, std::size_t first, std::size_t last,
                                             unsigned digit, std::size_t k, Pairs<Acc>& out, std::uint64_t* masked) {
    const std::size_t n = last - first;
    for (std::size_t i = 0; i < m; ++i) {
        const std::uint64_t* ci = columns + i * blocks + first;
        std::uint64_t any = 0;
        for (std::size_t w = 0; w < n; ++w) any |= masked[w] = ci[w] & plane[first + w];
        if (any == 0) continue;
        Acc* row = out.row(k, i);
        for (std::size_t j = i; j < m; ++j) {
            const std::uint64_t* cj = columns + j * blocks + first;
            std::int64_t sum = 0;
            for (std::size_t w = 0; w < n; ++w) sum += std::popcount(masked[w] & cj[w]);
            row[j] += static_cast<Acc>(static_cast<Acc>(sum) << digit);
        }
    }
}

template <class Acc>
[[gnu::always_inline]] inline void pairs_by_columns(const Rows<Acc>& data, std::span<const std::uint32_t> rows,
                                                    const Active& active, Pairs<Acc>& out, PairScratch<Acc>& scratch) {
    constexpr unsigned kDigits = 8 * sizeof(Acc);
    const std::size_t m = active.columns.size();
    const std::size_t blocks = (rows.size() + 63) / 64;
    make_columns(data, rows, active, scratch);
    scratch.planes.resize(kDigits * blocks);
    scratch.masked.resize(blocks);
    for (std::size_t k = 0; k < data.n_channels; ++k) {
        std::fill(scratch.planes.begin(), scratch.planes.end(), 0);
        std::size_t first[kDigits];
        std::size_t last[kDigits];
        std::fill_n(first, kDigits, blocks);
        std::fill_n(last, kDigits, 0);
        for (std::size_t r = 0; r < rows.size(); ++r) {
            auto value = static_cast<std::uint64_t>(data.cost[rows[r] * data.n_channels + k]);
            for (; value != 0; value &= value - 1) {
                const auto digit = static_cast<std::size_t>(std::countr_zero(value));
                scratch.planes[digit * blocks + r / 64] |= std::uint64_t{1} << (r % 64);
                first[digit] = std::min(first[digit], r / 64);
                last[digit] = r / 64 + 1;
            }
        }
        for (unsigned digit = 0; digit < kDigits; ++digit)
            if (first[digit] < last[digit])
                add_plane(m, blocks, scratch.columns.data(), scratch.planes.data() + digit * blocks, first[digit],
                          last[digit], digit, k, out, scratch.masked.data());
    }
}

template <class Acc>
void mirror(Pairs<Acc>& out) {
    for (std::size_t k = 0; k < out.n_channels; ++k)
        for (std::size_t i = 0; i < out.size; ++i)
            for (std::size_t j = i + 1; j < out.size; ++j) out.row(k, j)[i] = out.row(k, i)[j];
}

// --- children of every split ----------------------------------------------------------------------------------

template <class Acc>
[[gnu::always_inline]] inline void scan_two_classes(const Pairs<Acc>& pairs, const Acc* total, const ChildCosts<Acc>& out,
                                                    Acc* diagonal) {
    const std::size_t m = pairs.size;
    Acc* dp = diagonal;
    Acc* dq = diagonal + pairs.stride;
    for (std::size_t i = 0; i < m; ++i) {
        dp[i] = pairs.at(0, i, i);
        dq[i] = pairs.at(1, i, i);
    }
    for (std::size_t i = m; i < pairs.stride; ++i) dp[i] = dq[i] = 0;
    for (std::size_t i = 0; i < m; ++i) {
        const Acc* p = pairs.row(0, i);
        const Acc* q = pairs.row(1, i);
        const Acc p1 = dp[i];
        const Acc q1 = dq[i];
        const Acc p0 = total[0] - p1;
        const Acc q0 = total[1] - q1;
        Acc best1 = std::min(p1, q1);
        Acc best0 = std::min(p0, q0);
        out.leaf[1][i] = best1;
        out.leaf[0][i] = best0;
        for (std::size_t j = 0; j < pairs.stride; ++j) {
            const Acc p11 = p[j];
            const Acc q11 = q[j];
            const Acc p01 = dp[j] - p11;
            const Acc q01 = dq[j] - q11;
            const Acc with1 = std::min(p11, q11) + std::min<Acc>(p1 - p11, q1 - q11);
            const Acc with0 = std::min(p01, q01) + std::min<Acc>(p0 - p01, q0 - q01);
            best1 = std::min(best1, with1);
            best0 = std::min(best0, with0);
        }
        out.two[1][i] = best1;
        out.two[0][i] = best0;
    }
}

// Any number of classes; `min_count` > 0 reads the count channel and forbids smaller leaves.
template <class Acc>
[[gnu::always_inline]] inline void scan_classes(const Pairs<Acc>& pairs, std::size_t n_classes, const Acc* total,
                                                Acc min_count, const ChildCosts<Acc>& out, std::vector<Acc>& scratch) {
    const std::size_t m = pairs.size;
    const std::size_t s = pairs.stride;
    const bool counted = pairs.n_channels > n_classes;
    scratch.resize((pairs.n_channels + 4) * s);
    Acc* diagonal = scratch.data();
    Acc* part[4];  // [2 * first + second]: cheapest class on the rows with column i = first, column j = second
    for (std::size_t a = 0; a < 4; ++a) part[a] = scratch.data() + (pairs.n_channels + a) * s;
    for (std::size_t k = 0; k < pairs.n_channels; ++k) {
        for (std::size_t i = 0; i < m; ++i) diagonal[k * s + i] = pairs.at(k, i, i);
        for (std::size_t i = m; i < s; ++i) diagonal[k * s + i] = 0;
    }
    for (std::size_t i = 0; i < m; ++i) {
        Acc leaf1 = kInfeasible<Acc>;
        Acc leaf0 = kInfeasible<Acc>;
        for (std::size_t a = 0; a < 4; ++a) std::fill_n(part[a], s, kInfeasible<Acc>);
        for (std::size_t k = 0; k < n_classes; ++k) {
            const Acc* both = pairs.row(k, i);
            const Acc* d = diagonal + k * s;
            const Acc one = d[i];
            const Acc zero = total[k] - one;
            leaf1 = std::min(leaf1, one);
            leaf0 = std::min(leaf0, zero);
            for (std::size_t j = 0; j < s; ++j) {
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
            if (one < min_count) leaf1 = kInfeasible<Acc>;
            if (zero < min_count) leaf0 = kInfeasible<Acc>;
            for (std::size_t j = 0; j < s; ++j) {
                const Acc c11 = both[j];
                const Acc c01 = d[j] - c11;
                if (c11 < min_count) part[3][j] = kInfeasible<Acc>;
                if (one - c11 < min_count) part[2][j] = kInfeasible<Acc>;
                if (c01 < min_count) part[1][j] = kInfeasible<Acc>;
                if (zero - c01 < min_count) part[0][j] = kInfeasible<Acc>;
            }
        }
        Acc best1 = leaf1;
        Acc best0 = leaf0;
        for (std::size_t j = 0; j < s; ++j) {
            best1 = std::min<Acc>(best1, part[3][j] + part[2][j]);
            best0 = std::min<Acc>(best0, part[1][j] + part[0][j]);
        }
        out.leaf[1][i] = leaf1;
        out.leaf[0][i] = leaf0;
        out.two[1][i] = std::min(best1, kInfeasible<Acc>);
        out.two[0][i] = std::min(best0, kInfeasible<Acc>);
    }
}

template <class Acc>
[[gnu::always_inline]] inline void scan_body(const Pairs<Acc>& pairs, std::size_t n_classes, const Acc* total,
                                             Acc min_count, const ChildCosts<Acc>& out, std::vector<Acc>& scratch) {
    if (pairs.n_channels == 2 && n_classes == 2) {
        scratch.resize(2 * pairs.stride);
        scan_two_classes(pairs, total, out, scratch.data());
    } else {
        scan_classes(pairs, n_classes, total, min_count, out, scratch);
    }
}

template <class Acc>
[[gnu::always_inline]] inline void subtract_body(const Acc* a, const Acc* b, Acc* out, std::size_t n) {
    for (std::size_t e = 0; e < n; ++e) out[e] = a[e] - b[e];
}

template <class Acc>
[[gnu::always_inline]] inline void constant_body(const Pairs<Acc>& pairs, const Acc* total, std::size_t i, int side,
                                                 std::uint64_t* ones, std::uint64_t* zeros) {
    const std::size_t m = pairs.size;
    // A row is present exactly if its channel sum is positive (reduce() keeps no other rows).
    Acc whole = 0;
    for (std::size_t k = 0; k < pairs.n_channels; ++k)
        whole += side == 1 ? pairs.at(k, i, i) : total[k] - pairs.at(k, i, i);
    for (std::size_t w = 0; w * 64 < m; ++w) {
        const std::size_t n = std::min<std::size_t>(64, m - w * 64);
        std::uint64_t full = 0;
        std::uint64_t empty = 0;
        for (std::size_t b = 0; b < n; ++b) {
            const std::size_t j = w * 64 + b;
            Acc sum = 0;
            for (std::size_t k = 0; k < pairs.n_channels; ++k) {
                const Acc both = pairs.at(k, i, j);
                sum += side == 1 ? both : pairs.at(k, j, j) - both;
            }
            full |= static_cast<std::uint64_t>(sum == whole) << b;
            empty |= static_cast<std::uint64_t>(sum == 0) << b;
        }
        ones[w] = full;
        zeros[w] = empty;
    }
}

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
// GCC and Clang inline the bodies above into these functions and vectorise them for the named instruction set.
namespace avx2 {
template <class Acc>
[[gnu::target("avx2,bmi,bmi2,lzcnt,popcnt")]] void pairs_by_columns_(const Rows<Acc>& data, std::span<const std::uint32_t> rows,
                                                       const Active& active, Pairs<Acc>& out, PairScratch<Acc>& s) {
    pairs_by_columns(data, rows, active, out, s);
}
template <class Acc>
[[gnu::target("avx2,bmi,bmi2,lzcnt,popcnt")]] void scan(const Pairs<Acc>& p, std::size_t k, const Acc* total, Acc min_count,
                                          const ChildCosts<Acc>& out, std::vector<Acc>& scratch) {
    scan_body(p, k, total, min_count, out, scratch);
}
template <class Acc>
[[gnu::target("avx2")]] void subtract_(const Acc* a, const Acc* b, Acc* out, std::size_t n) {
    subtract_body(a, b, out, n);
}
}  // namespace avx2
namespace avx512 {
template <class Acc>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512dq,avx512vpopcntdq,bmi,bmi2,lzcnt,popcnt,prefer-vector-width=512")]] void
pairs_by_columns_(const Rows<Acc>& data, std::span<const std::uint32_t> rows, const Active& active, Pairs<Acc>& out,
                  PairScratch<Acc>& s) {
    pairs_by_columns(data, rows, active, out, s);
}
template <class Acc>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512dq,bmi,bmi2,prefer-vector-width=512")]] void scan(
    const Pairs<Acc>& p, std::size_t k, const Acc* total, Acc min_count, const ChildCosts<Acc>& out,
    std::vector<Acc>& scratch) {
    scan_body(p, k, total, min_count, out, scratch);
}
template <class Acc>
[[gnu::target("avx512f,prefer-vector-width=512")]] void subtract_(const Acc* a, const Acc* b, Acc* out, std::size_t n) {
    subtract_body(a, b, out, n);
}
}  // namespace avx512
#endif

}  // namespace

template <class Acc>
void count_pairs(Simd level, PairKernel kernel, const Rows<Acc>& data, std::span<const std::uint32_t> rows,
                 const Active& active, Pairs<Acc>& out, PairScratch<Acc>& scratch) {
    std::memset(out.data, 0, out.entries() * sizeof(Acc));
    const auto m = static_cast<double>(active.columns.size());
    if (kernel == PairKernel::automatic) {
        // Estimated cycles. Row-wise: one read-modify-write for every two ones. Column-wise: one AND-popcount a
        // word, plane and pair of columns, after the transposition.
        const double share = m / static_cast<double>(data.n_columns);
        const auto n = static_cast<double>(rows.size());
        const double by_rows = n * (8 + 0.7 * data.mean_square_ones * share * share);
        const double by_columns =
            n * 10 + m * m / 2 * (n / 64 * data.mean_cost_digits + 4);
        kernel = by_rows <= by_columns ? PairKernel::rows : PairKernel::columns;
    }
    if (kernel == PairKernel::rows) {
        pairs_by_rows(data, rows, active, out, scratch);
    } else {
        switch (level) {
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
            case Simd::avx512: avx512::pairs_by_columns_(data, rows, active, out, scratch); break;
            case Simd::avx2: avx2::pairs_by_columns_(data, rows, active, out, scratch); break;
#endif
            default: pairs_by_columns(data, rows, active, out, scratch);
        }
    }
    mirror(out);
}

template <class Acc>
void subtract(Simd level, const Pairs<Acc>& a, const Pairs<Acc>& b, Pairs<Acc>& out) {
    switch (level) {
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
        case Simd::avx512: return avx512::subtract_(a.data, b.data, out.data, a.entries());
        case Simd::avx2: return avx2::subtract_(a.data, b.data, out.data, a.entries());
#endif
        default: return subtract_body(a.data, b.data, out.data, a.entries());
    }
}

template <class Acc>
void scan_children(Simd level, const Pairs<Acc>& pairs, std::size_t n_classes, const Acc* total, Acc min_count,
                   const ChildCosts<Acc>& out, std::vector<Acc>& scratch) {
    switch (level) {
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
        case Simd::avx512: return avx512::scan(pairs, n_classes, total, min_count, out, scratch);
        case Simd::avx2: return avx2::scan(pairs, n_classes, total, min_count, out, scratch);
#endif
        default: return scan_body(pairs, n_classes, total, min_count, out, scratch);
    }
}

template <class Acc>
void constant_columns(Simd, const Pairs<Acc>& pairs, const Acc* total, std::size_t i, int side,
                      std::span<std::uint64_t> ones, std::span<std::uint64_t> zeros) {
    constant_body(pairs, total, i, side, ones.data(), zeros.data());
}

template void count_pairs(Simd, PairKernel, const Rows<std::int32_t>&, std::span<const std::uint32_t>, const Active&,
                          Pairs<std::int32_t>&, PairScratch<std::int32_t>&);
template void count_pairs(Simd, PairKernel, const Rows<std::int64_t>&, std::span<const std::uint32_t>, const Active&,
                          Pairs<std::int64_t>&, PairScratch<std::int64_t>&);
template void subtract(Simd, const Pairs<std::int32_t>&, const Pairs<std::int32_t>&, Pairs<std::int32_t>&);
template void subtract(Simd, const Pairs<std::int64_t>&, const Pairs<std::int64_t>&, Pairs<std::int64_t>&);
template void scan_children(Simd, const Pairs<std::int32_t>&, std::size_t, const std::int32_t*, std::int32_t,
                            const ChildCosts<std::int32_t>&, std::vector<std::int32_t>&);
template void scan_children(Simd, const Pairs<std::int64_t>&, std::size_t, const std::int64_t*, std::int64_t,
                            const ChildCosts<std::int64_t>&, std::vector<std::int64_t>&);
template void constant_columns(Simd, const Pairs<std::int32_t>&, const std::int32_t*, std::size_t, int,
                               std::span<std::uint64_t>, std::span<std::uint64_t>);
template void constant_columns(Simd, const Pairs<std::int64_t>&, const std::int64_t*, std::size_t, int,
                               std::span<std::uint64_t>, std::span<std::uint64_t>);

}  // namespace treewright::bits
