"""Figures 2 to 7 and Appendix D of McTavish et al. (2022) in numbers, on the paper's six tables at hand.

``python -m benchmarks.guessing_figures`` writes `benchmarks/results/guessing_figures.json`; `--only` takes parts:

- ``front`` (Figure 2, Appendix C.2): leaves and test accuracy of guided trees for five leaf penalties, beside CART with
  as many leaves (two at least), depth 5;
- ``switches`` (Figures 3 and 4, Appendices C.1, C.3, C.4): thresholds and bounds, each guessed or not, depth 5;
- ``depths`` (Figure 5): compas, leaf penalty .001, each depth;
- ``trees`` (Figures 6 and 7, Appendix C.5): the trees of spiral and compas as text;
- ``poor`` (Appendix D): how much worse a tree becomes with a reference of one to forty stumps.

Folds are drawn by a seed of their own; references have the paper's sizes. Searches end after processor seconds, so that
other users of the machine decide nothing; seconds are processor seconds of one core, the reference's fit included.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import fmean, stdev
from typing import Annotated, Any

import numpy as np
import typer
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from benchmarks._data import read_csv
from benchmarks._guessing_tables import figure_tables
from benchmarks._harness import write_results
from benchmarks.guessing import DATA, SETS
from benchmarks.guessing_held_out import stop_after
from benchmarks.regression import commit
from treewright import OptimalTreeClassifier
from treewright.errors import InputError
from treewright.show import to_text

SEED = 1200
DEPTH = 5
PENALTIES = (0.05, 0.02, 0.01, 0.005, 0.002)
Row = dict[str, Any]
Fold = tuple[Any, Any, Any, Any]  # training rows and labels, test rows and labels


def front(data: Path, folds: int, limit: float) -> Iterator[Row]:
    """Sparsity against accuracy: ours for each penalty, and CART with as many leaves on the same fold."""
    for name in SETS:
        for penalty in PENALTIES:
            ours, cart = [], []
            for fold in _folds(data, name, folds):
                model = _fitted(fold, name, penalty, DEPTH, limit)
                leaves = model["leaves"]
                ours.append(model)
                greedy = DecisionTreeClassifier(
                    max_depth=DEPTH, max_leaf_nodes=max(2, leaves), random_state=0
                )
                cart.append(_judged(greedy.fit(fold[0], fold[1]), fold, 0.0))
            yield {"part": "front", "data": name, "penalty": penalty, **_means(ours), "CART": _means(cart)}


def switches(data: Path, folds: int, limit: float) -> Iterator[Row]:
    """Each guess on and off."""
    for name in SETS:
        for thresholds in ("all", "guess"):
            for bounds in (False, True):
                made = [
                    _fitted(fold, name, 0.005, DEPTH, limit, thresholds, bounds)
                    for fold in _folds(data, name, folds)
                ]
                said = {"thresholds": "guessed" if thresholds == "guess" else "all", "bounds guessed": bounds}
                yield {"part": "switches", "data": name, **said, **_means(made)}


def depths(data: Path, folds: int, limit: float) -> Iterator[Row]:
    """The depth limit, thresholds guessed."""
    for depth in (2, 3, 4, 5, 6, 8, None):
        made = [
            _fitted(fold, "compas", 0.001, depth, limit, "guess", False)
            for fold in _folds(data, "compas", folds)
        ]
        yield {"part": "depths", "data": "compas", "depth": depth, **_means(made)}


def trees(data: Path, folds: int, limit: float) -> Iterator[Row]:
    """The trees themselves, of the first fold (Figure 6: spiral; Figure 7: compas)."""
    asked = (
        ("spiral", 0.01, DEPTH, "guess", True),
        ("spiral", 0.01, DEPTH, "all", False),
        ("compas", 0.001, 3, "guess", True),
        ("compas", 0.001, DEPTH, "guess", True),
    )
    for name, penalty, depth, thresholds, bounds in asked:
        fold = next(_folds(data, name, 1))
        made = _fitted(fold, name, penalty, depth, limit, thresholds, bounds)
        said = {"thresholds": "guessed" if thresholds == "guess" else "all", "bounds guessed": bounds}
        yield {"part": "trees", "data": name, "penalty": penalty, "depth": depth, **said, **made}


def poor(data: Path, folds: int, limit: float) -> Iterator[Row]:
    """References of few stumps: what their own mistakes cost the tree."""
    for name in SETS:
        for n in (1, 2, 5, 10, 20, 40):
            made, errors = [], []
            for fold in _folds(data, name, folds):
                stumps = GradientBoostingClassifier(n_estimators=n, max_depth=1, random_state=0)
                errors.append(float((stumps.fit(fold[0], fold[1]).predict(fold[0]) != fold[1]).mean()))
                made.append(_fitted(fold, name, 0.005, DEPTH, limit, reference=stumps))
            said = {"stumps": n, "reference's training error": round(fmean(errors), 4)}
            yield {"part": "poor", "data": name, **said, **_means(made)}


PARTS: dict[str, Callable[[Path, int, float], Iterator[Row]]] = {
    "front": front,
    "switches": switches,
    "depths": depths,
    "trees": trees,
    "poor": poor,
}


def main(
    data: Annotated[Path, typer.Option(help="Folder of the paper's files.")] = DATA,
    only: Annotated[str, typer.Option(help="Comma-separated parts.")] = ",".join(PARTS),
    folds: Annotated[int, typer.Option(help="Folds of five to run.", min=1, max=5)] = 3,
    limit: Annotated[float, typer.Option(help="Processor seconds a search.")] = 10.0,
    write: Annotated[bool, typer.Option(help="Write the results file.")] = True,
) -> None:
    """Run the parts and print their tables."""
    rows: list[Row] = []
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for part in only.split(","):
            mine = []
            for row in PARTS[part](data, folds, limit):
                mine.append(row)
                print("#", {key: value for key, value in row.items() if key != "tree"}, flush=True)
            rows += mine
    print(*figure_tables(rows), sep="\n\n")
    if write:
        head = {"folds": folds, "limit": limit, "seed": SEED, "depth": DEPTH, "commit": commit()}
        write_results("guessing_figures", head, rows)


def _folds(data: Path, name: str, folds: int) -> Iterator[Fold]:
    X, y = read_csv(data / SETS[name][0])
    split = StratifiedKFold(5, shuffle=True, random_state=SEED).split(X, y)
    for train, test in list(split)[:folds]:
        yield X[train], y[train], X[test], y[test]


def _fitted(
    fold: Fold,
    name: str,
    penalty: float,
    depth: int | None,
    limit: float,
    thresholds: str = "guess",
    bounds: bool = True,
    reference: Any = None,
) -> Row:
    """Return what a search with these guesses finds on one fold; a reference that answers one class gives a leaf."""
    _, n_estimators, size = SETS[name]
    if reference is None:
        reference = GradientBoostingClassifier(n_estimators=n_estimators, max_depth=size, random_state=0)
    guessing = {"reference": reference} if bounds or thresholds == "guess" else {}
    start = time.process_time()
    model: Any = OptimalTreeClassifier(
        penalty,
        max_depth=depth,
        thresholds=thresholds,
        guess_lower_bounds=bounds,
        time_limit=None,
        progress=stop_after(limit),
        **guessing,
    )
    try:
        model.fit(fold[0], fold[1])
    except InputError:
        return {**_of_one_class(fold, penalty), "seconds": time.process_time() - start}
    return _judged(model, fold, time.process_time() - start)


def _judged(model: Any, fold: Fold, seconds: float) -> Row:
    X, y, X_test, y_test = fold
    row = {
        "leaves": int(model.get_n_leaves()),
        "train": float((model.predict(X) == y).mean()),
        "test": float((model.predict(X_test) == y_test).mean()),
        "seconds": seconds,
    }
    if hasattr(model, "result_"):
        result = model.result_
        row |= {"objective": result.objective, "gap": result.gap, "proven": result.status.name == "OPTIMAL"}
        row["tree"] = to_text(model)
    return row


def _of_one_class(fold: Fold, penalty: float) -> Row:
    y, y_test = fold[1], fold[3]
    classes, counts = np.unique(y, return_counts=True)
    most, share = classes[counts.argmax()], counts.max() / len(y)
    test = float((y_test == most).mean())
    return {
        "leaves": 1,
        "train": share,
        "test": test,
        "objective": 1 - share + penalty,
        "gap": 0.0,
        "proven": False,
    }


def _means(made: list[Row]) -> Row:
    row: Row = {}
    for key, digits in (
        ("leaves", 1),
        ("train", 4),
        ("test", 4),
        ("objective", 5),
        ("gap", 4),
        ("seconds", 3),
    ):
        if all(key in each for each in made):
            row[key] = round(fmean(each[key] for each in made), digits)
    if len(made) > 1:
        row["standard error of test"] = round(stdev(each["test"] for each in made) / len(made) ** 0.5, 4)
    if "proven" in made[0]:
        row["proven"] = f"{sum(each['proven'] for each in made)} of {len(made)}"
    return row


if __name__ == "__main__":
    typer.run(main)
