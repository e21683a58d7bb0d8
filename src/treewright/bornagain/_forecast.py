"""How large a problem is, before it is solved: cells, boxes, memory, and leaves to expect."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright._arguments import check_arguments
from treewright.bornagain._engine import Engine
from treewright.bornagain._solve_groups import refuse_groups
from treewright.convert import Ensemble
from treewright.errors import InputError

__all__ = ["Forecast", "forecast"]


@dataclass(frozen=True)
class Forecast:
    """Size of the problem, computed before it is solved.

    Parameters
    ----------
    cells : float
        Cells between the thresholds (Vidal and Schiffer 2020, equation 1).
    reduced_cells, boxes : float or None
        Cells and boxes (equation 2) after planes without effect are dropped; None if there are too many cells
        to label.
    memory : float or None
        Minimum number of bytes that the exact method needs for its index; the values need more.
    heuristic_leaves : float or None
        Estimated leaves of the heuristic's tree, from random descents; None if not asked for.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from treewright.bornagain import Ensemble, forecast
    >>> forest = RandomForestClassifier(3, max_depth=1, random_state=0).fit([[1], [2], [3], [4]], [0, 0, 1, 1])
    >>> forecast(Ensemble.from_model(forest)).boxes
    3.0
    """

    cells: float
    reduced_cells: float | None
    boxes: float | None
    memory: float | None
    heuristic_leaves: float | None = None

    def sentence(self) -> str:
        """Say in one plain sentence what to expect.

        Returns
        -------
        str
        """
        words = f"{self.cells:.3g} cells"
        if self.boxes is not None:
            words += f", {self.boxes:.3g} boxes after dropping thresholds without effect"
        if self.heuristic_leaves is not None:
            words += f"; a faithful tree of about {self.heuristic_leaves:.3g} leaves is expected"
        return words + "."


def forecast(
    ensemble: Ensemble, *, descents: int = 0, cell_limit: float = 2e7, time_limit: float | None = 10.0
) -> Forecast:
    """Return how large the problem is, without solving it.

    Parameters
    ----------
    ensemble : Ensemble
    descents : int, default=0
        Random descents that estimate the leaves of the heuristic's tree; 0 estimates nothing.
    cell_limit : float, default=2e7
        Label all cells only if there are at most this many.
    time_limit : float or None, default=10.0
        Seconds for each of the two parts.

    Returns
    -------
    Forecast

    Raises
    ------
    InputError
        A number is below 0, or the domain of the ensemble has groups.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from treewright.bornagain import Ensemble, forecast
    >>> forest = RandomForestClassifier(3, max_depth=1, random_state=0).fit([[1], [2], [3], [4]], [0, 0, 1, 1])
    >>> forecast(Ensemble.from_model(forest)).cells
    4.0
    """
    check_arguments(forecast, locals(), "ensemble", "descents", "cell_limit", "time_limit")
    for name, value in (("descents", descents), ("cell_limit", cell_limit), ("time_limit", time_limit)):
        if value is not None and value < 0:
            raise InputError(f"{name}={value}; give 0 or more.")
    refuse_groups(ensemble, "forecast")
    engine = Engine(ensemble)
    seconds = np.inf if time_limit is None else float(time_limit)
    counts = engine.forecast(float(cell_limit), seconds)
    leaves = None
    if descents > 0:
        leaves = engine.hybrid(descents=descents, time_limit=seconds)["estimate"]
    return Forecast(
        counts["cells"], counts.get("reduced_cells"), counts.get("boxes"), counts.get("layout_bytes"), leaves
    )
