"""Ten latent trees in one sum beside one tree, the mean of five, boosting, a random forest, TabM, GRANDE.

Ten tables, at most `rows` rows of each, drawn by a fixed seed; three quarters of them train; seeds from 700 on, which
nothing was chosen by. Every method gets the training rows whole, and holds out a fifth of them itself where it chooses
something: the epoch (latent trees, TabM, GRANDE), or learning rate, leaves and rounds (boosting, tuned; it is then
trained again with all rows). The mean of five averages the answers of five single trees, each with rows of its own held
out. TabM and GRANDE run in environments of their own (`_environments.py`); where that cannot be made, the reason is
kept. The order is split, table, method, and each answer is kept when it is there (a line of JSON in `store`): what was
stopped goes on where it was, and processes with different tables or methods share a store. TabM and GRANDE can answer
on another machine (`peers/forest_elsewhere.py`): `write_tasks` writes what they need, `take_answers` reads the answers.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.model_selection import train_test_split

from benchmarks._environments import FOREST_PEERS, ensure, worker_script
from benchmarks._harness import call_worker
from benchmarks._latent_hardened import SETS, Errors, read_set
from treewright import LatentTreeClassifier, LatentTreeRegressor

__all__ = ["METHODS", "TEN", "ensemble", "summary", "take_answers", "write_tasks"]

TEN = {**SETS, "page": ("continuous/page.csv.gz", "label", True)}
FIRST_SEED = 700
N_TREES = 10
N_MEAN = 5
WORKER_LIMIT = 900.0  # seconds of a clock
Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class Task:
    """One split of one table.

    Parameters
    ----------
    train, target : ndarray
        Rows and targets to learn from.
    test, truth : ndarray
        Rows to answer, and what is right.
    classify : bool
    seed : int
    """

    train: Array
    target: Array
    test: Array
    truth: Array
    classify: bool
    seed: int

    def numbered(self) -> tuple[Array | None, Array]:
        """Return the classes and the number of each target's class, or None and the targets."""
        return np.unique(self.target, return_inverse=True) if self.classify else (None, self.target)

    def error(self, answer: Array) -> float:
        """Return the error rate, or the mean squared error by variance."""
        return Errors(self.truth, self.classify)(answer)


def ensemble(
    data: Path,
    only: str,
    n_splits: int,
    rows: int,
    methods: Sequence[str],
    store: Path,
    commit: str,
    run: bool = True,
) -> list[dict[str, Any]]:
    """Run what was asked for and `store` does not hold, and return one row a table and method of what it holds then."""
    store.parent.mkdir(parents=True, exist_ok=True)
    names = only.split(",") if only else list(TEN)
    found = []
    for seed, name in product(range(FIRST_SEED, FIRST_SEED + n_splits), names):
        for method in methods:
            key = {"data": name, "seed": seed, "most_rows": rows, "method": method}
            line = next((line for line in _lines(store) if key.items() <= line.items()), None)
            if line is None and run:
                line = key | {"commit": commit, **_answer(_task(data, name, seed, rows), method)}
                with store.open("a") as lines:
                    lines.write(json.dumps(line) + "\n")
                print("#", line, flush=True)
            if line is not None:
                found.append(line)
    return summary(found)


def write_tasks(data: Path, n_splits: int, rows: int, out: Path, commit: str) -> None:
    """Write every task as arrays without pickles, with `tasks`, which says in JSON what each is."""
    arrays: dict[str, Array] = {}
    said = []
    for seed, name in product(range(FIRST_SEED, FIRST_SEED + n_splits), TEN):
        task = _task(data, name, seed, rows)
        own = {"train": task.train, "target": task.numbered()[1], "test": task.test}
        arrays |= {f"{len(said)}.{part}": array for part, array in own.items()}
        said.append(
            {"data": name, "seed": seed, "most_rows": rows, "classify": task.classify, "commit": commit}
        )
    np.savez_compressed(out, tasks=np.array(json.dumps(said)), **arrays)


def take_answers(data: Path, answers: Path, store: Path) -> None:
    """Judge answers from another machine and keep what the store does not hold."""
    store.parent.mkdir(parents=True, exist_ok=True)
    key = ("data", "seed", "most_rows", "method")
    known = {tuple(line[name] for name in key) for line in _lines(store)}
    for answer in _lines(answers):
        if tuple(answer[name] for name in key) in known:
            continue
        task = _task(data, answer["data"], answer["seed"], answer["most_rows"])
        line = {name: answer[name] for name in (*key, "commit")}
        line["rows"] = len(task.target) + len(task.truth)
        failed = {"failed": answer["failed"]} if "failed" in answer else None
        line |= failed or _judged(task, answer["method"], answer)
        with store.open("a") as lines:
            lines.write(json.dumps(line) + "\n")


def _answer(task: Task, method: str) -> dict[str, Any]:
    start = time.process_time()
    said = METHODS[method](task)
    line = {"rows": len(task.target) + len(task.truth), "seconds": time.process_time() - start}
    return line | (said if isinstance(said, dict) else {"error": task.error(said)})


