"""The latent tree estimators: scikit-learn's contract, any table, stable predictions, honest errors."""

import pickle
import subprocess
import sys
import textwrap

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris, make_blobs
from sklearn.metrics import adjusted_rand_score

torch = pytest.importorskip("torch", reason="PyTorch (the extra `latent`) is not installed")
torch.set_num_threads(1)

from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

from treewright import LatentTreeClassifier, LatentTreeClusterer, LatentTreeRegressor  # noqa: E402
from treewright.errors import InputError, ModelFileError  # noqa: E402
from treewright.latent import LatentTreeNetwork, dendrogram_purity  # noqa: E402
from treewright.show import to_text  # noqa: E402

IRIS = load_iris(return_X_y=True)
QUICK = {"depth": 2, "epochs": 30, "batch_size": 32, "random_state": 0}


def fails_by_design(estimator):
    """Copies of a row fall into other batches than one row of twice the weight; scikit-learn's own networks, too.

    One batch of all rows and no held-out ones are not enough: scaling, the first biases and lambda count rows, too.
    """
    why = "batches, held-out rows, scaling, first biases and lambda count rows"
    return {
        "check_sample_weight_equivalence_on_dense_data": why,
        "check_sample_weight_equivalence_on_sparse_data": why,
    }


@pytest.mark.filterwarnings("ignore::Warning")
@parametrize_with_checks(
    [
        LatentTreeClassifier(depth=2, epochs=8, batch_size=64, learning_rate=0.03),
        LatentTreeRegressor(depth=2, epochs=8, batch_size=64, learning_rate=0.03),
        LatentTreeClusterer(depth=2, epochs=8, batch_size=64, learning_rate=0.03),
    ],
    expected_failed_checks=fails_by_design,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_classifier_learns_and_answers():
    X, y = IRIS
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = LatentTreeClassifier(depth=3, epochs=150, batch_size=32, random_state=0).fit(X, names)
    assert model.score(X, names) > 0.93
    proba = model.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    np.testing.assert_array_equal(model.classes_[proba.argmax(axis=1)], model.predict(X))
    assert model.traverse(X).shape == (150, 15)
    assert (model.traverse(X) <= model.pruning_vector_ + 1e-12).all()
    assert set(model.apply(X)) <= set(model.active_nodes_)


def test_a_row_is_answered_the_same_in_any_company():
    X, y = IRIS
    model = LatentTreeClassifier(**QUICK).fit(X, y)
    together = model.predict_proba(X)
    np.testing.assert_allclose(
        np.vstack([model.predict_proba(X[[i]]) for i in range(30)]), together[:30], atol=1e-12
    )
    order = np.random.default_rng(0).permutation(150)
    np.testing.assert_allclose(model.predict_proba(X[order]), together[order], atol=1e-12)


def test_seeds():
    X, y = IRIS
    one, same, other = (
        LatentTreeClassifier(**QUICK | {"random_state": s}).fit(X, y).predict_proba(X) for s in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


def test_binary_and_one_class():
    X, y = IRIS
    model = LatentTreeClassifier(**QUICK).fit(X[:100], y[:100] == 1)
    assert model.predict_proba(X[:100]).shape == (100, 2)
    assert model.score(X[:100], y[:100] == 1) == 1
    lonely = LatentTreeClassifier(**QUICK).fit(X[:20], ["same"] * 20)
    assert set(lonely.predict(X)) == {"same"}
    np.testing.assert_array_equal(lonely.predict_proba(X), np.ones((150, 1)))
    assert lonely.harden().tree.predict(X[:3]).tolist() == ["same"] * 3


def mixed(n=300):
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue"], n)
    size = rng.normal(size=n)
    y = np.where((colour == "red") ^ (size > 0), "yes", "no")
    frame = pd.DataFrame({"colour": colour, "size": size, "old": rng.random(n) < 0.5})
    frame.loc[::7, "size"] = np.nan
    frame.loc[3::11, "colour"] = None
    return frame, y


@pytest.mark.parametrize("categories", ["ordinal", "onehot"])
def test_categories_and_missing_values(categories):
    frame, y = mixed()
    model = LatentTreeClassifier(
        depth=3, epochs=60, batch_size=64, categories=categories, random_state=0
    ).fit(frame, y)
    known = frame.notna().all(axis=1)
    assert model.score(frame[known], y[known]) > 0.9
    assert list(model.feature_names_in_) == ["colour", "size", "old"]
    with pytest.raises(InputError, match="violet"):
        model.predict(frame.assign(colour="violet"))
    if categories == "onehot":
        with pytest.raises(InputError, match="one-hot"):
            model.harden()
    else:
        assert model.harden().agreement > 0.5


def test_regressor():
    X, y = load_diabetes(return_X_y=True)
    model = LatentTreeRegressor(depth=3, pruning=10, batch_size=64, epochs=60, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.45
    hard = model.harden()
    assert hard.agreement == pytest.approx(
        1 - ((model.predict(X) - hard.tree.predict(X)) ** 2).mean() / model.predict(X).var()
    )
    assert f"{hard.tree.n_leaves} leaves" in hard.sentence


def test_where_the_soft_model_has_one_number_no_variance_is_explained():
    X, y = load_diabetes(return_X_y=True)
    model = LatentTreeRegressor(**QUICK).fit(X, y)
    hard = model.harden(X[:1], y[:1] + 1000)
    assert hard.tree.predict(X[:1]) != model.predict(X[:1])
    assert hard.agreement == -np.inf
    assert "one number for 1 row, and the tree another" in hard.sentence
    assert "100" not in hard.sentence
    same = model.harden(X[:1], model.predict(X[:1]))
    assert same.agreement == 1.0


@pytest.mark.parametrize("power", [-1000, 900])
def test_targets_whose_squares_are_no_numbers(power):
    X, y = load_diabetes(return_X_y=True)
    usual = LatentTreeRegressor(**QUICK).fit(X, y)
    other = LatentTreeRegressor(**QUICK).fit(X, np.ldexp(y, power))
    np.testing.assert_array_equal(other.predict(X), np.ldexp(usual.predict(X), power))
    assert other.harden().sentence == usual.harden().sentence
    with pytest.raises(
        InputError, match=r"y contains -2e\+300; give numbers of at most 1e300, in other units"
    ):
        usual.fit(X, np.where(y == y[0], -2e300, y))


def test_large_weights_of_large_targets_make_no_infinite_mean():
    X = np.repeat([[0.0], [1.0]], 20, axis=0)
    y = np.repeat([1e299, 3e299], 20) * np.tile([1.0, 1.5], 20)
    model = LatentTreeRegressor(**QUICK, hardening="axis").fit(X, y, np.tile([1e13, 2e13], 20))
    value = model.harden().tree.value[0, 0]
    assert value == pytest.approx(2e299 * (1 + 3) / 3)


def test_harden_states_its_agreement():
    X, y = IRIS
    model = LatentTreeClassifier(depth=3, epochs=150, batch_size=32, random_state=0).fit(X, y)
    hard = model.harden()
    assert hard.agreement == (hard.tree.predict(X) == model.predict(X)).mean()
    assert hard.agreement > 0.8
    assert f"{100 * hard.agreement:.1f}%" in hard.sentence
    other = model.harden(X[::2], y[::2])
    assert other.tree.n_node_samples[0] == 75
    with pytest.raises(InputError, match="not known here"):
        model.harden(X, y + 10)


def test_prune_changes_no_prediction():
    X, y = IRIS
    model = LatentTreeClassifier(depth=5, epochs=60, batch_size=32, pruning=20, random_state=0).fit(X, y)
    with torch.no_grad():  # make sure that something is dead
        model.network_.tree.bias[1] -= 30
    model.network_.tree.fix_pruning(torch.as_tensor(model._encoder.transform(X)))
    before, a = model.predict_proba(X), model.pruning_vector_.copy()
    size = sum(p.numel() for p in model.network_.parameters())
    assert (a == 0).any()
    model.prune()
    np.testing.assert_allclose(model.predict_proba(X), before, atol=1e-12)
    np.testing.assert_array_equal(model.pruning_vector_, a)
    assert sum(p.numel() for p in model.network_.parameters()) < size
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_a_fitted_model_has_no_nodes_that_no_row_reaches(monkeypatch):
    """Nodes with z = 0 on all training rows are dropped; what is predicted stays the same."""
    X, y = IRIS
    options = {**QUICK, "depth": 5, "pruning": 100, "learning_rate": 0.3, "hardening": "signs"}

    def fitted():
        return LatentTreeClassifier(**options).fit(X, y)

    model = fitted()
    monkeypatch.setattr(LatentTreeNetwork, "prune_", lambda network: network)
    whole = fitted()
    assert len(whole.network_.tree.nodes) == 63
    assert len(model.network_.tree.nodes) == len(whole.active_nodes_) < 63
    np.testing.assert_array_equal(model.active_nodes_, whole.active_nodes_)
    np.testing.assert_allclose(model.traverse(X), whole.traverse(X), atol=1e-12)
    for rows in (X, 3 * X):
        np.testing.assert_allclose(model.predict_proba(rows), whole.predict_proba(rows), atol=1e-12)
        np.testing.assert_array_equal(model.apply(rows), whole.apply(rows))
    assert to_text(model.harden().tree) == to_text(whole.harden().tree)


def test_clusterer():
    X, y = make_blobs(200, centers=4, cluster_std=0.5, random_state=3)
    model = LatentTreeClusterer(depth=3, epochs=100, batch_size=32, random_state=0).fit(X)
    assert adjusted_rand_score(model.labels_, y) > 0.5
    assert dendrogram_purity(model.nodes_, y) > 0.8
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert sorted(set(model.labels_)) == list(range(len(set(model.labels_))))
    hard = model.harden()
    assert model.tree_ is hard.tree
    assert to_text(model) == to_text(hard.tree)
    assert "cluster 0" in to_text(model)
    assert hard.agreement == 1.0
    assert model.harden(X[:50]).tree.predict(X[:50]).tolist() == [
        f"cluster {k}" for k in model.predict(X[:50])
    ]
    model.set_params(splits=torch.nn.Linear(2, 7), epochs=2).fit(X)  # a module of its own has no hard tree
    assert not hasattr(model, "tree_")
    aimed = LatentTreeClusterer(depth=2, targets=["x0"], epochs=20, random_state=0).fit(X)
    assert aimed._encoder.source.tolist() == [1]
    for targets in (["x9"], [7], [], [0, 1], [1.5]):
        with pytest.raises(InputError, match="targets"):
            LatentTreeClusterer(targets=targets, epochs=1).fit(X)


def test_checkpoint_and_resume(tmp_path):
    X, y = IRIS
    straight = LatentTreeClassifier(**QUICK).fit(X, y)
    file = tmp_path / "iris.pt"
    LatentTreeClassifier(**QUICK, checkpoint=file, progress=lambda epoch: epoch.number == 10).fit(X, y)
    resumed = LatentTreeClassifier(**QUICK, checkpoint=file).fit(X, y)
    assert resumed.result_.resumed_from == 10
    np.testing.assert_array_equal(resumed.predict_proba(X), straight.predict_proba(X))
    with pytest.raises(ModelFileError, match="another shape"):
        LatentTreeClassifier(**QUICK | {"depth": 4}, checkpoint=file).fit(X, y)


def test_fit_changes_no_parameter():
    X, y = IRIS
    splits = torch.nn.Linear(4, 3)
    before = splits.weight.detach().clone()
    model = LatentTreeClassifier(**QUICK, splits=splits).fit(X, y)
    assert torch.equal(splits.weight, before)
    assert model.splits is splits
    with pytest.raises(InputError, match="module of their own"):
        model.harden()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"depth": 0}, "depth"),
        ({"depth": 99}, "depth"),
        ({"pruning": -1}, "pruning"),
        ({"pruning": np.nan}, "pruning"),
        ({"device": "nowhere"}, "device"),
        ({"device": "meta:9x"}, "device"),
        ({"validation_fraction": 1.0}, "validation_fraction"),
        ({"categories": "binary"}, "categories"),
        ({"loss": "hinge"}, "loss"),
        ({"optimizer": "newton"}, "optimizer"),
        ({"dropout": 1.0}, "dropout"),
        ({"hidden_layers": (0,)}, "hidden_layers"),
        ({"progress": "loud"}, "progress"),
        ({"batch_size": 0}, "batch_size"),
        ({"routing": "soft"}, "routing"),
    ],
)
def test_bad_parameters(options, words):
    with pytest.raises(InputError, match=words):
        LatentTreeClassifier(**QUICK | options).fit(*IRIS)


