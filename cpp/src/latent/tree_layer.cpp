// See tree_layer.hpp for the idea and the proof, newton.hpp for the scalar equation.
#include "treewright/latent/tree_layer.hpp"

#include "treewright/core/cpu.hpp"
#include "treewright/latent/newton.hpp"

#include <stdexcept>
#include <vector>

namespace treewright::latent {

namespace {

// ---------------------------------------------------------------------------------------------- forward, one node

// Columns x = q + 1/2 of both children from the parent's; sums over x > 0 (the first Newton evaluation) come for free.
// `poison` is NaN afterwards exactly if a score is not finite (0 * inf = 0 * nan = nan), else 0.
template <Scalar Real>
struct Children {
    Above left, right;
    Real poison = 0;
};

template <Scalar Real>
TREEWRIGHT_INLINE Children<Real> split_rows(const Real* x, const Real* s, std::size_t n, Real* left, Real* right) {
    constexpr std::size_t kBlock = 4096;
    Children<Real> out;
    for (std::size_t begin = 0; begin < n; begin += kBlock) {
        const std::size_t end = std::min(n, begin + kBlock);
        Real sum_left = 0, sum_right = 0, poison = 0;
        Lane<Real> count_left = 0, count_right = 0;
#pragma omp simd reduction(+ : sum_left, sum_right, count_left, count_right, poison)
        for (std::size_t i = begin; i < end; ++i) {
            const Real score = s[i], cap = x[i];
            const Real to_left = Real(0.5) - score, to_right = Real(0.5) + score;
            const Real l = to_left < cap ? to_left : cap;
            const Real r = to_right < cap ? to_right : cap;
            left[i] = l;
            right[i] = r;
            poison += score * Real(0);
            sum_left += l > Real(0) ? l : Real(0);
            sum_right += r > Real(0) ? r : Real(0);
            count_left += l > Real(0) ? 1 : 0;
            count_right += r > Real(0) ? 1 : 0;
        }
        out.left.sum += static_cast<double>(sum_left);
        out.right.sum += static_cast<double>(sum_right);
        out.left.count += count_left;
        out.right.count += count_right;
        out.poison += poison;
    }
    return out;
}

// Root of one column. Long columns are solved on their first eighth (lambda scaled alike) for a start near the root:
// any start is exact, a near one saves passes over memory.
template <Scalar Real>
TREEWRIGHT_INLINE Root<Real> solve_column(const Real* x, std::size_t n, Above at_zero, double lambda) {
    const auto evaluate = [&](Real a) TREEWRIGHT_INLINE_LAMBDA { return above<Real>(x, n, Real(0), a); };
    if (n < 2048 || at_zero.count == 0) return newton<Real>(Real(0), at_zero, lambda, Real(1), false, evaluate);
    const std::size_t part = n / 8;
    const auto sample = [&](Real a) TREEWRIGHT_INLINE_LAMBDA { return above<Real>(x, part, Real(0), a); };
    const Root<Real> guess = newton<Real>(Real(0), sample(Real(0)), lambda / 8, Real(1), false, sample);
    const Real start = std::min(guess.a, Real(1));
    return newton<Real>(start, evaluate(start), lambda, Real(1), true, evaluate);
}

template <Scalar Real>
TREEWRIGHT_INLINE void clip_column(const Real* x, std::size_t n, Real shift, Real a, Real* z) {
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) {
        const Real v = x[i] + shift;
        const Real positive = v > Real(0) ? v : Real(0);
        z[i] = positive < a ? positive : a;
    }
}

template <Scalar Real>
struct Forward {
    const Shape& shape;
    const Real* s;
    std::size_t n;
    double lambda;
    Real shift;  // offset - 1/2: from x to the value that is clipped
    bool fixed;
    Real* z;
    Real* a;
    Real* slope;
};

// a and z of one child whose column x is known.
template <Scalar Real>
TREEWRIGHT_INLINE void finish(const Forward<Real>& f, std::size_t child, std::size_t parent, const Real* x,
                              Above at_zero) {
    if (!f.fixed) {
        const Root<Real> root = solve_column<Real>(x, f.n, at_zero, f.lambda);
        f.a[child] = std::min({root.a, Real(1), f.a[parent]});
        f.slope[child] = static_cast<Real>(root.slope);
    }
    clip_column<Real>(x, f.n, f.shift, f.a[child], f.z + child * f.n);
}

// Depth first, so that only the columns of one path are alive: two a level.
template <Scalar Real>
TREEWRIGHT_INLINE bool forward(const Forward<Real>& f) {
    const std::size_t n = f.n;
    std::vector<std::vector<Real>> columns(1, std::vector<Real>(n, Real(1.5)));
    if (!f.fixed) {
        f.a[0] = static_cast<Real>(std::min(1.0, 1.5 * static_cast<double>(n) / (f.lambda + static_cast<double>(n))));
        f.slope[0] = static_cast<Real>(f.lambda + static_cast<double>(n));
    }
    clip_column<Real>(columns[0].data(), n, f.shift, f.a[0], f.z);
    struct Visit {
        std::size_t node, level, column;
    };
    std::vector<Visit> stack{{0, 0, 0}};
    while (!stack.empty()) {
        const auto [t, level, column] = stack.back();
        stack.pop_back();
        if (!f.shape.inner(t)) continue;
        const std::size_t below = 1 + 2 * level;  // columns of the children
        if (columns.size() < below + 2) columns.resize(below + 2, std::vector<Real>(n));
        Real* left = columns[below].data();
        Real* right = columns[below + 1].data();
        const Real* score = f.s + static_cast<std::size_t>(f.shape.score_row[t]) * n;
        const Children<Real> sums = split_rows<Real>(columns[column].data(), score, n, left, right);
        if (!(sums.poison == Real(0))) return false;
        if (f.shape.right[t] >= 0) {
            const auto child = static_cast<std::size_t>(f.shape.right[t]);
            finish<Real>(f, child, t, right, sums.right);
            stack.push_back({child, level + 1, below + 1});
        }
        if (f.shape.left[t] >= 0) {
            const auto child = static_cast<std::size_t>(f.shape.left[t]);
            finish<Real>(f, child, t, left, sums.left);
            stack.push_back({child, level + 1, below});
        }
    }
    return true;
}

// --------------------------------------------------------------------------------------------------- backward
//
// With M = [x > a], z = clip(x + shift, 0, a) gives dz/dx = [0 < x + shift <= a] and dz/da = [x + shift > a], and the
// Jacobian after Prop. 2 gives da/dx = [0 < a < 1] M / slope. So
//   A_t = grad_a_t + sum_i [x + shift > a_t] grad_z_it,   h_t = [0 < a_t < 1] A_t / slope_t,
//   grad_x_it = [0 < x + shift <= a_t] grad_z_it + M_it h_t + (what comes from the children through the minimum).
// Two sweeps over blocks of rows that fit the second-level cache; x is rebuilt from s in each, so that the forward pass
// saves nothing of size nodes x rows.

template <Scalar Real>
struct Backward {
    const Shape& shape;
    const Real* s;
    std::size_t n;
    Real shift;
    const Real* a;
    const Real* slope;
    const Real* grad_z;
    const Real* grad_a;
    Real* grad_s;
};

// x of one child from its parent's (cap), kept in `x`, and sum of grad_z over [x + shift > a].
template <Scalar Real>
TREEWRIGHT_INLINE double descend(const Real* cap, const Real* score, Real sign, const Real* grad_z, std::size_t rows,
                                 Real shift, Real a, Real* x) {
    const std::size_t half = rows / 2;
    const auto one = [&](std::size_t i) TREEWRIGHT_INLINE_LAMBDA {
        const Real v = Real(0.5) + sign * score[i], c = cap[i], g = grad_z[i];
        const Real m = v < c ? v : c;
        x[i] = m;
        return m + shift > a ? g : Real(0);
    };
    Real s0 = 0, s1 = 0;
#pragma omp simd reduction(+ : s0, s1)
    for (std::size_t i = 0; i < half; ++i) {
        const std::size_t k = i + half;
        const Real v0 = Real(0.5) + sign * score[i], c0 = cap[i], g0 = grad_z[i];
        const Real v1 = Real(0.5) + sign * score[k], c1 = cap[k], g1 = grad_z[k];
        const Real m0 = v0 < c0 ? v0 : c0, m1 = v1 < c1 ? v1 : c1;
        x[i] = m0;
        x[k] = m1;
        s0 += m0 + shift > a ? g0 : Real(0);
        s1 += m1 + shift > a ? g1 : Real(0);
    }
    if (2 * half < rows) s0 += one(rows - 1);
    return static_cast<double>(s0) + static_cast<double>(s1);
}

// Gradient of one child's x, handed to the score if the child's own branch of the minimum wins, else to the parent's x.
// All loads are unconditional, or the loop would not vectorise (6x).
template <Scalar Real, bool First>
TREEWRIGHT_INLINE void ascend(const Real* cap, const Real* score, Real sign, const Real* grad_z, const Real* below,
                              std::size_t rows, Real shift, Real a, Real h, Real* grad_s, Real* grad_cap) {
#pragma omp simd
    for (std::size_t i = 0; i < rows; ++i) {
        const Real v = Real(0.5) + sign * score[i], c = cap[i], g = grad_z[i], b = below[i];
        const Real m = v < c ? v : c;
        const Real w = m + shift;
        const Real inside = w <= a ? g : Real(0);
        const Real through_z = w > Real(0) ? inside : Real(0);
        const Real through_a = m > a ? h : Real(0);
        const Real total = b + through_z + through_a;
        const Real to_score = v < c ? sign * total : Real(0);
        const Real to_cap = v < c ? Real(0) : total;
        if constexpr (First) {
            grad_s[i] = to_score;
            grad_cap[i] = to_cap;
        } else {
            const Real old_s = grad_s[i], old_cap = grad_cap[i];
            grad_s[i] = old_s + to_score;
            grad_cap[i] = old_cap + to_cap;
        }
    }
}

template <Scalar Real>
struct Blocks {
    std::size_t stride;
    std::vector<std::size_t> slot;  // inner nodes are numbered apart: leaves keep no column
    std::vector<Real> x, grad_x, scratch, zeros;

