"""Weights, own validation rows, and word of a training that was cut short, of the latent tree estimators."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import ConvergenceWarning

torch = pytest.importorskip("torch", reason="PyTorch (the extra `latent`) is not installed")

from treewright import LatentTreeClassifier, LatentTreeRegressor  # noqa: E402
from treewright.errors import InputError  # noqa: E402
from treewright.estimators import _latent_base  # noqa: E402
from treewright.latent._options import make_loss, weighted_loss, with_weights  # noqa: E402

QUICK = {"depth": 2, "epochs": 15, "batch_size": 32, "random_state": 0, "progress": False}


@pytest.mark.parametrize(
    ("name", "n_outputs"), [("squared_error", 2), ("cross_entropy", 1), ("cross_entropy", 3)]
)
def test_the_weighted_loss_is_the_mean_over_copies(name, n_outputs):
    """Whole weights count as copies of the row."""
    make = torch.Generator().manual_seed(0)
    out = torch.randn(6, n_outputs, generator=make, dtype=torch.float64)
    y = torch.randn(6, n_outputs, generator=make, dtype=torch.float64)
    if name == "cross_entropy":
        y = torch.tensor([0, 1, 1, 0, 1, 0]) * (n_outputs - 1 if n_outputs > 1 else 1)
    weight = torch.tensor([1.0, 2, 3, 1, 1, 4], dtype=torch.float64)
    copies = torch.repeat_interleave(torch.arange(6), weight.long())
    ours = weighted_loss(name, n_outputs)(out, with_weights(y, weight))
    torch.testing.assert_close(ours, make_loss(name, n_outputs)(out[copies], y[copies]))


@pytest.mark.parametrize("kind", [LatentTreeClassifier, LatentTreeRegressor])
def test_laws_of_weights(kind):
    X, y = load_iris(return_X_y=True) if kind is LatentTreeClassifier else load_diabetes(return_X_y=True)
    X, y = X[:150], y[:150]
    rng = np.random.default_rng(0)
    weight = rng.integers(0, 4, len(y)).astype(float)

    def answers(rows, **options):
        model = kind(**QUICK).fit(X[rows], y[rows], **options)
        hard = model.harden().tree
        return np.concatenate([model._outputs(X[:20]).ravel(), hard.predict(X)]), hard

    everyone = np.arange(len(y))
    plain, _ = answers(everyone)
    np.testing.assert_array_equal(answers(everyone, sample_weight=np.full(len(y), 3.0))[0], plain)
    weighted, hard = answers(everyone, sample_weight=weight)
    assert not np.array_equal(weighted, plain)
    np.testing.assert_array_equal(answers(everyone, sample_weight=4 * weight)[0], weighted)
    kept = np.flatnonzero(weight)
    np.testing.assert_array_equal(answers(kept, sample_weight=weight[kept])[0], weighted)
    leaf = hard.apply(X[kept])
    for node in np.unique(leaf):  # leaves say what the heavier rows say
        here = kept[leaf == node]
        if kind is LatentTreeRegressor:
            assert hard.value[node, 0] == pytest.approx(np.average(y[here], weights=weight[here]))
        else:
            heavy = np.bincount(y[here], weights=weight[here])
            assert heavy[hard.prediction[node]] == heavy.max()


def test_weights_decide():
    """The same rows with both labels: the heavier label is the answer, and the mean is the weighted one."""
    X = np.tile(np.random.default_rng(0).normal(size=(60, 2)), (2, 1))
    y = np.repeat([0, 1], 60)
    options = {**QUICK, "epochs": 100, "learning_rate": 0.05}
    for heavy in (0, 1):
        weight = np.where(y == heavy, 9.0, 1.0)
        model = LatentTreeClassifier(**options).fit(X, y, weight)
        assert (model.predict(X) == heavy).mean() > 0.95
        assert (model.harden().tree.predict(X) == heavy).all()
        number = LatentTreeRegressor(**options).fit(X, y, weight)
        assert number.predict(X).mean() == pytest.approx(0.1 + 0.8 * heavy, abs=0.05)


@pytest.mark.parametrize("kind", [LatentTreeClassifier, LatentTreeRegressor])
@pytest.mark.parametrize("weighted", [False, True])
def test_own_validation_rows_select_and_train_nothing(kind, weighted):
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(150)
    train, other = order[:100], order[100:]
    weight = np.random.default_rng(1).random(100) + 0.5 if weighted else None
    options = {**QUICK, "schedule": None}
    model = kind(**options).fit(X[train], y[train], weight, validation=(X[other], y[other]))
    tree = model.harden().tree
    assert tree.n_node_samples[0] == 100
    best = model.result_.history[model.result_.best_epoch - 1]
    assert best.validation_error == min(epoch.validation_error for epoch in model.result_.history)
    if kind is LatentTreeClassifier:
        assert best.validation_error == pytest.approx(1 - model.score(X[other], y[other]))
    # Labels of the validation rows are not learned: turned around, they choose another epoch of the same training.
    turned = kind(**options).fit(X[train], y[train], weight, validation=(X[other], 2 - y[other]))
    losses = [[epoch.train_loss for epoch in fitted.result_.history] for fitted in (model, turned)]
    n = min(map(len, losses))
    assert n > 2
    assert losses[0][:n] == losses[1][:n]


def test_validation_and_weights_that_cannot_be_used():
    X, y = load_iris(return_X_y=True)
    model = LatentTreeClassifier(**QUICK)
    for validation, message in (
        (X, "a pair"),
        ((X[:, :2], y), "as validation, is expecting 4 features"),
        ((X[:0], y[:0]), "0 sample"),
        ((X[:9], y[:8]), "8 values of y for 9 rows"),
        ((X[:3], [7, 7, 7]), "validation holds"),
    ):
        with pytest.raises(InputError, match=message):
            model.fit(X, y, validation=validation)
    with pytest.raises(InputError, match="3 values for 9 rows"):
        LatentTreeRegressor(**QUICK).fit(X, y, validation=(X[:9], y[:3]))
    with pytest.raises(InputError, match="sample_weight has shape"):
        model.fit(X, y, np.ones(3))
    own = LatentTreeClassifier(loss=torch.nn.functional.cross_entropy, **QUICK)
    with pytest.raises(InputError, match="takes no weights"):
        own.fit(X, y, np.arange(150.0))


def test_a_training_that_still_improves_is_said(monkeypatch):
    """The default number of epochs, with steps so small that it is far from enough."""
    monkeypatch.setattr(_latent_base, "LEAST_STEPS", 50)
    X, y = load_iris(return_X_y=True)
    slow = {"depth": 1, "learning_rate": 1e-3, "schedule": None, "random_state": 0, "progress": False}
    with pytest.warns(ConvergenceWarning, match="still fell when 100 epochs were over"):
        model = LatentTreeClassifier(**slow).fit(X, y)
    assert model.result_.still_improving
    assert model.result_.best_is_last
    with pytest.warns(ConvergenceWarning, match="ended with its best epoch, number 30") as caught:
        asked = LatentTreeClassifier(epochs=30, **slow).fit(X, y)
    assert [warning.filename for warning in caught] == [__file__]  # of the call that trained
    assert asked.result_.still_improving
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ready = LatentTreeClassifier(depth=1, epochs=300, patience=5, random_state=0, progress=False).fit(
            X, y
        )
    assert not ready.result_.best_is_last
    assert ready.result_.best_epoch == len(ready.result_.history) - 5


def test_class_weights_are_sample_weights():
    X, y = load_iris(return_X_y=True)
    X, y = X[20:], np.array(["a", "b", "c"])[y[20:]]
    weights = {"a": 2.0, "c": 0.5}
    by_row = np.array([weights.get(label, 1.0) for label in y])
    own = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    validation = (X[::9], y[::9])

    def outputs(class_weight=None, **given):
        model = LatentTreeClassifier(class_weight=class_weight, **QUICK).fit(X, y, **given)
        return np.append(model._outputs(X).ravel(), model.harden().tree.predict(X) == "a")

    np.testing.assert_array_equal(outputs(weights), outputs(sample_weight=by_row))
    np.testing.assert_array_equal(outputs(weights, sample_weight=own), outputs(sample_weight=own * by_row))
    balanced = len(y) / (3 * np.array([(y == label).sum() for label in y]))
    np.testing.assert_allclose(outputs("balanced"), outputs(sample_weight=balanced), atol=1e-4)
    assert not np.array_equal(outputs(weights, validation=validation), outputs(validation=validation))
    nothing = LatentTreeClassifier(class_weight={"b": 0}, **QUICK).fit(X, y)
    assert nothing.classes_.tolist() == ["a", "b", "c"]
    assert "b" not in nothing.harden().tree.predict(X)


def test_class_weights_that_cannot_be_used():
    X, y = load_iris(return_X_y=True)
    for wrong, message in (
        ({7: 1}, "names the label 7"),
        ("even", "class_weight='even'"),
        ([1], "is a list"),
    ):
        with pytest.raises(InputError, match=message):
            LatentTreeClassifier(class_weight=wrong, **QUICK).fit(X, y)
    with pytest.raises(InputError, match="weight 0 to all rows of validation"):
        LatentTreeClassifier(class_weight={0: 0}, **QUICK).fit(X, y, validation=(X[:9], y[:9]))
