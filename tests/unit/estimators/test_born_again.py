"""BornAgainTreeClassifier: scikit-learn's own checks, and agreement with its ensemble."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.ensemble import (
    AdaBoostClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from treewright.bornagain import Ensemble
from treewright.errors import InputError
from treewright.estimators import BornAgainTreeClassifier
from treewright.result import SolveStatus
from treewright.verify import check_faithful


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [
        BornAgainTreeClassifier(),
        BornAgainTreeClassifier(RandomForestClassifier(8, max_depth=2), objective="leaves", prune="rows"),
        BornAgainTreeClassifier(RandomForestClassifier(6, max_depth=3), prune="active"),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    "ensemble",
    [
        None,
        RandomForestClassifier(4, max_depth=2),
        GradientBoostingClassifier(n_estimators=3, max_depth=2),
        AdaBoostClassifier(n_estimators=4),
    ],
    ids=["default", "forest", "boosting", "adaboost"],
)
def test_decides_like_its_ensemble(ensemble):
    X, y = load_iris(return_X_y=True)
    model = BornAgainTreeClassifier(ensemble, objective="leaves", random_state=3).fit(X, y)
    rows = np.random.default_rng(0).uniform(X.min(), X.max(), (2000, 4))
    np.testing.assert_array_equal(model.predict(rows), model.estimator_.predict(rows))
    assert check_faithful(model.tree_, model.ensemble_).faithful
    assert model.get_n_leaves() == model.tree_.n_leaves == model.result_.objective
    assert model.get_depth() == model.tree_.depth
    assert model.decision_path(rows)[:, 0].sum() == len(rows)  # all pass the root
    np.testing.assert_array_equal(
        model.classes_[model.predict_proba(rows).argmax(axis=1)], model.predict(rows)
    )


def test_from_a_fitted_ensemble_with_names():
    frame = load_iris(as_frame=True)
    y = np.array(["setosa", "versicolor", "virginica"])[frame.target]
    forest = RandomForestClassifier(4, max_depth=2, random_state=0).fit(frame.data, y)
    model = BornAgainTreeClassifier.from_fitted(forest, frame.data)
    assert [c.name for c in model.tree_.columns] == list(frame.data.columns)
    np.testing.assert_array_equal(model.predict(frame.data), forest.predict(frame.data))
    assert model.tree_.n_node_samples[0] == 150
    active = BornAgainTreeClassifier.from_fitted(forest, frame.data, prune="active")
    assert active.get_n_leaves() <= model.get_n_leaves()
    np.testing.assert_array_equal(active.predict(frame.data), forest.predict(frame.data))
    ensemble = Ensemble.from_model(forest)
    assert BornAgainTreeClassifier.from_fitted(ensemble).get_n_leaves() == model.get_n_leaves()
    with pytest.raises(InputError, match="pass X"):
        BornAgainTreeClassifier.from_fitted(forest, prune="rows")


def test_missing_values_follow_the_ensemble():
    X, y = load_iris(return_X_y=True)
    X = np.round(X)
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    model = BornAgainTreeClassifier(
        RandomForestClassifier(3, max_depth=2, random_state=0), missing="route"
    ).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), model.estimator_.predict(X))
    with pytest.raises(ValueError, match="NaN"):
        BornAgainTreeClassifier().fit(X, y)


def test_search_pickle_and_bad_parameters():
    X, y = load_iris(return_X_y=True)
    search = GridSearchCV(BornAgainTreeClassifier(random_state=0), {"objective": ["depth", "leaves"]}, cv=2)
    model = search.fit(X, y).best_estimator_
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    with pytest.raises(InputError, match="objective"):
        BornAgainTreeClassifier(objective="size").fit(X, y)
    for parameters in ({"tolerance": 0.1}, {"max_depth": None}):
        with pytest.raises(InputError, match='is for faithful="rows"'):
            BornAgainTreeClassifier(**parameters).fit(X, y)
    with pytest.raises(InputError, match="prune"):
        BornAgainTreeClassifier(prune="hard").fit(X, y)
    with pytest.raises(NotFittedError):
        BornAgainTreeClassifier().get_depth()
    assert isinstance(pd.Series(model.predict(X)), pd.Series)


@pytest.mark.parametrize(
    "model",
    [
        VotingClassifier(
            [("forest", RandomForestClassifier(5, max_depth=2, random_state=0)), ("bayes", GaussianNB())],
            voting="soft",
        ),
        CalibratedClassifierCV(RandomForestClassifier(5, max_depth=3, random_state=0), cv=2),
        make_pipeline(StandardScaler(), RandomForestClassifier(5, max_depth=3, random_state=0)),
        StackingClassifier([("forest", RandomForestClassifier(5, max_depth=2, random_state=0))], cv=2),
        LogisticRegression(max_iter=500),
    ],
    ids=["vote", "calibrated", "scaled", "stack", "no trees"],
)
def test_of_any_other_model_the_answers_are_read(model):
    X, y = load_iris(return_X_y=True)
    words = np.array(["setosa", "versicolor", "virginica"])[y]
    tree = BornAgainTreeClassifier(model, faithful="rows", tolerance=0.03).fit(X[::2], words[::2])
    differing = int((tree.predict(X[::2]) != tree.estimator_.predict(X[::2])).sum())
    assert tree.ensemble_ is None
    assert differing == 75 - tree.result_.stats["rows_alike"] <= 75 * 0.03
    assert tree.result_.status is SolveStatus.OPTIMAL
    assert "decides like the model on" in tree.result_.sentence()
    new = tree.agreement(X[1::2])
    assert new.n_alike == int((tree.predict(X[1::2]) == tree.estimator_.predict(X[1::2])).sum())
    np.testing.assert_array_equal(tree.classes_, np.unique(words))
    assert tree.predict_proba(X).shape == (150, 3)
    with pytest.raises(InputError):  # faithful everywhere: nothing is known between the rows
        BornAgainTreeClassifier(model).fit(X[::2], words[::2])


def test_answers_of_a_fitted_model_that_knows_column_names_and_a_class_it_never_gives():
    frame = load_iris(as_frame=True)
    X, y = frame.data, frame.target
    vote = VotingClassifier([("bayes", GaussianNB()), ("more", GaussianNB())]).fit(X, y)
    two = X[y < 2]
    tree = BornAgainTreeClassifier.from_fitted(vote, two, faithful="rows", tolerance=0.0)
    assert [column.name for column in tree.tree_.columns] == list(X.columns)
    np.testing.assert_array_equal(tree.classes_, [0, 1, 2])
    np.testing.assert_array_equal(tree.predict(two), vote.predict(two))
    assert tree.agreement(two).share == 1.0
    assert tree.predict_proba(two).shape == (100, 3)


@pytest.mark.parametrize("dtype", ["Int64", "boolean", "string"])
def test_nullable_labels_stay_what_they_are(dtype):
    """scikit-learn makes 1.0 of a nullable True."""
    import pandas as pd

    X = np.arange(24.0)[:, None]
    y = pd.Series(np.arange(24) > 9).astype("Int64" if dtype == "Int64" else "boolean")
    labels = y.map({False: "no", True: "yes"}).astype("string") if dtype == "string" else y
    model = BornAgainTreeClassifier(random_state=0).fit(X, labels)
    expected = {"Int64": [0, 1], "boolean": [False, True], "string": ["no", "yes"]}[dtype]
    assert list(map(repr, model.classes_.tolist())) == list(map(repr, expected))
    assert model.tree_.classes.tolist() == expected


def test_pruned_by_rows_the_result_is_that_of_the_pruned_tree():
    """Its sentence said of the larger tree that it decides like the ensemble everywhere."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 4)).round(1)
    y = (X[:, 0] > 0) ^ (X[:, 1] > 0.3) ^ (rng.random(60) < 0.1)
    whole = BornAgainTreeClassifier(random_state=0).fit(X, y)
    model = BornAgainTreeClassifier(prune="rows", random_state=0).fit(X, y)
    assert model.tree_.n_leaves < whole.tree_.n_leaves
    assert model.result_.tree is model.tree_
    said = model.result_.sentence()
    assert f"{model.tree_.n_leaves} leaves decides like the ensemble" in said
    assert "on the 60 rows that it was pruned with. Its size is not proven least" in said
    assert "all rows" not in said
    assert (
        f"Before pruning it had depth {whole.tree_.depth} and {whole.tree_.n_leaves} leaves"
        in model.result_.notes[-1]
    )
    assert said in model._repr_html_()
    assert (model.predict(X) == model.estimator_.predict(X)).all()