    Blocks(const Shape& shape, std::size_t n) : slot(shape.nodes(), 0) {
        std::size_t inner = 0;
        for (std::size_t t = 0; t < shape.nodes(); ++t)
            if (shape.inner(t)) slot[t] = inner++;
        // x and grad_x together about 256 KiB, but never blocks too short to vectorise.
        const std::size_t wanted = 128 * 1024 / sizeof(Real) / std::max<std::size_t>(inner, 1);
        stride = std::min(n, std::max<std::size_t>(64, wanted));
        x.resize(inner * stride);
        grad_x.resize(inner * stride);
        scratch.resize(stride);
        zeros.assign(stride, Real(0));
        std::fill_n(x.begin(), inner > 0 ? stride : 0, Real(1.5));  // the root's column, the same in every block
    }
};

// One child of t: its number (or -1) and the sign of the score on its side.
template <Scalar Real, class Body>
TREEWRIGHT_INLINE void each_child(const Shape& shape, std::size_t t, Body body) {
    if (shape.left[t] >= 0) body(static_cast<std::size_t>(shape.left[t]), Real(-1));
    if (shape.right[t] >= 0) body(static_cast<std::size_t>(shape.right[t]), Real(1));
}

template <Scalar Real>
TREEWRIGHT_INLINE void backward(const Backward<Real>& b) {
    const Shape& shape = b.shape;
    const std::size_t nodes = shape.nodes(), n = b.n;
    Blocks<Real> w(shape, n);
    const auto row = [&](const auto* matrix, std::size_t r, std::size_t begin)
                         TREEWRIGHT_INLINE_LAMBDA { return matrix + r * n + begin; };
    const auto score_row = [&](std::size_t t)
                               TREEWRIGHT_INLINE_LAMBDA { return static_cast<std::size_t>(shape.score_row[t]); };

    std::vector<double> total(b.grad_a, b.grad_a + nodes);
    const auto sweep_down = [&](std::size_t begin, std::size_t rows) TREEWRIGHT_INLINE_LAMBDA {
        for (std::size_t t = 0; t < nodes; ++t) {
            if (!shape.inner(t)) continue;
            const Real* cap = w.x.data() + w.slot[t] * w.stride;
            const Real* score = row(b.s, score_row(t), begin);
            each_child<Real>(shape, t, [&](std::size_t c, Real sign) TREEWRIGHT_INLINE_LAMBDA {
                Real* x = shape.inner(c) ? w.x.data() + w.slot[c] * w.stride : w.scratch.data();
                total[c] += descend<Real>(cap, score, sign, row(b.grad_z, c, begin), rows, b.shift, b.a[c], x);
            });
        }
    };
    for (std::size_t begin = 0; begin < n; begin += w.stride) sweep_down(begin, std::min(w.stride, n - begin));

    std::vector<Real> h(nodes, Real(0));
    for (std::size_t t = 1; t < nodes; ++t)
        if (b.a[t] > Real(0) && b.a[t] < Real(1)) h[t] = static_cast<Real>(total[t] / static_cast<double>(b.slope[t]));

    for (std::size_t begin = 0; begin < n; begin += w.stride) {
        const std::size_t rows = std::min(w.stride, n - begin);
        if (w.stride < n) sweep_down(begin, rows);  // else x of the only block is still there
        for (std::size_t t = nodes; t-- > 0;) {     // children have larger numbers: they are done
            if (!shape.inner(t)) continue;
            const Real* cap = w.x.data() + w.slot[t] * w.stride;
            Real* grad_cap = w.grad_x.data() + w.slot[t] * w.stride;
            const Real* score = row(b.s, score_row(t), begin);
            Real* grad_s = b.grad_s + score_row(t) * n + begin;
            bool first = true;
            each_child<Real>(shape, t, [&](std::size_t c, Real sign) TREEWRIGHT_INLINE_LAMBDA {
                const Real* below = shape.inner(c) ? w.grad_x.data() + w.slot[c] * w.stride : w.zeros.data();
                const Real* grad_z = row(b.grad_z, c, begin);
                if (first)
                    ascend<Real, true>(cap, score, sign, grad_z, below, rows, b.shift, b.a[c], h[c], grad_s, grad_cap);
                else
                    ascend<Real, false>(cap, score, sign, grad_z, below, rows, b.shift, b.a[c], h[c], grad_s, grad_cap);
                first = false;
            });
        }
    }
}

// ------------------------------------------------------------------------------------ one copy per instruction set

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define TREEWRIGHT_AVX2 __attribute__((target("avx2,fma")))
template <Scalar Real>
TREEWRIGHT_AVX2 bool forward_avx2(const Forward<Real>& f) {
    return forward<Real>(f);
}
template <Scalar Real>
TREEWRIGHT_AVX2 void backward_avx2(const Backward<Real>& b) {
    backward<Real>(b);
}
#endif

template <Scalar Real>
bool forward_plain(const Forward<Real>& f) {
    return forward<Real>(f);
}
template <Scalar Real>
void backward_plain(const Backward<Real>& b) {
    backward<Real>(b);
}

}  // namespace

