"""What must hold for a tree near a regression ensemble on every row: every cell between thresholds is tried.

The thresholds are read from scikit-learn's own arrays. scikit-learn rounds rows to float32, so every cell has a row of
float32 numbers: the largest one at most a threshold, or the next above the last. Rows halfway between two float32
numbers are tried, too: there the two readings of a threshold could part.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from attack.case import Case
from attack.checks import Found, Mismatch, limited
from attack.group_cells import grouped_columns, keep_to_groups
from attack.regression_checks import walks_alike

__all__ = ["near_everywhere_answers"]

ROUNDING = 1e-12  # of the largest number: what a tolerance can ask of floating sums
MOST_CELLS = 20_000
HALFWAY = 300  # rows


def near_everywhere_answers(case: Case) -> Iterator[Mismatch]:
    """Compare the tree with the model in every cell, and the bound on its leaves with the numbers of all cells."""
    model = case.run()
    result, tolerance = model.result_, float(model.tolerance_)
    found = Found(case, result)
    nodes = found.walker.content["nodes"]
    words = f"{result.sentence()} Tolerance {tolerance!r}."
    yield from walks_alike(found, model, lambda leaf, _: nodes[leaf]["value"][0])
    rows = every_cell(case, model.estimator_)
    table = rows if case.as_array else pd.DataFrame(rows, columns=case.names)
    said, ours = model.estimator_.predict(table), model.predict(table)
    far = [abs(Fraction(a) - Fraction(b)) for a, b in zip(said.tolist(), ours.tolist(), strict=True)]
    worst = int(np.argmax(np.array(far, dtype=object)))
    if far[worst] > Fraction(result.loss):
        yield Mismatch("further than the certificate says", f"row {rows[worst].tolist()!r}: {words}")
    n_leaves = sum(node["split"] is None for node in nodes)
    least = tolerance + ROUNDING * (1 + float(np.abs(said).max()))
    if result.loss > least and not limited(case) and "max_leaves" not in case.options:
        yield Mismatch("not within the tolerance though there is no limit", words)
    if n_leaves > case.options.get("max_leaves", 1000) or result.objective != n_leaves:
        yield Mismatch("another number of leaves", words)
    needed = fewest_ranges(sorted(Fraction(v) for v in said.tolist()), 2 * Fraction(tolerance))
    if result.lower_bound > needed:
        yield Mismatch("the lower bound is above what the numbers need", f"{needed}; {words}")
    if found.proven and (result.loss > tolerance or result.lower_bound != n_leaves):
        yield Mismatch("false optimal", words)
    yield from _verified(model, words)


def _verified(model: Any, words: str) -> Iterator[Mismatch]:
    from treewright.verify import verify_near_everywhere

    report = verify_near_everywhere(model.ensemble_, model.result_)
    if not report.ok:
        yield Mismatch("the verifier refuses a true claim", f"{report} {words}")


def every_cell(case: Case, model: Any) -> Any:
    """A row of the domain in every cell, or in many of them, and rows halfway between neighbouring float32 numbers."""
    cuts: list[set[float]] = [set() for _ in case.columns]
    for member in np.ravel(model.estimators_):
        tree = member.tree_
        for column, threshold in zip(tree.feature, tree.threshold, strict=True):
            if column >= 0:
                cuts[column].add(float(threshold))
    below = [sorted({_at_most(t) for t in own}) for own in cuts]
    limits, grouped = _limits(case), grouped_columns(case)
    cells, halfway = [], []
    for name, own in zip(case.columns, below, strict=True):
        low, high, is_whole = limits[name]
        tried = {*own, _next(own[-1])} if own else {0.0}
        between = {float(m) for t in own for m in _halfway(t)}
        if is_whole:
            tried = {float(v) for t in own for v in (math.floor(t), math.floor(t) + 1)} or {0.0}
            between = tried
        if name in grouped:
            tried = between = {0.0, 1.0}
        elif (low, high) != (-math.inf, math.inf):
            inside = min(max(0.0, low), high)
            tried = {v for v in (*tried, low, high, inside) if low <= v <= high and math.isfinite(v)}
            between = {v for v in between if low <= v <= high} | {inside}
        cells.append(sorted(tried))
        halfway.append(sorted(between) or [0.0])
    rng = np.random.default_rng(0)
    if math.prod(map(len, cells)) <= MOST_CELLS:
        rows = list(itertools.product(*cells))
    else:
        rows = [tuple(rng.choice(own) for own in cells) for _ in range(MOST_CELLS // 10)]
    rows += [tuple(rng.choice(own) for own in halfway) for _ in range(HALFWAY)]
    return np.array(keep_to_groups(case, rows))


def _limits(case: Case) -> dict[str, tuple[float, float, bool]]:
    """Return the ends of each column of the case's domain, and whether it holds whole numbers."""
    stated = case.options.get("domain")
    limits = {}
    for name, column in case.columns.items():
        own = [float(v) for v in column]  # type: ignore[arg-type]
        if stated == "rows":
            limits[name] = (min(own), max(own), all(v == round(v) for v in own))
            continue
        domain = stated if isinstance(stated, dict) else {}
        low, high = domain.get("ranges", {}).get(name, (-math.inf, math.inf))
        limits[name] = (low, high, name in domain.get("integers", ()))
    return limits


def fewest_ranges(numbers: list[Fraction], width: Fraction) -> int:
    """How many ranges of a width hold all of these ascending numbers; no tree of fewer leaves is near all of them."""
    count, end = 0, None
    for number in numbers:
        if end is None or number > end:
            count, end = count + 1, number + width
    return count


def _at_most(threshold: float) -> float:
    near = np.float32(threshold)
    return float(near if float(near) <= threshold else np.nextafter(near, np.float32(-np.inf)))


def _next(number: float) -> float:
    return float(np.nextafter(np.float32(number), np.float32(np.inf)))


def _halfway(number: float) -> tuple[float, ...]:
    middle = number / 2 + _next(number) / 2
    return math.nextafter(middle, -math.inf), middle, math.nextafter(middle, math.inf)
