"""What TabM and GRANDE share in `latent ensemble`: read a task, train, print the answers to the test rows as JSON.

A task names an .npz file with train, target (classes are numbered from 0) and test, and says whether to classify, and
the seed. What a peer prints goes to standard error.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # one core, set before numpy loads

import numpy as np  # noqa: E402

__all__ = ["device", "held_out", "serve", "solve"]


def held_out(n_rows: int, seed: int, strata: np.ndarray[Any, Any] | None) -> np.ndarray[Any, Any]:
    """Mark every fifth row of a random order, sorted by class, to choose the epoch by."""
    order = np.random.default_rng(seed).permutation(n_rows)
    if strata is not None:
        order = order[np.argsort(strata[order], kind="stable")]
    mask = np.zeros(n_rows, dtype=bool)
    mask[order[::5]] = True
    return mask


def device(torch: Any) -> Any:
    """Return the graphics processor if there is one, else the processor, which gets one thread."""
    torch.set_num_threads(1)
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def solve(answer: Callable[..., Any], task: dict[str, Any], arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Return the predictions of ``answer(train, target, held_out, test, classify, seed)``, and its seconds.

    They are those of the processor, or of the clock where a graphics processor works.
    """
    import torch

    classify, seed, target = task["classify"], task["seed"], arrays["target"]
    mask = held_out(len(target), seed, target if classify else None)
    clock = time.perf_counter if torch.cuda.is_available() else time.process_time
    start = clock()
    said = answer(arrays["train"], target, mask, arrays["test"], classify, seed)
    done = {"predictions": np.asarray(said).ravel().tolist(), "seconds": clock() - start}
    return done | ({"device": torch.cuda.get_device_name()} if torch.cuda.is_available() else {})


def serve(answer: Callable[..., Any], version: str) -> None:
    """Answer one task."""
    task = json.load(sys.stdin)
    with contextlib.redirect_stdout(sys.stderr):
        done = solve(answer, task, np.load(task["arrays"]))
    print(json.dumps({"status": "done", "version": version} | done))
