"""Accuracy against sparsity: what each leaf more can gain, and what is proven about it.

For every number of leaves the best tree's loss, as in the papers' figures of sparsity and accuracy. Where a tree is not
proven optimal, the loss may still fall to the bound: that room is shaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from treewright._arguments import check_arguments
from treewright.errors import InputError
from treewright.result import RegressionResult, SolveResult, SolveStatus
from treewright.show._axes import GREY, INK, axes_or_new, tidy
from treewright.show._colours import OKABE_ITO
from treewright.show._tree_of import result_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_frontier"]


def plot_frontier(
    results: Sequence[SolveResult] | Any,
    *,
    chosen: int | None = None,
    measure: str = "accuracy",
    ax: Axes | None = None,
) -> Axes:
    """Draw training accuracy (or loss) against the number of leaves.

    Parameters
    ----------
    results : sequence of SolveResult, or fitted estimator
        For example what `treewright.accuracy_frontier` returns; the order does not matter. Of an estimator its
        ``frontier_`` is drawn (`OptimalTreeClassifierCV`), otherwise its one result.
    chosen : int or None, default=None
        Position in `results` of the tree to mark.
    measure : {"accuracy", "loss"}, default="accuracy"
        Accuracy is 1 - loss; of regression trees that is the share of the variance (or other loss) that they explain.
    ax : Axes, default=None
        None makes a figure.

    Returns
    -------
    Axes
        Filled marks are proven, hollow ones are not; the shaded bars reach to the bound.

    Raises
    ------
    InputError
        There are no results, `chosen` is none of them, or `measure` is another word.
    MissingDependencyError
        matplotlib is not installed (extra `plot`).

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from treewright import accuracy_frontier
    >>> from treewright.show import plot_frontier
    >>> frontier = accuracy_frontier([[20], [30], [40]], [0, 0, 1], max_leaves=2)
    >>> plot_frontier(frontier, ax=Figure().subplots()).get_xlabel()
    'leaves'
    """
    check_arguments(plot_frontier, locals(), "chosen", "ax")
    if isinstance(results, str):
        raise InputError(
            f"results={results!r:.60}; give what `accuracy_frontier` returned, or a fitted estimator."
        )
    results = _results(results)
    if not len(results):
        raise InputError("results is empty; give at least one SolveResult.")
    if chosen is not None and not 0 <= chosen < len(results):
        raise InputError(f"chosen={chosen!r} is not a position among {len(results)} results.")
    if measure not in ("accuracy", "loss"):
        raise InputError(f"measure={measure!r}; choose 'accuracy' or 'loss'.")
    ax = axes_or_new(ax, 6.0, 3.6)
    points = sorted(results, key=lambda result: (result.tree.n_leaves, result.loss))
    leaves = [result.tree.n_leaves for result in points]

    def shown(loss: float) -> float:
        return 100 * (1 - loss if measure == "accuracy" else loss)

    losses = [shown(result.loss) for result in points]
    colour = OKABE_ITO[0]
    ax.step(leaves, losses, where="post", color=colour, linewidth=1.2, alpha=0.6, zorder=2)
    for proven in (True, False):
        here = [p for p in points if (p.status is SolveStatus.OPTIMAL) == proven]
        if not here:
            continue
        x, y = [p.tree.n_leaves for p in here], [shown(p.loss) for p in here]
        face = colour if proven else "white"
        label = "proven optimal" if proven else "best found"
        ax.scatter(x, y, s=34, facecolor=face, edgecolor=colour, linewidth=1.4, zorder=4, label=label)
        if not proven:
            ends = [shown(_loss_bound(p)) for p in here]
            heights = [end - start for start, end in zip(y, ends, strict=True)]
            ax.bar(
                x,
                heights,
                bottom=y,
                width=0.5,
                color=OKABE_ITO[4],
                alpha=0.35,
                zorder=1,
                label="not excluded",
            )
    if chosen is not None:
        pick = results[chosen]
        at = (pick.tree.n_leaves, shown(pick.loss))
        ax.scatter(
            *at, s=150, facecolor="none", edgecolor=OKABE_ITO[5], linewidth=2, zorder=5, label="chosen"
        )
    ax.set_xlabel("leaves")
    first = points[0]
    if isinstance(first, RegressionResult):
        of = first.loss_in_words
        ax.set_ylabel(f"{of} {'explained' if measure == 'accuracy' else 'left'} on training rows (%)")
    else:
        ax.set_ylabel(f"training {measure} (%)")
    from matplotlib.ticker import MaxNLocator

    ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    ax.legend(frameon=False, loc="lower right" if measure == "accuracy" else "upper right", labelcolor=INK)
    tidy(ax, grid="y")
    ax.yaxis.label.set_color(INK)
    ax.xaxis.label.set_color(INK)
    ax.spines["bottom"].set_color(GREY)
    return ax


def _results(given: Any) -> Sequence[SolveResult]:
    """The results to draw: a sequence as it is, the front of an estimator that has one, else one result."""
    if isinstance(given, SolveResult):
        return [given]
    if isinstance(given, Sequence):
        return given
    front = getattr(given, "frontier_", None)
    return front if isinstance(front, Sequence) else [result_of(given)]


def _loss_bound(result: SolveResult) -> float:
    """No tree of as many leaves has a smaller loss: it would pay the same for its leaves."""
    return max(0.0, result.lower_bound - (result.objective - result.loss))
