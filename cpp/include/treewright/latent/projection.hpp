// T_lambda of eq. (3) for any scores q: traversals and pruning vector, pooling included.
//
// By Prop. 1 the problem is isotonic: minimise sum_t g_t(a_t) subject to a_t <= a_parent. Instead of pooling violators
// (Algorithm 1) it is solved by dynamic programming over the tree. F_t(a) = g_t(a) + sum over children of
// min_{b <= a} F_c(b), and with m_c = argmin F_c the inner derivative is F_c'(a) for a < m_c, else 0: min(0, F_c'(a)).
// So F_t' = g_t' + sum_c min(0, F_c'). g_t' is increasing and concave (newton.hpp); min(0, concave) is concave and so
// are sums: each m_t is found by the same Newton iteration, exactly. It starts at node t's own root r_t, which is at or
// left of m_t because F_t'(r_t) = sum min(0, .) <= 0. F_t'(a) is the sum of g_s'(a) over the connected set of nodes s
// below t with m > a all along the path from t's child to s. If no child has m_c > r_t, then m_t = r_t: no work.
// Top down: b_root = m_root, b_t = min(m_t, b_parent); t is pooled with its parent exactly if m_t > b_parent.
// The box [0, 1] is clipped at the end: adding the indicator of an interval, the same for all nodes, to every g_t clips
// the isotonic solution (the feasible set and every pooled minimiser are compatible with clipping, Prop. 2, eq. 9).
//
// Complete tree in breadth-first order: the children of t are 2t+1 and 2t+2. Arrays are (rows, nodes). Newton's passes
// run along a column, so a transposed copy is made for them; all else runs along the rows.
// Time O(nodes x rows x Newton steps), with pooling at most x depth; memory: the transposed copy, for the forward pass.
#pragma once

#include <cstddef>
#include <cstdint>

namespace treewright::latent {

// q (n, nodes) -> z (n, nodes), a (nodes), slope (nodes) = lambda |G| + k_G of the node's group, group (nodes) = number
// of the group's topmost node. nodes = 2^(depth+1) - 1, lambda > 0.
// Returns false (outputs then undefined) if a score is not finite.
template <class Real>
[[nodiscard]] bool project_forward(std::size_t nodes, const Real* q, std::size_t n, double lambda, Real* z, Real* a,
                                   Real* slope, std::int32_t* group);

// The Jacobian after Prop. 2: grad_q_it = [0 < q + 1/2 <= a_t] grad_z_it + [q + 1/2 > a_t] h_G, where
// h_G = [0 < a_G < 1] / slope_G * sum over t in G of (grad_a_t + sum_i [q_it + 1/2 > a_t] grad_z_it).
template <class Real>
void project_backward(std::size_t nodes, const Real* q, std::size_t n, const Real* a, const Real* slope,
                      const std::int32_t* group, const Real* grad_z, const Real* grad_a, Real* grad_q);

}  // namespace treewright::latent
