#include "treewright/bits/kernels.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>
#endif

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

// Ones in a & b_0, ..., a & b_3 over n words, for four columns that lie `stride` words apart.
struct PlainCount {
    [[gnu::always_inline]] static void four(const std::uint64_t* a, const std::uint64_t* b, std::size_t stride,
                                            std::size_t n, std::int64_t* out) {
        for (std::size_t q = 0; q < 4; ++q) {
            std::int64_t sum = 0;
            for (std::size_t w = 0; w < n; ++w) sum += std::popcount(a[w] & b[q * stride + w]);
            out[q] = sum;
        }
    }
};

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
// Counts ones by table look-up of half bytes, 32 bytes at a time. Four columns share the loads of `a` and the sums
// at the end: 2.4 times as fast as popcnt words at 24 words a column.
struct Avx2Count {
    [[gnu::always_inline, gnu::target("avx2")]] static __m256i ones_per_byte(__m256i v) {
        const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2,
                                               2, 3, 2, 3, 3, 4);
        const __m256i low = _mm256_set1_epi8(15);
        return _mm256_add_epi8(_mm256_shuffle_epi8(table, _mm256_and_si256(v, low)),
                               _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(v, 4), low)));
    }
    [[gnu::always_inline, gnu::target("avx2")]] static __m256i load(const std::uint64_t* p) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    }
    [[gnu::target("avx2,popcnt")]] static void four(const std::uint64_t* a, const std::uint64_t* b,
                                                                        std::size_t stride, std::size_t n,
                                                                        std::int64_t* out) {
        constexpr std::size_t kBytesHold = 31;  // steps of at most 8 ones that a byte holds
        const __m256i zero = _mm256_setzero_si256();
        __m256i sum[4] = {zero, zero, zero, zero};
        const std::size_t whole = n / 4 * 4;
        for (std::size_t w = 0; w < whole;) {
            const std::size_t end = std::min(whole, w + 4 * kBytesHold);
            __m256i bytes[4] = {zero, zero, zero, zero};
            for (; w < end; w += 4) {
                const __m256i here = load(a + w);
                for (std::size_t q = 0; q < 4; ++q)
                    bytes[q] = _mm256_add_epi8(bytes[q], ones_per_byte(_mm256_and_si256(here, load(b + q * stride + w))));
            }
            for (std::size_t q = 0; q < 4; ++q) sum[q] = _mm256_add_epi64(sum[q], _mm256_sad_epu8(bytes[q], zero));
        }
        // Four sums of four lanes each into one vector of four sums.
        const __m256i first = _mm256_add_epi64(_mm256_unpacklo_epi64(sum[0], sum[1]), _mm256_unpackhi_epi64(sum[0], sum[1]));
        const __m256i second = _mm256_add_epi64(_mm256_unpacklo_epi64(sum[2], sum[3]), _mm256_unpackhi_epi64(sum[2], sum[3]));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out),
                            _mm256_add_epi64(_mm256_permute2x128_si256(first, second, 0x20),
                                             _mm256_permute2x128_si256(first, second, 0x31)));
        for (std::size_t w = whole; w < n; ++w)
            for (std::size_t q = 0; q < 4; ++q) out[q] += std::popcount(a[w] & b[q * stride + w]);
    }
};
#endif

// One binary digit of a channel's costs: the rows that have it, and the words between which they lie.
struct Plane {
    unsigned digit;
    std::size_t first;
    std::size_t last;
};

