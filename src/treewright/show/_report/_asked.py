"""The question that a tree made in Python answers, as far as result and rows tell it, and the call that checks it."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.convert import Terms
from treewright.result import AdditiveResult, F1Result, RowCostsResult, SolveResult
from treewright.show._report._rows import Rows
from treewright.tree import Tree

__all__ = ["terms_told", "verifying_call"]

ASKED = (  # arguments of `make_problem` and its kin, with their defaults
    ("cost_complexity", 0.01),
    ("max_depth", None),
    ("max_leaf_nodes", None),
    ("min_samples_leaf", 1),
)
OF_LOSS = {"regression": ("criterion", "quantile"), "probability": ("criterion",)}
OF_MODEL = {  # parameters of an estimator that state the problem as well
    "": ("objective", "class_weight", "costs"),
    "f1": ("class_weight",),
    "row_costs": ("class_weight",),
    "policy": ("action_costs",),
}


def terms_told(model: Any, tree: Tree, result: SolveResult | None, train: Rows) -> Terms | None:
    """Return the question of a tree of fewest wrong rows, all of which count the same; None if it may be another one.

    The tree holds the weight of each class, and the result the share of it that is wrong: both have to be those of the
    rows.

    Parameters
    ----------
    model : object
    tree : Tree
    result : SolveResult or None
    train : Rows
    """
    if (
        type(result) is not SolveResult
        or not tree.predicts_classes
        or getattr(model, "costs", None) is not None
    ):
        return None
    rows = np.bincount(train.y[train.y >= 0], minlength=tree.value.shape[1])
    wrong = float((tree.prediction[tree.apply(train.X)] != train.y).mean())
    if not np.array_equal(tree.value[0], rows) or abs(result.loss - wrong) > 1e-12:
        return None
    told = {name: result.options[name] for name, _ in ASKED if name in result.options}
    return Terms(**told) if "cost_complexity" in told else None


def verifying_call(model: Any, result: SolveResult | None, verifier: str) -> str:
    """Return the Python that states the question again and verifies the result; "" where no rows do.

    Parameters
    ----------
    model : object
    result : SolveResult or None
    verifier : str
        The function of `treewright.verify`.
    """
    if type(result) is not SolveResult and not isinstance(result, (AdditiveResult, F1Result)):
        return ""
    options = result.options
    kind = verifier.removeprefix("verify").removeprefix("_")
    said = [f"{name}={options[name]!r}" for name, usual in ASKED if options.get(name, usual) != usual]
    said += [f"{name}={options[name]!r}" for name in OF_LOSS.get(kind, ()) if name in options]
    own = {name: getattr(model, name, None) for name in OF_MODEL.get(kind, ())}
    said += [
        f"{name}=model.{name}"
        for name, value in own.items()
        if value is not None and not (isinstance(value, str) and value == "accuracy")  # costs may be an array
    ]
    seen = "y, row_costs" if isinstance(result, RowCostsResult) else "y"
    make = f"treewright.problem.make_{kind}_problem" if kind else "treewright.problem.make_problem"
    stated = ", ".join(["treewright.table.table_from(X)", seen, *said])
    claim = "result" if model is result else "model.result_"
    if not kind and options.get("min_leaf_accuracy") is not None:
        claim += f", min_leaf_accuracy={options['min_leaf_accuracy']!r}"
    return f"treewright.verify.{verifier}({make}({stated}), {claim})"
