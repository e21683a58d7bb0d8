"""What `reborn` and `verify` refuse: options that do not go together, and files that do not fit what is asked."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.convert import Certificate, Model

__all__ = ["check_asked", "is_table", "objective_of_model", "of_numbers", "refuse_claims_of_rows"]

TABLE_SUFFIXES = (".csv", ".csv.gz", ".parquet", ".pq", ".arrow", ".feather")
PRUNINGS = (None, "rows", "active")
TASKS = ("classification", "regression")
FAITHFUL = (None, "everywhere", "rows")


def is_table(source: Path) -> bool:
    """Whether a file holds rows, not a model."""
    return source.name.lower().endswith(TABLE_SUFFIXES)


def of_numbers(given: SimpleNamespace) -> bool:
    """Whether the model is one of numbers; `given` has the options of `reborn`."""
    return given.predictions is not None or given.task == "regression"


def check_asked(given: SimpleNamespace) -> None:
    """Refuse options that do not go together; `given` has the options of `reborn`."""
    if given.prune not in PRUNINGS:
        raise InputError(f"--prune {given.prune!r}; give 'rows' or 'active', or leave it out.")
    if given.faithful not in FAITHFUL:
        raise InputError(f"--faithful {given.faithful!r}; give 'everywhere' or 'rows'.")
    if given.faithful == "rows" and given.prune is not None:
        raise InputError(
            "--prune is for a tree that is faithful everywhere; leave it out with --faithful rows."
        )
    if given.domain not in (None, "rows"):
        raise InputError(f"--domain {given.domain!r}; give 'rows', or leave it out.")
    if given.faithful == "rows" and given.domain is not None:
        raise InputError(
            "--domain is for a tree that is faithful everywhere; leave it out with --faithful rows."
        )
    for groups, option in ((given.one_hot, "--one-hot"), (given.at_most_one, "--at-most-one")):
        if groups and (given.faithful == "rows" or given.prune is not None):
            raise InputError(f"{option} is for a tree that is faithful everywhere and not pruned.")
    if given.task not in TASKS:
        raise InputError(f"--task {given.task!r}; give 'classification' or 'regression'.")
    if given.within is not None and not of_numbers(given):
        raise InputError(
            "--within is for the numbers of a regression model: name their column, --predictions, or let a "
            "forest learn them, --task regression."
        )
    if of_numbers(given):
        _check_numbers(given)
    elif given.forest_out is not None:
        raise InputError("--forest-out is for --task regression with a CSV file; leave it out.")


def _check_numbers(given: SimpleNamespace) -> None:
    """Refuse what does not go with a model of numbers."""
    table = is_table(given.source)
    for value, option in (
        (given.prune, "--prune"),
        (given.bins, "--bins"),
    ):
        if value:
            raise InputError(
                f"{option} is for a model of classes; leave it out with --predictions and --task regression."
            )
    if given.predictions is not None and not table:
        raise InputError(
            f"{given.source.name} is no CSV, Parquet or Arrow file; --predictions names a column of one."
        )
    if given.predictions is not None and given.faithful == "everywhere":
        raise InputError(
            "--predictions tells what a model says of rows; to be near it everywhere its trees are needed: give the "
            "model's file instead, with --task regression."
        )
    if table and given.faithful is None:
        for value, option in (
            (given.domain, "--domain"),
            (given.one_hot, "--one-hot"),
            (given.at_most_one, "--at-most-one"),
        ):
            if value:
                raise InputError(
                    f"{option} is for a tree that is near everywhere, --task regression --faithful everywhere; leave "
                    "it out here."
                )
    if not table and given.faithful == "rows":
        raise InputError(
            "--faithful rows of a model of numbers needs a CSV file with its numbers in a column: --predictions COLUMN."
        )
    if table and given.rows is not None:
        raise InputError("--rows is for a model file; the CSV file has rows of its own.")
    if given.forest_out is not None and (not table or given.predictions is not None):
        raise InputError("--forest-out writes the forest that --task regression trains; leave it out here.")
    if not table or given.faithful == "everywhere":
        for value, option in ((given.tolerance, "--tolerance"), (given.max_depth, "--max-depth")):
            if value is not None:
                raise InputError(f"{option} is for a tree that is near on rows; leave it out here.")


def refuse_claims_of_rows(claim: Certificate, path: Path) -> None:
    """Refuse to hold what a file claims of rows against an ensemble.

    Raises
    ------
    InputError
        The tree agrees with a model on rows, or is near it there.
    """
    objective = claim.options.get("objective")
    if objective == "rows":
        raise InputError(
            f"This tree agrees with an ensemble on {claim.scope}, not everywhere, so {path.name} proves nothing about "
            "it. Make it again to check it: treewright reborn --faithful rows."
        )
    if objective == "labels":
        raise InputError(
            f"This tree says what a model said of {claim.scope}, not what {path.name} would say. Make it again to "
            "check it, treewright.bornagain.distil_labels with these rows and the model's answers."
        )
    if objective == "values":
        raise InputError(
            f"This tree is near the numbers of a regression model on {claim.scope}, so {path.name} proves nothing "
            "about it. Give the CSV file of these rows, with the model's numbers in a column."
        )


def objective_of_model(content: Model) -> tuple[str, ...]:
    """The objective of a tree that is near a regression model, as its certificate names it; nothing of other trees."""
    from treewright.result import BornAgainResult

    named = content.result.options.get("objective") if isinstance(content.result, BornAgainResult) else None
    return (named,) if named in ("values", "values-everywhere") else ()
