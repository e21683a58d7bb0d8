"""How often each leaf is right, and how sure that is: a bar a leaf with its Wilson interval, train and test.

A small leaf may be all right by luck; the interval says so, and the test rows do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._arguments import check_arguments, refuse_lossy
from treewright.errors import InputError
from treewright.show._axes import GREY, INK, axes_or_new, tidy
from treewright.show._breaks import lines_of
from treewright.show._colours import OKABE_ITO, rgb, tint
from treewright.show._fonts import cover_letters
from treewright.show._report._rules import leaf_rule
from treewright.show._rules import Rule, rules
from treewright.show._tree_of import TreeLike, tree_with_rows
from treewright.show._words import printable
from treewright.table import encode_like
from treewright.tree import Tree, label_positions, wilson_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_leaf_accuracies"]

BLUE = rgb(OKABE_ITO[0])
LINE = 54  # characters of a line beside a bar
MOST_LINES = 2  # of a condition; the rest is cut
MOST_OF_RULE = 6  # lines
INCHES = 0.17  # a line of text


def plot_leaf_accuracies(
    tree: TreeLike,
    X: Any,
    y: ArrayLike,
    X_test: Any = None,
    y_test: ArrayLike | None = None,
    *,
    digits: int = 4,
    ax: Axes | None = None,
) -> Axes:
    """Draw the share of rows that each leaf predicts right, with 95% Wilson intervals.

    Parameters
    ----------
    tree : Tree, result or fitted estimator
        Of classification.
    X : array-like or frame of shape (n_rows, n_columns)
        Training rows.
    y : array-like of shape (n_rows,)
        Their labels.
    X_test, y_test : as `X` and `y`, default=None
        Rows that the tree has not seen; drawn as marks.
    digits : int, default=4
        Significant digits of thresholds.
    ax : Axes, default=None
        None makes a figure of the height that the leaves need.

    Returns
    -------
    Axes
        One bar per leaf, in the order of the tree, with its rule, its prediction and its rows.

    Raises
    ------
    InputError
        The tree predicts numbers, only one of `X_test` and `y_test` is given, or lengths differ.
    MissingDependencyError
        matplotlib is not installed (extra `plot`).

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.show import plot_leaf_accuracies
    >>> X, y = [[20], [30], [40]], [0, 0, 1]
    >>> plot_leaf_accuracies(OptimalTreeClassifier().fit(X, y), X, y, ax=Figure().subplots()).get_xlabel()
    'rows predicted right (%), with 95% intervals'
    """
    check_arguments(plot_leaf_accuracies, locals(), "digits", "ax")
    tree = tree_with_rows(tree)
    if not tree.predicts_classes:
        raise InputError(
            f"Leaf accuracies need a classification tree; this one predicts {tree.kind.answers}. What its leaves are "
            "worth is in treewright.show.report."
        )
    if (X_test is None) != (y_test is None):
        raise InputError("Give both X_test and y_test, or neither.")
    train = _count(tree, X, y, "y")
    test = None if y_test is None else _count(tree, X_test, y_test, "y_test")
    found = rules(tree, digits=digits)
    names = [_name(tree, rule, digits) for rule in found]
    most = max(name.count("\n") for name in names) + 1
    ax = axes_or_new(ax, 9.0, 1.1 + (0.14 + INCHES * max(most, 2)) * max(len(found), 2))
    for place, rule in enumerate(found):
        _bar(ax, place, *train[rule.leaf])
        if test is not None:
            _mark(ax, place, *test[rule.leaf])
        counts = f"{train[rule.leaf][1]:,}" + ("" if test is None else f" / {test[rule.leaf][1]:,}")
        ax.annotate(
            counts,
            (1.0, place),
            xycoords=("axes fraction", "data"),
            xytext=(8, 0),
            textcoords="offset points",
            va="center",
            color=GREY,
            fontsize=9,
            annotation_clip=False,
        )
    head = "rows" if test is None else "train / test rows"
    ax.annotate(
        head,
        (1.0, 1.0),
        xycoords="axes fraction",
        xytext=(8, 4),
        textcoords="offset points",
        color=GREY,
        fontsize=9,
    )
    ax.set_yticks(range(len(found)), names, fontsize=9)
    for text in ax.get_yticklabels():
        text.set_parse_math(False)
    ax.set_ylim(len(found) - 0.4, -0.6)
    ax.set_xlim(0, 100)
    ax.set_xlabel("rows predicted right (%), with 95% intervals")
    tidy(ax, grid="x")
    ax.tick_params(axis="y", length=0)
    _legend(ax, test is not None)
    cover_letters(ax)
    return ax


def _name(tree: Tree, rule: Rule, digits: int | None) -> str:
    """A rule and its prediction, as many lines as it needs up to a limit."""
    asked = [f"{part.before}{part.subject} {part.after}" for part in leaf_rule(tree, rule.leaf, digits) or ()]
    lines = [
        lines_of(condition + (" and" if at + 1 < len(asked) else ""), LINE, MOST_LINES)
        for at, condition in enumerate(asked)
    ] or ["every row"]
    text = "\n".join(lines).split("\n")
    if len(text) > MOST_OF_RULE:
        text = [*text[: MOST_OF_RULE - 1], "…"]
    return "\n".join([*text, f"→ {lines_of(printable(str(rule.prediction)), LINE, 1)}"])


def _count(tree: Tree, X: Any, y: ArrayLike, name: str) -> dict[int, tuple[int, int]]:
    """Right rows and rows of each leaf."""
    assert tree.classes is not None  # checked by the caller
    leaf = tree.apply(encode_like(X, tree.columns, needed=tree.asked))
    refuse_lossy(name, y)
    labels: NDArray[Any] = np.asarray(y)
    if labels.shape != leaf.shape:
        raise InputError(f"{name} has shape {labels.shape}; its rows are {len(leaf)}.")
    known = label_positions(labels, tree.classes, f"{name} holds", _advice(labels, tree.classes))
    right = tree.prediction[leaf] == known
    return {
        int(node): (int(right[leaf == node].sum()), int((leaf == node).sum()))
        for node in np.flatnonzero(tree.is_leaf)
    }


def _advice(labels: NDArray[Any], classes: NDArray[Any]) -> str:
    """What to do about labels that the tree does not know."""
    if set(map(str, labels.tolist())) <= set(map(str, classes.tolist())):
        return f"They read the same, but are {labels.dtype} here and {classes.dtype} in the tree; give them as in fit."
    return "Give the labels as they were in fit."


def _bar(ax: Axes, place: int, right: int, rows: int) -> None:
    if not rows:
        return
    low, high = wilson_interval(right, rows)
    ax.barh(place, 100 * right / rows, height=0.5, color=tint(BLUE, 0.35), zorder=2)
    ax.plot(
        [100 * low, 100 * high], [place, place], color=BLUE, linewidth=1.6, zorder=3, solid_capstyle="butt"
    )


def _mark(ax: Axes, place: int, right: int, rows: int) -> None:
    if not rows:
        return
    low, high = wilson_interval(right, rows)
    below = place + 0.34
    ax.plot([100 * low, 100 * high], [below, below], color=OKABE_ITO[5], linewidth=1.2, zorder=3)
    ax.plot([100 * right / rows], [below], "D", color=OKABE_ITO[5], markersize=4.5, zorder=4, clip_on=False)


def _legend(ax: Axes, with_test: bool) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    entries: list[Any] = [Patch(facecolor=tint(BLUE, 0.35), edgecolor=BLUE, label="training rows")]
    if with_test:
        entries.append(Line2D([], [], color=OKABE_ITO[5], marker="D", markersize=4.5, label="test rows"))
        ax.legend(
            handles=entries,
            loc="lower left",
            bbox_to_anchor=(0.0, 1.0),
            ncols=2,
            frameon=False,
            labelcolor=INK,
        )
