"""Folds of a cross-validation, by scikit-learn's splitters."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import check_cv

from treewright.errors import InputError

__all__ = ["folds_of"]


def folds_of(
    cv: Any, labels: NDArray[Any], *, stratified: bool = True
) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    """Return the training and the held-out rows of each fold, as the splitter gives them.

    Parameters
    ----------
    cv : int, splitter, iterable of pairs, or None
        As scikit-learn takes it; a number of folds keeps the shares of the labels.
    labels : ndarray of shape (n_rows,)
    stratified : bool, default=True
        False does not look at the labels.

    Raises
    ------
    InputError
        There are no folds, or the rows cannot be divided into them.
    """
    n_rows = len(labels)
    try:
        splitter = check_cv(cv, labels, classifier=stratified)
        with warnings.catch_warnings():  # a class of fewer rows than folds is held out in some folds only
            warnings.filterwarnings("ignore", "The least populated class in y", UserWarning)
            folds = list(splitter.split(np.zeros((n_rows, 1)), labels))
    except ValueError as error:
        raise InputError(
            f"cv={cv!r} cannot split this table into folds (rows: {n_rows}): {str(error).rstrip('.')}. Give more "
            "rows, fewer folds (cv=2), or pairs of training and held-out rows."
        ) from error
    if not folds:
        raise InputError("cv has no folds; give a number of at least 2, or pairs of training and test rows.")
    return folds
