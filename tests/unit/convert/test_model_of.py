"""`Model.of` takes what `save_model` takes, and says of anything else what it needs."""

from __future__ import annotations

import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from treewright import OptimalTreeClassifier
from treewright.convert import Model, Terms, to_json
from treewright.errors import InputError

X, Y = [[20], [30], [40]], [0, 0, 1]
TERMS = Terms(cost_complexity=0.01, target="y")


def test_the_model_of_an_estimator_is_that_of_its_result():
    fitted = OptimalTreeClassifier().fit(X, Y)
    assert Model.of(fitted, TERMS) == Model.of(fitted.result_, TERMS)
    assert Model.of(fitted).certificate.status.value == "proven optimal"
    assert to_json(Model.of(fitted)) == to_json(fitted)


def test_a_tree_alone_has_no_certificate_and_no_question():
    tree = OptimalTreeClassifier().fit(X, Y).tree_
    assert Model.of(tree) == Model(tree)
    with pytest.raises(InputError, match="comes without one; give the result"):
        Model.of(tree, TERMS)


@pytest.mark.parametrize("given", [7, None, "tree.json", OptimalTreeClassifier()])
def test_other_things_are_refused(given):
    with pytest.raises(InputError, match=r"give a Tree, a result, or a fitted estimator|call its fit"):
        Model.of(given)


def test_a_model_is_not_made_again():
    """It would lose its certificate."""
    with pytest.raises(InputError, match="Got a Model"):
        Model.of(Model.of(OptimalTreeClassifier().fit(X, Y)))


def test_a_model_that_answers_otherwise_than_its_tree_is_refused():
    scaled = make_pipeline(StandardScaler(), OptimalTreeClassifier()).fit(X, Y)
    with pytest.raises(InputError, match="The tree of a pipeline"):
        Model.of(scaled)
