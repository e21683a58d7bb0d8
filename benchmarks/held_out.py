"""Regression, survival and policy trees on rows that they have not seen: ``python -m benchmarks.held_out --help``.

Five folds of each table; every tree has at most depth 3 (regression: 3, and 4), and what can be tuned is tuned inside
the training rows. Figures are means over the folds with their standard errors.

- regression: share of the variance of the rows held out that is left (smaller is better); also CART of any depth and
  boosted trees, which no tree of depth 3 is expected to reach. All fits of treewright on a fold together end after
  --seconds of the clock each, with the best trees so far: at depth 4, and on the larger tables, few are proven;
- survival: concordance (larger is better) and integrated Brier score between the 10 % and the 90 % quantile of the
  training events (smaller is better), at least 10 rows in a leaf;
- policy: mean outcome under the actions chosen (larger is better), by the true outcomes of every action that the
  simulated warfarin tables have; trees are fitted to doubly robust scores.

Peers run in the environment of pystreed (`benchmarks._environments`), or in that of --peers-python.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import sklearn
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from threadpoolctl import threadpool_limits

from benchmarks._environments import ensure
from benchmarks._harness import write_results
from benchmarks._tables import format_table
from benchmarks.regression import commit
from benchmarks.regression import read as read_regression
from treewright import OptimalPolicyTree, OptimalSurvivalTree, OptimalTreeRegressorCV, __version__
from treewright.survival import censoring_curve, concordance_index, integrated_brier_score

HERE = Path(__file__).resolve().parent
DATA = HERE.parent.parent / "shared" / "data"
TABLES = {
    "regression": (
        *("energy", "autompg", "concrete", "housing", "wine"),
        *("bike", "elevators", "skillcraft", "protein"),
    ),
    "survival": (
        *("veterans", "uissurv", "gbsg2", "maintenance", "credit"),
        *("aids", "insurance", "churn", "flchain"),
    ),
    "policy": ("0.06", "random"),
}
DEPTH, LEAST = 3, 10
FOLDS_OF_A_TABLE = 5
ONE_CORE = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
MEASURES = ("variance left", "concordance", "integrated Brier score", "mean outcome")
PRICES = [0.05, 0.02, 0.01, 0.005, 0.002, 0.0005, 0.0]

Scores = dict[str, dict[str, Any]]  # of each model: figures of one fold


def fold_of_regression(
    X: Any,
    y: Any,
    train: Any,
    test: Any,
    peers: Any,
    depths: Sequence[int] = (DEPTH,),
    seconds: float = 120.0,
) -> Scores:
    """Return the share of the variance of the test rows that each model leaves."""
    y = y[:, 0]
    alphas = {"ccp_alpha": (y[train].var() * np.geomspace(1e-4, 0.1, 20)).tolist()}
    models: dict[str, Any] = {}
    answers: Scores = {}
    for depth in depths:
        also = "" if depth == DEPTH else f", depth {depth}"
        limits: dict[str, Any] = {
            "max_depth": depth,
            "max_leaves": 2**depth,
            "time_limit": seconds,
            "progress": False,
        }
        models[f"treewright{also}"] = OptimalTreeRegressorCV(rule="best", **limits)
        models[f"treewright, one standard error{also}"] = OptimalTreeRegressorCV(**limits)
        cart = DecisionTreeRegressor(max_depth=depth, random_state=0)
        models[f"CART, tuned{also}"] = GridSearchCV(cart, alphas, cv=5)
        told = peers("regression", X[train], y[train, None], X[test], depth=depth)
        answers |= {f"{name}{also}": answer for name, answer in told.items()}
    models["CART, any depth, tuned"] = GridSearchCV(DecisionTreeRegressor(random_state=0), alphas, cv=5)
    models["HistGradientBoosting"] = HistGradientBoostingRegressor(random_state=0)
    for name, model in models.items():
        begun = time.process_time()
        model.fit(X[train], y[train])
        inner = getattr(model, "best_estimator_", model)
        answers[name] = {
            "version": f"treewright {__version__}" if name.startswith("treewright") else "",
            "leaves": int(inner.get_n_leaves()) if hasattr(inner, "get_n_leaves") else None,
            "cpu_seconds": time.process_time() - begun,
            "predictions": model.predict(X[test]),
        }
    variance = y[test].var()
    for answer in answers.values():
        error = np.asarray(answer.pop("predictions")) - y[test]
        answer["variance left"] = float((error**2).mean() / variance)
    return answers


def fold_of_survival(X: Any, y: Any, train: Any, test: Any, peers: Any) -> Scores:
    """Return concordance and integrated Brier score on the test rows."""
    event, at = y[:, 0] > 0, y[:, 1]
    last = at[test].max()
    times = np.unique(np.quantile(at[train][event[train]], np.linspace(0.1, 0.9, 30)))
    times = times[times < last]
    answers = peers("survival", X[train], y[train], X[test], times=times)
    begun = time.process_time()
    base = OptimalSurvivalTree(max_depth=DEPTH, min_samples_leaf=LEAST, time_limit=60, progress=False)
    model = GridSearchCV(base, {"cost_complexity": PRICES}, cv=3).fit(X[train], y[train]).best_estimator_
    answers["treewright"] = {
        "version": f"treewright {__version__}",
        "leaves": model.get_n_leaves(),
        "cpu_seconds": time.process_time() - begun,
        "predictions": model.predict(X[test]),
        "survival": model.predict_survival(X[test], times),
    }
    censoring = censoring_curve(event[train], at[train])
    single = OptimalSurvivalTree(max_depth=0).fit(X[train], y[train])
    answers["no split"] = {
        "version": "",
        "leaves": 1,
        "cpu_seconds": 0.0,
        "predictions": single.predict(X[test]),
        "survival": single.predict_survival(X[test], times),
    }
    for answer in answers.values():
        risk = np.asarray(answer.pop("predictions"))
        answer["concordance"] = concordance_index(event[test], at[test], risk)
        share = answer.pop("survival", None)
        if share is not None:
            answer["integrated Brier score"] = integrated_brier_score(
                event[test], at[test], np.asarray(share), times, censoring
            )
    return answers


def doubly_robust(y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the doubly robust score of each dose for each row of a warfarin table."""
    action, outcome, propensity = y[:, 0].astype(int), y[:, 1], y[:, 2]
    scores, rows = y[:, 3:6].copy(), np.arange(len(y))
    scores[rows, action] += (outcome - scores[rows, action]) / propensity
    return np.asarray(scores)


