"""`treewright frontier`: from a CSV file to the best tree of each number of leaves."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.cli._additive import MAX_DEPTH, NO_CHOICE
from treewright.cli._advice import advice, trial_for
from treewright.cli._clock import Clock
from treewright.cli._csv_options import CsvOptions, reads_csv
from treewright.cli._exits import exits_by_code
from treewright.cli._fit_checks import (
    CLASSIFICATION,
    REGRESSION,
    check_quantile,
    criterion_of,
    refuse_all,
    refuse_quantity,
)
from treewright.cli._options import ASCII, Csv, Ignore, MergeLabels, MergeWords, ModelOut, SettingsFile
from treewright.cli._output import note, say
from treewright.cli._question import (
    Categorical,
    ClassWeight,
    Cost,
    MaxDepth,
    MemoryLimit,
    MinSamplesLeaf,
    ProgressBar,
    StepLimit,
    Threads,
    ThresholdChoice,
    TimeLimit,
    Weight,
    read_limits,
    read_thresholds,
    state_question,
)
from treewright.cli._read_csv import read_csv, say_what_was_read
from treewright.cli._regression import state_regression
from treewright.cli._stop import finishing, stop_code, stop_word
from treewright.cli._wording import as_options, effort, saved_to, size_of, tree_text
from treewright.cli._write_csv import csv_text
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.search import Frontier, Limits, ProgressCallback, Thresholds

__all__ = ["frontier"]


@reads_csv
@exits_by_code
def frontier(
    data: Csv,
    target: Annotated[
        str,
        typer.Option(
            "--target", "-t", help="Column of labels, or of numbers (--task regression).", metavar="COLUMN"
        ),
    ],
    task: Annotated[
        str,
        typer.Option(
            help="What to predict: labels ('classification'), or numbers ('regression'): trees of least loss "
            "(--criterion), with maximum depth 3 unless --max-depth is given."
        ),
    ] = CLASSIFICATION,
    max_leaves: Annotated[int, typer.Option(help="Largest number of leaves.")] = 20,
    max_depth: MaxDepth = None,
    min_samples_leaf: MinSamplesLeaf = "1",
    thresholds: ThresholdChoice = "auto",
    leaves: Annotated[
        int | None,
        typer.Option(help="Show the best tree with at most this many leaves, and save it with --out."),
    ] = None,
    out: ModelOut = None,
    table: Annotated[
        Path | None, typer.Option(help="CSV file to write the table to.", metavar="FILE")
    ] = None,
    objective: Annotated[str, typer.Option(help="'accuracy' or 'balanced-accuracy'.")] = "accuracy",
    criterion: Annotated[
        str | None,
        typer.Option(
            help="The loss of --task regression: 'squared-error', 'poisson', 'gamma', 'absolute-error' or 'quantile'.",
            show_default="squared-error",
        ),
    ] = None,
    quantile: Annotated[
        float | None, typer.Option(help="--criterion quantile: the level, for example 0.9.")
    ] = None,
    class_weight: ClassWeight = None,
    cost: Cost = None,
    weight: Weight = None,
    ignore: Ignore = None,
    categorical: Categorical = None,
    merge_words: MergeWords = None,
    merge_labels: MergeLabels = False,
    columns: SettingsFile = None,
    *,
    how: CsvOptions,
    time_limit: TimeLimit = 30.0,
    step_limit: StepLimit = None,
    memory_limit: MemoryLimit = None,
    jobs: Threads = None,
    progress: ProgressBar = True,
    ascii_only: ASCII = False,
) -> None:
    """Find, for every number of leaves, the tree with provably the smallest training loss.

    Prints one line for each number of leaves that is worth having: its loss, what is proven, and the leaf
    penalties (--cost-complexity of fit) that select it. Ctrl-C and SIGTERM stop the search; each line then has its own
    bound. The time limit counts from the first byte read.

    \b
    Examples:
      treewright frontier data.csv --target y --max-leaves 20
      treewright frontier data.csv -t y --thresholds 8 --max-depth 5 --table frontier.csv
      treewright frontier data.csv -t y --leaves 6 --out model.json
      treewright frontier houses.csv -t price --task regression --max-leaves 8

    \b
    Exit codes: 0 done, 2 bad input, 130 interrupted by Ctrl-C, 143 ended by SIGTERM (what was found
    has been shown and saved).
    """  # noqa: D301  (\b keeps the lines apart in the help)
    from treewright.convert import Model, check_writable, save_model, write_bytes
    from treewright.result import StopReason
    from treewright.search import check_max_leaves, progress_bar, solve_frontier, solve_regression_frontier

    of_numbers = task == REGRESSION
    if task not in (CLASSIFICATION, REGRESSION):
        raise InputError(f"--task {task!r}; give {CLASSIFICATION!r} or {REGRESSION!r}.")
    if of_numbers:
        refuse_all(
            f"--task {task} takes no {{option}}; leave it out.",
            {
                "--thresholds (it searches all)": thresholds not in ("auto", "all"),
                "--objective": objective != "accuracy",
                "--class-weight": bool(class_weight),
                "--cost": bool(cost),
                "--merge-labels": merge_labels,
            },
        )
    elif criterion is not None:
        raise InputError("--criterion is for --task regression; leave it out.")
    check_quantile(criterion, quantile)
    if out is not None and leaves is None:
        raise InputError("--out saves one tree; say which with --leaves, for example --leaves 6.")
    if max_leaves < 1:
        raise InputError(f"--max-leaves {max_leaves}; give an integer of at least 1.")
    if leaves is not None and not 1 <= leaves <= max_leaves:
        raise InputError(f"--leaves {leaves}; give a number from 1 to --max-leaves, which is {max_leaves}.")
    check_max_leaves(max_leaves)
    for path in (out, table):
        if path is not None:
            check_writable(path)
    limits = read_limits(time_limit, step_limit, memory_limit, jobs)
    clock = Clock(limits.time_limit)
    rows = read_csv(
        data,
        target=target,
        weight=weight,
        ignore=ignore or (),
        categorical=categorical or (),
        settings=columns,
        merge_words=merge_words or (),
        merge_labels=merge_labels,
        **how,
    )
    said = {"--weight": (weight,)}
    say_what_was_read(rows, data, target, columns, roles=said, has_classes=not of_numbers)
    if of_numbers:
        max_depth = MAX_DEPTH if max_depth is None else max_depth
    else:
        refuse_quantity(rows, target)
    asked: dict[str, Any] = {
        "target": target,
        "weight": weight,
        "min_samples_leaf": min_samples_leaf,
        "cost_complexity": 0.0,
        "max_depth": max_depth,
        "max_leaf_nodes": max_leaves,
    }
    question = (
        state_regression(
            rows,
            data,
            {"settings": columns, **how},
            criterion=criterion_of(task, criterion),
            quantile=0.5 if quantile is None else quantile,
            **asked,
        )
        if of_numbers
        else state_question(rows, objective=objective, class_weight=class_weight, cost=cost, **asked)
    )
    problem = question.problem

    def find(some: Any, cuts: Thresholds, within: Limits, report: ProgressCallback | None = None) -> Frontier:
        if of_numbers:
            return solve_regression_frontier(some, limits=within, progress=report)
        return solve_frontier(some, cuts, limits=within, progress=report)

    note(f"{size_of(problem.table)}. Searching; Ctrl-C keeps what is proven so far.")
    reading = clock.seconds
    given, limits = limits, replace(limits, time_limit=clock.left(), begun=None)
    with progress_bar("auto" if progress else False, limits.time_limit) as report:
        found = find(problem, read_thresholds(thresholds), limits, report)
    stopped = found.asked_to_stop is StopReason.INTERRUPT
    with finishing():
        saved = []
        if table is not None:
            write_bytes(table, _as_csv(found).encode("utf-8"))
            saved.append(f"Wrote the table to {table}.")
        point = None if leaves is None else found.at_most(leaves)
        if out is not None and point is not None:
            save_model(out, Model.of(point, question.terms(max_leaf_nodes=leaves), rows.reading))
            saved.append(saved_to(out, data))
        if stopped:
            note(f"{stop_word()}; what was found so far follows.")
        for line in _lines(found):
            say(line)
        say()
        if point is not None:
            say(tree_text(point.tree, ascii_only, columns))
            say()
            say(point.sentence())
        say(found.sentence())
        notes = dict.fromkeys(text for point in found for text in point.notes)
        for text in (text for text in notes if text not in rows.table.notes):  # those were said
            say(as_options(f"Note: {text}"))
        say(effort(found.stats, reading, clock.time_limit))
        for text in saved:
            say(text)
    if stopped:
        raise typer.Exit(stop_code())
    if found.proven_leaves < found.max_leaves:
        note(
            advice(
                found.stop_reason, time_limit=time_limit, max_depth=max_depth,
                thresholds=NO_CHOICE if of_numbers else thresholds,
                max_leaves=max_leaves, rounded=found[0].options if found.is_only_rounded else None, reading=reading,
                trial=trial_for(
                    problem, find, given, min(point.loss for point in found), read_thresholds(thresholds),
                ),
            )
        )  # fmt: skip


def _lines(found: Frontier) -> list[str]:
    """The table: a line for each point."""
    from treewright.tree import at_least

    lines = [f"{'leaves':>6}  {'depth':>5}  {'loss':>8}  {'proven':>9}  leaf penalty"]
    for row in found.records():
        proven = "yes" if row["proven"] else f">={at_least(row['lower_bound'], 4)}"
        low, high = row["cost_complexity_from"], row["cost_complexity_to"]
        selected_by = "none selects it" if low is None else f"from {low:.6f}"
        if low is not None and math.isfinite(high):
            selected_by = f"{low:.6f} to {high:.6f}"
        lines.append(
            f"{row['leaves']:>6}  {row['depth']:>5}  {row['loss']:>8.5f}  {proven:>9}  {selected_by}"
        )
    if found.proven_leaves < found.max_leaves:
        lines.append("The penalties compare the trees found here; where one is not proven, neither are they.")
    return lines


def _as_csv(found: Frontier) -> str:
    records = found.records()
    return csv_text([list(records[0]), *(list(record.values()) for record in records)])
