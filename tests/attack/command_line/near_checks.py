"""What must hold for `near-optimal` and `query`: sets, tables and trees are those of Python with the same rules."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attack.checks import Mismatch
from attack.command_line.checks import asked_both, check_model, same_file
from attack.command_line.choose_checks import choose_breaks
from attack.command_line.command import Command
from attack.command_line.program import Said, run
from attack.command_line.table_files import Files
from attack.command_line.titles import title_words, write_titles
from attack.command_line.words import near_words, rule_words

__all__ = ["near_breaks"]

ENDLESS = 10**6  # steps that no search of the attack takes


def near_breaks(command: Command, files: Files) -> Iterator[Mismatch]:
    """Compare the set, its tables and files, the rules of both verbs, and one tree."""
    case, kept, table = command.case, files / "set.json", files / "table.csv"
    rules, later = command.asked.get("rules", {}), command.asked.get("later", {})
    words = [
        *("near-optimal", str(files.data), *near_words(command), *files.how, *rule_words(rules)),
        *(f"--out={kept}", f"--table={table}"),
    ]
    said, found, broken = asked_both(command, words, lambda: case.run().where(**rules))
    yield from broken
    if broken:
        return
    if "time_limit" in case.options:
        yield from _holds_on_its_table(files, kept)
        return
    if "step_limit" in command.asked:
        yield from _a_part_of(found, kept)
        if command.asked["step_limit"] < ENDLESS:
            yield from _holds_on_its_table(files, kept)
            return
    yield from _same_set(said, found, kept, table)
    yield from _holds_on_its_table(files, kept)
    if "choose" in command.asked:
        yield from choose_breaks(command, files, kept, found)
    place = command.asked.get("tree")
    if place is not None:
        tree = files / "tree.json"
        said = run([*words[:-2], f"--out={tree}", f"--tree={place}"])
        yield from _one_tree(command, files, said, found, place, tree)
    smaller, sizes = files / "smaller.json", files / "smaller.csv"
    asked = ["query", str(kept), *rule_words(later), *title_words(write_titles(command, files))]
    asked += ["--ascii"] if "titles" in command.asked else []
    said = run([*asked, f"--out={smaller}", f"--table={sizes}"])
    fewer = found.where(**later)
    yield from (Mismatch(f"query: {m.law}", m.words) for m in _same_set(said, fewer, smaller, sizes))
    if place is not None:
        tree = files / "asked.json"
        said = run([*asked, f"--out={tree}", f"--tree={place}"])
        yield from (
            Mismatch(f"query: {m.law}", m.words) for m in _one_tree(command, files, said, fewer, place, tree)
        )


def _a_part_of(found: Any, kept: Path) -> Iterator[Mismatch]:
    """A set that steps cut short holds all trees up to its own bound, and no others."""
    from treewright.near_optimal import load_near_optimal

    read = load_near_optimal(kept)
    if read.bound_ == read.bound_ and read.table() != found.where(max_objective=read.bound_).table():
        yield Mismatch("a stopped set is no part of the whole", f"{read.sentence()}; {found.sentence()}")


def _same_set(said: Said, found: Any, kept: Path, table: Path) -> Iterator[Mismatch]:
    """What a verb says and writes of a set is what Python says of it."""
    from treewright.near_optimal import load_near_optimal

    if said.code or said.crash:
        yield Mismatch("another exit code", f"{said.code} instead of 0; {said.last} {said.crash}")
        return
    if found.sentence() not in said.output:
        yield Mismatch("another sentence", f"{found.sentence()!r}; {said.output[-400:]}")
    with table.open(newline="") as text:
        rows = list(csv.reader(text))[1:]
    sizes = [list(map(str, row)) for row in found.table()]
    if rows != sizes:
        yield Mismatch("another table of sizes", f"{rows} instead of {sizes}")
    read = load_near_optimal(kept)
    if (
        read.n_trees_ != found.n_trees_
        or read.sentence() != found.sentence()
        or read.table() != found.table()
    ):
        yield Mismatch("another set in the file", f"{read.sentence()} instead of {found.sentence()}")


def _holds_on_its_table(files: Files, kept: Path) -> Iterator[Mismatch]:
    said = run(["verify", str(kept), str(files.data), *files.how])
    if said.code or said.crash:
        yield Mismatch("verify refuses a true set", f"{said.output[-700:]} {said.errors} {said.crash}")


def _one_tree(
    command: Command, files: Files, said: Said, found: Any, place: int, tree: Path
) -> Iterator[Mismatch]:
    """The tree at a place, which is refused exactly if there are fewer."""
    first = place == 1 and found.stop_reason is not None and not found.rules
    if place > found.n_trees_ and not first:
        if said.code != 2 or said.crash:
            yield Mismatch("a tree that is not there", f"{said.code} {said.last} {said.crash}")
        return
    if said.code or said.crash:
        yield Mismatch("a tree is refused", f"{said.code} {said.last} {said.crash}")
        return
    result = found.result(place - 1) if place <= found.n_trees_ else found.best
    yield from same_file(tree, result)
    yield from check_model(command, files, tree, result)
