"""Domains with groups of columns: every tree is compared with all trees over the rows that there are."""

import itertools
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from born_again_oracle import random_ensemble
from treewright import BornAgainTreeClassifier
from treewright.bornagain import (
    Domain,
    Ensemble,
    _group_axes,
    _solve_groups,
    find_other_decision,
    forecast,
    solve,
    solve_active,
)
from treewright.bornagain._group_axes import GroupAxes
from treewright.errors import InputError, SolverError
from treewright.result import SolveStatus, StopReason
from treewright.verify import check_faithful, verify_born_again


def case(seed):
    """An ensemble, a domain with one or two groups beside columns of whole numbers, and all rows of it."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 6))
    vote, n_classes = [("hard", 2), ("hard", 3), ("soft", 3), ("score", 2)][seed % 4]
    ensemble = random_ensemble(seed, vote=vote, n_classes=n_classes, n_features=n, trees=5)
    columns = rng.permutation(n).tolist()
    first = int(rng.integers(2, n + 1))
    groups = [tuple(columns[:first])]
    if n - first >= 2 and rng.random() < 0.5:
        groups.append(tuple(columns[first:]))
    in_groups = [j for group in groups for j in group]
    high = np.where(np.isin(np.arange(n), in_groups), 1.0, 2.0)
    if len(groups[0]) > 2 and rng.random() < 0.3:
        high[groups[0][0]] = 0.0  # a category that there is no row of
    kinds = rng.random(len(groups)) < 0.6
    domain = Domain(
        np.zeros(n), high, np.ones(n, dtype=bool),
        tuple(g for g, is_one in zip(groups, kinds, strict=True) if is_one),
        tuple(g for g, is_one in zip(groups, kinds, strict=True) if not is_one),
    )  # fmt: skip
    rows = np.array(list(itertools.product(*(range(int(h) + 1) for h in high))), dtype=float)
    for group in groups:
        ones = rows[:, list(group)].sum(axis=1)
        rows = rows[(ones == 1) | ((ones == 0) & (group in domain.at_most_one))]
    return ensemble, domain, rows


def sizes(rows, labels):
    """Fewest leaves, least depth, and fewest leaves of that depth, by recursion over sets of rows."""
    cuts = {
        frozenset(np.flatnonzero(rows[:, f] <= t).tolist())
        for f in range(rows.shape[1])
        for t in np.unique(rows[:, f])[:-1]
    }

    @cache
    def parts(here):
        if len({labels[i] for i in here}) == 1:
            return None
        return [(here & cut, here - cut) for cut in cuts if here & cut and here - cut]

    @cache
    def leaves(here):
        split = parts(here)
        return 1 if split is None else min(leaves(a) + leaves(b) for a, b in split)

    @cache
    def depth(here):
        split = parts(here)
        return 0 if split is None else 1 + min(max(depth(a), depth(b)) for a, b in split)

    @cache
    def leaves_within(here, levels):
        split = parts(here)
        if split is None or levels == 0:
            return 1 if split is None else 10**6
        return min(leaves_within(a, levels - 1) + leaves_within(b, levels - 1) for a, b in split)

    whole = frozenset(range(len(rows)))
    return leaves(whole), depth(whole), leaves_within(whole, depth(whole))


@pytest.mark.parametrize("start", range(0, 120, 10))
def test_sizes_equal_plain_recursion_over_the_rows(start):
    for seed in range(start, start + 10):
        ensemble, domain, rows = case(seed)
        labels = ensemble.predict(rows)
        assert domain.contains(rows).all()
        leaves, depth, leaves_of_depth = sizes(rows, labels.tolist())
        part = ensemble.within(domain)
        for objective, least in (
            ("leaves", (None, leaves)),
            ("heuristic", (None, leaves)),
            ("depth", (depth, None)),
            ("depth-leaves", (depth, leaves_of_depth)),
        ):
            result = solve(part, objective=objective)
            assert result.status is SolveStatus.OPTIMAL
            np.testing.assert_array_equal(result.tree.predict(rows), labels)
            if least[0] is not None:
                assert result.tree.depth == least[0] == result.stats["depth_lower_bound"]
            if least[1] is not None:
                assert result.tree.n_leaves == least[1] == result.stats["leaves_lower_bound"]
            assert verify_born_again(part, result).ok
            assert any("one of x" in text for text in result.notes)


@pytest.mark.parametrize("seed", range(40))
def test_the_verifier_finds_each_changed_leaf_and_no_impossible_row(seed):
    ensemble, domain, rows = case(seed)
    part = ensemble.within(domain)
    outside = solve(ensemble.within(replace(domain, one_hot=(), at_most_one=())), objective="leaves").tree
    for tree in (outside, solve(part, objective="leaves").tree):
        assert check_faithful(tree, part).faithful
        for leaf in np.flatnonzero(tree.is_leaf):
            changed = tree.prediction.copy()
            changed[leaf] = (changed[leaf] + 1) % ensemble.n_classes
            report = check_faithful(replace(tree, prediction=changed), part)
            assert report.faithful == (leaf not in tree.apply(rows))
            if not report.faithful:
                assert domain.contains(report.counter_example[None, :]).all()


@pytest.mark.parametrize("seed", range(20))
def test_a_limit_leaves_a_faithful_tree_without_impossible_branches(seed, monkeypatch):
    ensemble, domain, rows = case(seed)
    part = ensemble.within(domain)
    leaves, depth, _ = sizes(rows, ensemble.predict(rows).tolist())
    results = [solve(part, objective=objective, step_limit=1) for objective in ("leaves", "depth")]
    monkeypatch.setattr(_group_axes, "MOST_STATES", 1)
    results += [solve(part, objective=objective) for objective in ("leaves", "depth")]
    for result, least in zip(results, (leaves, depth, leaves, depth), strict=True):
        if result.status is SolveStatus.OPTIMAL:  # one cell, one step
            continue
        assert result.stop_reason in (StopReason.STEP_LIMIT, StopReason.MEMORY_LIMIT)
        assert result.lower_bound <= least <= result.objective
        assert set(np.flatnonzero(result.tree.is_leaf)) == set(result.tree.apply(rows))  # none is empty
        np.testing.assert_array_equal(result.tree.predict(rows), ensemble.predict(rows))
        everywhere = solve(
            ensemble.within(replace(domain, one_hot=(), at_most_one=())),
            objective=result.options["objective"],
        )
        if result.stop_reason is StopReason.MEMORY_LIMIT:  # the tree without groups was not limited
            assert result.objective <= everywhere.objective
        assert verify_born_again(part, result).ok
        assert any("branches that no row reaches" in text for text in result.notes)


def colours(n_rows=400, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {"colour": rng.choice(["red", "green", "blue", "grey"], n_rows), "size": rng.integers(0, 5, n_rows)}
    )
    y = frame["size"] > frame["colour"].map({"red": 0, "green": 1, "blue": 2, "grey": 3})
    y = y ^ (rng.random(n_rows) < 0.1)
    return frame, y.astype(int)


@pytest.mark.parametrize("model", [RandomForestClassifier(5, max_depth=3, random_state=0),
                                   GradientBoostingClassifier(n_estimators=5, random_state=0)])  # fmt: skip
def test_a_pipeline_with_an_encoder(model):
    frame, y = colours()
    encoded = make_column_transformer((OneHotEncoder(), ["colour"]), ("passthrough", ["size"]))
    pipeline = make_pipeline(encoded, model).fit(frame, y)
    domain = Domain.of_encoder(pipeline)
    assert domain.one_hot == ((0, 1, 2, 3),)
    X = pipeline[:-1].transform(frame)
    assert domain.contains(X).all()
    ensemble = Ensemble.from_model(pipeline[-1])
    inside, everywhere = (
        solve(ensemble.within(domain), objective="leaves"),
        solve(ensemble, objective="leaves"),
    )
    assert inside.status is SolveStatus.OPTIMAL
    assert inside.tree.n_leaves < everywhere.tree.n_leaves
    np.testing.assert_array_equal(inside.tree.predict(np.asarray(X, dtype=float)), pipeline.predict(frame))
    assert "exactly one of x0, x1, x2, x3 is 1" in " ".join(inside.notes)
    fitted = BornAgainTreeClassifier.from_fitted(pipeline[-1], X, domain=domain, objective="leaves")
    assert fitted.get_n_leaves() == inside.tree.n_leaves
    assert fitted.tree_.n_node_samples[0] == len(frame)


@pytest.mark.parametrize(
    ("parameters", "one_hot", "at_most_one"),
    [
        ({}, ((0, 1, 2), (3, 4)), ()),
        ({"handle_unknown": "ignore"}, (), ((0, 1, 2), (3, 4))),
        ({"drop": "first"}, (), ((0, 1), (2,))),
        ({"drop": "if_binary"}, ((0, 1, 2),), ((3,),)),
        ({"min_frequency": 3}, ((0, 1), (2, 3)), ()),
        ({"min_frequency": 3, "handle_unknown": "infrequent_if_exist"}, ((0, 1),), ((2, 3),)),
    ],
)
def test_groups_are_read_from_the_encoder(parameters, one_hot, at_most_one):
    rows = [["red", "small"]] * 4 + [["blue", "large"]] * 2 + [["green", "large"]] * 2
    encoder = OneHotEncoder(**parameters).fit(rows)
    domain = Domain.of_encoder(encoder)
    assert (domain.one_hot, domain.at_most_one) == (one_hot, at_most_one)
    assert domain.contains(encoder.transform(rows).toarray()).all()
    behind = make_column_transformer(
        (StandardScaler(), [0]), (make_pipeline(OneHotEncoder(**parameters)), [1, 2])
    )
    table = np.column_stack([np.arange(8).astype(object), np.array(rows, dtype=object)])
    moved = Domain.of_encoder(behind.fit(table))
    assert moved.one_hot == tuple(tuple(j + 1 for j in group) for group in one_hot)
    assert moved.at_most_one == tuple(tuple(j + 1 for j in group) for group in at_most_one)


def test_what_no_encoder_is():
    for thing, message in (
        (StandardScaler(), "this is a StandardScaler"),
        (OneHotEncoder(), "not fitted"),
        (make_column_transformer((OneHotEncoder(), [0])), "not fitted"),
        (make_column_transformer((StandardScaler(), [0])).fit(np.ones((3, 1))), "no groups to read"),
        (make_pipeline(RandomForestClassifier()), "no step that transforms"),
        (
            ColumnTransformer([("c", OneHotEncoder(), [0])], transformer_weights={"c": 2}).fit(
                [["a"], ["b"]]
            ),
            "multiplied by 2 .transformer_weights.",
        ),
    ):
        with pytest.raises(InputError, match=message):
            Domain.of_encoder(thing)


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ({"one_hot": [["a", "d"]]}, "the column 'd'"),
        ({"one_hot": [["a", "bb"]]}, "'bb'. Did you mean 'b'"),
        ({"one_hot": [["a", "b"]], "at_most_one": [["b", "c"]]}, "'b' is named twice"),
        ({"one_hot": [["a"]]}, "group 'a' has fewer than two"),
        ({"one_hot": [[]]}, "A group has fewer than two"),
        ({"one_hot": [["a", "b"]], "ranges": {"a": (0, 0)}}, "fewer than two"),
        ({"one_hot": [["a", "b"]], "ranges": {"a": (1, 1)}}, "never 0"),
    ],
)
def test_groups_that_are_none(groups, message):
    with pytest.raises(InputError, match=message):
        Domain.of(["a", "b", "c"], **groups)
    with pytest.raises(InputError, match="columns are 0 to 2"):
        Domain.of(["a", "b", "c"]).with_groups([(1, 3)])


def test_rows_outside_and_methods_without_groups(monkeypatch):
    frame, y = colours()
    X = np.column_stack([pd.get_dummies(frame["colour"]).to_numpy(float), frame["size"].to_numpy(float)])
    forest = RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, y)
    domain = Domain.of_rows(X).with_groups([(0, 1, 2, 3)])
    part = Ensemble.from_model(forest).within(domain)
    two = X[:3].copy()
    two[1, :4] = [1, 1, 0, 0]
    assert domain.contains(two).tolist() == [True, False, True]
    assert domain.contains([[0, 0, 0, 0, 1]]).tolist() == [False]
    with pytest.raises(
        InputError, match="row 1 has x0=1, x1=1, x2=0, x3=0, and exactly one of x0, x1, x2, x3 is 1"
    ):
        part.predict(two)
    for call in (
        lambda: forecast(part),
        lambda: solve_active(part, X),
        lambda: find_other_decision(part, X[0], [-np.inf] * 5, [np.inf] * 5),
    ):
        with pytest.raises(InputError, match="does not support groups of columns"):
            call()
    routed = Ensemble.from_model(forest, missing="route")
    with pytest.raises(InputError, match="without a rule for missing values"):
        routed.within(domain)
    with pytest.raises(SolverError, match="more than max_leaves=2"):
        solve(part, max_leaves=2)
    monkeypatch.setattr(_solve_groups, "BRIEF", 0.0)
    seen = []
    with pytest.raises(SolverError, match="progress callback ended the run"):
        solve(part, progress=lambda state: seen.append(state) or len(seen) > 2)
    assert [state.phase for state in seen] == ["exact"] * 3


def test_columns_that_no_tree_asks_about_count_as_one():
    """Twenty categories of which the model knows two: the states stay few, and a split on a rest is possible."""
    names = [f"c{k}" for k in range(20)]
    X = np.eye(20)[np.arange(200) % 20]
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    forest = RandomForestClassifier(3, max_depth=2, max_features=None, random_state=0).fit(X[:, :], y)
    ensemble = replace(Ensemble.from_model(forest), feature_names=tuple(names))
    part = ensemble.within(Domain.of(names, one_hot=[names]))
    boxes = GroupAxes(part)
    asked = sum(map(len, ensemble.thresholds))
    assert not boxes.too_many
    assert boxes.n_boxes <= 2**asked * 21
    result = solve(part, objective="leaves")
    np.testing.assert_array_equal(result.tree.predict(X), forest.predict(X))
    assert result.tree.n_leaves == 3
