"""What `reborn` refuses: options that do not go together, and files that do not fit what is asked."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from treewright.errors import InputError

__all__ = ["check_asked", "is_table", "of_numbers"]

TABLE_SUFFIXES = (".csv", ".csv.gz")
PRUNINGS = (None, "rows", "active")
TASKS = ("classification", "regression")
FAITHFUL = ("everywhere", "rows")


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
    if given.one_hot and (given.faithful == "rows" or given.prune is not None):
        raise InputError("--one-hot is for a tree that is faithful everywhere and not pruned.")
    if given.task not in TASKS:
        raise InputError(f"--task {given.task!r}; give 'classification' or 'regression'.")
    if given.within is not None and not of_numbers(given):
        raise InputError(
            "--within is for the numbers of a regression model: name their column, --predictions, or let a "
            "forest learn them, --task regression."
        )
    if of_numbers(given):
        for value, option in (
            (given.prune, "--prune"),
            (given.domain, "--domain"),
            (given.rows, "--rows"),
            (given.one_hot, "--one-hot"),
        ):
            if value:
                raise InputError(
                    f"{option} is for a model of classes; leave it out with --predictions and --task regression."
                )
        if not is_table(given.source):
            raise InputError(
                f"{given.source.name} is no CSV file; --predictions names a column of one, and --task regression "
                "learns from one."
            )
        if given.bins:
            raise InputError("--bins is for a model of classes; leave it out.")
