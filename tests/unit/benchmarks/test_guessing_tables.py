"""The tables of guesses on new rows and of the figures of the paper: paired differences, standard errors, proofs."""

import numpy as np
import pytest
from benchmarks._guessing_tables import figure_tables, held_out_tables
from benchmarks.guessing_held_out import against, stop_after, summary


def answers(data, method, tests, **more):
    return [
        {"data": data, "method": method, "seed": 1100 + k, "test": test, "seconds": 1.0, **more}
        for k, test in enumerate(tests)
    ]


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


ALL = [
    *answers("a", "exact", [0.5, 0.7], leaves=2, objective=0.4, status="OPTIMAL"),
    *answers("b", "exact", [0.9, 0.9], leaves=3, objective=0.2, status="FEASIBLE"),
    *answers("a", "guided", [0.6, 0.7], leaves=2, objective=0.5, status="OPTIMAL"),
    *answers("b", "guided", [0.9, 0.7], failed="reference of one class"),
]


def test_means_are_paired_with_the_exact_search_table_by_table():
    (row,) = against(ALL)
    assert row["test accuracy, %"] == pytest.approx(np.mean([5.0, -10.0]))
    assert row["standard error"] == pytest.approx(np.std([5.0, -10.0], ddof=1) / 2**0.5, abs=0.01)


def test_a_row_has_accuracy_error_and_what_was_not_proven():
    accuracy, rest = held_out_tables([*summary(ALL), *against(ALL)])
    assert cells(accuracy.splitlines()[2]) == ["a", "60.0 ± 10.0", "65.0 ± 5.0"]
    assert cells(accuracy.splitlines()[-1])[1:] == ["-", "-2.5 ± 7.5"]
    assert "exact: 2 of 2" in rest.splitlines()[3]
    assert "guided: 2 of 2: one class" in rest.splitlines()[3]
    assert cells(rest.splitlines()[2])[-1] == "-"  # all proven


def test_each_part_of_the_figures_is_a_table_with_a_title():
    leaf = {"leaves": 2.0, "train": 0.5, "test": 0.5}
    rows = [
        {"part": "front", "data": "a", "penalty": 0.01, **leaf, "CART": {**leaf, "test": 0.25}},
        {"part": "depths", "data": "compas", "depth": None, **leaf},
        {"part": "trees", "data": "compas", "depth": 3, **leaf, "tree": "the tree"},
    ]
    text = "\n".join(figure_tables(rows))
    assert "Figure 2" in text
    assert "0.25" in text
    assert "unlimited" in text
    assert "```text\nthe tree\n```" in text


def test_a_search_is_stopped_after_processor_seconds():
    over = stop_after(0.0)
    over(None)
    assert over(None) is True
