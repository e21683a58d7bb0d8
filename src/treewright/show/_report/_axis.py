"""Round ends and steps for axes."""

from __future__ import annotations

import math

__all__ = ["round_scale"]


def round_scale(largest: float) -> tuple[float, float]:
    """Return a round upper end of an axis from 0, and the step of its ticks: four to six of them."""
    if largest <= 0:
        return 0.01, 0.01
    power = 10.0 ** math.floor(math.log10(largest))
    step = next(s * power for s in (0.1, 0.2, 0.25, 0.5, 1, 2) if largest / (s * power) <= 5)
    return step * math.ceil(largest / step - 1e-9), step
