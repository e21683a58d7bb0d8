"""CART beside the best possible tree of its size."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from treewright import compare_with_cart
from treewright.errors import InputError

RNG = np.random.default_rng(3)
X = RNG.integers(0, 9, (150, 4)).astype(float)
Y = np.where((X[:, 0] > 4) ^ (X[:, 1] > 3) ^ (RNG.random(150) < 0.1), "good", "bad")


def test_counts_are_those_of_the_two_trees():
    compared = compare_with_cart(X, Y, X[:50], Y[:50])
    greedy = DecisionTreeClassifier(max_leaf_nodes=8, max_depth=3, random_state=0).fit(X, Y)
    assert compared.cart_mistakes == int((greedy.predict(X) != Y).sum())
    assert compared.mistakes == int((compared.result.tree.predict(X) != Y).sum())
    assert compared.mistakes <= compared.cart_mistakes
    assert compared.proven
    assert compared.test_mistakes[0] == int((greedy.predict(X[:50]) != Y[:50]).sum())
    assert compared.result.tree.n_leaves <= greedy.get_n_leaves()
    assert compared.result.tree.depth <= greedy.get_depth()
    words = compared.sentence()
    assert (
        f"CART with {greedy.get_n_leaves()} leaves makes {compared.cart_mistakes} mistakes on 150 rows"
        in words
    )
    assert "proven in" in words
    assert [row["mistakes"] for row in compared.records()] == [compared.cart_mistakes, compared.mistakes]
    assert "<table>" in compared._repr_html_()
    assert len(repr(compared)) < 400


def test_a_tree_of_ones_own_sets_the_size():
    mine = DecisionTreeClassifier(max_depth=2, random_state=1).fit(X, Y)
    compared = compare_with_cart(X, Y, cart=mine)
    assert compared.cart.n_leaves == mine.get_n_leaves()
    assert compared.result.tree.depth <= 2
    assert compared.cart_mistakes == int((mine.predict(X) != Y).sum())


def test_text_and_gaps_are_read_by_both():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=list("abcd")).assign(
        colour=np.array(["red", "blue"])[(X[:, 2] > 4).astype(int)]
    )
    frame.loc[::7, "a"] = np.nan
    compared = compare_with_cart(frame, Y)
    assert compared.mistakes <= compared.cart_mistakes
    with pytest.raises(InputError, match="columns of text"):
        compare_with_cart(frame, Y, cart=DecisionTreeClassifier().fit(X, Y))


def test_an_unproven_search_says_what_it_knows():
    wide = RNG.normal(size=(400, 12))
    labels = RNG.integers(0, 2, 400)
    compared = compare_with_cart(wide, labels, max_leaf_nodes=30, max_depth=5, time_limit=0.2)
    assert not compared.proven
    assert compared.fewest_mistakes <= compared.mistakes
    assert "none can make fewer than" in compared.sentence()


def test_the_picture_names_both(tmp_path):
    figure = compare_with_cart(X, Y, max_depth=2).plot()
    assert figure.axes[0].get_title().startswith("CART: ")
    assert figure.axes[1].get_title().startswith("best possible: ")
    figure.savefig(tmp_path / "both.png")
