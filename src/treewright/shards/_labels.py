"""Labels that come in pieces: provisional numbers while reading, the sorted classes at the end."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError
from treewright.problem import encode_labels

__all__ = ["LabelBook"]

MOST_CLASSES = 4096
KINDS = {"b": "truth values", "i": "numbers", "u": "numbers", "f": "numbers", "U": "text", "O": "text"}


class LabelBook:
    """Numbers labels in the order in which they come."""

    def __init__(self) -> None:
        self._number: dict[Any, int] = {}
        self._kind = ""
        self._first = ""
        self._dtype: np.dtype[Any] | None = None

    def encode(self, labels: NDArray[Any], origin: str) -> NDArray[np.int32]:
        """Return the provisional number of each label.

        Parameters
        ----------
        labels : ndarray of shape (n_rows,)
        origin : str
            Where they come from, for messages.

        Raises
        ------
        InputError
            Labels that no classifier takes, or of another type than those before.
        """
        try:
            classes, index = encode_labels(labels)
        except InputError as error:
            raise InputError(f"{origin}: {error}") from None
        kind = KINDS[classes.dtype.kind]
        if not self._kind:
            self._kind, self._first, self._dtype = kind, origin, classes.dtype
        if kind != self._kind:
            raise InputError(
                f"The labels are {self._kind} in {self._first} and {kind} in {origin}; make them of one type."
            )
        assert self._dtype is not None  # set with the kind
        self._dtype = np.promote_types(self._dtype, classes.dtype)  # text and objects become objects
        numbers = [self._number.setdefault(label, len(self._number)) for label in classes.tolist()]
        if len(self._number) > MOST_CLASSES:
            raise InputError(
                f"The target has more than {MOST_CLASSES:,} different labels. If it is a quantity, cut it into a few "
                "ranges first; if it identifies the rows, it is not a label."
            )
        return np.array(numbers, dtype=np.int32)[index]

    def finish(self) -> tuple[NDArray[Any], NDArray[np.int32]]:
        """Return the sorted classes, and the final number of each provisional one.

        Raises
        ------
        InputError
            No type holds all labels.
        """
        known = list(self._number)
        order = sorted(range(len(known)), key=known.__getitem__)
        final = np.empty(len(known), dtype=np.int32)
        final[order] = np.arange(len(known), dtype=np.int32)
        classes = np.array([known[k] for k in order], dtype=self._dtype)
        if classes.dtype.kind == "f" and classes.tolist() != [known[k] for k in order]:
            raise InputError(
                "The labels are of several types of numbers, whole numbers beyond 2**53 among them "
                f"({max(known)}), which float64 does not hold. Make the column of labels of one type, or turn it into "
                "text."
            )
        return classes, final
