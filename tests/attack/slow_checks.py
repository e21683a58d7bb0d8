"""Methods whose cases take long: guessing, cross-validation, mixed-integer programs, born-again trees."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from attack.case import Case, Value
from attack.checks import (
    LIMITS,
    Found,
    Mismatch,
    check_result,
    keeps_constraints,
    leaf_accuracy,
    limited,
    not_worse_than_simple,
    predicts_alike,
)
from attack.cv_checks import choice_by_rule
from attack.group_cells import grouped_columns, keep_to_groups, least_of_cells
from attack.oracle import Oracle

__all__ = ["cv_answers", "guided_answers", "mip_answers", "reborn_answers"]

SOLVER = Fraction(1, 10**6)  # tolerance of a mixed-integer solver; its proofs are no better


def guided_answers(case: Case) -> Iterator[Mismatch]:
    """Guesses may cost optimality, and say so: the bound holds for every tree, the tree keeps the question."""
    model = case.run()
    plain = case.without("thresholds", "guess_lower_bounds", "reference")
    if case.options.get("max_depth") == "guess":
        depth = model.result_.options["max_depth"]
        plain = plain.but(options=dict(plain.options) | {"max_depth": depth})
    found = Found(plain, model.result_)
    best = Oracle(plain).optimum()
    assert best is not None  # one leaf
    result = found.result
    yield from keeps_constraints(found)
    yield from predicts_alike(plain, model, found)
    if abs(float(found.objective) - result.objective) > 1e-9:
        yield Mismatch(
            "the objective is not the tree's", f"{result.objective!r}, the tree has {found.objective}"
        )
    words = f"{result.sentence()} The oracle, without guesses: {float(best.objective)!r}."
    over_all = case.options.get("thresholds") != "guess"
    if over_all and result.lower_bound > float(best.objective) + 1e-12:
        yield Mismatch("the lower bound is above the optimum", words)
    if over_all and found.proven and found.objective > best.objective * (1 + found.tolerance):
        yield Mismatch("false optimal", words)
    if result.lower_bound > result.objective + 1e-12:
        yield Mismatch("the lower bound is above the objective", words)
    if over_all and result.status.name == "FEASIBLE":
        yield from not_worse_than_simple(found, Oracle(plain))


def cv_answers(case: Case) -> Iterator[Mismatch]:
    """The tree of cross-validation is the best of all trees at what was chosen, and that is the rule's choice."""
    from treewright.errors import SolverError

    try:
        model = case.run()
    except SolverError as error:
        if "rows in every leaf" in str(error):
            return  # a fold is smaller than a leaf may be
        raise
    asked = {name: model.result_.options[name] for name in ("max_leaf_nodes", "cost_complexity")}
    left_out = ("choose", "cv", "max_leaves", "rule", "search_options", "n_jobs", "thresholds")
    at = case.without(*left_out)  # so few rows have all their thresholds in 8 bins
    at = at.but(method="optimal", options=dict(at.options) | asked)
    best = Oracle(at).optimum()
    assert best is not None  # the search has one
    found = Found(at, model.result_)
    yield from check_result(found, best)
    yield from predicts_alike(case, model, found)
    words = f"{model.result_.sentence()} {dict(model.cv_results_)}"
    yield from choice_by_rule(case, model.cv_results_, len(found.groups), words)


def mip_answers(case: Case) -> Iterator[Mismatch]:
    """A program's optimum is the oracle's, within the tolerance of its solver."""
    model = case.run()
    formulation = case.options["formulation"]
    result = model.result_
    found = Found(case, result)
    yield from keeps_constraints(found)
    yield from predicts_alike(case, model, found)
    oracle = Oracle(case)
    if formulation == "leaf_accuracy":
        best = oracle.best_worst_leaf()
        assert best is not None
        worst = min(leaf_accuracy(found.stated, rows) for rows in found.groups.values())
        words = f"{result.sentence()} The oracle: {best[0]!r}."
        if abs(float(worst) - result.objective) > 1e-9:
            yield Mismatch(
                "the objective is not the tree's", f"{result.objective!r}, the tree has {float(worst)!r}"
            )
        if found.proven and worst < best[1] - SOLVER:
            yield Mismatch("false optimal", words)
        if result.upper_bound < best[0] - float(SOLVER):
            yield Mismatch("the upper bound is below the optimum", words)
        return
    least = oracle.optimum()
    assert least is not None
    words = f"{result.sentence()} The oracle: {float(least.objective)!r} with {least.leaves} leaves."
    if abs(float(found.objective) - result.objective) > 1e-9:
        yield Mismatch(
            "the objective is not the tree's",
            f"{result.objective!r}, the tree has {float(found.objective)!r}",
        )
    if found.proven and found.objective > least.objective + SOLVER:
        yield Mismatch("false optimal", words)
    if result.lower_bound > least.objective + SOLVER:
        yield Mismatch("the lower bound is above the optimum", words)


