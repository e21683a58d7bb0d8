"""The frontier as a chart: for each number of leaves the smallest loss, and where the report's tree stands.

A frontier is often searched over fewer splits than a single tree. The report's tree then stands in the place of the
frontier's tree of its size if it is better, and what it beats is left out, so that nothing is called the best that the
page itself shows to be beaten.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from treewright.convert import Terms
from treewright.errors import InputError
from treewright.result import SolveResult, SolveStatus
from treewright.search import Frontier
from treewright.show._report._leaves import Count, count_right
from treewright.show._report._rows import Rows
from treewright.tree import Tree

__all__ = ["Chart", "Point", "better_than", "chart"]

WIDTH, HEIGHT = 640.0, 300.0
LEFT, RIGHT, TOP, BOTTOM = 56.0, 14.0, 14.0, 44.0  # margins for the axes


@dataclass(frozen=True, slots=True)
class Point:
    """One tree of the frontier.

    Parameters
    ----------
    leaves : int
    train : Count
    test : Count or None
    proven : bool
    chosen : bool
        Whether this is the report's tree.
    x, y : float
        Place of the training error in the chart.
    test_y : float or None
    """

    leaves: int
    train: Count
    test: Count | None
    proven: bool
    chosen: bool
    x: float
    y: float
    test_y: float | None


@dataclass(frozen=True, slots=True)
class Chart:
    """Points, what is proven of them in words, and ticks of both axes as (place, text)."""

    points: tuple[Point, ...]
    sentence: str
    x_ticks: tuple[tuple[float, str], ...]
    y_ticks: tuple[tuple[float, str], ...]
    width: float = WIDTH
    height: float = HEIGHT
    left: float = LEFT
    right: float = WIDTH - RIGHT
    top: float = TOP
    bottom: float = HEIGHT - BOTTOM

    @property
    def has_chosen(self) -> bool:
        """Whether the report's tree is among the points."""
        return any(point.chosen for point in self.points)


def chart(
    tree: Tree, results: Sequence[SolveResult], train: Rows, test: Rows | None, own: SolveResult | None = None
) -> Chart:
    """Place the results, sorted by leaves; errors are shares of rows. `own` is the certificate of `tree`.

    Raises
    ------
    InputError
        No result, or trees over other columns or classes than those of `tree`.
    """
    if not results:
        raise InputError("frontier is empty; give the results of accuracy_frontier, or None.")
    for result in results:
        if result.tree.columns != tree.columns or not _same_classes(result.tree, tree):
            raise InputError(
                "frontier holds a tree over other columns or classes than the model's; give the frontier of the same "
                "table."
            )
    ordered = sorted(results, key=lambda result: result.tree.n_leaves)
    if own is not None and type(own) is SolveResult:
        ordered = _with_own(ordered, own, train)
    on_train = [count_right(result.tree, train) for result in ordered]
    on_test = [None if test is None else count_right(result.tree, test) for result in ordered]
    errors = [1 - count.share for count in (*on_train, *on_test) if count is not None]
    top_error, step = _scale(max(errors))
    most = max(ordered[-1].tree.n_leaves, 2)

    def across(leaves: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * (leaves - 1) / (most - 1), 1)

    def down(error: float) -> float:
        return round(TOP + (HEIGHT - TOP - BOTTOM) * (1 - error / top_error), 1)

    right = count_right(tree, train)
    here = [
        r for r, c in zip(ordered, on_train, strict=True) if (r.tree.n_leaves, c) == (tree.n_leaves, right)
    ]
    points = tuple(
        Point(
            result.tree.n_leaves,
            seen,
            unseen,
            result.status is SolveStatus.OPTIMAL,
            bool(here) and result is here[0],
            across(result.tree.n_leaves),
            down(1 - seen.share),
            None if unseen is None else down(1 - unseen.share),
        )
        for result, seen, unseen in zip(ordered, on_train, on_test, strict=True)
    )
    every = max(1, math.ceil(most / 12))
    x_ticks = tuple((across(k), str(k)) for k in range(1, most + 1, every))
    n_steps = round(top_error / step)
    y_ticks = tuple((down(k * step), f"{100 * k * step:.3g}%") for k in range(n_steps + 1))
    return Chart(points, _sentence(results), x_ticks, y_ticks)


def _with_own(ordered: list[SolveResult], own: SolveResult, train: Rows) -> list[SolveResult]:
    """Put the report's tree among the trees of the frontier if it beats that of its size; drop what it beats."""
    right = count_right(own.tree, train).right
    rivals = [count_right(result.tree, train).right for result in ordered]
    leaves = own.tree.n_leaves
    if any(r.tree.n_leaves <= leaves and c >= right for r, c in zip(ordered, rivals, strict=True)):
        return ordered
    kept = [
        result
        for result, count in zip(ordered, rivals, strict=True)
        if result.tree.n_leaves < leaves or (result.tree.n_leaves > leaves and count > right)
    ]
    return sorted([*kept, own], key=lambda result: result.tree.n_leaves)


def better_than(
    result: SolveResult | None, terms: Terms | None, results: Sequence[SolveResult]
) -> SolveResult | None:
    """Return the frontier's best tree at the report's leaf penalty, if it beats the report's tree.

    None where the objectives cannot be compared: without the question that the tree answers, or of another kind.
    """
    if result is None or type(result) is not SolveResult or not results:
        return None
    leaf_penalty = terms.cost_complexity if terms is not None else result.options.get("cost_complexity")
    if not isinstance(leaf_penalty, (int, float)):
        return None
    best = min(results, key=lambda other: other.loss + leaf_penalty * other.tree.n_leaves)
    objective = best.loss + leaf_penalty * best.tree.n_leaves
    return best if objective < result.objective - 1e-9 * max(1.0, abs(result.objective)) else None


def _sentence(results: Sequence[SolveResult]) -> str:
    """What the frontier says of itself; of other sequences, over which trees was searched, if that is one answer."""
    if isinstance(results, Frontier):
        return results.sentence()
    scopes = {result.scope for result in results}
    return f"Searched over {scopes.pop()}." if len(scopes) == 1 else ""


def _same_classes(a: Tree, b: Tree) -> bool:
    return (
        a.classes is not None
        and b.classes is not None
        and list(map(str, a.classes)) == list(map(str, b.classes))
    )


def _scale(largest: float) -> tuple[float, float]:
    """A round upper end of the axis, and the step of its ticks: four to six of them."""
    if largest <= 0:
        return 0.01, 0.01
    power = 10.0 ** math.floor(math.log10(largest))
    step = next(s * power for s in (0.1, 0.2, 0.25, 0.5, 1, 2) if largest / (s * power) <= 5)
    return step * math.ceil(largest / step - 1e-9), step
