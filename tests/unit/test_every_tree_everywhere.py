"""The table of all kinds of trees and all functions that show, export, save or check one.

Every pair either works, and where something is answered it is what the estimator predicts, or raises the message that
stands here, which says what to do. A new kind or a new function is a new line.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier

import treewright as tw
from exchange_trees import as_values
from task_reports import TASKS, made
from treewright import convert, show, verify
from treewright.errors import InputError, TreewrightError
from treewright.result import SolveResult

OTHERS = (
    "classifier", "leaf accuracy", "mip", "near optimal", "born again", "near values", "near everywhere", "hybrid",
    "latent", "latent regressor", "latent clusters",
)  # fmt: skip
N_ROWS = 90


@cache
def fitted(kind: str) -> tuple[Any, pd.DataFrame, Any]:
    """A fitted estimator with the rows that it was fitted to."""
    if kind in TASKS:
        return (made(kind).model, *made(kind).train)
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=N_ROWS).round(2), "b": rng.integers(0, 9, N_ROWS).astype(float)})
    y = np.where((X.a > 0) ^ (X.b > 5) ^ (rng.random(N_ROWS) < 0.1), "yes", "no")
    z = (3 * (X.a > 0) + X.b).to_numpy()
    forest = RandomForestClassifier(2, max_depth=2, random_state=0)
    boosted = GradientBoostingRegressor(n_estimators=3, max_depth=2, random_state=0)
    quick: dict[str, Any] = {"epochs": 2, "random_state": 0, "progress": False}
    make: dict[str, Callable[[], Any]] = {
        "classifier": lambda: tw.OptimalTreeClassifier(0.02, max_depth=2).fit(X, y),
        "leaf accuracy": lambda: tw.LeafAccuracyTreeClassifier(max_depth=2).fit(X, y),
        "mip": lambda: tw.MIPTreeClassifier(max_depth=1, time_limit=30).fit(X, y),
        "near optimal": lambda: tw.NearOptimalTreeClassifier(max_depth=2, thresholds=6).fit(X, y),
        "born again": lambda: tw.BornAgainTreeClassifier(forest).fit(X, y),
        "near values": lambda: tw.BornAgainTreeRegressor(boosted, tolerance=1.0).fit(X, z),
        "near everywhere": lambda: tw.BornAgainTreeRegressor(boosted, faithful="everywhere").fit(X, z),
        "hybrid": lambda: tw.HybridTreeClassifier(tw.OptimalTreeClassifier(0.2, max_depth=1)).fit(X, y),
        "latent": lambda: tw.LatentTreeClassifier(depth=2, **quick).fit(X, y),
        "latent regressor": lambda: tw.LatentTreeRegressor(depth=2, **quick).fit(X, z),
        "latent clusters": lambda: tw.LatentTreeClusterer(2, **quick).fit(X),
    }
    model = make[kind]()
    return (
        model,
        X,
        {"near values": z, "near everywhere": z, "latent regressor": z, "latent clusters": None}.get(kind, y),
    )


def in_python(model: Any, X: Any, y: Any) -> Any:
    names: dict[str, Any] = {}
    exec(compile(convert.to_python(model), "tree.py", "exec"), names)
    tree = convert.tree_of(model)
    return [names["predict"](row) for row in as_values(tree, model._encode(X))]


def in_sqlite(model: Any, X: Any, y: Any) -> Any:
    database = sqlite3.connect(":memory:")
    X.to_sql("rows", database, index=False)
    query = convert.to_sql(model, table="rows", output="said")
    return [said for (said,) in database.execute(f'SELECT "said" FROM ({query}) AS q')]


def in_onnx(model: Any, X: Any, y: Any) -> Any:
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    quiet = runtime.SessionOptions()
    quiet.intra_op_num_threads = 1
    ready = runtime.InferenceSession(
        convert.to_onnx(model).SerializeToString(), quiet, providers=["CPUExecutionProvider"]
    )
    wanted = [given.name for given in ready.get_inputs()]
    if wanted == ["X"]:
        feed = {"X": X.to_numpy(dtype=np.float64)}
    else:
        feed = {
            name: X[[name]].astype(object).to_numpy()
            if X[name].dtype.kind in "OUT"
            else X[[name]].to_numpy(np.float64)
            for name in wanted
        }
    found = np.asarray(ready.run(None, feed)[0])
    return found[:, 0] if found.ndim == 2 and found.shape[1] == 1 else found


def in_sklearn(model: Any, X: Any, y: Any) -> Any:
    encoded = pd.DataFrame(model._encode(X), columns=X.columns)
    return convert.to_sklearn(model, X).predict(encoded)


def through_json(model: Any, X: Any, y: Any) -> Any:
    return convert.from_json(convert.to_json(model)).tree.predict(model._encode(X))


def verified(model: Any, X: Any, y: Any) -> None:
    """The checker of the estimator's own kind holds its result against its question."""
    question = model._question(X, y)
    check = {
        "OptimalPolicyTree": verify.verify_policy,
        "OptimalSurvivalTree": verify.verify_survival,
        "OptimalTreeRegressor": verify.verify_regression,
        "OptimalProbabilityTree": verify.verify_probability,
    }[type(model).__name__]
    assert check(question.problem, model.result_).ok


