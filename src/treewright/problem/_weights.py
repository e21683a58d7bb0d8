"""Row weights: checked, multiplied by class weights, balanced over classes.

Balancing wants the same total weight in every class, so that weighted misclassification becomes the mean of
the class-wise error rates, 1 - balanced accuracy. The plain factor W / (K * W_c) is not an integer; multiplied by
a common factor it is: with integer weights the factor of class c is lcm(W_1, ..., W_K) / W_c (for two
classes, their totals exchanged and reduced). The objective is a ratio to the total weight, so a common factor
changes nothing, and an integer search stays exact. Weights in decimals are balanced as the whole numbers that a
power of ten makes of them, thirds and their like as those that a common denominator makes. If the total would pass
2**53 the plain factors are used: float64 numbers, which a search reads as fractions where it can, and otherwise says
within what its proof holds (`SolveResult.rounding`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._arguments import refuse_dates, refuse_lossy
from treewright._numbers import as_written
from treewright._plural import kind_of
from treewright.errors import InputError

__all__ = ["apply_class_weight", "as_numbers", "balance", "check_sample_weight", "first_word"]

# A float64 sum of whole numbers that stays below this is exact; one that would pass it shows at least this
# (every partial sum is exact until then, and further terms are not negative), so compare with >=.
LARGEST_TOTAL = 2**53
SMALLEST_TOTAL = 1e-250  # shares of it stay clear of subnormal numbers, which have few digits
MOST_PLACES = 12  # of decimals that are balanced as whole numbers
LARGEST_DENOMINATOR = 10_000  # a real number is such a fraction by chance once in 10^8
MOST_DISTINCT = 2000  # weights, whose products with class weights are those of the decimals


def check_sample_weight(
    sample_weight: ArrayLike | None, n_rows: int, *, smallest: float = SMALLEST_TOTAL
) -> NDArray[np.float64]:
    """Return the weights as float64; None is one for each row.

    Parameters
    ----------
    sample_weight : array-like of shape (n_rows,), or None
        Numbers >= 0; one number alone is the weight of every row.
    n_rows : int
    smallest : float, default=1e-250
        A smaller sum is refused, so that searches never divide by subnormal numbers.

    Returns
    -------
    ndarray of shape (n_rows,), float64
        A copy.

    Raises
    ------
    InputError
        Wrong length, NaN, infinite or negative weights, all of them zero or next to it, or integers with a sum above
        2**53.

    Examples
    --------
    >>> from treewright.problem import check_sample_weight
    >>> check_sample_weight([1, 2], 2), check_sample_weight(None, 2)
    (array([1., 2.]), array([1., 1.]))
    """
    if sample_weight is None:
        return np.ones(n_rows, dtype=np.float64)
    weight = as_numbers(sample_weight, "sample_weight", "numbers, one per row")
    if weight.ndim == 0:
        weight = np.full(n_rows, float(weight))
    if weight.shape != (n_rows,):
        raise InputError(f"sample_weight has shape {weight.shape}, expected ({n_rows},): one weight per row.")
    check_total(weight, "sample_weight", smallest)
    return weight


def first_word(values: NDArray[Any]) -> str | None:
    """Return the first text that is no number; None if there is none."""
    if values.dtype.kind not in "OU":
        return None
    for own in values.ravel().tolist():
        if isinstance(own, str):
            try:
                float(own)
            except ValueError:
                return own
    return None


def as_numbers(values: ArrayLike, name: str, what: str) -> NDArray[np.float64]:
    """Return a copy as float64; what it would lose without a word is refused.

    Raises
    ------
    InputError
        No numbers, complex numbers, dates, or masked values.
    """
    refuse_dates(name, values)
    refuse_lossy(name, values)
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{name} must be {what} ({error}).") from None


def check_total(weight: NDArray[np.float64], name: str, smallest: float = SMALLEST_TOTAL) -> None:
    """Refuse weights that cannot be summed, or whose sum is zero, near to zero or not exact."""
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
    if total < smallest:
        raise InputError(
            f"{name} sums to {total:g}, too near to zero for float64; multiply all weights by the same large number."
        )
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

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.problem import apply_class_weight
    >>> y = np.array([0, 0, 1], dtype=np.int32)
    >>> apply_class_weight(np.ones(3), y, np.array(["no", "yes"]), {"no": 1, "yes": 5})
    array([1., 1., 5.])
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
        raise InputError(f"class_weight is {kind_of(class_weight)}; give a dict, 'balanced' or None.")
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
        product = _product(weight, y, factor)
    check_total(product, "sample_weight times class_weight")
    return product


def _product(
    weight: NDArray[np.float64], y: NDArray[np.int32], factor: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the weights times those of their classes; of decimals the decimal product: 3 times .1 is .3."""
    plain = weight * factor[y]
    distinct, number = np.unique(weight, return_inverse=True)
    if len(distinct) > MOST_DISTINCT or not np.isfinite(plain).all():
        return plain
    pairs, place = np.unique(number.reshape(-1) * len(factor) + y, return_inverse=True)
    exact = [
        float(as_written(distinct[pair // len(factor)]) * as_written(factor[pair % len(factor)]))
        for pair in pairs.tolist()
    ]
    return np.asarray(np.array(exact)[place.reshape(-1)])


def _whole(weight: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Return whole numbers in the ratios of weights that are decimals of a few places, or whole themselves."""
    if is_integer(weight):
        return weight
    for places in range(1, MOST_PLACES + 1):
        scale = 10.0**places
        whole = np.rint(weight * scale)
        if not whole.sum() < LARGEST_TOTAL:
            return None
        if np.array_equal(whole / scale, weight):
            return np.asarray(whole // np.gcd.reduce(whole.astype(np.int64)))
    return None


def _whole_of_fractions(weight: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Return whole numbers in the ratios of weights that are fractions of small denominators, such as thirds."""
    distinct, place = np.unique(weight, return_inverse=True)
    if len(distinct) > MOST_DISTINCT:
        return None
    fractions = [Fraction(value).limit_denominator(LARGEST_DENOMINATOR) for value in distinct.tolist()]
    common = math.lcm(*(fraction.denominator for fraction in fractions))
    whole = [int(fraction * common) for fraction in fractions]
    if [float(fraction) for fraction in fractions] != distinct.tolist() or max(whole) >= LARGEST_TOTAL:
        return None
    return np.array(whole, dtype=np.float64)[place.reshape(-1)]


def balance(weight: NDArray[np.float64], y: NDArray[np.int32], n_classes: int) -> NDArray[np.float64]:
    """Scale the weights so that each class that has any weight has the same total."""
    whole = _whole(weight)
    if whole is None:
        whole = _whole_of_fractions(weight)
    if whole is not None and whole.sum() < LARGEST_TOTAL:
        totals = np.bincount(y, weights=whole, minlength=n_classes)
        present = totals > 0
        exact = [int(total) for total in totals[present]]
        common = math.lcm(*exact)
        if common * len(exact) < LARGEST_TOTAL:
            factor = np.zeros(n_classes, dtype=np.float64)
            factor[present] = [common // total for total in exact]
            return whole * factor[y]
    sorted_by_class = weight[np.argsort(y, kind="stable")]
    ends = np.cumsum(np.bincount(y, minlength=n_classes))
    of_classes = np.split(sorted_by_class, ends[:-1])
    totals = np.array([math.fsum(part) for part in of_classes])  # in any order of the rows the same
    present = totals > 0
    factor = np.zeros(n_classes, dtype=np.float64)
    factor[present] = math.fsum(totals) / (present.sum() * totals[present])
    return weight * factor[y]
