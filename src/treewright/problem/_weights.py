"""Row weights: checked, multiplied by class weights, balanced over classes.

Balancing wants the same total weight in every class, so that weighted misclassification becomes the mean of
the class-wise error rates, 1 - balanced accuracy. The plain factor W / (K * W_c) is not an integer; multiplied by
a common factor it is: with integer weights the factor of class c is lcm(W_1, ..., W_K) / W_c (for two
classes, their totals exchanged and reduced). The objective is a ratio to the total weight, so a common factor
changes nothing, and an integer search stays exact. If the total would pass 2**53 the plain factors are used: float64
numbers, which a search reads as fractions where it can, and otherwise says within what its proof holds
(`SolveResult.rounding`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.errors import InputError

__all__ = ["apply_class_weight", "as_numbers", "balance", "check_sample_weight"]

# A float64 sum of whole numbers that stays below this is exact; one that would pass it shows at least this
# (every partial sum is exact until then, and further terms are not negative), so compare with >=.
LARGEST_TOTAL = 2**53


def check_sample_weight(sample_weight: ArrayLike | None, n_rows: int) -> NDArray[np.float64]:
    """Return the weights as float64; None is one for each row.

    Parameters
    ----------
    sample_weight : array-like of shape (n_rows,), or None
        Numbers >= 0; one number alone is the weight of every row.
    n_rows : int

    Returns
    -------
    ndarray of shape (n_rows,), float64
        A copy.

    Raises
    ------
    InputError
        Wrong length, NaN, infinite or negative weights, all of them zero, or integers with a sum above 2**53.
    """
    if sample_weight is None:
        return np.ones(n_rows, dtype=np.float64)
    weight = as_numbers(sample_weight, "sample_weight", "numbers, one per row")
    if weight.ndim == 0:
        weight = np.full(n_rows, float(weight))
    if weight.shape != (n_rows,):
        raise InputError(f"sample_weight has shape {weight.shape}, expected ({n_rows},): one weight per row.")
    check_total(weight, "sample_weight")
    return weight


def as_numbers(values: ArrayLike, name: str, what: str) -> NDArray[np.float64]:
    """Return a copy as float64; what it would lose without a word is refused.

    Raises
    ------
    InputError
        No numbers, complex numbers, or masked values.
    """
    if np.ma.is_masked(values):
        raise InputError(
            f"{name} is a masked array with masked values, which have no number; fill them (.filled(0)) or leave "
            "these rows out."
        )
    try:
        array = np.array(values)
        if array.dtype.kind == "c":
            raise InputError(f"{name} holds complex numbers; give real ones.")
        return np.array(array, dtype=np.float64)
    except (TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{name} must be {what} ({error}).") from None


def check_total(weight: NDArray[np.float64], name: str) -> None:
    """Refuse weights that cannot be summed, or whose sum is zero or not exact."""
    if not np.isfinite(weight).all():
        raise InputError(f"{name} contains NaN or infinity; give finite numbers of at least 0.")
    if (weight < 0).any():
        row = int(np.argmax(weight < 0))
        raise InputError(
            f"{name} is negative in row {row} (counted from 0): {weight[row]:g}; weights must be >= 0."
        )
    with np.errstate(over="ignore"):
        total = float(weight.sum())
    if total == 0:
        raise InputError(f"{name} is zero in every row; at least one row must have a positive weight.")
    if math.isinf(total) or (total >= LARGEST_TOTAL and is_integer(weight)):
        raise InputError(
            f"{name} sums to {total:g}; integer weights are added exactly up to 2**53. Divide them by a "
            "common factor."
        )


def is_integer(weight: NDArray[np.float64]) -> bool:
    """Whether all weights are whole numbers."""
    return bool((weight == np.floor(weight)).all())


def apply_class_weight(
    weight: NDArray[np.float64],
    y: NDArray[np.int32],
    classes: NDArray[Any],
    class_weight: Mapping[Any, float] | str | None,
) -> NDArray[np.float64]:
    """Multiply the weights by those of the classes.

    Parameters
    ----------
    weight : ndarray of shape (n_rows,)
    y : ndarray of shape (n_rows,), int32
    classes : ndarray of shape (n_classes,)
    class_weight : mapping of label to float, "balanced", or None
        Labels that a mapping does not name have weight 1.

    Returns
    -------
    ndarray of shape (n_rows,), float64

    Raises
    ------
    InputError
        Another word than "balanced", a label that `classes` lacks, or weights that `check_total` refuses.
    """
    if class_weight is None:
        return weight
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise InputError(
                f'class_weight={class_weight!r}; give a dict of label to weight, "balanced" or None.'
            )
        return balance(weight, y, len(classes))
    if not isinstance(class_weight, Mapping):
        raise InputError(f"class_weight is a {type(class_weight).__name__}; give a dict, 'balanced' or None.")
    labels = classes.tolist()
    factor = np.ones(len(classes), dtype=np.float64)
    for label, value in class_weight.items():
        if label not in labels:
            raise InputError(f"class_weight names the label {label!r}; the labels of y are {labels[:20]}.")
        try:
            factor[labels.index(label)] = float(value)
        except (TypeError, ValueError):
            raise InputError(
                f"class_weight of {label!r} is {value!r}; give a number of at least 0."
            ) from None
    with np.errstate(over="ignore", invalid="ignore"):
        product = weight * factor[y]
    check_total(product, "sample_weight times class_weight")
    return product


def balance(weight: NDArray[np.float64], y: NDArray[np.int32], n_classes: int) -> NDArray[np.float64]:
    """Scale the weights so that each class that has any weight has the same total."""
    totals = np.bincount(y, weights=weight, minlength=n_classes)
    present = totals > 0
    if is_integer(weight):
        exact = [int(total) for total in totals[present]]
        common = math.lcm(*exact)
        if common * len(exact) < LARGEST_TOTAL:
            factor = np.zeros(n_classes, dtype=np.float64)
            factor[present] = [common // total for total in exact]
            return weight * factor[y]
    factor = np.zeros(n_classes, dtype=np.float64)
    factor[present] = totals.sum() / (present.sum() * totals[present])
    return weight * factor[y]
