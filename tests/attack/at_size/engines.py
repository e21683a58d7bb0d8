"""Other ways to the same answer: engines, threads, instruction sets, switches, and problems that are another's case."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from attack.at_size.changes import Change, Other
from attack.at_size.oracle import leaf_costs
from attack.at_size.question import CALLS, Answer, Question
from attack.at_size.splits import all_splits, n_splits
from attack.options import random_switches, ranked_switches

__all__ = ["ENGINES"]

LEVELS = ("PLAIN", "AVX2")
OF_FRONTS = (
    "equivalent_points",
    "budgets",
    "cache",
    "greedy_start",
)  # what a search for all sizes has of the switches
STOPS = 8  # of a small table
MOST_SPLITS = 300  # of a table that becomes binary columns


def two_threads(rng: np.random.Generator, q: Question) -> Other | None:
    """From the first step on."""
    kind = CALLS[q.kind][1]
    if q.kind == "probability" or "search_options" in q.options:
        return None
    if kind is None:
        return Other(q.having(n_jobs=2))
    if kind != "either":
        return Other(q.having(n_jobs=2, search_options={"alone_work": 0}))
    at_once = {"kind": "RankedOptions", "alone_work": 0, "sharing_work": 0}
    if n_splits(q.X) <= MOST_SPLITS and rng.random() < 0.5:
        at_once = {"engine": "binary"} | ({} if q.kind == "front" else {"alone_steps": 0})
    return Other(q.having(n_jobs=2, search_options=at_once))


def another_instruction_set(rng: np.random.Generator, q: Question) -> Other:
    return Other(q, level=str(rng.choice(LEVELS)))


def switches(rng: np.random.Generator, q: Question) -> Other | None:
    """Some bounds off, and phases of long runs that begin at once."""
    if CALLS[q.kind][1] == "LeafAccuracyOptions":
        names = ("cache", "propagate", "neighbours", "convert", "deepen", "refute")
        off: dict[str, Any] = {name: False for name in names if rng.random() < 0.3}
        sizes = {"dense_splits": int(rng.choice([0, 10**6])), "block_rows": int(rng.choice([0, 64, 10**9]))}
        return Other(q.having(search_options=off | sizes))
    if CALLS[q.kind][1] is None:
        return None
    return Other(q.having(search_options=_phases(rng, q)))


def stopped(rng: np.random.Generator, q: Question) -> list[Other] | None:
    """After some steps, in any phase: no bound is above the optimum, no tree below it."""
    if q.kind in ("near", "roc"):
        return None
    others = []
    for _ in range(STOPS if q.n_rows < 2_000 else 1):
        if CALLS[q.kind][1] in ("either", "RankedOptions"):
            q = q.having(search_options=_phases(rng, q))
        others.append(Other(q.having(step_limit=int(10 ** rng.uniform(0.3, 2.4)))))
    return others


def _phases(rng: np.random.Generator, q: Question) -> dict[str, Any]:
    kind = CALLS[q.kind][1]
    if kind == "either" and n_splits(q.X) <= MOST_SPLITS and rng.random() < 0.4:
        of_binary = random_switches(rng)
        if q.kind == "front":
            of_binary = {name: of_binary[name] for name in OF_FRONTS if name in of_binary}
        return {"engine": "binary"} | of_binary
    chosen = ranked_switches(rng) if rng.random() < 0.5 else {}
    if "cache" in chosen and q.options["max_depth"] > 2:
        del chosen["cache"]  # each set of rows would be searched anew for every way to it
    if rng.random() < 0.6:
        parts = int(rng.integers(4, 9))
        chosen |= {
            "core": False,
            "core_passes": int(rng.integers(0, 2)),
            "part_rows": max(1, q.n_rows // parts - 1),
        }
        chosen["plain_work"] = int(10 ** rng.uniform(3, 6))
        chosen.pop("parts", None)
    elif "part_rows" in chosen:
        chosen["part_rows"] = max(chosen["part_rows"], q.n_rows // 40)
    return ({"kind": "RankedOptions"} if kind == "either" else {}) | chosen


def the_other_engine(rng: np.random.Generator, q: Question) -> Other | None:
    """Binary columns for ranked ones, or the other way around."""
    if CALLS[q.kind][1] != "either":
        return None
    few = n_splits(q.X) <= MOST_SPLITS
    engine = "binary" if few and rng.random() < 0.5 else "ranked"
    return Other(q.having(search_options={"engine": engine}))


def thresholds_by_name(rng: np.random.Generator, q: Question) -> Other | None:
    """All of them, given as numbers between the values."""
    if q.options.get("thresholds") != "all" or n_splits(q.X) > 4 * MOST_SPLITS:
        return None
    named = {}
    for name in q.X.columns:
        if q.X[name].dtype == float:
            values = np.unique(q.X[name].dropna())
            named[name] = [float(t) for t in (values[:-1] + values[1:]) / 2]
    return Other(q.having(thresholds=named))


def splits_as_columns(rng: np.random.Generator, q: Question) -> Other | None:
    """A column of zeros and ones for each split of the table."""
    if q.kind == "near" or n_splits(q.X) > MOST_SPLITS or q.n_rows * n_splits(q.X) > 3_000_000:
        return None
    splits = all_splits(q.X)
    if splits.shape[1] == 0:
        return None
    X = pd.DataFrame(splits.astype(float), columns=[f"s{j}" for j in range(splits.shape[1])])
    return Other(q.but(X=X))


def the_point_of_a_front(rng: np.random.Generator, q: Question) -> Other | None:
    """The best of all numbers of leaves, for a price or for a number."""
    kinds = {"classes": "front", "regression": "regression front"}
    if q.kind not in kinds or (q.kind == "regression" and q.y.ndim > 1):
        return None
    price = q.options["cost_complexity"]
    most = min(q.options.get("max_leaf_nodes", 99), 2 ** q.options["max_depth"], 8)
    if 2 ** q.options["max_depth"] > most and "max_leaf_nodes" not in q.options:
        return None
    front = q.having(cost_complexity=None, max_leaf_nodes=None, max_leaves=most)

    def read(answer: Answer) -> Answer:
        costs = min(loss + price * (k + 1) for k, loss in enumerate(answer.values))
        bound = min(loss + price * (k + 1) for k, loss in enumerate(answer.bounds))
        return replace(answer, values=(costs,), bounds=(bound,), leaves=None)

    return Other(front.but(kind=kinds[q.kind]), read)


def a_limit_of_leaves(rng: np.random.Generator, q: Question) -> Other | None:
    """That no tree of the depth reaches."""
    if q.kind in ("leaf", "front", "regression front") or "max_leaf_nodes" in q.options:
        return None
    return Other(q.having(max_leaf_nodes=2 ** q.options["max_depth"]))


def the_least_of_a_set(rng: np.random.Generator, q: Question) -> Other | None:
    """Of all trees near the best one, over the same splits."""
    if q.kind != "near":
        return None

    def read(answer: Answer) -> Answer:
        return replace(answer, leaves=None)

    return Other(q.but(kind="classes").having(epsilon=None, redundant_splits=None), read)


def every_leaf_right_on_none(rng: np.random.Generator, q: Question) -> Other | None:
    """The search for leaves of a least accuracy, which is 0."""
    if q.kind != "classes" or "max_leaf_nodes" in q.options or "costs" in q.options:
        return None
    return Other(q.having(min_leaf_accuracy=0.0))


def costs_row_by_row(rng: np.random.Generator, q: Question) -> Other | None:
    """Those of each row's label; or as rewards, whose regret is a share of that of the best single action."""
    if q.kind != "classes" or "class_weight" in q.options:
        return None
    classes, label = np.unique(q.y, return_inverse=True)
    costs = np.array(q.options.get("costs", 1 - np.eye(len(classes))), dtype=float)[label]
    plain = q.having(costs=None, thresholds=None)
    if len(classes) > 20 or q.options.get("cost_complexity") != 0 or rng.random() < 0.5:
        return Other(plain.but(kind="row costs", y=np.column_stack([label, costs])))
    one_leaf = leaf_costs(q)
    if one_leaf is None or one_leaf.whole == 0:
        return None
    return Other(plain.but(kind="policy", y=-costs), _scaled(one_leaf.whole))


