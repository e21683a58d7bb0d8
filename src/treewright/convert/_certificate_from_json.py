"""Read the certificate of a model file, of which nothing is trusted; see `_from_json`."""

from __future__ import annotations

import math

from treewright.convert._checked import LARGEST_INTEGER, Checked
from treewright.convert._model import Certificate, Terms
from treewright.result import SolveStatus, StopReason

__all__ = ["LARGEST_VALUE", "MAX_COLUMNS", "certificate_of"]

MAX_COLUMNS = 1 << 24
LARGEST_VALUE = 1e300  # so that the sum over the classes is finite


def certificate_of(value: Checked, n_classes: int) -> Certificate:
    """Read what a model file claims about its tree, and the question that the tree answers."""
    fields = value.fields(
        "status",
        "objective",
        "lower_bound",
        "loss",
        "scope",
        "stop_reason",
        "notes",
        "terms",
        "stats",
        "options",
    )
    reason = fields["stop_reason"]
    for name in ("stats", "options"):
        if not isinstance(fields[name].value, dict):
            fields[name].fail("an object")
    return Certificate(
        status=SolveStatus[fields["status"].choice(*SolveStatus.__members__)],
        objective=fields["objective"].number(),
        lower_bound=fields["lower_bound"].number(),
        loss=fields["loss"].number(),
        scope=fields["scope"].text(),
        stop_reason=None if reason.value is None else StopReason[reason.choice(*StopReason.__members__)],
        stats=fields["stats"].free(),
        options=fields["options"].free(),
        notes=tuple(note.text() for note in fields["notes"].entries()),
        terms=None if fields["terms"].value is None else _terms(fields["terms"], n_classes),
    )


def _terms(value: Checked, n_classes: int) -> Terms:
    fields = value.fields(
        "cost_complexity",
        "max_depth",
        "max_leaf_nodes",
        "min_samples_leaf",
        "objective",
        "class_weight",
        "costs",
        "target",
        "weight",
        optional=(
            "min_leaf_accuracy",
            "rewards",
            "action_costs",
            "event",
            "quantile",
            "row_costs",
            "targets",
            "tolerance",
            "share",
        ),
    )
    least, rewards, action_costs = (fields[name] for name in ("min_leaf_accuracy", "rewards", "action_costs"))
    factor, costs = fields["class_weight"], fields["costs"]
    class_weight: tuple[float, ...] | str | None = None
    if isinstance(factor.value, str):
        class_weight = factor.choice("balanced")
    elif factor.value is not None:
        class_weight = tuple(f.number(0, LARGEST_VALUE) for f in factor.entries(n_classes, n_classes))
    matrix = None
    if costs.value is not None:
        matrix = tuple(
            tuple(cost.number(0, LARGEST_VALUE) for cost in row.entries(n_classes, n_classes))
            for row in costs.entries(n_classes, n_classes)
        )
    objective = fields["objective"].choice(
        "accuracy",
        "balanced_accuracy",
        "f1",
        *("squared_error", "poisson", "gamma", "absolute_error", "quantile"),
        *("brier", "log_loss", "row_costs", "policy", "survival", "values", "values-everywhere"),
    )
    most = math.inf if objective == "row_costs" else 1  # a cost; the penalty of a leaf is a share elsewhere
    return Terms(
        cost_complexity=fields["cost_complexity"].number(0, most),
        max_depth=fields["max_depth"].optional_integer(0, LARGEST_INTEGER),
        max_leaf_nodes=fields["max_leaf_nodes"].optional_integer(1, LARGEST_INTEGER),
        min_samples_leaf=fields["min_samples_leaf"].integer(1, LARGEST_INTEGER),
        objective=objective,
        class_weight=class_weight,
        costs=matrix,
        target=fields["target"].optional_text(),
        weight=fields["weight"].optional_text(),
        min_leaf_accuracy=None if least.value is None else least.number(0, 1),
        rewards=None
        if rewards.value is None
        else tuple(name.text() for name in rewards.entries(n_classes, n_classes)),
        event=fields["event"].optional_text(),
        tolerance=None if fields["tolerance"].value is None else fields["tolerance"].number(0),
        share=None if fields["share"].value is None else fields["share"].number(0, 1),
        quantile=None if fields["quantile"].value is None else fields["quantile"].number(0, 1),
        targets=None
        if fields["targets"].value is None
        else tuple(name.text() for name in fields["targets"].entries(2, MAX_COLUMNS)),
        row_costs=None
        if fields["row_costs"].value is None
        else tuple(name.text() for name in fields["row_costs"].entries(n_classes, n_classes)),
        action_costs=None
        if action_costs.value is None
        else tuple(
            cost.number(-LARGEST_VALUE, LARGEST_VALUE) for cost in action_costs.entries(n_classes, n_classes)
        ),
    )
