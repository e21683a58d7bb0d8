"""`treewright near-optimal`: from a CSV file to all trees that are nearly as good as the best."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from treewright._plural import count_of, list_of
from treewright.cli._clock import Clock
from treewright.cli._csv_options import CsvOptions, reads_csv
from treewright.cli._exits import exits_by_code
from treewright.cli._fit_checks import refuse_quantity
from treewright.cli._near_optimal_output import as_csv, chosen_tree, lines_of_columns, lines_of_sizes
from treewright.cli._options import ASCII, Csv, Ignore, MergeLabels, MergeWords, SettingsFile
from treewright.cli._output import note, say
from treewright.cli._question import (
    Categorical,
    ClassWeight,
    Cost,
    MaxDepth,
    MemoryLimit,
    MinSamplesLeaf,
    ProgressBar,
    Target,
    Threads,
    ThresholdChoice,
    TimeLimit,
    Weight,
    read_limits,
    read_thresholds,
    state_question,
)
from treewright.cli._read_csv import read_csv, say_what_was_read
from treewright.cli._set_options import FewerLeaves, Only, Rank, Root, SizesFile, Without
from treewright.cli._stop import finishing, stop_code, stop_word
from treewright.cli._wording import as_options, saved_to, size_of, tree_text
from treewright.errors import InputError

__all__ = ["near_optimal"]

DEFAULT_EPSILON = 0.05
LEAST_SECONDS = 0.1  # for the table of columns, where the search had all the time


@reads_csv
@exits_by_code
def near_optimal(
    data: Csv,
    target: Target,
    epsilon: Annotated[
        float | None,
        typer.Option(help="All trees up to (1 + EPSILON) times the least objective.", show_default="0.05"),
    ] = None,
    slack: Annotated[
        float | None,
        typer.Option(
            help="Instead of --epsilon: all trees up to the least objective plus this.", show_default="none"
        ),
    ] = None,
    max_objective: Annotated[
        float | None,
        typer.Option(help="Instead of --epsilon: all trees up to this objective.", show_default="none"),
    ] = None,
    leaf_labels: Annotated[
        str, typer.Option(help="Whether a leaf predicts its 'cheapest' label, or 'any'.")
    ] = "cheapest",
    redundant_splits: Annotated[
        bool,
        typer.Option(
            "--redundant-splits",
            help="Count also trees in which the two sides of a split are leaves with the same label.",
        ),
    ] = False,
    cost_complexity: Annotated[
        float, typer.Option("--cost-complexity", "-c", help="Leaf penalty, as a share of the rows.")
    ] = 0.01,
    max_depth: MaxDepth = None,
    min_samples_leaf: MinSamplesLeaf = "1",
    thresholds: ThresholdChoice = "auto",
    objective: Annotated[
        str, typer.Option(help="What to maximise: 'accuracy' or 'balanced-accuracy'.")
    ] = "accuracy",
    without: Without = None,
    only: Only = None,
    root: Root = None,
    max_leaves: FewerLeaves = None,
    tree: Rank = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="File to write: the tree that --tree shows; without --tree, the whole set."
        ),
    ] = None,
    table: SizesFile = None,
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
    time_limit: TimeLimit = 60.0,
    step_limit: Annotated[
        int | None,
        typer.Option(
            help="Limit on steps of the search for the best tree, which comes before the set; unlike seconds, the same "
            "on every machine. If it ends that search, the set is empty.",
            show_default="unlimited",
        ),
    ] = None,
    memory_limit: MemoryLimit = None,
    jobs: Threads = None,
    progress: ProgressBar = True,
    ascii_only: ASCII = False,
) -> None:
    """Find all trees that are nearly as good as the best, and say what they have in common.

    Prints how many trees there are of each size and loss. For each column it prints how many trees split on it, and
    what the best tree without it costs. Counts are exact. With --without, --only, --root or --max-leaves the answer may
    be that there is no such tree; that is a proof, too. After Ctrl-C, SIGTERM or a limit, the set is complete up to a
    smaller bound.

    \b
    Examples:
      treewright near-optimal data.csv --target y --epsilon 0.05 --max-depth 4
      treewright near-optimal data.csv -t y --max-depth 3 --without age --without sex
      treewright near-optimal data.csv -t y --max-depth 3 --max-leaves 4 --tree 2 --out model.json
      treewright near-optimal data.csv -t y --max-depth 3 --out set.json
      treewright near-optimal data.csv -t y --max-depth 3 --max-objective 0.25 --leaf-labels any

    \b
    Exit codes: 0 done, 2 bad input, 130 interrupted by Ctrl-C, 143 ended by SIGTERM (what was found
    has been shown and saved).
    """  # noqa: D301  (\b keeps the lines apart in the help)
    from treewright.convert import Model, check_writable, save_model, write_bytes
    from treewright.near_optimal import save_near_optimal, solve_near_optimal
    from treewright.result import StopReason
    from treewright.search import progress_bar

    if tree is not None and tree < 1:
        raise InputError(f"--tree {tree}; give a rank of at least 1; 1 is the best tree.")
    bounds = {"--epsilon": epsilon, "--slack": slack, "--max-objective": max_objective}
    given = [name for name, value in bounds.items() if value is not None]
    if len(given) > 1:
        raise InputError(f"{list_of(given)} are bounds of their own; give one of them.")
    if leaf_labels not in ("cheapest", "any"):
        raise InputError(f"--leaf-labels {leaf_labels!r}; choose cheapest or any.")
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
    say_what_was_read(rows, data, target, columns, roles={"--weight": (weight,)})
    refuse_quantity(rows, target, "use treewright fit or frontier with --task regression")
    question = state_question(
        rows,
        target=target,
        weight=weight,
        objective=objective,
        class_weight=class_weight,
        cost=cost,
        min_samples_leaf=min_samples_leaf,
        cost_complexity=cost_complexity,
        max_depth=max_depth,
    )
    note(f"{size_of(question.problem.table)}. Searching; Ctrl-C keeps what is proven so far.")
    limits = replace(limits, time_limit=clock.left(), begun=None)
    reading = clock.seconds
    with progress_bar("auto" if progress else False, limits.time_limit) as report:
        every = solve_near_optimal(
            question.problem,
            read_thresholds(thresholds),
            epsilon=DEFAULT_EPSILON if epsilon is None else epsilon,
            slack=slack,
            max_objective=max_objective,
            leaf_labels="any" if leaf_labels == "any" else "cheapest",
            redundant_splits=redundant_splits,
            limits=limits,
            progress=report,
        )
    searching = clock.seconds - reading
    with finishing():
        found = every
        if without or only or root or max_leaves is not None:
            found = every.where(
                without=without or None, only=only or None, root=root or None, max_leaves=max_leaves
            )
        chosen = None if tree is None else chosen_tree(found, tree, "a larger --epsilon")
        saved = []
        if table is not None:
            write_bytes(table, as_csv(found).encode("utf-8"))
            saved.append(f"Wrote the table to {table}.")
        if out is not None and chosen is not None:
            save_model(out, Model.of(chosen, question.terms(), rows.reading))
            saved.append(saved_to(out, data))
        elif out is not None:
            save_near_optimal(out, found, question.terms(), rows.reading)
            saved.append(f"Saved the set to {out}. Ask it any time: treewright query {out}")
        stopped = found.stop_reason is StopReason.INTERRUPT
        if stopped:
            note(f"{stop_word()}; what was found so far follows.")
        if found:
            left = None if clock.time_limit is None else max(clock.time_limit - clock.seconds, LEAST_SECONDS)
            for line in (*lines_of_sizes(found), "", *lines_of_columns(found, columns, left), ""):
                say(line)
        if chosen is not None:
            say(tree_text(chosen.tree, ascii_only, columns))
            say()
        say(found.sentence())
        for text in (text for text in every.best.notes if text not in rows.table.notes):  # those were said
            say(as_options(f"Note: {text}"))
        both = "" if clock.time_limit is None else f" --time-limit {clock.time_limit:g} counts both."
        say(
            f"Reading: {reading:.3f} s. Search: {searching:.3f} s, {count_of(every.graph.n_nodes, 'node')}.{both}"
        )
        for text in saved:
            say(text)
    if stopped:
        raise typer.Exit(stop_code())
    if found.stop_reason is not None:
        more = (
            "a larger --step-limit" if found.stop_reason is StopReason.STEP_LIMIT else "more time and memory"
        )
        note(
            "Not all are found. More are with a smaller --epsilon, a --max-depth, fewer --thresholds, a larger "
            f"--cost-complexity, or {more}."
        )