// Writes row i of channel k from j = i on: the sum over planes of the rows with both ones, each worth 2^digit.
template <class Acc, class Count>
[[gnu::always_inline]] inline void write_row(std::size_t i, std::size_t m, std::size_t blocks, const std::uint64_t* columns,
                                             std::span<const Plane> planes, const std::uint64_t* plane_words,
                                             std::uint64_t* masked, Acc* row) {
    std::fill(row + i, row + m, Acc{0});
    for (const Plane& plane : planes) {
        const std::size_t n = plane.last - plane.first;
        const std::uint64_t* ci = columns + i * blocks + plane.first;
        const std::uint64_t* has_digit = plane_words + plane.digit * blocks + plane.first;
        std::uint64_t any = 0;
        for (std::size_t w = 0; w < n; ++w) any |= masked[w] = ci[w] & has_digit[w];
        if (any == 0) continue;
        std::size_t j = i;
        std::int64_t sum[4];
        for (; j + 4 <= m; j += 4) {
            Count::four(masked, columns + j * blocks + plane.first, blocks, n, sum);
            for (std::size_t q = 0; q < 4; ++q) row[j + q] += static_cast<Acc>(static_cast<Acc>(sum[q]) << plane.digit);
        }
        for (; j < m; ++j) {
            const std::uint64_t* cj = columns + j * blocks + plane.first;
            std::int64_t one = 0;
            for (std::size_t w = 0; w < n; ++w) one += std::popcount(masked[w] & cj[w]);
            row[j] += static_cast<Acc>(static_cast<Acc>(one) << plane.digit);
        }
    }
}

template <class Acc, class Count>
[[gnu::always_inline]] inline void pairs_by_columns(const Rows<Acc>& data, std::span<const std::uint32_t> rows,
                                                    const Active& active, Pairs<Acc>& out, PairScratch<Acc>& scratch) {
    const std::size_t m = active.columns.size();
    const std::size_t blocks = (rows.size() + 63) / 64;
    make_columns(data, rows, active, scratch);
    scratch.planes.resize(data.n_digits * blocks);
    scratch.masked.resize(blocks);
    for (std::size_t k = 0; k < data.n_channels; ++k) {
        std::fill(scratch.planes.begin(), scratch.planes.end(), 0);
        std::size_t first[8 * sizeof(Acc)];
        std::size_t last[8 * sizeof(Acc)] = {};
        for (std::size_t r = 0; r < rows.size(); ++r) {
            auto value = static_cast<std::uint64_t>(data.cost[rows[r] * data.n_channels + k]);
            for (; value != 0; value &= value - 1) {
                const auto digit = static_cast<std::size_t>(std::countr_zero(value));
                scratch.planes[digit * blocks + r / 64] |= std::uint64_t{1} << (r % 64);
                if (last[digit] == 0) first[digit] = r / 64;
                last[digit] = r / 64 + 1;
            }
        }
        Plane planes[8 * sizeof(Acc)];
        std::size_t n_planes = 0;
        for (unsigned digit = 0; digit < data.n_digits; ++digit)
            if (last[digit] > 0) planes[n_planes++] = {digit, first[digit], last[digit]};
        for (std::size_t i = 0; i < m; ++i)
            write_row<Acc, Count>(i, m, blocks, scratch.columns.data(), {planes, n_planes}, scratch.planes.data(),
                                  scratch.masked.data(), out.row(k, i));
    }
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
    for (std::size_t i = 0; i < m; ++i) {
        out.two[1][i] = out.leaf[1][i] = std::min(dp[i], dq[i]);
        out.two[0][i] = out.leaf[0][i] = std::min<Acc>(total[0] - dp[i], total[1] - dq[i]);
    }
    // The four parts of two columns i < j give the two-leaf trees of both: i split by j, and j split by i.
    for (std::size_t i = 0; i < m; ++i) {
        const Acc* p = pairs.row(0, i);
        const Acc* q = pairs.row(1, i);
        const Acc p1 = dp[i];
        const Acc q1 = dq[i];
        const Acc p0 = total[0] - p1;
        const Acc q0 = total[1] - q1;
        Acc best1 = out.two[1][i];
        Acc best0 = out.two[0][i];
        Acc* two1 = out.two[1];
        Acc* two0 = out.two[0];
        for (std::size_t j = i + 1; j < m; ++j) {
            const Acc p11 = p[j];
            const Acc q11 = q[j];
            const Acc p01 = dp[j] - p11;
            const Acc q01 = dq[j] - q11;
            const Acc c11 = std::min(p11, q11);
            const Acc c10 = std::min<Acc>(p1 - p11, q1 - q11);
            const Acc c01 = std::min(p01, q01);
            const Acc c00 = std::min<Acc>(p0 - p01, q0 - q01);
            best1 = std::min<Acc>(best1, c11 + c10);
            best0 = std::min<Acc>(best0, c01 + c00);
            two1[j] = std::min<Acc>(two1[j], c11 + c01);
            two0[j] = std::min<Acc>(two0[j], c10 + c00);
        }
        two1[i] = best1;
        two0[i] = best0;
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
[[gnu::always_inline]] inline void subtract_body(const Pairs<Acc>& a, const Pairs<Acc>& b, Pairs<Acc>& out) {
    for (std::size_t k = 0; k < a.n_channels; ++k) {
        for (std::size_t i = 0; i < a.size; ++i) {
            const Acc* from = a.row(k, i);
            const Acc* less = b.row(k, i);
            Acc* to = out.row(k, i);
            for (std::size_t j = i; j < a.size; ++j) to[j] = from[j] - less[j];
        }
    }
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
    pairs_by_columns<Acc, Avx2Count>(data, rows, active, out, s);
}
template <class Acc>
[[gnu::target("avx2,bmi,bmi2,lzcnt,popcnt")]] void scan(const Pairs<Acc>& p, std::size_t k, const Acc* total, Acc min_count,
                                          const ChildCosts<Acc>& out, std::vector<Acc>& scratch) {
    scan_body(p, k, total, min_count, out, scratch);
}
template <class Acc>
[[gnu::target("avx2")]] void subtract_(const Pairs<Acc>& a, const Pairs<Acc>& b, Pairs<Acc>& out) {
    subtract_body(a, b, out);
}
}  // namespace avx2
namespace avx512 {
template <class Acc>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512dq,avx512vpopcntdq,bmi,bmi2,lzcnt,popcnt,prefer-vector-width=512")]] void
pairs_by_columns_(const Rows<Acc>& data, std::span<const std::uint32_t> rows, const Active& active, Pairs<Acc>& out,
                  PairScratch<Acc>& s) {
    pairs_by_columns<Acc, PlainCount>(data, rows, active, out, s);
}
template <class Acc>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512dq,bmi,bmi2,prefer-vector-width=512")]] void scan(
    const Pairs<Acc>& p, std::size_t k, const Acc* total, Acc min_count, const ChildCosts<Acc>& out,
    std::vector<Acc>& scratch) {
    scan_body(p, k, total, min_count, out, scratch);
}
template <class Acc>
[[gnu::target("avx512f,prefer-vector-width=512")]] void subtract_(const Pairs<Acc>& a, const Pairs<Acc>& b, Pairs<Acc>& out) {
    subtract_body(a, b, out);
}
}  // namespace avx512
#endif

}  // namespace

