"""`treewright report`: a saved tree, its rows and its certificate as one web page."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright._busy import busy
from treewright.cli._csv_options import CsvOptions, reads_csv
from treewright.cli._exits import exits_by_code
from treewright.cli._folders import refuse_folder
from treewright.cli._options import Csv, Digits, Html, KnownTarget, ModelPath
from treewright.cli._output import note
from treewright.cli._policy import named_rewards, rewards_of
from treewright.cli._read_csv import read_csv, read_groups, settings_with
from treewright.cli._reborn_checks import objective_of_model
from treewright.cli._regression import outputs_of, regression_problem_of
from treewright.cli._survival import events_and_times, named_event
from treewright.cli._verify import checked, problem_of, refuse_other_question, seen_columns, terms_of
from treewright.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treewright.convert import Model
    from treewright.search import Frontier, Thresholds
    from treewright.table import CsvTable

__all__ = ["report"]

WITH_FRONTIER = ("accuracy", "balanced_accuracy")  # objectives of trees of classes
QUANTILES = re.compile(r"the given splits \(at most ([1-9]\d{0,5}) quantiles? a column\).*")  # a scope


@reads_csv
@exits_by_code
def report(
    model: ModelPath,
    data: Csv,
    out: Html,
    test: Annotated[
        Path | None,
        typer.Option(help="CSV file of rows that the tree has not seen.", metavar="CSV"),
    ] = None,
    target: KnownTarget = None,
    compare: Annotated[
        list[str] | None,
        typer.Option(help="Another tree over the same columns. Repeatable.", metavar="NAME=MODEL.json"),
    ] = None,
    frontier: Annotated[
        int,
        typer.Option(
            help="Find the best tree for each number of leaves up to this; 0 leaves the frontier out.", min=0
        ),
    ] = 0,
    time_limit: Annotated[
        float, typer.Option(help="--frontier: seconds of search; inf for no limit.")
    ] = 30.0,
    models: Annotated[
        bool, typer.Option(help="Fit CART, boosting, a forest and a linear model for comparison.")
    ] = True,
    columns: Annotated[
        Path | None,
        typer.Option(
            help="Settings of the columns: names for people, descriptions, units, allowed changes, names of "
            "labels, purpose and owner.",
            metavar="YAML",
        ),
    ] = None,
    group: Annotated[
        list[str] | None,
        typer.Option(
            "--group",
            "-g",
            help="Column of groups: errors (or values) are shown for each group. The tree need not use the column. "
            "Repeatable.",
            metavar="COLUMN",
        ),
    ] = None,
    title: Annotated[str | None, typer.Option(help="Heading of the page.", show_default="by target")] = None,
    digits: Digits = 6,
    *,
    how: CsvOptions,
) -> None:
    """Write one HTML file that explains a tree: the tree, its rules, its certificate, a form to try it.

    It shows trees of all tasks: classes, numbers, actions and survival. Give the rows that the tree was made from and,
    with --test, rows that it has not seen: figures of training rows are optimistic. The page needs no network, and
    contains no row of the data.

    \b
    Examples:
      treewright report model.json train.csv --test test.csv --out report.html
      treewright report model.json train.csv --test test.csv --frontier 12 --out report.html
      treewright report model.json train.csv --compare small=small.json --out report.html

    Exit codes: 0 done, 2 bad input.
    """  # noqa: D301  (\b keeps the lines apart in the help)
    from treewright.convert import check_writable, load_model
    from treewright.result import ShardsResult
    from treewright.show import report as make_report

    check_writable(out)
    content = load_model(model)
    for folder in (data, test):
        if folder is not None:
            all_rows = (
                f" treewright verify {shlex.quote(str(model))} {shlex.quote(str(folder))} checks all rows."
            )
            refuse_folder(folder, all_rows if isinstance(content.result, ShardsResult) else "")
    refuse_other_question(content)
    named = seen_columns(content, target)
    how_read: dict[str, Any] = {"settings": columns, **how}
    csv_options: dict[str, Any] = {
        "target": named[0] if named else None,
        "columns": content.tree.columns,
        "needed": None if models or frontier else content.tree.asked,
        "reading": content.reading,
        **how_read,
    }
    train = read_csv(data, weight=terms_of(content).weight, **csv_options)
    unseen = None if test is None else read_csv(test, **csv_options)
    files = {"model": model.name, "data": data.name, "data_sha256": _sha256(data)}
    files |= {} if test is None else {"test": test.name, "test_sha256": _sha256(test)}
    files |= {"written_by": content.written_by}
    groups: dict[str, Any] = {
        name: read_groups(test or data, name, content.reading, columns, **how) for name in group or ()
    }
    known = settings_with(columns, **how)
    terms = terms_of(content)
    used = {*named, *(terms.rewards or ()), terms.event, *(terms.row_costs or ())}
    left_out = tuple(name for name in train.left_out if name not in used)
    verification, claim_checked = None, True
    weighing = _rows_that_weigh(train)
    if test is None:
        groups = {name: values[weighing] for name, values in groups.items()}
    if _claims_about_rows(content):
        verification, claim_checked = checked(content, train, data, named, how_read)
    with busy("Writing the report"):
        make_report(
            content,
            train.table.take(weighing),
            _rows_of(_seen(content, train, data, named, how_read), weighing),
            X_test=None if unseen is None else unseen.table,
            y_test=None if unseen is None or test is None else _seen(content, unseen, test, named, how_read),
            others=_others(compare or ()),
            frontier=_frontier(content, train, data, named, how_read, frontier, time_limit)
            if frontier
            else None,
            fit_models=models,
            verification=verification,
            claim_checked=claim_checked,
            title=title,
            target=", ".join(named) or None,
            files=files,
            settings=replace(known, ignore=left_out),
            groups=groups,
            digits=digits or None,
            out=out,
        )
    if verification is not None and not verification.ok:
        failed, first = "; ".join(check.name for check in verification.failed), verification.failed[0]
        note(
            f"Not verified: what {model.name} says of itself does not hold on {data.name}. These checks fail: "
            f"{failed}. {first.message}".rstrip()
        )
    note(f"Wrote {out}.")


def _rows_that_weigh(csv: CsvTable) -> NDArray[np.int64]:
    """Return the rows that the tree was made from: all but those of weight zero, which are counted in a note."""
    import numpy as np

    from treewright.problem import rows_that_weigh

    kept = None if csv.sample_weight is None else rows_that_weigh(csv.sample_weight)
    if kept is None or kept["rows"] is None:
        return np.arange(csv.table.n_rows)
    for text in kept["notes"]:
        note(f"Note: {text}")
    return kept["rows"]


def _rows_of(seen: Any, rows: NDArray[np.int64]) -> Any:
    """What was seen of some rows: one array, or a pair of them (events and times)."""
    return tuple(values[rows] for values in seen) if isinstance(seen, tuple) else seen[rows]


def _claims_about_rows(content: Model) -> bool:
    """Whether what the file claims, if anything, can be checked against the rows of its table."""
    from treewright.result import AdditiveResult, F1Result, LeafAccuracyResult, SolveResult

    return (
        content.result is None
        or type(content.result) is SolveResult
        or isinstance(content.result, (AdditiveResult, F1Result, LeafAccuracyResult))
    )


def _seen(
    content: Model, csv: CsvTable, data: Path, named: tuple[str, ...], csv_options: dict[str, Any]
) -> Any:
    """What was seen of the rows of a file: labels, numbers, rewards, or events and times."""
    from treewright.tree import TreeKind

    kind = content.tree.kind
    if kind is TreeKind.POLICY:
        return rewards_of(data, named_rewards(content)[0], csv_options, csv.reading)
    if kind is TreeKind.SURVIVAL:
        return events_and_times(data, named_event(content)[0], named[0], csv_options, csv.reading)
    if kind is TreeKind.REGRESSION:
        return outputs_of(csv, data, named, csv_options)
    return csv.target


def _frontier(
    content: Model,
    csv: CsvTable,
    data: Path,
    named: tuple[str, ...],
    csv_options: dict[str, Any],
    max_leaves: int,
    time_limit: float,
) -> Frontier:
    """The best trees of 1 to `max_leaves` leaves on the model's own terms and splits, whatever a leaf cost there."""
    from treewright.result import LeafAccuracyResult
    from treewright.search import (
        Limits,
        check_max_leaves,
        progress_bar,
        solve_frontier,
        solve_regression_frontier,
    )
    from treewright.tree import TreeKind

    free: dict[str, Any] = {
        "cost_complexity": 0.0,
        "max_leaf_nodes": check_max_leaves(max_leaves, "--frontier"),
    }
    limits = Limits(None if math.isinf(time_limit) else time_limit)
    of_a_model = bool(objective_of_model(content))
    if content.tree.kind is TreeKind.REGRESSION and not of_a_model:
        if content.result is not None and content.result.options.get("leaf_model") == "simple_linear":
            raise InputError(
                "--frontier is of trees of constants, and the lines of this tree were searched with it; leave it out, "
                "and compare sizes with --compare NAME=MODEL.json."
            )
        problem = replace(regression_problem_of(content, csv, data, named, csv_options), **free)
        with progress_bar("auto", limits.time_limit) as progress:
            return solve_regression_frontier(problem, limits=limits, progress=progress)
    has_front = terms_of(content).objective in WITH_FRONTIER and not isinstance(
        content.result, LeafAccuracyResult
    )
    if not has_front or content.tree.kind is not TreeKind.CLASSIFICATION:
        raise InputError(
            "--frontier is of trees of fewest errors, or of least costs that are the same in every row, and of "
            "regression trees; leave it out for this one, and compare sizes with --compare NAME=MODEL.json."
        )
    of_classes = replace(problem_of(content, csv), **free)
    with progress_bar("auto", limits.time_limit) as progress:
        return solve_frontier(of_classes, _thresholds(content), limits=limits, progress=progress)


def _thresholds(content: Model) -> Thresholds:
    """The thresholds that the model's tree could use, as far as its certificate names them."""
    quantiles = QUANTILES.fullmatch(content.result.scope) if content.result is not None else None
    return "auto" if quantiles is None else int(quantiles[1]) + 1


def _sha256(path: Path) -> str:
    """The fingerprint of a file, as `sha256sum` writes it."""
    import hashlib

    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _others(entries: Sequence[str]) -> dict[str, Model]:
    """Models named on the command line."""
    from treewright.convert import load_model

    read = {}
    for entry in entries:
        name, equals, path = entry.partition("=")
        if not equals or not name or name in read:
            raise InputError(f"--compare {entry!r}; give NAME=MODEL.json, each name once.")
        read[name] = load_model(path)
    return read
