"""`treewright predict`: labels, or probabilities, for the rows of a CSV file."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path
from typing import Annotated

import typer

from treewright.cli._common import (
    Csv,
    DecimalComma,
    Encoding,
    Missing,
    ModelPath,
    Separator,
    exits_by_code,
    note,
    read_csv,
)

__all__ = ["predict"]


@exits_by_code
def predict(
    model: ModelPath,
    data: Csv,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="CSV file to write; standard output without it.")
    ] = None,
    proba: Annotated[
        bool, typer.Option("--proba", help="Add the share of each class in the leaf (its training weight).")
    ] = False,
    leaf: Annotated[bool, typer.Option("--leaf", help="Add the number of the leaf.")] = False,
    separator: Separator = None,
    missing: Missing = None,
    encoding: Encoding = "utf-8",
    decimal_comma: DecimalComma = False,
) -> None:
    """Predict the rows of a CSV file, one line a row, in the same order.

    The file needs the columns that the tree was made from, in any order; others are left aside.

    \b
    Examples:
      treewright predict model.json new.csv
      treewright predict model.json new.csv --proba --out predictions.csv

    Exit codes: 0 done, 2 bad input (such as a category that the tree has never seen).
    """  # noqa: D301  (\b keeps the lines apart in the help)
    from treewright.convert import check_writable, load_model, write_bytes

    if out is not None:
        check_writable(out)
    tree = load_model(model).tree
    table = read_csv(
        data,
        separator=separator,
        missing=missing,
        encoding=encoding,
        decimal_comma=decimal_comma,
        columns=tree.columns,
    ).table
    names = ["prediction"]
    columns = [tree.predict(table.X).tolist()]
    if proba and tree.classes is not None:
        names += [f"probability of {label}" for label in tree.classes.tolist()]
        columns += tree.predict_proba(table.X).T.tolist()
    if leaf:
        names.append("leaf")
        columns.append(tree.apply(table.X).tolist())
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(zip(*columns, strict=True))
    if out is None:
        sys.stdout.write(text.getvalue())
        sys.stdout.flush()
        return
    write_bytes(out, text.getvalue().encode("utf-8"))
    note(f"Predicted {table.n_rows} rows to {out}.")