template <class Acc>
void count_pairs(Simd level, PairKernel kernel, const Rows<Acc>& data, std::span<const std::uint32_t> rows,
                 const Active& active, Pairs<Acc>& out, PairScratch<Acc>& scratch) {
    const auto m = static_cast<double>(active.columns.size());
    if (kernel == PairKernel::automatic) {
        // Estimated cycles. Row-wise: one read-modify-write for every two ones. Column-wise: one AND-popcount a
        // word, plane and pair of columns, after the transposition.
        const double share = m / static_cast<double>(data.n_columns);
        const auto n = static_cast<double>(rows.size());
        const double by_rows = n * (8 + 0.7 * data.mean_square_ones * share * share);
        const double by_columns =
            n * 10 + m * m / 2 * (n / 64 * data.mean_cost_digits / (level == Simd::plain ? 1 : 2) + 3);
        kernel = by_rows <= by_columns ? PairKernel::rows : PairKernel::columns;
    }
    if (kernel == PairKernel::rows) {
        std::memset(out.data, 0, out.entries() * sizeof(Acc));
        pairs_by_rows(data, rows, active, out, scratch);
    } else {
        switch (level) {
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
            case Simd::avx512: avx512::pairs_by_columns_(data, rows, active, out, scratch); break;
            case Simd::avx2: avx2::pairs_by_columns_(data, rows, active, out, scratch); break;
#endif
            default: pairs_by_columns<Acc, PlainCount>(data, rows, active, out, scratch);
        }
    }
}

template <class Acc>
void subtract(Simd level, const Pairs<Acc>& a, const Pairs<Acc>& b, Pairs<Acc>& out) {
    switch (level) {
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
        case Simd::avx512: return avx512::subtract_(a, b, out);
        case Simd::avx2: return avx2::subtract_(a, b, out);
#endif
        default: return subtract_body(a, b, out);
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
