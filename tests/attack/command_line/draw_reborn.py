"""Draw what `reborn` is asked of a model file instead of a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from attack.case import Case
from attack.command_line.model_files import OF_CLASSES, OF_NUMBERS, suits

__all__ = ["random_file"]

SHARE = 0.6


def random_file(rng: np.random.Generator, case: Case) -> dict[str, Any]:
    """A kind of model file, and what is asked of it; nothing where libraries read other numbers than the table's."""
    if case.method not in ("reborn", "near values") or rng.random() > SHARE or not suits(case):
        return {}
    if case.method == "near values":
        file: dict[str, Any] = {
            "kind": str(rng.choice(OF_NUMBERS)),
            "within": float(rng.choice([0.0, 0.01, 0.1, 1.0])),
            "rows": bool(rng.random() < 0.5),
        }
        if file["rows"] and rng.random() < 0.5:
            file["domain"] = "rows"
    else:
        file = {"kind": str(rng.choice(OF_CLASSES)), "rows": bool(rng.random() < 0.8)}
        ways = ("everywhere", "rows", "prune", "domain") if file["rows"] else ("everywhere",)
        file |= _way(rng, str(rng.choice(ways)))
    return {"file": file | ({"new_rows": True} if rng.random() < 0.5 else {})}


def _way(rng: np.random.Generator, way: str) -> dict[str, Any]:
    """What decides how the tree is like the model."""
    if way == "rows":
        asked: dict[str, Any] = {"faithful": "rows"}
        if rng.random() < 0.5:
            asked["tolerance"] = float(rng.choice([0.0, 0.1, 0.3]))
        if rng.random() < 0.5:
            asked["max_depth"] = int(rng.integers(0, 4))
        if rng.random() < 0.3:
            asked["max_leaves"] = int(rng.integers(1, 6))
        return asked
    if way == "prune":
        return {"prune": str(rng.choice(["rows", "active"]))}
    more = {} if way == "everywhere" else {"domain": "rows"}
    return more | {"objective": str(rng.choice(["depth-leaves", "depth", "leaves", "heuristic"]))}
