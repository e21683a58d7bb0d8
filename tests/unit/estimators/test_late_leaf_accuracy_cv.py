"""`LeafAccuracyTreeClassifierCV` makes no folds once its time is over, and says the same as if it had."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from treewright import LeafAccuracyTreeClassifierCV
from treewright.errors import InputError
from treewright.estimators import _leaf_accuracy_cv as cv

X = np.random.default_rng(0).normal(size=(60, 3))
Y = np.arange(60) % 2


def late(**options):
    model = LeafAccuracyTreeClassifierCV(max_depths=[1, 2], time_limit=1e-9, **options)
    with pytest.warns(ConvergenceWarning, match="The time is over"):
        return model.fit(X, Y)


@pytest.mark.parametrize("folds", [2, 4, 7])
def test_no_folds_are_made(folds, monkeypatch):
    leaves = [
        60 - -(-60 // folds),
        60 - -(-60 // folds) + 1,
        5,
    ]  # the second is more than the smallest part has
    asked = {"cv": folds, "min_samples_leaves": leaves, "criteria": ["accuracy"]}
    with monkeypatch.context() as patched:
        patched.setattr(cv.LeafAccuracyTreeClassifierCV, "_plain_folds", lambda self, problem: 0)
        made = late(**asked)
    monkeypatch.setattr(cv, "folds_of", None)
    found = late(**asked)
    assert found.best_params_ == made.best_params_
    assert found.result_.sentence() == made.result_.sentence()
    candidates = found._candidates(60 - -(-60 // folds))
    assert len(candidates) == 4


@pytest.mark.parametrize("folds", [1, 31])
def test_folds_that_cannot_be_are_refused_still(folds):
    with pytest.raises(InputError, match="cannot split this table"):
        LeafAccuracyTreeClassifierCV(time_limit=1e-9, cv=folds).fit(X, Y)
