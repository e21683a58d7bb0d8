"""Problems at the edge of what is proven, beside what is wanted: ``python -m benchmarks.harder --help``.

Each row is a problem whose proof took too long, or did not end, when it was first tried: unlimited depth over many
binary columns, wide tables, depth four over all thresholds, a million rows, and the fixed cost of a small fit. `wanted`
is the aim that was set then. Each row runs in a process of its own, on one core; seconds and limits are those of the
processor, so that other work on the machine does not shorten a run (it makes the seconds longer all the same: memory
and caches are shared). The gap after five seconds says whether the bound is worth reading early. Tables are those of
the reference data folder beside the checkout; where the table of the aim is not among them, a generated one of its size
stands in, and the row says so. `--most` cuts all limits; the limit that counted and the commit are in each row, and
`--save` replaces only the rows that were run.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks._data import as_binary, jittered, read_csv
from benchmarks._environments import DEFAULT_FOLDER, interpreter
from benchmarks._harness import RESULTS, SINGLE_CORE, write_results
from benchmarks._tables import format_table, show_depth
from benchmarks.regression import commit

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
SMALL = "fit of 150 x 20"
EARLY = 5.0  # seconds after which the gap is noted
QUICK = 2.0  # seconds; a shorter fit is repeated

Arrays = tuple[NDArray[Any], NDArray[Any]]


@dataclass(frozen=True)
class Problem:
    """A row of the table.

    Parameters
    ----------
    make : callable
        Returns X and y.
    price : float
        `cost_complexity`.
    depth : int or None
        `max_depth`.
    seconds : float
        Limit, of the processor.
    wanted : str
    kind : str, default="OptimalTreeClassifier"
    """

    make: Callable[[], Arrays]
    price: float
    depth: int | None
    seconds: float
    wanted: str
    kind: str = "OptimalTreeClassifier"


def binary(name: str) -> Arrays:
    """A table of 0/1 columns."""
    X, y = read_csv(DATA / "binary" / f"{name}.csv.gz")
    return as_binary(X), y


def numbers(name: str) -> Arrays:
    """A table of numbers."""
    return read_csv(DATA / name)


def protein() -> Arrays:
    """The largest table of the regression benchmark."""
    from benchmarks.regression import read

    return read("protein")


def wide(columns: int) -> Arrays:
    """2,000 rows of random bits; a rule of four of them decides, but for a tenth of the labels."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (2000, columns), dtype=np.uint8)
    rule = (X[:, 0] & X[:, 1]) | (X[:, 2] & (1 - X[:, 3]))
    return X, (rule ^ (rng.random(2000) < 0.1)).astype(np.int64)


def many_classes() -> Arrays:
    """20,867 rows, ten columns that depend on the class, twelve classes of unequal size."""
    rng = np.random.default_rng(0)
    share = 0.7 ** np.arange(12)
    y = rng.choice(12, size=20_867, p=share / share.sum())
    centre = rng.normal(size=(12, 10))
    return centre[y] + rng.normal(size=(len(y), 10)), y


def a_million(name: str) -> Arrays:
    """A million rows drawn from a table, with noise: nearly every value is a threshold."""
    return jittered(*numbers(f"continuous/{name}.csv.gz"), 1_000_000)


