"""Hard problems with and without row prices: status, bounds and seconds of one core.

    python -m benchmarks.row_prices [--seconds 30] [--only NAME ...] [--lambdas 0.01 ...]

The tables are the binary ones of the reference data folder beside the checkout, and four made from its raw
files. Each line is one run; seconds are of the processor, since machines are shared, and the limit is on
those of the clock."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import pandas as pd

from treewright._native import core
from treewright.search import BinaryOptions, Limits
from treewright.search._prices import price_source

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def binary(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return columns and classes of a binary table."""
    table = pd.read_csv(DATA / "binary" / f"{name}.csv.gz")
    return table.drop(columns="label").to_numpy(), np.unique(table["label"], return_inverse=True)[1]


def raw(file: str, thresholds: int, most_columns: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Return quantile cuts of columns with more than two values, the others as they are."""
    table = pd.read_csv(DATA / "gosdt_guesses" / file)
    y = np.unique(table.iloc[:, -1], return_inverse=True)[1]
    columns = []
    for name in table.columns[:-1]:
        values = table[name].to_numpy(dtype=float)
        if len(np.unique(values)) <= 2:
            columns.append(values > values.min())
        else:
            quantiles = np.unique(np.quantile(values, np.arange(1, thresholds + 1) / (thresholds + 1)))
            columns += [values <= q for q in quantiles]
    X = np.array([c for c in columns if 0 < c.sum() < len(c)])
    if most_columns is not None:  # those nearest to half ones and half zeros
        X = X[np.argsort(-np.minimum(X.mean(1), 1 - X.mean(1)), kind="stable")[:most_columns]]
    return X.T, y


TABLES = {
    **{
        n: (binary, n)
        for n in ("anneal", "heart-cleveland", "yeast", "hepatitis", "kr-vs-kp", "german-credit")
    },
    "fico": (raw, "fico.csv.gz", 2, None),
    "coupon": (raw, "coupon_carryout.csv.gz", 2, 60),
    "rest20": (raw, "coupon_rest20.csv.gz", 2, 60),
    "broward": (raw, "broward_general_2y.csv", 2, None),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--only", nargs="*", default=list(TABLES))
    parser.add_argument("--lambdas", nargs="*", type=float, default=[0.02, 0.01, 0.005])
    parser.add_argument("--depth", type=int, default=-1)
    arguments = parser.parse_args()
    for name in arguments.only:
        make, *rest = TABLES[name]
        X, y = make(*rest)
        n = len(y)
        classes = int(y.max()) + 1
        for cost_complexity in arguments.lambdas:
            bits = core.BinaryProblem(
                np.ascontiguousarray(X.T, dtype=np.uint8),
                y.astype(np.int32),
                np.ones(n, np.int64),
                (1 - np.eye(classes)).astype(np.int64),
                leaf_penalty=cost_complexity * n,
                min_count=1,
                equivalent_points=True,
            )
            for row_prices in (False, True):
                start = time.process_time()
                max_depth = None if arguments.depth < 0 else arguments.depth
                found = bits.search(
                    max_depth=arguments.depth,
                    max_leaves=0,
                    options=BinaryOptions().native(),
                    price_rows=price_source(bits, max_depth) if row_prices else None,
                    fewest_leaves=True,
                    report=None,
                    **Limits(time_limit=arguments.seconds).native(),
                )
                bound = found["row_price_bound"]
                print(
                    f"{name:16} rows {bits.n_rows:5} columns {bits.n_columns:3} {cost_complexity:<6}"
                    f" {'prices' if row_prices else 'plain ':6}"
                    f" {'OPTIMAL' if found['exact'] else 'open   '}"
                    f" {found['upper_bound'] / n:.5f} >= {found['lower_bound'] / n:.5f}"
                    f" gap {1 - found['lower_bound'] / found['upper_bound']:6.1%}"
                    f" root {'-' if bound is None else f'{bound / n:.5f}'}"
                    f" cpu {time.process_time() - start:5.1f} s",
                    flush=True,
                )


if __name__ == "__main__":
    main()
