"""Numbers with an interval: means of rows, shares of rows, and what is written of them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.tree import with_unit

__all__ = [
    "Estimate",
    "interval_words",
    "mean_of_rows",
    "numbers_of",
    "root",
    "standard_error_words",
    "written",
]

DIGITS = 4
WIDTH_DIGITS = 3  # of the width of an interval are written
SMALLEST_WIDTH, LARGEST_WIDTH = 1e-9, 1e12  # of intervals written with fixed decimals
NORMAL_975 = 1.959963984540054  # standard errors on each side of a 95% interval of large samples


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number and where that of further rows may lie, with 95%; NaN is not known.

    Parameters
    ----------
    value, low, high : float
    rows : int
        It comes from.
    standard_error : float, default=nan
        Of a mean.
    reason : str, default="too few rows for an interval"
        Why there is no interval, where there is none.
    """

    value: float
    low: float
    high: float
    rows: int
    standard_error: float = math.nan
    reason: str = "too few rows for an interval"

    @property
    def is_known(self) -> bool:
        """Whether there is a number."""
        return math.isfinite(self.value)

    @property
    def has_interval(self) -> bool:
        """Whether there is an interval."""
        return math.isfinite(self.low) and math.isfinite(self.high)


def mean_of_rows(values: NDArray[np.float64]) -> Estimate:
    """Return the mean of some numbers, one a row, with Student's interval.

    A single row has no interval, nor has a mean that is infinite because one row is; without rows nothing is known.
    """
    if not len(values):
        return Estimate(math.nan, math.nan, math.nan, 0)
    if not np.isfinite(values).all():
        with np.errstate(invalid="ignore"):  # both infinities
            return Estimate(float(values.sum()), math.nan, math.nan, len(values))
    from treewright.policy import policy_value  # which loads scikit-learn

    mean = policy_value(values)
    reach = _student(len(values)) * mean.standard_error if len(values) > 1 else math.nan
    return Estimate(mean.value, mean.value - reach, mean.value + reach, len(values), mean.standard_error)


def _student(n_rows: int) -> float:
    """How many standard errors of a mean of rows a 95% interval reaches to each side."""
    from scipy.special import stdtrit

    return float(stdtrit(n_rows - 1, 0.975))


def root(mean: Estimate) -> Estimate:
    """Return the root of a mean of squares; its interval has the roots of the ends."""
    low, high = (math.sqrt(max(0.0, end)) if math.isfinite(end) else end for end in (mean.low, mean.high))
    return Estimate(math.sqrt(mean.value) if mean.is_known else math.nan, low, high, mean.rows)


def written(number: float, digits: int = DIGITS, unit: str = "") -> str:
    """Return a number in a few significant digits; digits before the point are never rounded away."""
    if math.isnan(number):
        return "not known"
    if math.isinf(number):
        return "infinite" if number > 0 else "minus infinite"
    if 10**digits <= abs(number) < 10**15:
        text = f"{number:,.0f}"
    else:
        text = f"{number:,.{digits}g}"
        text = "0" if text == "-0" else text
    return with_unit(text.replace("-", "\u2212", 1) if number < 0 else text, unit)


def numbers_of(estimate: Estimate, unit: str = "") -> tuple[str, str]:
    """Return an estimate and its interval in words, with as many decimals as three digits of its width need."""
    width = estimate.high - estimate.low
    if not (estimate.has_interval and SMALLEST_WIDTH < width < LARGEST_WIDTH):
        ends = (
            f"{written(estimate.low)} to {written(estimate.high, unit=unit)}" if estimate.has_interval else ""
        )
        return written(estimate.value, unit=unit), ends
    decimals = max(0, WIDTH_DIGITS - 1 - math.floor(math.log10(width)))
    value, low, high = (_fixed(x, decimals) for x in (estimate.value, estimate.low, estimate.high))
    return with_unit(value, unit), with_unit(f"{low} to {high}", unit)


def _fixed(number: float, decimals: int) -> str:
    text = f"{number:,.{decimals}f}"
    if float(text.replace(",", "")) == 0:
        return "0"
    return text.replace("-", "\u2212")


def interval_words(estimate: Estimate, unit: str = "") -> str:
    """Return the interval of a number in words."""
    if not estimate.has_interval:
        return estimate.reason
    return f"95% interval {numbers_of(estimate, unit)[1]}"


def standard_error_words(mean: Estimate) -> str:
    """Return the standard error of a mean."""
    return written(mean.standard_error, 2)
