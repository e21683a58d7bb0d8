"""Pruning by data against slow twins: section 4.4 of the paper, and the fewest leaves that can survive."""

import dataclasses
from functools import lru_cache

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from born_again_oracle import Brute, all_cells, random_ensemble
from treewright.bornagain import Ensemble, merged_result, prune, solve, solve_active
from treewright.errors import InputError, SolverError
from treewright.result import SolveStatus, StopReason


def some_rows(ensemble, n, seed=0):
    cells = all_cells(ensemble)
    rng = np.random.default_rng(seed)
    return cells[rng.choice(len(cells), min(n, len(cells)), replace=False)]


def fewest_surviving(ensemble, X):
    """P of the design: plain recursion over sets of rows, homogeneity by looking at all cells of the box."""
    brute = Brute(ensemble)
    shape = brute.labels.shape
    flat = {tuple(row): i for i, row in enumerate(all_cells(ensemble).tolist())}
    cells = np.array([np.unravel_index(flat[tuple(row)], shape) for row in X.tolist()])

    @lru_cache(None)
    def leaves(rows):
        z = cells[list(rows)]
        low, high = z.min(axis=0), z.max(axis=0)
        if brute.homogeneous(tuple(zip(low.tolist(), high.tolist(), strict=True))):
            return 1
        best = len(rows)
        for f in range(z.shape[1]):
            for value in np.unique(z[:, f])[:-1]:
                left = tuple(r for r in rows if cells[r, f] <= value)
                right = tuple(r for r in rows if cells[r, f] > value)
                best = min(best, leaves(left) + leaves(right))
        return best

    return leaves(tuple(range(len(cells))))


@pytest.mark.parametrize("vote", ["hard", "soft", "score"])
@pytest.mark.parametrize("seed", range(6))
def test_active_pruning_equals_plain_recursion(vote, seed):
    ensemble = random_ensemble(seed, vote=vote, n_classes=3 if vote == "soft" else 2)
    X = some_rows(ensemble, 14, seed)
    result = solve_active(ensemble, X)
    assert result.status is SolveStatus.OPTIMAL
    assert result.tree.n_leaves == result.lower_bound == fewest_surviving(ensemble, X)
    np.testing.assert_array_equal(result.tree.predict(X), ensemble.predict(X))
    assert (result.tree.n_node_samples > 0).all()


@pytest.mark.parametrize("seed", range(6))
def test_active_pruning_keeps_the_ensemble_on_the_box_of_each_leaf(seed):
    ensemble = random_ensemble(20 + seed, n_features=3)
    X = some_rows(ensemble, 20, seed)
    tree = solve_active(ensemble, X).tree
    cells = all_cells(ensemble)
    for leaf in np.unique(tree.apply(X)):
        rows = X[tree.apply(X) == leaf]
        inside = ((cells >= rows.min(axis=0)) & (cells <= rows.max(axis=0))).all(axis=1)
        np.testing.assert_array_equal(ensemble.predict(cells[inside]), tree.classes[tree.prediction[leaf]])


@pytest.mark.parametrize("seed", range(6))
def test_no_pruned_faithful_tree_is_smaller_than_active_pruning(seed):
    ensemble = random_ensemble(30 + seed, n_features=4, trees=6)
    X = some_rows(ensemble, 40, seed)
    least = solve_active(ensemble, X).tree.n_leaves
    for goal in ("depth", "leaves", "depth-leaves", "heuristic"):
        tree = solve(ensemble, objective=goal).tree
        assert least <= prune(tree, X, merge=False).n_leaves <= tree.n_leaves


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("missing", [False, True])
def test_pruning_keeps_rows_and_leaves_none_empty(seed, missing):
    ensemble = random_ensemble(40 + seed, missing=missing)
    X = some_rows(ensemble, 12, seed)
    tree = solve(ensemble, objective="depth").tree
    plain, merged = prune(tree, X, merge=False), prune(tree, X)
    for pruned in (plain, merged):
        np.testing.assert_array_equal(pruned.predict(X), tree.predict(X))
        assert (pruned.n_node_samples > 0).all()
        assert set(pruned.splits) <= set(tree.splits)
    cells = all_cells(ensemble)
    np.testing.assert_array_equal(plain.predict(cells), merged.predict(cells))
    assert merged.n_leaves <= plain.n_leaves
    for node in np.flatnonzero(~merged.is_leaf):
        sides = [merged.children_left[node], merged.children_right[node]]
        if merged.is_leaf[sides].all():
            assert merged.prediction[sides[0]] != merged.prediction[sides[1]]


