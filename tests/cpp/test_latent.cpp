// The kernels of latent trees under the sanitizers: odd sizes, incomplete trees, ties, and the node equations.
#include "treewright/latent/projection.hpp"
#include "treewright/latent/tree_layer.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

using namespace treewright::latent;

namespace {

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "failed: %s\n", what);
    std::exit(1);
}

struct Arrays {
    std::vector<std::int32_t> left, right, row;
    [[nodiscard]] Shape shape() const { return {left, right, row}; }
};

// A complete tree, or one whose last leaf is missing.
Arrays tree(int depth, bool complete) {
    const int nodes = (1 << (depth + 1)) - (complete ? 1 : 2);
    Arrays out;
    std::int32_t rows = 0;
    for (int t = 0; t < nodes; ++t) {
        out.left.push_back(2 * t + 1 < nodes ? 2 * t + 1 : -1);
        out.right.push_back(2 * t + 2 < nodes ? 2 * t + 2 : -1);
        out.row.push_back(2 * t + 1 < nodes ? rows++ : -1);
    }
    return out;
}

template <class Real>
void layer(int depth, std::size_t n, bool complete, std::mt19937& random) {
    const Arrays arrays = tree(depth, complete);
    const Shape shape = arrays.shape();
    const std::size_t nodes = shape.nodes();
    const std::size_t splits = (std::size_t{1} << depth) - 1;
    std::normal_distribution<Real> normal;
    std::vector<Real> s(splits * n), z(nodes * n), a(nodes), slope(nodes), grad_z(nodes * n), grad_a(nodes),
        grad_s(splits * n);
    for (Real& v : s) v = std::round(normal(random) * 4) / 4;  // ties
    for (Real& v : grad_z) v = normal(random);
    for (Real& v : grad_a) v = normal(random);
    check_shape(shape, splits);
    const double lambda = 3.0;
    require(layer_forward<Real>(shape, s.data(), n, lambda, Real(0.5), false, z.data(), a.data(), slope.data()),
            "finite");
    for (std::size_t t = 0; t < nodes; ++t) {
        require(a[t] >= 0 && a[t] <= 1, "a in [0, 1]");
        for (const std::int32_t c : {shape.left[t], shape.right[t]})
            if (c >= 0) require(a[static_cast<std::size_t>(c)] <= a[t], "a falls along the tree");
        for (std::size_t i = 0; i < n; ++i) require(z[t * n + i] >= 0 && z[t * n + i] <= a[t], "z in [0, a]");
    }
    layer_backward<Real>(shape, s.data(), n, Real(0.5), a.data(), slope.data(), grad_z.data(), grad_a.data(),
                         grad_s.data());
    for (const Real v : grad_s) require(std::isfinite(v), "finite gradient");
    s[s.size() / 2] = std::numeric_limits<Real>::quiet_NaN();
    require(!layer_forward<Real>(shape, s.data(), n, lambda, Real(0.5), false, z.data(), a.data(), slope.data()),
            "NaN is seen");
}

template <class Real>
void projection(int depth, std::size_t n, std::mt19937& random) {
    const std::size_t nodes = (std::size_t{1} << (depth + 1)) - 1;
    std::normal_distribution<Real> normal;
    std::vector<Real> q(nodes * n), z(q.size()), a(nodes), slope(nodes), grad_z(q.size(), Real(1)), grad_a(nodes),
        grad_q(q.size());
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t t = 0; t < nodes; ++t)  // deeper is larger: pooling happens
            q[i * nodes + t] = normal(random) + static_cast<Real>(std::log2(t + 1.0)) / 2;
    std::vector<std::int32_t> group(nodes);
    require(project_forward<Real>(nodes, q.data(), n, 2.0, z.data(), a.data(), slope.data(), group.data()), "finite");
    for (std::size_t t = 1; t < nodes; ++t) require(a[t] <= a[(t - 1) / 2], "a falls along the tree");
    project_backward<Real>(nodes, q.data(), n, a.data(), slope.data(), group.data(), grad_z.data(), grad_a.data(),
                           grad_q.data());
    for (const Real v : grad_q) require(std::isfinite(v), "finite gradient");
    for (std::size_t k = 0; k < q.size(); ++k)
        require(z[k] == std::min(std::max(q[k] + Real(0.5), Real(0)), a[k % nodes]), "z = clip(q + 1/2, 0, a)");
    std::vector<Real> turned, again(nodes);
    for (std::size_t i = n; i-- > 0;) turned.insert(turned.end(), q.data() + i * nodes, q.data() + (i + 1) * nodes);
    require(project_forward<Real>(nodes, turned.data(), n, 2.0, z.data(), again.data(), slope.data(), group.data()),
            "finite");
    for (std::size_t t = 0; t < nodes; ++t)
        require(std::abs(a[t] - again[t]) < Real(1e-4), "the order of the rows is nothing");
}

}  // namespace

int main() {
    std::mt19937 random(0);
    for (const std::size_t n : {1, 2, 3, 5, 16, 63, 2050})
        for (int depth = 1; depth <= 5; ++depth) {
            layer<float>(depth, n, true, random);
            layer<double>(depth, n, depth == 1, random);
            projection<float>(depth, n, random);
            projection<double>(depth, n, random);
        }
    return 0;
}
