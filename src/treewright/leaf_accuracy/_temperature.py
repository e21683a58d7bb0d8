"""What a boosted model loses by being too sure of itself, and its probabilities without that.

With more rounds a boosted model often becomes too sure: the log loss on held-out rows grows, while its answers still
get better. So a temperature is fitted to held-out rows (Guo, Pleiss, Sun and Weinberger, On Calibration of Modern
Neural Networks, ICML 2017): probabilities are taken to the power of 1 / temperature and scaled to sum to one, which
changes no answer. The loss that remains is that of the answers. A temperature is at least 1, so that a model that is
not sure enough, as after a few rounds, is taken as it is.

With b = 1 / temperature the loss of rows with weights w, log-probabilities z and class k is the sum of
w (logsumexp(b z) - b z_k), which is convex in b: Newton steps, and bisection where one leaves the bracket. The model of
the round before gives the first b. Cost: mostly one to three passes over the rows, at most `STEPS`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["cooled", "softened"]

LEAST_POWER = 1 / 64
STEPS = 16
NEAR = 5e-4  # of b, relative to it: the loss is flat there


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
    derivatives = _two(logs, place, weight) if logs.shape[1] == 2 else _several(logs, place, weight)
    low, high, power = LEAST_POWER, 1.0, min(max(start, LEAST_POWER), 1.0)
    for _ in range(STEPS):
        loss, slope, curve = derivatives(power)
        if (slope <= 0 and power == high) or (slope >= 0 and power == low):
            break
        step = min(max(power - slope / curve, low), high) if curve > 0 else low
        low, high = (low, power) if slope > 0 else (power, high)
        if abs(step - power) < NEAR * power:
            break
        inside = low < step < high or (step == 1 and high == 1) or step == LEAST_POWER == low
        power = step if inside else (low + high) / 2
    return loss, power


Derivatives = Callable[
    [float], tuple[float, float, float]
]  # loss, its slope and curvature at 1 / temperature


def _two(logs: NDArray[np.float64], place: NDArray[np.int64], weight: NDArray[np.float64]) -> Derivatives:
    """Two classes: one number a row."""
    rows = np.arange(len(place))
    margin = logs[rows, place] - logs[rows, 1 - place]
    weighted = weight * margin

    def derivatives(power: float) -> tuple[float, float, float]:
        ahead = power * margin
        small = np.exp(-np.abs(ahead))
        wrong = np.where(ahead > 0, small, 1.0) / (1 + small)
        loss = weight @ (np.log1p(small) - np.minimum(ahead, 0))
        return float(loss), -float(weighted @ wrong), float((weighted * margin) @ (wrong * (1 - wrong)))

    return derivatives


def _several(logs: NDArray[np.float64], place: NDArray[np.int64], weight: NDArray[np.float64]) -> Derivatives:
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

    return derivatives


def softened(shares: NDArray[np.float64], temperature: float) -> NDArray[np.float64]:
    """Return probabilities at a temperature; the most probable class stays the same."""
    if temperature == 1:
        return shares
    powers = np.asarray(shares, dtype=np.float64) ** (1 / temperature)
    powers /= powers.sum(axis=1, keepdims=True)
    return powers
