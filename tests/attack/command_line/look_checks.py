"""What must hold for `look`: what it proposes is settled once and for all, and `fit` then meets no such fault.

Both ways of accepting the proposals are tried, the file of ``--fix`` and the command that `look` prints.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path

from attack.checks import Mismatch
from attack.command_line.command import Command
from attack.command_line.program import Said, run
from attack.command_line.table_files import Files
from attack.command_line.words import fit_words

__all__ = ["look_breaks"]

# What `look` says where a person has to act before a fit.
OPEN = ("But first, in the file itself", "Still to decide", "Without these columns none is left")
ACCEPT = "Accept all: treewright fit "
ROLES = ("--target=", "--weight=", "--reward=", "--event=", "--row-cost=", "--ignore=")
QUICK = ["--max-depth=1", "--time-limit=5"]


def look_breaks(command: Command, files: Files) -> Iterator[Mismatch]:
    """Look at a table, accept what is proposed, look again, and fit."""
    task = [word for word in fit_words(command) if word.startswith(_of_the_task())]
    told = [word for word in task if word.startswith(ROLES)]
    looked = ["look", str(files.data), *told]
    seen = run([*looked, *files.how])
    first, second = files / "settled.yaml", files / "again.yaml"
    fixed = run([*looked, *files.how, "--fix", f"--out={first}"])
    for said in (seen, fixed):
        if said.crash or said.code:
            yield Mismatch("look fails", f"{said.code} {said.last} {said.crash[-600:]}")
            return
    how = [word for word in files.how if not word.startswith("--columns=")]
    again = run([*looked, *how, f"--columns={first}", "--fix", f"--out={second}"])
    if again.crash or again.code:
        yield Mismatch("look cannot read what it wrote", f"{again.code} {again.last} {again.crash[-600:]}")
        return
    if first.read_text() != second.read_text():
        became = f"{first.read_text()!r} became {second.read_text()!r}"
        yield Mismatch("look --fix goes on", f"{became}; {again.output[-500:]}")
    final = run([*looked, *how, f"--columns={second}"])
    if final.code or ACCEPT in final.output:
        yield Mismatch(
            "look proposes again what was accepted", f"{second.read_text()!r}; {final.output[-500:]}"
        )
    if any(words in seen.output for words in OPEN):
        return
    settled = files / "settled.json"
    from_file = run(["fit", str(files.data), *task, *how, f"--columns={first}", *QUICK, f"--out={settled}"])
    yield from _fits(from_file, "what it settled")
    line = next((line for line in seen.output.splitlines() if line.startswith(ACCEPT)), None)
    if line is None:
        return
    printed = shlex.split(line.removeprefix("Accept all: treewright "))
    accepted = files / "accepted.json"
    rest = [word for word in task if word not in told and not _is_said(word, printed)]
    mine = [word for word in printed if word not in how]
    by_options = run([*mine, *how, *rest, *QUICK, f"--out={accepted}"])
    yield from _fits(by_options, "the command that look prints")
    if not from_file.code and not by_options.code and _nodes(settled) != _nodes(accepted):
        yield Mismatch("two ways to accept give two trees", f"{line}; {first.read_text()!r}")


def _is_said(word: str, printed: list[str]) -> bool:
    """Whether the command says the task by itself."""
    return word.startswith("--task=") and "--task" in printed


def _of_the_task() -> tuple[str, ...]:
    """What says which question is asked; limits and weights of classes are of no matter here."""
    names = "target task weight reward event row-cost ignore criterion quantile objective leaf-model"
    return tuple(f"--{name}=" for name in names.split())


def _fits(said: Said, what: str) -> Iterator[Mismatch]:
    if said.crash or said.code:
        yield Mismatch(f"fit refuses {what}", f"{said.code} {said.last} {said.crash[-600:]}")


def _nodes(path: Path) -> object:
    return json.loads(path.read_text())["nodes"]