def reborn_answers(case: Case) -> Iterator[Mismatch]:
    """A born-again tree decides like its forest in every cell between the thresholds, and is as small as claimed.

    With ``domain="rows"`` the cells are those between the least and the largest value of each column; with groups
    those in which each group has as many ones as it may have. A limit may end the run before any tree is faithful.
    """
    from treewright.errors import SolverError

    try:
        model = case.run()
    except SolverError as error:
        if limited(case) and "No faithful tree was completed" in str(error):
            return
        raise
    if case.options.get("prune"):
        yield from _pruned_answers(case, model)
        return
    columns = [case.columns[name] for name in case.columns]
    found = Found(case, model.result_)
    fitted = model.estimator_
    cuts: list[set[float]] = [set() for _ in columns]
    for tree in fitted.estimators_:
        for feature, threshold in zip(tree.tree_.feature, tree.tree_.threshold, strict=True):
            if feature >= 0:
                cuts[feature].add(float(threshold))
    values: list[list[Value]] = []
    grouped = grouped_columns(case)
    for name, column, column_cuts in zip(case.columns, columns, cuts, strict=True):
        edges = sorted(column_cuts)
        if name in grouped:
            values.append([0.0, 1.0])
            continue
        if case.options.get("domain") == "rows":
            values.append(_values_within([float(v) for v in column], edges))  # type: ignore[arg-type]
            continue
        values.append([*(_single_below(t) for t in edges), (edges[-1] if edges else 0.0) + 1.0])
    cells = keep_to_groups(case, list(itertools.islice(itertools.product(*values), 5000)))
    said = fitted.predict(case.but(as_array=True).frame(cells)).tolist()
    walked = found.walker.predict(cells)
    for cell, a, b in zip(cells, said, walked, strict=True):
        if a != b:
            yield Mismatch("not faithful", f"row {cell}: the forest {a!r}, the tree {b!r}")
            break
    yield from predicts_alike(case, model, found, gaps=False)
    if grouped:
        if len(cells) <= 24 and math.prod(map(len, values)) <= 5000:
            yield from _compared(case, found, least_of_cells(cells, said))
        return
    yield from _size_claims(case, found, said, [len(v) for v in values])


def _pruned_answers(case: Case, model: Any) -> Iterator[Mismatch]:
    """A pruned tree decides like its forest on the training rows; a proven one is not above any that pruning leaves."""
    from treewright.bornagain import prune

    result, forest = model.result_, model.estimator_
    rows, found = case.but(as_array=True).frame(), Found(case, result)
    said = forest.predict(rows).tolist()
    words = f"{result.sentence()} The forest says {said}."
    if found.walker.predict(case.rows) != said:
        yield Mismatch("not faithful on the training rows", words)
    yield from predicts_alike(case, model, found, gaps=False)
    if found.proven and case.options["prune"] == "active":
        # This run is to end, whatever ended the other one: without a tree there is nothing to compare with.
        free = dict.fromkeys(set(LIMITS) & case.options.keys())
        other = prune(case.run(prune=None, **free).tree_, rows, merge=False).n_leaves
        if result.objective > other or result.tree.n_leaves > other:
            yield Mismatch("false optimal", f"{words} Pruning by rows leaves {other}.")


def _values_within(column: list[float], edges: list[float]) -> list[Value]:
    """One value of each cell that lies between the least and the largest value; whole numbers if all of them are."""
    import numpy as np

    low, high = min(column), max(column)
    if all(v == int(v) for v in column):
        tried = [float(v) for v in range(int(low), int(high) + 1)]
    else:
        below = [_single_below(t) for t in edges]
        above = [float(np.nextafter(np.float32(v), np.float32(math.inf))) for v in below]
        tried = sorted(v for v in (low, high, *below, *above) if low <= v <= high)
    by_cell = {sum(float(np.float32(v)) > t for t in edges): v for v in tried}
    return list(by_cell.values())


def _single_below(t: float) -> float:
    """The largest float32 that is at most t: scikit-learn rounds rows to float32."""
    import numpy as np

    single = np.float32(t)
    return float(single if float(single) <= t else np.nextafter(single, np.float32(-math.inf)))


def _size_claims(case: Case, found: Found, said: list[Any], shape: list[int]) -> Iterator[Mismatch]:
    """Compare depth and leaves with a plain recursion over boxes of cells."""
    import numpy as np

    if math.prod(shape) != len(said) or math.prod(shape) > 150:
        return
    labels = np.array([str(v) for v in said], dtype=object).reshape(shape)
    yield from _compared(case, found, _least(labels, {}))


def _compared(case: Case, found: Found, least: tuple[int, int]) -> Iterator[Mismatch]:
    """Compare the sizes of a tree that is called optimal with the least depth and leaves."""
    depth, leaves = least
    objective, result = case.options["objective"], found.result
    here = (found.walker.depth(), len(found.groups))
    words = f"{result.sentence()} The oracle: depth {depth}, {leaves} leaves at any depth."
    if result.status.name != "OPTIMAL":
        return
    if objective in ("depth", "depth-leaves") and here[0] != depth:
        yield Mismatch("false optimal", words)
    if objective == "leaves" and here[1] != leaves:
        yield Mismatch("false optimal", words)


def _least(labels: Any, known: dict[Any, tuple[int, int]]) -> tuple[int, int]:
    """Least depth, and least leaves, of a tree with these labels of cells; each by itself."""
    if len(set(labels.ravel().tolist())) == 1:
        return 0, 1
    key = (labels.shape, tuple(labels.ravel().tolist()))
    if key not in known:
        depth, leaves = math.inf, math.inf
        for axis, size in enumerate(labels.shape):
            for cut in range(1, size):
                a = _least(labels.take(range(cut), axis), known)
                b = _least(labels.take(range(cut, size), axis), known)
                depth, leaves = min(depth, 1 + max(a[0], b[0])), min(leaves, a[1] + b[1])
        known[key] = (int(depth), int(leaves))
    return known[key]
