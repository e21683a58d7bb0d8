"""Shares that a product of factors ``left / at risk`` leaves, exact where they meet one half.

While nobody is censored the factors telescope: the share is one quotient of the weight left and the weight at the
start of such a run. So a share has as many roundings as there are runs; without censoring it has one.

With whole weights a share that these roundings could move across one half is compared as a fraction of integers. With
real weights, whose sums are rounded themselves, a share within `SAME` of one half is one half.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["SAME", "product_limit"]

SAME = 1e-9  # relative, of real weights; their sums over 10^6 rows are rounded by some 1e-10
EXACT = 2.0**53  # sums of whole numbers below are exact


def product_limit(
    at_risk: NDArray[np.float64], left: NDArray[np.float64], whole: bool
) -> NDArray[np.float64]:
    """Return the product of ``left / at_risk`` up to each step, shape (n_steps,).

    Parameters
    ----------
    at_risk : ndarray of shape (n_steps,), float64
        Weight before each step, above 0.
    left : ndarray of shape (n_steps,), float64
        Weight after it, of those.
    whole : bool
        Whether both are sums of whole weights.

    Returns
    -------
    ndarray of shape (n_steps,), float64
        Not increasing. Below, at or above 0.5 as the exact product is; of real weights, those within 1e-9 are 0.5.
    """
    if not len(at_risk):
        return np.ones(0)
    starts = np.flatnonzero(np.concatenate(([True], at_risk[1:] != left[:-1])))
    ends = np.concatenate((starts[1:], [len(at_risk)])) - 1
    run = np.repeat(np.arange(len(starts)), ends - starts + 1)
    before = np.cumprod(np.concatenate(([1.0], left[ends] / at_risk[starts])))[:-1]
    share = before[run] * (left / at_risk[starts][run])
    if not whole or at_risk[0] >= EXACT:
        share[np.abs(share - 0.5) <= 0.5 * SAME] = 0.5
        return np.asarray(share, dtype=np.float64)
    # Each run adds two roundings of half an ulp, relative 2^-53 each; twice that covers their products.
    doubtful = np.flatnonzero(np.abs(share - 0.5) <= 0.5 * (4 * run + 4) * 2.0**-53)
    for step in doubtful:
        here = int(run[step])
        over = _product([*left[ends[:here]].tolist(), float(left[step])])
        under = _product(at_risk[starts[: here + 1]].tolist())
        side = (2 * over > under) - (2 * over < under)
        exact = over / under  # Python rounds the quotient of integers once
        share[step] = exact if side == 0 or exact != 0.5 else np.nextafter(0.5, 0.5 + side)
    return np.asarray(share, dtype=np.float64)


def _product(factors: list[float]) -> int:
    """Return a product of whole numbers; halves of equal length keep it fast for thousands of factors."""
    whole = [int(factor) for factor in factors]
    while len(whole) > 8:
        whole = [math.prod(whole[k : k + 2]) for k in range(0, len(whole), 2)]
    return math.prod(whole)