def fold_of_policy(X: Any, y: Any, train: Any, test: Any, peers: Any) -> Scores:
    """Return the mean true outcome of the test rows under the actions of each model."""
    best, truth, scores = y[:, 6].astype(int), y[:, 7:10], doubly_robust(y)
    answers = peers("policy", X[train], y[train], X[test])
    begun = time.process_time()
    model = OptimalPolicyTree(0.0, max_depth=DEPTH, time_limit=60, progress=False).fit(
        X[train], scores[train]
    )
    answers["treewright"] = {
        "version": f"treewright {__version__}",
        "leaves": model.get_n_leaves(),
        "cpu_seconds": time.process_time() - begun,
        "predictions": model.predict(X[test]),
    }
    begun = time.process_time()
    cart = DecisionTreeClassifier(max_depth=DEPTH, random_state=0).fit(X[train], scores[train].argmax(axis=1))
    answers["CART of the best score"] = {
        "version": "",
        "leaves": int(cart.get_n_leaves()),
        "cpu_seconds": time.process_time() - begun,
        "predictions": cart.predict(X[test]),
    }
    constant = int(scores[train].mean(axis=0).argmax())
    for name, chosen in (
        ("best single action", np.full(len(test), constant)),
        ("best action of every row", best[test]),
    ):
        answers[name] = {"version": "", "leaves": None, "cpu_seconds": 0.0, "predictions": chosen}
    for answer in answers.values():
        chosen = np.asarray(answer.pop("predictions")).astype(int)
        answer["mean outcome"] = float(truth[test, chosen].mean())
    return answers


FOLDS: dict[str, Callable[..., Scores]] = {
    "regression": fold_of_regression,
    "survival": fold_of_survival,
    "policy": fold_of_policy,
}


