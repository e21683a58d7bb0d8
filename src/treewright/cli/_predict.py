"""`treewright predict`: labels, probabilities or numbers, for the rows of a CSV file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from treewright._plural import count_of
from treewright.cli._answers import answer_columns, answer_names
from treewright.cli._csv_options import CsvOptions, reads_csv
from treewright.cli._exits import exits_by_code
from treewright.cli._options import ModelPath, Rows, SettingsFile, SpreadsheetSafe
from treewright.cli._output import note, put
from treewright.cli._read_csv import read_csv, settings_with
from treewright.cli._shards import is_stream, predict_stream
from treewright.cli._write_csv import csv_text, runs_as_formula
from treewright.errors import InputError

__all__ = ["predict"]


@reads_csv
@exits_by_code
def predict(
    model: ModelPath,
    data: Rows,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="CSV file to write; without it, standard output is used."),
    ] = None,
    proba: Annotated[
        bool, typer.Option("--proba", help="Add the share of each class in the leaf (its training weight).")
    ] = False,
    leaf: Annotated[
        bool, typer.Option("--leaf", help="Add the number of the leaf, counted from 1 as in the report.")
    ] = False,
    spreadsheet_safe: SpreadsheetSafe = False,
    *,
    how: CsvOptions,
    columns: SettingsFile = None,
) -> None:
    """Predict the rows of a CSV file, one line per row, in the same order.

    The file needs the columns that the tree splits on, in any order; other columns are ignored. Numbers and dates are
    read in the same way as in the file that the tree was made from, unless options say otherwise.

    \b
    Examples:
      treewright predict model.json new.csv
      treewright predict model.json new.csv --proba --out predictions.csv

    Exit codes: 0 done, 2 bad input (such as a category that the tree has never seen).
    """  # noqa: D301  (\b keeps the lines apart in the help)
    from treewright.convert import check_writable, load_model, write_bytes

    if out is not None:
        check_writable(out)
    content = load_model(model)
    tree = content.tree
    if proba and not tree.predicts_classes:
        raise InputError(f"--proba: this is a {tree.kind.value} tree, which has no classes; leave it out.")
    labels = [] if tree.classes is None else tree.classes.tolist()
    formulas = [label for label in labels if runs_as_formula(label)]
    if formulas and not spreadsheet_safe:
        note(
            f"Note: a spreadsheet would run the label {formulas[0]!r} as a formula; add --spreadsheet-safe for one."
        )
    if is_stream(data):
        settings = settings_with(columns, **how, reading=content.reading)
        predict_stream(content, data, settings, out, proba, leaf, spreadsheet_safe)
        return
    table = read_csv(
        data,
        columns=tree.columns,
        needed=tree.asked,
        reading=content.reading,
        settings=columns,
        **how,
    ).table
    for text in table.notes:
        note(f"Note: {text}")
    names, answers = answer_names(content), answer_columns(content, table.X)
    if proba and tree.classes is not None:
        names += [f"probability of {label}" for label in tree.classes.tolist()]
        answers += tree.predict_proba(table.X).T.tolist()
    if leaf:
        names.append("leaf")
        number = tree.is_leaf.cumsum()  # from the left, as in the report
        answers.append(number[tree.apply(table.X)].tolist())
    text = csv_text([names, *zip(*answers, strict=True)], spreadsheet_safe)
    if out is None:
        put(text)
        return
    write_bytes(out, text.encode("utf-8"))
    note(f"Predicted {count_of(table.n_rows, 'row')} to {out}.")