def test_pruning_with_all_cells_changes_nothing():
    ensemble = random_ensemble(8)
    tree = solve(ensemble, objective="leaves").tree
    pruned = prune(tree, all_cells(ensemble))
    assert pruned.splits == tree.splits
    assert solve_active(ensemble, all_cells(ensemble)).tree.n_leaves == tree.n_leaves


def test_more_rows_never_need_fewer_leaves():
    ensemble = random_ensemble(50, n_features=4, trees=6)
    X = some_rows(ensemble, 60)
    sizes = [solve_active(ensemble, X[:n]).tree.n_leaves for n in (1, 5, 15, 30, 60)]
    assert sizes == sorted(sizes)
    assert sizes[0] == 1


def test_a_stopped_run_has_a_tree_and_a_bound():
    ensemble = random_ensemble(1, n_features=9, trees=14)
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.choice(np.append(t, 9.0), 300) for t in ensemble.thresholds])
    full = solve_active(ensemble, X)
    assert full.status is SolveStatus.OPTIMAL
    total = full.stats["steps"]
    stopped, words = 0, []
    for steps in (1, total // 4, total // 2, 3 * total // 4, total - 50):
        try:
            part = solve_active(ensemble, X, step_limit=steps)
        except SolverError as error:
            words.append(str(error))
            continue
        np.testing.assert_array_equal(part.tree.predict(X), ensemble.predict(X))
        assert part.lower_bound <= full.objective <= part.objective
        if part.status is not SolveStatus.OPTIMAL:
            stopped += 1
            assert part.stop_reason is StopReason.STEP_LIMIT
    assert stopped > 0
    assert all("Raise" in message for message in words)


def test_rows_are_checked():
    ensemble = random_ensemble(1)
    tree = solve(ensemble).tree
    with pytest.raises(InputError, match="rows"):
        solve_active(ensemble, np.empty((0, 3)))
    with pytest.raises(InputError, match="shape"):
        prune(tree, np.zeros((3, 2)))
    with pytest.raises(InputError, match="shape"):
        prune(tree, np.zeros((0, 3)))


def test_a_pruned_tree_counts_its_rows():
    ensemble = random_ensemble(8)
    X = some_rows(ensemble, 10)
    tree = prune(solve(ensemble).tree, X)
    assert tree.n_node_samples[0] == 10
    assert dataclasses.is_dataclass(tree)


def test_merged_leaves_are_not_said_to_decide_like_the_ensemble_on_their_boxes():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, (40, 3)).astype(float)
    y = (X[:, 0] > 2) ^ (X[:, 1] > 3) ^ (rng.random(40) < 0.1)
    model = RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, y)
    apart = solve_active(Ensemble.from_model(model), X)
    merged = merged_result(apart)

    def mixed_boxes(tree):
        at = tree.apply(X)
        boxes = [(X[at == leaf].min(axis=0), X[at == leaf].max(axis=0) + 1) for leaf in np.unique(at)]
        return sum(len(np.unique(model.predict(rng.integers(*box, (500, 3))))) > 1 for box in boxes)

    assert (mixed_boxes(apart.tree), mixed_boxes(merged.tree)) == (0, 4)
    assert apart.scope == "the 40 rows that it was pruned with and on the box around the rows of each leaf"
    assert merged.scope == "the 40 rows that it was pruned with"
    assert "Its size is not proven least" in merged.sentence()
    assert merged.tree.n_leaves < apart.tree.n_leaves
    np.testing.assert_array_equal(merged.tree.predict(X), apart.tree.predict(X))
    assert merged_result(merged) is merged
