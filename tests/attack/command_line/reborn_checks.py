"""What must hold for `reborn` of a table: tree, file and sentences are those of Python for the same model."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from functools import partial
from typing import Any

from attack.checks import Mismatch
from attack.command_line.after_checks import after_breaks
from attack.command_line.checks import asked_both, check_model, same_file
from attack.command_line.command import Command
from attack.command_line.program import run
from attack.command_line.table_files import Files
from attack.command_line.titles import title_words, write_titles
from attack.command_line.words import reborn_words

__all__ = ["reborn_breaks"]


def reborn_breaks(command: Command, files: Files) -> Iterator[Mismatch]:
    """Compare `reborn`, its model file and `predict` with the estimator, or with `distil_values`."""
    from treewright.convert import to_json

    of_numbers, out = command.method == "near values", files / "model.json"
    words = ["reborn", str(files.data), *reborn_words(command), *files.how, f"--out={out}"]
    words += title_words(write_titles(command, files))
    ask = partial(near_values, command) if of_numbers else command.case.run
    said, answer, broken = asked_both(command, words, ask)
    yield from broken
    if broken:
        return
    result = answer if of_numbers else answer.result_
    if said.code:
        yield Mismatch("another exit code", f"{said.code} instead of 0; {said.last} {said.output[-300:]}")
    if result.sentence() not in said.output:
        yield Mismatch("another sentence", f"{result.sentence()!r}; {said.output[-400:]}")
    if "prune" in command.case.options:  # the estimator keeps the certificate of the tree before
        nodes, own = (json.loads(text)["nodes"] for text in (out.read_text(), to_json(answer.tree_)))
        if nodes != own:
            yield Mismatch("another pruned tree", f"{nodes} instead of {own}")
    else:
        yield from same_file(out, result, kinds=of_numbers)  # an ensemble knows numbers only
    if of_numbers:
        yield from check_model(command, files, out, result)
        return
    said = run(["predict", str(out), str(files.data), *files.how])
    predicted = [row[0] for row in list(csv.reader(io.StringIO(said.output)))[1:]]
    wanted = list(map(str, answer.predict(command.case.frame()).tolist()))
    if said.code or said.crash or predicted != wanted:
        yield Mismatch(
            "predict says something else", f"{predicted} instead of {wanted}; {said.errors} {said.crash}"
        )
    yield from after_breaks(command, files, out)


def near_values(command: Command) -> Any:
    """The tree of fewest leaves near the numbers of the target column."""
    from treewright.bornagain import distil_values

    case = command.case
    names = ("tolerance", "share", "max_depth", "max_leaves", "step_limit", "memory_limit", "n_jobs")
    given = {name: case.options[name] for name in names if name in case.options}
    return distil_values(list(case.y), case.frame(), **given)
