"""Every estimator takes a polars frame, with words, an order and missing values, where pyarrow is not installed."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from treewright import BornAgainTreeClassifier, BornAgainTreeRegressor
from treewright.errors import InputError

pl = pytest.importorskip("polars")

CHILD = """
import importlib.abc, sys, warnings

class Without(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.split(".")[0] == "pyarrow":
            raise ModuleNotFoundError("No module named 'pyarrow'", name="pyarrow")

sys.meta_path.insert(0, Without())
warnings.simplefilter("ignore")
import numpy as np
import polars as pl
import treewright as tw

rng, n = np.random.default_rng(0), 80
numbers = pl.DataFrame({"age": rng.integers(20, 80, n), "rate": rng.normal(size=n)})
mixed = numbers.with_columns(
    pl.Series("sex", rng.choice(["m", "f"], n)),
    pl.Series("known", rng.random(n) > 0.5),
    pl.Series("grade", rng.choice(["low", "high"], n)).cast(pl.Enum(["low", "high"])),
    rate=pl.when(pl.col("age") < 25).then(None).otherwise(pl.col("rate")),
)
weight = pl.Series("weight", rng.integers(1, 3, n))
labels = pl.Series("label", np.where(numbers["age"].to_numpy() > 50, "old", "young"))
amounts = pl.Series("amount", numbers["age"].to_numpy() * 1.5)
rewards = pl.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n)})
times = (pl.Series(rng.random(n) > 0.3), pl.Series(rng.exponential(size=n)))
for model, target in (
    (tw.OptimalTreeClassifier(max_depth=1), labels),
    (tw.OptimalTreeClassifierCV(max_leaves=2, cv=2), labels),
    (tw.OptimalTreeRegressor(max_depth=1), amounts),
    (tw.OptimalTreeRegressorCV(max_leaves=2, cv=2), amounts),
    (tw.OptimalProbabilityTree(max_depth=1), labels),
    (tw.OptimalPolicyTree(max_depth=1), rewards),
    (tw.OptimalSurvivalTree(max_depth=1), times),
    (tw.LeafAccuracyTreeClassifier(1), labels),
    (tw.LeafAccuracyTreeClassifierCV(max_depths=(1,), cv=2), labels),
    (tw.NearOptimalTreeClassifier(max_depth=1), labels),
    (tw.MIPTreeClassifier(max_depth=1, step_limit=1), labels),
    (tw.HybridTreeClassifier(tune=None), labels),
    (tw.ThresholdGuesser(), labels),
):
    model.fit(mixed, target, sample_weight=weight)
    answers = model.predict(mixed) if hasattr(model, "predict") else model.transform(mixed)
    assert len(answers) == n, model
for model, target in (
    (tw.BornAgainTreeClassifier(), labels), (tw.BornAgainTreeRegressor(max_depth=1), amounts)
):
    assert len(model.fit(numbers, target).predict(numbers)) == n
assert "pyarrow" not in sys.modules
print("done")
"""


def test_a_frame_is_read_without_pyarrow() -> None:
    pytest.importorskip("highspy")
    done = subprocess.run(
        [sys.executable, "-c", CHILD], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.stdout.strip() == "done", done.stderr


@pytest.mark.parametrize("model", [BornAgainTreeClassifier(), BornAgainTreeRegressor()], ids=str)
def test_words_for_an_ensemble_are_refused_with_what_to_do(model: BornAgainTreeClassifier) -> None:
    frame = pl.DataFrame({"sex": ["m", "f"] * 20})
    with pytest.raises(InputError, match=r"X holds words, such as 'm'; .*(to_dummies|OneHotEncoder)"):
        model.fit(frame, np.arange(40) % 2)