def small() -> Arrays:
    """150 rows, 20 binary columns."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (150, 20), dtype=np.uint8)
    return X, ((X[:, 0] & X[:, 1]) ^ (rng.random(150) < 0.1)).astype(np.int64)


def problems() -> dict[str, Problem]:
    """Return the rows by name: those of binary columns first, the longest last."""
    bits = {name: partial(binary, name) for name in BINARY}
    raw = {name: partial(numbers, f"continuous/{name}.csv.gz") for name in ("magic", "fault", "eeg")}
    coupons = {
        name: partial(numbers, f"gosdt_guesses/coupon_{name}.csv.gz") for name in ("carryout", "rest20")
    }
    found = {
        SMALL: Problem(small, 0.01, 3, 10, "1.5 ms"),
        "audiology": Problem(bits["audiology"], 0.005, None, 60, "3 s"),
        "audiology .001": Problem(bits["audiology"], 0.001, None, 60, "5 s"),
        "pendigits": Problem(bits["pendigits"], 0.001, None, 60, "5 s"),
    }
    for name, price, now in HARD_BINARY:
        found[name] = Problem(bits[name], price, None, 15, f"proof, or gap < .3 (was {now})")
    for columns, wanted in ((100, "-"), (200, "growth <= 2.5"), (400, "proof")):
        found[f"2,000 x {columns} bits"] = Problem(partial(wide, columns), 0.01, 4, 20, wanted)
    for name, make in coupons.items():
        found[f"coupon {name}"] = Problem(make, 0.005, None, 60, "proof")
        found[f"coupon {name} .001"] = Problem(make, 0.001, None, 60, "gap < .1")
    for name in ("magic", "rice"):
        found[f"a million {name}, depth 2"] = Problem(partial(a_million, name), 0.0, 2, 20, "1.5 s")
    found["eeg"] = Problem(raw["eeg"], 0.0, 4, 60, "gap < .2")
    found["20,867 x 10, 12 classes (stand-in)"] = Problem(many_classes, 0.0, 4, 60, "gap < .2")
    found["protein"] = Problem(protein, 0.0, 3, 60, "10 s", "OptimalTreeRegressor")
    for price in (0.0, 0.002, 0.01):
        found[f"magic {price:g}"] = Problem(raw["magic"], price, 4, 120, "proof")
    found["fault"] = Problem(raw["fault"], 0.0, 4, 120, "gap < .02")
    for name in ("magic", "rice"):
        found[f"a million {name}, depth 3"] = Problem(partial(a_million, name), 0.0, 3, 120, "proof")
    return found


HARD_BINARY = (
    ("german-credit", 0.01, ".80"),
    ("yeast", 0.01, ".52"),
    ("ionosphere", 0.01, ".25"),
    ("splice-1", 0.01, ".13"),
    ("vehicle", 0.005, ".08"),
    ("heart-cleveland", 0.01, ".05"),
)
BINARY = ("audiology", "pendigits", *(name for name, _, _ in HARD_BINARY))


def answer(name: str, most: float) -> dict[str, Any]:
    """Run one problem in this process, and return its row."""
    import treewright

    asked = problems()[name]
    X, y = asked.make()
    limit = min(asked.seconds, most)
    kind = getattr(treewright, asked.kind)
    warnings.simplefilter("ignore")
    kind(time_limit=1.0).fit(np.arange(8.0)[:, None], np.arange(8) // 4)  # imports are no part of a fit
    early: list[float] = []
    begun = 0.0

    def watch(progress: Any) -> bool:
        spent = time.process_time() - begun
        if spent >= EARLY and not early:
            early.append(progress.gap)
        return spent > limit

    spent: list[float] = []
    while not spent or (sum(spent) < QUICK and len(spent) < 300):
        model = kind(
            asked.price,
            max_depth=asked.depth,
            time_limit=None,
            progress=watch if asked.seconds > 10 else False,
        )
        begun = time.process_time()
        model.fit(X, y)
        spent.append(time.process_time() - begun)
    result = model.result_
    return {
        "problem": name,
        "rows": X.shape[0],
        "columns": X.shape[1],
        "price": asked.price,
        "depth": show_depth(asked.depth),
        "limit": limit,
        "cpu_seconds": round(statistics.median(spent), 4),
        "status": result.status.value,
        "gap": round(result.gap, 4),
        "gap_after_5_s": round(early[0], 4) if early else None,
        "objective": result.objective,
        "lower_bound": result.lower_bound,
        "wanted": asked.wanted,
    }


def apart(name: str, most: float) -> dict[str, Any]:
    """Return the row of a fresh process."""
    command = [sys.executable, "-m", "benchmarks.harder", "--child", name, str(most)]
    run = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, env={**os.environ, **SINGLE_CORE}
    )
    if run.returncode:
        return {"problem": name, "status": f"exit code {run.returncode}", "wanted": problems()[name].wanted}
    found: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return found


STREED = """
import json, statistics, sys, time
import numpy as np
from pystreed import STreeDClassifier
arrays = np.load(sys.argv[1])
X, y, spent = arrays["X"].astype(np.int32), arrays["y"].astype(np.int32), []
while sum(spent) < 2 and len(spent) < 300:
    model = STreeDClassifier("cost-complex-accuracy", max_depth=3, cost_complexity=.01)
    begun = time.process_time()
    model.fit(X, y)
    spent.append(time.process_time() - begun)
print(json.dumps(statistics.median(spent)))
"""


def of_streed() -> float | None:
    """Return the seconds of the small fit in STreeD, where its environment has been made."""
    python = interpreter("streed", DEFAULT_FOLDER)
    if not python.exists():
        return None
    with tempfile.TemporaryDirectory() as folder:
        X, y = small()
        np.savez(f"{folder}/small.npz", X=X, y=y)
        run = subprocess.run(
            [str(python), "-c", STREED, f"{folder}/small.npz"], capture_output=True, text=True, check=False
        )
    return round(float(json.loads(run.stdout.splitlines()[-1])), 5) if run.returncode == 0 else None


def keep(row: dict[str, Any], options: dict[str, Any]) -> None:
    """Put a row into the stored results, in place of the one of the same problem."""
    path = RESULTS / "harder.json"
    old = json.loads(path.read_text())["rows"] if path.exists() else []
    by_name = {one["problem"]: one for one in [*old, row]}
    write_results("harder", options, [by_name[name] for name in problems() if name in by_name])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="*", help="part of the names of rows")
    parser.add_argument("--most", type=float, default=120, help="processor seconds of a row at most")
    parser.add_argument("--save", action="store_true", help="write results/harder.json")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child:
        print(json.dumps(answer(asked.child[0], float(asked.child[1]))))
        return
    code = commit()  # of the code that runs, whatever is written while it does
    options = {
        **{name: version(name) for name in ("treewright", "numpy", "scikit-learn")},
    }
    columns = ("problem", "price", "depth", "cpu_seconds", "status", "gap", "gap_after_5_s", "wanted")
    rows = []
    for name in problems():
        if asked.only and not any(part in name for part in asked.only):
            continue
        row = apart(name, asked.most)
        if name == SMALL and (seconds := of_streed()) is not None:
            row["wanted"] += f" (STreeD {1000 * seconds:.2g} ms)"
        rows.append(row := {**row, "commit": code})
        print("  ".join(str(row.get(c, "-")) for c in columns), flush=True)
        if asked.save:  # at once: a long run may be broken off
            keep(row, options)
    print("\n" + format_table(columns, [[row.get(c, "-") for c in columns] for row in rows]))


if __name__ == "__main__":
    main()
