"""Each check notices a false answer: the case is answered with a model of another question, or with changed figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from attack.case import Case
from attack.laws import CHECKS

COLUMNS = {"c0": [0, 0, 1, 1, 2, 2, 3, 3], "c1": [0, 1, 0, 1, 0, 1, 0, 1]}
ONE_HOT = {f"c{k}": [int(row % 4 == k) for row in range(8)] for k in range(4)} | {
    "c4": [0, 0, 0, 0, 1, 1, 1, 1]
}
LABELS = [0, 0, 1, 1, 0, 0, 1, 1]
SLOPES = [0.1, 1.0, 2.0, 3.1, 14.0, 15.1, 16.1, 17.0]
NUMBERS = [0.0, 0.5, 3.0, 3.5, 0.0, 0.7, 3.0, 3.1]


class Answered(Case):
    """A case that is answered by another one, whose model is then spoiled."""

    def run(self, **more: Any) -> Any:
        return SPOILED[self.method](self, more) if self.method in SPOILED else super().run(**more)


def of_another(**options: Any) -> Callable[[Case, Any], Any]:
    """The model of other options."""
    return lambda case, more: Case.run(replace(case, options=dict(case.options) | options), **more)


def with_another_score(name: str) -> Callable[[Case, Any], Any]:
    def spoil(case: Case, more: Any) -> Any:
        model = Case.run(case, **more)
        model.cv_results_[name] = model.cv_results_[name] + 0.1
        return model

    return spoil


def with_another_label(case: Case, more: Any) -> Any:
    model = Case.run(case, **more)
    model.predict = lambda X: np.roll(model.classes_, 1)[
        np.searchsorted(model.classes_, type(model).predict(model, X))
    ]
    return model


def with_another_line(case: Case, more: Any) -> Any:
    """The first slope of the first line is a tenth smaller than that of the fit."""
    model = Case.run(case, **more)
    tree = model.result_.tree
    if tree.lines is None:
        return model
    at, line = next((node, line) for node, line in enumerate(tree.lines) if line is not None)
    first, *rest = line.slopes[0]
    changed = replace(line, slopes=((0.9 * first, *rest),))
    lines = tuple(changed if node == at else other for node, other in enumerate(tree.lines))
    model.result_ = replace(model.result_, tree=replace(tree, lines=lines))
    model.tree_ = model.result_.tree
    return model


def reversed_shares(model: Any, X: Any) -> Any:
    return type(model).predict_proba(model, X)[:, ::-1]


def with_reversed_shares(case: Case, more: Any) -> Any:
    model = Case.run(case, **more)
    model.predict_proba = partial(reversed_shares, model)
    return model


def with_less_distance(case: Case, more: Any) -> Any:
    model = Case.run(case, **more)
    model.result_ = replace(model.result_, loss=0.9 * model.result_.loss)
    return model


SPOILED: dict[str, Callable[[Case, Any], Any]] = {
    "row costs": of_another(max_depth=0),
    "near choice": of_another(choose="best"),
    "leaf cv": with_another_score("leaf_accuracy"),
    "regression cv": with_another_score("split0_test_score"),
    "hybrid": with_another_label,
    "policy": of_another(max_depth=0),
    "near values": of_another(max_depth=0),
    "near everywhere": with_less_distance,
    "regression": with_another_line,
    "reborn": of_another(domain=None),
    "distil labels": of_another(tolerance=0.5),
    "reborn rows": of_another(max_depth=1),
    "latent": with_reversed_shares,
    "roc": of_another(max_depth=1),
}

ROW_COSTS = [(label, (0.0, 1.0) if label == 0 else (1.0, 0.0)) for label in LABELS]
CASES = [
    (Case("row costs", COLUMNS, ROW_COSTS, None, {"max_depth": 2}), "false optimal"),
    (
        Case("near choice", COLUMNS, LABELS, None,
             {"choose": "fewest leaves", "epsilon": 30.0, "max_depth": 2, "thresholds": "all"}),
        "not the tree that the rule prefers",
    ),
    (
        Case("leaf cv", COLUMNS, LABELS, None,
             {"max_depths": [1, 2], "min_samples_leaves": [1], "criteria": ["accuracy"]}),
        "another score on held-back rows",
    ),
    (
        Case("regression cv", COLUMNS, NUMBERS, None, {"max_leaves": 3, "choose": "leaves"}),
        "another score on held-out rows",
    ),
    (
        Case("hybrid", COLUMNS, LABELS, None, {"top": {"max_depth": 2}, "tune": None, "random_state": 0}),
        "overruled where the tree answers",
    ),
    (
        Case("near values", COLUMNS, NUMBERS, None,
             {"regressor": {}, "tolerance": 0.3, "units": "target", "share": 0.0, "max_depth": 2}),
        "false optimal",
    ),
    (
        Case("near everywhere", COLUMNS, NUMBERS, None,
             {"sum": {"kind": "ExtraTreesRegressor", "n_estimators": 1, "max_depth": 3}, "faithful": "everywhere",
              "units": "target", "tolerance": 0.3, "max_leaves": 2, "random_state": 0}),
        "further than the certificate says",
    ),
    (
        Case("near everywhere", ONE_HOT, NUMBERS, None,
             {"sum": {"kind": "ExtraTreesRegressor", "n_estimators": 2, "max_depth": 3}, "faithful": "everywhere",
              "units": "target", "tolerance": 0.3, "max_leaves": 3, "random_state": 0,
              "domain": {"one_hot": [["c0", "c1", "c2", "c3"]], "ranges": {"c4": [0, 1]}, "integers": ["c4"]}}),
        "further than the certificate says",
    ),
    (
        Case("regression", COLUMNS, SLOPES, None, {"max_depth": 1, "leaf_model": "linear"}),
        "another loss with lines",
    ),
    (
        Case("regression", COLUMNS, SLOPES, None, {"max_depth": 1, "leaf_model": "simple_linear"}),
        "a line is not the best of its leaf",
    ),
    (
        Case("reborn", ONE_HOT, [0, 1, 0, 1, 0, 1, 1, 0], None,
             {"forest": {"n_estimators": 3, "max_depth": 2}, "random_state": 0, "objective": "leaves",
              "domain": {"one_hot": [["c0", "c1", "c2", "c3"]]}}),
        "false optimal",
    ),
    (Case("distil labels", COLUMNS, LABELS, None, {"max_depth": 2}), "another number of rows is alike"),
    (
        Case("reborn rows", COLUMNS, LABELS, None,
             {"neighbours": 1, "max_depth": 2, "tolerance": 0.0, "faithful": "rows"}),
        "false optimal",
    ),
    (
        Case("latent", COLUMNS, LABELS, None,
             {"depth": 2, "n_trees": 3, "pruning": 1.0, "splits": "linear", "batch_norm": False, "epochs": 2,
              "random_state": 0}),
        "the answer is not the sum of the trees",
    ),
    (Case("roc", COLUMNS, LABELS, None, {"max_depth": 2}), "the bound on the AUC is false"),
    (Case("policy", COLUMNS, [(c, 1 - c) for c in LABELS], None, {"max_depth": 2}), "false optimal"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("case", "law"), CASES, ids=lambda value: value.method if isinstance(value, Case) else ""
)
def test_a_false_answer_is_noticed(case: Case, law: str) -> None:
    assert not list(CHECKS[case.method](case))
    spoiled = Answered(**{name: getattr(case, name) for name in case.__dataclass_fields__})
    assert law in {mismatch.law for mismatch in CHECKS[case.method](spoiled)}
