"""The ridge regression of a leaf against normal equations solved anew, for every row left out."""

import numpy as np
import pytest

from treewright.lines import PENALTIES, _ridge, fit_ridge


def standardised(X, weight):
    """Columns of mean 0 and mean square 1; missing values at the mean."""
    share = weight / weight.sum()
    known = ~np.isnan(X)
    center = np.array([np.average(x[k], weights=share[k]) for x, k in zip(X.T, known.T, strict=True)])
    A = np.where(known, X - center, 0.0)
    return center, A / np.sqrt((share[:, None] * A**2).sum(axis=0))


def solved(A, y, share, penalty):
    """Intercept and slopes of the least penalised squares, by the normal equations; the intercept is free."""
    B = np.column_stack([np.ones(len(A)), A])
    P = penalty * np.diag([0.0] + [1.0] * A.shape[1])
    return np.linalg.solve((B * share[:, None]).T @ B + P, (B * share[:, None]).T @ y)


def plain(X, y, weight):
    """The penalty of least left-out error, by a new fit for every row and penalty; and the errors' mean square."""
    _, A = standardised(X, weight)
    share, n = weight / weight.sum(), len(y)
    scores = []
    for penalty in PENALTIES:
        lost = 0.0
        for i in range(n):
            rest = np.arange(n) != i
            b = solved(A[rest], y[rest], share[rest], penalty)
            lost += share[i] * ((y[i] - b[0] - A[i] @ b[1:]) ** 2).sum()
        scores.append(lost)
    constant = sum(
        share[i] * ((y[i] - np.average(np.delete(y, i, 0), weights=np.delete(weight, i), axis=0)) ** 2).sum()
        for i in range(n)
    )
    best = max(k for k, score in enumerate(scores) if score <= min(scores) * (1 + 1e-12))
    return PENALTIES[best], scores[best], constant


@pytest.mark.parametrize("seed", range(12))
def test_equals_a_plain_ridge(seed):
    rng = np.random.default_rng(seed)
    n, p, outputs = int(rng.integers(5, 25)), int(rng.integers(1, 8)), int(rng.integers(1, 3))
    if seed % 4 == 3:
        p = n + 3  # more columns than rows
    X = rng.normal(size=(n, p)) * 10.0 ** rng.integers(-3, 4, p) + rng.normal(size=p)
    y = (X / X.std(axis=0)) @ rng.normal(size=(p, outputs)) + rng.normal(size=(n, outputs))
    weight = rng.choice([0.5, 1.0, 2.0], n)
    if seed % 2:
        X[rng.random(X.shape) < 0.1] = np.nan
    penalty, score, constant = plain(X, y, weight)
    found = fit_ridge(X, y, weight, np.arange(p))
    if score >= constant:
        assert found is None
        return
    assert found.penalty == penalty
    assert found.left_out == pytest.approx(score / constant, rel=1e-7)
    center, A = standardised(X, weight)
    b = solved(A, y, weight / weight.sum(), penalty)
    mean = np.average(y, axis=0, weights=weight)
    said = np.clip(b[0] + A @ b[1:], y.min(axis=0), y.max(axis=0))
    assert found.line.values(mean, X) == pytest.approx(said, rel=1e-7, abs=1e-9)
    assert sorted(found.line.columns) == list(range(p))
    assert found.line.centers == pytest.approx(center[list(found.line.columns)])
    share = weight / weight.sum()
    gram = (A * share[:, None]).T @ A
    freedom = 1 + np.trace(np.linalg.solve(gram + penalty * np.eye(p), gram))
    assert found.line.freedom == pytest.approx(freedom, rel=1e-6)


def test_no_seed_of_the_test_above_is_idle():
    """Some of its problems take a line and some of the drawn noise would not."""
    rng = np.random.default_rng(0)
    lines = [
        fit_ridge(rng.normal(size=(12, 2)), rng.normal(size=(12, 1)), np.ones(12), np.arange(2)) is not None
        for _ in range(60)
    ]
    assert 0 < sum(lines) < 60


@pytest.mark.parametrize("shape", [(40, 6), (6, 40)])
def test_blocks_of_rows_change_nothing(monkeypatch, shape):
    rng = np.random.default_rng(1)
    X = rng.normal(size=shape)
    y = X[:, :1] * 3 + 0.1 * rng.normal(size=(shape[0], 1))
    whole = fit_ridge(X, y, np.ones(shape[0]), np.arange(shape[1]))
    monkeypatch.setattr(_ridge, "BLOCK", shape[1] * 7)
    parts = fit_ridge(X, y, np.ones(shape[0]), np.arange(shape[1]))
    assert parts.line.columns == whole.line.columns
    assert parts.line.slopes[0] == pytest.approx(whole.line.slopes[0])


@pytest.mark.parametrize(
    ("of_x", "of_y"), [(1e300, 1.0), (1.0, 1e300), (1e-300, 1.0), (1.0, 1e-300), (1e150, 1e150)]
)
def test_the_scale_of_the_numbers_does_not_matter(of_x, of_y):
    x = np.linspace(-1, 1, 20)
    y = 2 * x + 0.1 * np.cos(9 * x)
    usual = fit_ridge(x[:, None], y[:, None], np.ones(20), np.arange(1))
    found = fit_ridge(x[:, None] * of_x, y[:, None] * of_y, np.ones(20), np.arange(1))
    assert found.penalty == usual.penalty
    assert found.left_out == pytest.approx(usual.left_out, rel=1e-9)
    assert found.line.slopes[0][0] * of_x / of_y == pytest.approx(usual.line.slopes[0][0])


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([1.0, 2.0], [1.0, 2.0]),  # two rows have a line through them whatever they are
        ([1.0, 1.0, 1.0, 1.0], [1.0, 2.0, 3.0, 4.0]),
        ([np.nan] * 4, [1.0, 2.0, 3.0, 4.0]),
        ([1.0, np.nan, np.nan, 1.0], [1.0, 2.0, 3.0, 4.0]),
        ([1.0, 2.0, 3.0, 4.0], [5.0, 5.0, 5.0, 5.0]),
        ([0.1 + 0.2, 0.3, 0.3, 0.3, 0.3], [0.0, 1.0, 2.0, 3.0, 4.0]),  # one row alone has another value
    ],
)
def test_where_there_is_nothing_to_learn_there_is_no_line(x, y):
    assert fit_ridge(np.array([x]).T, np.array([y]).T, np.ones(len(y)), np.arange(1)) is None


def test_the_largest_effects_come_first():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 3)) * [1.0, 100.0, 0.01]
    y = (X @ [1.0, 0.05, 200.0])[:, None]  # effects 1, 5 and 2
    found = fit_ridge(X, y, np.ones(200), np.arange(3))
    assert found.line.columns == (1, 2, 0)


def test_targets_next_to_zero_have_no_line():
    """Half of the smallest number is 0: there is no unit to count errors in."""
    X, y = np.arange(6.0).reshape(-1, 1), np.array([[0.0], [5e-324]] * 3)
    assert fit_ridge(X, y, np.ones(6), np.array([0])) is None


@pytest.mark.parametrize("width", [1e300, 1e190])  # a slope of the last column would be 0, or lose digits
def test_a_column_without_room_for_its_slope_leaves_the_mean(width):
    X = np.column_stack([np.arange(9.0), np.arange(9.0) % 2])
    y = 1e-125 * (3 * X[:, :1] + X[:, 1:])
    usual = fit_ridge(X, y, np.ones(9), np.arange(2))
    assert usual is not None
    assert len(usual.line.columns) == 2
    assert fit_ridge(X * [1.0, width], y, np.ones(9), np.arange(2)) is None
