"""What a boosted model loses by being too sure of itself, and its probabilities without that.

With more rounds a boosted model often becomes too sure: the log loss on held-out rows grows, while its answers still
get better. So a temperature is fitted to held-out rows (Guo, Pleiss, Sun and Weinberger, On Calibration of Modern
Neural Networks, ICML 2017): probabilities are taken to the power of 1 / temperature and scaled to sum to one, which
changes no answer. The loss that remains is that of the answers. A temperature is at least 1, so that a model that is
not sure enough, as after a few rounds, is taken as it is.

With b = 1 / temperature the loss of rows with weights w, log-probabilities z and class k is the sum of
w (logsumexp(b z) - b z_k), which is convex in b: Newton steps, and bisection where one leaves the bracket. A model
whose loss falls towards larger b is left at b = 1, which takes one evaluation. Cost: at most `STEPS` passes over the
rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["cooled", "softened"]

LEAST_POWER = 1 / 64
STEPS = 12
NEAR = 1e-4  # of b: the loss is flat there


def cooled(
    logs: NDArray[np.float64], place: NDArray[np.int64], weight: NDArray[np.float64], start: float = 1.0
) -> tuple[float, float]:
    """Return the least log loss over all temperatures of at least 1, and 1 / temperature.

    Parameters
    ----------
    logs : ndarray of shape (n_rows, n_classes)
        Logarithms of probabilities; they need not sum to one.
    place : ndarray of shape (n_rows,)
        The class of each row.
    weight : ndarray of shape (n_rows,)
    start : float, default=1.0
        A guess of 1 / temperature.
    """
    of_class = logs[np.arange(len(place)), place]

    def derivatives(power: float) -> tuple[float, float, float]:
        scaled = power * logs
        top = scaled.max(axis=1)
        shares = np.exp(scaled - top[:, None])
        total = shares.sum(axis=1)
        shares /= total[:, None]
        mean = (shares * logs).sum(axis=1)
        loss = weight @ (np.log(total) + top - power * of_class)
        curve = weight @ ((shares * logs**2).sum(axis=1) - mean**2)
        return float(loss), float(weight @ (mean - of_class)), float(curve)

    loss, slope, _ = derivatives(1.0)
    if slope <= 0:
        return loss, 1.0
    low, high, power = LEAST_POWER, 1.0, min(max(start, LEAST_POWER), 1.0)
    for _ in range(STEPS):
        loss, slope, curve = derivatives(power)
        low, high = (low, power) if slope > 0 else (power, high)
        step = power - slope / curve if curve > 0 else low
        after = step if low < step < high else (low + high) / 2
        if abs(after - power) < NEAR:
            break
        power = after
    return loss, power


def softened(shares: NDArray[np.float64], temperature: float) -> NDArray[np.float64]:
    """Return probabilities at a temperature; the most probable class stays the same."""
    if temperature == 1:
        return shares
    powers = np.asarray(shares, dtype=np.float64) ** (1 / temperature)
    powers /= powers.sum(axis=1, keepdims=True)
    return powers
