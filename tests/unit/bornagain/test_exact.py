"""The dynamic program against plain recursion over all boxes, and its laws."""

import os
import signal
import time
from dataclasses import replace

import numpy as np
import pytest

from born_again_oracle import Brute, all_cells, ensemble_of_grid, random_ensemble
from treewright._native import core
from treewright.bornagain import solve
from treewright.result import SolveStatus, StopReason
from treewright.verify import check_faithful

KINDS = [
    ("hard", 2, False),
    ("hard", 3, False),
    ("hard", 2, True),
    ("soft", 3, False),
    ("soft", 2, True),
    ("score", 2, False),
    ("softmax", 3, True),
]


@pytest.mark.parametrize(("vote", "n_classes", "missing"), KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_optimal_sizes_equal_plain_recursion(vote, n_classes, missing, seed):
    ensemble = random_ensemble(seed, vote=vote, n_classes=n_classes, missing=missing)
    brute = Brute(ensemble)
    least_depth, fewest_leaves = brute.depth(brute.whole), brute.leaves(brute.whole)
    within = brute.leaves_within(brute.whole, least_depth)
    by_depth = solve(ensemble, objective="depth")
    by_leaves = solve(ensemble, objective="leaves")
    by_both = solve(ensemble, objective="depth-leaves")
    assert by_depth.tree.depth == least_depth == by_depth.lower_bound
    assert by_leaves.tree.n_leaves == fewest_leaves == by_leaves.lower_bound
    assert (by_both.tree.depth, by_both.tree.n_leaves) == (least_depth, within)
    cells = all_cells(ensemble)
    for result in (by_depth, by_leaves, by_both, solve(ensemble, objective="heuristic")):
        assert result.tree.n_leaves >= fewest_leaves
        np.testing.assert_array_equal(result.tree.predict(cells), ensemble.predict(cells))
        assert check_faithful(result.tree, ensemble).faithful


@pytest.mark.parametrize("seed", range(6))
def test_objectives_bound_each_other(seed):
    ensemble = random_ensemble(100 + seed, n_features=4, trees=6)
    results = {
        goal: solve(ensemble, objective=goal) for goal in ("depth", "leaves", "depth-leaves", "heuristic")
    }
    assert all(r.status is SolveStatus.OPTIMAL for goal, r in results.items() if goal != "heuristic")
    depth, leaves = results["depth"].tree.depth, results["leaves"].tree.n_leaves
    both = results["depth-leaves"].tree
    assert both.depth == depth <= results["leaves"].tree.depth
    assert leaves <= both.n_leaves <= results["depth"].tree.n_leaves
    assert depth <= ensemble.depth  # Theorem 2


@pytest.mark.parametrize("limit", [core.Simd.PLAIN, core.Simd.AVX2, core.Simd.AVX512])
def test_all_instruction_sets_agree(limit):
    ensembles = [random_ensemble(seed, n_features=5, trees=6, vote="hard", n_classes=3) for seed in range(3)]
    expected = [[solve(e, objective=g) for g in ("depth", "leaves", "depth-leaves")] for e in ensembles]
    core.set_simd_limit(limit)
    try:
        for e, results in zip(ensembles, expected, strict=True):
            for result in results:
                again = solve(e, objective=result.options["objective"])
                assert again.tree.splits == result.tree.splits
                np.testing.assert_array_equal(again.tree.prediction, result.tree.prediction)
    finally:
        core.set_simd_limit(core.Simd.AVX512)


def test_published_recursion_for_depth_then_leaves_is_not_optimal():
    """Algorithm 3 keeps only the best (depth, leaves) of each half; a shallow half could save leaves."""
    ensemble = ensemble_of_grid(
        [[0, 1, 1, 0, 1], [1, 1, 0, 0, 1], [0, 1, 0, 0, 1], [1, 1, 1, 0, 1], [0, 1, 0, 0, 0]]
    )
    brute = Brute(ensemble)
    assert brute.published_depth_leaves(brute.whole) == (5, 13)
    assert (brute.depth(brute.whole), brute.leaves_within(brute.whole, 5)) == (5, 12)
    tree = solve(ensemble, objective="depth-leaves").tree
    assert (tree.depth, tree.n_leaves) == (5, 12)


@pytest.mark.parametrize("seed", range(8))
def test_random_grids_with_many_levels(seed):
    rng = np.random.default_rng(seed)
    shape = [(9, 7), (12, 6), (4, 4, 3), (2, 3, 2, 3)][seed % 4]
    ensemble = ensemble_of_grid((rng.random(shape) < 0.3).astype(int) + (rng.random(shape) < 0.1))
    brute = Brute(ensemble)
    depth = brute.depth(brute.whole)
    assert solve(ensemble, objective="depth").tree.depth == depth
    assert solve(ensemble, objective="leaves").tree.n_leaves == brute.leaves(brute.whole)
    both = solve(ensemble, objective="depth-leaves").tree
    assert (both.depth, both.n_leaves) == (depth, brute.leaves_within(brute.whole, depth))


@pytest.mark.parametrize("d", [1, 2, 3, 5, 8])
def test_theorem_2_is_tight(d):
    """d stumps on d columns and d - 1 constant trees: the sum of depths is reached."""
    from treewright.convert import Ensemble, EnsembleTree

    def stump(f):
        return EnsembleTree(
            np.array([f, -1, -1], dtype=np.int32),
            np.zeros(3),
            np.array([1, 0, 0], dtype=np.int32),
            np.array([2, 0, 0], dtype=np.int32),
            np.array([[0.0], [0.0], [1.0]]),
            np.zeros(3, dtype=np.bool_),
        )

    constant = EnsembleTree(
        np.array([-1], dtype=np.int32),
        np.zeros(1),
        np.zeros(1, dtype=np.int32),
        np.zeros(1, dtype=np.int32),
        np.ones((1, 1)),
        np.zeros(1, dtype=np.bool_),
    )
    ensemble = Ensemble.hard_vote([stump(f) for f in range(d)] + [constant] * (d - 1), [0, 1], n_features=d)
    assert ensemble.depth == d
    for goal in ("depth", "leaves", "depth-leaves"):
        tree = solve(ensemble, objective=goal).tree
        assert (tree.depth, tree.n_leaves) == (d, d + 1)
        assert check_faithful(tree, ensemble).faithful


def satisfiable(clauses, n):
    return any(
        all(any((x >> abs(v) - 1 & 1) == (v > 0) for v in clause) for clause in clauses) for x in range(2**n)
    )


@pytest.mark.parametrize("n_clauses", [5, 20, 30, 40])
@pytest.mark.parametrize("seed", range(3))
def test_theorem_1_reduction_from_3_sat(n_clauses, seed):
    """k clause trees, k - 1 trees that vote False: one leaf False exactly if there is no solution."""
    from treewright.convert import Ensemble, EnsembleTree

    rng = np.random.default_rng(seed)
    n = 6
    clauses = [
        [int(v) * (1 if rng.random() < 0.5 else -1) for v in rng.choice(n, 3, replace=False) + 1]
        for _ in range(n_clauses)
    ]

    def clause_tree(clause):
        nodes = []

        def grow(level, true):
            i = len(nodes)
            leaf = level == 3
            nodes.append([-1 if leaf else abs(clause[level]) - 1, 0.5, 0, 0, [float(true)]])
            if not leaf:
                nodes[i][2] = grow(level + 1, true or clause[level] < 0)
                nodes[i][3] = grow(level + 1, true or clause[level] > 0)
            return i

        grow(0, False)
        feature, threshold, left, right, value = zip(*nodes, strict=True)
        return EnsembleTree(
            np.array(feature, dtype=np.int32),
            np.array(threshold),
            np.array(left, dtype=np.int32),
            np.array(right, dtype=np.int32),
            np.array(value),
            np.zeros(len(nodes), dtype=np.bool_),
        )

    def never():
        return EnsembleTree(
            np.array([-1], dtype=np.int32),
            np.zeros(1),
            np.zeros(1, dtype=np.int32),
            np.zeros(1, dtype=np.int32),
            np.zeros((1, 1)),
            np.zeros(1, dtype=np.bool_),
        )

    trees = [clause_tree(c) for c in clauses] + [never() for _ in range(n_clauses - 1)]
    ensemble = Ensemble.hard_vote(trees, [False, True], n_features=n)
    for goal in ("depth", "leaves", "depth-leaves", "heuristic"):
        tree = solve(ensemble, objective=goal).tree
        only_false = tree.n_leaves == 1 and not tree.predict(np.zeros((1, n)))[0]
        assert only_false == (not satisfiable(clauses, n))


def test_both_answers_of_3_sat_are_tested():
    found = set()
    for n_clauses in (5, 40):
        for seed in range(3):
            rng = np.random.default_rng(seed)
            clauses = [
                [int(v) * (1 if rng.random() < 0.5 else -1) for v in rng.choice(6, 3, replace=False) + 1]
                for _ in range(n_clauses)
            ]
            found.add(satisfiable(clauses, 6))
    assert found == {True, False}


@pytest.mark.parametrize("steps", [1, 30, 200, 1000])
@pytest.mark.parametrize("goal", ["depth", "leaves", "depth-leaves"])
def test_a_step_limit_leaves_a_faithful_tree_and_true_bounds(steps, goal):
    ensemble = random_ensemble(5, n_features=6, trees=8)
    full = solve(ensemble, objective=goal)
    depth, leaves = (
        solve(ensemble, objective="depth").objective,
        solve(ensemble, objective="leaves").objective,
    )
    part = solve(ensemble, objective=goal, step_limit=steps)
    assert check_faithful(part.tree, ensemble).faithful
    assert part.lower_bound <= full.objective <= part.objective or part.tree.depth > full.tree.depth
    assert part.stats["depth_lower_bound"] <= depth
    if goal != "depth-leaves":
        assert part.stats["leaves_lower_bound"] <= leaves
    if part.status is not SolveStatus.OPTIMAL:
        assert part.stop_reason is StopReason.STEP_LIMIT


def test_a_memory_limit_falls_back_to_the_heuristic():
    ensemble = random_ensemble(1, n_features=9, trees=14)
    assert solve(ensemble, objective="leaves").stats["bytes"] > 2**20
    result = solve(ensemble, objective="leaves", memory_limit=2**20, exact_boxes=1e3)
    assert result.stop_reason is StopReason.MEMORY_LIMIT
    assert any("Raise memory_limit" in note for note in result.notes)
    assert result.status is SolveStatus.FEASIBLE
    assert check_faithful(result.tree, ensemble).faithful
    assert result.lower_bound <= solve(ensemble, objective="leaves").objective <= result.objective


def test_progress_can_stop_a_run_and_sees_its_phase():
    ensemble = random_ensemble(7, n_features=8, trees=12)
    seen = []

    def stop(progress):
        seen.append(progress.phase)
        return progress.phase == "exact"

    result = solve(ensemble, objective="leaves", progress=stop)
    assert "exact" in seen
    assert check_faithful(result.tree, ensemble).faithful


def test_one_decision_everywhere_is_one_leaf():
    ensemble = ensemble_of_grid(np.ones((3, 3), dtype=int))
    for goal in ("depth", "leaves", "depth-leaves", "heuristic"):
        result = solve(ensemble, objective=goal)
        assert (result.tree.depth, result.tree.n_leaves) == (0, 1)
        assert result.status is SolveStatus.OPTIMAL


def test_node_counts_follow_the_given_rows():
    ensemble = random_ensemble(3)
    X = all_cells(ensemble)
    tree = solve(ensemble, X=X).tree
    assert tree.n_node_samples[0] == len(X)
    labels = ensemble.predict_index(X)
    np.testing.assert_array_equal(tree.value[0], np.bincount(labels, minlength=2))


def test_ctrl_c_ends_a_run_with_its_best_tree():
    ensemble = random_ensemble(3, n_features=9, trees=14)  # takes many seconds when left alone

    def press(progress):
        if progress.phase == "exact":  # the first tree is there
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # a shell's background job ignores SIGINT
    try:
        result = solve(ensemble, objective="leaves", progress=press)
    finally:
        signal.signal(signal.SIGINT, before)
    assert result.stop_reason is StopReason.INTERRUPT
    assert result.status is SolveStatus.FEASIBLE
    assert check_faithful(result.tree, ensemble).faithful
    assert 1 < result.lower_bound <= result.objective


@pytest.mark.clock
def test_a_time_limit_is_kept():
    ensemble = random_ensemble(3, n_features=9, trees=14)
    start = time.process_time()
    result = solve(ensemble, objective="depth-leaves", time_limit=3.0)
    assert time.process_time() - start < 3.5
    assert result.stop_reason is StopReason.TIME_LIMIT
    assert check_faithful(result.tree, ensemble).faithful


@pytest.mark.parametrize("size", [2**48, 2**50, 2**51, 2**52])
def test_ties_of_huge_scores(size):
    """Whole scores, up to where differences of two of them pass what double precision holds."""
    rng, ties = np.random.default_rng(size % 1009), 0
    for seed in range(6):
        ensemble = random_ensemble(seed, vote="soft", n_classes=3, trees=3)
        values = rng.choice([-size, 0, size, size - 1], (3, 64, 3)).astype(float)
        trees = [
            replace(tree, value=own[: len(tree.feature)])
            for tree, own in zip(ensemble.trees, values, strict=True)
        ]
        ensemble = replace(ensemble, trees=tuple(trees), bias=np.zeros(3), divisor=1.0)
        assert ensemble.is_exact == (sum(np.abs(tree.value).max() for tree in trees) < 2**52)
        cells = all_cells(ensemble)
        scores = np.sort(ensemble.scores(cells), axis=1)
        ties += int((scores[:, -1] == scores[:, -2]).sum())
        for objective in ("leaves", "heuristic"):
            tree = solve(ensemble, objective=objective).tree
            np.testing.assert_array_equal(tree.predict(cells), ensemble.predict(cells))
            assert check_faithful(tree, ensemble).faithful
    assert ties > 0
