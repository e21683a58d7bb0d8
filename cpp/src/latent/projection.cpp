// See projection.hpp for the idea and the proof, newton.hpp for the scalar equation.
#include "treewright/latent/projection.hpp"

#include "treewright/core/cpu.hpp"
#include "treewright/latent/newton.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

namespace treewright::latent {

namespace {

template <Scalar Real>
constexpr Real kHalf = Real(0.5);

// Columns that are copied out together: a cache line or two of each row, and a copy that fits a near cache.
constexpr std::size_t kTile = 16;

// Columns first .. first + count of a row-major matrix, one after the other. Floats go by blocks of 4 x 4, transposed
// by shuffles of 16 bytes, which every instruction set has.
template <Scalar Real>
TREEWRIGHT_INLINE void copy_columns(const Real* from, std::size_t rows, std::size_t columns, std::size_t first,
                                    std::size_t count, Real* to) {
    std::size_t whole_rows = 0, whole_columns = 0;
#if defined(__GNUC__) || defined(__clang__)
    if constexpr (std::is_same_v<Real, float>) {
        using Four [[gnu::vector_size(16)]] = float;
        whole_rows = rows / 4 * 4;
        whole_columns = count / 4 * 4;
        for (std::size_t r = 0; r < whole_rows; r += 4)
            for (std::size_t c = 0; c < whole_columns; c += 4) {
                Four x[4], y[4];
                for (std::size_t k = 0; k < 4; ++k) std::memcpy(&x[k], from + (r + k) * columns + first + c, 16);
                for (std::size_t k = 0; k < 2; ++k) {
                    y[2 * k] = __builtin_shufflevector(x[2 * k], x[2 * k + 1], 0, 4, 1, 5);
                    y[2 * k + 1] = __builtin_shufflevector(x[2 * k], x[2 * k + 1], 2, 6, 3, 7);
                }
                for (std::size_t k = 0; k < 2; ++k) {
                    x[2 * k] = __builtin_shufflevector(y[k], y[k + 2], 0, 1, 4, 5);
                    x[2 * k + 1] = __builtin_shufflevector(y[k], y[k + 2], 2, 3, 6, 7);
                }
                for (std::size_t k = 0; k < 4; ++k) std::memcpy(to + (c + k) * rows + r, &x[k], 16);
            }
    }
#endif
    for (std::size_t c = 0; c < count; ++c)
        for (std::size_t r = c < whole_columns ? whole_rows : 0; r < rows; ++r)
            to[c * rows + r] = from[r * columns + first + c];
}

template <Scalar Real>
struct Problem {
    std::size_t nodes;
    const Real* q;
    std::size_t n;
    double lambda;

