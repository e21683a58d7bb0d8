"""What may be asked of a near-optimal set, and what is refused in which words."""

from __future__ import annotations

import re
import sys
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from treewright import OptimalTreeClassifier, near_optimal_trees
from treewright.cli._near_optimal_output import lines_of_columns
from treewright.errors import InputError
from treewright.near_optimal import fewest_columns, solve_near_optimal
from treewright.problem import make_problem
from treewright.result import SolveStatus
from treewright.table import table_from


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(5)
    X = rng.integers(0, 2, (90, 5)).astype(float)
    return X, np.where(rng.random(90) < 0.2, X[:, 2], X[:, 0] * X[:, 1]).astype(int)


@pytest.fixture(scope="module")
def trees(table):
    return near_optimal_trees(*table, cost_complexity=0.013, max_depth=3, epsilon=0.3)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"epsilon": -0.1}, "epsilon=-0.1; give a number of at least 0"),
        ({"epsilon": float("nan")}, "epsilon=nan"),
        ({"epsilon": float("inf")}, "epsilon=inf"),
        ({"epsilon": True}, "epsilon=True"),
        ({"epsilon": "0.1"}, "epsilon='0.1'"),
        ({"epsilon": None}, "epsilon=None"),
        ({"slack": -1}, "slack=-1"),
        ({"slack": 0.1, "max_objective": 0.3}, "slack or max_objective, not both"),
        ({"max_objective": 0.001}, "below the least objective"),
        ({"leaf_labels": "best"}, "leaf_labels='best'"),
        ({"time_limit": 0}, "time_limit=0"),
        ({"memory_limit": 0}, "memory_limit=0"),
    ],
    ids=str,
)
def test_bounds_that_cannot_be(table, asked, words):
    with pytest.raises(InputError, match=words):
        near_optimal_trees(*table, **asked)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({"without": "age"}, "without='age': the table has the columns x0, x1"),
        ({"only": ["x0", "age"]}, "only='age'"),
        ({"root": 3}, "root=3"),
        ({"uses": []}, r"uses=\[\]; name at least one column, or leave it out"),
        ({"without": ()}, r"without=\(\); name at least one column"),
        ({"only": []}, r"only=\[\]; name"),
        ({"root": []}, r"root=\[\]; name"),
        ({"like": "x0"}, "Got a str; give a Tree, a result, or a fitted estimator"),
        ({"like": OptimalTreeClassifier()}, "has no tree yet; call its fit"),
        ({"max_leaves": 0}, "max_leaves=0; give an integer of at least 1"),
        ({"max_leaves": True}, "max_leaves=True"),
        ({"max_leaves": 2.5}, "max_leaves=2.5"),
        ({"max_objective": float("nan")}, "max_objective=nan"),
        ({"max_objective": -1}, "max_objective=-1"),
    ],
    ids=str,
)
def test_rules_that_cannot_be(trees, rule, words):
    with pytest.raises(InputError, match=words):
        trees.where(**rule)


def test_trees_of_another_table_are_refused(table, trees):
    X, y = table
    with pytest.raises(InputError, match="columns of the tree are not those"):
        trees.rank(OptimalTreeClassifier().fit(X[:, :4], y).tree_)
    with pytest.raises(InputError, match="labels of the tree are not those"):
        OptimalTreeClassifier().fit(X, np.array(["no", "yes"])[y]).tree_ in trees  # noqa: B015
    assert "a tree" not in trees


def test_places_and_draws_that_cannot_be(trees):
    with pytest.raises(IndexError, match="there is none at"):
        trees[trees.n_trees_]
    with pytest.raises(TypeError, match="not a rank"):
        trees["first"]
    with pytest.raises(InputError, match="n=-1"):
        trees.sample(-1)
    assert trees.sample(0) == []


def test_no_tree_of_an_empty_set_has_columns(trees):
    with pytest.raises(InputError, match="The set is empty"):
        fewest_columns(trees.where(max_leaves=1, uses="x0"))


def test_what_a_predicate_raises_is_raised(trees):
    def broken(tree):
        raise ZeroDivisionError("in the predicate")

    with pytest.raises(ZeroDivisionError, match="in the predicate"):
        trees.first(broken)
    with pytest.raises(InputError, match="predicate=3"):
        trees.first(3)
    with pytest.raises(InputError, match="at_most=-1"):
        trees.first(lambda tree: True, at_most=-1)


