"""What guesses cost on new rows: exact search, two references and tuned CART on ten tables, with fresh seeds.

``python -m benchmarks.guessing_held_out`` writes `benchmarks/results/guessing_held_out.json` after every split, so that
a run that is stopped keeps its whole splits. Nothing was chosen by these seeds. Three quarters of a table train. Depth
3, leaf penalty .01 for the exact search and the guided ones; CART chooses its pruning by five-fold cross-validation;
boosting is there to show what no tree of depth 3 is expected to reach. Guided searches take thresholds and bounds from
the reference, and the exact search over these thresholds runs beside, as users get it. Seconds are processor seconds of
one core, the reference's fit included.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from pathlib import Path
from statistics import fmean, stdev
from typing import Annotated, Any

import numpy as np
import typer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from benchmarks._guessing_tables import held_out_tables
from benchmarks._harness import write_results
from benchmarks.guessing_default import DATA, NAMES, read
from benchmarks.regression import commit
from treewright import OptimalTreeClassifier
from treewright.errors import InputError
from treewright.guess import named_reference

DEPTH, PENALTY = 3, 0.01
FIRST_SEED = 1100
ALPHAS = {"ccp_alpha": [0.0, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02]}

Row = dict[str, Any]


def _exact(seed: int) -> Any:
    return OptimalTreeClassifier(
        PENALTY, max_depth=DEPTH, thresholds="all", time_limit=None, progress=stop_after()
    )


def _guided(reference: Any) -> Callable[[int], Any]:
    def make(seed: int) -> Any:
        return OptimalTreeClassifier(
            PENALTY,
            max_depth=DEPTH,
            thresholds="guess",
            guess_lower_bounds=True,
            reference=reference,
            time_limit=None,
            progress=stop_after(),
        )

    return make


def _cart(seed: int) -> Any:
    return GridSearchCV(DecisionTreeClassifier(max_depth=DEPTH, random_state=seed), ALPHAS, cv=5)


def _boosting(seed: int) -> Any:
    return HistGradientBoostingClassifier(random_state=seed)


def stop_after(seconds: float = 20.0) -> Callable[[Any], bool]:
    """Stop a search after processor seconds, so that other users of the machine decide nothing."""
    end = None

    def over(_: Any) -> bool:
        nonlocal end
        end = end or time.process_time() + seconds
        return time.process_time() > end

    return over


METHODS: dict[str, Callable[[int], Any]] = {
    "exact": _exact,
    "guided, 40 stumps": _guided(named_reference()),
    "guided, default": _guided(None),
    "CART, tuned": _cart,
    "boosting": _boosting,
}


def main(
    data: Annotated[Path, typer.Option(help="Folder of the reference data.")] = DATA,
    only: Annotated[str, typer.Option(help="Comma-separated tables.")] = ",".join(NAMES),
    splits: Annotated[int, typer.Option(help="Splits of each table.", min=1)] = 5,
    write: Annotated[bool, typer.Option(help="Write the results file.")] = True,
) -> None:
    """Run the comparison and print its table."""
    answers: list[Row] = []
    head = {"depth": DEPTH, "leaf_penalty": PENALTY, "first_seed": FIRST_SEED, "commit": commit()}
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in range(FIRST_SEED, FIRST_SEED + splits):
            for name in only.split(","):
                answers += [{"data": name, "seed": seed, **row} for row in _one(*read(data, name), seed)]
                print("#", answers[-len(METHODS) :], flush=True)
            rows = [*summary(answers), *against(answers)]
            if write:
                write_results("guessing_held_out", {**head, "splits": seed - FIRST_SEED + 1}, rows)
    print(*held_out_tables(rows), sep="\n\n")


def _one(X: np.ndarray[Any, Any], y: np.ndarray[Any, Any], seed: int) -> list[Row]:
    A, B, a, b = train_test_split(X, y, test_size=0.25, random_state=seed, stratify=y)
    rows = []
    for method, make in METHODS.items():
        start = time.process_time()
        row: Row = {"method": method}
        try:
            model = make(seed).fit(A, a)
        except (
            InputError
        ):  # the reference answers one class everywhere, and so would a tree of its thresholds
            model, row["failed"] = DummyClassifier().fit(A, a), "reference of one class"
        row |= {"seconds": time.process_time() - start, "test": float((model.predict(B) == b).mean())}
        inner = getattr(model, "best_estimator_", model)
        if hasattr(inner, "get_n_leaves"):
            leaves = int(inner.get_n_leaves())
            loss = float((model.predict(A) != a).mean())
            row |= {"leaves": leaves, "objective": loss + PENALTY * leaves}
        if hasattr(model, "result_"):
            row["status"] = model.result_.status.name
        rows.append(row)
    return rows


def summary(answers: list[Row]) -> list[Row]:
    """Return means and standard errors of test accuracy in per cent, one row a table and method."""
    found: dict[tuple[str, str], list[Row]] = {}
    for answer in answers:
        found.setdefault((answer["data"], answer["method"]), []).append(answer)
    rows = []
    for (name, method), mine in found.items():
        tests = [100 * row["test"] for row in mine]
        row: Row = {
            "data": name,
            "method": method,
            "splits": len(mine),
            "test accuracy, %": round(fmean(tests), 2),
        }
        row["standard error"] = round(stdev(tests) / len(tests) ** 0.5, 2) if len(tests) > 1 else None
        for key, digits in (("objective", 4), ("leaves", 1), ("seconds", 3)):
            if all(key in each for each in mine):
                row[key] = round(fmean(each[key] for each in mine), digits)
        if "status" in mine[0]:
            row["proven"] = f"{sum(each.get('status') == 'OPTIMAL' for each in mine)} of {len(mine)}"
        if any("failed" in each for each in mine):
            row["failed"] = f"{sum('failed' in each for each in mine)} of {len(mine)}: one class"
        row["tests"] = {str(each["seed"]): round(each["test"], 5) for each in mine}
        rows.append(row)
    return rows


def against(answers: list[Row], ours: str = "exact") -> list[Row]:
    """Return how far each method is above the exact search on test rows: mean and standard error over tables."""
    by_key = {(a["data"], a["seed"], a["method"]): a["test"] for a in answers}
    rows = []
    for method in dict.fromkeys(a["method"] for a in answers):
        if method == ours:
            continue
        means = []
        for name in dict.fromkeys(a["data"] for a in answers):
            seeds = [a["seed"] for a in answers if a["data"] == name and a["method"] == method]
            means.append(fmean(100 * (by_key[name, s, method] - by_key[name, s, ours]) for s in seeds))
        row: Row = {"data": "points above exact, mean of tables", "method": method, "splits": len(means)}
        row["test accuracy, %"] = round(fmean(means), 2)
        row["standard error"] = round(stdev(means) / len(means) ** 0.5, 2) if len(means) > 1 else None
        rows.append(row)
    return rows


if __name__ == "__main__":
    typer.run(main)
