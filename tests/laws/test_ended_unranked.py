"""Law: a run that ends before it ranks its columns is not worse than the best tree of one split, and claims no more.

The way is one for large tables; here it is taken for small ones, whose best tree of one split is proven beside it.
"""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from treewright.binarize import _candidates as candidates
from treewright.binarize import midpoints
from treewright.problem import (
    make_policy_problem,
    make_probability_problem,
    make_problem,
    make_regression_problem,
    make_row_costs_problem,
    make_survival_problem,
)
from treewright.result import SolveStatus, StopReason
from treewright.search import (
    BinaryOptions,
    Limits,
    solve,
    solve_frontier,
    solve_policy,
    solve_probability,
    solve_regression,
    solve_regression_frontier,
    solve_row_costs,
    solve_simple_lines,
    solve_survival,
)
from treewright.search import _additive_result as additive_result
from treewright.search import _ranks as ranks
from treewright.search import _simple_lines as simple_lines
from treewright.search import _single_split as single_split
from treewright.table import table_from
from treewright.tree import CategorySplit
from treewright.verify import (
    verify,
    verify_policy,
    verify_probability,
    verify_regression,
    verify_row_costs,
    verify_survival,
)

ROUNDING = 1e-9


def table_of(rng):
    X = rng.normal(size=(400, 3))
    X[:, 1] = np.round(X[:, 1], 1)
    if rng.integers(2):
        X[rng.random(400) < 0.1, 0] = np.nan
    return table_from(X)


def labels(rng, table):
    return np.nan_to_num(table.X[:, 0]) > 0.3 + rng.normal(size=table.n_rows)


def weights(rng, n):
    return [None, rng.integers(1, 5, n), rng.exponential(size=n)][rng.integers(3)]


def classes(rng, table, **how):
    y = labels(rng, table) + (table.X[:, 2] > 1)
    return make_problem(table, y, sample_weight=weights(rng, table.n_rows), **how)


def balanced(rng, table, **how):
    return make_problem(table, labels(rng, table), class_weight="balanced", **how)


def costly(rng, table, **how):
    return make_problem(table, labels(rng, table), costs=[[0, 3], [1, 0]], **how)


def numbers(criterion):
    def made(rng, table, **how):
        y = rng.poisson(1 + 2.0 * labels(rng, table)) + (criterion == "gamma")
        weight = weights(rng, table.n_rows)
        share = {"quantile": 0.8} if criterion == "quantile" else {}
        return make_regression_problem(table, y, criterion=criterion, sample_weight=weight, **share, **how)

    return made


def shares(criterion, many):
    def made(rng, table, **how):
        y = labels(rng, table) + many * (table.X[:, 2] > 1)
        weight = weights(rng, table.n_rows)
        return make_probability_problem(table, y, criterion=criterion, sample_weight=weight, **how)

    return made


def actions(rng, table, **how):
    rewards = rng.normal(size=(400, 3)) + labels(rng, table)[:, None] * [0, 1, 2] - [0, 0.5, 1]
    return make_policy_problem(table, rewards, **how)


def costs_of_rows(rng, table, **how):
    costs = rng.exponential(size=(400, 2)) + labels(rng, table)[:, None] * [0, 1] + [0.6, 0]
    return make_row_costs_problem(table, labels(rng, table), costs, **how)


def times(rng, table, **how):
    return make_survival_problem(
        table, (rng.random(400) < 0.7, rng.exponential(1.0 + 3 * labels(rng, table))), **how
    )


