"""How a search closed in on the optimum: the best objective and the proven bound over time (OSDT, Figure 2)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from treewright._plural import kind_of
from treewright.errors import InputError
from treewright.result import SolveResult, SolveStatus
from treewright.show._axes import GREY, INK, axes_or_new, tidy
from treewright.show._colours import OKABE_ITO
from treewright.show._tree_of import result_of
from treewright.tree import at_least

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ProgressRecorder", "plot_search_progress"]


class _State(Protocol):
    """What is read of a `treewright.search.Progress`."""

    @property
    def seconds(self) -> float: ...
    @property
    def objective(self) -> float: ...
    @property
    def lower_bound(self) -> float: ...


class ProgressRecorder:
    """A progress callback that stores the states it gets: give it as ``progress=`` to a search or an estimator.

    Parameters
    ----------
    then : callable or None, default=None
        Another callback to pass each state on to; if it returns True the search stops.

    Attributes
    ----------
    states : list of treewright.search.Progress
        In order; only states in which the objective or the bound had changed.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import OptimalTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> recorder = ProgressRecorder()
    >>> model = OptimalTreeClassifier(progress=recorder).fit(X, y)
    >>> all(a.lower_bound <= b.lower_bound for a, b in zip(recorder.states, recorder.states[1:]))
    True
    """

    def __init__(self, then: Callable[[Any], Any] | None = None) -> None:
        self.then = then
        self.states: list[_State] = []

    def __call__(self, state: _State) -> Any:
        """Keep a state; returns what `then` returns."""
        last = self.states[-1] if self.states else None
        if last is None or (state.objective, state.lower_bound) != (last.objective, last.lower_bound):
            self.states.append(state)
        return self.then(state) if self.then is not None else None


def plot_search_progress(
    recorder: ProgressRecorder, result: SolveResult | Any | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the objective of the best tree and the lower bound over time; the tree is optimal where they meet.

    Parameters
    ----------
    recorder : ProgressRecorder
        That has watched a search.
    result : SolveResult, fitted estimator or None, default=None
        Of the same search; draws its end, which may come after the last report.
    ax : Axes, default=None
        None makes a figure.

    Returns
    -------
    Axes

    Raises
    ------
    MissingDependencyError
        matplotlib is not installed (extra `plot`).
    InputError
        Nothing was recorded and there is no result, or the first argument is no recorder.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.show import ProgressRecorder, plot_search_progress
    >>> recorder = ProgressRecorder()
    >>> model = OptimalTreeClassifier(progress=recorder).fit([[20], [30], [40]], [0, 0, 1])
    >>> plot_search_progress(recorder, model, Figure().subplots()).get_xlabel()
    'seconds'
    """
    if not hasattr(recorder, "states"):
        raise InputError(
            f"The search is drawn from what a ProgressRecorder has seen of it; this is {kind_of(recorder)}. Fit with "
            "progress=recorder, then call plot_search_progress(recorder, model)."
        )
    points = [(state.seconds, state.objective, state.lower_bound) for state in recorder.states]
    if result is not None and not isinstance(result, SolveResult):
        result = result_of(result)
    if result is not None:
        seconds = float(result.stats.get("seconds", points[-1][0] if points else 0.0))
        points.append((max(seconds, points[-1][0] if points else 0.0), result.objective, result.lower_bound))
    if not points:
        raise InputError(
            "The recorder has seen no state: give it as progress= to the search first. Short searches report "
            "little; add result=model.result_ to draw their end."
        )
    ax = axes_or_new(ax, 6.0, 3.4)
    if len(points) == 1:  # a line needs two ends
        points.insert(0, (0.0, *points[0][1:]))
    times = [point[0] for point in points]
    best = [point[1] if math.isfinite(point[1]) else math.nan for point in points]
    bound = [point[2] for point in points]
    ax.fill_between(times, bound, best, step="post", color=OKABE_ITO[4], alpha=0.18, linewidth=0)
    ax.step(times, best, where="post", color=OKABE_ITO[5], linewidth=1.8, label="best tree so far")
    ax.step(
        times, bound, where="post", color=OKABE_ITO[0], linewidth=1.8, linestyle="--", label="proven bound"
    )
    end, objective, lower = points[-1]
    met = objective - lower <= 1e-9 * max(1.0, objective)
    if result is not None:
        met = result.status is SolveStatus.OPTIMAL
    if met:
        ax.plot([end], [objective], marker="o", color=INK, markersize=6, clip_on=False, zorder=5)
    _label_ends(ax, met, objective, lower)
    known = [value for value in (*best, *bound) if math.isfinite(value)]
    room = 0.12 * (max(known) - min(known) or max(known) or 1.0)
    ax.set_ylim(max(0.0, min(known) - room), max(known) + room)
    ax.set_xlim(0.0, times[-1] or 1.0)
    ax.set_xlabel("seconds")
    ax.set_ylabel("objective")
    ax.legend(frameon=False, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2, labelcolor=INK)
    tidy(ax, grid="y")
    return ax


def _label_ends(ax: Axes, met: bool, objective: float, lower: float) -> None:
    """Write the last values beside the lines."""
    style: dict[str, Any] = {
        "xycoords": ("axes fraction", "data"),
        "textcoords": "offset points",
        "xytext": (6, 0),
        "va": "center",
        "color": GREY,
        "fontsize": 9,
        "annotation_clip": False,
    }
    if met:
        ax.annotate(f"proven\n{objective:.4f}", (1.0, objective), **style)
        return
    ax.annotate(f"{objective:.4f}", (1.0, objective), **style)
    ax.annotate(at_least(lower, 4), (1.0, lower), **style)
