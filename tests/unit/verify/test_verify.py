"""The checker accepts what is true and finds every lie."""

from __future__ import annotations

import subprocess
import sys
import time
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from made_trees import COLUMNS, make_rows, make_tree
from treewright import OptimalTreeClassifier
from treewright.errors import InputError
from treewright.problem import Problem, make_problem
from treewright.result import SolveResult, SolveStatus, StopReason
from treewright.search import solve, solve_leaf_accuracy
from treewright.table import Table, table_from
from treewright.tree import CategorySplit, LinearSplit, ThresholdSplit, grow
from treewright.verify import verify
from treewright.verify._facts import Facts
from treewright.verify._route import goes_right, rows_of_nodes
from treewright.verify._subtrees import Objective, best_pruning, best_subtree


def make_case(seed=0, n_leaves=6, cost_complexity=0.0, n_rows=120, **limits):
    made = make_tree(seed, n_leaves, n_rows=n_rows)
    problem = Problem(
        table=Table(COLUMNS, made.X),
        y=made.y,
        classes=made.tree.classes,
        sample_weight=made.weight,
        costs=made.costs,
        cost_complexity=cost_complexity,
        **limits,
    )
    leaf = np.flatnonzero(made.tree.is_leaf)
    paid = sum(made.tree.value[k] @ made.costs[:, made.tree.prediction[k]] for k in leaf)
    loss = float(paid / made.weight.sum())
    result = SolveResult(
        tree=made.tree,
        status=SolveStatus.FEASIBLE,
        objective=loss + cost_complexity * len(leaf),
        lower_bound=0.0,
        loss=loss,
        scope="all thresholds and all single categories against the rest",
        stop_reason=StopReason.STEP_LIMIT,
        options={"cost_complexity": cost_complexity},
    )
    return problem, result


LAW = "no subtree is better"  # what a search keeps and a made tree may break
SIDE = "side of missing values"  # made trees have any
MADE = {LAW, "scope"}  # no scope names linear splits and groups of categories


def failures(problem, claim, law=False):
    report = verify(problem, claim)
    text = str(report)
    assert ("NOT verified" in text) == (not report.ok)
    for check in report.failed:
        assert check.message
        assert f"FAIL  {check.name}" in text
    return {check.name for check in report.failed} - {SIDE} - (set() if law else MADE)


@given(seed=st.integers(0, 10**6), n_leaves=st.integers(1, 9))
def test_truth_is_accepted(seed, n_leaves):
    problem, result = make_case(seed, n_leaves)
    empty = (result.tree.n_node_samples[result.tree.is_leaf] == 0).any()
    assert failures(problem, result) == ({"min_samples_leaf"} if empty else set())


@given(seed=st.integers(0, 10**6), n_leaves=st.integers(1, 12))
def test_routes_equal_apply(seed, n_leaves):
    tree = make_tree(seed, n_leaves).tree
    rows = make_rows(np.random.default_rng(seed), 50)
    passed = rows_of_nodes(tree, rows)
    leaf = tree.apply(rows)
    for node in np.flatnonzero(tree.is_leaf):
        np.testing.assert_array_equal(np.sort(passed[node]), np.flatnonzero(leaf == node))
    assert len(passed[0]) == 50


def full_case():
    """A tree all of whose leaves hold rows, so that every part of it matters."""
    for seed in range(1000):
        problem, result = make_case(seed, 5)
        if result.tree.n_node_samples.min() >= 3 and isinstance(result.tree.splits[0], ThresholdSplit):
            return problem, result
    raise AssertionError("no such tree")


def with_array(tree, name, place, value):
    array = getattr(tree, name).copy()
    array[place] = value
    return replace(tree, **{name: array})


def test_changed_threshold_is_found():
    problem, result = full_case()
    for node, split in enumerate(result.tree.splits):
        if isinstance(split, ThresholdSplit) and split.column < 2:
            splits = list(result.tree.splits)
            splits[node] = replace(split, threshold=-10.0)
            found = failures(problem, replace(result, tree=replace(result.tree, splits=tuple(splits))))
            assert "rows in each node" in found


@pytest.mark.parametrize("seed", range(15))
def test_any_changed_split_that_moves_rows_is_found(seed):
    problem, result = make_case(seed, 6)
    tree = result.tree
    before = tree.apply(problem.table.X)
    moved = 0
    for node, split in enumerate(tree.splits):
        if split is None:
            continue
        changes = [replace(split, missing_left=not split.missing_left)]
        if isinstance(split, CategorySplit):
            n = len(COLUMNS[split.column].categories)
            changes.append(replace(split, left=tuple(set(range(n)) - set(split.left))))
        elif isinstance(split, LinearSplit):
            changes.append(replace(split, weights=tuple(-w for w in split.weights)))
        else:
            changes.append(replace(split, threshold=split.threshold - 1.0))
        for change in changes:
            other = replace(tree, splits=(*tree.splits[:node], change, *tree.splits[node + 1 :]))
            after = other.apply(problem.table.X)
            same_counts = np.array_equal(
                np.bincount(before, minlength=tree.node_count), np.bincount(after, minlength=tree.node_count)
            )
            if same_counts:
                continue
            moved += 1
            assert "rows in each node" in failures(problem, replace(result, tree=other))
    assert moved or tree.node_count == 1


