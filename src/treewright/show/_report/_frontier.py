"""The frontier as a chart: for each number of leaves the smallest loss, and where the report's tree stands.

A frontier is often searched over fewer splits than a single tree. The report's tree then stands in the place of the
frontier's tree of its size if it is better, and what it beats is left out, so that nothing is called the best that the
page itself shows to be beaten.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from treewright.convert import Terms
from treewright.errors import InputError
from treewright.result import AdditiveResult, SolveResult, SolveStatus
from treewright.search import Frontier
from treewright.show._report._axis import round_scale
from treewright.show._report._cells import Grid, Row, heads, number, words
from treewright.show._report._task import Task
from treewright.tree import Column, Tree

__all__ = ["Chart", "Point", "better_than", "chart", "frontier_table"]

WIDTH, HEIGHT = 640.0, 300.0
SAME = 1e-12  # losses that differ by less are one: they are sums of rows in another order
LEFT, RIGHT, TOP, BOTTOM = 64.0, 14.0, 14.0, 44.0  # margins for the axes


@dataclass(frozen=True, slots=True)
class Point:
    """One tree of the frontier.

    Parameters
    ----------
    leaves : int
    train, test : float
        What it loses, as the task says; `test` is None without test rows.
    proven : bool
    chosen : bool
        Whether this is the report's tree.
    x, y : float
        Place of the training loss in the chart.
    test_y : float or None
    """

    leaves: int
    train: float
    test: float | None
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


def _schema(tree: Tree) -> list[Column]:
    """The columns, whether or not some row had no value: shards count the rows of weight zero, other fits do not."""
    return [replace(column, has_missing=False) for column in tree.columns]


def chart(task: Task, results: Sequence[SolveResult]) -> Chart:
    """Place the results, sorted by leaves; their losses are what the task says.

    Raises
    ------
    InputError
        No result, or trees over other columns or classes, or of another kind, than that of the report.
    """
    context = task.context
    tree, own, train, test = context.tree, context.result, context.train, context.test
    if not results:
        raise InputError("frontier is empty; give the results of accuracy_frontier, or None.")
    for result in results:
        if _schema(result.tree) != _schema(tree) or not _same_answers(result.tree, tree):
            raise InputError(
                "frontier holds a tree over other columns or classes than the model's; give the frontier of the same "
                "table."
            )
        if not task.is_front_of(result):
            raise InputError(
                f"frontier holds a tree of another loss ({result.options.get('criterion')}) than the model's; give the "
                "frontier of the same criterion."
            )
    tree = task.on_frontier(tree)
    ordered = [_drawn(result, task) for result in sorted(results, key=lambda result: result.tree.n_leaves)]
    if own is not None and _have_one_loss(own, ordered[0]):
        ordered = _with_own(ordered, _drawn(own, task), task)
    on_train = [task.left(result.tree, train) for result in ordered]
    on_test = [None if test is None else task.left(result.tree, test) for result in ordered]
    errors = [left for left in (*on_train, *on_test) if left is not None and math.isfinite(left)]
    top_error, step = round_scale(max(errors, default=1.0))
    most = max(ordered[-1].tree.n_leaves, 2)

    def across(leaves: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * (leaves - 1) / (most - 1), 1)

    def down(error: float) -> float:
        return round(TOP + (HEIGHT - TOP - BOTTOM) * (1 - min(error / top_error, 1.0)), 1)

    left = task.left(tree, train)
    here = [
        r
        for r, lost in zip(ordered, on_train, strict=True)
        if r.tree.n_leaves == tree.n_leaves and abs(lost - left) <= SAME
    ]
    points = tuple(
        Point(
            result.tree.n_leaves,
            seen,
            unseen,
            result.status is SolveStatus.OPTIMAL,
            bool(here) and result is here[0],
            across(result.tree.n_leaves),
            down(seen),
            None if unseen is None else down(unseen),
        )
        for result, seen, unseen in zip(ordered, on_train, on_test, strict=True)
    )
    every = max(1, math.ceil(most / 12))
    x_ticks = tuple((across(k), str(k)) for k in range(1, most + 1, every))
    n_steps = round(top_error / step)
    y_ticks = tuple((down(k * step), f"{100 * k * step:.3g}%") for k in range(n_steps + 1))
    sentence = _sentence(results)
    if tree is not context.tree:
        sentence += (
            " These are trees of constants; the lines in this report's tree were fitted after the search, and are not "
            "drawn here."
        )
    return Chart(points, sentence.strip(), x_ticks, y_ticks)


def frontier_table(task: Task, drawn: Chart) -> Grid:
    """Return the numbers of a chart."""
    context = task.context
    is_wrong = task.left_words.startswith("Share of wrong")
    named = "Wrong" if is_wrong else "Left"
    lines = []
    for point in drawn.points:
        parts = [(point.train, context.train, "training")]
        parts += [] if point.test is None or context.test is None else [(point.test, context.test, "test")]
        cells = []
        for left, rows, kind in parts:
            said, small = task.left_words_of(left, len(rows))
            cells.append(number(said, f"{named.lower()} on {kind} rows", small))
        proven, here = "yes" if point.proven else "not proven", "this tree" if point.chosen else ""
        cells += [words(proven, "proven smallest"), words(here, "place")]
        lines.append(Row(words(str(point.leaves)), tuple(cells), is_own=point.chosen))
    head = ["Leaves", f"#{named} on training rows"]
    head += [] if context.test is None else [f"#{named} on test rows"]
    head += ["Proven smallest over what was searched", "Place"]
    return Grid(f"{task.left_words}.", heads(*head), tuple(lines), "narrow")


def _drawn(result: SolveResult, task: Task) -> SolveResult:
    tree = task.on_frontier(result.tree)
    return result if tree is result.tree else replace(result, tree=tree)


def _with_own(ordered: list[SolveResult], own: SolveResult, task: Task) -> list[SolveResult]:
    """Put the report's tree among the trees of the frontier if it beats that of its size; drop what it beats."""
    train = task.context.train
    left = task.left(own.tree, train)
    rivals = [task.left(result.tree, train) for result in ordered]
    leaves = own.tree.n_leaves
    if any(r.tree.n_leaves <= leaves and c <= left + SAME for r, c in zip(ordered, rivals, strict=True)):
        return ordered
    kept = [
        result
        for result, lost in zip(ordered, rivals, strict=True)
        if result.tree.n_leaves < leaves or (result.tree.n_leaves > leaves and lost < left - SAME)
    ]
    return sorted([*kept, own], key=lambda result: result.tree.n_leaves)


