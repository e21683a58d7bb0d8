// The fused layer: split scores -> eq. (1) -> T_lambda (eq. 3) -> traversals, in one pass down the tree.
//
// Why no pooling: eq. (1) makes q_ic = min(q_ip, +-s_ip) <= q_ip for every row, starting from q_root = 1. Then
// g_c'(a) = lambda a - sum_i max(q_ic + 1/2 - a, 0) >= g_p'(a) for every a, both increase, so the root of g_c' is at or
// left of the root of g_p': the unconstrained solutions already obey a_c <= a_p. Algorithm 1 of the paper ends after
// its first line, and T_lambda is one scalar equation a node (newton.hpp). Rounding is absorbed by a_c = min(a_c, a_p).
//
// The tree may be incomplete (dead parts dropped). Arrays are node-major, (nodes, rows): a node's column is contiguous.
// Time O(nodes x rows), forward also x Newton steps; extra memory O(depth x rows) forward, a fixed block backward.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace treewright::latent {

// Shape of the tree. Node 0 is the root; children have larger numbers than their parent; -1 = no child. A node with a
// child has a row in the score matrix.
struct Shape {
    std::span<const std::int32_t> left;
    std::span<const std::int32_t> right;
    std::span<const std::int32_t> score_row;

    [[nodiscard]] std::size_t nodes() const { return left.size(); }
    [[nodiscard]] bool inner(std::size_t t) const { return left[t] >= 0 || right[t] >= 0; }
};

// Throws std::invalid_argument unless the numbers above are in range and every node is reached exactly once.
void check_shape(const Shape& shape, std::size_t score_rows);

// s (score_rows, n) -> z (nodes, n), a (nodes), slope (nodes) = lambda + k for the backward pass.
// z = clip(q + offset, 0, a): offset 1/2 is the paper's (eq. 3), 0 the published code's. lambda > 0.
// With `fixed`, a is input instead: rows are routed independently of each other.
// Returns false (outputs then undefined) if a score is not finite.
template <class Real>
[[nodiscard]] bool layer_forward(const Shape& shape, const Real* s, std::size_t n, double lambda, Real offset,
                                 bool fixed, Real* z, Real* a, Real* slope);

// Gradients grad_z (nodes, n), grad_a (nodes) -> grad_s (score_rows, n). Where two branches of a minimum tie, the
// gradient goes to the ancestor's. slope = inf stops the gradient through a node's a.
template <class Real>
void layer_backward(const Shape& shape, const Real* s, std::size_t n, Real offset, const Real* a, const Real* slope,
                    const Real* grad_z, const Real* grad_a, Real* grad_s);

}  // namespace treewright::latent