void check_shape(const Shape& shape, std::size_t score_rows) {
    const std::size_t nodes = shape.nodes();
    if (nodes == 0 || shape.right.size() != nodes || shape.score_row.size() != nodes)
        throw std::invalid_argument("the tree's arrays must have one entry a node, and at least one node");
    std::vector<bool> reached(nodes, false), used(score_rows, false);
    std::size_t count = 1, inner = 0;
    for (std::size_t t = 0; t < nodes; ++t) {
        for (const std::int32_t child : {shape.left[t], shape.right[t]}) {
            if (child < 0) continue;
            const auto c = static_cast<std::size_t>(child);
            if (c <= t || c >= nodes || reached[c])
                throw std::invalid_argument("a child must be numbered after its parent and have one parent");
            reached[c] = true;
            ++count;
        }
        if (!shape.inner(t)) continue;
        const std::int32_t row = shape.score_row[t];
        if (row < 0 || static_cast<std::size_t>(row) >= score_rows || used[static_cast<std::size_t>(row)])
            throw std::invalid_argument("each inner node needs a row of its own in the score matrix");
        used[static_cast<std::size_t>(row)] = true;
        ++inner;
    }
    if (inner != score_rows) throw std::invalid_argument("the score matrix has a row that no node uses");
    if (count != nodes) throw std::invalid_argument("every node but the root needs a parent");
}

