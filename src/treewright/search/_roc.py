"""The region of the ROC plane that trees can reach, as trees at its corners and proven lines beyond which none lies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.errors import InputError
from treewright.result import SolveStatus, StopReason, asked_to_stop, constraints_in_words
from treewright.tree import Tree, at_most

__all__ = ["RocFrontier", "RocLine", "RocPoint", "rounded_up"]

ROUNDING = 1e-12  # of rates and areas, upwards: sums of some hundred numbers below 1


def rounded_up(bound: float, places: int = 6) -> str:
    """Return an upper bound in few digits, rounded up; what it has on top for rounding errors does not count.

    Parameters
    ----------
    bound : float
        Up to 1.
    places : int, default=6

    Examples
    --------
    >>> from treewright.search._roc import rounded_up
    >>> rounded_up(0.6826923), rounded_up(0.75 + 1e-12), rounded_up(1.0)
    ('0.682693', '0.75', '1')
    """
    return f"{float(at_most(bound - 2 * ROUNDING, places)):g}"


@dataclass(frozen=True, eq=False)
class RocPoint:
    """A tree with labels in its leaves.

    Parameters
    ----------
    false_positive_rate, true_positive_rate : float
        On the training rows.
    tree : Tree

    Examples
    --------
    >>> from treewright import roc_frontier
    >>> roc_frontier([[1], [2], [3], [4]], [0, 1, 0, 1], max_depth=1)[1]
    RocPoint(false_positive_rate=0.0, true_positive_rate=0.5)
    """

    false_positive_rate: float
    true_positive_rate: float
    tree: Tree = field(repr=False)


@dataclass(frozen=True)
class RocLine:
    """What is proven about every tree: ``slope * false_positive_rate + false_negative_rate >= least``.

    Parameters
    ----------
    slope : float
        Above 0.
    least : float

    Examples
    --------
    >>> from treewright import roc_frontier
    >>> roc_frontier([[1], [2], [3], [4]], [0, 1, 0, 1], max_depth=1).lines[0]
    RocLine(slope=1.0, least=0.5)
    """

    slope: float
    least: float


@dataclass(frozen=True, eq=False, repr=False)
class RocFrontier(Sequence[RocPoint]):
    """The best trade-offs of trees between false and true positives: a sequence of `RocPoint`, from (0, 0) to (1, 1).

    Parameters
    ----------
    points : tuple of RocPoint
        Corners of the convex hull of what was found.
    lines : tuple of RocLine
        No tree lies beyond any of them.
    status : SolveStatus
        OPTIMAL if the hull is that of all trees: every side was searched, and `auc_bound` exceeds the area under the
        points by at most 1e-6 (``stats["tolerance"]``). A difference remains if the search rounds weights; on many rows
        this can happen with whole weights, too. Otherwise the status is FEASIBLE; `upper` and `auc_bound` are valid in
        this case as well.
    scope : str
        Over which splits.
    options : mapping
        The limits of the trees.
    stop_reason : StopReason or None
    stats : mapping
        Searches, steps and seconds.
    notes : tuple of str

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from treewright import roc_frontier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> frontier = roc_frontier(X, y, max_depth=1)
    >>> len(frontier), frontier.status.value, round(frontier.auc_bound, 3)
    (14, 'proven optimal', 0.979)
    """

    points: tuple[RocPoint, ...]
    lines: tuple[RocLine, ...]
    status: SolveStatus
    scope: str
    options: Mapping[str, Any] = field(default_factory=dict)
    stop_reason: StopReason | None = None
    stats: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def asked_to_stop(self) -> StopReason | None:
        """Whether a user ended the run: INTERRUPT (Ctrl-C), CALLBACK, or None."""
        return asked_to_stop(self.stop_reason, self.stats)

    def __len__(self) -> int:
        return len(self.points)

    @overload
    def __getitem__(self, index: int) -> RocPoint: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[RocPoint, ...]: ...

    def __getitem__(self, index: int | slice) -> RocPoint | tuple[RocPoint, ...]:
        return self.points[index]

    def __iter__(self) -> Iterator[RocPoint]:
        return iter(self.points)

    def __repr__(self) -> str:
        bound = rounded_up(self.auc_bound, 4)
        return f"<RocFrontier: {len(self)} points, no AUC above {bound}, {self.status.value}>"

    @property
    def auc_bound(self) -> float:
        """No tree has a larger area under its ROC curve on the training rows, whatever scores its leaves give."""
        slope, least = self._lines()
        with np.errstate(divide="ignore", invalid="ignore"):
            crossings = (least[:, None] - least) / (slope[:, None] - slope)
            zeros = least / slope
        x = np.concatenate([[0.0, 1.0], crossings.ravel(), zeros])
        x = np.unique(x[np.isfinite(x) & (x >= 0) & (x <= 1)])
        return min(1.0, float(np.trapezoid(self._upper(x), x)) + ROUNDING)

    def upper(self, false_positive_rate: ArrayLike) -> NDArray[np.float64]:
        """Return the largest true positive rate that any tree can have.

        Parameters
        ----------
        false_positive_rate : array-like of float
            0 to 1.

        Raises
        ------
        InputError
            A rate is outside that range.

        Examples
        --------
        >>> from treewright import roc_frontier
        >>> roc_frontier([[1], [2], [3], [4]], [0, 1, 0, 1]).upper([0, 0.5, 1]).round(6).tolist()
        [1.0, 1.0, 1.0]
        >>> roc_frontier([[1], [2], [3], [4]], [0, 1, 0, 1], max_depth=1).upper([0, 0.5, 1]).round(6).tolist()
        [0.5, 1.0, 1.0]
        """
        x = np.asarray(false_positive_rate, dtype=np.float64)
        if not ((x >= 0) & (x <= 1)).all():
            raise InputError(f"false_positive_rate={false_positive_rate!r}; give rates from 0 to 1.")
        return self._upper(x)

    def _upper(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        slope, least = self._lines()
        missed = np.zeros(x.shape)
        for a, b in zip(slope, least, strict=True):
            np.maximum(missed, b - a * x, out=missed)
        return np.minimum(1.0, 1.0 - missed + ROUNDING)

    def sentence(self) -> str:
        """Return what is proven, in words.

        Examples
        --------
        >>> from treewright import roc_frontier
        >>> print(roc_frontier([[1], [2], [3], [4]], [0, 1, 0, 1], max_depth=1).sentence())
        No tree of depth at most 1 over all thresholds has an area under the ROC curve above 0.875 on these rows.
        """
        limits, bound = constraints_in_words(self.options), rounded_up(self.auc_bound)
        return (
            f"No tree{limits} over {self.scope} has an area under the ROC curve above {bound} on these rows."
        )

    def _lines(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return np.array([line.slope for line in self.lines]), np.array([line.least for line in self.lines])