def read(task: str, name: str, data: Path) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Read a table; the second array has the columns that a task needs beside the features."""
    if task == "regression":
        X, y = read_regression(name, data / "regression")
        return X, y[:, None]
    if task == "survival":
        table = pl.read_csv(data / "survival" / f"{name}.csv.gz").cast(pl.Float64).to_numpy()
        X = table[:, :-2]
        return X[:, (X <= 1).all(axis=0)], table[:, -2:]  # one file has the number of the row
    path = data / "policy" / f"warfarin_train_rf_dt_{name}_0_0.csv.gz"
    table = pl.read_csv(path, has_header=False, separator=" ").cast(pl.Float64).to_numpy()
    used = [0, 2, 3, 4, 5, 6, 7, 8, 9, 10]  # the first two columns both hold the treatment
    return table[:, 11:], table[:, used]


def peers_in(python: Path | None) -> Any:
    """Return what asks the peers, if there is an environment for them."""

    def ask(task: str, X: Any, y: Any, X_test: Any, **rest: Any) -> Scores:
        if python is None:
            return {}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "fold.npz"
            np.savez(path, X=X, y=y, X_test=X_test, **rest)
            command = [str(python), str(HERE / "peers" / "held_out_worker.py"), task, str(path)]
            told = subprocess.run(command, capture_output=True, text=True, timeout=3600, env=ONE_CORE)
        if told.returncode != 0:
            print(
                f"The peers of {task} failed: {(told.stderr.splitlines() or ['no message'])[-1]}", flush=True
            )
            return {}
        return dict(json.loads(told.stdout.splitlines()[-1]))

    return ask


def rows_of(task: str, name: str, data: Path, peers: Any, **more: Any) -> Iterator[dict[str, Any]]:
    """Run the folds of a table; yield a row for each model. `more` are arguments of the task."""
    X, y = read(task, name, data)
    found: dict[str, list[dict[str, Any]]] = {}
    for train, test in KFold(FOLDS_OF_A_TABLE, shuffle=True, random_state=0).split(X):
        for model, answer in FOLDS[task](X, y, train, test, peers, **more).items():
            found.setdefault(model, []).append(answer)
    for model, answers in sorted(found.items(), key=lambda item: item[0] != "treewright"):
        if len(answers) < FOLDS_OF_A_TABLE:  # it failed on the others
            continue
        leaves = [answer["leaves"] for answer in answers if answer["leaves"] is not None]
        row: dict[str, Any] = {
            "task": task,
            "data": name,
            "rows": len(X),
            "columns": X.shape[1],
            "model": model,
            "package": (answers[0]["version"] or f"scikit-learn {sklearn.__version__}").split()[0],
            "version": (answers[0]["version"] or f"scikit-learn {sklearn.__version__}").split()[-1],
            "leaves": round(float(np.mean(leaves)), 1) if leaves else None,
            "cpu_seconds": round(float(np.mean([answer["cpu_seconds"] for answer in answers])), 2),
        }
        for measure in MEASURES:
            values = [answer[measure] for answer in answers if measure in answer]
            if values:
                row[measure] = round(float(np.mean(values)), 5)
                row[f"{measure}, standard error"] = round(
                    float(np.std(values, ddof=1) / len(values) ** 0.5), 5
                )
        yield row


def shown(rows: list[dict[str, Any]]) -> str:
    """Return the rows as a Markdown table."""

    def cell(row: dict[str, Any], measure: str) -> str:
        if measure not in row:
            return ""
        return f"{row[measure]:.3f} ± {row[f'{measure}, standard error']:.3f}"

    measures = [measure for measure in MEASURES if any(measure in row for row in rows)]
    header = ["data", "model", "leaves", *measures, "cpu s"]
    cells = [
        [
            row["data"],
            row["model"],
            "" if row["leaves"] is None else f"{row['leaves']:g}",
            *(cell(row, measure) for measure in measures),
            f"{row['cpu_seconds']:g}",
        ]
        for row in rows
    ]
    return format_table(header, cells)


def stored() -> list[dict[str, Any]]:
    """Return the rows of the stored results."""
    path = HERE / "results" / "held_out.json"
    return list(json.loads(path.read_text())["rows"]) if path.exists() else []


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tasks", nargs="*", default=list(TABLES), choices=list(TABLES))
    parser.add_argument("--only", nargs="*", default=None, help="names of tables")
    parser.add_argument("--depths", nargs="*", type=int, default=[3, 4], help="of regression trees")
    parser.add_argument(
        "--seconds", type=float, default=60, help="of the clock, for each fit of a regression tree"
    )
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the tables")
    parser.add_argument("--peers-python", type=Path, help="Python that has pystreed and scikit-survival")
    parser.add_argument("--no-peers", action="store_true", help="scikit-learn alone to compare with")
    parser.add_argument(
        "--save", action="store_true", help="into results/held_out.json; rows of other tables stay"
    )
    arguments = parser.parse_args()
    code = commit()  # of the code that runs, whatever is written while it does
    python = None if arguments.no_peers else arguments.peers_python or ensure("streed")
    options: dict[str, Any] = {
        "commit": code,
        "folds": FOLDS_OF_A_TABLE,
        "scikit-learn": sklearn.__version__,
        "numpy": version("numpy"),
    }
    options["seconds of a regression tree"] = arguments.seconds
    rows = stored()
    for task in arguments.tasks:
        more = {"depths": arguments.depths, "seconds": arguments.seconds} if task == "regression" else {}
        for name in arguments.only or TABLES[task]:
            with warnings.catch_warnings(), threadpool_limits(1):
                warnings.simplefilter("ignore", ConvergenceWarning)
                found = rows_of(task, name, arguments.data, peers_in(python), **more)
                new = [{**row, "commit": code} for row in found]
            print(shown(new), flush=True)
            rows = [row for row in rows if (row["task"], row["data"]) != (task, name)] + new
            if arguments.save:  # at once: a long run may be broken off
                write_results("held_out", options, rows)


if __name__ == "__main__":
    main()
