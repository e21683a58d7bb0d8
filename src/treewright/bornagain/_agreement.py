"""On how many rows a tree and the model that it stands for decide alike, with a bound for new rows.

Agreement on the rows that the tree was made from says little: it was chosen on them. On rows that neither has seen the
count is binomial, and the Wilson score interval bounds the share of all such rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._arguments import check_arguments, refuse_lossy
from treewright.convert import Ensemble
from treewright.errors import InputError
from treewright.table import Table, encode_like
from treewright.tree import Tree, exactly, percent_at_least, wilson_interval

__all__ = ["Agreement", "agreement", "encoded", "label_agreement"]


@dataclass(frozen=True)
class Agreement:
    """On how many rows a tree and an ensemble make the same decision.

    Parameters
    ----------
    n_rows : int
    n_alike : int
    lower_bound : float
        Lower bound on the share of new rows on which they agree (Wilson score interval). It is valid if the counted
        rows are a random sample of new rows, used neither to train the ensemble nor to find the tree.
    confidence : float
        Two-sided level of the interval.
    tolerance : float or None, default=None
        For numbers: how far apart they may be to count as alike.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from treewright.bornagain import Ensemble, agreement, solve
    >>> X = [[1.0], [2.0], [3.0], [4.0]]
    >>> ensemble = Ensemble.from_model(RandomForestClassifier(3, max_depth=1, random_state=0).fit(X, [0, 0, 1, 1]))
    >>> print(agreement(solve(ensemble).tree, ensemble, X).sentence())
    Tree and ensemble decide alike on 4 of 4 rows (100.0%); if neither has seen these rows, on at least
    51.0% of all new ones like them (95% interval).
    """

    n_rows: int
    n_alike: int
    lower_bound: float
    confidence: float
    tolerance: float | None = None

    @property
    def share(self) -> float:
        """Share of the rows, 0 to 1."""
        return self.n_alike / self.n_rows

    def sentence(self) -> str:
        """Return it as one sentence."""
        level = f"{100 * self.confidence:.10g}% interval"
        known = f"{self.n_alike:,} of {self.n_rows:,} rows ({percent_at_least(self.share)})"
        new = f"on at least {percent_at_least(self.lower_bound)} of all new ones like them ({level})"
        alike = "Tree and ensemble decide alike"
        if self.tolerance is not None:
            alike = f"Tree and model are at most {exactly(self.tolerance)} apart"
        return f"{alike} on {known}; if neither has seen these rows, {new}."


def agreement(tree: Tree, ensemble: Ensemble, X: ArrayLike, *, confidence: float = 0.95) -> Agreement:
    """Count the rows on which a tree and an ensemble make the same decision.

    Parameters
    ----------
    tree : Tree
        Over the columns of the ensemble.
    ensemble : Ensemble
    X : array-like of shape (n_rows, n_features)
        No labels are needed. For a statement about new rows, give rows that neither of the two was made from.
    confidence : float, default=0.95
        Two-sided level of the interval, strictly between 0 and 1.

    Returns
    -------
    Agreement

    Raises
    ------
    InputError
        If `X` has no rows or the wrong number of columns, or `confidence` is out of range.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from treewright.bornagain import Ensemble, agreement, solve
    >>> X = [[1.0], [2.0], [3.0], [4.0]]
    >>> ensemble = Ensemble.from_model(RandomForestClassifier(3, max_depth=1, random_state=0).fit(X, [0, 0, 1, 1]))
    >>> agreement(solve(ensemble).tree, ensemble, X).n_alike
    4
    """
    check_arguments(agreement, locals(), "tree", "ensemble")
    rows = encoded(ensemble, X)
    alike = int((tree.predict(rows) == ensemble.predict(rows)).sum())
    return Agreement(len(rows), alike, wilson_interval(alike, len(rows), confidence)[0], confidence)


def label_agreement(tree: Tree, labels: ArrayLike, X: Any, *, confidence: float = 0.95) -> Agreement:
    """Count the rows on which a tree predicts the label that a model predicted.

    Parameters
    ----------
    tree : Tree
        A classification tree, made by `distil_labels` or in another way.
    labels : array-like of shape (n_rows,)
        The model's predictions.
    X : array-like or frame of shape (n_rows, n_columns), or Table over the tree's columns
        For a statement about new rows, give rows that neither the model nor the tree was made from.
    confidence : float, default=0.95
        Two-sided level of the interval, strictly between 0 and 1.

    Returns
    -------
    Agreement

    Raises
    ------
    InputError
        If there are no rows, the number of labels is not that of the rows, or `confidence` is out of range.

    Examples
    --------
    >>> from treewright.bornagain import distil_labels, label_agreement
    >>> X = [[1.0], [2.0], [3.0], [4.0]]
    >>> tree = distil_labels(["no", "no", "yes", "yes"], X).tree
    >>> label_agreement(tree, ["no", "yes", "yes", "yes"], X).n_alike
    3
    """
    check_arguments(label_agreement, locals(), "tree")
    rows = X.X if isinstance(X, Table) else encode_like(X, tree.columns, expected_by="label_agreement")
    refuse_lossy("labels", labels)
    said = np.asarray(labels)
    if said.shape != (len(rows),) or not len(rows):
        raise InputError(
            f"labels has the shape {said.shape}; give one label for each of the {len(rows)} rows."
        )
    alike = int((tree.predict(rows) == said).sum())
    return Agreement(len(rows), alike, wilson_interval(alike, len(rows), confidence)[0], confidence)


def encoded(ensemble: Ensemble, X: ArrayLike) -> NDArray[np.float64]:
    """Return the rows as the ensemble takes them; there must be some."""
    rows = ensemble.encode(X)
    if not len(rows):
        raise InputError("X has no rows; agreement is counted on rows.")
    return rows