@pytest.mark.parametrize(
    "answer", [np.array([True, False]), np.array([]), pd.Series([True, True]), pd.NA, "no"]
)
def test_an_answer_that_is_neither_true_nor_false_is_refused(trees, answer):
    with pytest.raises(InputError, match="which is neither true nor false; return one True or False"):
        trees.first(lambda tree: answer)


@pytest.mark.parametrize("values", [[["a", "b"]] * 90, np.full((90, 2), 1j)])
def test_values_that_are_no_numbers_are_refused(trees, values):
    with pytest.raises(InputError, match="leaf_value"):
        trees.extreme(values)


def test_one_tree_is_named_as_one(table):
    assert repr(near_optimal_trees(*table, max_depth=0)).startswith("<NearOptimalTrees: 1 tree up to")


def test_first_says_how_far_it_looked(trees):
    tree, looked, bound = trees.first(lambda tree: tree.n_leaves == trees[-1].n_leaves)
    assert trees[looked - 1].n_leaves == tree.n_leaves == trees[-1].n_leaves
    assert trees.rank(tree) == looked - 1
    none, looked, bound = trees.first(lambda tree: False)
    assert (none, looked, bound) == (None, trees.n_trees_, trees.bound_)
    none, looked, bound = trees.first(lambda tree: False, at_most=1)
    assert (none, looked) == (None, 1)
    assert bound <= trees.bound_


def test_an_objective_of_the_table_keeps_its_trees(trees):
    """Objectives are exact fractions inside and floats in the table: a copied bound must not lose its own line."""
    so_far = 0
    for size in trees.table():
        so_far += size.n_trees
        smaller = trees.where(max_objective=size.objective)
        others = [line.n_trees for line in trees.table() if line.objective == size.objective]
        assert so_far <= smaller.n_trees_ <= so_far + sum(others)
        assert smaller.bound_ == size.objective


def test_the_least_objective_is_a_bound_that_can_be_asked_for(table):
    for price in (0.01, 0.013, 1 / 3 / 30, 0.007):
        best = OptimalTreeClassifier(cost_complexity=price, max_depth=3).fit(*table).result_
        found = near_optimal_trees(*table, cost_complexity=price, max_depth=3, max_objective=best.objective)
        assert found.n_trees_ >= 1
        assert found.best.tree in found


@pytest.mark.parametrize(
    ("n_rows", "n_wrong", "price"), [(10, 3, 0.03), (9, 3, 0.05), (7, 2, 0.1), (8, 3, 0.03)]
)
def test_a_told_objective_keeps_its_tree(n_rows, n_wrong, price):
    """0.3 + 0.03 is 0.32999999999999996 in floating point, and less than three tenths and three hundredths."""
    table = [[row] for row in range(n_rows)], [1] * n_wrong + [0] * (n_rows - n_wrong)
    asked = {"cost_complexity": price, "max_depth": 0}
    told = OptimalTreeClassifier(**asked).fit(*table).result_.objective
    every = near_optimal_trees(*table, **asked, max_objective=1.0, leaf_labels="any")
    assert len(near_optimal_trees(*table, **asked, max_objective=told)) == 1
    for place, line in enumerate(every.table()):
        objective = every.result(place).objective
        assert objective == line.objective
        assert every[place] in every.where(max_objective=objective)


def test_rules_add_up_and_are_said(trees):
    column = max(trees.columns(), key=lambda use: use.share).name
    smaller = trees.where(only=["x0", "x1", "x2"]).where(without="x2").where(max_leaves=3, root="x0")
    again = trees.where(only=["x0", "x1"], max_leaves=3, root="x0")
    assert list(map(repr, smaller)) == list(map(repr, again))
    assert "with no columns but 'x0', 'x1', 'x2' and without 'x2'" in smaller.sentence()
    assert "of at most 3 leaves" in smaller.sentence()
    none = trees.where(without=[f"x{k}" for k in range(5)], max_objective=trees.best.objective)
    assert none.n_trees_ == 0
    assert none.status_ == "complete"
    assert f"no tree without {column!r}" in trees.where(without=column, only=column, root=column).sentence()
    with pytest.raises(InputError, match="empty"):
        none.vote_share()
    with pytest.raises(InputError, match="empty"):
        none.ambiguity()
    with pytest.raises(InputError, match="empty"):
        none.sample(1)


