"""GRANDE in PyTorch (`peers/_grande.py`) held against its package, step for step.

The package trains 16 trees of depth 3 on a small table made here, each step by itself, and tells its first weights, its
batches and its last weights; the port starts from the same weights and goes through the same batches.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from benchmarks._environments import ensure, worker_script
from benchmarks._harness import call_worker
from benchmarks.peers._grande import NAMES, Forest, Rows, fit

__all__ = ["KINDS", "apart", "port"]

KINDS = {"numbers": "regression", "two classes": "binary", "classes": "classification"}
PACKAGE = "grande_package"
Array = np.ndarray[Any, Any]


def port(epochs: Sequence[int], seed: int = 0) -> list[dict[str, Any]]:
    """Return how far weights are apart at the end, for each kind of target and number of epochs."""
    command = [str(ensure(PACKAGE)), str(worker_script(PACKAGE))]
    rows = []
    for kind, objective in KINDS.items():
        X, y = table(kind, seed)
        given = {"X": X[:190], "y": y[:190], "held": X[190:], "truth": y[190:]}
        for n_epochs in epochs:
            message: dict[str, Any] = {name: part.tolist() for name, part in given.items()}
            message |= {"objective": objective, "epochs": n_epochs, "seed": seed}
            said = call_worker(command, message, 900.0)
            row: dict[str, Any] = {"targets": kind, "epochs": n_epochs}
            if said["status"] != "done":
                row["failed"] = said.get("error", said["status"])
            else:
                row |= apart(said, given["y"], given["truth"], kind, n_epochs)
                row |= {"package": "GRANDE", "version": said["version"]}
            rows.append(row)
            print("#", row, file=sys.stderr, flush=True)
    return rows


def table(kind: str, seed: int) -> tuple[Array, Array]:
    """Make 250 rows of twelve columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(250, 12))
    score = X[:, 0] * X[:, 1] + X[:, 2]
    if kind == "numbers":
        return X, score + 0.1 * rng.normal(size=250)
    return X, np.digitize(score, [0.4] if kind == "two classes" else [-0.5, 0.7])


def apart(said: dict[str, Any], y: Array, truth: Array, kind: str, n_epochs: int) -> dict[str, Any]:
    """Train as the package did, from its first weights; the largest difference of a weight, and how far they moved."""
    first, last = ([np.asarray(w, dtype=np.float32) for w in said[name]] for name in ("first", "last"))
    forest = Forest(
        torch.as_tensor(said["columns"]), {n: torch.tensor(w) for n, w in zip(NAMES, first, strict=True)}
    )
    center, scale = (y.mean(), y.std()) if kind == "numbers" else (0.0, 1.0)
    counts = np.bincount(y) if kind != "numbers" else None
    balance = np.ones(len(y)) if counts is None else (len(y) / (len(counts) * counts))[y]

    def rows(x: str, target: Array, weight: Array) -> Rows:
        goal = torch.as_tensor(
            (target - center) / scale, dtype=torch.float32 if kind == "numbers" else torch.long
        )
        return Rows(torch.tensor(said[x]), goal, torch.as_tensor(weight, dtype=torch.float32))

    batches = [torch.tensor(batch) for batch in said["order"]]
    n_batches = len(batches) // n_epochs
    same = all(torch.equal(batch, batches[k % n_batches]) for k, batch in enumerate(batches))
    fit(
        forest,
        rows("x", y, balance),
        rows("held", truth, np.ones(len(truth))),
        kind,
        batches[:n_batches],
        n_epochs,
        n_epochs + 1,
    )
    now = [forest.weights[name].detach().numpy() for name in NAMES]
    return {
        "steps": len(batches),
        "same batches in every epoch": same,
        "moved": max(float(abs(a - b).max()) for a, b in zip(first, last, strict=True)),
        "apart": max(float(abs(a - b).max()) for a, b in zip(now, last, strict=True)),
    }
