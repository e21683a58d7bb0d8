"""CART beside the best possible tree of its size."""

from __future__ import annotations

import re

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
    page = compared._repr_html_()
    assert "none has fewer" not in page
    assert "></td>" not in page
    assert re.findall(r'scope="col"[^>]*>([^<]*)<', page) == [
        "tree",
        "leaves",
        "depth",
        "mistakes",
        "mistakes on test rows",
    ]
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


def random_comparison(seed):
    """Return a comparison with random splits, limits and, half of the time, a CART of one's own."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 60))
    table = np.round(rng.normal(size=(n, 3)), 1)
    table[rng.random((n, 3)) < rng.choice([0.0, 0.2])] = np.nan
    labels = (np.nan_to_num(table[:, 0], nan=0.4) > rng.normal(0.5, 0.7, n)).astype(int)
    labels[:2] = 0, 1
    options = {
        "max_depth": int(rng.integers(1, 4)),
        "max_leaf_nodes": int(rng.integers(2, 7)),
        "min_samples_leaf": int(rng.choice([1, 1, 5])),
        "thresholds": rng.choice(["auto", "all", "3", "given"]),
    }
    if options["thresholds"] == "3":
        options["thresholds"] = 3
    elif options["thresholds"] == "given":
        options["thresholds"] = {f"x{j}": [0.0, 0.5] for j in range(3)}
    if rng.random() < 0.5:
        learned = rng.integers(0, n, n)
        learned[:2] = 0, 1
        weight = np.where(labels[learned] > 0, 5.0, 1.0)
        own = DecisionTreeClassifier(
            max_depth=int(rng.integers(0, 4)) or None, max_leaf_nodes=6, random_state=0
        )
        options["cart"] = own.fit(table[learned], labels[learned], sample_weight=weight)
    return compare_with_cart(table, labels, time_limit=20, **options)


@pytest.mark.parametrize("seed", range(150))
def test_no_cart_beats_what_is_called_the_best_possible(seed):
    compared = random_comparison(seed)
    words = compared.sentence()
    assert ("best possible" in words) == (compared.proven and not compared.cart_is_freer)
    if "best possible" in words:
        assert compared.mistakes <= compared.cart_mistakes
    if not compared.cart_is_freer:
        assert compared.fewest_mistakes <= compared.cart_mistakes
    assert words.count("best possible") == (compared.title == "best possible")
    assert compared.records()[1]["tree"] == compared.title


def test_fewer_splits_than_cart_are_not_the_best_possible():
    column = np.arange(60.0)[:, None]
    compared = compare_with_cart(column, column[:, 0] > 41, max_depth=1, thresholds=2)
    assert compared.cart_mistakes == 0 < compared.mistakes
    assert compared.proven
    assert "best possible" not in compared.sentence()
    assert compared.sentence().endswith("CART was not held to these splits.")
    assert compared.title == compared.records()[1]["tree"] == "best of those searched"


def test_a_cart_with_smaller_leaves_is_told():
    column, labels = np.arange(60.0)[:, None], np.arange(60) > 56
    mine = DecisionTreeClassifier(random_state=0).fit(column, labels)
    compared = compare_with_cart(column, labels, cart=mine, min_samples_leaf=20)
    assert compared.cart_mistakes == 0 < compared.mistakes
    assert "at least 20 rows per leaf" in compared.sentence()
    assert compared.sentence().endswith("CART has a leaf of 3 rows.")
    assert "best possible" not in compared.sentence()


def test_labels_that_are_no_classes_are_refused_with_what_to_do():
    with pytest.raises(InputError, match=r"holds numbers that are not whole .* use OptimalTreeRegressor"):
        compare_with_cart([[1.0], [2.0], [3.0]], [0.5, 1.5, 0.5])


def test_a_cart_over_other_columns_or_labels_is_refused():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=list("abcd"))
    mine = DecisionTreeClassifier(max_depth=2).fit(frame, Y)
    assert compare_with_cart(frame, Y, cart=mine).cart_mistakes == int((mine.predict(frame) != Y).sum())
    with pytest.raises(InputError, match="columns a, b, c, d, X has d, c, b, a"):
        compare_with_cart(frame[list("dcba")], Y, cart=mine)
    with pytest.raises(InputError, match=r"^y holds labels .* Fit cart on the labels of y"):
        compare_with_cart(X, Y, cart=DecisionTreeClassifier().fit(X, np.full(150, "good")))
