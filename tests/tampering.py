"""Results of every method on small tables, every way to tamper with one field, and what is true about the table.

`untold_lies` changes one field of a model file after the other (deleted, of another type, not a number, larger,
smaller, text), restates the question from the file as `treewright verify` does, and returns the changes that no check
reported although the sentence then claims more than is true. What is true is asked of the exact search, with the
limits and the bound that the changed sentence names.

By hand, with fresh seeds: ``python tests/tampering.py SECONDS``.
"""

from __future__ import annotations

import copy
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from treewright import SolveResult, SolveStatus
from treewright.binarize import SplitMatrix, midpoints, quantiles
from treewright.convert import Ensemble, Model, Terms, from_json, to_json
from treewright.errors import ModelFileError, SolverError
from treewright.near_optimal import solve_near_optimal
from treewright.problem import Problem, make_problem
from treewright.result import BornAgainResult, LeafAccuracyResult
from treewright.search import (
    BinaryOptions,
    Limits,
    solve,
    solve_frontier,
    solve_leaf_accuracy,
    solve_with_leaf_accuracy,
)
from treewright.table import table_from
from treewright.verify import VerificationReport, verify, verify_born_again

DELETE = object()
EXTRA = 1e-3


@dataclass(frozen=True, eq=False)
class Case:
    """A result, its question, and the splits that were searched."""

    name: str
    problem: Problem
    result: SolveResult
    cuts: SplitMatrix
    min_leaf_accuracy: float | None = None
    ensemble: Ensemble | None = None

    @property
    def text(self) -> str:
        p = self.problem
        terms = Terms(
            p.cost_complexity,
            p.max_depth,
            p.max_leaf_nodes,
            p.min_samples_leaf,
            min_leaf_accuracy=self.min_leaf_accuracy,
        )
        return to_json(Model.of(self.result, terms))

    def report(self, model: Model) -> VerificationReport:
        """What `treewright verify` does with a file."""
        assert model.certificate is not None
        if self.ensemble is not None:
            if isinstance(model.result, BornAgainResult):
                return verify_born_again(self.ensemble, model.result)
            assert model.result is not None
            return verify(self.problem, model.result)
        terms = model.certificate.terms
        if terms is None:
            return verify(self.problem, model.tree)
        names = ("cost_complexity", "max_depth", "max_leaf_nodes", "min_samples_leaf")
        problem = replace(self.problem, **{name: getattr(terms, name) for name in names})
        assert model.result is not None
        return verify(problem, model.result, min_leaf_accuracy=terms.min_leaf_accuracy)


