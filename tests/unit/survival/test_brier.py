"""The Brier score against its formula by hand, and against numbers of scikit-survival 0.28.0 on tables with ties."""

from __future__ import annotations

import numpy as np
import pytest

from treewright import OptimalSurvivalTree
from treewright.errors import InputError
from treewright.survival import (
    brier_score,
    censoring_curve,
    concordance_index,
    integrated_brier_score,
    kaplan_meier,
)

TIMES = np.array([2.0, 4.0, 5.0, 7.5, 10.0, 12.0])
# brier_score and integrated_brier_score of sksurv.metrics on the rows of `tied`: all as training rows; all, then the
# second table, as test rows.
SCORES = [
    [0.0930906050631, 0.2109772570088, 0.2490644656098, 0.2919499519886, 0.2938952403794, 0.2755288764112],
    [0.1560544747692, 0.2020668801426, 0.2519930280321, 0.3176518921124, 0.2556031036239, 0.1474291994817],
]  # fmt: skip
INTEGRALS = [0.2512087352630, 0.2416808506956]
CONCORDANCE = [0.5222960151802, 0.4809688581314]  # concordance_index_censored


def tied():
    rng = np.random.default_rng(7)
    time = rng.integers(1, 15, 60).astype(float)
    event = rng.random(60) < 0.6
    group = np.arange(60) % 5
    share = np.exp(-TIMES[None, :] * (group[:, None] + 1) / 25)
    second = rng.integers(1, 14, 30).astype(float)
    return (event, time), [
        (event, time, group, share),
        (rng.random(30) < 0.7, second, group[:30], share[:30]),
    ]


@pytest.mark.parametrize("which", [0, 1])
def test_numbers_of_scikit_survival(which):
    training, tests = tied()
    event, time, group, share = tests[which]
    censoring = censoring_curve(*training)
    np.testing.assert_allclose(brier_score(event, time, share, TIMES, censoring), SCORES[which], rtol=1e-12)
    assert integrated_brier_score(event, time, share, TIMES, censoring) == pytest.approx(
        INTEGRALS[which], rel=1e-12
    )
    assert concordance_index(event, time, group.astype(float)) == pytest.approx(CONCORDANCE[which], rel=1e-12)


def test_the_formula_by_hand():
    """Row by row, for three censored and three other rows with ties of both."""
    event = np.array([True, False, True, True, False, False])
    time = np.array([1.0, 2.0, 2.0, 4.0, 5.0, 6.0])
    # Of five rows under observation at 2 one has its event then; one of the other four is censored. At 5 one of two.
    censoring = censoring_curve(event, time)
    np.testing.assert_allclose(censoring([1, 2, 4.9, 5, 6]), [1, 3 / 4, 3 / 4, 3 / 8, 0])
    share = np.array([[0.1], [0.2], [0.3], [0.4], [0.5], [0.6]])
    expected = (0.1**2 / 1 + 0.3**2 / (3 / 4) + sum((1 - s) ** 2 / (3 / 4) for s in (0.4, 0.5, 0.6))) / 6
    assert brier_score(event, time, share, [3.0], censoring) == pytest.approx(expected)


def test_without_censoring_it_is_the_mean_square():
    rng = np.random.default_rng(0)
    time, share = rng.random(50), rng.random((50, 3))
    at = np.array([0.2, 0.5, 0.7])
    expected = ((share - (time[:, None] > at)) ** 2).mean(axis=0)
    everyone = np.ones(50, dtype=bool)
    found = brier_score(everyone, time, share, at, censoring_curve(everyone, time))
    np.testing.assert_allclose(found, expected)


def test_weights_are_copies():
    training, tests = tied()
    event, time, _, share = tests[1]
    weight = np.arange(30) % 3
    copies = np.repeat(np.arange(30), weight)
    censoring = censoring_curve(training[0][:30], training[1][:30], weight)
    again = censoring_curve(training[0][:30][copies], training[1][:30][copies])
    np.testing.assert_allclose(censoring(TIMES), again(TIMES))
    np.testing.assert_allclose(
        brier_score(event, time, share[:, :3], TIMES[:3], censoring, weight),
        brier_score(event[copies], time[copies], share[copies, :3], TIMES[:3], censoring),
    )