KINDS = {
    "classes": (classes, solve, verify),
    "balanced": (balanced, solve, verify),
    "costs": (costly, solve, verify),
    "squared error": (numbers("squared_error"), solve_regression, verify_regression),
    "poisson": (numbers("poisson"), solve_regression, verify_regression),
    "gamma": (numbers("gamma"), solve_regression, verify_regression),
    "absolute error": (numbers("absolute_error"), solve_regression, verify_regression),
    "quantile": (numbers("quantile"), solve_regression, verify_regression),
    "brier": (shares("brier", 1), solve_probability, verify_probability),
    "brier of two": (shares("brier", 0), solve_probability, verify_probability),
    "log loss": (shares("log_loss", 1), solve_probability, verify_probability),
    "policy": (actions, solve_policy, verify_policy),
    "row costs": (costs_of_rows, solve_row_costs, verify_row_costs),
    "survival": (times, solve_survival, verify_survival),
}
LIMITS = {
    "time": (lambda: Limits(1e-9).started(), StopReason.TIME_LIMIT),
    "steps": (lambda: Limits(step_limit=1), StopReason.STEP_LIMIT),
}


@pytest.mark.parametrize("least", [1, 30])
@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("kind", KINDS)
def test_not_worse_than_the_best_single_split(kind, limit, least, monkeypatch):
    make, search, check = KINDS[kind]
    limits, reason = LIMITS[limit]
    for seed, penalty in enumerate((0.01, 0.0, 0.2)):
        made = [
            make(np.random.default_rng(seed), table_of(np.random.default_rng(seed)), **how)
            for how in (
                {"max_depth": 1, "min_samples_leaf": least, "cost_complexity": penalty},
                {"max_depth": 4, "min_samples_leaf": least, "cost_complexity": penalty},
            )
        ]
        ranked = {"options": BinaryOptions(engine="ranked")} if search is solve else {}
        best = search(made[0], **ranked)
        assert best.status is SolveStatus.OPTIMAL
        with monkeypatch.context() as small:
            small.setattr(single_split, "MOST_CELLS", 0)
            stopped = search(made[1], limits=limits())
        assert stopped.objective <= best.objective * (1 + ROUNDING)
        assert stopped.status is SolveStatus.FEASIBLE
        assert stopped.stop_reason is reason
        assert stopped.lower_bound <= search(made[1], limits=Limits(step_limit=300)).objective
        assert check(made[1], stopped).ok
        assert stopped.stats["engine_reason"] == single_split.UNRANKED["engine_reason"]
        assert stopped.tree.n_leaves <= 2


