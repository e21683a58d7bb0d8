"""What a model decides about rows, and what their labels are, both as positions among its classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._arguments import refuse_lossy
from treewright.errors import InputError
from treewright.table import Table, encode_like
from treewright.tree import Tree

__all__ = ["decisions_of"]

UNKNOWN = -1  # a label that the model cannot decide for


def decisions_of(model: Any, X: Any, y: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64], list[Any]]:
    """Return the decisions, the labels (-1 for one that is none of the classes), and the classes.

    Raises
    ------
    InputError
        A model without classes; labels that are missing, of another length, or none of which is a class.
    """
    tree = model if isinstance(model, Tree) else getattr(model, "tree", None)
    if not isinstance(tree, Tree) and isinstance(X, Table):
        tree = getattr(model, "tree_", None)  # reads the frame that the table was made from otherwise
    if isinstance(tree, Tree):
        if tree.classes is None or not tree.predicts_classes:
            raise InputError(
                f"This is a {tree.kind.value} tree; errors by group are of trees that predict classes."
            )
        classes = tree.classes.tolist()
        decided = tree.prediction.astype(np.int64)[
            tree.apply(X.X if isinstance(X, Table) else encode_like(X, tree.columns))
        ]
    elif hasattr(model, "predict") and hasattr(model, "classes_"):
        classes = np.asarray(model.classes_).tolist()
        decided = _positions(np.asarray(model.predict(X)), classes)
    else:
        raise InputError(
            f"A {type(model).__name__} has no classes; give a Tree, a result, or a classifier that is fitted."
        )
    refuse_lossy("y", y)
    labels = np.asarray(y)
    labels = labels[:, 0] if labels.ndim == 2 and labels.shape[1] == 1 else labels
    if labels.shape != decided.shape:
        raise InputError(f"y has shape {labels.shape}, X has {len(decided):,} rows; give one label for each.")
    missing = sum(
        label is None or type(label).__name__ == "NAType" or label != label for label in labels.tolist()
    )
    if missing:
        raise InputError(f"y is missing in {missing:,} rows; leave these rows out, or fill them in.")
    truth = _positions(labels, classes)
    if len(truth) and (truth == UNKNOWN).all():
        came = sorted({str(label) for label in labels.tolist()})[:10]
        raise InputError(
            f"y holds no label of the model: it decides among {', '.join(map(str, classes[:10]))}; came "
            f"{', '.join(came)}. Is it the right column?"
        )
    return decided, truth, classes


def _positions(labels: NDArray[Any], classes: list[Any]) -> NDArray[np.int64]:
    """Positions among the classes; "1" in a file may be 1 in the model."""
    place = {label: k for k, label in enumerate(classes)}
    values = labels.tolist()
    if not any(label in place for label in values):
        place = {str(label): k for k, label in enumerate(classes)}
        values = list(map(str, values))
    return np.array([place.get(label, UNKNOWN) for label in values], dtype=np.int64)