def test_ambiguity_is_what_the_listed_trees_say(table, trees):
    X = table[0]
    rng = np.random.default_rng(1)
    new, weight = rng.integers(0, 2, (40, 5)).astype(float), rng.integers(0, 4, 40).astype(float)
    for rows, weights, said in (
        (X, np.ones(len(X)), trees.ambiguity()),
        (new, np.ones(40), trees.ambiguity(new)),
        (new, weight, trees.ambiguity(new, sample_weight=weight)),
    ):
        labels = np.array([tree.prediction[tree.apply(rows)] for tree in trees])
        differs = (labels != labels[0]).any(axis=0)
        assert 0 < said < 1
        assert said == pytest.approx(np.average(differs, weights=weights))
    for wrong, words in (
        (lambda: trees.ambiguity(sample_weight=np.ones(len(X))), "for new rows only"),
        (lambda: trees.ambiguity(new, sample_weight=weight[1:]), "shape"),
        (lambda: trees.ambiguity(new[:0]), "minimum of 1"),
        (lambda: trees.ambiguity(new[:, 1:]), "expecting 5 features"),
    ):
        with pytest.raises(InputError, match=words):
            wrong()


def test_a_result_says_what_is_proven_of_its_tree(table, trees):
    for place in (0, 1, trees.n_trees_ - 1, -1):
        result = trees.result(place)
        wrong = (result.tree.prediction[result.tree.apply(table[0])] != table[1]).mean()
        assert result.loss == pytest.approx(wrong)
        assert result.objective == pytest.approx(wrong + 0.013 * result.tree.n_leaves)
        assert trees.rank(result.tree) == place % trees.n_trees_
        least = result.objective == trees.best.objective
        assert (result.status is SolveStatus.OPTIMAL) == least == (result.gap == 0)
        assert result.lower_bound == pytest.approx(trees.best.objective)
        assert f"number {place % trees.n_trees_ + 1:,} in order" in result.notes[-1]
    with pytest.raises(IndexError):
        trees.result(trees.n_trees_)


@pytest.mark.parametrize("n", [31, 47, 49, 53, 77, 93])
def test_a_price_of_whole_rows_keeps_the_trees_on_the_bound(n):
    """3 / n is no float: its rounding, times the leaves, must not move trees across a bound of whole rows."""
    rng = np.random.default_rng(n)
    X, y = rng.integers(0, 2, (n, 5)).astype(float), rng.integers(0, 2, n)
    how = {"cost_complexity": 3 / n, "max_depth": 3, "redundant_splits": True}
    best = near_optimal_trees(X, y, **how).best
    least = round(best.objective * n)
    for more in range(8):
        on_the_bound = near_optimal_trees(X, y, **how, max_objective=(least + more) / n)
        beyond = near_optimal_trees(X, y, **how, max_objective=(least + more + 0.5) / n)
        by_slack = near_optimal_trees(X, y, **how, slack=more / n)
        assert on_the_bound.n_trees_ == beyond.n_trees_ == by_slack.n_trees_
    assert beyond.n_trees_ > 1


@pytest.mark.parametrize("asked", [{"max_objective": 1e30}, {"slack": 1e300}, {"epsilon": 1e25}], ids=str)
def test_bounds_above_every_tree(table, asked):
    """A bound beyond 64 bits was an error of the compiled core; no tree is near it."""
    X, y = table
    few = near_optimal_trees(X[:, :2], y, cost_complexity=0.05, max_depth=2, max_objective=3.0)
    all_of_them = near_optimal_trees(X[:, :2], y, cost_complexity=0.05, max_depth=2, **asked)
    assert all_of_them.status_ == few.status_ == "complete"
    assert all_of_them.n_trees_ == few.n_trees_ > 1
    assert all_of_them.bound_ > 1e6