def summary(lines: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return mean, standard error and single errors of each table and method, and why a peer has none."""
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for line in sorted(lines, key=lambda line: int(line["seed"])):
        found.setdefault((line["data"], line["method"]), []).append(line)
    rows = []
    for (name, method), mine in found.items():
        row: dict[str, Any] = {"data": name, "method": method, "rows": mine[0]["rows"]}
        errors = [line["error"] for line in mine if "error" in line]
        if errors:
            row |= {"splits": len(errors), "error": fmean(errors)}
            row["standard error"] = stdev(errors) / len(errors) ** 0.5 if len(errors) > 1 else None
            row["seconds"] = fmean(line["seconds"] for line in mine if "error" in line)
            row["errors"] = {str(line["seed"]): line["error"] for line in mine if "error" in line}
        row["commit"] = ", ".join(dict.fromkeys(line["commit"] for line in mine))
        said = ("failed", "package", "version", "device")
        row |= {key: line[key] for line in mine for key in said if key in line}
        rows.append(row)
    return rows


def _lines(store: Path) -> list[dict[str, Any]]:
    if not store.exists():
        return []
    return [json.loads(line) for line in store.read_text().splitlines()]


def _task(data: Path, name: str, seed: int, most: int) -> Task:
    X, y, classify = read_set(data, TEN[name])
    kept = np.random.default_rng(0).permutation(len(y))[:most]
    X, y = X[kept], y[kept]
    A, B, a, b = train_test_split(X, y, random_state=seed, stratify=y if classify else None)
    return Task(A, a, B, b, classify, seed)


def _latent(task: Task, n_trees: int, seed: int) -> tuple[Any, Array]:
    """Return a model, and its probabilities or numbers for the test rows."""
    kind = LatentTreeClassifier if task.classify else LatentTreeRegressor
    model = kind(n_trees=n_trees, hardening="signs", random_state=seed, progress=False)
    model.fit(task.train, task.target)
    return model, model.predict_proba(task.test) if task.classify else model.predict(task.test)


def _sum_of_trees(task: Task) -> Array:
    return _latent(task, N_TREES, task.seed)[0].predict(task.test)


def _one_tree(task: Task) -> Array:
    return _latent(task, 1, N_MEAN * task.seed)[0].predict(task.test)


def _mean_of_trees(task: Task) -> Array:
    made = [_latent(task, 1, N_MEAN * task.seed + k) for k in range(N_MEAN)]
    mean = np.mean([said for _, said in made], axis=0)
    return made[0][0].classes_[mean.argmax(axis=1)] if task.classify else mean


def _boosting(task: Task) -> Array:
    kind = HistGradientBoostingClassifier if task.classify else HistGradientBoostingRegressor
    return kind(random_state=task.seed).fit(task.train, task.target).predict(task.test)


def _boosting_tuned(task: Task) -> Array:
    kind = HistGradientBoostingClassifier if task.classify else HistGradientBoostingRegressor
    A, V, a, v = train_test_split(
        task.train,
        task.target,
        test_size=0.2,
        random_state=task.seed,
        stratify=task.target if task.classify else None,
    )
    best: tuple[float, dict[str, Any]] = (np.inf, {})
    for rate, leaves in product((0.03, 0.1, 0.3), (7, 31)):
        options = {"learning_rate": rate, "max_leaf_nodes": leaves, "random_state": task.seed}
        model = kind(max_iter=400, early_stopping=True, **options).fit(A, a, X_val=V, y_val=v)
        error = Errors(v, task.classify)(model.predict(V))
        if error < best[0]:
            best = (error, options | {"max_iter": model.n_iter_})
    return kind(early_stopping=False, **best[1]).fit(task.train, task.target).predict(task.test)


def _forest(task: Task) -> Array:
    kind = RandomForestClassifier if task.classify else RandomForestRegressor
    return kind(random_state=task.seed).fit(task.train, task.target).predict(task.test)


def _peer(name: str) -> Callable[[Task], dict[str, Any]]:
    """Return the method that asks a worker in the peer's own environment."""

    def run(task: Task) -> dict[str, Any]:
        try:
            python = ensure(name)
        except RuntimeError as error:
            return {"failed": str(error)[-300:]}
        with tempfile.TemporaryDirectory() as folder:
            arrays = Path(folder) / "task.npz"
            np.savez(arrays, train=task.train, target=task.numbered()[1], test=task.test)
            message = {"arrays": str(arrays), "classify": task.classify, "seed": task.seed}
            answer = call_worker([str(python), str(worker_script(name))], message, WORKER_LIMIT)
        if answer["status"] != "done":
            return {"failed": answer.get("error", answer["status"])}
        return _judged(task, name, answer)

    return run


def _judged(task: Task, name: str, answer: dict[str, Any]) -> dict[str, Any]:
    """Return the error of a peer's answer, and what it says of itself."""
    said, classes = np.asarray(answer["predictions"]), task.numbered()[0]
    error = task.error(said if classes is None else classes[said.astype(int)])
    about = {key: answer[key] for key in ("seconds", "version", "device") if key in answer}
    return {"error": error, "package": name} | about


METHODS: dict[str, Callable[[Task], Any]] = {
    "sum of ten": _sum_of_trees,
    "one tree": _one_tree,
    "mean of five": _mean_of_trees,
    "boosting": _boosting,
    "boosting, tuned": _boosting_tuned,
    "random forest": _forest,
    **{name: _peer(name) for name in FOREST_PEERS},
}
