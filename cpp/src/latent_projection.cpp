// See projection.hpp for the idea and the proof, newton.hpp for the scalar equation.
#include "treewright/latent/projection.hpp"

#include "treewright/cpu.hpp"
#include "treewright/latent/newton.hpp"

#include <limits>
#include <vector>

namespace treewright::latent {

namespace {

template <Scalar Real>
constexpr Real kHalf = Real(0.5);

template <Scalar Real>
struct Problem {
    std::size_t nodes;
    const Real* q;
    std::size_t n;
    double lambda;

    [[nodiscard]] const Real* column(std::size_t t) const { return q + t * n; }
    [[nodiscard]] bool inner(std::size_t t) const { return 2 * t + 2 < nodes; }
};

// The connected set below t (t included) on which m > a along every path, added up.
template <Scalar Real>
TREEWRIGHT_INLINE Above above_set(const Problem<Real>& p, const std::vector<Real>& m, std::size_t t, Real a,
                                  std::vector<std::size_t>& stack) {
    Above total{0.0, 0, 0};
    stack.assign(1, t);
    while (!stack.empty()) {
        const std::size_t s = stack.back();
        stack.pop_back();
        const Above one = above<Real>(p.column(s), p.n, kHalf<Real>, a);
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

template <Scalar Real>
TREEWRIGHT_INLINE bool forward(const Problem<Real>& p, Real* z, Real* a, Real* slope, std::int32_t* group) {
    // Nodes bottom up. No early stop at 1: a pooled minimum averages values above 1 with values below.
    constexpr Real kNoStop = std::numeric_limits<Real>::infinity();
    std::vector<Real> m(p.nodes);
    std::vector<std::size_t> stack;
    for (std::size_t t = p.nodes; t-- > 0;) {
        const Real* q = p.column(t);
        const Start start = first_look<Real>(q, p.n);
        if (!start.finite) return false;
        const auto evaluate = [&](Real at) TREEWRIGHT_INLINE_LAMBDA { return above<Real>(q, p.n, kHalf<Real>, at); };
        const Root<Real> own = newton<Real>(Real(0), start.above, p.lambda, kNoStop, false, evaluate);
        m[t] = own.a;
        slope[t] = static_cast<Real>(own.slope);
        if (!p.inner(t) || std::max(m[2 * t + 1], m[2 * t + 2]) <= own.a) continue;
        const auto pooled = [&](Real at) TREEWRIGHT_INLINE_LAMBDA { return above_set<Real>(p, m, t, at, stack); };
        const Root<Real> all = newton<Real>(own.a, pooled(own.a), p.lambda, kNoStop, false, pooled);
        m[t] = all.a;
        slope[t] = static_cast<Real>(all.slope);
    }
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
        const Real* q = p.column(t);
        Real* out = z + t * p.n;
        const Real cap = a[t];
#pragma omp simd
        for (std::size_t i = 0; i < p.n; ++i) {
            const Real v = q[i] + kHalf<Real>;
            const Real positive = v > Real(0) ? v : Real(0);
            out[i] = positive < cap ? positive : cap;
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

template <Scalar Real>
TREEWRIGHT_INLINE void backward(const Gradient<Real>& b) {
    const auto leader = [&](std::size_t t) TREEWRIGHT_INLINE_LAMBDA { return static_cast<std::size_t>(b.group[t]); };
    std::vector<double> total(b.nodes, 0.0);
    for (std::size_t t = 0; t < b.nodes; ++t) {
        const Real* q = b.q + t * b.n;
        const Real* grad = b.grad_z + t * b.n;
        const Real a = b.a[t];
        const std::size_t half = b.n / 2;
        Real s0 = 0, s1 = 0;
#pragma omp simd reduction(+ : s0, s1)
        for (std::size_t i = 0; i < half; ++i) {
            const Real v0 = q[i] + kHalf<Real>, g0 = grad[i];
            const Real v1 = q[i + half] + kHalf<Real>, g1 = grad[i + half];
            s0 += v0 > a ? g0 : Real(0);
            s1 += v1 > a ? g1 : Real(0);
        }
        if (2 * half < b.n && q[b.n - 1] + kHalf<Real> > a) s0 += grad[b.n - 1];
        total[leader(t)] += static_cast<double>(s0) + static_cast<double>(s1) + static_cast<double>(b.grad_a[t]);
    }
    for (std::size_t t = 0; t < b.nodes; ++t) {
        const std::size_t g = leader(t);
        const Real a = b.a[t];
        const Real h = a > Real(0) && a < Real(1) ? static_cast<Real>(total[g] / static_cast<double>(b.slope[g])) : Real(0);
        const Real* q = b.q + t * b.n;
        const Real* grad = b.grad_z + t * b.n;
        Real* out = b.grad_q + t * b.n;
#pragma omp simd
        for (std::size_t i = 0; i < b.n; ++i) {
            const Real v = q[i] + kHalf<Real>, g_z = grad[i];
            const Real inside = v > Real(0) ? g_z : Real(0);
            out[i] = v > a ? h : inside;
        }
    }
}

// Tiles of 16 x 16 keep both the rows read and the rows written in the first-level cache.
template <Scalar Real>
TREEWRIGHT_INLINE void transpose_tiles(const Real* from, std::size_t rows, std::size_t columns, Real* to) {
    constexpr std::size_t kTile = 16;
    for (std::size_t r0 = 0; r0 < rows; r0 += kTile) {
        const std::size_t r1 = std::min(rows, r0 + kTile);
        for (std::size_t c0 = 0; c0 < columns; c0 += kTile) {
            const std::size_t c1 = std::min(columns, c0 + kTile);
            if (r1 - r0 == kTile) {
                for (std::size_t c = c0; c < c1; ++c)
                    for (std::size_t r = 0; r < kTile; ++r) to[c * rows + r0 + r] = from[(r0 + r) * columns + c];
            } else {
                for (std::size_t c = c0; c < c1; ++c)
                    for (std::size_t r = r0; r < r1; ++r) to[c * rows + r] = from[r * columns + c];
            }
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

template <class Real>
void transpose(const Real* from, std::size_t rows, std::size_t columns, Real* to) {
    transpose_tiles<Real>(from, rows, columns, to);
}

template bool project_forward<float>(std::size_t, const float*, std::size_t, double, float*, float*, float*,
                                     std::int32_t*);
template bool project_forward<double>(std::size_t, const double*, std::size_t, double, double*, double*, double*,
                                      std::int32_t*);
template void project_backward<float>(std::size_t, const float*, std::size_t, const float*, const float*,
                                      const std::int32_t*, const float*, const float*, float*);
template void project_backward<double>(std::size_t, const double*, std::size_t, const double*, const double*,
                                       const std::int32_t*, const double*, const double*, double*);
template void transpose<float>(const float*, std::size_t, std::size_t, float*);
template void transpose<double>(const double*, std::size_t, std::size_t, double*);

}  // namespace treewright::latent
