"""Divide and bound on large tables, beside CART and one exact search: ``python -m benchmarks.shards --help``.

Generated rows (normal columns in single precision, two rules over four of them, a fifth of the labels turned round) are
written to Parquet files; `htru` and `occupancy` are tables of the reference data folder, every row twice, shuffled, in
shards of half. Each run has a process of its own: seconds are of its processor and those of its workers, reading
included; memory is the sum of the most that it and each worker held. The exact search and CART load the whole table;
CART is scikit-learn's, over all thresholds and of the same depth; its objective counts the same price for each of its
leaves.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import tempfile
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import sklearn
from joblib.externals.loky import get_reusable_executor
from sklearn.tree import DecisionTreeClassifier

from benchmarks._harness import write_results
from benchmarks._tables import format_table
from benchmarks.regression import commit
from treewright import OptimalTreeClassifier, SolveStatus, __version__, fit_shards

HERE = Path(__file__).resolve().parent
DATA = HERE.parent.parent / "shared" / "data" / "continuous"
FILE_ROWS = 500_000
DOUBLED = ("htru", "occupancy")


def generate(folder: Path, rows: int, columns: int) -> Path:
    """Write rows to Parquet files and return their folder."""
    rng = np.random.default_rng(0)
    where = folder / f"{rows}x{columns}"
    where.mkdir()
    for start in range(0, rows, FILE_ROWS):
        n = min(FILE_ROWS, rows - start)
        X = rng.normal(size=(n, columns)).astype(np.float32)
        rule = ((X[:, 0] > 0.5) & (X[:, 1] < 0.8)) | ((X[:, 2] > 1.0) & (X[:, 3] > -0.5))
        y = (rule ^ (rng.random(n) < 0.2)).astype(np.int8)
        frame = pl.DataFrame(X, schema=[f"x{j}" for j in range(columns)]).with_columns(y=pl.Series(y))
        frame.write_parquet(where / f"{start:012d}.parquet")
    return where


def double(folder: Path, name: str, data: Path) -> tuple[Path, int]:
    """Write a table of the reference data, every row twice and shuffled; return its folder and how many rows it has."""
    frame = pl.read_csv(data / f"{name}.csv.gz", infer_schema_length=None).rename({"label": "y"})
    frame = pl.concat([frame, frame]).sample(fraction=1.0, shuffle=True, seed=0)
    where = folder / name
    where.mkdir()
    frame.write_parquet(where / "rows.parquet")
    return where, len(frame)


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Make one run, in a process of its own."""
    warnings.simplefilter("ignore")
    began, clock = time.process_time(), time.perf_counter()
    answer = {"shards": by_shards, "exact": by_one_search, "cart": by_cart}[job["method"]](job)
    seconds = time.perf_counter() - clock
    workers, held = end_workers() if job["n_jobs"] != 1 else (0.0, 0)
    answer |= {
        "cpu_seconds": round(time.process_time() - began + workers, 2),
        "seconds": round(seconds, 2),
        "peak_mb": round((most_memory() + held) / 2**20),
    }
    return {"package": "treewright", "version": __version__, **job, **answer}


def end_workers() -> tuple[float, int]:
    """End joblib's workers; return their seconds of the processor, and the bytes that they held at most together."""
    pids = [
        int(pid) for path in Path("/proc/self/task").glob("*/children") for pid in path.read_text().split()
    ]
    held = sum(most_memory(pid) for pid in pids)  # before the executor is asked for: that may end them
    get_reusable_executor().shutdown(wait=True)
    used = os.times()
    return used.children_user + used.children_system, held


