"""What `fit` and `frontier` share: the options that state a problem, the problem, and the terms of its model file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright._busy import busy
from treewright._plural import list_of
from treewright.cli._leaf_accuracy import LEAF_ACCURACY
from treewright.cli._options import pairs
from treewright.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treewright.convert import Terms
    from treewright.search import Limits, Thresholds
    from treewright.table import CsvTable

__all__ = [
    "F1",
    "THRESHOLDS_HELP",
    "Categorical",
    "ClassWeight",
    "Cost",
    "Event",
    "MaxDepth",
    "MemoryLimit",
    "MinSamplesLeaf",
    "ProgressBar",
    "Question",
    "Reward",
    "RowCost",
    "StepLimit",
    "Target",
    "ThresholdChoice",
    "TimeLimit",
    "Weight",
    "read_class_weight",
    "read_costs",
    "read_limits",
    "read_min_samples_leaf",
    "read_objective",
    "read_thresholds",
    "state_question",
]

Target = Annotated[str, typer.Option("--target", "-t", help="Column of labels.", metavar="COLUMN")]
MaxDepth = Annotated[
    int | None,
    typer.Option(help="Maximum depth: largest number of splits on a path.", show_default="unlimited"),
]
MinSamplesLeaf = Annotated[
    str,
    typer.Option(
        help="Minimum number of rows in a leaf: an integer, or a fraction of the rows such as 0.01."
    ),
]
THRESHOLDS_HELP = (
    "'all' thresholds; a number of quantile bins, for the thresholds between them; or 'auto': all, if they can be "
    "searched."
)
ThresholdChoice = Annotated[str, typer.Option(help=THRESHOLDS_HELP)]
ClassWeight = Annotated[
    list[str] | None, typer.Option(help="'balanced', or LABEL=FACTOR. Repeatable.", metavar="FACTOR")
]
Cost = Annotated[
    list[str] | None,
    typer.Option(
        help="TRUE:PREDICTED=COST of a wrong prediction; 1 if not given. Repeatable.", metavar="COST"
    ),
]
Weight = Annotated[str | None, typer.Option(help="Column of row weights.", metavar="COLUMN")]
Reward = Annotated[
    list[str] | None,
    typer.Option(
        help="--task policy: column of the rewards of one action. Repeatable, once per action.",
        metavar="COLUMN",
    ),
]
Event = Annotated[
    str | None,
    typer.Option(
        help="--task survival: column that says whether the event was seen (1) or not (0); --target has the times.",
        metavar="COLUMN",
    ),
]
RowCost = Annotated[
    list[str] | None,
    typer.Option(
        help="CLASS=COLUMN: column with the cost of predicting this class for each row. Repeatable, once per "
        "class.",
        metavar="COLUMN",
    ),
]
Categorical = Annotated[
    list[str] | None,
    typer.Option(help="Numeric column to read as categories. Repeatable.", metavar="COLUMN"),
]
TimeLimit = Annotated[float, typer.Option(help="Seconds, reading the file included; inf for no limit.")]
StepLimit = Annotated[
    int | None,
    typer.Option(
        help="Limit on steps (subproblems, or passes over rows); unlike seconds, the same on every machine.",
        show_default="unlimited",
    ),
]
Threads = Annotated[
    int | None, typer.Option("--jobs", help="Threads of the search; -1 is all cores.", show_default="1")
]
MemoryLimit = Annotated[
    int | None, typer.Option(help="MiB for the search.", show_default="half of the memory")
]
ProgressBar = Annotated[bool, typer.Option(help="Progress bar on long runs in a terminal.")]


F1 = "f1"  # --objective


@dataclass(frozen=True)
class Question:
    """A problem, and what its model file must say so that it can be stated again.

    Parameters
    ----------
    problem : Problem or F1Problem
    given : dict
        The fields of `Terms` that a problem does not hold in this form.
    """

    problem: Any  # a Problem, or an F1Problem
    given: dict[str, Any]

    def terms(self, **changed: Any) -> Terms:
        """Return the terms; `changed` are limits that are others than the problem's."""
        from treewright.convert import Terms

        limits = ("cost_complexity", "max_depth", "max_leaf_nodes", "min_samples_leaf")
        return Terms(**({name: getattr(self.problem, name) for name in limits} | self.given | changed))