def test_changed_leaf_label_is_found():
    problem, result = full_case()
    tree = result.tree
    for node in np.flatnonzero(tree.is_leaf):
        for label in range(3):
            if tree.value[node, label] < tree.value[node].max():
                lie = with_array(tree, "prediction", node, label)
                found = failures(problem, replace(result, tree=lie))
                assert found == {"cheapest label in each node", "loss", "objective"}


def test_changed_count_and_weight_are_found():
    problem, result = full_case()
    for node in range(result.tree.node_count):
        lie = with_array(result.tree, "n_node_samples", node, result.tree.n_node_samples[node] + 1)
        assert failures(problem, lie) == {"rows in each node"}
        lie = with_array(result.tree, "value", (node, 1), result.tree.value[node, 1] + 1)
        assert failures(problem, lie) == {"class weights in each node"}


def test_changed_numbers_of_the_result_are_found():
    problem, result = full_case()
    assert failures(problem, replace(result, objective=result.objective - 1e-6)) == {"objective"}
    assert failures(problem, replace(result, loss=result.loss + 1e-6)) == {"loss"}
    high = replace(result, lower_bound=result.objective + 1e-6)
    assert "lower_bound <= objective" in failures(problem, high)
    assert failures(problem, replace(result, options={"cost_complexity": 0.5})) == {"question"}


def test_a_bound_that_a_pruning_beats_is_found():
    problem, result = make_case(3, 8, cost_complexity=0.2)  # leaves so dear that a stump is far better
    assert failures(problem, result) <= {"min_samples_leaf"}
    lie = replace(result, lower_bound=result.objective - 1e-3)
    assert "no pruning is better" in failures(problem, lie)
    lie = replace(result, status=SolveStatus.OPTIMAL, stop_reason=None, lower_bound=result.objective)
    assert "no pruning is better" in failures(problem, lie)


def test_status_must_agree_with_the_gap():
    problem, result = full_case()
    claimed = replace(result, status=SolveStatus.OPTIMAL, stop_reason=None, lower_bound=result.objective)
    assert failures(problem, claimed) == set()
    assert failures(problem, replace(claimed, lower_bound=result.objective - 1e-6)) == {"status"}
    assert failures(problem, replace(claimed, stop_reason=StopReason.TIME_LIMIT)) == {"status"}


def test_constraints():
    problem, result = full_case()
    tree = result.tree
    smallest = int(tree.n_node_samples[tree.is_leaf].min())
    tight = replace(problem, max_depth=tree.depth, max_leaf_nodes=5, min_samples_leaf=smallest)
    assert failures(tight, tree) == set()
    assert failures(replace(problem, max_depth=tree.depth - 1), tree) == {"max_depth"}
    assert failures(replace(problem, max_leaf_nodes=4), tree) == {"max_leaf_nodes"}
    assert failures(replace(problem, min_samples_leaf=smallest + 1), tree) == {"min_samples_leaf"}


def test_cost_matrix_decides_the_labels():
    made = make_tree(9, 5, n_rows=200)
    costs = np.array([[0.0, 10.0, 10.0], [0.1, 0.0, 1.0], [0.1, 1.0, 0.0]])
    plain = 1.0 - np.eye(3)
    dear = grow(COLUMNS, made.tree.classes, made.tree.splits, made.X, made.y, made.weight, costs)
    assert not np.array_equal(dear.prediction, made.tree.prediction)
    table = Table(COLUMNS, made.X)
    problem = Problem(
        table=table,
        y=made.y,
        classes=made.tree.classes,
        sample_weight=made.weight,
        costs=costs,
        cost_complexity=0.0,
    )
    assert "cheapest label in each node" not in failures(problem, dear)
    assert "cheapest label in each node" in failures(problem, made.tree)
    assert "cheapest label in each node" in failures(replace(problem, costs=plain), dear)


