"""Trees of least absolute error against a mixed-integer program of the same question, solved by HiGHS.

The program knows nothing of sums or bounds: every inner node chooses a column, every row a leaf that the choices lead
it to, and every leaf a value.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

from treewright import OptimalTreeRegressor, SolveStatus

# Of each leaf of a tree of depth two: the inner nodes on its path, and whether it lies to their right.
PATHS = (((0, 0), (1, 0)), ((0, 0), (1, 1)), ((0, 1), (2, 0)), ((0, 1), (2, 1)))


def least_error(X, y, weight):
    """Return the least weighted absolute error of any tree of depth two over columns of 0 and 1."""
    n, m = X.shape
    reach = np.ptp(y)
    # Variables: split[node, column], leaf[row, leaf], value[leaf], error[row].
    split = lambda node, column: node * m + column  # noqa: E731
    leaf = lambda row, at: 3 * m + 4 * row + at  # noqa: E731
    value = lambda at: 3 * m + 4 * n + at  # noqa: E731
    error = lambda row: 3 * m + 4 * n + 4 + row  # noqa: E731
    size = 3 * m + 5 * n + 4
    rows, low, high = [], [], []

    def add(terms, least, most):
        rows.append(np.zeros(size))
        for at, factor in terms:
            rows[-1][at] += factor
        low.append(least), high.append(most)

    for node in range(3):
        add([(split(node, k), 1) for k in range(m)], 1, 1)
    for i in range(n):
        add([(leaf(i, at), 1) for at in range(4)], 1, 1)
        for at, path in enumerate(PATHS):
            for node, right in path:
                add(
                    [(split(node, k), 1) for k in range(m) if X[i, k] == right] + [(leaf(i, at), -1)],
                    0,
                    np.inf,
                )
            for sign in (1, -1):  # error >= sign (y - value), where the row is in the leaf
                add([(error(i), 1), (value(at), sign), (leaf(i, at), -reach)], sign * y[i] - reach, np.inf)
    cost = np.zeros(size)
    cost[3 * m + 4 * n + 4 :] = weight
    whole = np.zeros(size)
    whole[: 3 * m + 4 * n] = 1
    lower, upper = np.zeros(size), np.ones(size)
    lower[3 * m + 4 * n :], upper[3 * m + 4 * n :] = min(0, y.min()), max(reach, y.max())
    constraints = LinearConstraint(np.array(rows), np.array(low), np.array(high))
    found = milp(cost, integrality=whole, bounds=Bounds(lower, upper), constraints=constraints)
    assert found.success
    return found.fun


@pytest.mark.parametrize("seed", range(12))
def test_a_program_finds_the_same(seed):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(5, 10)), int(rng.integers(2, 5))
    X, y = rng.integers(0, 2, (n, m)), rng.integers(0, 9, n).astype(float)
    y[:2] = 0, 8
    weight = rng.integers(1, 4, n).astype(float)
    model = OptimalTreeRegressor(0.0, max_depth=2, criterion="absolute_error").fit(X, y, weight)
    assert model.result_.status is SolveStatus.OPTIMAL
    ours = float(weight @ np.abs(y - model.predict(X)))
    assert ours == pytest.approx(least_error(X, y, weight), abs=1e-6)
    single = min(float(weight @ np.abs(y - value)) for value in y)
    assert model.result_.loss == pytest.approx(ours / single)
