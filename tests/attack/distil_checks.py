"""What must hold for a small tree that says nearly what a model says: rows counted anew, its size against all trees.

Of a model whose answers alone are read, every split of the table may be asked; of a forest, its own thresholds, which
scikit-learn compares with rows rounded to float32.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate
from math import sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

from attack.case import Case
from attack.checks import Found, Mismatch, limited
from attack.oracle import Oracle
from attack.probes import probe_rows

__all__ = ["distil_answers", "reborn_rows_answers"]

NEAR = 1e-9


def distil_answers(case: Case) -> Iterator[Mismatch]:
    """The tree for given labels, over all splits of the table."""
    result = case.run()
    yield from _of_rows(case, result, None)
    found = Found(case, result)
    rows = probe_rows(case, found.walker)
    yield from _agreement(case, result.tree, found.walker.predict(rows), case.frame(rows))
    yield from _in_threads(case, result, lambda other: other)


def reborn_rows_answers(case: Case) -> Iterator[Mismatch]:
    """The tree of `BornAgainTreeClassifier(faithful="rows")` for what its model says of the training rows."""
    model = case.run()
    said = model.estimator_.predict(case.but(as_array=True).frame()).tolist()
    answered = case.but(y=said)
    splits = None if model.ensemble_ is None else _splits_of_forest(case, model.estimator_)
    yield from _of_rows(answered, model.result_, splits)
    found = Found(answered, model.result_)
    rows = probe_rows(case, found.walker, gaps=False)
    walked = found.walker.predict(rows)
    if model.predict(case.frame(rows)).tolist() != walked:
        yield Mismatch("predict differs from the file", f"{walked}; {model.result_.sentence()}")
    yield from _in_threads(case, model.result_, lambda other: other.result_)


def _of_rows(case: Case, result: Any, splits: list[int] | None) -> Iterator[Mismatch]:
    """Count the rows that differ, and find by the oracle how many leaves are needed."""
    found = Found(case, result)
    n, most = case.n_rows, case.options.get("max_leaves", 16)
    most = 16 if most == "auto" else most
    words = f"{result.sentence()} Labels {list(case.y)!r}."
    differing = sum(a != b for a, b in zip(found.walker.predict(case.rows), case.y, strict=True))
    allowed = int(Fraction(str(case.options.get("tolerance", _default(case)))) * n)
    stats = result.stats
    if (stats["rows"], stats["rows_alike"], stats["rows_asked"]) != (n, n - differing, n - allowed):
        yield Mismatch("another number of rows is alike", f"{differing} differ, {allowed} may; {words}")
    if abs(result.loss - differing / n) > NEAR:
        yield Mismatch("the loss is not the tree's", words)
    leaves, depth = len(found.groups), case.options.get("max_depth", 4)
    if leaves > most or (depth is not None and found.walker.depth() > depth):
        yield Mismatch("the tree is too large", words)
    if result.objective != leaves or result.lower_bound > result.objective:
        yield Mismatch("the objective is not the tree's leaves", words)
    plain = Case("distil labels", case.columns, case.y, None, {"max_depth": depth}, case.as_array)
    exactly = Oracle(plain, splits).by_leaves(most)
    fewest = list(accumulate((n if loss is None else round(loss * n) for loss in exactly), min))
    words = f"{words} Of 1, 2, ... leaves at the best {fewest} differ."
    if differing < fewest[min(leaves, len(fewest)) - 1]:
        yield Mismatch("better than the optimum", words)
    needed = 1 + next((k for k, rows in enumerate(fewest) if rows <= allowed), len(fewest))
    if min(result.lower_bound, stats["leaves_lower_bound"]) > needed:
        yield Mismatch("the lower bound is above the optimum", words)
    if not found.proven:
        if not limited(case):
            yield Mismatch("not proven though there is no limit", words)
        return
    goal = max(allowed, fewest[-1])
    least = 1 + next(k for k, rows in enumerate(fewest) if rows <= goal)
    if leaves != least or differing > fewest[least - 1]:
        yield Mismatch("false optimal", f"{least} leaves; {words}")


def _default(case: Case) -> float:
    return 0.02 if case.method == "reborn rows" else 0.0


def _splits_of_forest(case: Case, forest: Any) -> list[int]:
    """Sets of rows that go left, at each threshold of each tree."""
    single = np.asarray(case.but(as_array=True).frame(), dtype=np.float32)
    found: set[int] = set()
    for member in forest.estimators_:
        for feature, threshold in zip(member.tree_.feature, member.tree_.threshold, strict=True):
            if feature >= 0:
                left = single[:, feature] <= threshold
                found.add(sum(1 << i for i, goes in enumerate(left) if goes))
    everything = (1 << case.n_rows) - 1
    return sorted(found - {0, everything})


def _agreement(case: Case, tree: Any, walked: Sequence[Any], rows: Any) -> Iterator[Mismatch]:
    """`label_agreement` counts what a walk of the file counts, and its bound is that of Wilson."""
    from treewright.bornagain import label_agreement

    classes = sorted(set(case.y))
    said = [classes[i % len(classes)] for i in range(len(walked))]
    alike, n = sum(a == b for a, b in zip(walked, said, strict=True)), len(walked)
    for confidence in (0.95, 0.5):
        counted = label_agreement(tree, said, rows, confidence=confidence)
        z = NormalDist().inv_cdf((1 + confidence) / 2)
        middle = alike + z * z / 2 - z * sqrt(alike * (n - alike) / n + z * z / 4)
        bound = max(0.0, middle / (n + z * z))
        if (counted.n_alike, counted.n_rows) != (alike, n) or abs(counted.lower_bound - bound) > NEAR:
            yield Mismatch("another agreement", f"{counted}; a walk: {alike} of {n}, at least {bound!r}")


def _in_threads(case: Case, result: Any, of: Any) -> Iterator[Mismatch]:
    """Another number of threads, the same answer; a run that a limit ends may end elsewhere."""
    if limited(case):
        return
    other = of(
        replace(case, options=dict(case.options) | {"n_jobs": 3 - case.options.get("n_jobs", 1)}).run()
    )
    told = [(r.objective, r.loss, r.lower_bound, r.status.name) for r in (result, other)]
    if told[0] != told[1]:
        yield Mismatch("another answer in threads", f"{told}")