FUNCTIONS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "to_text": lambda model, X, y: show.to_text(model),
    "to_rules": lambda model, X, y: show.to_rules(model),
    "rules_frame": lambda model, X, y: show.rules_frame(model),
    "plot_tree": lambda model, X, y: show.plot_tree(model, ax=Figure().subplots()),
    "to_graphviz": lambda model, X, y: show.to_graphviz(model),
    "notebook_html": lambda model, X, y: show.notebook_html(model),
    "_repr_html_": lambda model, X, y: model._repr_html_(),
    "plot_decision_regions": lambda model, X, y: show.plot_decision_regions(
        model, X.iloc[:, :2], ax=Figure().subplots()
    ),
    "plot_leaf_accuracies": lambda model, X, y: show.plot_leaf_accuracies(
        model, X, y, ax=Figure().subplots()
    ),
    "plot_survival_curves": lambda model, X, y: show.plot_survival_curves(model, ax=Figure().subplots()),
    "report": lambda model, X, y: show.report(model, X, y, fit_models=False),
    "to_python": in_python,
    "to_sql": in_sqlite,
    "to_c": lambda model, X, y: convert.to_c(model),
    "to_onnx": in_onnx,
    "to_sklearn": in_sklearn,
    "to_sklearn_pipeline": lambda model, X, y: convert.to_sklearn_pipeline(model).predict(X),
    "to_json": through_json,
}
ANSWERS = {"to_python", "to_sql", "to_onnx", "to_sklearn", "to_sklearn_pipeline", "to_json"}
EXPORTS = {name for name in FUNCTIONS if name.startswith("to_")} - {"to_text", "to_rules", "to_graphviz"}
OF_NUMBERS = {*TASKS, "near values", "near everywhere", "latent regressor"} - {
    "policy",
    "probability",
}
LATENT = {"latent", "latent regressor", "latent clusters"}


def refusal(kind: str, function: str) -> str | None:
    """The message that a pair raises; None if it works."""
    if kind == "latent clusters" and function in ("report", "plot_leaf_accuracies"):
        return r"y has shape \(\)"  # rows have clusters, but no labels
    if function in EXPORTS and kind in LATENT:
        return r"give model\.harden\(\)\.tree"
    if function in EXPORTS and kind == "hybrid":
        return r"give model\.tree_ for the tree on top"
    if function == "plot_decision_regions":
        if kind in OF_NUMBERS:
            return "plot_tree draws it"
        return "Missing: 'ward'" if kind in TASKS else None  # three columns have no plane
    if function == "plot_leaf_accuracies" and (kind in OF_NUMBERS or kind == "policy"):
        return "What its leaves are worth is in treewright.show.report"
    if function == "plot_survival_curves" and kind != "survival":
        return "need a fitted OptimalSurvivalTree"
    if function in ("to_sklearn", "to_sklearn_pipeline") and kind in ("linear", "simple_linear"):
        return "Use to_python, to_c, to_sql or to_onnx"
    if function in ("to_sql", "to_c") and kind == "outputs":
        return "Use to_python"
    return None


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("kind", [*TASKS, *OTHERS])
def test_it_works_or_says_what_to_do(kind: str, function: str) -> None:
    model, X, y = fitted(kind)
    said = refusal(kind, function)
    if said is not None:
        with pytest.raises(InputError, match=said):
            FUNCTIONS[function](model, X, y)
        return
    found = FUNCTIONS[function](model, X, y)
    assert found is not None
    if function not in ANSWERS:
        return
    expected = model.predict(X)
    if expected.dtype.kind == "f":  # ONNX leaves open how a runtime adds up
        in_last_bits = 1e-14 if function == "to_onnx" and kind in ("linear", "simple_linear") else 0.0
        np.testing.assert_allclose(np.asarray(found, dtype=np.float64), expected, rtol=in_last_bits, atol=0.0)
    else:
        assert [str(one) for one in np.asarray(found).tolist()] == [str(one) for one in expected.tolist()]


@pytest.mark.parametrize("kind", TASKS)
def test_the_checker_of_each_task_holds(kind: str) -> None:
    verified(*fitted(kind))


@pytest.mark.parametrize("kind", ["classifier", "squared_error", "policy", "survival", "probability"])
def test_a_model_file_of_an_estimator_keeps_its_certificate(kind: str, tmp_path: Any) -> None:
    model, _, _ = fitted(kind)
    convert.save_model(tmp_path / "model.json", model)
    read = convert.load_model(tmp_path / "model.json").result
    assert isinstance(read, SolveResult)
    assert read.sentence() == model.result_.sentence()


def test_what_has_no_tree_is_refused_by_name() -> None:
    for function in EXPORTS:
        with pytest.raises(InputError, match=re.escape("call its fit(X, y) first")):
            getattr(convert, function)(tw.OptimalTreeRegressor())
    assert issubclass(InputError, TreewrightError)
