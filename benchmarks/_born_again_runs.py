"""What the parts of the born-again benchmark share: the published folds, runs in child processes, what a run says."""

from __future__ import annotations

import gzip
import json
import os
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from treewright.verify import check_faithful

__all__ = ["SETS", "Asked", "describe", "measured", "rows_of"]

SETS = ["FICO", "COMPAS-ProPublica", "HTRU2", "Seeds", "Pima-Diabetes", "Breast-Cancer-Wisconsin"]


@dataclass(frozen=True)
class Asked:
    """What a part is run on; each part takes of it what it needs."""

    data: Path  # the folder of the published forests and folds
    reference: Path | None  # a file of known optimal sizes
    folds: list[int]
    sets: list[str]


def measured(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Run `work` in a child; add its CPU seconds and its peak resident memory to the answer."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        before = resource.getrusage(resource.RUSAGE_SELF)
        try:
            answer = work()
        except Exception as error:  # the benchmark goes on with the next case
            answer = {"error": f"{type(error).__name__}: {error}"}
        after = resource.getrusage(resource.RUSAGE_SELF)
        answer["cpu_seconds_all"] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        answer["peak_mb"] = after.ru_maxrss / 1024
        answer["start_mb"] = before.ru_maxrss / 1024
        with os.fdopen(write, "w") as stream:
            json.dump(answer, stream)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as stream:
        text = stream.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else {"error": "the child process died"}


def describe(result: Any, ensemble: Any, seconds: float) -> dict[str, Any]:
    start = time.process_time()
    faithful = check_faithful(result.tree, ensemble).faithful if result.tree.n_leaves <= 50_000 else None
    return {
        "depth": result.tree.depth,
        "leaves": result.tree.n_leaves,
        "status": result.status.name,
        "depth_lower_bound": result.stats["depth_lower_bound"],
        "leaves_lower_bound": result.stats["leaves_lower_bound"],
        "cpu_seconds": seconds,
        "faithful": faithful,
        "verify_seconds": time.process_time() - start,
        "cells": result.stats.get("cells"),
        "boxes": result.stats.get("boxes"),
        "tight_boxes": result.stats.get("tight_boxes"),
        "rows": result.stats.get("rows"),
        "table_mb": (result.stats.get("bytes") or 0) / 2**20,
        "states": result.stats.get("states"),
        "core_seconds": result.stats.get("core_seconds"),  # wall time of the compiled core alone
    }


def rows_of(data: Path, dataset: str, kind: str, fold: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the training or test rows of a published forest."""
    with gzip.open(data / dataset / "folds" / f"{dataset}.{kind}{fold}.csv.gz", "rt") as stream:
        table = np.loadtxt(stream, delimiter=",", skiprows=1)
    return table[:, :-1], table[:, -1].astype(int)
