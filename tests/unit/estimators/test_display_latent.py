"""Fitted latent trees show their hard tree, with how far it agrees."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

from treewright import LatentTreeClassifier, LatentTreeClusterer, LatentTreeRegressor

X = np.random.default_rng(0).normal(size=(80, 3))
Y = (X[:, 0] + X[:, 1] > 0).astype(int)


@pytest.mark.parametrize("kind", [LatentTreeClassifier, LatentTreeRegressor, LatentTreeClusterer])
def test_latent_trees_show_their_hard_tree(kind):
    model = kind(depth=2, epochs=5, random_state=0, progress=False).fit(X, Y)
    html = model._repr_html_()
    assert html.startswith('<div class="treewright')
    assert html.count("tw-box") > 1
    assert kind.__name__ in html


def test_what_cannot_be_hardened_keeps_scikit_learns_display():
    colours = np.array(["red", "green", "blue", "red"] * 20, dtype=object)[:, None]
    model = LatentTreeClassifier(depth=1, epochs=2, categories="onehot", random_state=0, progress=False)
    model.fit(np.hstack([X.astype(object), colours]), Y)
    assert "sk-top-container" in model._repr_html_()
