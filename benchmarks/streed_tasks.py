"""Policy and survival trees over binary columns beside pystreed: ``python -m benchmarks.streed_tasks --help``.

The tables are those of its repository (doses of warfarin) and of the OSST paper (censored times), in the reference data
folder beside the checkout; without a price of a leaf, which pystreed does not have for these tasks. Objectives are
recomputed from what the trees predict:

- policy: the share that is left of the regret of the best single dose, by doubly robust scores;
- survival: the share that is left of the deviance of a single leaf. Leaves of one hazard ratio are one group.

Seconds are of the processor, of the `fit` call alone, of the shorter of two runs where the first took less than half a
second; the limit is on those of the clock. pystreed runs in an environment of its own (`benchmarks._environments`),
one process a fit. A row tells the load of the machine: what counts is the factor between two rows of one problem,
which ran one after the other.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from benchmarks._environments import ensure
from benchmarks._harness import write_results
from benchmarks._tables import format_table
from benchmarks.held_out import DATA, HERE, ONE_CORE, doubly_robust, read
from benchmarks.regression import commit
from treewright import OptimalPolicyTree, OptimalSurvivalTree, SolveStatus, __version__
from treewright.problem import make_survival_problem
from treewright.table import table_from

TABLES = {
    "policy": ("0.06", "random"),
    "survival": (
        "veterans",
        "uissurv",
        "gbsg2",
        "maintenance",
        "credit",
        "aids",
        "insurance",
        "churn",
        "flchain",
    ),
}
DEPTHS = {"policy": (1, 2, 3, 4, 5, 6), "survival": (2, 3, 4, 5, 6)}
SHORT = 0.5  # seconds, below which a fit is made twice


def by_treewright(task: str, X: Any, y: Any, depth: int, seconds: float) -> dict[str, Any]:
    """Fit ours."""
    spent: list[float] = []
    while len(spent) < 2 and sum(spent) < SHORT:
        estimator = OptimalPolicyTree if task == "policy" else OptimalSurvivalTree
        model = estimator(0.0, max_depth=depth, time_limit=seconds, progress=False)
        begun = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(X, doubly_robust(y) if task == "policy" else y)
        spent.append(time.process_time() - begun)
    return {
        "version": __version__,
        "cpu_seconds": min(spent),
        "proven": model.result_.status is SolveStatus.OPTIMAL,
        "leaves": model.get_n_leaves(),
        "predictions": model.predict(X),
    }


def by_streed(task: str, X: Any, y: Any, depth: int, seconds: float) -> dict[str, Any] | None:
    """Fit the peer's in its own environment; None if it failed or hung."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "problem.npz"
        np.savez(path, X=X, y=y, depth=depth, seconds=seconds)
        command = [str(ensure("streed")), str(HERE / "peers" / "streed_tasks_worker.py"), task, str(path)]
        try:
            told = subprocess.run(
                command, capture_output=True, text=True, timeout=5 * seconds + 60, env=ONE_CORE, check=True
            )
        except subprocess.SubprocessError:
            return None
    return dict(json.loads(told.stdout.splitlines()[-1]))


def share_left(task: str, X: Any, y: Any, predicted: Any) -> float:
    """Return what a tree leaves of the regret or the deviance of a single leaf, from what it predicts."""
    predicted = np.asarray(predicted)
    if task == "policy":
        scores = doubly_robust(y)
        regret = scores.max(axis=1, keepdims=True) - scores
        chosen = regret[np.arange(len(y)), predicted.astype(int)]
        return float(chosen.sum() / regret.sum(axis=0).min())
    problem = make_survival_problem(table_from(X), y)
    same = np.zeros(len(y), dtype=int)
    return deviance(problem.event, problem.hazard, grouped(predicted)) / deviance(
        problem.event, problem.hazard, same
    )