def _scaled(factor: float) -> Callable[[Answer], Answer]:
    def read(answer: Answer) -> Answer:
        values, bounds = (tuple(v * factor for v in of) for of in (answer.values, answer.bounds))
        return replace(answer, values=values, bounds=bounds, leaves=None)

    return read


def zeros_and_ones(rng: np.random.Generator, q: Question) -> Other | None:
    """Squared error of indicators is the Brier score, absolute error of two classes the misclassification."""
    if q.kind == "probability" and q.options["criterion"] == "brier":
        classes = np.unique(q.y)
        if len(classes) > 5:
            return None
        y = np.equal.outer(q.y, classes).astype(float)
        return Other(
            q.but(kind="regression", y=y[:, 0] if len(classes) == 2 else y).having(criterion="squared_error")
        )
    if q.kind == "classes" and len(np.unique(q.y)) == 2 and not {"costs", "class_weight"} & set(q.options):
        one_leaf = leaf_costs(q)
        if one_leaf is None or one_leaf.whole == 0 or q.options["cost_complexity"] != 0:
            return None
        y = (q.y == q.y.max()).astype(float)
        numbers = q.but(kind="regression", y=y).having(criterion="absolute_error", thresholds=None)
        return Other(numbers, _scaled(one_leaf.whole))
    return None


def the_half_quantile(rng: np.random.Generator, q: Question) -> Other | None:
    if q.kind != "regression" or q.options.get("criterion") != "absolute_error":
        return None
    return Other(q.having(criterion="quantile", quantile=0.5))


ENGINES: dict[str, Change] = {
    "two threads": two_threads,
    "another instruction set": another_instruction_set,
    "switches": switches,
    "stopped": stopped,
    "the other engine": the_other_engine,
    "thresholds by name": thresholds_by_name,
    "splits as columns": splits_as_columns,
    "the point of a front": the_point_of_a_front,
    "a limit of leaves": a_limit_of_leaves,
    "the least of a set": the_least_of_a_set,
    "every leaf right on none": every_leaf_right_on_none,
    "costs row by row": costs_row_by_row,
    "zeros and ones": zeros_and_ones,
    "the half quantile": the_half_quantile,
}