def test_broken_arrays_are_reported_and_do_not_hang():
    problem, result = full_case()
    tree = result.tree
    lies = [
        with_array(tree, "children_left", 0, 0),
        with_array(tree, "children_right", 0, 1),
        with_array(tree, "children_right", 0, 10**6),
        with_array(tree, "value", (0, 0), np.nan),
        replace(tree, splits=tree.splits[:-1]),
        replace(tree, splits=()),
        replace(tree, splits=(None, *tree.splits[1:])),
        replace(tree, n_node_samples=tree.n_node_samples[:-1]),
    ]
    for lie in lies:
        assert "structure" in failures(problem, lie)
    assert "splits" in failures(problem, with_array(tree, "prediction", 1, 3))
    for bad in (
        ThresholdSplit(99, 0.5),
        ThresholdSplit(-1, 0.5),
        CategorySplit(0, (1,)),
        CategorySplit(4, (9,)),
    ):
        assert "splits" in failures(problem, replace(tree, splits=(bad, *tree.splits[1:])))


def test_other_tables_are_reported():
    problem, result = full_case()
    columns = (replace(COLUMNS[0], name="years"), *COLUMNS[1:])
    assert failures(replace(problem, table=Table(columns, problem.table.X)), result) == {"columns"}
    assert failures(replace(problem, classes=np.array(["a", "b", "c"])), result) == {"classes"}
    X = problem.table.X.copy(order="F")
    X[:, 0] = X[::-1, 0]
    assert not verify(replace(problem, table=Table(COLUMNS, X)), result).ok
    weight = problem.sample_weight * 2
    assert "class weights in each node" in failures(replace(problem, sample_weight=weight), result)


def test_wrong_argument():
    problem, _ = make_case()
    with pytest.raises(InputError, match="SolveResult"):
        verify(problem, "tree")


def test_report_reads_well():
    problem, result = full_case()
    text = str(verify(problem, result))
    assert text.splitlines()[0].split() == ["check", "claimed", "found"]
    assert "checks hold." in text
    assert "Not checked: that no better tree exists." in text
    assert "no better tree" not in str(verify(problem, result.tree))


@settings(max_examples=20)
@given(seed=st.integers(0, 10**6))
def test_results_of_the_search_are_verified(seed):
    rng = np.random.default_rng(seed)
    X = make_rows(rng, 40)
    y = rng.integers(0, 3, 40)
    weight = rng.integers(1, 4, 40)
    model = OptimalTreeClassifier(0.02, max_depth=3, min_samples_leaf=2, step_limit=20_000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y, weight)
    problem = make_problem(
        table_from(X), y, sample_weight=weight, cost_complexity=0.02, max_depth=3, min_samples_leaf=2
    )
    assert failures(problem, model.result_) == set()


