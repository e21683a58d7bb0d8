"""The columns of predictions: one, or one for each output of a regression tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treewright.convert import Model

__all__ = ["answer_columns", "answer_names"]


def answer_names(content: Model) -> list[str]:
    """Return the headings: ``prediction``, or ``prediction of`` each output; outputs without names count from 1.

    Parameters
    ----------
    content : Model
    """
    n_outputs = content.tree.n_outputs
    if n_outputs == 1:
        return ["prediction"]
    terms = None if content.certificate is None else content.certificate.terms
    named = None if terms is None else terms.targets
    if named is None or len(named) != n_outputs:
        named = tuple(str(output + 1) for output in range(n_outputs))
    return [f"prediction of {name}" for name in named]


def answer_columns(content: Model, X: NDArray[np.float64]) -> list[list[Any]]:
    """Return what the tree predicts for encoded rows, a list for each of `answer_names`.

    Parameters
    ----------
    content : Model
    X : ndarray of shape (n_rows, n_columns)
    """
    found = content.tree.predict(X)
    return [found.tolist()] if found.ndim == 1 else found.T.tolist()
