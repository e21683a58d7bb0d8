"""A problem of any size as a user would write it, and what of its answer must not depend on how it is written."""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

__all__ = ["CALLS", "Answer", "Question", "Rows", "ask", "limited_to"]

Rows = NDArray[np.intp]
SECONDS = 2.0  # of the processor for one search, whatever else the machine does
MOST_SECONDS = 300.0  # of the clock
FLOAT = 8 * np.finfo(float).eps  # of float64 sums of whole numbers
SHARES = 1e-11  # of shares of a loss, whose sums are rounded in the order of the rows
GRID = np.linspace(0, 1, 33)  # false positive rates at which two ROC frontiers are compared

# What is called, and the class of its argument `search_options`; "either" has switches of both engines.
CALLS = {
    "classes": ("OptimalTreeClassifier", "either"),
    "f1": ("OptimalTreeClassifier", "either"),
    "row costs": ("OptimalTreeClassifier", "either"),
    "leaf": ("LeafAccuracyTreeClassifier", "LeafAccuracyOptions"),
    "near": ("near_optimal_trees", None),
    "front": ("accuracy_frontier", "either"),
    "roc": ("roc_frontier", "either"),
    "regression": ("OptimalTreeRegressor", "RankedOptions"),
    "regression front": ("regression_frontier", "RankedOptions"),
    "probability": ("OptimalProbabilityTree", "RankedOptions"),
    "policy": ("OptimalPolicyTree", "either"),
    "survival": ("OptimalSurvivalTree", "RankedOptions"),
}
FUNCTIONS = ("near", "front", "roc", "regression front")
OF_CLASSES = ("classes", "f1", "leaf", "near", "front", "roc")  # their losses are sums of the weights of rows


@dataclass(frozen=True, eq=False)
class Question:
    """A table, its targets and weights, and the arguments of a call; the first axis of every array is rows."""

    kind: str
    X: pd.DataFrame
    y: NDArray[Any]  # labels, numbers, rewards of each action, event and time, or a label and costs
    weight: NDArray[np.float64] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)  # search_options as a dict of its fields

    @property
    def n_rows(self) -> int:
        return len(self.y)

    def but(self, **changes: Any) -> Question:
        return replace(self, **changes)

    def having(self, **options: Any) -> Question:
        """The same with some options; those of None have their defaults."""
        merged = {**self.options, **options}
        return replace(self, options={k: v for k, v in merged.items() if v is not None})

    def rows(self, which: Rows) -> Question:
        """The same question of some rows, in this order."""
        weight = None if self.weight is None else self.weight[which]
        return replace(self, X=self.X.iloc[which].reset_index(drop=True), y=self.y[which], weight=weight)

    @property
    def weights(self) -> NDArray[np.float64]:
        return np.ones(self.n_rows) if self.weight is None else self.weight

    @property
    def has_whole_weights(self) -> bool:
        """Whether all weights are whole numbers, and stay so."""
        whole = self.weight is None or bool((self.weight == np.rint(self.weight)).all())
        return whole and "class_weight" not in self.options and self.options.get("objective") in (None, "f1")

    @property
    def switches(self) -> tuple[str, dict[str, Any]]:
        """The class of `search_options` and its arguments."""
        given = dict(self.options.get("search_options", {}))
        kind = str(CALLS[self.kind][1])
        if kind == "either":
            kind = given.pop("kind", "BinaryOptions")
        return kind, given

    @property
    def fitted_with(self) -> tuple[Any, dict[str, Any]]:
        """The targets as the call takes them, and its further arguments."""
        more = {} if self.weight is None else {"sample_weight": self.weight}
        if self.kind == "survival":
            return (self.y[:, 0] > 0, self.y[:, 1]), more
        if self.kind == "row costs":
            return self.y[:, 0].astype(int), {**more, "row_costs": self.y[:, 1:]}
        return self.y, more


@dataclass(frozen=True)
class Answer:
    """What was found: `values` are the same for every way of asking; smaller is better."""

    values: tuple[float, ...]
    bounds: tuple[float, ...]  # of the first values; no tree has smaller ones
    proven: bool
    stopped: bool
    open_to: float  # what a proof leaves open, and what rounding may move
    result: Any
    leaves: int | None = None  # of the tree, where they are proven, too
    sentence: str = ""

    @property
    def value(self) -> float:
        return self.values[0]


