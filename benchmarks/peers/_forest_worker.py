"""What the workers of `latent ensemble` share: read a task, train, print the answers to the test rows as JSON.

A task names an .npz file with train, target (classes are numbered from 0) and test, and says whether to classify, and
the seed. What a peer prints goes to standard error.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "TF_NUM_INTRAOP_THREADS"):
    os.environ[_name] = "1"  # one core, set before numpy loads

import numpy as np  # noqa: E402

__all__ = ["held_out", "serve"]


def held_out(n_rows: int, seed: int, strata: np.ndarray[Any, Any] | None) -> np.ndarray[Any, Any]:
    """Mark every fifth row of a random order, sorted by class, to choose the epoch by."""
    order = np.random.default_rng(seed).permutation(n_rows)
    if strata is not None:
        order = order[np.argsort(strata[order], kind="stable")]
    mask = np.zeros(n_rows, dtype=bool)
    mask[order[::5]] = True
    return mask


def serve(package: str, answer: Callable[..., Any]) -> None:
    """Answer one task: ``answer(train, target, held_out, test, classify, seed)`` are classes or numbers."""
    task = json.load(sys.stdin)
    arrays = np.load(task["arrays"])
    classify, seed = task["classify"], task["seed"]
    target = arrays["target"]
    mask = held_out(len(target), seed, target if classify else None)
    start = time.process_time()
    with contextlib.redirect_stdout(sys.stderr):
        said = answer(arrays["train"], target, mask, arrays["test"], classify, seed)
    done = {"status": "done", "predictions": np.asarray(said).ravel().tolist(), "version": version(package)}
    print(json.dumps(done | {"seconds": time.process_time() - start}))
