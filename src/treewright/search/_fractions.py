"""Numbers as the fractions that somebody wrote: .1 is one tenth, and 1 / 3 a third.

A float64 is near to what was written, and three of .1 are not one of .3. Objectives are compared as the written numbers
say: where some whole numbers have the ratios of the given ones, a unit of few digits is looked for whose multiples, as
float64, are the given numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from treewright._numbers import as_written
from treewright.search._integers import in_whole_numbers

__all__ = ["common_unit", "in_fractions"]

FEW, MANY = 10**4, 10**6  # largest denominators of a unit that is a fraction: of thirds before decimals


def common_unit(given: Sequence[float], whole: Sequence[int]) -> Fraction | None:
    """Return the fraction of which numbers are these multiples, as float64; None if none of few digits is found.

    Parameters
    ----------
    given : sequence of float
        Ascending; the last one is positive.
    whole : sequence of int
        In the ratios of the numbers.

    Examples
    --------
    >>> from treewright.search import common_unit
    >>> common_unit([0.1, 0.3], [1, 3]), common_unit([1 / 3, 2 / 3], [1, 2])
    (Fraction(1, 10), Fraction(1, 3))
    """
    one = Fraction(given[-1]) / whole[-1]
    for unit in (one.limit_denominator(FEW), as_written(given[-1]) / whole[-1], one.limit_denominator(MANY)):
        if [float(unit * k) for k in whole] == list(given):
            return unit
    return None


def in_fractions(values: NDArray[np.float64]) -> list[Fraction]:
    """Return numbers as multiples of one fraction of few digits where they are such, else as float64 holds them.

    Parameters
    ----------
    values : ndarray of float64
        At least 0.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.search import in_fractions
    >>> in_fractions(np.array([0.3, 0.0, 0.1]))
    [Fraction(3, 10), Fraction(0, 1), Fraction(1, 10)]
    """
    distinct, number = np.unique(values, return_inverse=True)
    given = [float(value) for value in distinct]
    found = [Fraction(value) for value in given]
    exact = in_whole_numbers(distinct) if given[-1] > 0 else None
    if exact is not None:
        whole = exact[0].tolist()
        unit = common_unit(given, whole)
        found = found if unit is None else [unit * k for k in whole]
    return [found[k] for k in number.reshape(-1)]