@pytest.mark.parametrize("seed", range(30))
def test_the_sentence_is_true_of_the_bound_as_it_is_written(seed):
    """A bound rounded to six digits let in trees that were not counted, or left out some that were."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 3000))
    X = rng.integers(0, 2, (n, 3)).astype(float)
    y = np.where(rng.random(n) < 0.3, rng.integers(0, 2, n), X[:, 0] * X[:, 1]).astype(int)
    y[:2] = 0, 1
    weight = rng.random(n) if seed % 3 == 0 else np.ones(n)
    given = {"cost_complexity": float(rng.choice([0, 0.01, 1 / 97, 0.0123456])), "max_depth": 2}
    given["sample_weight"] = np.round(weight * 1000) + 1
    some = near_optimal_trees(X, y, epsilon=float(rng.choice([0, 0.1, 1 / 3])), **given)
    more = near_optimal_trees(X, y, epsilon=1.0, **given)
    number = Fraction(re.search(r"an objective of at most ([0-9.e+-]+);", some.sentence())[1])
    within = sum(count for cost, _, count in more._cells if cost * more.graph.unit <= number * (1 + TINY))
    assert within == some.n_trees_ > 0
    assert float(number) == pytest.approx(some.bound_, rel=1e-5)


TINY = Fraction(1, 10**15)  # of a bound that float64 cannot write


def test_values_by_training_row_are_taken_as_they_stand():
    """Also where the problem has the rows of its input in another order: as many values as training rows are theirs."""
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (40, 3)).astype(float)
    y, order = rng.integers(0, 2, 40), rng.permutation(40)
    plain = make_problem(table_from(X[order]), y[order], cost_complexity=0.05, max_depth=2)
    taken = make_problem(table_from(X), y, cost_complexity=0.05, max_depth=2).take(order)
    group, value = rng.random(40) < 0.5, rng.integers(0, 5, (40, 2))
    expected, found = (solve_near_optimal(problem, epsilon=0.5) for problem in (plain, taken))
    for ask in (
        lambda trees: (trees.extreme(value).least.value, trees.extreme(value).most.value),
        lambda trees: (trees.gap_range(group).least.value, trees.gap_range(group).most.value),
    ):
        assert ask(found) == ask(expected)


def test_values_by_row_of_the_input_leave_out_rows_without_weight():
    rng = np.random.default_rng(4)
    X, y = rng.integers(0, 2, (40, 3)).astype(float), rng.integers(0, 2, 40)
    weight = (rng.random(40) < 0.8).astype(float)
    group, value = rng.random(40) < 0.5, rng.integers(0, 5, (40, 2))
    how = {"cost_complexity": 0.05, "max_depth": 2, "epsilon": 0.5}
    trees = near_optimal_trees(X, y, sample_weight=weight, **how)
    kept = weight > 0
    for of_input, of_training in ((group, group[kept]), (value, value[kept])):
        ask = trees.gap_range if of_input is group else trees.extreme
        assert ask(of_input).most.value == ask(of_training).most.value


def test_names_of_any_kind_are_told_as_they_are() -> None:
    trees = near_optimal_trees([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1], max_depth=2, epsilon=20)
    plain = trees.where(without="x0", uses=["x1"])
    for names in (list, np.array, iter):
        found = trees.where(without=names(["x0"]), uses=names(["x1"]))
        assert found.rules == plain.rules == ("without 'x0'", "with a split on 'x1'")
        assert found.table() == plain.table() != []


def test_the_best_tree_with_a_gap_of_an_empty_set() -> None:
    """It was an IndexError; that there is none up to the bound is proven."""
    trees = near_optimal_trees([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1], max_depth=2)
    empty = trees.where(max_leaves=1)
    assert not empty
    assert empty.best_with_gap([True, False, True, False], 0.5) == (None, 0, empty.bound_)


def test_a_small_leaf_penalty_takes_no_more_fractions() -> None:
    """The most errors by leaves are found in whole numbers: fractions took a sixth of the time of a small set."""

    def calls(cost_complexity: float, n_leaves: int) -> int:
        X, y = [[20], [30], [40], [50]] * 50, [0, 1, 1, 1] * 50
        trees = near_optimal_trees(X, y, cost_complexity=cost_complexity, max_objective=0.2)
        n_calls = 0

        def count(_frame: object, event: str, _what: object) -> None:
            nonlocal n_calls
            n_calls += event == "call"

        sys.setprofile(count)
        most = trees.membership.max_errors(trees.graph)
        sys.setprofile(None)
        assert len(most) == 1 + n_leaves
        return n_calls

    assert calls(0.001, 200) < 2 * calls(0.01, 20)


def test_a_share_of_next_to_nothing_is_not_nothing():
    """One tree of 2e22 has the column: as a difference of floating numbers its share was 0."""
    parity = np.array([[row >> bit & 1 for bit in range(4)] for row in range(16) for _ in range(60)])
    y = parity.sum(axis=1) % 2
    rare = np.where(np.arange(960) % 60 < 9, 1 - y, y)
    X = np.column_stack([np.repeat(parity, 20, axis=1), rare])
    trees = near_optimal_trees(X, y, cost_complexity=0.01, max_depth=4, epsilon=0.08)
    use = trees.columns(reliance=False)[-1]
    assert trees.where(uses="x80").n_trees_ == 1
    assert use.share == use.share_at_root == pytest.approx(1 / trees.n_trees_)
    assert 0 < use.share < 1e-20
    line = next(line for line in lines_of_columns(trees) if line.startswith("x80 "))
    assert line.split() == ["x80", "<0.1%", "<0.1%", "0.160000"]


@pytest.mark.parametrize("bound", [0.28, 0.3, 0.31, 0.32, 0.33, 0.35, 0.4])
def test_a_bound_is_told_as_it_was_given(table, bound):
    """0.32 is a hair above thirty-two hundredths in floating point, and was told as 0.320001."""
    trees = near_optimal_trees(*table, cost_complexity=0.01, max_depth=2, max_objective=bound)
    assert f"objective of at most {bound:g};" in trees.sentence()


def test_the_sentence_says_which_trees_count_besides(table):
    def among(**asked):
        trees = near_optimal_trees(*table, cost_complexity=0.05, max_depth=1, **asked)
        return trees.sentence().partition(" over ")[0]

    plain = "Among all trees of depth at most 1"
    assert among() == plain
    assert among(leaf_labels="any") == f"{plain} (with any label in each leaf)"
    assert among(redundant_splits=True) == f"{plain} (with redundant splits)"
    both = among(leaf_labels="any", redundant_splits=True)
    assert both == f"{plain} (with any label in each leaf and redundant splits)"


def test_a_model_or_a_result_stands_for_its_tree(table, trees):
    model = OptimalTreeClassifier(cost_complexity=0.013, max_depth=3).fit(*table)
    place = trees.rank(model.tree_)
    for one in (model, model.result_):
        assert trees.rank(one) == place
        assert one in trees
        assert one not in trees.where(max_leaves=1)
        assert trees.where(like=one).table() == trees.where(like=model.tree_).table()
        assert trees.discrepancy(one).value == trees.discrepancy(model.tree_).value
    assert 3 not in trees
    for ask in (trees.rank, trees.discrepancy):
        with pytest.raises(InputError, match="Got a int; give a Tree, a result, or a fitted estimator"):
            ask(3)


def test_a_seed_is_a_whole_number(trees):
    assert list(map(repr, trees.sample(3, np.int64(4)))) == list(map(repr, trees.sample(3, 4)))
    for seed in (np.random.RandomState(0), 0.5, "0", -1):
        with pytest.raises(InputError, match=r"random_state=.*; give an integer of at least 0"):
            trees.sample(3, random_state=seed)


def test_rows_without_a_value_are_not_in_the_group():
    rng = np.random.default_rng(6)
    X = rng.integers(0, 2, (80, 3)).astype(float)
    X[::9, 1] = np.nan
    trees = near_optimal_trees(X, rng.integers(0, 2, 80), cost_complexity=0.05, max_depth=2, epsilon=0.5)
    named, given = trees.gap_range("x1"), trees.gap_range(X[:, 1] == 1)
    assert (named.least.value, named.most.value) == (given.least.value, given.most.value)
    X[:, 1] = np.where(np.isnan(X[:, 1]), np.nan, 1)
    same = near_optimal_trees(X, X[:, 0], max_depth=1)
    with pytest.raises(InputError, match="group='x1' has 1 value; name a column with two"):
        same.gap_range("x1")
