"""Which thresholds a tree may use: those of a reference ensemble, less the ones it can do without.

Column elimination (McTavish et al. 2022, section 4.1): 1) take all thresholds of the reference; 2) remove
the one of least Gini importance; 3) fit the ensemble again on the 0/1 columns that are left; 4) go on until
its training performance falls by more than a tolerance, and put the last one back.

Performance is the weighted share of right predictions of the ensemble that was fitted on ALL the 0/1
columns; so the first fit is not the reference itself but its copy on 0/1 columns, as in the authors'
program. Each re-fit is `BinaryBoosting`'s where that is certain to equal scikit-learn's, else, and on small
tables, repeated with scikit-learn's own trees (`TieBreaking`), and scikit-learn's own fit where neither is known to be
equal.

Two thresholds of one column that divide the training rows alike are one threshold here (``merge_equal``):
keeping both would let chance share the importance of one question between two columns.

Cost: one fit of the reference, and one re-fit for each threshold removed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._numbers import is_real
from treewright.errors import InputError
from treewright.guess._boosting import BinaryBoosting, can_boost
from treewright.guess._models import ModelThreshold, importances, thresholds_of
from treewright.guess._reference import Reference, fit_model
from treewright.guess._tie_breaking import Refit, TieBreaking

__all__ = ["Elimination", "InputThreshold", "eliminate_columns", "thresholds_in_use"]

SMALL = 20_000  # rows x columns x depth: below, scikit-learn grows a tree faster than ours is computed


@dataclass(frozen=True, slots=True)
class InputThreshold:
    """A threshold of one column of the reference's input; ``x <= threshold`` goes left.

    Parameters
    ----------
    position : int
    threshold : float
        Divides the training rows exactly as the model does.
    """

    position: int
    threshold: float


@dataclass(frozen=True, eq=False)
class Elimination:
    """What column elimination kept.

    Parameters
    ----------
    kept : tuple of InputThreshold
        By column, then threshold.
    columns : ndarray of shape (n_kept, n_rows), uint8
        1 where the row goes left.
    removed : tuple of InputThreshold
        In the order of removal.
    predictions : ndarray of shape (n_rows,), int32
        Predictions of the last ensemble that performed well enough, on the kept columns (T' in Theorem 4.1).
    error_before, error_after : float
        Weighted share of wrong predictions on all columns, and on the kept ones.
    n_refits : int
        Ensembles fitted on 0/1 columns.
    n_refits_by_model : int
        How many of them were fitted by the model itself, not by the shortcut.
    was_stopped : bool, default=False
        Whether `is_over` ended it, so that thresholds may be left that the ensemble can do without.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.guess import eliminate_columns, make_reference, named_reference
    >>> from treewright.table import table_from
    >>> y = np.array([0, 0, 1], dtype=np.int32)
    >>> table, model = table_from([[20], [30], [40]]), named_reference("gbdt", n_estimators=5)
    >>> found = eliminate_columns(make_reference(model, table, y, np.array([0, 1]), np.ones(3)), y, np.ones(3))
    >>> found.error_before, found.error_after
    (0.0, 0.0)
    """

    kept: tuple[InputThreshold, ...]
    columns: NDArray[np.uint8]
    removed: tuple[InputThreshold, ...]
    predictions: NDArray[np.int32]
    error_before: float
    error_after: float
    n_refits: int
    n_refits_by_model: int
    was_stopped: bool = False


def thresholds_in_use(reference: Reference, merge_equal: bool = True) -> tuple[InputThreshold, ...]:
    """Return the thresholds of the reference that separate training rows, by column, then threshold.

    Parameters
    ----------
    reference : Reference
    merge_equal : bool, default=True
        Keep one of several thresholds that divide the rows alike (the smallest).

    Returns
    -------
    tuple of InputThreshold

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.guess import make_reference, named_reference, thresholds_in_use
    >>> from treewright.table import table_from
    >>> y = np.array([0, 0, 1], dtype=np.int32)
    >>> table, model = table_from([[20], [30], [40]]), named_reference("gbdt", n_estimators=5)
    >>> reference = make_reference(model, table, y, np.array([0, 1]), np.ones(3))
    >>> len(thresholds_in_use(reference))
    1
    """
    by_input: dict[int, set[ModelThreshold]] = {}
    for found in thresholds_of(reference.model):
        by_input.setdefault(found.position, set()).add(
            ModelThreshold(found.position, found.threshold, found.single, found.strict, 0.0)
        )
    out: list[InputThreshold] = []
    for position, splits in sorted(by_input.items()):
        x = reference.X[:, position]
        values = np.unique(x[~np.isnan(x)])
        taken: set[int] = set()
        written: set[float] = set()
        for split in sorted(splits, key=lambda s: (s.threshold, s.strict)):
            n_left = int(split.goes_left(values).sum())
            if n_left in (0, len(values)) or (merge_equal and n_left in taken):
                continue
            taken.add(n_left)
            threshold = split.threshold
            if not values[n_left - 1] <= threshold < values[n_left]:  # rounded to float32, or strict
                threshold = float(values[n_left - 1] / 2 + values[n_left] / 2)
                if not values[n_left - 1] <= threshold < values[n_left]:
                    threshold = float(values[n_left - 1])
            if threshold not in written:
                written.add(threshold)
                out.append(InputThreshold(position, threshold))
    return tuple(out)


def eliminate_columns(
    reference: Reference,
    y: NDArray[np.int32],
    weight: NDArray[np.float64],
    *,
    tolerance: float = 0.0,
    merge_equal: bool = True,
    shortcuts: bool = True,
    is_over: Callable[[], bool] | None = None,
) -> Elimination:
    """Remove the reference's least important thresholds one by one.

    Parameters
    ----------
    reference : Reference
    y : ndarray of shape (n_rows,), int32
    weight : ndarray of shape (n_rows,), float64
    tolerance : float, default=0
        Largest allowed decrease of training accuracy, as a fraction; 0 allows none.
    merge_equal : bool, default=True
        See `thresholds_in_use`.
    shortcuts : bool, default=True
        Re-fit with `BinaryBoosting` if it equals the model; with False the model is fitted each time.
    is_over : callable, default=None
        When it returns True, no more thresholds are removed.

    Returns
    -------
    Elimination

    Raises
    ------
    InputError
        The reference has no threshold that separates rows, or `tolerance` is not a number from 0 to 1.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.guess import eliminate_columns, make_reference, named_reference
    >>> from treewright.table import table_from
    >>> y = np.array([0, 0, 1], dtype=np.int32)
    >>> table, model = table_from([[20], [30], [40]]), named_reference("gbdt", n_estimators=5)
    >>> reference = make_reference(model, table, y, np.array([0, 1]), np.ones(3))
    >>> len(eliminate_columns(reference, y, np.ones(3)).kept)
    1
    """
    if not is_real(tolerance) or not 0 <= tolerance <= 1:
        raise InputError(
            f"tolerance={tolerance!r}; give the largest fall of accuracy as a number from 0 to 1."
        )
    found = thresholds_in_use(reference, merge_equal)
    if not found:
        raise InputError(
            "The reference uses no threshold that separates training rows, so no column would be left to "
            "split. Give a reference with more or deeper trees, or thresholds of your own."
        )
    columns = np.empty((len(found), len(y)), dtype=np.uint8)
    for i, split in enumerate(found):
        np.less_equal(reference.X[:, split.position], split.threshold, out=columns[i].view(np.bool_))
    kept = np.arange(len(found))
    removed: list[InputThreshold] = []
    was_stopped = False
    # Once the time is over the ensemble's own predictions stand for those of its fit on 0/1 columns.
    fits = (
        None
        if is_over is not None and is_over()
        else _Fits(reference.model, columns, y, weight, shortcuts, is_over)
    )
    predictions = reference.predictions if fits is None else fits.predictions()
    before = error = float(weight[predictions != y].sum()) if fits is None else fits.error()
    while fits is not None and len(kept) > 1:
        least = fits.least_important()
        fits.remove(least)
        after = fits.error()
        if is_over is not None and is_over():  # the last fit may be one of fewer trees
            was_stopped = True
            break
        if after > before + tolerance * weight.sum():
            break
        kept = kept[kept != least]
        removed.append(found[least])
        error, predictions = after, fits.predictions()
    return Elimination(
        kept=tuple(found[i] for i in kept),
        columns=columns[kept],
        removed=tuple(removed),
        predictions=predictions,
        error_before=float(before / weight.sum()),
        error_after=float(error / weight.sum()),
        n_refits=0 if fits is None else fits.n_fits,
        n_refits_by_model=0 if fits is None else fits.n_by_model,
        was_stopped=was_stopped or fits is None,
    )


class _Fits:
    """The ensemble on the columns left: the shorter way, or the model itself where that is unsure."""

    def __init__(
        self,
        model: Any,
        columns: NDArray[np.uint8],
        y: NDArray[np.int32],
        weight: NDArray[np.float64],
        shortcuts: bool,
        is_over: Callable[[], bool] | None,
    ) -> None:
        self.is_over = is_over
        self.model, self.columns, self.y, self.weight = model, columns, y, weight
        self.left = np.arange(len(columns))
        self.n_fits = 1
        self.is_plain = bool((weight == 1).all())  # rows of weight 1, which `TieBreaking` needs
        self.n_by_model = 0
        self.fitted: Any = None
        self.boosting: BinaryBoosting | None = None
        self.ties: TieBreaking | None = None
        self.refit: Refit | None = None
        self.classes: NDArray[np.int32] = np.unique(y)
        if not shortcuts or not can_boost(model, len(self.classes), weight):
            return
        positive = y == self.classes[1]
        small = columns.size * model.max_depth <= SMALL
        if self.is_plain and small:
            self.ties = TieBreaking(model, columns, positive)
        if self.ties is None or not self.ties.is_known:
            self.boosting = BinaryBoosting(
                columns, positive, weight, model.n_estimators, model.max_depth, model.learning_rate
            )

    def remove(self, column: int) -> None:
        """Take a column away and fit again."""
        self.left = self.left[self.left != column]
        self.fitted = self.refit = None
        self.n_fits += 1
        if self.boosting is not None:
            self.boosting.remove(column)

    def error(self) -> float:
        """Weight of the rows that the ensemble predicts wrongly."""
        wrong = self.boosting.wrong() if self.boosting is not None else None
        return wrong if wrong is not None else float(self.weight[self.predictions() != self.y].sum())

    def predictions(self) -> NDArray[np.int32]:
        """Class index that the ensemble predicts for each row."""
        second = self.boosting.predictions() if self.boosting is not None else None
        if second is None and (refit := self._refit()) is not None:
            second = refit.predictions
        if second is not None:
            return self.classes[second.astype(np.int64)]
        return np.asarray(self._model().predict(self._matrix()), dtype=np.int32)

    def least_important(self) -> int:
        """Column of the smallest importance, the first of equal ones."""
        boosting = self.boosting
        if boosting is not None and boosting.is_certain:
            least = boosting.least_important()
            if least is None and (ties := self._tie_breaking()) is not None:
                drawn = ties.credits(boosting)
                least = None if drawn is None else boosting.least_important(drawn)
            if least is not None:
                return least
        refit = self._refit()
        by = refit.importances if refit is not None else importances(self._model(), len(self.left))
        return int(self.left[np.argmin(by)])

    def _tie_breaking(self) -> TieBreaking | None:
        """What repeats the model's fit in its own arithmetic; None where that is not known to be possible."""
        if self.ties is None and self.boosting is not None and self.is_plain:
            self.ties = TieBreaking(self.model, self.columns, self.y == self.classes[1])
        return self.ties if self.ties is not None and self.ties.is_known else None

    def _refit(self) -> Refit | None:
        if self.refit is None and (ties := self._tie_breaking()) is not None:
            self.refit = ties.refit(self.left)
        return self.refit

    def _matrix(self) -> NDArray[np.float64]:
        return np.ascontiguousarray(self.columns[self.left].T, dtype=np.float64)

    def _model(self) -> Any:
        if self.fitted is None:
            from sklearn.base import clone

            self.fitted = fit_model(clone(self.model), self._matrix(), self.y, self.weight, self.is_over)
            self.n_by_model += 1
        return self.fitted