@pytest.mark.parametrize("least", [1, 30, 250])  # the last one leaves no split
@pytest.mark.parametrize("limit", LIMITS)
def test_simple_lines(limit, least, monkeypatch):
    """Not worse than a leaf with its line, nor than the best split for constants with a line in each leaf."""
    monkeypatch.setattr(single_split, "MOST_CELLS", 0)
    monkeypatch.setattr(simple_lines, "MOST_OF_A_PASS", 0)
    for seed in range(4):
        rng = np.random.default_rng(seed)
        table = table_from(rng.normal(size=(400, 3)).round(2))
        y = (table.X[:, 0] * (table.X[:, 1] > 0) + 0.5 * rng.normal(size=400)).round(2)
        how = {"min_samples_leaf": least, "cost_complexity": 0.01}
        problem = make_regression_problem(table, y, max_depth=3, **how)
        stopped = solve_simple_lines(problem, limits=LIMITS[limit][0]())
        assert stopped.stop_reason is LIMITS[limit][1]
        assert stopped.stats["engine_reason"] == single_split.UNRANKED["engine_reason"]
        leaf = solve_simple_lines(make_regression_problem(table, y, max_depth=0, **how))
        best = solve_simple_lines(make_regression_problem(table, y, max_depth=1, **how))
        constants = solve_regression(make_regression_problem(table, y, max_depth=1, **how))
        assert stopped.objective <= min(leaf.objective, constants.objective) * (1 + ROUNDING)
        assert stopped.objective >= best.objective * (1 - ROUNDING)
        assert stopped.lower_bound <= best.objective
        assert verify_regression(problem, stopped).ok


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize(
    "kind", ["squared error", "poisson", "absolute error", "brier", "log loss", "survival"]
)
def test_columns_of_few_values(kind, limit, monkeypatch):
    """Neither ranked nor grouped: zeros and ones, small numbers, gaps."""
    make, search, check = KINDS[kind]
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 2 + 3 * (seed % 2), (400, 5)).astype(float)
        X[rng.random((400, 5)) < 0.1 * (seed > 1)] = np.nan
        how = {"min_samples_leaf": 1 + 20 * seed, "cost_complexity": 0.01 * seed}
        made = [make(np.random.default_rng(seed), table_from(X), **how, max_depth=depth) for depth in (1, 3)]
        with monkeypatch.context() as small:
            small.setattr(single_split, "MOST_CELLS", 0)
            small.setattr(
                additive_result, "solve_additive", lambda *_, **__: pytest.fail("a search was begun")
            )
            stopped = search(made[1], limits=LIMITS[limit][0]())
        best = search(made[0])
        assert best.status is SolveStatus.OPTIMAL
        assert stopped.objective <= best.objective * (1 + ROUNDING)
        assert stopped.stop_reason is LIMITS[limit][1]
        assert stopped.lower_bound <= search(made[1]).objective
        assert check(made[1], stopped).ok


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"absolute error", "quantile"}))
def test_columns_of_text(kind, limit, monkeypatch):
    """Each category is held against the rest, ordered ones by their order, gaps go either way: nothing is ranked."""
    make, search, check = KINDS[kind]
    on_text = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        towns = ["Bern", "Bern", "Graz", "Kiel", "Oslo", "Ulm"][: 3 + seed]
        town = rng.choice(towns, 400).astype(object)
        risk = pd.Categorical(
            rng.choice(["low", "medium", "high"], 400), ["low", "medium", "high"], ordered=True
        )
        frame = pd.DataFrame(
            {"town": town, "x": rng.normal(size=400), "y": 0.3 * rng.normal(size=400), "risk": risk}
        )
        if seed % 2:
            frame.loc[rng.random(400) < 0.1, ["town", "risk"]] = None
        table = table_from(frame)
        how = {"min_samples_leaf": 1 + 10 * seed, "cost_complexity": 0.003 * seed}
        made = [make(np.random.default_rng(seed), table, **how, max_depth=depth) for depth in (1, 3)]
        ranked = {"options": BinaryOptions(engine="ranked")} if search is solve else {}
        best = search(made[0], **ranked)
        assert best.status is SolveStatus.OPTIMAL
        with monkeypatch.context() as small:
            small.setattr(single_split, "MOST_CELLS", 0)
            for module in (candidates, ranks):
                small.setattr(module, "ranks_of", lambda *_: pytest.fail("a column was ranked"))
            stopped = search(made[1], limits=LIMITS[limit][0]())
        assert stopped.objective == pytest.approx(best.objective, rel=ROUNDING)
        assert stopped.stop_reason is LIMITS[limit][1]
        assert stopped.stats["engine_reason"] == single_split.UNRANKED["engine_reason"]
        assert stopped.lower_bound <= search(made[1], limits=Limits(step_limit=300)).objective
        assert check(made[1], stopped).ok
        on_text += isinstance(stopped.tree.splits[0], CategorySplit)
    assert on_text


@pytest.mark.parametrize("limit", LIMITS)
def test_quantiles_of_columns_of_text_are_ranked(limit, monkeypatch):
    monkeypatch.setattr(single_split, "MOST_CELLS", 0)
    rng = np.random.default_rng(5)
    table = table_from(
        pd.DataFrame({"x": rng.normal(size=400), "town": rng.choice(["Graz", "Kiel", "Ulm"], 400)})
    )
    made = [
        make_regression_problem(
            table, rng.normal(size=400) + table.X[:, 1], criterion="absolute_error", max_depth=depth
        )
        for depth in (1, 3)
    ]
    made[1] = replace(made[1], y=made[0].y)
    stopped = solve_regression(made[1], limits=LIMITS[limit][0]())
    assert stopped.objective <= solve_regression(made[0]).objective * (1 + ROUNDING)


