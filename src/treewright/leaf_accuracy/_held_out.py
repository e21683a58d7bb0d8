"""What the leaf models answer on rows that they were not trained on: cross-validation below a given tree.

The tree stays as it is; only the models in its leaves are fitted again, once for each part of the rows. So the
answers are fair to the leaf models, but not to a tree that was made from the same rows. Cost: `folds` times
`extend_leaves`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError
from treewright.leaf_accuracy._hybrid import classify, extend_leaves
from treewright.leaf_accuracy._shared import shared_model
from treewright.tree import Tree

__all__ = ["held_out_answers"]


def held_out_answers(
    tree: Tree,
    X: NDArray[np.float64],
    y: NDArray[np.int64],
    sample_weight: NDArray[np.float64] | None,
    model: Any,
    *,
    folds: int,
    random_state: np.random.RandomState,
    share: bool = False,
    try_settings: bool = False,
    **options: Any,
) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
    """Return for each row the classes that models give it which were fitted without its fold.

    Parameters
    ----------
    tree : Tree
    X : ndarray of shape (n_rows, n_columns), float64
        Encoded rows.
    y : ndarray of shape (n_rows,)
        Positions in ``tree.classes``.
    sample_weight : ndarray of shape (n_rows,), or None
    model : classifier
    folds : int
        Parts of the rows, with the shares of the classes as equal as they can be.
    random_state : RandomState
    share : bool, default=False
        Whether a model of all rows may answer, too.
    try_settings : bool, default=False
        Whether that is tried with other settings than its own, as `shared_model` does.
    **options
        Those of `extend_leaves`.

    Returns
    -------
    answers : ndarray of shape (n_rows,), int64
        Of the hybrid tree.
    alone : ndarray of shape (n_rows,), int64, or None
        Of the model of all rows; None if it may not answer, or a fold has too few rows for it.

    Raises
    ------
    InputError
        Fewer rows than folds, or fewer than two folds.
    KeyboardInterrupt
        After Ctrl-C.
    """
    if folds < 2 or folds > len(y):
        raise InputError(f"folds={folds}; give 2 or more, and at most the number of rows ({len(y)}).")
    shuffled = random_state.permutation(len(y))
    by_class = shuffled[np.argsort(y[shuffled], kind="stable")]
    fold = np.empty(len(y), dtype=np.int64)
    fold[by_class] = np.arange(len(y)) % folds
    answers = np.empty(len(y), dtype=np.int64)
    alone = np.empty(len(y), dtype=np.int64) if share else None
    for part in range(folds):
        train, held_out = np.flatnonzero(fold != part), np.flatnonzero(fold == part)
        weight = None if sample_weight is None else sample_weight[train]
        rows = (tree, X[train], y[train], weight)
        shared = None
        if share:
            shared = shared_model(*rows, model, random_state=random_state, try_settings=try_settings)
        extensions = extend_leaves(*rows, model, random_state=random_state, shared=shared, **options)
        if any(extension.interrupted for extension in extensions.values()):
            raise KeyboardInterrupt  # half of the folds are no cross-validation
        answers[held_out] = classify(tree, extensions, X[held_out])
        if shared is None:
            alone = None
        elif alone is not None:
            alone[held_out] = shared.classify(tree, X[held_out])
    return answers, alone
