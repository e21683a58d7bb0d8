"""What a policy is worth: the mean reward of the actions that it chooses, with its standard error."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["PolicyValue", "policy_value"]

NORMAL_975 = 1.959963984540054  # quantile of the standard normal distribution


@dataclass(frozen=True)
class PolicyValue:
    """Mean reward of a policy on the given rows, after costs of actions.

    Parameters
    ----------
    value : float
        Weighted mean over the rows.
    standard_error : float
        Of `value`; NaN for a single row.
    n_rows : int

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.policy import policy_value
    >>> value = policy_value(np.array([1.0, 2.0, 3.0]))
    >>> value.value, round(value.standard_error, 3), value.n_rows
    (2.0, 0.577, 3)
    """

    value: float
    standard_error: float
    n_rows: int

    @property
    def interval(self) -> tuple[float, float]:
        """95% confidence interval by the normal approximation."""
        reach = NORMAL_975 * self.standard_error
        return self.value - reach, self.value + reach

    def __str__(self) -> str:
        return f"{self.value:.6g} (standard error {self.standard_error:.2g}, {self.n_rows:,} rows)"


def policy_value(gains: NDArray[np.float64], sample_weight: NDArray[np.float64] | None = None) -> PolicyValue:
    """Return the weighted mean reward of the rows, and its standard error.

    Parameters
    ----------
    gains : ndarray of shape (n_rows,)
        Reward of the chosen action of each row.
    sample_weight : ndarray of shape (n_rows,), default=None
        Not negative, one at least positive; None is 1 for each row. Rows of weight 0 do not count.

    Returns
    -------
    PolicyValue

    Notes
    -----
    The standard error is that of a ratio of sums, ``sqrt(n / (n - 1) * sum((w (g - value))^2)) / sum(w)``; with equal
    weights it is the standard deviation of the rewards divided by the square root of their number. It assumes that the
    rows are independent and that the policy does not depend on them: on rows that the policy was fitted on it is too
    optimistic.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.policy import policy_value
    >>> policy_value(np.array([1.0, 2.0, 3.0])).value
    2.0
    """
    weight = np.ones(len(gains)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    used = weight > 0
    gains, share = gains[used], weight[used] / weight[used].sum()
    n = len(gains)
    value = 2 * math.fsum((share * (gains / 2)).tolist())
    if n < 2:
        return PolicyValue(value, math.nan, n)
    size = float(np.abs(gains).max()) or 1.0
    apart = share * (gains / size - value / size)
    return PolicyValue(value, size * math.sqrt(n / (n - 1) * math.fsum((apart**2).tolist())), n)