def test_imports_no_method_and_no_core():
    code = (
        "import sys, treewright.verify;"
        "sys.exit(any(m in sys.modules for m in ('treewright._native', 'treewright.search', 'sklearn')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def grown(problem, splits):
    table = problem.table
    return grow(
        table.columns, problem.classes, splits, table.X, problem.y, problem.sample_weight, problem.costs
    )


def test_a_tree_that_is_worse_than_one_of_its_sides_is_found():
    """A root that only costs a leaf: its right side in place of the whole is better, no pruning is."""
    rng = np.random.default_rng(0)
    X = np.column_stack([np.arange(100) < 20, rng.integers(0, 2, 100)]).astype(float)
    y = X[:, 1].astype(int)
    y[:3] = 1 - y[:3]
    problem = make_problem(table_from(X), y, cost_complexity=0.01)
    below = [ThresholdSplit(1, 0.5), None, None]
    tree = grown(problem, [ThresholdSplit(0, 0.5), *below, *below])
    loss = 0.03
    result = SolveResult(
        tree=tree,
        status=SolveStatus.FEASIBLE,
        objective=loss + 0.04,
        lower_bound=0.0,
        loss=loss,
        scope="all splits of the 0/1 columns",
        stop_reason=StopReason.TIME_LIMIT,
        options={"cost_complexity": 0.01},
    )
    assert failures(problem, result, law=True) == {LAW}
    lie = replace(result, status=SolveStatus.OPTIMAL, stop_reason=None, lower_bound=0.07)
    assert failures(problem, lie, law=True) == {LAW}
    side = grown(problem, below)
    better = replace(result, tree=side, objective=loss + 0.02)
    assert failures(problem, better, law=True) == set()


@pytest.mark.parametrize("seed", range(20))
def test_the_best_subtree_is_found(seed):
    """The two passes agree with making every tree that can be cut out."""
    problem, result = make_case(seed, 6, cost_complexity=0.01 * (seed % 4))
    facts = Facts.of(problem, result.tree)
    price = problem.cost_complexity

    def costs(weight):
        return (weight @ problem.costs).min(axis=1) / problem.total_weight + price

    def cheapest(node, rows):
        """Of all trees cut out of the subtree at a node, for these rows; rows of a moved side move once."""
        leaf = float(costs(weights(rows))[0])
        split = result.tree.splits[node]
        if split is None:
            return leaf
        left, right = result.tree.children_left[node], result.tree.children_right[node]
        goes = goes_right(split, problem.table.X, rows)
        return min(leaf, cheapest(left, rows[~goes]) + cheapest(right, rows[goes]))

    def weights(rows):
        return np.bincount(problem.y[rows], problem.sample_weight[rows], minlength=problem.n_classes)[None, :]

    best = np.inf
    tree = result.tree
    everything = np.arange(problem.table.n_rows)
    for child in [0] if tree.splits[0] is None else [0, tree.children_left[0], tree.children_right[0]]:
        best = min(best, cheapest(child, everything))
    found = best_subtree(problem, tree, facts, Objective(costs, lambda a, b: a + b))
    assert found <= best + 1e-12
    assert best_pruning(tree, facts, Objective(costs, lambda a, b: a + b)) == pytest.approx(
        cheapest(0, everything), abs=1e-12
    )


@pytest.mark.clock
def test_a_long_chain_is_checked_in_time():
    """The work grows with rows times depth squared at most, not with nodes times rows times depth."""
    n = 300
    X = np.arange(n, dtype=float)[:, None]
    splits = [split for k in range(n - 1) for split in (ThresholdSplit(0, k + 0.5), None)]
    problem = make_problem(table_from(X), np.arange(n) % 2, cost_complexity=0.0)
    tree = grown(problem, [*splits, None])
    result = SolveResult(
        tree, SolveStatus.OPTIMAL, 0.0, 0.0, 0.0, "all thresholds", options={"cost_complexity": 0}
    )
    before = time.process_time()
    assert failures(problem, result, law=True) == set()
    assert time.process_time() - before < 10


@pytest.mark.parametrize("cost", [1e8, 1e10, 1e15])
def test_large_costs_are_compared_by_the_rounding_of_their_sums(cost):
    """Real weights are added up in another order here; a claim that is off by more than that is still found."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        problem = make_problem(
            table_from(rng.normal(size=(80, 3))),
            rng.integers(0, 2, 80),
            cost_complexity=0.01,
            max_depth=2,
            sample_weight=rng.random(80),
            costs=[[0, cost], [3 * cost, 0]],
        )
        result = solve(problem)
        assert verify(problem, result).ok
        false = replace(result, objective=result.objective * (1 - 1e-11))
        assert "objective" in {check.name for check in verify(problem, false).checks if not check.ok}


def asks_x0_first(best, problem):
    """The tree that asks x0, and on its left side what the tree `best` asks at its root."""
    root = best.tree.splits[0]
    splits = [replace(root, column=0), root, None, None, None]
    return grow(
        problem.table.columns, problem.classes, splits, problem.table.X, problem.y, problem.sample_weight,
        problem.costs,
    )  # fmt: skip


def test_a_worst_leaf_that_a_subtree_refutes_is_found():
    X = np.array([[x0, x1] for x0 in (0, 1) for x1 in (0, 1) for _ in range(6)], dtype=float)
    problem = make_problem(table_from(X), X[:, 1].astype(int), max_depth=2)
    best = solve_leaf_accuracy(problem, criterion="accuracy")
    worse = replace(
        best,
        tree=asks_x0_first(best, problem),
        status=SolveStatus.FEASIBLE,
        objective=0.5,
        lower_bound=0.5,
        loss=0.25,
        stats={**best.stats, "value_proven": False, "loss_proven": False, "leaf_accuracy": 0.5},
    )
    assert failures(problem, worse, law=True) == {LAW}  # x1 alone is right everywhere


def test_fewest_errors_that_a_subtree_refutes_are_found():
    """A worst leaf as good with fewer errors: x1 alone has 8 errors, the tree that asks x0 first has 10."""
    of_one = [(0, "a")] * 6 + [(0, "b")] * 4 + [(1, "b")] * 5
    X = np.array([[x0, x1] for x0 in (0, 1) for x1, _ in of_one], dtype=float)
    labels = [label for _ in (0, 1) for _, label in of_one]
    problem = make_problem(table_from(X), labels, max_depth=2)
    best = solve_leaf_accuracy(problem, criterion="accuracy")
    assert (best.objective, best.loss, best.stats["loss_proven"]) == (0.6, 8 / 30, True)
    assert verify(problem, best).ok
    worse = replace(best, tree=asks_x0_first(best, problem), loss=10 / 30)
    assert failures(problem, worse) == {"no subtree has a smaller loss"}
    modest = replace(worse, stats={**best.stats, "loss_proven": False}, status=SolveStatus.FEASIBLE)
    assert not failures(problem, modest)
