"""What a person wrote into a file of settings is kept when `look --fix` adds its proposals."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.table import Look, Settings

__all__ = ["check_kept", "with_kept", "without_settled"]

USES = ("ignore", "categorical")


def check_kept(path: Path, given: Path | None) -> None:
    """Refuse to write over a file of settings that this call has not read, or whose comments would be lost."""
    if not path.exists():
        return
    if given is None or not path.samefile(given):
        raise InputError(
            f"{path} exists. Add --columns {path} to keep what it holds and add the proposals to it, or name another "
            "file to write with --out."
        )
    _, _, own = path.read_text("utf-8", errors="replace").partition("\n")  # the first line is written anew
    if re.search(r"(^|\s)#", own):
        raise InputError(
            f"{path} holds comments (#), which --fix cannot keep. Name another file to write with --out, and copy the "
            "comments."
        )


def without_settled(seen: Look, kept: Settings) -> Look:
    """Leave out the findings that the settings have answered: spellings of labels, and the use of a column."""

    def is_open(action: str, column: str | None) -> bool:
        return not (kept.labels and action == "merge-labels") and not (
            action in USES and column in kept.quantity
        )

    return replace(seen, findings=tuple(one for one in seen.findings if is_open(one.action, one.column)))


def with_kept(proposed: Settings, kept: Settings) -> Settings:
    """Return proposals together with the settings that a person has made; nothing of these is lost.

    A word that stood for one that now stands for another stands for the latter.
    """
    words = {name: dict(names) for name, names in proposed.words.items()}
    for name, before in kept.words.items():
        now = words.get(name, {})
        words[name] = {**now, **{other: now.get(word, word) for other, word in before.items()}}
    return replace(
        proposed,
        labels={**proposed.labels, **kept.labels},
        words=words,
        notes=kept.notes,
        label_names=kept.label_names,
        about=kept.about,
        quantity=kept.quantity,
    )