    [[nodiscard]] bool inner(std::size_t t) const { return 2 * t + 2 < nodes; }
};

// The connected set below t (t included) on which m > a along every path, added up. `columns` is q transposed.
template <Scalar Real>
TREEWRIGHT_INLINE Above above_set(const Problem<Real>& p, const Real* columns, const std::vector<Real>& m,
                                  std::size_t t, Real a, std::vector<std::size_t>& stack) {
    Above total{0.0, 0, 0};
    stack.assign(1, t);
    while (!stack.empty()) {
        const std::size_t s = stack.back();
        stack.pop_back();
        const Above one = above<Real>(columns + s * p.n, p.n, kHalf<Real>, a);
        total.sum += one.sum;
        total.count += one.count;
        ++total.nodes;
        if (!p.inner(s)) continue;
        for (const std::size_t c : {2 * s + 1, 2 * s + 2})
            if (m[c] > a) stack.push_back(c);
    }
    return total;
}

// First Newton evaluation (a = 0) of one column, and whether all its values are finite (0 * inf = 0 * nan = nan).
struct Start {
    Above above;
    bool finite;
};

template <Scalar Real>
TREEWRIGHT_INLINE Start first_look(const Real* q, std::size_t n) {
    constexpr std::size_t kBlock = 4096;
    Start out{{}, true};
    for (std::size_t begin = 0; begin < n; begin += kBlock) {
        const std::size_t end = std::min(n, begin + kBlock);
        Real sum = 0, poison = 0;
        Lane<Real> count = 0;
#pragma omp simd reduction(+ : sum, count, poison)
        for (std::size_t i = begin; i < end; ++i) {
            const Real v = q[i] + kHalf<Real>;
            poison += v * Real(0);
            sum += v > Real(0) ? v : Real(0);
            count += v > Real(0) ? 1 : 0;
        }
        out.above.sum += static_cast<double>(sum);
        out.above.count += count;
        out.finite = out.finite && poison == Real(0);
    }
    return out;
}

// No early stop at 1: a pooled minimum averages values above 1 with values below.
template <Scalar Real>
constexpr Real kNoStop = std::numeric_limits<Real>::infinity();

// Each node's own root, whatever the others do; false if a score is not finite.
template <Scalar Real>
TREEWRIGHT_INLINE bool own_roots(const Problem<Real>& p, std::vector<Real>& m, Real* slope) {
    const auto tile = std::make_unique_for_overwrite<Real[]>(kTile * p.n);
    for (std::size_t first = 0; first < p.nodes; first += kTile) {
        const std::size_t count = std::min(kTile, p.nodes - first);
        copy_columns<Real>(p.q, p.n, p.nodes, first, count, tile.get());
        for (std::size_t c = 0; c < count; ++c) {
            const Real* q = tile.get() + c * p.n;
            const Start start = first_look<Real>(q, p.n);
            if (!start.finite) return false;
            const auto evaluate = [&](Real at)
                                      TREEWRIGHT_INLINE_LAMBDA { return above<Real>(q, p.n, kHalf<Real>, at); };
            const Root<Real> own = newton<Real>(Real(0), start.above, p.lambda, kNoStop<Real>, false, evaluate);
            m[first + c] = own.a;
            slope[first + c] = static_cast<Real>(own.slope);
        }
    }
    return true;
}

// From own roots to m, bottom up, where a child's m exceeds its parent's root; trees of eq. (1) have no such node, and
// then no column is copied.
template <Scalar Real>
TREEWRIGHT_INLINE void pool(const Problem<Real>& p, std::vector<Real>& m, Real* slope) {
    std::unique_ptr<Real[]> columns;
    std::vector<std::size_t> stack;
    for (std::size_t t = p.nodes / 2; t-- > 0;) {
        if (std::max(m[2 * t + 1], m[2 * t + 2]) <= m[t]) continue;
        if (!columns) {
            columns = std::make_unique_for_overwrite<Real[]>(p.nodes * p.n);
            for (std::size_t first = 0; first < p.nodes; first += kTile)
                copy_columns<Real>(p.q, p.n, p.nodes, first, std::min(kTile, p.nodes - first),
                                   columns.get() + first * p.n);
        }
        const auto pooled = [&](Real at)
                                TREEWRIGHT_INLINE_LAMBDA { return above_set<Real>(p, columns.get(), m, t, at, stack); };
        const Root<Real> all = newton<Real>(m[t], pooled(m[t]), p.lambda, kNoStop<Real>, false, pooled);
        m[t] = all.a;
        slope[t] = static_cast<Real>(all.slope);
    }
}

template <Scalar Real>
TREEWRIGHT_INLINE bool forward(const Problem<Real>& p, Real* z, Real* a, Real* slope, std::int32_t* group) {
    std::vector<Real> m(p.nodes);
    if (!own_roots<Real>(p, m, slope)) return false;
    pool<Real>(p, m, slope);
    for (std::size_t t = 0; t < p.nodes; ++t) {
        const std::size_t parent = t == 0 ? 0 : (t - 1) / 2;
        if (t > 0 && m[t] > m[parent]) {  // m becomes b: parents come first
            m[t] = m[parent];
            slope[t] = slope[parent];
            group[t] = group[parent];
        } else {
            group[t] = static_cast<std::int32_t>(t);
        }
        a[t] = std::min(m[t], Real(1));
    }
    for (std::size_t i = 0; i < p.n; ++i) {
        const Real* q = p.q + i * p.nodes;
        Real* out = z + i * p.nodes;
#pragma omp simd
        for (std::size_t t = 0; t < p.nodes; ++t) {
            const Real v = q[t] + kHalf<Real>, cap = a[t];
            const Real positive = v > Real(0) ? v : Real(0);
            out[t] = positive < cap ? positive : cap;
        }
    }
    return true;
}

template <Scalar Real>
struct Gradient {
    std::size_t nodes;
    const Real* q;
    std::size_t n;
    const Real* a;
    const Real* slope;
    const std::int32_t* group;
    const Real* grad_z;
    const Real* grad_a;
    Real* grad_q;
};

// Row by row, with the nodes in vector lanes: nothing is transposed. Sums of a block are kept in Real, then in double.
template <Scalar Real>
TREEWRIGHT_INLINE void backward(const Gradient<Real>& b) {
    constexpr std::size_t kBlock = 1024;
    const std::size_t nodes = b.nodes;
    std::vector<double> total(nodes, 0.0);
    std::vector<Real> sum(nodes), h(nodes);
    for (std::size_t begin = 0; begin < b.n; begin += kBlock) {
        const std::size_t end = std::min(b.n, begin + kBlock);
        std::fill(sum.begin(), sum.end(), Real(0));
        for (std::size_t i = begin; i < end; ++i) {
            const Real* q = b.q + i * nodes;
            const Real* grad = b.grad_z + i * nodes;
            Real* s = sum.data();
#pragma omp simd
            for (std::size_t t = 0; t < nodes; ++t) {
                const Real v = q[t] + kHalf<Real>, g = grad[t];
                s[t] += v > b.a[t] ? g : Real(0);
            }
        }
        for (std::size_t t = 0; t < nodes; ++t)
            total[static_cast<std::size_t>(b.group[t])] += static_cast<double>(sum[t]);
    }
    for (std::size_t t = 0; t < nodes; ++t)
        total[static_cast<std::size_t>(b.group[t])] += static_cast<double>(b.grad_a[t]);
    for (std::size_t t = 0; t < nodes; ++t) {
        const bool moves = b.a[t] > Real(0) && b.a[t] < Real(1);
        const auto leader = static_cast<std::size_t>(b.group[t]);
        h[t] = moves ? static_cast<Real>(total[leader] / static_cast<double>(b.slope[leader])) : Real(0);
    }
    for (std::size_t i = 0; i < b.n; ++i) {
        const Real* q = b.q + i * nodes;
        const Real* grad = b.grad_z + i * nodes;
        Real* out = b.grad_q + i * nodes;
        const Real* above = h.data();
#pragma omp simd
        for (std::size_t t = 0; t < nodes; ++t) {
            const Real v = q[t] + kHalf<Real>, g = grad[t];
            const Real inside = v > Real(0) ? g : Real(0);
            out[t] = v > b.a[t] ? above[t] : inside;
        }
    }
}

// One copy per instruction set.
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define TREEWRIGHT_AVX2 __attribute__((target("avx2,fma")))
template <Scalar Real>
TREEWRIGHT_AVX2 bool forward_avx2(const Problem<Real>& p, Real* z, Real* a, Real* slope, std::int32_t* group) {
    return forward<Real>(p, z, a, slope, group);
}
template <Scalar Real>
TREEWRIGHT_AVX2 void backward_avx2(const Gradient<Real>& b) {
    backward<Real>(b);
}
#endif

}  // namespace

template <class Real>
bool project_forward(std::size_t nodes, const Real* q, std::size_t n, double lambda, Real* z, Real* a, Real* slope,
                     std::int32_t* group) {
    const Problem<Real> p{nodes, q, n, lambda};
#ifdef TREEWRIGHT_AVX2
    if (simd() >= Simd::avx2) return forward_avx2<Real>(p, z, a, slope, group);
#endif
    return forward<Real>(p, z, a, slope, group);
}

template <class Real>
void project_backward(std::size_t nodes, const Real* q, std::size_t n, const Real* a, const Real* slope,
                      const std::int32_t* group, const Real* grad_z, const Real* grad_a, Real* grad_q) {
    const Gradient<Real> b{nodes, q, n, a, slope, group, grad_z, grad_a, grad_q};
#ifdef TREEWRIGHT_AVX2
    if (simd() >= Simd::avx2) return backward_avx2<Real>(b);
#endif
    backward<Real>(b);
}

template bool project_forward<float>(std::size_t, const float*, std::size_t, double, float*, float*, float*,
                                     std::int32_t*);
template bool project_forward<double>(std::size_t, const double*, std::size_t, double, double*, double*, double*,
                                      std::int32_t*);
template void project_backward<float>(std::size_t, const float*, std::size_t, const float*, const float*,
                                      const std::int32_t*, const float*, const float*, float*);
template void project_backward<double>(std::size_t, const double*, std::size_t, const double*, const double*,
                                       const std::int32_t*, const double*, const double*, double*);

}  // namespace treewright::latent
