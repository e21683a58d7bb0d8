"""`score` of scikit-learn, which would lose what is masked or imaginary in labels and weights."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from treewright._arguments import refuse_lossy

__all__ = ["CheckedScore"]


class CheckedScore:
    """Comes before scikit-learn's own mixin among the bases, whose `score` it calls."""

    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the accuracy of a classifier or the coefficient of determination (R^2) of a regressor.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
        y : array-like of shape (n_rows,)
            True labels or numbers.
        sample_weight : array-like of shape (n_rows,), default=None

        Returns
        -------
        float

        Raises
        ------
        InputError
            Masked values or complex numbers in `y` or `sample_weight`, or whatever `predict` raises.
        """
        refuse_lossy("y", y)
        refuse_lossy("sample_weight", sample_weight)
        found: float = super().score(X, y, sample_weight)  # type: ignore[misc]
        return found
