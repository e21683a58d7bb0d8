"""`treewright reborn` of regression models: the smallest tree near the numbers that a model says of a table's rows.

The numbers are a column of the table (``--predictions``), or those of a forest that is trained (``--task regression``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from treewright.cli._additive import column_of_numbers
from treewright.cli._clock import Clock
from treewright.cli._output import note, say
from treewright.cli._read_csv import read_csv, with_absent
from treewright.cli._reborn_end import say_stopped, show_tree
from treewright.cli._stop import ending_at_once, finishing, stop_code
from treewright.cli._wording import size_of
from treewright.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treewright.cli._reborn_domain import AskedDomain
    from treewright.convert import Model
    from treewright.table import CsvTable
    from treewright.verify import VerificationReport

__all__ = [
    "COMPLAINTS",
    "AskedValues",
    "check_near_values",
    "predictions_of",
    "reborn_values",
    "train_forest",
]

OPTIONS_IN_PYTHON = "Raise tolerance, share, max_leaves, max_depth or time_limit."
OPTIONS_HERE = "Raise --within, --tolerance, --max-leaves, --max-depth or --time-limit."
COMPLAINTS = ("--predictions needs a column of numbers.", "--task regression needs a target of numbers.")


@dataclass(frozen=True)
class AskedValues:
    """What `treewright reborn` was asked about the numbers of a model.

    Parameters
    ----------
    data : Path
        CSV file of the rows and the model's numbers; a model file, for a tree that is near everywhere.
    predictions : str or None
        The column of these numbers.
    target : str or None
        Without `predictions`: the column that a forest learns; None of a model file.
    forest : tuple of int
        Its trees, their depth, its seed.
    ignore : sequence of str
        Columns that are left out.
    csv_options : dict
        How the file is read.
    rows : Path or None
        Beside a model file: CSV file of rows to count in the nodes.
    new_rows : Path or None
        CSV file of rows, with the same columns, that the model has not seen.
    within : float or None
        Tolerance in the units of the numbers; None is half of the numbers' standard deviation.
    share : float
        Of the rows that may be further.
    max_depth, max_leaves : int
    domain : AskedDomain
        For a tree that is near everywhere: the rows that it is about.
    memory_limit : int
        Bytes.
    n_jobs : int
        Threads of a search.
    clock : Clock
    out, forest_out : Path or None
        Where the tree goes, and the forest that was trained.
    check : bool
        Prove once more that a tree is near everywhere.
    progress, ascii_only : bool
    titles : Path or None
        Settings with names of the columns that people read.
    """

    data: Path
    predictions: str | None
    target: str | None
    forest: tuple[int, int, int]
    ignore: Sequence[str]
    csv_options: dict[str, Any]
    rows: Path | None
    new_rows: Path | None
    within: float | None
    share: float
    max_depth: int
    max_leaves: int
    domain: AskedDomain
    memory_limit: int
    n_jobs: int
    clock: Clock
    out: Path | None
    forest_out: Path | None
    check: bool
    progress: bool
    ascii_only: bool
    titles: Path | None


def reborn_values(asked: AskedValues) -> None:
    """Find the tree, save it with its certificate, and say what is proven.

    Parameters
    ----------
    asked : AskedValues

    Raises
    ------
    InputError
        The column does not hold numbers, or a parameter is out of range.
    typer.Exit
        With code 130 or 143 if a signal ended the search; the tree has then been saved.
    """
    from treewright.bornagain import distil_values, value_agreement
    from treewright.convert import Model, Terms, save_model
    from treewright.estimators import deviations
    from treewright.result import StopReason
    from treewright.search import progress_bar

    column = asked.target if asked.predictions is None else asked.predictions
    assert column is not None  # of a table there is one
    csv = read_csv(asked.data, target=column, ignore=asked.ignore, **asked.csv_options)
    numbers = predictions_of(
        csv, asked.data, column, asked.csv_options, COMPLAINTS[asked.predictions is None]
    )
    model = None
    if asked.predictions is None:
        model = train_forest(csv, numbers, asked)
        numbers = model.predict(csv.table.X)
    for text in csv.table.notes:
        note(f"Note: {text}")
    tolerance = deviations(0.5, numbers) if asked.within is None else asked.within
    note(f"{size_of(csv.table)}. Searching; Ctrl-C keeps the best tree so far.")
    reading, seconds = asked.clock.seconds, asked.clock.left()
    with progress_bar("auto" if asked.progress else False, seconds) as report:
        result = distil_values(
            numbers,
            csv.table,
            tolerance=tolerance,
            share=asked.share,
            max_depth=asked.max_depth,
            max_leaves=asked.max_leaves,
            time_limit=seconds,
            memory_limit=asked.memory_limit,
            n_jobs=asked.n_jobs,
            progress=report,
        )
    stopped = result.asked_to_stop is StopReason.INTERRUPT
    with finishing():
        if asked.out is not None:
            terms = Terms(
                cost_complexity=0.0,
                max_depth=asked.max_depth,
                max_leaf_nodes=asked.max_leaves,
                objective="values",
                target=asked.predictions,
                tolerance=float(tolerance),
                share=float(asked.share),
            )
            save_model(asked.out, Model.of(result, terms, csv.reading))
        if stopped:
            say_stopped(asked.out)
        show_tree(result.tree, asked.ascii_only, asked.titles)
        say(result.sentence())
        if asked.new_rows is not None:
            new = read_csv(
                asked.new_rows,
                target=asked.predictions,
                columns=result.tree.columns,
                needed=result.tree.asked if model is None else None,
                reading=csv.reading,
                **asked.csv_options,
            )
            if model is not None:
                said = model.predict(new.table.X)
            else:
                said = predictions_of(new, asked.new_rows, column, asked.csv_options, COMPLAINTS[False])
            say(value_agreement(result.tree, said, new.table, tolerance=tolerance).sentence())
        for text in result.notes:
            say(f"Note: {text.replace(OPTIONS_IN_PYTHON, OPTIONS_HERE)}")
        say(f"Reading: {reading:.3f} s. Search: {result.stats['seconds']:.3f} s.")
        if asked.out is not None:
            again = f" Check it any time: treewright verify {asked.out} {asked.data}"
            say(f"Saved to {asked.out}.{again if model is None else ''}")
    if stopped:
        raise typer.Exit(stop_code())


def train_forest(csv: CsvTable, y: NDArray[np.float64], asked: AskedValues) -> Any:
    """Train a regression forest on a table of numbers, and save it if that was asked for.

    Raises
    ------
    InputError
        A column holds text.
    """
    from treewright.convert import NumberEnsemble, save_numbers
    from treewright.estimators import make_regression_forest
    from treewright.tree import ColumnKind

    words = [column.name for column in csv.table.columns if column.kind is ColumnKind.CATEGORICAL]
    if words:
        raise InputError(
            f"The column {words[0]!r} holds text, and the forest takes numbers. Leave it out with --ignore, or train a "
            "model yourself and give its numbers as a column, --predictions."
        )
    unfitted = make_regression_forest(*asked.forest)
    forest = ending_at_once(lambda: unfitted.fit(csv.table.X, y))
    if asked.forest_out is not None:
        save_numbers(
            asked.forest_out, replace(NumberEnsemble.from_model(forest), feature_names=csv.table.names)
        )
    return forest


def predictions_of(
    csv: CsvTable, data: Path, name: str, csv_options: dict[str, Any], complaint: str = COMPLAINTS[0]
) -> NDArray[np.float64]:
    """Return the column of the model's numbers, which was read as the target.

    Raises
    ------
    InputError
        It holds something else.
    """
    assert csv.target is not None  # the column was named
    if csv.target.dtype.kind in "Uf":  # "47.930" may be 47930, as the rest of the file says
        return column_of_numbers(data, name, csv.reading, csv_options, complaint)
    return csv.target.astype("float64")


def check_near_values(
    content: Model, data: Path, column: str | None, csv_options: dict[str, Any]
) -> VerificationReport:
    """Hold a tree near a model's numbers against the table that it was made from.

    Parameters
    ----------
    content : Model
    data : Path
    column : str or None
        The column of the numbers; None is the one that the file names.
    csv_options : dict

    Raises
    ------
    InputError
        Nobody names the column, or it holds something else.
    """
    from treewright.result import BornAgainResult
    from treewright.table import Table
    from treewright.verify import verify_near_values

    result, claim = content.result, content.certificate
    assert isinstance(result, BornAgainResult) and claim is not None  # noqa: PT018  (checked by the caller)
    terms = claim.terms
    name = column or (result.options.get("predictions") if terms is None else terms.target)
    if not isinstance(name, str):
        raise InputError("The file does not name the column of the model's numbers: add --target NAME.")
    csv = read_csv(
        data,
        target=name,
        columns=content.tree.columns,
        needed=content.tree.asked,
        reading=content.reading,
        **csv_options,
    )
    numbers = predictions_of(csv, data, name, csv_options)
    asked = None
    if terms is not None:
        asked = {
            "tolerance": terms.tolerance,
            "share": terms.share,
            "max_depth": terms.max_depth,
            "max_leaves": terms.max_leaf_nodes,
        }
    report = verify_near_values(numbers, Table(content.tree.columns, csv.table.X), result, asked=asked)
    return with_absent(report, csv)