template <class Real>
bool layer_forward(const Shape& shape, const Real* s, std::size_t n, double lambda, Real offset, bool fixed, Real* z,
                   Real* a, Real* slope) {
    const Forward<Real> f{shape, s, n, lambda, offset - Real(0.5), fixed, z, a, slope};
#ifdef TREEWRIGHT_AVX2
    if (simd() >= Simd::avx2) return forward_avx2<Real>(f);
#endif
    return forward_plain<Real>(f);
}

template <class Real>
void layer_backward(const Shape& shape, const Real* s, std::size_t n, Real offset, const Real* a, const Real* slope,
                    const Real* grad_z, const Real* grad_a, Real* grad_s) {
    const Backward<Real> b{shape, s, n, offset - Real(0.5), a, slope, grad_z, grad_a, grad_s};
#ifdef TREEWRIGHT_AVX2
    if (simd() >= Simd::avx2) return backward_avx2<Real>(b);
#endif
    backward_plain<Real>(b);
}

template bool layer_forward<float>(const Shape&, const float*, std::size_t, double, float, bool, float*, float*,
                                   float*);
template bool layer_forward<double>(const Shape&, const double*, std::size_t, double, double, bool, double*, double*,
                                    double*);
template void layer_backward<float>(const Shape&, const float*, std::size_t, float, const float*, const float*,
                                    const float*, const float*, float*);
template void layer_backward<double>(const Shape&, const double*, std::size_t, double, const double*, const double*,
                                     const double*, const double*, double*);

}  // namespace treewright::latent