def ask(question: Question, seconds: float = SECONDS) -> Answer:
    """Call the library, within seconds of the processor. A proof that it refutes itself is a `RefutedProofWarning`."""
    import treewright
    import treewright.search
    from treewright.errors import RefutedProofWarning

    end = time.process_time() + seconds
    arguments = {
        "progress": lambda now: time.process_time() > end,
        "time_limit": MOST_SECONDS,
        **question.options,
    }
    if "search_options" in arguments:
        kind, given = question.switches
        arguments["search_options"] = getattr(treewright.search, kind)(**given)
    call = getattr(treewright, CALLS[question.kind][0])
    y, more = question.fitted_with
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RefutedProofWarning)
        if question.kind in FUNCTIONS:
            return _ANSWERS[question.kind](call(question.X, y, **arguments, **more))
        found = call(**arguments).fit(question.X, y, **more).result_
        return _ANSWERS.get(question.kind, _of_loss)(found)


def _of_loss(result: Any) -> Answer:
    from treewright.result import AdditiveResult

    proven = result.status.name == "OPTIMAL"
    open_to = FLOAT * max(1.0, abs(result.objective))
    if isinstance(result, AdditiveResult):
        open_to = SHARES * max(1.0, abs(result.objective)) + result.stats["tolerance"]
    if any("weights were rounded to multiples" in note for note in result.notes):
        open_to += 1e-5  # of real weights of survival trees, in fewer levels where there are more rows
    for note in result.notes:
        if told := re.search(r"hazards were rounded by up to (\S+) of themselves", note):
            open_to += 20 * float(told[1])  # events are no more than some times the loss of one leaf
    if proven:
        open_to += max(0.0, result.objective - result.lower_bound)
    fewest = proven and not any("smallest number of leaves" in note for note in result.notes)
    return Answer(
        (result.objective,),
        (result.lower_bound,),
        proven,
        result.stop_reason is not None or result.is_rounded,
        open_to,
        result,
        result.tree.n_leaves if fewest else None,
        result.sentence(),
    )


def _of_f1(result: Any) -> Answer:
    return replace(_of_loss(result), open_to=1e-12 + result.objective - result.lower_bound, leaves=None)


def _of_worst_leaf(result: Any) -> Answer:
    return Answer(
        (-result.objective, result.loss),
        (-result.upper_bound,),
        result.status.name == "OPTIMAL",
        result.stop_reason is not None or result.is_rounded,
        1e-11,  # leaves that are as good within 2**-40 are equal
        result,
        sentence=result.sentence(),
    )


def _of_near(found: Any) -> Answer:
    return Answer(
        (found.best.objective, float(found.n_trees_)),
        (found.best.lower_bound,),
        found.status_ == "complete",
        found.status_ != "complete",
        FLOAT,
        found,
        sentence=found.sentence(),
    )


def _of_front(front: Any) -> Answer:
    """The loss for each number of leaves. Shares of a loss and shares of rows are rounded differently."""
    losses = tuple(point.loss for point in front.limits)
    points = front.limits
    spread = [max(0.0, p.objective - p.lower_bound) + p.stats.get("tolerance", 0.0) for p in points]
    is_of_numbers = any("tolerance" in p.stats for p in points)
    return Answer(
        losses,
        tuple(p.lower_bound - p.objective + p.loss for p in points),
        front.proven_leaves == front.max_leaves,
        any(p.stop_reason is not None or p.is_rounded for p in points),
        (SHARES if is_of_numbers else FLOAT)
        + (max(spread) if front.proven_leaves == front.max_leaves else 0),
        front,
        sentence=front.sentence(),
    )


def _of_roc(frontier: Any) -> Answer:
    proven = frontier.status.name == "OPTIMAL"
    values = (-frontier.auc_bound, *(-frontier.upper(GRID)).tolist())
    return Answer(values, values, proven, not proven, 2e-6, frontier, sentence=frontier.sentence())


_ANSWERS = {
    "f1": _of_f1,
    "leaf": _of_worst_leaf,
    "near": _of_near,
    "front": _of_front,
    "regression front": _of_front,
    "roc": _of_roc,
}


@contextmanager
def limited_to(level: str) -> Iterator[None]:
    """Kernels of an instruction set: PLAIN, AVX2 or AVX512."""
    from treewright._native import core

    core.set_simd_limit(core.Simd[level])
    try:
        yield
    finally:
        core.set_simd_limit(core.Simd.AVX512)
