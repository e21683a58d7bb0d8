"""`treewright audit`: decisions and errors of a saved tree by group."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from treewright.cli._csv_options import CsvOptions, reads_csv
from treewright.cli._exits import exits_by_code
from treewright.cli._options import Csv, KnownTarget, ModelPath, SettingsFile
from treewright.cli._output import note, say
from treewright.cli._read_csv import read_csv, read_groups
from treewright.cli._stop import finishing
from treewright.cli._verify import label_column
from treewright.errors import InputError

__all__ = ["audit"]


@reads_csv
@exits_by_code
def audit(
    model: ModelPath,
    data: Csv,
    group: Annotated[
        list[str],
        typer.Option(
            "--group", "-g", help="Column of groups; the tree need not use it. Repeatable.", metavar="COLUMN"
        ),
    ],
    cut: Annotated[
        list[str] | None,
        typer.Option(
            help="Numbers at which a numeric --group column is cut into ranges. Repeatable.",
            metavar="COLUMN=NUMBER,NUMBER,...",
        ),
    ] = None,
    positive: Annotated[
        str | None,
        typer.Option(help="Label of a positive decision.", metavar="LABEL", show_default="the second of two"),
    ] = None,
    confidence: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    fewest_rows: Annotated[int, typer.Option(help="Shares of fewer rows than this are marked.", min=0)] = 30,
    target: KnownTarget = None,
    columns: SettingsFile = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="JSON file to write, with all figures.")
    ] = None,
    *,
    how: CsvOptions,
) -> None:
    """Count, for each group of rows of a CSV file, how a tree decides and how often it is wrong.

    Shows rows, positive decisions, errors, false positives and false negatives of each group, each share with its
    Wilson interval. Shares of few rows are marked. Give rows that the tree has not seen.

    \b
    Examples:
      treewright audit model.json test.csv --group sex
      treewright audit model.json test.csv --group race --group age --cut age=25,45
      treewright audit model.json test.csv --group sex --positive yes --out audit.json

    Exit codes: 0 done, 2 bad input, 130 interrupted by Ctrl-C, 143 ended by SIGTERM (nothing is written).
    """  # noqa: D301  (\b keeps the lines apart in the help)
    from treewright.audit import audit_groups
    from treewright.convert import check_writable, load_model, write_bytes

    if out is not None:
        check_writable(out)
    cuts = _cuts(cut or (), group)
    content = load_model(model)
    if not content.tree.predicts_classes:
        raise InputError(
            f"Errors by group are of trees that predict classes; this is a {content.tree.kind.value} tree. Its "
            "errors by group are in treewright report --group COLUMN."
        )
    rows = read_csv(
        data,
        target=label_column(content, target),
        columns=content.tree.columns,
        needed=content.tree.asked,
        reading=content.reading,
        settings=columns,
        **how,
    )
    assert rows.target is not None  # a target was named
    for text in rows.table.notes:
        note(f"Note: {text}")
    found = audit_groups(
        content.tree,
        rows.table,
        rows.target,
        {name: read_groups(data, name, content.reading, columns, **how) for name in group},
        cuts=cuts,
        positive=positive,
        confidence=confidence,
        fewest_rows=fewest_rows,
        settings=columns,
    )
    with finishing():
        say(found.to_text())
        if out is not None:
            write_bytes(
                out, (json.dumps(found.to_dict(), indent=1, ensure_ascii=False) + "\n").encode("utf-8")
            )
            note(f"Wrote {out}.")


def _cuts(entries: Sequence[str], groups: Sequence[str]) -> dict[str, list[float]]:
    """Read ``COLUMN=NUMBER,NUMBER``."""
    found: dict[str, list[float]] = {}
    for entry in entries:
        name, _, text = entry.rpartition("=")
        try:
            numbers = [float(number) for number in text.split(",")]
        except ValueError:
            numbers = []
        if not name or not numbers or name in found:
            raise InputError(
                f"--cut {entry!r}; give COLUMN=NUMBER,NUMBER,..., each column once: --cut age=25,45."
            )
        if name not in groups:
            raise InputError(f"--cut {entry!r}: add --group {name}, or leave the cut out.")
        found[name] = numbers
    return found
