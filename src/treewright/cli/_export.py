"""`treewright export`: a saved tree for other tools."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treewright._plural import list_of
from treewright.cli._answers import answer_names
from treewright.cli._exits import exits_by_code
from treewright.cli._export_notes import fields_expected
from treewright.cli._options import ModelPath
from treewright.cli._output import note, put
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.convert import Model
    from treewright.tree import Tree

__all__ = ["export"]

TEXTS = ("python", "c", "sql", "rules")
TARGETS = ("sklearn", "onnx", *TEXTS)
BY_SUFFIX = {
    ".joblib": "sklearn",
    ".pkl": "sklearn",
    ".onnx": "onnx",
    ".py": "python",
    ".c": "c",
    ".sql": "sql",
    ".txt": "rules",
    ".csv": "rules",
}


@exits_by_code
def export(
    model: ModelPath,
    to: Annotated[
        str | None,
        typer.Option(
            "--to", "-t", help=f"One of {', '.join(TARGETS)}; without it, the extension of --out decides."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="File to write; without it, source code and rules are shown."),
    ] = None,
    table: Annotated[str | None, typer.Option(help="SQL: name of the table to query.")] = None,
    name: Annotated[str | None, typer.Option(help="Python and C: name of the function.")] = None,
    float32: Annotated[bool, typer.Option("--float32", help="ONNX: input numbers are float32.")] = False,
) -> None:
    """Write a saved tree for another tool; predictions stay the same.

    --to sklearn writes a fitted scikit-learn tree with joblib; if columns hold words, or sums are split, it is a
    pipeline with an encoder. --to onnx needs: pip install 'treewright[onnx]'. With a .csv file, --to rules writes a
    table.

    \b
    Examples:
      treewright export model.json --to sql --table patients
      treewright export model.json --out tree.c
      treewright export model.json --to rules --out rules.csv

    Exit codes: 0 done, 2 bad input.
    """  # noqa: D301  (\b keeps the lines apart in the help)
    from treewright.convert import check_writable, load_model, write_bytes

    target = _target(to, out)
    for option, value, fits in (
        ("--table", table, ("sql",)),
        ("--name", name, ("python", "c")),
        ("--float32", float32 or None, ("onnx",)),
    ):
        if value is not None and target not in fits:
            raise InputError(f"{option} is for --to {list_of(fits)}; leave it out with {target}.")
    if out is None and target not in TEXTS:
        raise InputError(f"--to {target} is not text: add --out with a file name.")
    if out is not None:
        check_writable(out)
    read = load_model(model)
    tree = read.tree
    if target == "sklearn":
        content = _sklearn(tree)
    elif target == "onnx":
        from treewright.convert import to_onnx

        written = to_onnx(tree, precision="float32" if float32 else "float64")
        content = bytes(written.SerializeToString())
    else:
        content = _text(read, target, out, table, name).encode("utf-8", "backslashreplace")
    if target != "rules" and (expected := fields_expected(tree, read.reading)):
        note(
            "The code expects its input prepared as fit read the file, which `treewright predict` does itself:"
        )
        for text in expected:
            note(f"  {text}")
    if out is None:
        put(content.decode("utf-8").rstrip("\n") + "\n")
        return
    write_bytes(out, content)
    note(f"Wrote {out}.")


def _text(content: Model, target: str, out: Path | None, table: str | None, name: str | None) -> str:
    from treewright.convert import to_c, to_python, to_sql
    from treewright.show import to_rules

    tree = content.tree
    named = {} if name is None else {"name": name}
    if target == "python":
        return to_python(tree, **named)
    if target == "c":
        return to_c(tree, **named)
    if target == "sql":
        return to_sql(tree, table=table) + "\n"
    if out is not None and out.suffix.lower() == ".csv":
        return _rules_table(content)
    return to_rules(content.result or tree, digits=None) + "\n"


def _rules_table(content: Model) -> str:
    """The rules as CSV, with the leaf numbers of the report and of `predict --leaf`, which count leaves from 1.

    The numbers of several outputs are columns of their own, as in predictions.
    """
    from treewright.show import rules_frame

    frame, names = rules_frame(content.tree), answer_names(content)
    frame = frame.with_columns(frame["leaf"].rank("dense").cast(int))
    if len(names) > 1:
        parts = (frame["prediction"].list.get(k).alias(name) for k, name in enumerate(names))
        frame = frame.select("leaf", "rule", *parts, "share", "n_rows")
    written: str = frame.write_csv()
    return written


def _sklearn(tree: Tree) -> bytes:
    """The pickle of a scikit-learn tree, or of a pipeline where that lacks the splits or cannot read the columns."""
    import joblib

    from treewright.convert import has_other_splits, to_sklearn, to_sklearn_pipeline
    from treewright.tree import ColumnKind

    has_words = any(column.kind is ColumnKind.CATEGORICAL for column in tree.columns)  # perhaps in no split
    if has_words or has_other_splits(tree):
        fitted = to_sklearn_pipeline(tree)
        note("A pipeline: its encoder makes columns for categories and sums, and needs treewright to load.")
    else:
        fitted = to_sklearn(tree)
        note(
            "scikit-learn rounds numbers to float32: predictions are equal on float32 rows. "
            "treewright.convert.float32_conflicts tells whether they are on yours."
        )
    buffer = io.BytesIO()
    joblib.dump(fitted, buffer)
    return buffer.getvalue()


def _target(to: str | None, out: Path | None) -> str:
    if to is not None:
        if to not in TARGETS:
            raise InputError(f"--to {to!r}; choose one of {', '.join(TARGETS)}.")
        if out is not None and BY_SUFFIX.get(out.suffix.lower(), to) != to:
            raise InputError(
                f"--to {to}, but the name {out} is that of {BY_SUFFIX[out.suffix.lower()]}. Leave --to out, or name "
                "another file."
            )
        return to
    if out is None:
        raise InputError(f"Give the format to write: --to with one of {', '.join(TARGETS)}, or --out.")
    if out.suffix.lower() not in BY_SUFFIX:
        raise InputError(
            f"--out {out} has an ending that names no target; use one of {', '.join(BY_SUFFIX)}, or --to."
        )
    return BY_SUFFIX[out.suffix.lower()]
