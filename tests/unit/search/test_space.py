"""Which engine searches which table."""

from dataclasses import fields, replace

import numpy as np
import pytest

from treewright.binarize import SplitMatrix, quantiles
from treewright.errors import InputError
from treewright.problem import make_problem
from treewright.search import (
    BinaryOptions,
    Guesses,
    RankedOptions,
    choose_engine,
    solve,
    solve_frontier,
    solve_guided,
    solve_leaf_accuracy,
)
from treewright.table import table_from


def problem_of(X, **limits):
    rng = np.random.default_rng(0)
    return make_problem(table_from(X), rng.integers(0, 2, len(X)), **limits)


def test_many_binary_columns_stay_binary_columns():
    X = np.random.default_rng(1).integers(0, 2, (200, 300))
    cuts = choose_engine(problem_of(X), "auto").space
    assert isinstance(cuts, SplitMatrix)
    assert len(cuts.splits) == 300


@pytest.mark.parametrize(
    "limits", [{}, {"max_leaf_nodes": 4}, {"max_depth": 3}, {"min_samples_leaf": 5}], ids=str
)
def test_many_thresholds_are_swept_whatever_the_limits(limits):
    X = np.random.default_rng(2).normal(size=(200, 3))
    assert choose_engine(problem_of(X, **limits), "auto").engine == "ranked"
    assert choose_engine(problem_of(X, **limits), "all").engine == "ranked"
    cuts = choose_engine(problem_of(X, **limits), "auto", BinaryOptions(engine="binary")).space
    assert isinstance(cuts, SplitMatrix)
    assert "quantiles" in cuts.scope


def test_few_thresholds_beside_many_binary_columns_are_made_columns():
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.integers(0, 2, (200, 250)), rng.normal(size=200)])
    cuts = choose_engine(problem_of(X), "auto").space
    assert isinstance(cuts, SplitMatrix)
    assert len(cuts.splits) == 250 + 199


def test_the_result_names_its_engine_and_why():
    X = np.random.default_rng(4).normal(size=(200, 2))
    few, many = problem_of(X[:50], max_depth=1), problem_of(X, max_depth=1)
    assert solve(few).engine == "binary"
    assert solve(many).engine == "ranked"
    assert solve(many).stats["engine_reason"] == (
        "the table has 398 thresholds of continuous columns and 0 other splits: too many for binary columns"
    )
    assert solve(many, 8).stats["engine_reason"].startswith("thresholds were chosen")
    asked = solve(many, options=BinaryOptions(engine="binary"))
    assert (asked.engine, asked.stats["engine_reason"]) == ("binary", "search_options ask for it")
    assert solve_leaf_accuracy(many).engine == "leaf-accuracy"
    assert solve_frontier(problem_of(X, max_leaf_nodes=2))[0].engine == "binary"
    guessed = solve_guided(many, "auto", Guesses(lower_bounds=True))
    assert guessed.engine == "binary"
    assert "guessed lower bounds" in guessed.stats["engine_reason"]


def test_an_old_result_names_no_engine():
    result = solve(problem_of(np.arange(6.0)[:, None]))
    assert replace(result, stats={}).engine is None
    assert replace(result, stats={"engine": 3}).engine is None


def test_options_list_what_the_engine_used():
    X = np.random.default_rng(5).normal(size=(200, 2))
    problem = problem_of(X, max_depth=1, max_leaf_nodes=2)
    constraints = {"cost_complexity", "max_depth", "max_leaf_nodes", "min_samples_leaf"}
    switches = {field.name for field in fields(BinaryOptions)} - {"engine"}
    assert set(solve(problem, 8).options) == constraints | switches
    assert set(solve(problem).options) == constraints | {field.name for field in fields(RankedOptions)}
    frontier = solve_frontier(problem, 8)[0].options
    assert set(frontier) == constraints | {"equivalent_points", "budgets", "cache", "greedy_start", "kernel"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (BinaryOptions(cache=False), "cache=False, which the search over ranked columns does not have"),
        (BinaryOptions(lookahead=False, plain_steps=7), "lookahead=False, plain_steps=7"),
        (BinaryOptions(engine="ranked", cache=False), "because search_options ask for it"),
    ],
)
def test_switches_that_the_engine_does_not_have_are_refused(options, words):
    X = np.random.default_rng(6).normal(size=(200, 2))
    with pytest.raises(InputError, match=words):
        solve(problem_of(X, max_depth=1), options=options)


def test_switches_of_ranked_columns_choose_them():
    X = np.random.default_rng(7).normal(size=(30, 2))
    problem = problem_of(X, max_depth=1, max_leaf_nodes=2)
    result = solve(problem, options=RankedOptions(lanes=3))
    assert (result.engine, result.options["lanes"]) == ("ranked", 3)
    for options in (RankedOptions(), BinaryOptions(engine="ranked")):
        with pytest.raises(InputError, match="asks for fewer"):
            solve(problem, 8, options=options)
        with pytest.raises(InputError, match="asks for fewer"):
            solve(problem, quantiles(problem.table, 4), options=options)
        assert solve_frontier(problem, options=options).points[-1].engine == "ranked"
        with pytest.raises(InputError, match="guessed lower bounds"):
            solve_guided(problem, "auto", Guesses(lower_bounds=True), options=options)


def test_a_frontier_refuses_switches_that_it_does_not_use():
    with pytest.raises(
        InputError, match="lookahead=False, which the search for a frontier over binary columns"
    ):
        solve_frontier(problem_of(np.eye(4), max_leaf_nodes=2), options=BinaryOptions(lookahead=False))


def test_auto_means_the_same_wherever_splits_are_held_one_by_one():
    X = np.random.default_rng(8).normal(size=(400, 2))
    problem = problem_of(X, max_depth=1, max_leaf_nodes=2)
    plain = problem_of(X, max_depth=1)
    spaces = [
        choose_engine(problem, "auto", BinaryOptions(engine="binary")),
        choose_engine(problem, "auto", method="guessed bounds"),
        choose_engine(problem, "auto", method="leaf accuracy"),
    ]
    for choice in spaces:
        assert choice.space.splits == spaces[0].space.splits
        assert choice.space.scope == "the chosen splits (at most 256 quantiles or categories a column)"
        why, advice = choice.space.notes[-1].split(". ", 1)
        assert why.startswith('thresholds="auto" offers at most 512 of 798 splits to ')
        assert 'thresholds="all" to search every split' in advice
    notes = choose_engine(problem, "auto", method="guessed bounds").space.notes
    assert "(the search without guessed lower bounds looks at all thresholds)" in notes[-1]
    notes = choose_engine(problem, "auto", method="near-optimal").space.notes
    assert (
        "to a set of near-optimal trees (the search for a single tree looks at all thresholds)." in notes[-1]
    )
    assert choose_engine(problem, "all", method="near-optimal").engine == "ranked"  # not binary columns only
    assert choose_engine(problem, "auto", method="frontier").space.scope == "all thresholds"
    assert solve(plain).scope == "all thresholds"
    guided = [solve_guided(plain, "auto", Guesses(lower_bounds=True, compare=c)) for c in (True, False)]
    assert guided[0].scope == "all thresholds"
    assert any("without guessed" in note for note in guided[1].notes)
