"""What must hold for ``fit --method latent``: the file holds the hardened tree of the estimator, and its own claims."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from attack.checks import Mismatch
from attack.command_line.checks import asked_both, check_model
from attack.command_line.command import Command
from attack.command_line.table_files import Files
from attack.command_line.words import latent_words

__all__ = ["latent_breaks"]

NEAR = 1e-9


class Hardened:
    """A tree under the name that the comparison of predictions expects."""

    def __init__(self, tree: Any) -> None:
        self.tree = tree


def latent_breaks(command: Command, files: Files) -> Iterator[Mismatch]:
    """Compare `fit --method latent`, its model file, `verify` and `predict` with the estimator, hardened."""
    from treewright.convert import to_json

    case, out = command.case, files / "model.json"
    words = ["fit", str(files.data), *latent_words(command), *files.how, f"--out={out}"]
    said, model, broken = asked_both(command, words, case.run)
    yield from broken
    if broken:
        return
    if said.code:
        yield Mismatch("another exit code", f"{said.code} instead of 0; {said.last}")
    hard = model.harden()
    if hard.sentence not in said.output:
        yield Mismatch("another sentence", f"{hard.sentence!r}; {said.output[-400:]}")
    ours, theirs = json.loads(out.read_text()), json.loads(to_json(hard.tree))
    for name in ("nodes", "columns", "classes"):
        if ours[name] != theirs[name]:
            yield Mismatch(f"another model file: {name}", f"{ours[name]} instead of {theirs[name]}"[:1200])
    claim, tree = ours["certificate"], hard.tree
    wrong = sum(a != b for a, b in zip(_predicted(tree, case), case.y, strict=True)) / case.n_rows
    if abs(claim["loss"] - wrong) > NEAR or claim["status"] == "OPTIMAL":
        yield Mismatch("another loss", f"{claim['loss']} instead of {wrong}")
    yield from check_model(command, files, out, Hardened(tree))


def _predicted(tree: Any, case: Any) -> list[Any]:
    from treewright.table import encode_like

    return list(tree.predict(encode_like(case.frame(), tree.columns)).tolist())
