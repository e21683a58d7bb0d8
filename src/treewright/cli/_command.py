"""What all commands have in common before they run: options of another command, and files of another kind, are named.

The commands are asked for their options, so that nothing has to be listed but what a person needs to hear in place of
"it is an option of fit".
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import typer
from typer.core import TyperCommand

from treewright.cli._exits import BAD_INPUT
from treewright.cli._output import note

__all__ = ["Command"]

UsageError = cast(
    "type[Exception]", typer.BadParameter.__bases__[0]
)  # of click, or of what typer brings in its place

CLASSES_ONLY = (
    "near-optimal finds trees of classes only. `treewright fit` and `treewright frontier` have --task regression; the "
    "other tasks have `treewright fit`."
)
BY_TASK = (
    "frontier compares trees of classes (the default) or of numbers (--task regression). For {what} it is "
    "`treewright fit {fit}`."
)
TIMES = BY_TASK.format(what="times", fit="--task survival --event COLUMN")
ACTIONS = BY_TASK.format(what="actions", fit="--task policy --reward COLUMN")
INSTEAD = {  # what to hear about an option that another command has
    ("near-optimal", "--task"): CLASSES_ONLY,
    ("near-optimal", "--event"): CLASSES_ONLY,
    ("near-optimal", "--reward"): CLASSES_ONLY,
    ("near-optimal", "--criterion"): CLASSES_ONLY,
    ("frontier", "--event"): TIMES,
    ("frontier", "--reward"): ACTIONS,
    ("frontier", "--action-cost"): ACTIONS,
    (
        "frontier",
        "--cost-complexity",
    ): "A frontier has the best tree for every size, so it needs no penalty per leaf.",
    ("frontier", "--max-leaf-nodes"): "In frontier it is --max-leaves.",
    ("near-optimal", "--max-leaf-nodes"): "In near-optimal it is --max-leaves.",
    ("fit", "--max-leaves"): "In fit it is --max-leaf-nodes.",
    ("fit", "--leaves"): "In fit it is --max-leaf-nodes.",
    ("look", "--task"): "look needs no task; the command that it proposes has the one that fits the target.",
}
OF_THE_MODEL = ("predict", "report", "audit", "verify", "extend", "show", "export")
KEPT = (
    "--task", "--event", "--reward", "--weight", "--ignore", "--categorical", "--criterion", "--cost",
    "--class-weight",
)  # fmt: skip
IN_PYTHON = {  # arguments of estimators, and names in other programs
    "--n-jobs": "--jobs",
    "--random-state": "--seed",
    "--sample-weight": "--weight",
    "--categorical-features": "--categorical",
    "--costs": "--cost",
    "--row-costs": "--row-cost",
    "--rewards": "--reward",
    "--delimiter": "--separator",
    "--sep": "--separator",
    "--output": "--out",
    "--alpha": "--cost-complexity",
    "--ccp-alpha": "--cost-complexity",
    "--timeout": "--time-limit",
}
WRITES = {
    "fit": "a model as JSON",
    "frontier": "a model as JSON",
    "near-optimal": "trees as JSON",
    "query": "trees as JSON",
    "reborn": "a model as JSON",
    "audit": "its figures as JSON",
    "predict": "CSV",
    "extend": "CSV",
    "report": "HTML",
    "choose": "HTML",
    "look": "YAML",
}  # export and show look at the ending themselves
ENDINGS = {"JSON": (".json",), "CSV": (".csv",), "HTML": (".html", ".htm"), "YAML": (".yaml", ".yml")}
PICTURES = (".png", ".svg", ".pdf")
OTHERS = (
    *PICTURES, ".xlsx", ".xls", ".parquet", ".arrow", ".feather", ".pkl", ".pickle", ".joblib", ".onnx", ".sql", ".py",
    ".c", ".dot", ".gz", ".zip",
)  # fmt: skip


class Command(TyperCommand):
    """A command that knows the options of the others, and what it writes."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options; one that another command has is named with this command."""
        try:
            return super().parse_args(ctx, args)
        except UsageError as error:
            if isinstance(given := getattr(error, "option_name", None), str) and hasattr(
                error, "possibilities"
            ):
                _explain(error, str(ctx.info_name), given, ctx)
            raise

    def invoke(self, ctx: Any) -> Any:
        """Run the command, unless the name of the file that it writes is that of another kind of file."""
        kinds = {"out": WRITES.get(str(ctx.info_name)), "table": "CSV", "forest_out": "a forest as JSON"}
        for name, kind in kinds.items():
            path, option = ctx.params.get(name), f"--{name.replace('_', '-')}"
            if kind is not None and isinstance(path, Path) and (why := _other_kind(path, option, kind)):
                note(f"Error: {why}")
                raise typer.Exit(BAD_INPUT)
        return super().invoke(ctx)


def _explain(error: Any, command: str, given: str, ctx: Any) -> None:
    """Say in the error which command has an option, or by which name this one has it."""
    here = set(_options_of(ctx.command))
    similar = [name for name in error.possibilities or () if given.strip("-") in name]
    if IN_PYTHON.get(given) in here:
        told = f"Here it is {IN_PYTHON[given]}."
    elif (command, given) in INSTEAD:
        told = INSTEAD[command, given]
    elif owners := [
        name for name, other in ctx.parent.command.commands.items() if given in _options_of(other)
    ]:
        told = f"It is an option of {_listed(owners)}."
        if command in OF_THE_MODEL and given in KEPT and "fit" in owners:
            told = f"The model file says what `treewright fit {given}` was given; leave it out here."
    else:
        return  # a slip, for which similar names are proposed
    error.message = f"{error.message.rstrip('.')}. {told}"
    error.possibilities = None if (command, given) in INSTEAD else similar or None


def _options_of(command: Any) -> Iterator[str]:
    for own in command.params:
        yield from (*own.opts, *own.secondary_opts)


def _listed(names: list[str]) -> str:
    said = [f"`treewright {name}`" for name in names]
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"


def _other_kind(path: Path, option: str, kind: str) -> str | None:
    """Say what is wrong with the name of a file to write, if it is that of another kind of file."""
    ending = path.suffix.lower()
    own = next(endings for name, endings in ENDINGS.items() if kind.endswith(name))
    if ending in own or ending not in (*OTHERS, *(one for endings in ENDINGS.values() for one in endings)):
        return None
    more = f"a file that ends in {' or '.join(own)}"
    picture = " For a picture: `treewright show` with the model file." if ending in PICTURES else ""
    return f"{option} {path}: this writes {kind}, and the name ends in {ending}. Name {more}.{picture}"