def better_than(
    result: SolveResult | None, terms: Terms | None, results: Sequence[SolveResult]
) -> SolveResult | None:
    """Return the frontier's best tree at the report's leaf penalty, if it beats the report's tree.

    None where the objectives cannot be compared: without the question that the tree answers, or of another kind.
    """
    if result is None or not results or not _have_one_loss(result, results[0]):
        return None

    leaf_penalty = terms.cost_complexity if terms is not None else result.options.get("cost_complexity")
    if not isinstance(leaf_penalty, (int, float)):
        return None
    best = min(results, key=lambda other: other.loss + leaf_penalty * other.tree.n_leaves)
    objective = best.loss + leaf_penalty * best.tree.n_leaves
    return best if objective < result.objective - 1e-9 * max(1.0, abs(result.objective)) else None


def _have_one_loss(a: SolveResult, b: SolveResult) -> bool:
    """Whether two results are of one kind whose objective is its loss and a penalty for each leaf."""
    return type(a) is type(b) and (type(a) is SolveResult or isinstance(a, AdditiveResult))


def _sentence(results: Sequence[SolveResult]) -> str:
    """What the frontier says of itself; of other sequences, over which trees was searched, if that is one answer."""
    if isinstance(results, Frontier):
        return results.sentence()
    scopes = {result.scope for result in results}
    return f"Searched over {scopes.pop()}." if len(scopes) == 1 else ""


def _same_answers(a: Tree, b: Tree) -> bool:
    """Whether two trees are of one kind and say the same classes, or as many numbers."""
    if a.kind is not b.kind or (a.classes is None) != (b.classes is None):
        return False
    if a.classes is None or b.classes is None:
        return a.n_outputs == b.n_outputs
    return list(map(str, a.classes)) == list(map(str, b.classes))
