"""Kaplan-Meier curves of the leaves of a survival tree in one picture."""

from __future__ import annotations

import colorsys
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright._arguments import check_arguments
from treewright._plural import kind_of
from treewright.errors import InputError
from treewright.show._axes import INK, axes_or_new, tidy
from treewright.show._breaks import lines_of
from treewright.show._colours import GOLDEN_ANGLE, OKABE_ITO, rgb
from treewright.show._fonts import cover_letters
from treewright.show._rules import rules
from treewright.show._tree_of import tree_of
from treewright.tree import TreeKind

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_survival_curves"]

LINE = 40  # characters of a line of the legend
MOST_LINES = 4
SURE = 1.96  # standard errors of a 95 % band
MOST_DASHED = 8  # curves of different colours; from then on others are dashed


def plot_survival_curves(model: Any, *, digits: int = 4, bands: bool = False, ax: Axes | None = None) -> Axes:
    """Draw the share of the training rows of each leaf that is without the event, over time.

    Parameters
    ----------
    model : OptimalSurvivalTree
        Fitted.
    digits : int, default=4
        Significant digits of thresholds and hazard ratios.
    bands : bool, default=False
        Shade 1.96 standard errors of Greenwood around each curve; for rows without weights.
    ax : Axes, default=None
        None makes a figure.

    Returns
    -------
    Axes
        One curve per leaf to the last event in it, or of all if it has none; the largest hazard ratio comes first in
        the legend, which says the rule and the rows of the leaf.

    Raises
    ------
    InputError
        `model` is not a fitted survival tree.
    MissingDependencyError
        matplotlib is not installed (extra `plot`).

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from treewright import OptimalSurvivalTree
    >>> from treewright.show import plot_survival_curves
    >>> model = OptimalSurvivalTree(max_depth=1).fit([[20], [30], [40]], ([True, True, True], [9.0, 8.0, 1.0]))
    >>> plot_survival_curves(model, ax=Figure().subplots()).get_xlabel()
    'time'
    """
    check_arguments(plot_survival_curves, locals(), "digits", "ax")
    curves = getattr(model, "curves_", None)
    if curves is None:
        raise InputError(
            f"Survival curves need a fitted OptimalSurvivalTree, which keeps the curves of its leaves; this is "
            f"{kind_of(model)}."
        )
    tree = tree_of(model)
    assert tree.kind is TreeKind.SURVIVAL  # others have no curves
    said = {rule.leaf: rule for rule in rules(tree, digits=digits)}
    order = sorted((leaf for leaf in curves if leaf in said), key=lambda leaf: -float(tree.value[leaf, 0]))
    ax = axes_or_new(ax, 8.4, 4.0)
    last = max((float(curves[leaf].times[-1]) for leaf in order if len(curves[leaf].times)), default=1.0)
    for k, leaf in enumerate(order):
        curve = curves[leaf]
        colour = (
            rgb(OKABE_ITO[k])
            if len(order) < MOST_DASHED
            else colorsys.hls_to_rgb((GOLDEN_ANGLE * k) % 1.0, 0.42, 0.65)
        )
        times = np.concatenate(([0.0], curve.times))
        shares = 100 * np.concatenate(([1.0], curve.survival))
        if not len(curve.times):  # no event: the share stays
            times, shares = np.array([0.0, last]), np.array([100.0, 100.0])
        rule = said[leaf]
        conditions = " and ".join(rule.conditions) or "all rows"
        words = f"{lines_of(conditions, LINE, MOST_LINES)}\n{rule.label}, {rule.support}"
        ax.step(
            times,
            shares,
            where="post",
            color=colour,
            linewidth=1.8,
            linestyle="-" if k < MOST_DASHED else "--",
            label=words,
        )
        if bands and len(curve.times):
            error = 100 * np.concatenate(([0.0], np.nan_to_num(curve.standard_error)))
            low, high = np.clip(shares - SURE * error, 0, 100), np.clip(shares + SURE * error, 0, 100)
            ax.fill_between(times, low, high, step="post", color=colour, alpha=0.15, linewidth=0)
    ax.set_xlim(left=0)
    ax.set_ylim(0, 103)
    ax.set_xlabel("time", color=INK)
    ax.set_ylabel("without the event (%)", color=INK)
    tidy(ax, grid="y")
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1.01, 0.5), labelcolor=INK, fontsize=9)
    cover_letters(ax)
    return ax
