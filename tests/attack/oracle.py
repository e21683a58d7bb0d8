"""The oracle's answers for a case: `oracle.cpp`, compiled when first asked, behind plain functions."""

from __future__ import annotations

import ctypes
import hashlib
import math
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from statistics import NormalDist

import numpy as np

from attack.case import Case
from attack.exact import Stated
from attack.splits import left_sets

__all__ = ["AS_GOOD", "HAIR", "Oracle", "library"]

LIMBS, WEIGHT_LIMBS = 8, 4  # words of 64 bits of a cost and of a weight, as in oracle.cpp
AS_GOOD = 1 - Fraction(
    1, 2**40
)  # real weights: values that float64 cannot tell apart for sure are a tie (documented)
HAIR = 1e-12  # two ways to compute a Wilson bound differ in the last bits


class _Question(ctypes.Structure):
    _fields_ = [
        ("n_rows", ctypes.c_int32),
        ("n_classes", ctypes.c_int32),
        ("n_splits", ctypes.c_int32),
        ("min_samples_leaf", ctypes.c_int32),
        ("left", ctypes.c_void_p),
        ("row_cost", ctypes.c_void_p),
        ("leaf_cost", ctypes.c_void_p),
        ("weight", ctypes.c_void_p),
        ("label", ctypes.c_void_p),
        ("observations", ctypes.c_double),
        ("z", ctypes.c_double),
    ]