@pytest.mark.parametrize("n_rows", [5, 7, 8, 63, 64, 65, 400])
@pytest.mark.parametrize("kind", ["one", "of classes", "of rows"])
def test_the_best_of_splits_that_are_bits(kind, n_rows):
    """Counted bit by bit where the rows of a class weigh the same, else row by row."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        table = table_from(rng.integers(0, 2 + seed, (n_rows, 6)).astype(float))
        y = rng.integers(0, 3, n_rows)
        weight = {
            "one": np.ones(n_rows),
            "of classes": np.array([3e9, 1.0, 0.25])[y],
            "of rows": rng.exponential(size=n_rows),
        }
        k = len(np.unique(y))
        how = {"costs": rng.integers(1, 5, (k, k)) * (1.0 - np.eye(k))} if seed % 2 and k > 1 else {}
        problem = make_problem(table, y, sample_weight=weight[kind], min_samples_leaf=1 + seed, **how)
        matrix = midpoints(table)

        def cost(split, problem=problem):
            left = split.goes_left(problem.table.X)
            if min(left.sum(), (~left).sum()) < problem.min_samples_leaf:
                return np.inf
            return sum(
                (
                    np.bincount(problem.y[side], problem.sample_weight[side], problem.n_classes)
                    @ problem.costs
                ).min()
                for side in (left, ~left)
            )

        paid = [cost(split) for split in matrix.splits]
        found = single_split.best_of_splits(problem, matrix)
        if not np.isfinite(min(paid, default=np.inf)):
            assert found is None
        else:
            assert paid[found] == pytest.approx(min(paid), rel=ROUNDING)


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("kind", ["classes", "squared error"])
def test_frontiers(kind, limit, monkeypatch):
    make, search, _ = KINDS[kind]
    frontier = solve_frontier if search is solve else solve_regression_frontier
    rng = np.random.default_rng(3)
    table = table_of(rng)
    how = {"max_depth": 3, "max_leaf_nodes": 5, "cost_complexity": 0.0}
    problem = make(rng, table, **how)
    whole = frontier(problem)
    monkeypatch.setattr(single_split, "MOST_CELLS", 0)
    stopped = frontier(problem, limits=LIMITS[limit][0]())
    assert stopped.stop_reason is LIMITS[limit][1]
    assert stopped.at_most(2).loss <= whole.at_most(2).loss * (1 + ROUNDING)
    for leaves in range(1, 6):
        assert stopped.at_most(leaves).lower_bound <= whole.at_most(leaves).loss + ROUNDING


@pytest.mark.parametrize("limit", LIMITS)
def test_binary_columns(limit, monkeypatch):
    rng = np.random.default_rng(4)
    problem = classes(rng, table_of(rng), max_depth=3, cost_complexity=0.0, max_leaf_nodes=4)
    whole = solve_frontier(problem, 5)
    monkeypatch.setattr(single_split, "MOST_WORK", 0)
    stopped = solve_frontier(problem, 5, limits=LIMITS[limit][0]())
    assert stopped.stop_reason is LIMITS[limit][1]
    assert stopped.at_most(2).loss == whole.at_most(2).loss
    assert stopped.proven_leaves == 1
    assert stopped.at_most(4).lower_bound <= whole.at_most(4).loss


def test_tables_that_other_engines_may_search_are_left_to_them(monkeypatch):
    monkeypatch.setattr(single_split, "MOST_CELLS", 0)
    few = table_from(np.random.default_rng(0).integers(0, 9, (400, 3)))
    text = table_from([[x % 99, f"word {x}"] for x in range(400)])  # most splits are categories
    for table in (few, text):
        problem = make_problem(table, np.arange(400) % 2, max_depth=2)
        assert single_split.ends_unranked(problem, Limits(step_limit=1)) is None
