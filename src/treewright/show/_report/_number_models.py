"""Other regression models on the same rows: what each leaves of the loss of a single leaf, and the difference.

Two models are compared row by row: the interval of the mean difference of their losses says more than intervals of
both, for hard rows are hard for both.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from treewright.show._report._cells import Cell, Grid, Row, estimate_cells, heads, number, words
from treewright.show._report._estimates import Estimate, mean_of_rows
from treewright.show._report._losses import Loss
from treewright.show._report._models import LARGE, fitted, models_of_numbers
from treewright.show._report._rows import Rows
from treewright.show._report._task import Context
from treewright.tree import Tree, leaves_in_words

__all__ = ["compare_numbers"]

ROUNDING = 1e-12  # relative, of predictions that are sums in another order

Answers = NDArray[np.float64]


def compare_numbers(
    context: Context, loss: Loss, others: Mapping[str, Tree], fit_models: bool
) -> Grid | None:
    """Return the report's tree, the trees in `others`, and models that are fitted here; None if it is alone."""
    tree, train, test = context.tree, context.train, context.test
    shown = [("This tree", leaves_in_words(tree), _of(tree, train), _of(tree, test))]
    shown += [
        (name, leaves_in_words(each), _of(each, train), _of(each, test)) for name, each in others.items()
    ]
    if fit_models and (train.y != train.y[0]).any():
        shown += _fitted(context, loss)
    if len(shown) < 2:
        return None
    seen = context.seen
    single = _losses(loss, seen, np.broadcast_to(tree.value[0], seen.y.shape))
    mean = float(single.mean())
    unit = 100 / mean if mean > 0 else math.nan  # percent of the loss of a single leaf
    own_numbers = shown[0][2] if test is None else shown[0][3]
    own = _losses(loss, seen, own_numbers)
    gaps, lines = [], []
    for name, size, on_train, on_test in shown:
        cells = [words(size, "size"), number(_left(loss, train, on_train, tree), "left on training rows")]
        if test is not None:
            cells.append(number(_left(loss, test, on_test, tree), "left on test rows"))
        numbers = on_train if test is None else on_test
        # Sums that were added up in another order: equal trees are equally good, not 2e-15 apart.
        same = np.isclose(numbers, own_numbers, rtol=ROUNDING, atol=0.0)
        with np.errstate(invalid="ignore"):  # infinite losses of both
            gap = mean_of_rows(_losses(loss, seen, np.where(same, own_numbers, numbers)) - own)
        gaps.append(Estimate(unit * gap.value, unit * gap.low, unit * gap.high, gap.rows))
        lines.append((name, cells))
    beside = estimate_cells(gaps[1:], "points more than this tree")
    rows = [Row(words(lines[0][0]), (*lines[0][1], Cell()), is_own=True)]
    rows += [Row(words(name), (*cells, gap)) for (name, cells), gap in zip(lines[1:], beside, strict=True)]
    head = ["Model", "Size", "#left on training rows", *([] if test is None else ["#left on test rows"])]
    caption = (
        f"The {loss.name} that is left, as a share of that of one leaf. scikit-learn's models have their own defaults. "
        "\u201cMore than this tree\u201d is the mean difference over the same rows in points of that share: below 0 "
        "the other is better; an interval that holds 0 decides nothing."
    )
    return Grid(caption, heads(*head, "points more than this tree"), tuple(rows))


def _of(tree: Tree, rows: Rows | None) -> Answers:
    if rows is None:
        return np.empty((0, tree.n_outputs))
    return np.asarray(tree.predict(rows.X), dtype=np.float64).reshape(len(rows), tree.n_outputs)


def _losses(loss: Loss, rows: Rows, said: Answers) -> Answers:
    """The losses of all outputs of each row."""
    lost = [loss.rows(rows.y[:, k], said[:, k]) for k in range(rows.y.shape[1])]
    return np.asarray(np.sum(lost, axis=0), dtype=np.float64)


def _left(loss: Loss, rows: Rows, said: Answers, tree: Tree) -> str:
    single = _losses(loss, rows, np.broadcast_to(tree.value[0], rows.y.shape)).sum()
    lost = _losses(loss, rows, said).sum()
    return f"{100 * lost / single:,.1f}%" if single > 0 and math.isfinite(lost) else "not known"


def _fitted(context: Context, loss: Loss) -> list[tuple[str, str, Answers, Answers]]:
    tree, train, test = context.tree, context.train, context.test
    greedy = {"max_leaf_nodes": tree.n_leaves, "max_depth": context.option("max_depth") or None}
    n_outputs = tree.n_outputs
    models = models_of_numbers(
        greedy, loss.criterion, loss.quantile, n_outputs, len(train), train.X.size > LARGE
    )
    y = train.y[:, 0] if n_outputs == 1 else train.y
    made = fitted(models, tree.columns, train.X, y, None if test is None else test.X)
    n_test = 0 if test is None else len(test)
    return [
        (name, size, on_train.reshape(len(train), n_outputs), on_test.reshape(n_test, n_outputs))
        for name, size, on_train, on_test in made
    ]