@cache
def library() -> ctypes.CDLL:
    """The compiled oracle: made once for a source, kept in the folder of temporary files."""
    source = Path(__file__).with_name("oracle.cpp")
    compiler = os.environ.get("CXX") or next(filter(shutil.which, ("c++", "g++", "clang++")), "c++")
    mark = hashlib.sha256(source.read_bytes() + compiler.encode()).hexdigest()[:16]
    # Loaded only from a folder that belongs to this user: others can write into the common one.
    folder = Path(tempfile.gettempdir()) / f"treewright-attack-{os.getuid() if hasattr(os, 'getuid') else 0}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if hasattr(os, "getuid") and folder.stat().st_uid != os.getuid():
        folder = Path(tempfile.mkdtemp())
    target = folder / f"oracle-{mark}.so"
    if not target.exists():
        made = Path(tempfile.mkdtemp(dir=folder)) / target.name
        flags = ["-std=c++20", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
        subprocess.run([*compiler.split(), *flags, str(source), "-o", str(made)], check=True)
        made.replace(target)  # whole or not at all, though several processes make it
        made.parent.rmdir()
    loaded = ctypes.CDLL(str(target))
    loaded.cheapest_tree.restype = ctypes.c_int32
    loaded.best_worst_leaf.restype = ctypes.c_int32
    loaded.cheapest_by_leaves.restype = None
    loaded.value_of_leaf.restype = ctypes.c_double
    return loaded


@dataclass(frozen=True)
class Answer:
    """A cost as an exact share of the total weight, and the leaves of the tree."""

    objective: Fraction
    leaves: int


class Oracle:
    """Exact answers for one case. `splits` replaces the case's own (sets of kept rows that go left)."""

    def __init__(self, case: Case, splits: list[int] | None = None) -> None:
        self.stated = stated = Stated(case)
        self.case = case
        self._left = np.array(left_sets(case, stated.kept) if splits is None else splits, dtype=np.uint64)
        costs = [c for row in stated.row_costs for c in row]
        price = stated.leaf_penalty
        self._scale = math.lcm(price.denominator, *(c.denominator for c in costs))
        self._costs = _numbers([int(c * self._scale) for c in costs])
        self._price = _numbers([int(price * self._scale)])
        self._free = _numbers([0])
        self._label = np.array(stated.labels, dtype=np.int32)
        self._weight: np.ndarray | None = None

    def cheapest(self, max_depth: int | None = None, *, free_leaves: bool = False) -> Answer | None:
        """The smallest objective, and the fewest leaves with it; looks at no limit of leaves."""
        cost = (ctypes.c_uint64 * LIMBS)()
        leaves = library().cheapest_tree(
            ctypes.byref(self._question(free=free_leaves)),
            self._depth(max_depth),
            None,
            ctypes.c_double(0),
            cost,
        )
        return Answer(self._fraction(cost), leaves) if leaves else None

    def by_leaves(self, most: int, max_depth: int | None = None) -> list[Fraction | None]:
        """The smallest loss of a tree of exactly 1, 2, ..., `most` leaves; None where there is none."""
        most = min(most, len(self.stated.kept))
        costs = (ctypes.c_uint64 * (LIMBS * most))()
        exists = (ctypes.c_uint8 * most)()
        library().cheapest_by_leaves(
            ctypes.byref(self._question(free=True)), self._depth(max_depth), most, costs, exists
        )
        return [
            self._fraction(costs[k * LIMBS : (k + 1) * LIMBS]) if exists[k] else None for k in range(most)
        ]

    def optimum(self, max_depth: int | None = None) -> Answer | None:
        """The smallest objective within all limits of the case, and the fewest leaves that reach it."""
        most = self.case.options.get("max_leaf_nodes")
        if most is None:
            return self.cheapest(max_depth)
        price = self.stated.leaf_penalty
        options = [
            (loss + price * leaves, leaves)
            for leaves, loss in enumerate(self.by_leaves(most, max_depth), 1)
            if loss is not None
        ]
        return Answer(*min(options)) if options else None

    def best_worst_leaf(
        self, confidence: float | None = None, *, exactly: bool = False
    ) -> tuple[float, Fraction, Answer] | None:
        """The best value of a worst leaf, as a float and (of accuracies) exactly, and the cheapest tree with it.

        `exactly`: weights that are no whole numbers count as exact, too; otherwise their nearly equal values are ties.
        """
        question = self._leaf_question(confidence)
        worst, value = (ctypes.c_uint64 * (2 * WEIGHT_LIMBS))(), ctypes.c_double()
        depth = self._depth(None)
        if not library().best_worst_leaf(ctypes.byref(question), depth, worst, ctypes.byref(value)):
            return None
        cost = (ctypes.c_uint64 * LIMBS)()
        leaves = library().cheapest_tree(ctypes.byref(question), depth, worst, ctypes.c_double(HAIR), cost)
        right, everything = (_whole(part) for part in (worst[:WEIGHT_LIMBS], worst[WEIGHT_LIMBS:]))
        accuracy = Fraction(right, everything)
        best = Answer(self._fraction(cost), leaves)
        if confidence is None and self.stated.has_real_weights and not exactly:
            tied = self.cheapest_with(accuracy * AS_GOOD)
            assert tied is not None
            # Of equal losses the best leaf may take more leaves than one that only counts as good.
            return value.value, accuracy, tied if tied.objective < best.objective else best
        return value.value, accuracy, best

    def worst_value(self, leaves: list[list[int]], confidence: float | None) -> float:
        """The value of the worst of these leaves, given as positions among the kept rows."""
        whole, _ = self.stated.whole_weights
        question = self._leaf_question(confidence)
        values = []
        for rows in leaves:
            by_class = [0] * len(self.stated.classes)
            for i in rows:
                by_class[self.stated.labels[i]] += whole[i]
            leaf = _numbers([max(by_class), sum(by_class)], WEIGHT_LIMBS)
            values.append(
                library().value_of_leaf(ctypes.byref(question), leaf.ctypes.data_as(ctypes.c_void_p))
            )
        return min(values)

    def cheapest_with(self, least: Fraction) -> Answer | None:
        """The smallest objective of a tree with every leaf right on this share of its weight."""
        question = self._leaf_question(None)
        wanted = _numbers([least.numerator, least.denominator], WEIGHT_LIMBS)
        cost = (ctypes.c_uint64 * LIMBS)()
        leaves = library().cheapest_tree(
            ctypes.byref(question),
            self._depth(None),
            wanted.ctypes.data_as(ctypes.c_void_p),
            ctypes.c_double(0),
            cost,
        )
        return Answer(self._fraction(cost), leaves) if leaves else None

    def _depth(self, max_depth: int | None) -> int:
        return min(self.stated.max_depth if max_depth is None else max_depth, 2**20)

    def _fraction(self, limbs: Sequence[int]) -> Fraction:
        return Fraction(_whole(limbs), self._scale)

    def _question(self, *, free: bool = False) -> _Question:
        return _Question(
            len(self.stated.kept),
            len(self.stated.classes),
            len(self._left),
            self.stated.min_samples_leaf,
            self._left.ctypes.data,
            self._costs.ctypes.data,
            (self._free if free else self._price).ctypes.data,
            None,
            self._label.ctypes.data,
            1.0,
            0.0,
        )

    def _leaf_question(self, confidence: float | None) -> _Question:
        whole, unit = self.stated.whole_weights
        self._weight = _numbers(whole, WEIGHT_LIMBS)
        question = self._question()
        question.weight = self._weight.ctypes.data
        # In a confidence bound all weights together count for as many observations as there are rows.
        question.observations = float(unit * len(whole) / self.stated.total)
        question.z = 0.0 if confidence is None else NormalDist().inv_cdf(confidence)
        return question


def _whole(limbs: Sequence[int]) -> int:
    return sum(limb << 64 * k for k, limb in enumerate(limbs))


def _numbers(values: list[int], limbs: int = LIMBS) -> np.ndarray:
    """Whole numbers as little-endian words; their sums must fit."""
    assert sum(values) < 2 ** (64 * limbs), "numbers too large for the oracle; use milder ones"
    return np.frombuffer(b"".join(v.to_bytes(8 * limbs, "little") for v in values), dtype="<u8").copy()
