"""The attack itself: the oracle against plain enumeration of trees, and that comparisons notice what is wrong."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from attack.case import Case
from attack.checks import Found, check_result, predicts_alike
from attack.exact import Stated
from attack.files import mutated_files, tampered, verified
from attack.generate import random_case
from attack.leaf_checks import compare_leaf
from attack.oracle import Oracle
from attack.shrink import shrink, smaller_cases
from attack.splits import left_sets


def every_tree(
    rows: frozenset[int], lefts: list[frozenset[int]], depth: int
) -> set[frozenset[frozenset[int]]]:
    """Every tree over these rows, as the set of its leaves."""
    trees = {frozenset([rows])}
    if depth:
        for left in lefts:
            a, b = rows & left, rows - left
            if a and b:
                trees |= {
                    x | y for x in every_tree(a, lefts, depth - 1) for y in every_tree(b, lefts, depth - 1)
                }
    return trees


@pytest.mark.parametrize("seed", range(60))
def test_oracle_equals_enumeration(seed):
    rng = np.random.default_rng(seed)
    case = random_case(rng, {"optimal": 0.5, "min_leaf_accuracy": 0.5})
    kept = list(range(min(6, case.n_rows)))
    case = Case(
        "optimal",
        {name: [values[i] for i in kept] for name, values in case.columns.items()},
        [case.y[i] for i in kept],
        None if case.weight is None else [case.weight[i] + 1 for i in kept],
        {
            "cost_complexity": 0.03,
            "max_depth": 2,
            "min_samples_leaf": 1 + seed % 2 * (len(kept) > 1),
            "max_leaf_nodes": 2 + seed % 3,
        },
    )
    stated, oracle = Stated(case), Oracle(case)
    lefts = [
        frozenset(i for i in range(len(stated.kept)) if s >> i & 1) for s in left_sets(case, stated.kept)
    ]
    trees = [
        tree
        for tree in every_tree(frozenset(range(len(stated.kept))), lefts, 2)
        if all(len(leaf) >= stated.min_samples_leaf for leaf in tree)
    ]
    losses = [(sum(stated.cheapest_label(list(leaf)) for leaf in tree), len(tree)) for tree in trees]
    price = stated.leaf_penalty
    assert _same(oracle.cheapest(), losses, price)
    within = [(loss, n) for loss, n in losses if n <= case.options["max_leaf_nodes"]]
    assert _same(oracle.optimum(), within, price)
    for k, loss in enumerate(oracle.by_leaves(4), 1):
        assert loss == min((value for value, n in losses if n == k), default=None)
    value, exactly, cheapest = oracle.best_worst_leaf()
    worst = {tree: min(_accuracy(stated, leaf) for leaf in tree) for tree in trees}
    assert exactly == max(worst.values())
    assert value == pytest.approx(float(exactly), abs=1e-15)
    best = [tree for tree in trees if worst[tree] == exactly]
    assert _same(
        cheapest, [(sum(stated.cheapest_label(list(leaf)) for leaf in t), len(t)) for t in best], price
    )


def _same(answer, losses, price):
    return (answer.objective, answer.leaves) == min((loss + price * n, n) for loss, n in losses)


def _accuracy(stated: Stated, leaf: frozenset[int]) -> Fraction:
    weights, _ = stated.whole_weights  # decimals as what they stand for
    by_class: dict[int, int] = {}
    for i in leaf:
        by_class[stated.labels[i]] = by_class.get(stated.labels[i], 0) + weights[i]
    return Fraction(max(by_class.values()), sum(by_class.values()))


@pytest.fixture(scope="module")
def found() -> Found:
    case = Case(
        "optimal",
        {"a": [0, 1, 2, 3, 4, 5, None, 1], "b": ["x", "y", None, "x", "z", "z", "y", "x"]},
        [0, 1, 0, 1, 1, 0, 1, 1],
        None,
        {"cost_complexity": 0.01, "max_depth": 2},
    )
    return Found(case, case.run().result_)


def laws_broken(found: Found, **changes: object) -> set[str]:
    best = Oracle(found.case).optimum()
    assert best is not None
    return {m.law for m in check_result(Found(found.case, replace(found.result, **changes)), best)}  # type: ignore[arg-type]


def test_a_true_answer_passes(found):
    assert not laws_broken(found)
    assert not list(verified(found))


def test_wrong_claims_are_noticed(found):
    assert "the objective is not the tree's" in laws_broken(found, objective=found.result.objective - 0.01)
    above = float(Oracle(found.case).optimum().objective) + 1e-6
    assert "the lower bound is above the optimum" in laws_broken(found, lower_bound=above)


def test_a_worse_tree_called_optimal_is_noticed(found):
    from treewright import OptimalTreeClassifier

    worse = OptimalTreeClassifier(0.01, max_depth=0).fit(found.case.frame(), list(found.case.y)).result_
    assert "false optimal" in laws_broken(
        found, tree=worse.tree, objective=worse.objective, lower_bound=worse.objective
    )


def test_a_wrong_prediction_is_noticed(found):
    model = found.case.run()
    assert not list(predicts_alike(found.case, model, found))
    model.tree_ = found.case.but(y=[1 - v for v in found.case.y]).run().tree_
    assert list(predicts_alike(found.case, model, found))


def test_damaged_files_are_refused(found):
    assert not [m for seed in range(50) for m in mutated_files(found, seed)]


def test_tampered_certificates_are_noticed(found):
    assert not [m for seed in range(60) for m in tampered(found, seed)]


def test_shrinking_keeps_the_mismatch_and_drops_the_rest():
    case = random_case(np.random.default_rng(3), {"optimal": 1.0})
    small = shrink(case, lambda c: c.n_rows >= 2 and len(set(c.y)) >= 1, 5.0, smaller_cases)
    assert small.n_rows <= 3
    assert not small.options
    assert small.weight is None


def test_cases_are_the_same_in_every_process():
    script = random_case(np.random.default_rng(12)).script("x")
    assert random_case(np.random.default_rng(12)).script("x") == script


def test_a_better_worst_leaf_may_take_more_leaves():
    """Of weights from .1 to 3e9: 40000000020/40000000021 with five leaves, 40000000010/40000000011 with four."""
    big = 1e9
    case = Case(
        "leaf",
        {
            "c0": (2.0, 3.0, 0.0, 4.0, 3.0, 1.0, 3.0, 5.0, 1.0, 1.0, 5.0),
            "c1": (None, 3.0, None, 2.0, 1.0, 3.0, 3.0, 0.0, 3.0, 0.0, None),
        },
        (True, False, False, False, True, True, False, True, False, False, False),
        (1.0, 1.0, 2 * big, 3 * big, 1.0, 1.0, big, 1.0, 1.0, 2 * big, 1.0),
        {"class_weight": {False: 1.0, True: 0.1}, "confidence": 0.5, "min_samples_leaf": 1},
    )
    model = case.run()
    assert model.tree_.n_leaves == 5
    assert list(compare_leaf(case, model)) == []
