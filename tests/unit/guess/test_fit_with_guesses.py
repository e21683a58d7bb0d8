"""`OptimalTreeClassifier` with guesses: all three alone and in any combination, and what each result says."""

from __future__ import annotations

import itertools
import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)

from treewright import OptimalTreeClassifier, SolveStatus
from treewright.convert import to_json
from treewright.errors import InputError, PoorGuessWarning
from treewright.guess import depth_of_ensemble
from treewright.problem import make_problem
from treewright.result import StopReason
from treewright.search import Guesses, Limits, _all_thresholds_first, _beside, solve, solve_guided
from treewright.table import table_from
from treewright.verify import verify

X, y = load_breast_cancer(return_X_y=True)
REFERENCE = GradientBoostingClassifier(n_estimators=15, max_depth=1, random_state=0)


@pytest.mark.parametrize(
    ("objective", "thresholds", "depth", "bounds"),
    [
        (objective, *guessed)
        for objective in (1, 2, 3)
        for guessed in itertools.product([False, True], repeat=3)
        if any(guessed) and (objective == 3 or not guessed[1])  # a guessed depth makes it objective (3)
    ],
)
def test_every_combination_for_every_objective(
    objective: int, thresholds: bool, depth: bool, bounds: bool
) -> None:
    """Objectives (1) depth alone, (2) leaves alone, (3) both, as the paper numbers them."""
    limit = {1: 2, 2: None, 3: 3}[objective]
    model = OptimalTreeClassifier(
        0.0 if objective == 1 else 0.02,
        max_depth="guess" if depth else limit,
        thresholds="guess" if thresholds else 4,
        guess_lower_bounds=bounds,
        reference=REFERENCE,
        time_limit=5,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a limit may be reached without guessed bounds
        model.fit(X, y)
    result = model.result_
    if bounds:
        assert result.status is not SolveStatus.FEASIBLE
        assert result.stats["reference_loss"] == pytest.approx(
            1 - result.stats["reference_accuracy"], abs=0.02
        )
    if result.status is SolveStatus.OPTIMAL_UNDER_GUESSES:
        assert bounds
        assert "if the guesses hold" in result.sentence()
        assert f"{result.lower_bound:.6f}" in result.sentence()
        assert any("Theorem 4.3" in note for note in result.notes)
        assert result.objective - result.lower_bound <= result.stats["reference_loss"] + 1e-9
    assert thresholds == any("all thresholds was not tried" in note for note in result.notes)
    if thresholds:
        assert "guessed thresholds" in result.scope
        assert any("Theorem 4.1" in note for note in result.notes)
        if "theorem_4_1_bound" in result.stats and result.status is not SolveStatus.FEASIBLE:
            assert result.objective <= result.stats["theorem_4_1_bound"] + 1e-9
    if depth:
        assert result.stats["guessed_depth"] == depth_of_ensemble(15, 1)
        assert model.get_depth() <= depth_of_ensemble(15, 1)
    elif limit is not None:
        assert model.get_depth() <= limit
    assert model.score(X, y) == pytest.approx(1 - result.loss)


@pytest.mark.parametrize("data", [load_iris, load_wine])
def test_three_classes(data: object) -> None:
    X3, y3 = data(return_X_y=True)  # type: ignore[operator]
    names = np.array(["a", "b", "c"])[y3]
    exact = OptimalTreeClassifier(0.02, thresholds="guess", max_depth=3, reference=REFERENCE).fit(X3, names)
    guessed = OptimalTreeClassifier(
        0.02, thresholds="guess", max_depth=3, guess_lower_bounds=True, reference=REFERENCE
    ).fit(X3, names)
    assert exact.result_.status is SolveStatus.OPTIMAL
    assert guessed.result_.status is SolveStatus.OPTIMAL
    assert guessed.result_.objective == exact.result_.objective == guessed.result_.lower_bound
    assert any("not needed: the exact search over the same splits" in note for note in guessed.result_.notes)


@pytest.mark.parametrize(
    "reference",
    [
        RandomForestClassifier(n_estimators=5, max_depth=3, random_state=0),
        HistGradientBoostingClassifier(max_iter=5, max_depth=2, random_state=0),
        GradientBoostingClassifier(n_estimators=10, max_depth=1, random_state=0).fit(X, y),
    ],
    ids=["forest", "histogram", "fitted"],
)
def test_other_references(reference: object) -> None:
    model = OptimalTreeClassifier(
        0.02,
        thresholds="guess",
        guess_lower_bounds=True,
        reference=reference,
        max_depth=3,
        guess_tolerance=0.02,
    ).fit(X, y)
    assert model.result_.status is SolveStatus.OPTIMAL
    assert model.score(X, y) > 0.9
    assert 0.9 < model.result_.stats["reference_accuracy"] <= 1


def test_predictions_alone() -> None:
    """The labels that any model predicts; here a perfect one, so the answer is the optimum."""
    exact = OptimalTreeClassifier(0.02, thresholds=4, max_depth=2).fit(X, y)
    guessed = OptimalTreeClassifier(
        0.02, thresholds=4, max_depth=2, guess_lower_bounds=True, reference=y
    ).fit(X, y)
    assert guessed.result_.objective == exact.result_.objective
    assert guessed.result_.lower_bound == pytest.approx(exact.result_.objective)
    assert guessed.result_.status is SolveStatus.OPTIMAL


def test_rows_of_weight_zero_do_not_shift_predictions() -> None:
    weight = np.ones(len(y))
    weight[::3] = 0
    options = {"cost_complexity": 0.02, "thresholds": 4, "max_depth": 2, "guess_lower_bounds": True}
    rng = np.random.default_rng(0)
    predicted = np.where(rng.random(len(y)) < 0.9, y, 1 - y)
    predicted[::3] = 1 - y[::3]
    kept = weight > 0
    all_rows = OptimalTreeClassifier(**options, reference=predicted).fit(X, y, weight)
    some_rows = OptimalTreeClassifier(**options, reference=predicted[kept]).fit(X[kept], y[kept])
    assert all_rows.result_.objective == some_rows.result_.objective
    assert all_rows.result_.stats["reference_loss"] == some_rows.result_.stats["reference_loss"]


def test_words_and_gaps() -> None:
    rng = np.random.default_rng(1)
    size = rng.normal(size=300)
    colour = rng.choice(["red", "green", "blue"], 300)
    labels = np.where((size > 0.3) ^ (colour == "red"), "yes", "no")
    rows = [
        [None if rng.random() < 0.1 else s, c] for s, c in zip(size.tolist(), colour.tolist(), strict=True)
    ]
    model = OptimalTreeClassifier(
        0.01,
        thresholds="guess",
        guess_lower_bounds=True,
        reference=GradientBoostingClassifier(n_estimators=30, max_depth=2, random_state=0),
    ).fit(rows, labels)
    assert model.score(rows, labels) > 0.9


def test_a_poor_reference_is_said_to_be_poor() -> None:
    rng = np.random.default_rng(0)
    with pytest.warns(PoorGuessWarning, match="no better than a single leaf"):
        OptimalTreeClassifier(
            0.02, thresholds=4, max_depth=2, guess_lower_bounds=True, reference=rng.integers(0, 2, len(y))
        ).fit(X, y)


def odd_majority() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, labels, and what a reference that is wrong on a quarter of them says."""
    rng = np.random.default_rng(3)
    Z = rng.integers(0, 2, (200, 6)).astype(float)
    labels = (Z[:, 0] + Z[:, 1] + Z[:, 2] + Z[:, 3] > 2).astype(int)
    return Z, labels, np.where(rng.random(200) < 0.75, labels, 1 - labels)


def test_the_exact_search_that_ends_first_gives_the_answer() -> None:
    """The guess alone would end with a worse tree."""
    Z, labels, predicted = odd_majority()
    exact = OptimalTreeClassifier(0.005).fit(Z, labels)
    problem = make_problem(table_from(Z), labels, cost_complexity=0.005)
    alone = solve_guided(problem, "auto", Guesses(lower_bounds=True, reference=predicted, compare=False))
    assert alone.objective > exact.result_.objective
    beside = OptimalTreeClassifier(0.005, guess_lower_bounds=True, reference=predicted).fit(Z, labels)
    assert to_json(beside.tree_) == to_json(exact.tree_)
    assert beside.result_.status is SolveStatus.OPTIMAL
    assert beside.result_.lower_bound == exact.result_.objective
    assert beside.result_.sentence() == exact.result_.sentence()
    assert any("not needed: the exact search over the same splits" in note for note in beside.result_.notes)


def test_a_guess_that_costs_something_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The guided search ends first; what the exact one found in its turn is better, and kept."""
    monkeypatch.setattr(_beside, "FIRST_TURN", 20)
    Z, labels, predicted = odd_majority()
    with pytest.warns(PoorGuessWarning, match="do not hold"):
        model = OptimalTreeClassifier(0.005, guess_lower_bounds=True, reference=predicted).fit(Z, labels)
    exact = OptimalTreeClassifier(0.005).fit(Z, labels)
    result = model.result_
    assert result.status is SolveStatus.OPTIMAL_UNDER_GUESSES
    assert result.stats["exact_objective"] is None
    assert result.stats["guessed_objective"] > result.objective >= exact.result_.objective
    assert result.lower_bound <= exact.result_.objective
    assert result.stats["most_lost_by_guesses"] == result.objective - result.lower_bound


def test_a_guess_that_the_tree_refutes_is_repaired(monkeypatch: pytest.MonkeyPatch) -> None:
    """Too hard for a short exact search; the guess, lowered where the tree refutes it, leads to a better tree."""
    monkeypatch.setattr(_beside, "FIRST_TURN", 300)
    rng = np.random.default_rng(3)
    Z = rng.integers(0, 2, (1000, 16)).astype(float)
    labels = (Z @ rng.normal(size=16) + 0.8 * rng.normal(size=1000) > 0).astype(int)
    reference = GradientBoostingClassifier(n_estimators=30, max_depth=2).fit(Z, labels).predict(Z)
    problem = make_problem(table_from(Z), labels, cost_complexity=0.001, max_depth=5)
    result = solve_guided(problem, "auto", Guesses(lower_bounds=True, reference=reference))
    assert result.status is SolveStatus.OPTIMAL_UNDER_GUESSES
    assert result.stats["exact_objective"] is None
    assert 0 < result.stats["refuted_rows"] <= result.stats["reference_wrong_rows"]
    assert result.stats["guessed_objective"] > result.objective
    assert any("with the guess lowered there found a better tree" in note for note in result.notes)


def test_one_class_needs_no_guess() -> None:
    model = OptimalTreeClassifier(thresholds="guess", guess_lower_bounds=True).fit(X, np.zeros(len(y)))
    assert model.get_n_leaves() == 1


def test_nothing_is_changed_by_fit() -> None:
    reference = GradientBoostingClassifier(n_estimators=5, max_depth=1, random_state=0)
    model = OptimalTreeClassifier(0.02, thresholds="guess", max_depth="guess", reference=reference)
    before = model.get_params()
    model.fit(X, y)
    assert model.get_params() == before
    assert not hasattr(reference, "estimators_")


def test_the_function_behind_the_command_line() -> None:
    problem = make_problem(table_from(X), y, cost_complexity=0.02, max_depth=3)
    result = solve_guided(
        problem,
        4,
        Guesses(lower_bounds=True, reference=REFERENCE, compare=False),
        limits=Limits(time_limit=10),
    )
    assert result.status is SolveStatus.OPTIMAL_UNDER_GUESSES
    assert "exact_objective" not in result.stats


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"reference": GradientBoostingRegressor(), "thresholds": "guess"}, "a regressor"),
        ({"reference": y, "thresholds": "guess"}, "only be guessed from a tree ensemble"),
        ({"reference": y, "max_depth": "guess"}, "only be guessed from a tree ensemble"),
        ({"reference": y[:-1], "guess_lower_bounds": True}, r"predictions have shape \(568,\)"),
        ({"reference": y + 7, "guess_lower_bounds": True}, "labels that are not known here"),
        ({"reference": np.ones(len(y), dtype=int), "guess_lower_bounds": True}, "one and the same class"),
        ({"reference": REFERENCE}, "nothing is guessed from it"),
        ({"guess_tolerance": 0.1}, 'guess_tolerance=0.1 is for thresholds="guess"'),
        ({"guess_lower_bounds": "yes"}, "give True or False"),
        ({"max_depth": "deep"}, '"guess" or None'),
        ({"thresholds": "some"}, 'give "auto"'),
        ({"reference": "gbdt", "thresholds": "guess"}, "give a scikit-learn decision tree"),
        (
            {"reference": GradientBoostingClassifier(n_estimators=2).fit(X[:, :4], y), "thresholds": "guess"},
            "fitted on 4 columns, the table has 30",
        ),
    ],
)
def test_bad_input(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        OptimalTreeClassifier(**parameters).fit(X, y)  # type: ignore[arg-type]


@pytest.mark.parametrize("steps", [1, 20, 60])
def test_guessing_and_searching_share_the_step_limit(steps: int) -> None:
    problem = make_problem(table_from(X), y, cost_complexity=0.001, max_depth=5)
    guesses = Guesses(thresholds=True, lower_bounds=True, reference=REFERENCE)
    result = solve_guided(problem, "guess", guesses, limits=Limits(step_limit=steps))
    guessing = result.stats.get("steps_of_guessing", steps)
    assert result.stats["steps"] <= max(steps - guessing, 1)
    assert result.stop_reason is StopReason.STEP_LIMIT


@pytest.mark.parametrize("steps", [15, None])
def test_an_elimination_that_a_limit_ended_says_so(steps: int | None) -> None:
    wine = load_wine()
    problem = make_problem(table_from(wine.data), wine.target, max_depth=2)
    reference = GradientBoostingClassifier(n_estimators=8, max_depth=1, random_state=0)
    guesses = Guesses(thresholds=True, reference=reference)
    result = solve_guided(problem, "guess", guesses, limits=Limits(step_limit=steps))
    assert any("ended column elimination" in note for note in result.notes) == (steps is not None)


def steep() -> tuple[np.ndarray, np.ndarray, GradientBoostingClassifier]:
    """More thresholds than a search with guessed bounds takes; labels that need one between quantiles; a reference."""
    Z = np.random.default_rng(5).normal(size=(400, 2))
    labels = (Z[:, 0] > np.sort(Z[:, 0])[-5]).astype(int) ^ (Z[:, 1] > 0.3)
    return Z, labels, GradientBoostingClassifier(n_estimators=5, max_depth=1, random_state=0)


def test_the_exact_search_over_all_thresholds_comes_first() -> None:
    """With few thresholds offered, guessed bounds would end with another proof over fewer trees."""
    Z, labels, reference = steep()
    exact = OptimalTreeClassifier(0.001, max_depth=3).fit(Z, labels)
    model = OptimalTreeClassifier(0.001, max_depth=3, guess_lower_bounds=True, reference=reference).fit(
        Z, labels
    )
    assert model.result_.status is SolveStatus.OPTIMAL
    assert model.result_.scope == "all thresholds"
    assert model.result_.sentence() == exact.result_.sentence()
    assert model.result_.notes[0].endswith(
        "the exact search over all thresholds ended first, and this is its tree."
    )
    problem = make_problem(table_from(Z), labels, cost_complexity=0.001, max_depth=3)
    assert verify(problem, model.result_).ok
    for thresholds, compare in ((8, True), ("auto", False)):
        guesses = Guesses(lower_bounds=True, reference=reference, compare=compare)
        assert solve_guided(problem, thresholds, guesses).scope.startswith(("the given", "the chosen"))


@pytest.mark.parametrize("steps", [2, 5, 8])
def test_where_it_does_not_end_the_better_tree_is_kept(steps: int) -> None:
    Z, labels, reference = steep()
    problem = make_problem(table_from(Z), labels, cost_complexity=0.001, max_depth=3)
    guesses = Guesses(lower_bounds=True, reference=reference)
    result = solve_guided(problem, "auto", guesses, limits=Limits(step_limit=steps))
    assert result.status is SolveStatus.FEASIBLE
    assert result.objective <= solve(problem, limits=Limits(step_limit=max(1, steps // 2))).objective
    assert result.notes[0] == _all_thresholds_first.BETTER
    assert verify(problem, result).ok
    guided = solve_guided(problem, 8, guesses)
    kept = _all_thresholds_first.better_of(replace(result, objective=1.0), guided)
    assert (kept.tree, kept.objective, kept.status) == (guided.tree, guided.objective, guided.status)
    assert kept.notes[-1] == _all_thresholds_first.NOT_ENDED
    assert verify(problem, kept).ok
