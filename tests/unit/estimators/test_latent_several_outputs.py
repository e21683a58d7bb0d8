"""Latent regression of several outputs: shapes, hard trees, files, weights, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch (the extra `latent`) is not installed")

from treewright import LatentTreeRegressor
from treewright.convert import Model, load_model, save_model
from treewright.errors import InputError
from treewright.latent._hard_nodes import Numbers
from treewright.show import to_text


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(240, 3))
    y = np.column_stack([3.0 * (X[:, 0] > 0), 1000 * (X[:, 1] + X[:, 2] > 0.5)]) + [0.1, 10] * rng.normal(
        size=(240, 2)
    )
    return X, y


def latent(**options):
    return LatentTreeRegressor(**{"depth": 3, "epochs": 300, "random_state": 0, **options})


@pytest.fixture(scope="module")
def fitted(data):
    return latent().fit(*data)


def test_each_output_is_learned_whatever_its_unit(fitted, data) -> None:
    X, y = data
    assert fitted.predict(X).shape == (240, 2)
    apart = ((y - fitted.predict(X)) ** 2).mean(axis=0) / y.var(axis=0)
    assert (apart < 0.35).all()  # the unit of the second is 300 times as large


@pytest.mark.parametrize("hardening", ["linear", "axis", "signs"])
def test_leaves_of_the_hard_tree_hold_the_means_of_their_rows(data, hardening: str) -> None:
    X, y = data
    hard = latent(hardening=hardening).fit(X, y).harden()
    leaf = hard.tree.apply(X)
    expected = np.array([y[leaf == one].mean(axis=0) for one in leaf])
    np.testing.assert_allclose(hard.tree.predict(X), expected)
    assert hard.agreement <= 1
    if hardening != "signs":
        error = ((y - hard.tree.predict(X)) ** 2).mean(axis=0) / y.var(axis=0)
        assert (error < 0.3).all()


def test_the_hard_tree_is_shown_and_saved(fitted, data, tmp_path) -> None:
    tree = fitted.harden().tree
    save_model(tmp_path / "model.json", Model(tree))
    loaded = load_model(tmp_path / "model.json").tree
    np.testing.assert_array_equal(loaded.predict(data[0]), tree.predict(data[0]))
    assert to_text(tree).count("→ (") == tree.is_leaf.sum()
    assert fitted._repr_html_()


def test_a_unit_changes_nothing_but_itself(fitted, data) -> None:
    X, y = data
    other = latent().fit(X, y * [1, 0.5] + [0, 7])
    np.testing.assert_allclose(other.predict(X), fitted.predict(X) * [1, 0.5] + [0, 7], rtol=1e-4, atol=1e-3)
    np.testing.assert_array_equal(other.harden().tree.apply(X), fitted.harden().tree.apply(X))
    assert other.harden().agreement == pytest.approx(fitted.harden().agreement, abs=1e-6)


def test_a_constant_output_and_a_copy_change_no_hard_tree(data) -> None:
    X, y = data
    one = latent(depth=2, hardening="axis").fit(X, y[:, 0])
    both = latent(depth=2, hardening="axis").fit(X, np.column_stack([y[:, 0], np.ones(240)]))
    np.testing.assert_allclose(both.predict(X)[:, 1], 1.0, atol=0.2)
    root = one.harden().tree.splits[0]
    assert both.harden().tree.splits[0].column == root.column


def test_costs_of_several_outputs_add_up() -> None:
    rng = np.random.default_rng(0)
    y, weight, rows = rng.normal(size=(30, 2)), rng.uniform(1, 2, 30), rng.permutation(30)[:11]
    both = Numbers(y, weight)
    parts = [Numbers(y[:, k], weight) for k in range(2)]
    value = both.value(rows)
    np.testing.assert_allclose(value, [part.value(rows) for part in parts])
    same = np.broadcast_to(value, (11, 2))
    np.testing.assert_allclose(
        both.loss(rows, same), sum(part.loss(rows, same[:, k]) for k, part in enumerate(parts))
    )
    np.testing.assert_allclose(
        both.sums(rows)[:, 1:], np.column_stack([part.sums(rows)[:, 1] for part in parts])
    )


def test_weights_validation_rows_and_sums_of_trees(data) -> None:
    X, y = data
    weight = np.where(X[:, 0] > 1, 0.0, 2.0)
    model = latent(depth=2, n_trees=3, epochs=50)
    assert model.fit(X, y, weight, validation=(X[:40], y[:40])).predict(X).shape == (240, 2)
    kept = weight > 0
    again = latent(depth=2, n_trees=3, epochs=50).fit(X[kept], y[kept], validation=(X[:40], y[:40]))
    np.testing.assert_array_equal(model.predict(X), again.predict(X))


def test_what_is_refused(fitted, data) -> None:
    X, y = data
    with pytest.raises(InputError, match="1 outputs, expected 2"):
        fitted.harden(X, y[:, 0])
    with pytest.raises(InputError, match="3 outputs, expected 2"):
        latent(depth=1, epochs=1).fit(X, y, validation=(X, np.column_stack([y, y[:, 0]])))
    with pytest.raises(InputError, match="NaN or infinity"):
        latent(depth=1).fit(X, np.where(y > 900, np.nan, y))
    with pytest.raises(InputError, match="one finite number per row"):
        latent(depth=1).fit(X, y[:, :, None])


def test_an_output_that_never_changes_is_that_number_in_every_leaf() -> None:
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(300, 3)), rng.random(300)
    steps = np.where(X[:, 0] > 0, 0.1, 0.7)
    tree = (
        latent(depth=2, epochs=30).fit(X, np.c_[steps, np.full(300, 7.0)], sample_weight=weight).harden().tree
    )
    assert (tree.value[:, 1] == 7.0).all()
    assert (tree.value[:, 0] >= 0.1).all()
    assert (tree.value[:, 0] <= 0.7).all()


def test_a_tree_that_is_worse_than_a_constant_is_said_to_be(fitted, data) -> None:
    """Leaves are filled with other targets, so the hard tree has nothing to do with the soft model."""
    X, y = data
    hardened = fitted.harden(X, -20 * y)
    assert hardened.agreement < 0
    assert "further from those of the soft model than the mean" in hardened.sentence
    assert "%" not in hardened.sentence
    assert "% of the variance" in fitted.harden(X, y).sentence
