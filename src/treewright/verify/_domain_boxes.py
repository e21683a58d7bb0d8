"""The rows of a domain in boxes low < x <= high of regression ensembles, for the checker.

The computation is independent of the method: it reads the original trees. The ends of a range become the outermost ends
of the boxes; in columns of whole numbers every threshold is rounded down, which changes no answer there. Of a group of
columns only the rows with at most one 1 count.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from treewright.convert import Domain, EnsembleTree, NumberEnsemble

__all__ = ["DomainBoxes", "original"]

LARGEST = float(np.finfo(np.float32).max)  # models refuse larger values in a row
Numbers = NDArray[np.float64]
Boxes = tuple[Numbers, Numbers, Numbers]


def original(ensemble: NumberEnsemble) -> NumberEnsemble:
    """Return the ensemble as it was before it was limited to a domain."""
    return ensemble if ensemble.whole is None else ensemble.whole


class DomainBoxes:
    """What a domain makes of boxes over some columns of an ensemble.

    Parameters
    ----------
    domain : Domain or None
        None is all rows.
    columns : ndarray of shape (n_columns,), int64
        The columns of the boxes, ascending.
    n_features : int
    """

    def __init__(self, domain: Domain | None, columns: NDArray[np.int64], n_features: int) -> None:
        self.domain, self.columns, self.n_features = domain, columns, n_features
        self.integer = np.zeros(n_features, dtype=np.bool_) if domain is None else domain.integer
        place = {int(column): i for i, column in enumerate(columns)}
        self.groups: list[tuple[list[int], bool]] = []
        for group in () if domain is None else domain.groups:
            able = [j for j in group if domain is not None and domain.high[j] >= 1]
            here = [place[j] for j in able if j in place]
            no_one = domain is not None and group in domain.at_most_one
            if here:
                self.groups.append((here, no_one or len(here) < len(able)))

    def outermost(self) -> tuple[Numbers, Numbers]:
        """Return the box of all rows."""
        n = len(self.columns)
        if self.domain is None:
            return np.full(n, -np.inf), np.full(n, np.inf)
        low, high = self.domain.low[self.columns], self.domain.high[self.columns]
        return np.nextafter(low, -np.inf), high.copy()

    def threshold(self, column: int, threshold: float) -> float:
        """Return the threshold that asks the same of the values of a column."""
        return float(np.floor(threshold)) if self.integer[column] else threshold

    def trees(self, ensemble: NumberEnsemble) -> tuple[EnsembleTree, ...]:
        """Return the original trees with the thresholds that `threshold` makes of theirs."""
        trees = original(ensemble).trees
        if not self.integer.any():
            return trees
        whole = [(tree.feature >= 0) & self.integer[tree.feature] for tree in trees]
        return tuple(
            replace(tree, threshold=np.where(own, np.floor(tree.threshold), tree.threshold))
            for tree, own in zip(trees, whole, strict=True)
        )

    def possible(self, low: Numbers, high: Numbers, value: Numbers) -> Boxes:
        """Drop boxes without rows of the domain, and shrink the others by what the groups rule out.

        A box in which two columns of a group are 1 has no rows. One column that is 1 makes the others 0. If one has to
        be 1, and only one of them can be, it is.
        """
        if not self.groups or not len(low):
            return low, high, value
        low, high = low.copy(), high.copy()
        keep = np.ones(len(low), dtype=np.bool_)
        for here, none_of_them in self.groups:
            is_one, can_be_one = low[:, here] >= 0, high[:, here] >= 1
            n_ones = is_one.sum(axis=1)
            keep &= n_ones <= 1
            others = can_be_one & ~is_one & (n_ones == 1)[:, None]
            high[:, here] = np.where(others, 0.0, high[:, here])
            if none_of_them:
                continue
            n_able = can_be_one.sum(axis=1)
            keep &= n_able > 0
            last = can_be_one & ~is_one & ((n_ones == 0) & (n_able == 1))[:, None]
            low[:, here] = np.where(last, 0.0, low[:, here])
        return low[keep], high[keep], value[keep]

    def row(self, low: Numbers, high: Numbers) -> Numbers:
        """Return a row of a box, with values that models accept."""
        start = np.where(np.isfinite(low), low, 0.0)
        start = np.where(self.integer[self.columns], np.floor(start), start)
        beyond = start + np.maximum(np.abs(start), 1.0)
        row = np.zeros(self.n_features)
        row[self.columns] = np.minimum(np.where(np.isfinite(high), high, beyond), LARGEST)
        domain = self.domain
        if domain is None:
            return row
        other = np.setdiff1d(np.arange(self.n_features), self.columns)
        row[other] = np.clip(row[other], domain.low[other], domain.high[other])
        of_box = dict(zip(self.columns.tolist(), zip(low, high, strict=True), strict=True))
        for group in domain.groups:
            row[list(group)] = 0.0
            able = [j for j in group if domain.high[j] >= 1]
            ones = [j for j in able if j in of_box and of_box[j][0] >= 0]
            open_ = [j for j in able if j not in of_box or of_box[j][1] >= 1]
            if ones or group in domain.one_hot:
                row[(ones or open_)[0]] = 1.0
        return row
