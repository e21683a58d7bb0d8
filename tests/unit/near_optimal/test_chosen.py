"""A tree that is chosen among near-optimal ones says so, is verified, and claims no more than that."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from treewright import NearOptimalTreeClassifier, near_optimal_trees
from treewright.convert import Model, Terms, from_json, to_json
from treewright.result import SolveStatus, StopReason, chosen_options, shallow_note
from treewright.show import choose_page, report
from treewright.tree import at_least
from treewright.verify import verify

RNG = np.random.default_rng(7)
X = RNG.integers(0, 6, (90, 3)).astype(float)
Y = np.where(RNG.random(90) < 0.25, RNG.integers(0, 3, 90), (X[:, 0] > 2) + (X[:, 1] > 3))
HOW = {"cost_complexity": 0.02, "max_depth": 2, "thresholds": 3}


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"leaf_labels": "any", "epsilon": 0.4},
        {"redundant_splits": True},
        {"sample_weight": np.sqrt(1 + X[:, 0])},
    ],
    ids=["plain", "any label", "redundant", "real weights"],
)
def test_every_tree_of_a_set_is_verified(asked):
    trees = near_optimal_trees(X, Y, **{"epsilon": 0.2} | HOW | asked)
    chosen = 0
    for place in range(0, trees.n_trees_, 1 + trees.n_trees_ // 100):
        result = trees.result(place)
        checked = verify(trees.graph.problem, result)
        assert checked.ok, str(checked)
        chosen += result.is_chosen
        assert result.is_chosen == (result.status is not SolveStatus.OPTIMAL)
    assert chosen


def test_the_sentence_says_that_the_tree_was_chosen_and_what_the_least_is():
    trees = near_optimal_trees(X, Y, epsilon=0.2, **HOW)
    result = trees.result(-1)
    assert result.sentence().startswith("Chosen among near-optimal trees: this tree has ")
    assert f"objective {result.objective:.6f}" in result.sentence()
    assert f"can be below {at_least(trees.best.objective)}" in result.sentence()
    assert "best tree found" not in result.sentence() + repr(result)
    assert trees.result(0).sentence() == trees.best.sentence()
    only = trees.where(without="x0" if trees.where(without="x0") else "x1")
    assert only.result(0).is_chosen == (only.table()[0].objective > trees.best.objective)


def test_the_classifier_and_its_file_say_so():
    model = NearOptimalTreeClassifier(choose=lambda tree: tree.n_leaves == 4, epsilon=0.3, **HOW).fit(X, Y)
    problem = model.near_optimal_.graph.problem
    assert model.result_.is_chosen
    assert verify(problem, model.result_).ok
    again = from_json(to_json(Model.of(model.result_))).result
    assert again.sentence() == model.result_.sentence()
    assert verify(problem, again).ok


@pytest.mark.parametrize(
    ("lie", "failed"),
    [
        ({"status": SolveStatus.OPTIMAL}, "fields of the certificate"),
        ({"status": SolveStatus.OPTIMAL_UNDER_GUESSES}, "fields of the certificate"),
        ({"objective": 0.1}, "objective"),
        ({"loss": 0.1}, "loss"),
        ({"chosen": "best"}, "fields of the certificate"),
        ({"leaf_labels": "dear"}, "fields of the certificate"),
        ({"leaf_labels": None}, "fields of the certificate"),
        ({"leaf_labels": "cheapest"}, "cheapest label in each node"),
        ({"lower_bound": 0.9}, "lower_bound <= objective"),
    ],
    ids=str,
)
def test_a_choice_lets_no_lie_pass(lie, failed):
    trees = near_optimal_trees(X, Y, epsilon=0.5, leaf_labels="any", **HOW)
    cheapest = near_optimal_trees(X, Y, epsilon=0.5, **HOW)
    tree = next(tree for tree in trees if tree not in cheapest)
    result = trees.result(trees.rank(tree))
    assert verify(trees.graph.problem, result).ok
    options = {name: value for name, value in lie.items() if name in chosen_options(any_label=True)}
    fields = {name: value for name, value in lie.items() if name not in options}
    wrong = replace(result, options={**result.options, **options}, **fields)
    assert failed in [check.name for check in verify(trees.graph.problem, wrong).failed]


def test_a_bound_above_a_better_part_of_the_chosen_tree_is_refused():
    trees = near_optimal_trees(X, Y, epsilon=0.5, redundant_splits=True, **HOW)
    places = range(trees.n_trees_ - 1, 0, -1)
    parts = ("no pruning is better", "no subtree is better")
    for place in places:
        result = trees.result(place)
        wrong = replace(result, lower_bound=result.objective)
        failed = [check.name for check in verify(trees.graph.problem, wrong).failed]
        if failed:
            break
    assert set(failed) & set(parts)


def test_what_was_proven_of_shallower_trees_is_not_said_of_the_chosen_one():
    trees = near_optimal_trees(X, Y, epsilon=0.2, **HOW)
    best = replace(
        trees.best,
        status=SolveStatus.FEASIBLE,
        stop_reason=StopReason.TIME_LIMIT,
        stats={**trees.best.stats, "proven_depth": 1},
        notes=(*trees.best.notes, shallow_note(trees.best.options, 1, trees.best.objective)),
    )
    stopped = replace(trees, best=best)
    for place in (0, -1):
        result = stopped.result(place)
        assert verify(trees.graph.problem, result).ok
        assert result.is_chosen == ("proven_depth" not in result.stats)


def test_the_page_has_the_question_and_what_marks_a_choice():
    def data(trees, **given):
        page = choose_page(trees, **given)
        start = page.index('{"columns"')
        return json.JSONDecoder().raw_decode(page[start:].replace("\\u003c", "<"))[0]

    trees = near_optimal_trees(X, Y, epsilon=0.2, leaf_labels="any", **HOW)
    found = data(trees)
    assert found["chosen"] == chosen_options(any_label=True)
    assert found["terms"]["max_depth"] == 2
    assert found["notes"] == list(trees.best.notes) != []
    assert data(trees, terms=Terms(0.02, target="ill"))["terms"]["target"] == "ill"
    weighted = near_optimal_trees(X, Y, sample_weight=1 + X[:, 0], epsilon=0.1, **HOW)
    assert data(weighted)["terms"] is None


def test_the_report_says_that_better_trees_may_exist():
    trees = near_optimal_trees(X, Y, epsilon=0.2, **HOW)
    page = report(trees.result(-1), X, Y)
    assert "Chosen among near-optimal trees; gap" in page
    assert "The best trees minimise" in page
    assert "Other trees may be better." in page
    assert "The tree minimises" in report(trees.result(0), X, Y)


def test_verify_says_that_it_was_chosen():
    trees = near_optimal_trees(X, Y, epsilon=0.2, **HOW)
    status = next(
        check for check in verify(trees.graph.problem, trees.result(-1)).checks if check.name == "status"
    )
    assert (status.ok, status.expected) == (True, "chosen among near-optimal trees")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (" in order of the objective. Among", " in order of the objective. It is the best of all. Among"),
        ("The set is complete.", "The set is complete. No tree is better."),
        (" of depth at most 2 over", " over"),
        ("over the given splits", "over all splits"),
        ("number ", "number 9,99"),
        ("an objective of at most 0.", "an objective of at most 0.0"),
        ("the least of all is 0.", "the least of all is 1."),
        ("number 2", "number 1"),
    ],
)
def test_a_note_that_says_other_words_is_refused(old, new):
    trees = near_optimal_trees(X, Y, epsilon=0.2, **HOW)
    place = next(k for k in range(trees.n_trees_) if trees.result(k).is_chosen)
    result = trees.result(place)
    note = (
        result.notes[-1] if old != "number 2" else result.notes[-1].replace(f"number {place + 1}", "number 2")
    )
    problem = trees.graph.problem
    assert verify(problem, replace(result, notes=(*result.notes[:-1], note))).ok
    changed = note.replace(old, new, 1)
    assert changed != note
    assert not verify(problem, replace(result, notes=(*result.notes[:-1], changed))).ok


def test_the_words_of_a_smaller_set_are_known():
    trees = near_optimal_trees(X, Y, epsilon=0.4, **HOW)
    smaller = (
        trees.where(without="x2"),
        trees.where(uses=["x0", "x1"], max_leaves=4),
        trees.where(only=["x0", "x1"], root="x0"),
        trees.where(like=trees.result(0)),
    )
    for some in smaller:
        checked = verify(trees.graph.problem, some.result(-1))
        assert checked.ok, str(checked)
