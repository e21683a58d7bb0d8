"""Labels that differ in capitals and blanks only are warned of, by every classifier and for every kind of array."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from treewright import (
    HybridTreeClassifier,
    LeafAccuracyTreeClassifier,
    OptimalProbabilityTree,
    OptimalTreeClassifier,
)
from treewright.errors import LabelSpellingsWarning
from treewright.estimators._label_spellings import warn_of_spellings

X = np.arange(40.0)[:, None]
WORDS = ["yes", "Yes", "yes ", "no", "NO"] * 8


@pytest.mark.parametrize(
    "model",
    [
        OptimalTreeClassifier(),
        LeafAccuracyTreeClassifier(),
        OptimalProbabilityTree(max_depth=1),
        HybridTreeClassifier(),
    ],
)
def test_classifiers_warn_where_they_are_called(model):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model.fit(X, WORDS)
    (own,) = [warning for warning in told if warning.category is LabelSpellingsWarning]
    assert str(own.message).startswith(
        "y has 5 spellings of 2 labels ('NO' = 'no'; 'Yes' = 'yes' = 'yes '), and each is a class of its own."
    )
    assert own.filename == __file__


@pytest.mark.parametrize(
    "kind",
    [
        list,
        np.array,
        pd.Series,
        pl.Series,
        pd.Categorical,
        lambda words: np.array(words, dtype=object)[:, None],
    ],
)
def test_labels_come_in_many_arrays(kind):
    with pytest.warns(LabelSpellingsWarning, match="5 spellings of 2 labels"):
        warn_of_spellings(kind(WORDS))


@pytest.mark.parametrize(
    "labels",
    [["yes", "no"], ["a b", "ab"], ["full-time", "full time"], [1, 0], [True, False], [None, "a"], None],
)
def test_silence_on_ordinary_labels(labels):
    warn_of_spellings(labels)  # warnings are errors in tests


def test_each_different_label_is_looked_at_once():
    class Labels(pd.Series):
        def __iter__(self):
            raise AssertionError("every row is looked at")

    with pytest.warns(LabelSpellingsWarning):
        warn_of_spellings(Labels(WORDS))
