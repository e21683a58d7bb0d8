// The one-dimensional problem of a latent tree's node (Zantedeschi, Kusner and Niculae 2021, Prop. 2), without a sort.
//
// With x_i = q_i + 1/2 the derivative of eq. (7) is g'(a) = lambda a - sum_i max(x_i - a, 0). It is increasing (slope
// lambda + k(a) >= lambda > 0, k(a) = number of x_i > a), piecewise linear, and CONCAVE, because k falls as a grows.
// Newton's step is a <- S(a) / (lambda + k(a)) with S(a) = sum of the x_i > a. By concavity the tangent lies above g',
// so a step from anywhere lands at or left of the root, and from there on the iterates rise. Supports {x_i > a} of
// rising a are nested: equal counts are equal supports, and then a is the exact minimiser over that support
// (a(k*) of Prop. 2, k* the smallest k with a(k) > x of rank k+1). The test is on integers; there is no tolerance.
//
// Cost: one pass over the rows a step; 4-7 steps are usual. No index lists are kept: the backward pass
// rebuilds every support from the comparison x > a.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#if defined(__GNUC__) || defined(__clang__)
// A kernel is inlined whole into one function per instruction set; a lambda does not inherit its function's target.
#define TREEWRIGHT_INLINE [[gnu::always_inline]] inline
#define TREEWRIGHT_INLINE_LAMBDA __attribute__((always_inline))
#else
#define TREEWRIGHT_INLINE inline
#define TREEWRIGHT_INLINE_LAMBDA
#endif

namespace treewright::latent {

template <class Real>
concept Scalar = std::is_same_v<Real, float> || std::is_same_v<Real, double>;

// Counts live in lanes as wide as the values, so that both vectorise together.
template <Scalar Real>
using Lane = std::conditional_t<std::is_same_v<Real, float>, std::int32_t, std::int64_t>;

// Sum and number of the values above a threshold, over the rows of `nodes` nodes (1, or a pooled group).
struct Above {
    double sum = 0.0;
    std::int64_t count = 0;
    std::int64_t nodes = 1;
};

// Sums v_j = x_j + shift over v_j > a. Blocks are added up in Real in four independent chains, then in double: four
// chains hide the latency of the addition (benchmarks/latent.py: 3x) and keep the rounding error of float small.
template <Scalar Real>
TREEWRIGHT_INLINE Above above(const Real* x, std::size_t n, Real shift, Real a) {
    constexpr std::size_t kBlock = 4096;
    Above total;
    for (std::size_t begin = 0; begin < n; begin += kBlock) {
        const std::size_t rows = std::min(kBlock, n - begin);
        const std::size_t quarter = rows / 4;
        const Real* x0 = x + begin;
        const Real* x1 = x0 + quarter;
        const Real* x2 = x1 + quarter;
        const Real* x3 = x2 + quarter;
        Real s0 = 0, s1 = 0, s2 = 0, s3 = 0;
        Lane<Real> k0 = 0, k1 = 0, k2 = 0, k3 = 0;
#pragma omp simd reduction(+ : s0, s1, s2, s3, k0, k1, k2, k3)
        for (std::size_t j = 0; j < quarter; ++j) {
            const Real v0 = x0[j] + shift, v1 = x1[j] + shift, v2 = x2[j] + shift, v3 = x3[j] + shift;
            s0 += v0 > a ? v0 : Real(0);
            s1 += v1 > a ? v1 : Real(0);
            s2 += v2 > a ? v2 : Real(0);
            s3 += v3 > a ? v3 : Real(0);
            k0 += v0 > a ? 1 : 0;
            k1 += v1 > a ? 1 : 0;
            k2 += v2 > a ? 1 : 0;
            k3 += v3 > a ? 1 : 0;
        }
        for (std::size_t j = 4 * quarter; j < rows; ++j) {
            const Real v = x0[j] + shift;
            if (v > a) {
                s0 += v;
                ++k0;
            }
        }
        total.sum +=
            (static_cast<double>(s0) + static_cast<double>(s1)) + (static_cast<double>(s2) + static_cast<double>(s3));
        total.count += static_cast<std::int64_t>(k0) + k1 + k2 + k3;
    }
    return total;
}

// Minimiser of one node's (or one group's) problem before it is clipped at 1, and lambda|G| + k at that point.
template <Scalar Real>
struct Root {
    Real a;
    double slope;
};

// Newton on any function of this shape. `evaluate(a)` returns what is above a; `first` is evaluate(start). `start` must
// lie left of the root unless `anywhere`. Values >= `stop` are not refined: an iterate is a lower bound of the root, so
// the clipped solution is already known.
template <Scalar Real, class Evaluate>
TREEWRIGHT_INLINE Root<Real> newton(Real start, Above first, double lambda, Real stop, bool anywhere,
                                    Evaluate evaluate) {
    Real a = start;
    Above at = first;
    bool left = !anywhere;
    for (;;) {
        const double slope = lambda * static_cast<double>(at.nodes) + static_cast<double>(at.count);
        if (at.count == 0 && a <= Real(0)) return {Real(0), slope};
        Real next = static_cast<Real>(at.sum / slope);  // 0 if a lies above every value
        if (next >= stop) return {next, slope};
        if (left && next <= a) return {a, slope};  // rounding floor: a cannot rise any more
        Above then = evaluate(next);
        if (left && then.count == 0) {
            // Rounded up to the largest value itself (tiny lambda): step one float down, so that the support stays.
            next = std::nextafter(next, Real(0));
            then = evaluate(next);
            return {next, lambda * static_cast<double>(then.nodes) + static_cast<double>(then.count)};
        }
        if (then.count == at.count && then.nodes == at.nodes && then.count > 0) return {next, slope};
        a = next;
        at = then;
        left = true;
    }
}

}  // namespace treewright::latent
