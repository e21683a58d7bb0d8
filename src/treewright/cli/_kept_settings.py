"""What a person wrote into a file of settings is kept when `look --fix` adds its proposals."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.table import Look, Settings

__all__ = ["check_kept", "with_kept", "without_repeats", "without_settled"]

USES = ("ignore", "categorical")


def check_kept(path: Path, given: Path | None) -> None:
    """Refuse to write over a file of settings that this call has not read, or whose comments would be lost."""
    if not path.is_file():
        return
    from treewright.table import Settings, settings_text

    if given is None or not path.samefile(given):
        raise InputError(
            f"{path} exists. Add --columns {shlex.quote(str(path))} to keep what it holds and add the proposals to it, "
            "or name another file to write with --out."
        )
    header, _, _ = settings_text(Settings()).partition("\n")
    if re.search(r"(^|\s)#", path.read_text("utf-8", errors="replace").removeprefix(header)):
        raise InputError(
            f"{path} holds comments (#), which --fix cannot keep. Name another file to write with --out, and copy the "
            "comments."
        )


def without_repeats(seen: Look) -> Look:
    """Leave out that rows repeat: columns that tell them apart, such as rewards, were not among those looked at."""
    return replace(
        seen, findings=tuple(one for one in seen.findings if "an earlier one in every column" not in one.text)
    )


def without_settled(seen: Look, kept: Settings) -> Look:
    """Leave out findings that the settings have already answered: spellings of labels, the use of a column.

    For a quantity that does not hold numbers, the finding is reported without a proposal. The same applies to all
    columns if the proposals together would leave no column, since no command can read such a table.
    """
    from treewright.table import NONE_LEFT

    findings = []
    for finding in seen.findings:
        if finding.order and finding.column in kept.categorical:
            continue
        if not finding.action and finding.value in (*kept.quantity, *kept.categorical):
            continue
        if finding.action in USES and finding.column in kept.quantity:
            if finding.column not in seen.kinds["numbers"]:
                findings.append(replace(finding, action="", value=""))
        elif finding.action != "merge-labels" or not kept.labels:
            findings.append(finding)
    ignored, still = (sum(one.action == "ignore" for one in some) for some in (seen.findings, findings))
    if still < ignored:
        findings = [one for one in findings if one.text != NONE_LEFT]
    elif any(one.text == NONE_LEFT for one in findings):
        findings = [replace(one, action="", value="") if one.action == "ignore" else one for one in findings]
    return replace(seen, findings=tuple(findings))


def with_kept(proposed: Settings, kept: Settings) -> Settings:
    """Return proposals together with the settings that a person has made; nothing of these is lost.

    A word that stood for one that now stands for another stands for the latter; the
    use of a column that this call gave goes before the one in the file.
    """
    from treewright.table import joined_words

    return replace(
        proposed,
        labels={**proposed.labels, **kept.labels},
        words=joined_words(kept.words, proposed.words),
        order={**proposed.order, **kept.order},
        notes=kept.notes,
        label_names=kept.label_names,
        about=kept.about,
        quantity=tuple(
            name for name in kept.quantity if name not in (*proposed.ignore, *proposed.categorical)
        ),
    )