def cases(seed: int) -> Iterator[Case]:
    """One result of each method."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, 6, 60), rng.integers(0, 2, 60), rng.normal(size=60).round(1)])
    y = ((X[:, 0] > 2) ^ (X[:, 2] > 0.2) ^ (rng.random(60) < 0.2)).astype(int)
    table = table_from(X)
    all_splits, some = midpoints(table), quantiles(table, 3)

    def problem(**terms: Any) -> Problem:
        return make_problem(table, y, **terms)

    few = Limits(step_limit=3)
    quick = BinaryOptions(greedy_start=False)
    two = problem(cost_complexity=0.03, max_depth=2, min_samples_leaf=4)
    free = problem(cost_complexity=0.04)
    yield Case("optimal", two, solve(two, all_splits), all_splits)
    yield Case("optimal without limits", free, solve(free, some), some)
    yield Case("stopped", free, solve(free, all_splits, limits=few, options=quick), all_splits)
    swept = solve(two, "all", options=BinaryOptions(engine="ranked"))
    yield Case("ranked", two, swept, all_splits)
    front = replace(two, cost_complexity=0.0, max_leaf_nodes=4, max_depth=3)
    for leaves, point in enumerate(solve_frontier(front, some).limits, 1):
        if leaves in (2, 4):
            yield Case(f"point {leaves} of a front", replace(front, max_leaf_nodes=leaves), point, some)
    deep = problem(cost_complexity=0.0, max_depth=2, min_samples_leaf=5)
    for criterion in ("accuracy", "lower_bound"):
        found = solve_leaf_accuracy(deep, all_splits, criterion=criterion)
        yield Case(f"leaf accuracy, {criterion}", deep, found, all_splits)
    least = round(min(0.6, float(solve_leaf_accuracy(deep, all_splits).stats["leaf_accuracy"]) - 0.01), 2)
    strict = solve_with_leaf_accuracy(two, all_splits, least)
    yield Case("with a least leaf accuracy", two, strict, all_splits, min_leaf_accuracy=least)
    near = solve_near_optimal(two, some, epsilon=0.5, leaf_labels="any")
    yield Case("chosen among near-optimal trees", two, near.result(near.n_trees_ // 2), some)
    yield from _guided(two)
    yield from _programs(problem)
    yield from _born_again(X, y)


def _guided(problem: Problem) -> Iterator[Case]:
    from treewright.search import Guesses, solve_guided

    guesses = Guesses(lower_bounds=True, compare=False)
    all_splits = midpoints(problem.table)
    yield Case("guided", problem, solve_guided(problem, "all", guesses), all_splits)


def _programs(problem: Callable[..., Problem]) -> Iterator[Case]:
    from treewright.mip import solve as solve_program

    one = problem(cost_complexity=0.02, max_depth=1, min_samples_leaf=3)
    all_splits = midpoints(one.table)
    for formulation in ("oct", "leaf_accuracy"):
        asked = one if formulation == "oct" else replace(one, cost_complexity=0.0)
        yield Case(f"program, {formulation}", asked, solve_program(asked, formulation), all_splits)


def _born_again(X: Any, y: Any) -> Iterator[Case]:
    from sklearn.ensemble import RandomForestClassifier

    from treewright.bornagain import solve as solve_born_again

    forest = RandomForestClassifier(3, max_depth=2, random_state=0).fit(X, y)
    ensemble = Ensemble.from_model(forest)
    anything = make_problem(table_from(X), y)
    for objective in ("depth", "leaves", "depth-leaves"):
        found = solve_born_again(ensemble, objective=objective)
        yield Case(f"born again, {objective}", anything, found, midpoints(anything.table), ensemble=ensemble)


def changes(value: Any) -> list[Any]:
    """Every way to tamper with one value of a file."""
    out: list[Any] = [
        DELETE,
        None,
        "",
        "three",
        True,
        False,
        [],
        {},
        [1, 2],
        "nan",
        "inf",
        0,
        -1,
        1,
        10**6,
        0.5,
    ]
    if isinstance(value, bool):
        out.append(not value)
    elif isinstance(value, (int, float)):
        out += [
            value + 1,
            value - 1,
            value + EXTRA,
            value - EXTRA,
            value * 2,
            value / 2,
            float(value),
            str(value),
        ]
    elif isinstance(value, str):
        out += [value + " ", "all thresholds", "every tree", "OPTIMAL", "FEASIBLE", "OPTIMAL_UNDER_GUESSES"]
        out += [
            "accuracy",
            "lower_bound",
            "depth",
            "leaves",
            "depth-leaves",
            "heuristic",
            "TIME_LIMIT",
            "active",
        ]
    return [
        change for change in out if change is DELETE or type(change) is not type(value) or change != value
    ]


def tampered(content: dict[str, Any]) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """Yield the place, the change and the changed file for every field of the certificate, and of the nodes."""
    places: list[tuple[str, ...]] = [("certificate", name) for name in content["certificate"]]
    for part in ("stats", "options", "terms"):
        places += [("certificate", part, name) for name in content["certificate"][part] or ()]
    for place in places:
        parent = content
        for name in place[:-1]:
            parent = parent[name]
        for change in changes(parent[place[-1]]):
            other = copy.deepcopy(content)
            spot = other
            for name in place[:-1]:
                spot = spot[name]
            if change is DELETE:
                del spot[place[-1]]
            else:
                spot[place[-1]] = change
            yield ".".join(place[1:]), change, other


def untold_lies(case: Case) -> list[str]:
    """Return the changes of one field that no check reports and that make the sentence say too much."""
    before = from_json(case.text)
    assert case.report(before).ok, f"{case.name}: {case.report(before)}"
    truth = Truth(case)
    assert truth.holds(before.result), case.name
    lies = []
    for place, change, content in tampered(json.loads(case.text)):
        try:
            model = from_json(json.dumps(content))
        except ModelFileError:
            continue
        report = case.report(model)  # reports, never raises
        sentence = model.result.sentence() if model.result is not None else ""  # nor does this
        if report.ok and not truth.holds(model.result) and not only_the_search_knows(case, place, change):
            lies.append(f"{case.name}: {place} = {change!r}: {sentence}")
    return lies


def only_the_search_knows(case: Case, place: str, change: Any) -> bool:
    """Whether no check of one tree can find a change wrong: how far proofs go that the tree itself does not refute."""
    result = case.result
    if place == "lower_bound":  # no better tree is at hand
        return result.lower_bound < change <= result.objective
    if place == "stats.upper_bound":
        return result.objective <= change < result.upper_bound  # type: ignore[attr-defined]
    if (
        place == "options.objective"
    ):  # whether fewest leaves of all trees, or of those of least depth, was proven
        return result.options["objective"] == "depth-leaves" and change in ("leaves", "heuristic")
    if place == "stats.loss_proven":  # nor one as good with fewer errors
        return change is True and "formulation" not in result.options
    return place == "scope" and change == "all thresholds"  # the result was about some of them


class Truth:
    """What is true about a table, by the exact search with whatever limits a sentence names."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.optimum = cache(self._optimum)
        self.best_worst_leaf = cache(self._best_worst_leaf)

    def holds(self, result: SolveResult | None) -> bool:
        """Whether everything that the sentence of a result says is true."""
        assert result is not None
        if result.sentence() == self.case.result.sentence():
            return True
        if isinstance(result, BornAgainResult):
            return self._holds_of_sizes(result)
        limits = tuple(
            result.options.get(name) for name in ("max_depth", "max_leaf_nodes", "min_samples_leaf")
        )
        least = result.options.get("min_leaf_accuracy")
        if isinstance(result, LeafAccuracyResult):
            proven = result.status is SolveStatus.OPTIMAL or result.stats.get("value_proven") is True
            bound = result.objective if proven else result.upper_bound
            if (
                self.case.result.stats["loss_proven"] is False
                and result.stats.get("loss_proven") is not False
            ):
                return False
            return bound >= self.best_worst_leaf(limits, result.options.get("criterion")) - 1e-7
        if result.status is not self.case.result.status and result.status is not SolveStatus.FEASIBLE:
            return False
        bound = result.objective if result.status is SolveStatus.OPTIMAL else result.lower_bound
        if not (result.objective == self.case.result.objective and result.loss == self.case.result.loss):
            return False
        return bound <= self.optimum(limits, least, self.case.problem.cost_complexity) + 1e-7

    def _problem(self, limits: tuple[Any, ...], **more: Any) -> Problem:
        depth, leaves, rows = limits
        return replace(
            self.case.problem, max_depth=depth, max_leaf_nodes=leaves, min_samples_leaf=rows or 1, **more
        )

    def _optimum(self, limits: tuple[Any, ...], least: Any, price: float) -> float:
        problem = self._problem(limits, cost_complexity=price)
        if least is None:
            return solve(problem, self.case.cuts).objective
        try:
            return solve_with_leaf_accuracy(problem, self.case.cuts, least).objective
        except SolverError:
            return np.inf

    def _best_worst_leaf(self, limits: tuple[Any, ...], criterion: Any) -> float:
        depth = limits[0] if limits[0] is not None else 4
        problem = self._problem((depth, None, limits[2]))
        return solve_leaf_accuracy(problem, self.case.cuts, criterion=criterion or "accuracy").objective

    def _holds_of_sizes(self, result: BornAgainResult) -> bool:
        """Anything but the numbers as they were, or weaker ones, is too much."""
        was, objective = self.case.result, str(result.options.get("objective"))
        if result.status is SolveStatus.OPTIMAL and objective != was.options["objective"]:
            # Another claim, which the bounds may prove as well: five leaves need a depth of three.
            deep = was.stats["depth_lower_bound"] == was.tree.depth
            wide = was.stats["leaves_lower_bound"] == was.tree.n_leaves
            wide &= was.options["objective"] != "depth-leaves"  # of all trees, not of the shallowest
            needs = {"depth": deep, "leaves": wide, "heuristic": wide, "depth-leaves": deep and wide}
            if not needs.get(objective, False):
                return False
        return all(
            result.stats.get(name) == was.stats[name] or name not in result.sentence()
            for name in ("ensemble_trees", "ensemble_leaves")
        )


def main(seconds: float) -> int:
    """Go on with fresh seeds; print every lie that is not told."""
    start, seed, found = time.monotonic(), int(time.time()), 0
    while time.monotonic() - start < seconds:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for case in cases(seed):
                for lie in untold_lies(case):
                    found += 1
                    print(f"seed {seed}: {lie}", flush=True)
        seed += 1
    print(f"{found} untold lies; last seed {seed - 1}")
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1])))