def state_question(
    csv: CsvTable,
    *,
    target: str,
    weight: str | None,
    objective: str,
    class_weight: Sequence[str] | None,
    cost: Sequence[str] | None,
    min_samples_leaf: str,
    f1: bool = False,
    **limits: Any,
) -> Question:
    """State the problem of a table with labels; `limits` go to `make_problem` as they are.

    With `f1` the objective may be "f1", too, without costs.
    """
    from treewright.problem import make_f1_problem, make_problem

    assert csv.target is not None  # the callers named a target
    labels = _labels(csv.target)
    factors = _class_weight(class_weight or (), labels)
    by_label = dict(zip(labels.values(), factors, strict=True)) if isinstance(factors, tuple) else None
    costs = read_costs(cost or (), csv.target)
    objective = read_objective(objective, *((F1, LEAF_ACCURACY) if f1 else ()))
    asked: dict[str, Any] = {
        "sample_weight": csv.sample_weight,
        "class_weight": by_label if by_label is not None else factors,
        "min_samples_leaf": read_min_samples_leaf(min_samples_leaf),
        **limits,
    }
    problem: Any
    if f1 and objective == F1 and costs is not None:
        raise InputError("--cost does not go with --objective f1, which sets the costs itself; leave it out.")
    if f1 and objective == F1 and len(labels) != 2:
        raise InputError(
            f"--objective f1 is for two labels, of which the second in sorted order is the positive one; column "
            f"{target} has {len(labels)}: {', '.join(list(labels)[:20])}."
        )
    with busy("Preparing the search"):
        if f1 and objective == F1:
            problem = make_f1_problem(csv.table, csv.target, **asked)
        else:
            problem = make_problem(
                csv.table,
                csv.target,
                costs=costs,
                objective=objective,  # type: ignore[arg-type]  # make_problem checks it
                **asked,
            )
    given = {
        "objective": objective,
        "class_weight": factors,
        "costs": costs,
        "target": target,
        "weight": weight,
    }
    return Question(problem, given)


def read_limits(
    time_limit: float, step_limit: int | None, memory_limit: int | None, jobs: int | None = None
) -> Limits:
    """Return the limits of a search, whose time runs from now; seconds may be inf, memory is in MiB."""
    from treewright.search import Limits

    return Limits(
        None if math.isinf(time_limit) else time_limit,
        step_limit,
        None if memory_limit is None else memory_limit << 20,
        n_jobs=1 if jobs is None else jobs,
    ).started()


def read_thresholds(text: str) -> Thresholds:
    """Return which thresholds to search."""
    if text in ("auto", "all"):
        return text  # type: ignore[return-value]  # one of the two literals
    if text.isascii() and text.isdigit():
        return int(text)
    raise InputError(f"--thresholds {text!r}; give 'auto', 'all' or a number of quantile bins.")


def read_objective(text: str, *more: str) -> str:
    """Return an objective as Python spells it: one of the two of `make_problem`, or one `more`."""
    offered = ("accuracy", "balanced-accuracy", *more)
    if text.replace("_", "-") not in offered:
        raise InputError(f"--objective {text!r}; give {list_of(map(repr, offered), 'or')}.")
    return text.replace("-", "_")


def read_min_samples_leaf(text: str) -> int | float:
    """Return rows, or a fraction of them; an integer stays one: 1 is one row, 1.0 would be a fraction."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise InputError(f"--min-samples-leaf {text!r}; give an integer, or a fraction below 1.") from None


def read_class_weight(entries: Sequence[str], target: NDArray[Any]) -> dict[Any, float]:
    """Return the factor of each label of a target, given as LABEL=FACTOR."""
    labels = _labels(target)
    return dict(zip(labels.values(), _factors(entries, labels), strict=True))


def read_costs(entries: Sequence[str], target: NDArray[Any]) -> tuple[tuple[float, ...], ...] | None:
    """Return the costs between the labels of a target, given as TRUE:PREDICTED=COST."""
    if not entries:
        return None
    names = list(_labels(target))
    matrix = [[float(i != j) for j in range(len(names))] for i in range(len(names))]
    for name, cost in pairs(entries, "--cost"):
        places = [(i, j) for i, a in enumerate(names) for j, b in enumerate(names) if f"{a}:{b}" == name]
        if len(places) != 1:
            raise InputError(
                f"--cost {name!r}; give TRUE:PREDICTED=COST with two of the labels {', '.join(names)}."
            )
        matrix[places[0][0]][places[0][1]] = cost
    return tuple(map(tuple, matrix))


def _labels(target: NDArray[Any]) -> dict[str, Any]:
    """The labels by their text, in the order of the classes."""
    import numpy as np

    return {str(label): label for label in np.unique(target).tolist()}


def _class_weight(entries: Sequence[str], labels: dict[str, Any]) -> tuple[float, ...] | str | None:
    if not entries or list(entries) == ["balanced"]:
        return entries[0] if entries else None
    return _factors(entries, labels)


def _factors(entries: Sequence[str], labels: dict[str, Any]) -> tuple[float, ...]:
    factors = dict.fromkeys(labels, 1.0)
    for name, factor in pairs(entries, "--class-weight"):
        if name not in labels:
            raise InputError(f"--class-weight names the label {name!r}; the labels are {', '.join(labels)}.")
        factors[name] = factor
    return tuple(factors.values())
