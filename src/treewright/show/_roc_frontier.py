"""The region of the ROC plane that trees can reach, and where a model lies in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treewright.errors import InputError
from treewright.search import RocFrontier, rounded_up
from treewright.show._axes import GREY, INK, axes_or_new, tidy
from treewright.show._colours import OKABE_ITO

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_roc_frontier"]

RATES = np.linspace(0.0, 1.0, 1001)


def plot_roc_frontier(frontier: RocFrontier, *, ax: Axes | None = None) -> Axes:
    """Draw the trees at the corners of a ROC frontier, and the curve above which no tree lies.

    Parameters
    ----------
    frontier : RocFrontier
        What `treewright.roc_frontier` returns.
    ax : Axes, default=None
        None makes a figure. Curves of models can be drawn on it, with `sklearn.metrics.RocCurveDisplay`.

    Returns
    -------
    Axes

    Raises
    ------
    InputError
        It is something else.
    MissingDependencyError
        matplotlib is not installed (extra `plot`).

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from treewright import roc_frontier
    >>> from treewright.show import plot_roc_frontier
    >>> frontier = roc_frontier([[1], [2], [3], [4]], [0, 1, 0, 1], max_depth=1)
    >>> plot_roc_frontier(frontier, ax=Figure().subplots()).get_xlabel()
    'false positive rate on training rows'
    """
    if not isinstance(frontier, RocFrontier):
        raise InputError(
            f"{type(frontier).__name__} is no ROC frontier; give what treewright.roc_frontier returns."
        )
    ax = axes_or_new(ax, 4.6, 4.4)
    bound = f"no tree above (area {rounded_up(frontier.auc_bound, 4)})"
    ax.fill_between(
        RATES, frontier.upper(RATES), 1.0, color=OKABE_ITO[4], alpha=0.35, linewidth=0, label=bound
    )
    x = [point.false_positive_rate for point in frontier]
    y = [point.true_positive_rate for point in frontier]
    ax.plot(x, y, "o-", color=INK, linewidth=1.2, markersize=4, label="trees found")
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, linestyle=":")
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
    ax.set_xlabel("false positive rate on training rows", color=INK)
    ax.set_ylabel("true positive rate on training rows", color=INK)
    ax.legend(frameon=False, loc="lower right", labelcolor=INK)
    tidy(ax)
    return ax
