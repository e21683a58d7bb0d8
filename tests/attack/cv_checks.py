"""What must hold for a choice by held-back rows: its figures are added up again, its tree is compared with all trees.

The folds are given as pairs of rows. The trees of the folds come from the same library, fold by fold, and are compared
with all trees elsewhere; what they score on held-back rows is counted here, by a walk of their files.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from statistics import mean, stdev
from typing import Any

from attack.case import Case, halves
from attack.checks import LIMITS, Found, Mismatch, limited
from attack.leaf_checks import compare_leaf
from attack.line_checks import is_lined, lined_answers
from attack.regression_checks import HONEST, FoundRegression, additive_answers

__all__ = ["choice_by_rule", "leaf_cv_answers", "regression_cv_answers"]

NEAR = 1e-9
EQUAL = 1e-13  # two sums of the same weights; a rule compares scores as they are


def part_of(case: Case, rows: list[int]) -> Case:
    """The case on some of its rows."""
    columns = {name: [values[i] for i in rows] for name, values in case.columns.items()}
    weight = None if case.weight is None else [case.weight[i] for i in rows]
    return replace(case, columns=columns, y=[case.y[i] for i in rows], weight=weight)


def leaf_cv_answers(case: Case) -> Iterator[Mismatch]:
    """Scores of every candidate, the choice by the rule, and the tree of all rows; after a limit the tree alone."""
    model = case.run()
    table = model.cv_results_
    n = len(table["max_depth"])
    shared = {k: v for k, v in case.options.items() if k in ("class_weight", "confidence", "thresholds")}
    if limited(case):
        limits = {k: v for k, v in case.options.items() if k in LIMITS}
        at = replace(case, method="leaf", options=shared | limits | model.best_params_)
        yield from compare_leaf(at, model)
        return
    scores: list[list[float]] = [[] for _ in range(n)]
    right: list[list[float]] = [[] for _ in range(n)]
    for train, test in halves(case.n_rows):
        for i in range(n):
            candidate = {"max_depth": int(table["max_depth"][i]), "criterion": str(table["criterion"][i])}
            least = table["min_samples_leaf"][i]
            candidate["min_samples_leaf"] = int(least) if least >= 1 else float(least)
            part = replace(part_of(case, train), method="leaf", options=shared | candidate)
            worst, share = held_back(case, Found(part, part.run().result_), test)
            scores[i].append(worst)
            right[i].append(share)
    words = f"chosen {model.best_params_}; {model.result_.sentence()}"
    for i in range(n):
        told = [float(v) for v in table["leaf_accuracy"][i]]
        if any(abs(a - b) > NEAR for a, b in zip(told, scores[i], strict=True)):
            yield Mismatch(
                "another score on held-back rows", f"candidate {i}: {told} not {scores[i]}; {words}"
            )
            return
        if abs(table["mean_leaf_accuracy"][i] - mean(scores[i])) > NEAR:
            yield Mismatch("another mean score", f"candidate {i}; {words}")
        if abs(table["mean_accuracy"][i] - mean(right[i])) > NEAR:
            yield Mismatch("another mean accuracy", f"candidate {i}; {words}")
    simple = [(int(table["max_depth"][i]), -float(table["min_samples_leaf"][i]), i) for i in range(n)]
    most = max(mean(s) for s in scores)
    top = min((i for i in range(n) if mean(scores[i]) > most - EQUAL), key=lambda i: simple[i])
    chosen = [top]
    if case.options.get("rule", "one_se") == "one_se":
        error = stdev(scores[top]) / math.sqrt(len(scores[top]))
        near = [i for i in range(n) if mean(scores[i]) >= most - error - EQUAL]
        best = max(mean(right[i]) for i in near)
        chosen = [i for i in near if mean(right[i]) > best - EQUAL]
        chosen = [min(chosen, key=lambda i: simple[i])]
    params = {k: table[k][chosen[0]] for k in ("max_depth", "min_samples_leaf", "criterion")}
    if any(model.best_params_[k] != v for k, v in params.items()):
        yield Mismatch("another choice than the rule's", f"the rule: {params}; {words}")
    if abs(model.best_score_ - mean(scores[chosen[0]])) > NEAR:
        yield Mismatch("another best score", words)
    yield from compare_leaf(replace(case, method="leaf", options=shared | model.best_params_), model)


def held_back(case: Case, found: Found, rows: list[int]) -> tuple[float, float]:
    """The least share of right weight of a leaf that a row reaches, and that of all rows."""
    table = case.rows
    by_leaf: dict[int, list[Fraction]] = {}
    for i in rows:
        leaf = found.walker.leaf_of(table[i])
        weight = Fraction(1) if case.weight is None else Fraction(float(case.weight[i]))
        here = by_leaf.setdefault(leaf, [Fraction(0), Fraction(0)])
        here[0] += weight * (found.walker.label(leaf) == case.y[i])
        here[1] += weight
    reached = [pair for pair in by_leaf.values() if pair[1]]
    if not reached:
        return 0.0, 0.0
    worst = min(a / b for a, b in reached)
    return float(worst), float(sum(a for a, _ in reached) / sum(b for _, b in reached))


def regression_cv_answers(case: Case) -> Iterator[Mismatch]:
    """Scores of numbers of leaves, the choice by the rule, and the chosen tree among all of its size."""
    import treewright

    model = case.run()
    table = model.cv_results_
    result, most = model.result_, case.options["max_leaves"]
    words = f"{result.sentence()} {dict(table)}"
    shape = {k: v for k, v in case.options.items() if k in ("max_depth", "min_samples_leaf")}
    leaves = model.tree_.n_leaves
    limits = {k: v for k, v in case.options.items() if k in LIMITS}
    at = replace(
        case, method="regression", options=shape | limits | {"cost_complexity": 0.0, "max_leaf_nodes": leaves}
    )
    left = result.stats.get("tolerance", 0.0)
    if result.status.name != "OPTIMAL":  # the penalty of its leaves is the same in objective and bound
        left = result.objective - result.lower_bound
    proven = max(0.0, result.loss - left)
    plain: Any = replace(result, objective=result.loss, lower_bound=proven)  # of its number of leaves
    yield from additive_answers(FoundRegression(at, plain), HONEST)
    if is_lined(case):
        yield from lined_answers(FoundRegression(at, plain), beside=False)
    elif case.options.get("choose") == "leaves" and not limited(
        case
    ):  # a limit ends other searches in a fold
        whole = FoundRegression(at, result).stated.whole / FoundRegression(at, result).stated.total
        folds: list[list[float]] = []
        for train, test in halves(case.n_rows):
            part = part_of(case, train)
            front = treewright.regression_frontier(
                part.frame(),
                list(part.y),
                sample_weight=part.weight,
                max_leaves=most,
                progress=False,
                **shape,
            )
            folds.append(
                [squares_of(case, front.at_most(int(k)), test, whole) for k in table["param_leaves"]]
            )
        for f, scores in enumerate(folds):
            told = [float(v) for v in table[f"split{f}_test_score"]]
            if any(abs(a - b) > NEAR * (1 + abs(b)) for a, b in zip(told, scores, strict=True)):
                yield Mismatch("another score on held-out rows", f"fold {f}: {told} not {scores}; {words}")
                return
    yield from choice_by_rule(case, table, leaves, words)


def choice_by_rule(case: Case, table: Any, leaves: int, words: str) -> Iterator[Mismatch]:
    """The chosen candidate is the one that the rule prefers by the scores of the two folds.

    Where a limit left a fold unsearched, the others choose, by their number and not by this rule.
    """
    if limited(case) and any(f"split{f}_test_score" not in table for f in range(2)):
        return
    scores_of = [
        [float(table[f"split{f}_test_score"][i]) for f in range(2)] for i in range(len(table["n_leaves"]))
    ]
    means = [mean(s) for s in scores_of]
    if any(abs(a - float(b)) > NEAR for a, b in zip(means, table["mean_test_score"], strict=True)):
        yield Mismatch("another mean score", words)
    near = NEAR * (1 + abs(max(means)))
    preferred = []  # with scores apart by rounding told apart, and taken for equal
    for noise in (0.0, near):
        best = next(i for i, m in enumerate(means) if m >= max(means) - noise)
        if case.options.get("rule", "one_se") == "one_se":
            error = stdev(scores_of[best]) / math.sqrt(2)
            best = next(i for i, m in enumerate(means) if m >= means[best] - error - noise)
        preferred.append(best)
    if leaves not in {int(table["n_leaves"][best]) for best in preferred}:
        yield Mismatch("another choice than the rule's", f"the rule: candidate of {preferred}; {words}")


def squares_of(case: Case, result: Any, rows: list[int], whole: Fraction) -> float:
    """Minus the mean squared error of a tree on some rows, as a share of the variance of all rows."""
    found = FoundRegression(case, result)
    nodes, table = found.walker.content["nodes"], case.rows
    total, lost = Fraction(0), Fraction(0)
    for i in rows:
        weight = Fraction(1) if case.weight is None else Fraction(float(case.weight[i]))
        said = Fraction(nodes[found.walker.leaf_of(table[i])]["value"][0])
        lost += weight * (Fraction(float(case.y[i])) - said) ** 2
        total += weight
    return -float(lost / total / whole) if total and whole else 0.0
