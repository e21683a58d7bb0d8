"""Tables by which no default of the leaf accuracy trees was chosen: other files, scikit-learn's own, and a made one.

Two classes (where there are more, the most frequent one against the others), balanced like the paper's; at most 4,000
rows, drawn once, so that a run takes minutes.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, make_friedman1

__all__ = ["ELSEWHERE"]

MOST_ROWS = 4000
Pair = tuple[NDArray[np.float64], NDArray[np.int64]]


def _continuous(name: str) -> Callable[[Path], Pair]:
    def read(folder: Path) -> Pair:
        frame = pl.read_csv(folder / "continuous" / f"{name}.csv.gz", infer_schema_length=None)
        return _drawn(frame.drop("label").cast(pl.Float64).to_numpy(), frame["label"].to_numpy())

    return read


def _broward(folder: Path) -> Pair:
    frame = pl.read_csv(folder / "gosdt_guesses" / "broward_general_2y.csv", infer_schema_length=None)
    return _drawn(frame[:, :-1].cast(pl.Float64).to_numpy(), frame[:, -1].to_numpy())


def _breast_cancer(_: Path) -> Pair:
    return _drawn(*load_breast_cancer(return_X_y=True))


def _digits(_: Path) -> Pair:
    """Odd against even."""
    X, y = load_digits(return_X_y=True)
    return _drawn(X, y % 2)


def _friedman(_: Path) -> Pair:
    """Friedman's first function with noise of deviation 3, above its median or not."""
    X, y = make_friedman1(MOST_ROWS, noise=3.0, random_state=0)
    return _drawn(X, y > np.median(y))


def _drawn(X: NDArray[np.float64], y: NDArray[np.generic]) -> Pair:
    labels, counts = np.unique(y, return_counts=True)
    most = (y == labels[counts.argmax()]).astype(np.int64)
    rng = np.random.default_rng(0)
    kept = np.sort(
        np.concatenate([rng.permutation(np.flatnonzero(most == k))[: MOST_ROWS // 2] for k in (0, 1)])
    )
    return X[kept], most[kept]


ELSEWHERE: dict[str, Callable[[Path], Pair]] = {
    **{
        name: _continuous(name)
        for name in ("raisin", "rice", "fault", "segment", "eeg", "htru", "page", "wilt")
    },
    "broward": _broward,
    "breast cancer": _breast_cancer,
    "digits": _digits,
    "friedman": _friedman,
}
