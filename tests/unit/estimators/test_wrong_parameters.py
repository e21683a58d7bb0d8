"""Every parameter of every estimator answers a wrong value with its own name and with what to give instead."""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright
from treewright.errors import InputError

REGRESSORS = ("OptimalTreeRegressor", "OptimalTreeRegressorCV", "LatentTreeRegressor")
CLASSIFIERS = (
    "OptimalTreeClassifier", "OptimalTreeClassifierCV", "OptimalProbabilityTree", "LeafAccuracyTreeClassifier",
    "LeafAccuracyTreeClassifierCV", "HybridTreeClassifier", "NearOptimalTreeClassifier", "MIPTreeClassifier",
    "LatentTreeClassifier",
)  # fmt: skip
WRONG = ("nonsense", object())
FREE = {  # what may be anything: flags of Python, functions and models of other libraries with checks of their own
    "tree_only", "batch_norm", "checkpoint", "splits", "loss", "optimizer", "reference", "leaf_estimator", "tree",
    "random_state", "cv", "choose", "progress", "guess_lower_bounds", "guess_thresholds",
}  # fmt: skip
BESIDE = {"group": {"choose": "small gap"}}  # without which a parameter is not asked for
ROWS = pd.DataFrame({"a": np.arange(60.0) % 13, "b": np.arange(60.0) % 7})
LABELS = np.array(["yes", "no"])[(np.arange(60) % 13 > 6).astype(int)]


def cases() -> Iterator[tuple[str, str]]:
    for name in (*CLASSIFIERS, *REGRESSORS):
        if name.startswith("Latent") and importlib.util.find_spec("torch") is None:
            continue
        for parameter in inspect.signature(getattr(treewright, name)).parameters:
            if parameter not in FREE:
                yield name, parameter


@pytest.mark.parametrize(("name", "parameter"), list(cases()))
def test_a_wrong_value_is_answered_with_the_name_of_the_parameter(name: str, parameter: str) -> None:
    y: Any = np.arange(60.0) if name in REGRESSORS else LABELS
    for wrong in WRONG:
        model = getattr(treewright, name)(**{parameter: wrong}, **BESIDE.get(parameter, {}))
        with pytest.raises(InputError, match=parameter):
            model.fit(ROWS, y)


@pytest.mark.parametrize("bins", [-3, 0, 1])
def test_too_few_bins_are_said_of_thresholds(bins: int) -> None:
    with pytest.raises(InputError, match=rf"thresholds={bins}; give .*2 or more"):
        treewright.OptimalTreeClassifier(thresholds=bins).fit(ROWS, LABELS)


def test_one_name_in_the_place_of_a_list() -> None:
    with pytest.raises(InputError, match=r"categorical_features='b'; give a list of names or positions"):
        treewright.OptimalTreeClassifier(categorical_features="b").fit(ROWS, LABELS)
