"""What shards that agree on the root split would gain: ``python -m benchmarks.shard_agreement --help``.

The bound of divide and bound is the mean, over the shards, of what the best tree of each costs. Multipliers between
shards (a price on each root split in each shard; they add up to zero over the shards) could raise it, at best to the
least, over the root splits, of the mean of what the best tree below that split costs in each shard. Both are computed
here, without a search, for trees of depth two over quantiles: rows as in `benchmarks.shards`, of ten columns.
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray

from benchmarks._harness import write_results
from benchmarks._tables import format_table
from benchmarks.regression import commit

COLUMNS = 10


def costs_of_roots(
    codes: NDArray[np.int64], y: NDArray[np.int64], n_bins: int, price: float
) -> NDArray[np.float64]:
    """Return the least cost of a tree of depth two below each root split, as a share of the rows.

    Parameters
    ----------
    codes : ndarray of shape (n_columns, n_rows)
        Bins of the values.
    y : ndarray of shape (n_rows,)
        0 or 1.
    n_bins : int
    price : float
        Of a leaf.

    Returns
    -------
    costs : ndarray of shape (n_columns, n_bins - 1)
    """
    n_columns, n_rows = codes.shape
    costs = np.empty((n_columns, n_bins - 1))
    for root in range(n_columns):
        cells = np.empty(
            (n_columns, n_bins, n_bins, 2)
        )  # column below, bin of the root, bin of that column, class
        for below in range(n_columns):
            cell = (codes[root] * n_bins + codes[below]) * 2 + y
            cells[below] = np.bincount(cell, minlength=2 * n_bins**2).reshape(n_bins, n_bins, 2)
        left = np.cumsum(cells, axis=1)[:, :-1]
        right = cells.sum(axis=1, keepdims=True) - left
        costs[root] = _one_split(left, price * n_rows) + _one_split(right, price * n_rows)
    return costs / n_rows


def _one_split(cells: NDArray[np.float64], price: float) -> NDArray[np.float64]:
    """Return the least cost of at most one split, of cells (column, set of rows, bin, class), for each set of rows."""
    before = np.cumsum(cells, axis=2)
    all_rows = before[:, :, -1:]
    leaf = all_rows[0, :, 0].min(axis=-1) + price
    split = before[:, :, :-1].min(axis=-1) + (all_rows - before[:, :, :-1]).min(axis=-1)
    return np.minimum(leaf, split.min(axis=(0, 2)) + 2 * price)


def run(rows: int, shard_rows: int, n_bins: int, price: float) -> dict[str, float | int]:
    """Return both gaps, in percent of the optimum over all rows."""
    rng = np.random.default_rng(shard_rows)
    X = rng.normal(size=(COLUMNS, rows))
    rule = ((X[0] > 0.5) & (X[1] < 0.8)) | ((X[2] > 1.0) & (X[3] > -0.5))
    y = (rule ^ (rng.random(rows) < 0.2)).astype(np.int64)
    inner = np.arange(1, n_bins) / n_bins
    codes = np.array([np.searchsorted(np.quantile(x, inner), x) for x in X])
    parts = np.array([
        costs_of_roots(codes[:, begin : begin + shard_rows], y[begin : begin + shard_rows], n_bins, price)
        for begin in range(0, rows, shard_rows)
    ])  # fmt: skip
    optimum = costs_of_roots(codes, y, n_bins, price).min()
    alone, agreed = parts.min(axis=(1, 2)).mean(), parts.mean(axis=0).min()
    return {
        "rows of a shard": shard_rows,
        "shards": len(parts),
        "gap, each its own tree, %": abs(round(100 * (1 - alone / optimum), 4)),
        "gap, one root split for all, %": abs(round(100 * (1 - agreed / optimum), 4)),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--shard-rows", type=int, nargs="+", default=[1_000, 2_500, 10_000, 40_000])
    parser.add_argument("--bins", type=int, default=32)
    parser.add_argument("--price", type=float, default=0.002)
    parser.add_argument("--save", action="store_true")
    args = parser.parse_args()
    answers = [run(args.rows, m, args.bins, args.price) for m in args.shard_rows]
    print(format_table(list(answers[0]), [list(answer.values()) for answer in answers]))
    if args.save:
        options = {"rows": args.rows, "bins": args.bins, "price": args.price, "depth": 2, "commit": commit()}
        print(write_results("shards-agreement", options, answers))