def test_the_integral_of_a_tree_is_exact():
    """The same by a very fine grid; the first of three groups never has the event."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 3, (300, 1)).astype(float)
    time = np.ceil(rng.exponential(np.where(X[:, 0] > 1, 3.0, 9.0)) * 10) / 10
    event = (time < 12) & (X[:, 0] > 0)
    time = np.minimum(time, 12)
    model = OptimalSurvivalTree(max_depth=2).fit(X[:200], (event[:200], time[:200]))
    test = X[200:], (event[200:], time[200:])
    exact = model.integrated_brier_score(*test)
    last = max(curve.times[-1] for curve in model.curves_.values() if len(curve.times))
    fine = np.arange(0.0005, last, 0.001)  # the middles of small pieces, none of them a time of the table
    assert exact == pytest.approx(model.brier_score(*test, times=fine).mean(), rel=1e-3)
    assert 0 < exact < 0.25
    single = OptimalSurvivalTree(max_depth=0).fit(X[:200], (event[:200], time[:200]))
    assert exact < single.integrated_brier_score(*test)


def test_standard_errors_by_hand():
    curve = kaplan_meier(np.array([True, False, True, True]), np.array([1.0, 2.0, 3.0, 3.0]))
    assert curve.survival.tolist() == [0.75, 0.0]
    first = 0.75 * np.sqrt(1 / (4 * 3))
    assert curve.standard_error[0] == pytest.approx(first)
    assert np.isnan(curve.standard_error[1])


def test_what_cannot_be_used_is_refused():
    training, tests = tied()
    event, time, _, share = tests[1]
    censoring = censoring_curve(*training)
    with pytest.raises(InputError, match=r"survival has shape \(30, 6\); give \(30, 2\)"):
        brier_score(event, time, share, TIMES[:2], censoring)
    with pytest.raises(InputError, match="times has 14, after which every row"):
        brier_score(event, time, share[:, :1], [14.0], censoring)
    with pytest.raises(InputError, match="two at least"):
        integrated_brier_score(event, time, share[:, :2], [3.0, 3.0], censoring)
    with pytest.raises(InputError, match="event has shape"):
        censoring_curve([True], [1.0, 2.0])
    model = OptimalSurvivalTree().fit([[0.0], [1.0]], ([False, False], [1.0, 2.0]))
    with pytest.raises(InputError, match="No event was seen in training"):
        model.integrated_brier_score([[0.0]], ([True], [1.0]))


def test_nobody_is_left_uncensored_where_only_rows_of_weight_zero_are_later():
    """Differences of sums of these weights leave -1e-16 of the share, and others 1e-16, which would be divided by."""
    event = np.array([True, True, True, False, True, True, True])
    time = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
    weight = np.array(
        [0.38105153293, 0.28081211248, 0.71783356810, 0.60539384917, 0.13889006707, 0.19999921271, 0.0]
    )
    for factor in np.linspace(0.1, 1.0, 50):
        curve = censoring_curve(event, time, weight * factor)
        assert curve.survival.tolist() == [0.0]
        assert curve.at_risk.tolist() == [weight[3] * factor]
        with pytest.raises(InputError, match="every row of the training table was censored"):
            brier_score(event, time, np.full((7, 1), 0.5), [0.5], curve)


@pytest.mark.parametrize("time", [[0.0, 1.0, 2.0, 3.0], [1.0, 1.0, 1.0, 1.0]])
def test_events_at_one_time_are_not_said_to_be_none(time):
    X, outcome = np.arange(4.0)[:, None], (np.array([True, False, False, False]), np.array(time))
    model = OptimalSurvivalTree(max_depth=1).fit(X, outcome)
    with pytest.raises(InputError, match="came at time 0, or when every row was censored"):
        model.integrated_brier_score(X, outcome)
