"""Trees of largest F1 against a list of all trees in fractions; bounds of stopped runs; what verify says of them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import f1_score

from treewright import OptimalTreeClassifier
from treewright.convert import from_json, to_json
from treewright.errors import InputError
from treewright.problem import make_f1_problem, make_problem
from treewright.result import F1Result, SolveStatus, StopReason
from treewright.search import BinaryOptions, Limits, RankedOptions, solve_f1
from treewright.table import table_from
from treewright.verify import verify, verify_f1

ENGINES = [None, BinaryOptions(engine="binary"), BinaryOptions(engine="ranked"), RankedOptions(cache=False)]


def tiny(seed):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(2, 8)), int(rng.integers(1, 3))
    X = rng.integers(0, rng.integers(2, 5), (n, m)).astype(float)
    y = rng.integers(0, 2, n)
    y[:2] = 0, 1
    weight = rng.integers(1, 5, n) if rng.random() < 0.5 else np.ones(n, dtype=int)
    return X, y, weight, {
        "cost_complexity": float(rng.choice([0, 0, 0.0625, 0.01, 0.1])),
        "max_depth": [None, 0, 1, 2, 3][rng.integers(5)],
        "max_leaf_nodes": [None, None, 1, 2, 3][rng.integers(5)],
        "min_samples_leaf": int(rng.choice([1, 1, 2])),
    }  # fmt: skip


def best_of_all(X, y, weight, cost_complexity, max_depth, max_leaf_nodes, min_samples_leaf):
    """The smallest objective of all trees, and the fewest leaves with it: no ratio is searched, all are listed."""
    n = len(X)
    splits = {
        frozenset(np.flatnonzero(column <= value).tolist())
        for column in X.T
        for value in np.unique(column)[:-1]
    }

    @cache
    def trees(rows, depth):
        right = sum(int(weight[i]) for i in rows if y[i])
        false = sum(int(weight[i]) for i in rows if not y[i])
        listed = {(right, false, 1), (0, 0, 1)}
        for left in splits if depth else ():
            sides = rows & left, rows - left
            if min(map(len, sides)) < min_samples_leaf:
                continue
            for a in trees(sides[0], depth - 1):
                for b in trees(sides[1], depth - 1):
                    if max_leaf_nodes is None or a[2] + b[2] <= max_leaf_nodes:
                        listed.add((a[0] + b[0], a[1] + b[1], a[2] + b[2]))
        return listed

    positive, total = int(weight[y == 1].sum()), int(weight.sum())
    price = Fraction(cost_complexity) * total

    def objective(right, false, leaves):
        wrong = positive - right + false + price * leaves
        return wrong / (2 * right + wrong) if right else Fraction(1)

    return min(
        (objective(*one), one[2]) for one in trees(frozenset(range(n)), n if max_depth is None else max_depth)
    )


@pytest.mark.parametrize("start", range(0, 1000, 50))
def test_optimum_and_certificate(start):
    for seed in range(start, start + 50):
        X, y, weight, asked = tiny(seed)
        best, leaves = best_of_all(X, y, weight, **asked)
        problem = make_f1_problem(table_from(X), y, sample_weight=weight, **asked)
        result = solve_f1(problem, options=ENGINES[seed % 4])
        assert result.status is SolveStatus.OPTIMAL, (seed, result)
        assert result.objective == pytest.approx(float(best), abs=1e-12), seed
        assert result.lower_bound <= float(best) + 1e-16, seed
        if result.rounding == 0:
            assert result.tree.n_leaves == leaves, seed
        report = verify_f1(problem, result)
        assert report.ok, (seed, str(report))


@pytest.mark.parametrize("start", range(0, 400, 50))
def test_stopped_runs_have_a_bound_that_holds(start):
    stopped = 0
    for seed in range(start, start + 50):
        X, y, weight, asked = tiny(seed)
        best, _ = best_of_all(X, y, weight, **asked)
        problem = make_f1_problem(table_from(X), y, sample_weight=weight, **asked)
        result = solve_f1(problem, options=ENGINES[seed % 4], limits=Limits(step_limit=1 + seed % 3))
        assert result.lower_bound <= float(best) + 1e-12 <= result.objective + 2e-12, seed
        if result.status is not SolveStatus.OPTIMAL:
            stopped += 1
            assert result.stop_reason is StopReason.STEP_LIMIT
        assert verify_f1(problem, result).ok, seed
    assert stopped


def test_of_a_real_table():
    X, y = load_breast_cancer(return_X_y=True)
    model = OptimalTreeClassifier(0.0, max_depth=2, objective="f1", progress=False).fit(X, y == 0)
    assert model.result_.loss == pytest.approx(1 - f1_score(y == 0, model.predict(X)), abs=1e-12)
    assert model.result_.objective == model.result_.loss
    plain = OptimalTreeClassifier(0.0, max_depth=2, progress=False).fit(X, y == 0)
    assert f1_score(y == 0, model.predict(X)) >= f1_score(y == 0, plain.predict(X))
    read = from_json(to_json(model.result_)).result
    assert isinstance(read, F1Result)
    assert read.sentence() == model.result_.sentence()
    assert "training F1 0.9469 of class True" in read.sentence()


def test_importances_are_what_the_tree_loses():
    X, y, weight, _ = tiny(3)
    X = np.column_stack([X, np.random.default_rng(0).integers(0, 2, len(X))])
    model = OptimalTreeClassifier(0.01, objective="f1").fit(X, y, weight)
    for column, worth in enumerate(model.feature_importances_):
        if column not in model.tree_.asked:
            assert worth == 0
            continue
        without = X.copy()
        without[:, column] = 0
        again = OptimalTreeClassifier(0.01, objective="f1").fit(without, y, weight)
        assert worth >= again.result_.objective - model.result_.objective - 1e-12


def test_rounds_end_with_the_limits_of_all():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 6)), rng.integers(0, 2, 400)
    problem = make_f1_problem(table_from(X), y, cost_complexity=0.0, max_depth=4)
    result = solve_f1(problem, "all", limits=Limits(step_limit=500))
    assert result.stop_reason is StopReason.STEP_LIMIT
    assert result.stats["steps"] <= 520
    assert 0 <= result.lower_bound < result.objective
    told = []

    def stop(now):
        told.append((now.objective, now.lower_bound, now.subproblems))
        return len(told) > 3

    result = solve_f1(problem, "all", progress=stop)
    assert result.stop_reason is StopReason.CALLBACK
    assert result.asked_to_stop is StopReason.CALLBACK
    assert [one[0] for one in told] == sorted((one[0] for one in told), reverse=True)
    assert [one[1] for one in told] == sorted(one[1] for one in told)


def test_without_a_positive_row_that_counts():
    model = OptimalTreeClassifier(objective="f1").fit([[1.0], [2.0], [3.0]], [0, 0, 1], [1, 1, 0])
    assert (model.get_n_leaves(), model.result_.objective, model.result_.loss) == (1, 1.0, 1.0)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"costs": [[0, 1], [2, 0]]}, "costs"),
        ({"min_leaf_accuracy": 0.5, "max_depth": 2}, "min_leaf_accuracy"),
        ({"thresholds": "guess"}, "thresholds"),
        ({"guess_lower_bounds": True}, "guess_lower_bounds"),
        ({"max_depth": "guess"}, "max_depth"),
    ],
)
def test_what_does_not_go_with_it(given, words):
    with pytest.raises(InputError, match=f'{words}.*objective="f1"'):
        OptimalTreeClassifier(objective="f1", **given).fit([[1.0], [2.0]], [0, 1])


@pytest.mark.parametrize("y", [[0, 1, 2], [1, 1, 1]])
def test_needs_two_classes(y):
    with pytest.raises(InputError, match="two classes"):
        OptimalTreeClassifier(objective="f1").fit([[1.0], [2.0], [3.0]], y)


def test_has_no_near_optimal_set():
    with pytest.raises(InputError, match="no such sum"):
        OptimalTreeClassifier(objective="f1").near_optimal([[1.0], [2.0]], [0, 1])


TAMPERED = {
    "objective": lambda r: replace(r, objective=r.objective * 0.9, lower_bound=0.0),
    "loss": lambda r: replace(r, loss=r.loss * 0.9),
    "bound above": lambda r: replace(r, lower_bound=r.objective + 0.01),
    "bound below": lambda r: replace(r, lower_bound=r.lower_bound * 0.5),
    "negative bound": lambda r: replace(r, status=SolveStatus.FEASIBLE, lower_bound=-1.0),
    "depth": lambda r: replace(r, options={**r.options, "max_depth": None}),
    "penalty": lambda r: replace(r, options={**r.options, "cost_complexity": 0.5}),
    "value": lambda r: replace(r, tree=replace(r.tree, value=r.tree.value * 1.01)),
    "class": lambda r: replace(r, tree=replace(r.tree, prediction=1 - r.tree.prediction)),
    "scope": lambda r: replace(r, scope="every tree"),
    "reason": lambda r: replace(r, stop_reason=StopReason.TIME_LIMIT),
    "guesses": lambda r: replace(
        r, status=SolveStatus.OPTIMAL_UNDER_GUESSES, stats={"most_lost_by_guesses": 0.0}
    ),
}


@pytest.mark.parametrize("what", TAMPERED)
@pytest.mark.parametrize("weighted", [False, True])
def test_tampered_certificates_are_refused(what, weighted):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    weight = rng.random(60) if weighted else None
    problem = make_f1_problem(table_from(X), y, sample_weight=weight, cost_complexity=0.01, max_depth=2)
    result = solve_f1(problem)
    assert verify_f1(problem, result).ok
    assert not verify_f1(problem, TAMPERED[what](result)).ok


def test_a_bound_above_a_part_of_the_tree_is_refused():
    """The tree is worse than its own pruning, and the certificate calls it optimal."""
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(80, 2)), rng.integers(0, 2, 80)
    free = solve_f1(make_f1_problem(table_from(X), y, cost_complexity=0.0, max_depth=2))
    problem = make_f1_problem(table_from(X), y, cost_complexity=0.05, max_depth=2)
    said = free.tree.predict(X)
    wrong = (said != y).sum() + 0.05 * 80 * free.tree.n_leaves
    objective = wrong / (2 * (said & y).sum() + wrong)
    dear = replace(free, objective=objective, options={**free.options, "cost_complexity": 0.05})
    assert verify_f1(problem, replace(dear, status=SolveStatus.FEASIBLE, lower_bound=0.0)).ok
    assert not verify_f1(problem, replace(dear, lower_bound=objective)).ok


def test_the_checker_of_errors_refuses_it():
    problem = make_problem(table_from([[20], [30], [40]]), [0, 0, 1])
    result = solve_f1(make_f1_problem(table_from([[20], [30], [40]]), [0, 0, 1]))
    assert not verify(problem, result).ok


def test_a_small_optimum_keeps_its_certificate():
    """A lower bound of 5e-10 is a difference from 1 that float64 has no digits of."""
    problem = make_f1_problem(table_from([[0], [1], [2]]), [0, 0, 1], cost_complexity=1e-9)
    result = solve_f1(problem)
    assert result.status is SolveStatus.OPTIMAL
    report = verify_f1(problem, result)
    assert report.ok, str(report)


def test_steps_end_between_rounds_that_are_rounded():
    """Rows of 1e92 beside some of 1e-126: a round that was only rounded found a better tree with the last step."""
    X = [[0.0], [1.0], [0.0], [0.0], [2.0], [1.0]]
    weight = [8.2e92, 2.3e105, 4.3e76, 1.4e-126, 1.1e126, 1.7e-92]
    problem = make_f1_problem(
        table_from(X), [0, 1, 0, 1, 0, 1], sample_weight=weight, cost_complexity=0.0, max_depth=1
    )
    for steps in range(1, 6):
        result = solve_f1(problem, limits=Limits(step_limit=steps))
        assert 0 <= result.lower_bound <= result.objective <= 1


def test_near_1_the_sentence_says_what_rounding_leaves_open():
    # The price of the leaves is nearly all of the objective: trees of F1 1 and .5 differ in its 14th digit.
    X = np.array([[1, 1], [1, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [1, 0]])
    y = np.array([1, 0, 0, 0, 0, 0, 0, 0])
    weight = np.array([1.0, 1, 1e9, 1, 2, 3e9, 3e9, 1])
    for engine in ("binary", "ranked"):
        model = OptimalTreeClassifier(
            cost_complexity=0.001,
            objective="f1",
            thresholds="all",
            search_options=BinaryOptions(engine=engine),
        )
        result = model.fit(X, y, weight).result_
        best, _ = best_of_all(X, y, weight, 0.001, None, None, 1)
        assert result.lower_bound <= float(best)
        assert result.objective - float(best) <= result.rounding < 1e-11
        assert ("to within" in result.sentence()) == (result.objective > float(best)), engine


@pytest.mark.filterwarnings("ignore:Not proven optimal")
@pytest.mark.parametrize(
    ("columns", "y", "weight", "options"),
    [
        ([[0.3, 0.1, -7.5, 9.0]], [1, 0, 1, 0], [2, 4, 4, 4], {"cost_complexity": 0.001}),
        (
            [[0, 3, 2, -9, 1, 0.5, 9, 9], [3, 4, 4, 3, 4, 0, 3, 2]],
            [1, 0, 0, 1, 0, 0, 0, 1],
            [1] * 8,
            {"cost_complexity": 0.015625, "min_samples_leaf": 2},
        ),
    ],
)
def test_a_stopped_tree_is_not_worse_than_any_single_split(columns, y, weight, options):
    """The first round looks at single splits at the ratio of one leaf, where another one may be the best."""
    X, how = np.array(columns, dtype=float).T, {"objective": "f1", "thresholds": "all", **options}
    best = OptimalTreeClassifier(max_depth=1, **how).fit(X, y, weight).result_
    stopped = OptimalTreeClassifier(step_limit=1, **how).fit(X, y, weight).result_
    assert best.status is SolveStatus.OPTIMAL
    assert stopped.objective <= best.objective * (1 + 1e-12)


def test_a_stopped_run_of_very_different_weights_is_not_worse_than_one_split():
    # In the whole numbers of the engine the third row weighs nothing, and two single splits are alike.
    X, y, weight = [[np.nan], [1.0], [0.0]], [0, 1, 0], [3e9, 3e9, 1.0]
    model = OptimalTreeClassifier(
        time_limit=1e-9, objective="f1", search_options=RankedOptions(compact_rows=False)
    )
    with pytest.warns(UserWarning, match="Not proven"):
        result = model.fit(X, y, weight).result_
    assert result.loss == 0


@pytest.mark.parametrize("limit", [{"max_depth": 0}, {"max_leaf_nodes": 1}])
def test_a_single_leaf_is_proven_without_a_tolerance(limit):
    """Real weights left a gap of 1e-13, or a sentence that spoke of rounding."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(3, 40))
        X, y, weight = rng.normal(size=(n, 2)), np.arange(n) % 2, rng.random(n) + 0.1
        problem = make_f1_problem(table_from(X), y, sample_weight=weight, cost_complexity=0.01, **limit)
        result = solve_f1(problem)
        assert (result.status, result.lower_bound) == (SolveStatus.OPTIMAL, result.objective)
