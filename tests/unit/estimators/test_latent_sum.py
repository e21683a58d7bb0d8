"""Latent tree estimators with several trees: scikit-learn's contract, shapes, weights, and what they refuse."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris

torch = pytest.importorskip("torch", reason="PyTorch (the extra `latent`) is not installed")
torch.set_num_threads(1)

from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

from treewright import LatentTreeClassifier, LatentTreeRegressor  # noqa: E402
from treewright.errors import InputError  # noqa: E402
from treewright.show import plot_latent_tree  # noqa: E402

IRIS = load_iris(return_X_y=True)
QUICK = {"depth": 2, "n_trees": 3, "epochs": 30, "batch_size": 32, "random_state": 0}
COUNT_ROWS = "batches, held-out rows, scaling, first biases and lambda count rows"


@pytest.mark.filterwarnings("ignore::Warning")
@parametrize_with_checks(
    [
        LatentTreeClassifier(depth=2, n_trees=2, epochs=8, batch_size=64, learning_rate=0.03),
        LatentTreeRegressor(depth=2, n_trees=2, epochs=8, batch_size=64, learning_rate=0.03),
    ],
    expected_failed_checks=lambda estimator: {
        "check_sample_weight_equivalence_on_dense_data": COUNT_ROWS,
        "check_sample_weight_equivalence_on_sparse_data": COUNT_ROWS,
    },
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_shapes_and_answers():
    X, y = IRIS
    model = LatentTreeClassifier(**QUICK | {"epochs": 100}).fit(X, y)
    assert model.score(X, y) > 0.93
    assert model.traverse(X).shape == (150, 21)
    assert model.apply(X).shape == (150, 3)
    assert model.pruning_vector_.shape == (21,)
    assert (model.traverse(X) <= model.pruning_vector_ + 1e-12).all()
    np.testing.assert_array_equal(model.active_nodes_, np.flatnonzero(model.pruning_vector_ > 0))
    before = model.predict_proba(X)
    np.testing.assert_allclose(model.prune().predict_proba(X), before, atol=1e-12)


def test_one_tree_is_the_tree_as_it_was():
    X, y = load_diabetes(return_X_y=True)
    options = QUICK | {"n_trees": 1}
    one = LatentTreeRegressor(**options).fit(X, y)
    assert type(one.network_.tree).__name__ == "LatentTree"
    assert one.apply(X).shape == (len(y),)
    assert one.harden().tree.n_leaves >= 1


def test_weights_reach_the_sum():
    X, y = IRIS
    heavy = np.where(y == 1, 50.0, 1.0)
    by_rows = LatentTreeClassifier(**QUICK).fit(X, y, heavy)
    by_class = LatentTreeClassifier(**QUICK, class_weight={1: 50}).fit(X, y)
    plain = LatentTreeClassifier(**QUICK).fit(X, y)
    np.testing.assert_allclose(by_rows.predict_proba(X), by_class.predict_proba(X), atol=1e-6)
    assert by_rows.predict_proba(X)[:, 1].mean() > plain.predict_proba(X)[:, 1].mean()


def test_a_sum_resumes_from_its_checkpoint(tmp_path):
    X, y = IRIS
    file = tmp_path / "run.pt"
    whole = LatentTreeClassifier(**QUICK | {"epochs": 8}).fit(X, y)
    LatentTreeClassifier(**QUICK | {"epochs": 3}, checkpoint=file).fit(X, y)
    resumed = LatentTreeClassifier(**QUICK | {"epochs": 8}, checkpoint=file).fit(X, y)
    assert resumed.result_.resumed_from == 3
    np.testing.assert_array_equal(resumed.predict_proba(X), whole.predict_proba(X))


@pytest.mark.parametrize("hardening", ["linear", "signs"])
def test_a_sum_has_no_hard_tree(hardening):
    X, y = IRIS
    model = LatentTreeClassifier(**QUICK, hardening=hardening).fit(X, y)
    for again in ((), (X, y)):
        with pytest.raises(InputError, match="n_trees=3 trees has no one hard tree; fit with n_trees=1"):
            model.harden(*again)


def test_a_sum_is_not_drawn():
    X, y = IRIS
    with pytest.raises(InputError, match="a sum of several trees is not drawn"):
        plot_latent_tree(LatentTreeClassifier(**QUICK).fit(X, y), X)


@pytest.mark.parametrize("n_trees", [0, 2.5, "many", True, 10**7])
def test_refuses_what_is_no_number_of_trees(n_trees):
    with pytest.raises(InputError, match="n_trees must be an integer from 1 to"):
        LatentTreeClassifier(**QUICK | {"n_trees": n_trees}).fit(*IRIS)


def test_refuses_a_module_of_splits():
    with pytest.raises(InputError, match="copies of one module"):
        LatentTreeClassifier(**QUICK, splits=torch.nn.Linear(4, 3)).fit(*IRIS)


def test_refuses_what_does_not_fit(monkeypatch):
    """The weights of wide tables are counted before they are made: no limit of time can end one allocation."""
    monkeypatch.setattr("treewright.estimators._latent_base.half_of_memory", lambda: 10**6)
    X = np.zeros((20, 1000))
    with pytest.raises(InputError, match=r"40 trees of depth 5 over 1,000 inputs .* Give fewer trees"):
        LatentTreeClassifier(depth=5, n_trees=40).fit(X, [0, 1] * 10)
