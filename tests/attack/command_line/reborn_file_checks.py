"""What must hold for `reborn` of a model file: its tree says of each row what the library that wrote the file says."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from attack.checks import Mismatch
from attack.command_line.after_checks import after_breaks
from attack.command_line.checks import asked_both, same_file
from attack.command_line.command import Command
from attack.command_line.model_files import ModelFile, model_file, rows_of
from attack.command_line.program import Said, run
from attack.command_line.table_files import Files
from attack.command_line.words import file_option_words

__all__ = ["is_verified", "reborn_file_breaks"]

AGREES = re.compile(r" on (\d+) of (\d+) rows; ")
NEAR = 1e-5  # relative: libraries add in single precision


def reborn_file_breaks(command: Command, files: Files) -> Iterator[Mismatch]:
    """Compare `reborn` of a model file, `predict` and `verify` with Python and with the library."""
    of_numbers = command.method == "near values"
    asked, out = command.asked["file"], files / "tree.json"
    model = model_file(command.case, asked["kind"], files.folder, of_numbers=of_numbers)
    role = [f"--target={command.form.target}"]
    if command.form.ignored is not None:
        role.append(f"--ignore={command.form.ignored}")
    rows = [f"--rows={files.data}"] if asked["rows"] else []
    new = [f"--new-rows={files.data}"] if asked.get("new_rows") else []
    words = ["reborn", str(model.path), *file_option_words(command), *role, *rows, *new, *files.how]
    ask = near_numbers if of_numbers else like_classes
    said, answer, broken = asked_both(command, [*words, f"--out={out}"], partial(ask, command, model.path))
    yield from broken
    if broken:
        return
    result, before, agreed = answer
    if said.code:
        yield Mismatch("another exit code", f"{said.code} instead of 0; {said.last} {said.output[-300:]}")
        return
    for sentence in (before.sentence(), result.sentence(), *([agreed] if new else [])):
        if sentence not in said.output:
            yield Mismatch("another sentence", f"{sentence!r}; {said.output[-600:]}")
    yield from same_file(out, result)
    yield from _says_the_same(command, files, model, out, result)
    if is_verified(command):
        checked = run(["verify", str(out), f"--ensemble={model.path}"])
        if checked.code or checked.crash:
            yield Mismatch("verify refuses a true claim", f"{checked.output[-500:]} {checked.errors}")
    after = {verb: command.asked[verb] for verb in ("export", "show") if verb in command.asked}
    yield from after_breaks(command.but(asked=after), files, out)


def is_verified(command: Command) -> bool:
    """Whether the tree is like the model on every row, so that its file can be held against the model's."""
    return command.asked["file"].get("faithful") != "rows" and "prune" not in command.asked["file"]


def _says_the_same(
    command: Command, files: Files, model: ModelFile, out: Path, result: Any
) -> Iterator[Mismatch]:
    """`predict` on the rows of the table, beside what the library says of them."""
    X, names, table = (
        rows_of(command.case),
        [column.name for column in result.tree.columns],
        files / "named.csv",
    )
    with table.open("w", newline="") as text:
        csv.writer(text).writerows([names, *(["" if x != x else repr(x) for x in row] for row in X.tolist())])
    said = run(["predict", str(out), str(table), "--decimal-point"])
    ours, theirs = _read(said), []
    if not said.code and len(ours) == len(X):
        known = ~np.isnan(X).any(axis=1)
        if model.routes_missing and "missing values included" in result.sentence():
            known[:] = True
        ours, theirs = (
            [ours[row] for row in np.flatnonzero(known)],
            model.says(X[known]) if known.any() else [],
        )
    if said.code or said.crash or len(ours) != len(theirs):
        yield Mismatch("predict refuses the rows", f"{said.errors} {said.crash}")
    elif command.method == "near values":
        most = result.loss + NEAR * (1 + max(map(abs, theirs), default=0.0))
        if max((abs(float(a) - b) for a, b in zip(ours, theirs, strict=True)), default=0.0) > most:
            yield Mismatch("further from the library than said", f"{ours}, {theirs}; {result.sentence()}")
    else:
        apart = sum(a != str(int(b)) for a, b in zip(ours, theirs, strict=True))
        agrees = AGREES.search(result.sentence()) if command.asked["file"].get("faithful") == "rows" else None
        if apart != (int(agrees[2]) - int(agrees[1]) if agrees else 0):
            yield Mismatch("the library says something else", f"{ours}, {theirs}; {result.sentence()}")


def _read(said: Said) -> list[str]:
    return [row[0] for row in list(csv.reader(io.StringIO(said.output)))[1:]]


def _table_rows(command: Command, ensemble: Any) -> Any:
    """Rows in the columns of the ensemble, which has their names, or the first ones."""
    return rows_of(command.case)[:, : ensemble.n_features]


def like_classes(command: Command, path: Path) -> tuple[Any, Any, str]:
    """The tree, what it was before it was pruned, and how often it agrees with the table's rows."""
    from treewright.bornagain import (
        Domain,
        agreement,
        distil,
        merged_result,
        pruned_result,
        solve,
        solve_active,
    )
    from treewright.convert import Ensemble

    asked = command.asked["file"]
    X = rows_of(command.case) if asked["rows"] else None
    route = X is not None and bool(np.isnan(X).any())
    whole = ensemble = Ensemble.load(path, missing="route" if route else "refuse")
    if X is not None:
        X = _table_rows(command, ensemble)
    if asked.get("domain"):
        ensemble = ensemble.within(Domain.of_rows(X))
    if asked.get("faithful") == "rows":
        names = ("tolerance", "max_depth", "max_leaves")
        before = distil(
            ensemble, X, **{"tolerance": 0.02, "max_depth": 4, **{k: asked[k] for k in names if k in asked}}
        )
        result = before
    elif asked.get("prune") == "active":
        before = solve_active(ensemble, X)
        result = merged_result(before)
    else:
        before = solve(ensemble, objective=asked.get("objective", "depth-leaves"), X=X, max_leaves=20_000)
        result = before if "prune" not in asked else pruned_result(before, X)
    agreed = (
        agreement(result.tree, whole, _table_rows(command, whole)).sentence() if asked.get("new_rows") else ""
    )
    return result, before, agreed


def near_numbers(command: Command, path: Path) -> tuple[Any, Any, str]:
    """The same of a model of numbers."""
    from treewright.bornagain import Domain, near_everywhere, value_agreement
    from treewright.convert import NumberEnsemble
    from treewright.table import Table

    asked = command.asked["file"]
    whole = ensemble = NumberEnsemble.load(path)
    X = _table_rows(command, ensemble) if asked["rows"] else None
    if asked.get("domain"):
        ensemble = ensemble.within(Domain.of_rows(X))
    result = near_everywhere(ensemble, tolerance=asked["within"], max_leaves=1000, X=X)
    agreed = ""
    if asked.get("new_rows"):
        X = _table_rows(command, ensemble)
        table = Table(result.tree.columns, X)
        agreed = value_agreement(result.tree, whole.predict(X), table, tolerance=asked["within"]).sentence()
    return result, result, agreed