def test_bad_targets():
    X, _ = IRIS
    with pytest.raises(InputError, match="NaN"):
        LatentTreeRegressor(**QUICK).fit(X, np.full(150, np.nan))
    with pytest.raises(InputError, match="rows"):
        LatentTreeRegressor(**QUICK).fit(X, np.zeros(3))


def test_constant_columns_and_targets():
    X, y = IRIS
    constant = np.column_stack([X, np.ones(150)])
    assert LatentTreeClassifier(**QUICK).fit(constant, y).score(constant, y) > 0.8
    model = LatentTreeRegressor(**QUICK).fit(X, np.full(150, 3.0))
    np.testing.assert_allclose(model.predict(X), 3.0, atol=0.2)


def test_without_pytorch_the_message_names_the_extra():
    code = textwrap.dedent(
        """
        import sys

        class WithoutTorch:
            def find_spec(self, name, path=None, target=None):
                if name == "torch":
                    raise ImportError(name)

        sys.meta_path.insert(0, WithoutTorch())
        import treewright
        from treewright.errors import MissingDependencyError
        try:
            treewright.LatentTreeClassifier(depth=2).fit([[0.0], [1.0]], [0, 1])
        except MissingDependencyError as error:
            assert "treewright[latent]" in str(error), error
        else:
            raise SystemExit("no error")
        """
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_importing_treewright_does_not_load_torch():
    code = "import sys, treewright; treewright.LatentTreeClassifier; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