def most_memory(pid: int | str = "self") -> int:
    """Return the bytes that a process held at most."""
    try:  # what the system counts for `getrusage` begins before the program does
        text = Path(f"/proc/{pid}/status").read_text()
        return int(text.partition("VmHWM:")[2].split()[0]) << 10
    except (OSError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def by_shards(job: dict[str, Any]) -> dict[str, Any]:
    result = fit_shards(
        job["folder"],
        "y",
        cost_complexity=job["cost_complexity"],
        max_depth=job["max_depth"],
        thresholds=job["thresholds"],
        shard_rows=job["shard_rows"],
        n_jobs=job["n_jobs"],
        time_limit=job["time_limit"],
        progress=False,
    ).result_
    return said(result) | {
        "shards": result.stats["shards"],
        "on_disk_mb": round(result.stats["bytes_on_disk"] / 1e6),
    }


def by_one_search(job: dict[str, Any]) -> dict[str, Any]:
    X, y = load(job)
    model = OptimalTreeClassifier(
        job["cost_complexity"],
        max_depth=job["max_depth"],
        thresholds=job["thresholds"],
        time_limit=job["time_limit"],
        progress=False,
    ).fit(X, y)
    return said(model.result_)


def by_cart(job: dict[str, Any]) -> dict[str, Any]:
    X, y = load(job)
    model = DecisionTreeClassifier(max_depth=job["max_depth"], random_state=0).fit(X, y)
    loss, leaves = float((model.predict(X) != y).mean()), int(model.get_n_leaves())
    return {"loss": loss, "leaves": leaves, "objective": loss + job["cost_complexity"] * leaves}


def load(job: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    frame = pl.read_parquet(Path(job["folder"]) / "*.parquet")
    return frame.drop("y").to_numpy(), frame["y"].to_numpy()


def said(result: Any) -> dict[str, Any]:
    return {
        "proven": result.status is SolveStatus.OPTIMAL,
        "gap": result.gap,
        "objective": result.objective,
        "lower_bound": result.lower_bound,
        "loss": result.loss,
        "leaves": result.tree.n_leaves,
    }


def apart(job: dict[str, Any]) -> dict[str, Any]:
    # Not a daemon, as the processes of `multiprocessing.Pool` are: those may not have workers of their own.
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return dict(pool.submit(run, job).result())


def shown(rows: list[dict[str, Any]]) -> str:
    """Return the rows as a Markdown table."""
    header = [
        "data",
        "rows",
        "depth",
        "thresholds",
        "method",
        "shard rows",
        "gap",
        "objective",
        "loss",
        "leaves",
        "cpu s",
        "s",
        "peak MB",
    ]
    cells = [
        [
            row["data"],
            f"{row['rows']:,}",
            row["max_depth"],
            row["thresholds"],
            row["method"],
            f"{row['shard_rows']:,}" if row["method"] == "shards" else "",
            "" if "gap" not in row else "0, proven" if row["proven"] else f"{100 * row['gap']:.3g}%",
            f"{row['objective']:.5f}",
            f"{row['loss']:.5f}",
            row["leaves"],
            f"{row['cpu_seconds']:.1f}",
            f"{row['seconds']:.1f}",
            row["peak_mb"],
        ]
        for row in rows
    ]
    return format_table(header, cells)


def jobs(asked: argparse.Namespace, rows: int) -> list[tuple[str, dict[str, Any]]]:
    """Return what is run on a table: CART once a depth, for it knows all thresholds and no price."""
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for method in asked.methods:
        for cell in asked.cells:
            depth, thresholds, size = cell.split(":")
            job = {
                "max_depth": int(depth),
                "thresholds": int(thresholds) if thresholds.isdigit() else thresholds,
                "cost_complexity": asked.price,
                "shard_rows": min(int(size), -(-rows // 2)),
                "time_limit": asked.seconds if method == "shards" else asked.exact_seconds,
                "n_jobs": asked.jobs,
            }
            key = (method, depth, *(() if method == "cart" else (thresholds, size)))
            found.setdefault(key, job | ({"thresholds": "all"} if method == "cart" else {}))
    return [(key[0], job) for key, job in found.items()]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "which",
        nargs="?",
        choices=["counted"],
        help="16 quantiles and depth 3 on ten million rows, two workers",
    )
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--price", type=float, default=0.002)
    parser.add_argument(
        "--cells",
        nargs="*",
        default=["2:all:100000", "3:16:100000", "3:all:25000"],
        help="DEPTH:THRESHOLDS:SHARD_ROWS; doubled tables are cut in two",
    )
    parser.add_argument("--doubled", nargs="*", default=list(DOUBLED))
    parser.add_argument("--methods", nargs="*", default=["shards", "exact", "cart"])
    parser.add_argument("--seconds", type=float, default=500, help="of the clock, for each fit on shards")
    parser.add_argument("--exact-seconds", type=float, default=150, help="likewise, for each exact search")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the tables")
    parser.add_argument("--folder", type=Path, help="where generated files are kept meanwhile")
    parser.add_argument("--made", type=Path, help="folder of generated rows that are there already")
    parser.add_argument("--save", action="store_true", help="write the file in results/")
    if parser.parse_known_args()[0].which == "counted":
        parser.set_defaults(rows=10_000_000, cells=["3:16:100000"], doubled=[], methods=["shards"], jobs=2)
    asked = parser.parse_args()
    name = "-".join(["shards", *filter(None, [asked.which])])
    options = {
        "commit": commit(),
        "seconds": asked.seconds,
        "jobs": asked.jobs,
        "scikit-learn": sklearn.__version__,
        "numpy": np.__version__,
        "polars": pl.__version__,
    }
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        tables: list[tuple[str, Path, int]] = []
        if asked.rows:
            where = asked.made or generate(Path(folder), asked.rows, asked.columns)
            tables.append(("generated", where, asked.rows))
        tables += [(data, *double(Path(folder), data, asked.data)) for data in asked.doubled]
        for data, where, n in tables:
            for method, job in jobs(asked, n):
                row = apart(job | {"data": data, "rows": n, "folder": str(where), "method": method})
                row.pop("folder")
                rows.append(row)
                print(shown(rows[-1:]).splitlines()[-1], flush=True)
                if asked.save:  # at once: a long run may be broken off
                    write_results(name, options, rows)
    print("\n" + shown(rows))


if __name__ == "__main__":
    main()
