"""Slow, plain twins of the latent tree kernels: short enough to trust, and independent of the library's
code.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize


def group_root(x, pruning, nodes):
    """Prop. 2 by its own words: sort, then the smallest k with a(k) > the next value; clipped to [0, 1]."""
    x = np.sort(np.ravel(x))[::-1]
    for k in range(len(x) + 1):
        a = x[:k].sum() / (pruning * nodes + k)
        if a > (x[k] if k < len(x) else -np.inf) or (k == 0 and x[0] <= 0):
            return float(np.clip(a, 0, 1))
    raise AssertionError("no k satisfies the condition of Prop. 2")


def parent(t):
    return (t - 1) // 2


def algorithm_1(q, pruning):
    """Algorithm 1 of Zantedeschi et al. 2021 (pooling), and z by Prop. 1; q is (n_rows, n_nodes)."""
    x = q + 0.5
    nodes = q.shape[1]
    groups = {t: [t] for t in range(nodes)}
    group_of = list(range(nodes))
    a = np.array([group_root(x[:, [t]], pruning, 1) for t in range(nodes)])
    while True:
        violators = [t for t in range(1, nodes) if a[t] > a[parent(t)] and group_of[t] != group_of[parent(t)]]
        if not violators:
            return a, np.clip(x, 0, a)
        t_max = max(violators, key=lambda t: a[t])
        merged = groups.pop(group_of[t_max]) + groups.pop(group_of[parent(t_max)])
        groups[merged[0]] = merged
        value = group_root(x[:, merged], pruning, len(merged))
        for t in merged:
            group_of[t] = merged[0]
            a[t] = value


def quadratic_program(q, pruning):
    """Eq. (3) by a generic solver (sequential least squares).

    With a = u / sqrt(pruning) and z = w + x the objective is |(u, w)|^2 / 2, and the constraints are G (u,
    w) >= h.
    """
    n, nodes = q.shape
    x = q + 0.5
    scale = 1 / np.sqrt(pruning)
    rows, rhs = [], []

    def add(h, *terms):
        g = np.zeros(nodes + n * nodes)
        for place, value in terms:
            g[place] += value
        rows.append(g)
        rhs.append(h)

    for t in range(nodes):
        if t:
            add(0.0, (parent(t), scale), (t, -scale))  # a_parent - a_t >= 0
        for i in range(n):
            place = nodes + i * nodes + t
            add(-x[i, t], (place, 1.0))  # z >= 0
            add(x[i, t], (t, scale), (place, -1.0))  # a - z >= 0
    add(-1.0, (0, -scale))  # a_root <= 1
    g, h = np.array(rows), np.array(rhs)
    start = np.concatenate([np.zeros(nodes), (np.clip(x, 0, 0) - x).ravel()])  # a = 0, z = 0 is feasible
    found = minimize(
        lambda v: (v @ v / 2, v),
        start,
        jac=True,
        method="SLSQP",
        constraints={"type": "ineq", "fun": lambda v: g @ v - h, "jac": lambda v: g},
        options={"ftol": 1e-13, "maxiter": 60},
    )
    if not found.success:
        return None  # it gave up; the caller counts
    return found.x[:nodes] * scale, found.x[nodes:].reshape(n, nodes) + x


def kkt_violation(q, a, z, pruning):
    """Largest violation of the optimality conditions of eq. (3), relative to the size of the gradient.

    Eliminating z, stationarity of a_t is g_t'(a_t) + mu_t - sum over children of mu_c + nu_t = 0, where
    mu_t >= 0 is the price of a_t <= a_parent (0 if slack), and nu >= 0 the price of a_t <= 1. Prices follow
    bottom up.
    """
    x = q + 0.5
    nodes = q.shape[1]
    assert np.abs(z - np.clip(x, 0, a)).max() <= 1e-12 * max(1, np.abs(x).max())
    slope = pruning * a - np.clip(x - a, 0, None).sum(0)
    size = 1 + pruning + np.abs(x).sum(0).max()
    price = np.zeros(nodes)
    worst = max(0.0, (a[1:] - a[(np.arange(1, nodes) - 1) // 2]).max(), a.max() - 1, -a.min())
    for t in range(nodes - 1, -1, -1):
        children = [c for c in (2 * t + 1, 2 * t + 2) if c < nodes]
        needed = -(slope[t] - sum(price[c] for c in children))  # what mu_t + nu_t must be
        bound = (t > 0 and a[t] >= a[parent(t)]) or a[t] >= 1
        if bound:
            worst = max(worst, -needed / size)
            price[t] = max(0.0, needed) if t > 0 and a[t] >= a[parent(t)] else 0.0
        else:
            worst = max(worst, abs(needed) / size)
    return worst


def scores_to_q(s, capped=True):
    """Eq. (1) by its own words: the minimum over the ancestors of +-s; s is (n_splits, n_rows)."""
    splits, n = s.shape
    q = np.empty((n, 2 * splits + 1))
    for i in range(n):
        for t in range(2 * splits + 1):
            terms, node = [1.0] if capped or t == 0 else [], t
            while node:
                up = parent(node)
                terms.append(s[up, i] if node == 2 * up + 2 else -s[up, i])
                node = up
            q[i, t] = min(terms)
    return q
