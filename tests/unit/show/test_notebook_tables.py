"""What a notebook shows of a set of trees and of a front: the sentence, and a table of what is in it."""

from __future__ import annotations

import math
import re

import numpy as np
import pandas as pd
import pytest

from treewright import accuracy_frontier, near_optimal_trees
from treewright.search._frontier import _penalties_in_words
from treewright.show import notebook_table

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.integers(0, 4, (80, 3)), columns=["<b>age", "size", "speed"])
Y = ((X["size"] > 1) ^ (RNG.random(80) < 0.2)).astype(int)


@pytest.fixture(scope="module")
def trees():
    return near_optimal_trees(X, Y, cost_complexity=0.02, max_depth=2, epsilon=0.3)


@pytest.fixture(scope="module")
def frontier():
    return accuracy_frontier(X, Y, max_leaves=6)


def lines(page: str) -> list[list[str]]:
    return [re.findall("<t[dh][^>]*>([^<]*)", row) for row in page.split("<tr>")[1:]]


@pytest.mark.parametrize("name", ["trees", "frontier"])
def test_it_is_a_piece_of_html_of_its_own(name, request):
    page = request.getfixturevalue(name)._repr_html_()
    assert page.startswith('<div class="treewright tw-notebook">')
    assert "<script" not in page
    assert " id=" not in page
    assert "http" not in page
    assert ">Leaves<" in page


def test_a_near_optimal_set_shows_its_sizes(trees):
    head, *sizes = lines(trees._repr_html_())
    assert head == ["Leaves", "Training loss", "Objective", "Trees"]
    table = trees.table()
    assert len(table) > 1
    assert sizes == [
        [str(size.n_leaves), f"{size.loss:.6g}", f"{size.objective:.6g}", f"{size.n_trees:,}"]
        for size in table[:20]
    ]
    assert (f"{len(table) - 20:,} more lines; table() returns all." in trees._repr_html_()) == (
        len(table) > 21
    )


def test_a_set_without_trees_shows_its_sentence_with_names_escaped(trees):
    page = trees.where(max_leaves=1, uses="<b>age")._repr_html_()
    assert "no tree" in page
    assert "&lt;b&gt;age" in page
    assert "<b>" not in page
    assert "<table" not in page


def test_a_front_shows_its_points_and_the_penalties_that_select_them(frontier):
    head, *points = lines(frontier._repr_html_())
    assert head == ["Leaves", "Depth", "Training loss", "Proof", "Selected by cost_complexity"]
    assert [int(point[0]) for point in points] == [point.tree.n_leaves for point in frontier]
    assert {point[3] for point in points} == {"proven"}
    chosen = 0
    for leaves, _, _, _, penalties in points:
        low, _, high = penalties.removeprefix("\u2265 ").partition(", &lt; ")
        ends = [float(low)] if low else []
        ends += [float(high) * (1 - 1e-6)] if high else []
        for penalty in ends:
            chosen += 1
            assert frontier.select(penalty).tree.n_leaves == int(leaves)
    assert chosen > 2


def test_points_without_a_proof_say_so():
    open_front = accuracy_frontier(X, Y, max_leaves=6, step_limit=1)
    shown = [point[3] for point in lines(open_front._repr_html_())[1:]]
    proven = [row["proven"] for row in open_front.records()]
    assert not all(proven)
    assert [said == "proven" for said in shown] == proven
    for said in set(shown) - {"proven"}:
        assert re.fullmatch(r"not proven|none below 0\.\d*[1-9]\d*", said)


def test_of_a_long_table_the_first_lines_are_shown():
    page = notebook_table("Numbers", "All.", ["n"], ([str(n)] for n in range(10**9)), 10**9, "numbers()")
    assert page.count("<td>") == 20
    assert "999,999,980 more lines; numbers() returns all." in page


def test_a_range_too_narrow_for_four_digits_is_written_whole():
    assert _penalties_in_words(0.12341, 0.12342) == "\u2265 0.12341, < 0.12342"
    assert _penalties_in_words(0.12341, math.inf) == "\u2265 0.1235"
    assert _penalties_in_words(None, None) == ""
