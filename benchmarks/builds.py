"""Two builds of this library on the same problems: ``python -m benchmarks.builds OTHER_PYTHON --help``.

OTHER_PYTHON is the interpreter of an environment in which another build is installed, an earlier commit for instance.
Both builds stay loaded and answer in turns, so that a machine that is busy for a while is busy for both; the least of
the processor's seconds in `fit` counts. Problems: the 100 rows of `benchmarks.sparse grid`, the tables of
`benchmarks.continuous grid` at depth two and three, and proofs of the best worst leaf. Every proven value must be the
same in both builds; the command ends with an error where it is not.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks._data import Dataset, stored
from benchmarks._environments import worker_script
from benchmarks._options import finish, names
from benchmarks._tables import format_table, show_depth, show_seconds
from benchmarks.continuous import TABLES, arrays_of
from benchmarks.regression import commit
from benchmarks.sparse import table
from treewright import __version__

HERE = Path(__file__).resolve().parent
DATA = HERE.parent.parent / "shared"
GRIDS = ("sparse", "continuous", "worst leaf")
WORST_LEAF = ("bank", "raisin", "rice", "segment", "wilt")
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Problem:
    """One fit that both builds are asked for."""

    grid: str
    dataset: Dataset
    estimator: str
    parameters: dict[str, Any]

    def message(self, limit: float) -> dict[str, Any]:
        """Return what a worker reads."""
        parameters = {**self.parameters, "time_limit": limit}
        return {"arrays": str(self.dataset.arrays), "estimator": self.estimator, "parameters": parameters}


def problems(data: Path, grids: tuple[str, ...]) -> Iterator[Problem]:
    """Yield the problems of the grids."""
    if "sparse" in grids:
        for entry in json.loads((data / "reference" / "sparse_trees.json").read_text())["rows"]:
            asked = {key: entry[key] for key in ("cost_complexity", "max_depth")}
            yield Problem("sparse", table(data, entry["file"]), "OptimalTreeClassifier", asked)
    for name in TABLES if "continuous" in grids else ():
        dataset = stored(name, partial(arrays_of, data, name))
        for depth in (2, 3):
            for price in (0.0, 0.002, 0.01):
                asked = {"cost_complexity": price, "max_depth": depth, "thresholds": "all"}
                yield Problem("continuous", dataset, "OptimalTreeClassifier", asked)
    for name in WORST_LEAF if "worst leaf" in grids else ():
        dataset = stored(name, partial(arrays_of, data, name))
        for criterion in ("accuracy", "lower_bound"):
            asked = {"max_depth": 3, "min_samples_leaf": 20, "thresholds": 16, "criterion": criterion}
            yield Problem("worst leaf", dataset, "LeafAccuracyTreeClassifier", asked)


class Build:
    """A build that stays loaded and answers one problem after another."""

    def __init__(self, python: Path) -> None:
        self._process = subprocess.Popen(
            [str(python), str(worker_script("build"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def answer(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return seconds, status, objective and bound of one fit."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise typer.BadParameter(f"a build ended with status {self._process.wait()} at {message}")
        answer: dict[str, Any] = json.loads(line)
        return answer


def compare(builds: dict[str, Build], problem: Problem, limit: float, turns: int) -> dict[str, Any]:
    """Ask both builds in turns; long runs once each, short ones `turns` times."""
    least: dict[str, dict[str, Any]] = {}
    message = problem.message(limit)
    for turn in range(turns):
        for name, build in builds.items():
            found = build.answer(message)
            least[name] = min(least.get(name, found), found, key=lambda answer: answer["seconds"])
        if sum(answer["seconds"] for answer in least.values()) * (turn + 1) > 4:
            break
    other, this = least["other"], least["this"]
    row = {
        "grid": problem.grid,
        "table": problem.dataset.name,
        "price": problem.parameters.get("cost_complexity"),
        "depth": show_depth(problem.parameters["max_depth"]),
        "criterion": problem.parameters.get("criterion"),
        "other_seconds": round(other["seconds"], 5),
        "this_seconds": round(this["seconds"], 5),
        "ratio": round(this["seconds"] / other["seconds"], 2),
        "objective": this["objective"],
        "proven_by": sum(answer["status"] == "OPTIMAL" for answer in least.values()),
        "differs": all(answer["status"] == "OPTIMAL" for answer in least.values())
        and abs(this["objective"] - other["objective"]) > TOLERANCE,
    }
    return {key: value for key, value in row.items() if value is not None}


def summary(rows: list[dict[str, Any]]) -> str:
    """Return a line for each grid: the totals, and the largest ratio of one problem."""
    lines = []
    for grid in dict.fromkeys(row["grid"] for row in rows):
        of_grid = [row for row in rows if row["grid"] == grid]
        other, this = (sum(row[f"{build}_seconds"] for row in of_grid) for build in ("other", "this"))
        worst = max(of_grid, key=lambda row: row["ratio"])
        what = " ".join(str(worst[key]) for key in ("table", "price", "depth", "criterion") if key in worst)
        totals = [show_seconds(other), show_seconds(this), f"{this / other:.2f}"]
        lines.append([grid, str(len(of_grid)), *totals, f"{worst['ratio']:.2f} ({what})"])
    return format_table(["grid", "problems", "other", "this", "ratio", "largest ratio of one"], lines)


def main(
    other: Annotated[Path, typer.Argument(help="Interpreter of the environment with the other build.")],
    name: Annotated[str, typer.Option(help="What the other build is: a commit.")],
    data: Annotated[Path, typer.Option(help="Folder of the shared data and reference values.")] = DATA,
    grids: Annotated[str, typer.Option(help=f"Comma-separated, of {', '.join(GRIDS)}.")] = ",".join(GRIDS),
    time_limit: Annotated[float, typer.Option(help="Seconds for each fit.")] = 60,
    turns: Annotated[int, typer.Option(help="Fits of each build for short problems.")] = 7,
    write: Annotated[bool, typer.Option(help="Write the results file.")] = True,
) -> None:
    builds = {"other": Build(other), "this": Build(Path(sys.executable))}
    rows = []
    for problem in problems(data, names(grids)):
        rows.append(compare(builds, problem, time_limit, turns))
    print(summary(rows))
    options = {
        "other": name,
        "this": commit(),
        "version": __version__,
        "time_limit": time_limit,
        "turns": turns,
    }
    different = [f"differs: {row}" for row in rows if row["differs"]]
    finish("builds", options, rows, write, *different)
    if different:
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