def grouped(predicted: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the number of each row's group; predictions of one leaf may differ in their last digits."""
    order = np.argsort(predicted)
    steps = np.diff(predicted[order]) > 1e-9 * np.abs(predicted[order][1:])
    group = np.empty(len(predicted), dtype=np.int64)
    group[order] = np.concatenate([[0], np.cumsum(steps)])
    return group


def deviance(event: NDArray[np.bool_], hazard: NDArray[np.float64], group: NDArray[np.int64]) -> float:
    """Return half the deviance of groups with a hazard ratio each (LeBlanc and Crowley 1992)."""
    seen, exposed = np.bincount(group, event), np.bincount(group, hazard)
    logarithm = np.log(np.divide(seen, exposed, out=np.ones(len(seen)), where=(seen > 0) & (exposed > 0)))
    return float(-(seen * logarithm).sum() - np.log(hazard[event]).sum())


def rows_of(
    task: str, name: str, depth: int, X: Any, y: Any, arguments: argparse.Namespace
) -> list[dict[str, Any]]:
    """Run one problem with both packages."""
    asked = (task, X, y, depth, arguments.seconds)
    answers = {"treewright": by_treewright(*asked), "pystreed": by_streed(*asked)}
    rows = []
    for package, answer in answers.items():
        row: dict[str, Any] = {
            "package": package,
            "task": task,
            "data": name,
            "rows": len(y),
            "columns": X.shape[1],
            "max_depth": depth,
            "load": round(os.getloadavg()[0], 1),
        }
        if answer is not None:
            row |= {
                "version": answer["version"],
                "cpu_seconds": round(answer["cpu_seconds"], 4),
                "proven": answer["proven"],
                "leaves": answer["leaves"],
                "objective": share_left(task, X, y, answer["predictions"]),
            }
        rows.append(row)
    return rows


def shown(rows: list[dict[str, Any]]) -> str:
    """Return the rows as a Markdown table, a problem a line."""
    header = [
        "task",
        "data",
        "depth",
        "cpu s",
        "pystreed",
        "times",
        "objective",
        "pystreed",
        "proven",
        "load",
    ]
    cells = []
    for ours, theirs in zip(rows[::2], rows[1::2], strict=True):
        line = [ours["task"], ours["data"], ours["max_depth"], f"{ours['cpu_seconds']:.3g}"]
        if "objective" in theirs:
            factor = theirs["cpu_seconds"] / ours["cpu_seconds"]
            line += [f"{theirs['cpu_seconds']:.3g}", f"{factor:.1f}", f"{ours['objective']:.6f}"]
            line += [f"{theirs['objective']:.6f}"]
        else:
            line += ["failed", "", f"{ours['objective']:.6f}", ""]
        proven = [name for name, row in (("ours", ours), ("pystreed's", theirs)) if row.get("proven")]
        cells.append([*line, ", ".join(proven) or "none", ours["load"]])
    return format_table(header, cells)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tasks", nargs="*", default=list(TABLES), choices=list(TABLES))
    parser.add_argument("--only", nargs="*", help="names of tables")
    parser.add_argument("--depths", nargs="*", type=int, help="all of the task unless given")
    parser.add_argument("--seconds", type=float, default=60, help="of the clock, for each fit")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the tables")
    parser.add_argument("--save", action="store_true", help="write results/streed_tasks.json")
    arguments = parser.parse_args()
    options = {"commit": commit(), "seconds": arguments.seconds, "numpy": np.__version__}
    rows: list[dict[str, Any]] = []
    for task in arguments.tasks:
        for name in arguments.only or TABLES[task]:
            X, y = read(task, name, arguments.data)
            by_treewright(task, X[:50], y[:50], 1, 1.0)  # imports are no part of a fit
            for depth in arguments.depths or DEPTHS[task]:
                new = rows_of(task, name, depth, X, y, arguments)
                rows += new
                print("\n".join(shown(new).splitlines()[2:]), flush=True)
                if arguments.save:  # at once: a long run may be broken off
                    write_results("streed_tasks", options, rows)
    print("\n" + shown(rows))


if __name__ == "__main__":
    main()
