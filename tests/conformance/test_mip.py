"""The classifier of mixed-integer programs passes scikit-learn's own checks, and works where scikit-learn works."""

import pickle
from unittest import SkipTest

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

pytest.importorskip("highspy", reason="needs the extra mip")

from treewright import MIPTreeClassifier
from treewright.errors import InputError
from treewright.leaf_accuracy import leaf_accuracy_score

# One node of the solver ends with CART's tree or one better, and with the same on every run, as no number of seconds
# would. The checks are of the interface, not of the solver.
ESTIMATORS = [
    MIPTreeClassifier(formulation, step_limit=1, time_limit=None)
    for formulation in ("leaf_accuracy", "binoct")
]


@parametrize_with_checks(ESTIMATORS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_check(estimator: BaseEstimator, check: object) -> None:
    try:
        check(estimator)  # type: ignore[operator]
    except SkipTest as skip:
        pytest.fail(f"a check was skipped: {skip}")


def small() -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"age": rng.integers(20, 24, 24) * 1.0, "colour": rng.choice(["red", "blue", "green"], 24)}
    )
    table.loc[3, "age"] = np.nan
    y = np.where((table["colour"] == "red") | (table["age"] > 22), "yes", "no")
    return table, y


@pytest.mark.parametrize("formulation", ["leaf_accuracy", "oct", "binoct"])
def test_frames_categories_missing_values_and_pickles(formulation: str) -> None:
    X, y = small()
    model = MIPTreeClassifier(formulation, max_depth=2, time_limit=None).fit(X, y)
    assert model.result_.status.name == "OPTIMAL"
    assert (model.predict(X) == y).all()
    assert leaf_accuracy_score(model, X, y) == 1.0
    twin = pickle.loads(pickle.dumps(model))
    assert (twin.predict(X) == y).all()
    assert twin.result_.sentence() == model.result_.sentence()
    again = clone(model).fit(X, y)
    assert again.tree_.splits == model.tree_.splits


def test_a_stopped_run_warns() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 3)), rng.integers(0, 2, 80)
    with pytest.warns(ConvergenceWarning, match="worst leaf above"):
        model = MIPTreeClassifier(max_depth=3, min_samples_leaf=5, time_limit=0.3).fit(X, y)
    assert model.result_.upper_bound >= model.result_.objective


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"max_depth": 0}, "max_depth=0"),
        ({"max_depth": None}, "max_depth=None"),
        ({"min_samples_leaf": 25}, "above the 24 rows"),
        ({"formulation": "flow"}, "formulation='flow'"),
        ({"time_limit": -1}, "time_limit=-1"),
        ({"n_jobs": True}, "n_jobs=True"),
        ({"n_jobs": 0}, "n_jobs=0"),
        ({"random_state": None}, "random_state=None; give an integer"),
        ({"costs": [[0, 1], [2, 0]]}, "costs cannot be used"),
    ],
    ids=str,
)
def test_bad_parameters(parameters: dict[str, object], words: str) -> None:
    X, y = small()
    with pytest.raises(InputError, match=words):
        MIPTreeClassifier(**{"max_depth": 1} | parameters).fit(X, y)
