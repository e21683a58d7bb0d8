"""From the answer of a search for an additive loss to a result; the same for all such losses.

Losses are told as shares of the loss of a single leaf. A proof that leaves open more than `MOST_TOLERANCE` of it,
because numbers were rounded to integers, is none, and a note says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from treewright.result import SolveResult, SolveStatus
from treewright.search._additive import AdditiveAnswer, AdditiveLoss, solve_additive
from treewright.search._limits import Limits, Progress, ProgressCallback
from treewright.search._options import SweepOptions
from treewright.table import Table
from treewright.tree import Tree

__all__ = ["Asked", "as_shares", "result_of_answer", "search_all_thresholds", "trivial_result"]

MOST_TOLERANCE = 1e-8  # of the loss of one leaf
ENGINE = {"engine": "sweep", "engine_reason": "it looks at all thresholds"}

Result = TypeVar("Result", bound=SolveResult)


class Asked(Protocol):
    """What the problems of additive losses have in common."""

    @property
    def table(self) -> Table: ...
    @property
    def cost_complexity(self) -> float: ...
    @property
    def max_depth(self) -> int | None: ...
    @property
    def max_leaf_nodes(self) -> int | None: ...
    @property
    def min_samples_leaf(self) -> int: ...
    @property
    def notes(self) -> tuple[str, ...]: ...


def search_all_thresholds(
    problem: Asked,
    loss: AdditiveLoss,
    one_leaf: float,
    *,
    limits: Limits | None,
    options: SweepOptions | None,
    progress: ProgressCallback | None,
) -> AdditiveAnswer:
    """Search the ranked columns of a problem, within its limits; progress is told in shares.

    Parameters
    ----------
    problem : Asked
    loss : AdditiveLoss
    one_leaf : float
        Loss of a single leaf, above 0.
    limits, options, progress
        As in `solve_additive`.
    """
    return solve_additive(
        problem.table,
        loss,
        cost_complexity=problem.cost_complexity,
        max_depth=problem.max_depth,
        max_leaf_nodes=problem.max_leaf_nodes,
        min_samples_leaf=problem.min_samples_leaf,
        limits=limits,
        options=options,
        progress=as_shares(progress, one_leaf),
    )


def as_shares(progress: ProgressCallback | None, one_leaf: float) -> ProgressCallback | None:
    """Return a callback that tells `progress` objectives as shares of one leaf's loss."""
    if progress is None:
        return None

    def report(now: Progress) -> Any:
        return progress(
            replace(now, objective=now.objective / one_leaf, lower_bound=now.lower_bound / one_leaf)
        )

    return report


def trivial_result(
    kind: type[Result],
    problem: Asked,
    tree: Tree,
    *,
    scope: str,
    options: Mapping[str, Any],
    note: str,
    stats: Mapping[str, Any] | None = None,
) -> Result:
    """Return the result of a problem that a single leaf solves without loss.

    Parameters
    ----------
    kind : type
        Of the result.
    problem : Asked
    tree : Tree
        The leaf.
    scope : str
    options : mapping
        What was asked, beside the limits.
    note : str
        Why one leaf is enough.
    stats : mapping, default=None
        Further statistics.
    """
    return kind(
        tree=tree,
        status=SolveStatus.OPTIMAL,
        objective=problem.cost_complexity,
        lower_bound=problem.cost_complexity,
        loss=0.0,
        scope=scope,
        stats={"seconds": 0.0, "subproblems": 0, "tolerance": 0.0, **(stats or {})},
        options={**options, **_limits_of(problem)},
        notes=(*problem.notes, note),
    )


def result_of_answer(
    kind: type[Result],
    problem: Asked,
    tree: Tree,
    answer: AdditiveAnswer,
    *,
    one_leaf: float,
    loss: float,
    rounded: str,
    scope: str,
    options: Mapping[str, Any],
    tolerance: float = 0.0,
    stats: Mapping[str, Any] | None = None,
    notes: tuple[str, ...] = (),
) -> Result:
    """Return the result of a search, with what is proven of its tree.

    Parameters
    ----------
    kind : type
        Of the result.
    problem : Asked
    tree : Tree
    answer : AdditiveAnswer
    one_leaf : float
        Loss of a single leaf, above 0.
    loss : float
        Of the tree, in the same units.
    rounded : str
        What was rounded, in words that begin a sentence: "The rewards".
    scope : str
    options : mapping
        What was asked, beside the limits.
    tolerance : float, default=0.0
        What may be lost beside `answer.tolerance`.
    stats : mapping, default=None
        Further statistics; the engine, where it is not the usual one.
    notes : tuple of str, default=()
        Of a proof.
    """
    share = loss / one_leaf
    objective = share + problem.cost_complexity * tree.n_leaves
    open_to = (answer.tolerance + tolerance) / one_leaf
    proven = answer.proven and open_to <= MOST_TOLERANCE
    told = (*problem.notes, *problem.table.notes, *(notes if proven else ()))
    if answer.proven and not proven:
        told = (*told, f"{rounded} were rounded for the search; that may move an objective by {open_to:.1e}.")
    every_tree = problem.cost_complexity  # costs one leaf at least
    bound = objective - open_to if answer.proven else max(answer.lower_bound / one_leaf, every_tree)
    return kind(
        tree=tree,
        status=SolveStatus.OPTIMAL if proven else SolveStatus.FEASIBLE,
        objective=objective,
        lower_bound=max(0.0, min(objective, bound)),
        loss=share,
        scope=scope,
        stop_reason=None if answer.proven else answer.stop,
        stats={**answer.stats, "tolerance": open_to, **ENGINE, **(stats or {})},
        options={**options, **_limits_of(problem), **answer.options},
        notes=told,
    )


def _limits_of(problem: Asked) -> dict[str, Any]:
    return {
        name: getattr(problem, name)
        for name in ("cost_complexity", "max_depth", "max_leaf_nodes", "min_samples_leaf")
    }
