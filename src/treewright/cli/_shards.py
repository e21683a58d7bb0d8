"""`treewright fit`, `verify` and `predict` for what need not fit into memory: folders, large Parquet files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright._plural import count_of, list_of
from treewright.cli._advice import round_up
from treewright.cli._answers import answer_columns, answer_names
from treewright.cli._options import pairs
from treewright.cli._output import note, put, say
from treewright.cli._question import read_class_weight, read_costs, read_min_samples_leaf, read_objective
from treewright.cli._read_csv import check_roles, note_left_out
from treewright.cli._stop import finishing, stop_code, stop_word
from treewright.cli._wording import as_options, effort, saved_to, tree_text
from treewright.cli._write_csv import csv_text
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.convert import Model
    from treewright.search import Limits
    from treewright.table import Settings

__all__ = [
    "Backend",
    "Gap",
    "Jobs",
    "ShardRows",
    "SpillFolder",
    "fit_in_shards",
    "is_large",
    "is_stream",
    "predict_stream",
    "verify_stream",
]

ShardRows = Annotated[
    int | None,
    typer.Option(
        help="Divide and bound: number of rows of a shard, for tables that are too large for one search.",
        show_default="one search; folders, large Parquet and CSV files: 100000",
    ),
]
Gap = Annotated[
    float | None,
    typer.Option(help="--shard-rows: gap at which to stop, such as 0.001; shards grow until it is reached."),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        help="Threads of a search (over 0/1 columns only with --max-depth of at most 6 and without "
        "--max-leaf-nodes), or number of shards searched at once; -1 is all cores.",
        show_default="1",
    ),
]
Backend = Annotated[
    str | None,
    typer.Option(help="--shard-rows: joblib's 'loky', 'threading', 'dask' or 'ray'.", show_default="loky"),
]
SpillFolder = Annotated[
    Path | None,
    typer.Option(
        help="--shard-rows: folder for temporary files of rows.",
        show_default="the system's temporary folder",
    ),
]

SHARD_ROWS = 100_000
DEPTH = 3  # if none is given
BINS = 16  # of each column, if nothing is said of thresholds: all trees of depth three are then counted in one pass
COUNTED_DEPTH = 2  # of which all trees are known as soon as the rows are counted
COUNTING = 1.25  # times the seconds of reading and dealing: with counting (1.15 to 1.25 of 600,000 rows of 15 columns)
SEARCH_SHARE = 0.8  # of a run, for searching its shards; the rest is for counting the trees over all rows
ROOM = 1.5  # of a time limit, over what is expected
LEAST_LIMIT = 300.0  # seconds that are proposed; reading millions of rows takes a minute
LARGE = 128 << 20  # bytes of a CSV file that is not searched as a whole unless a depth is given
PACKED = 5  # times smaller are packed files, gzip and Parquet


def is_stream(data: Path) -> bool:
    """Whether a path is read in pieces: a folder, or a large Parquet file."""
    if data.is_dir():
        return True
    named = data.name.lower().endswith((".parquet", ".pq"))
    return named and data.is_file() and data.stat().st_size > LARGE // PACKED


def is_large(data: Path) -> bool:
    """Whether a CSV file is so large that one search without a limit of depth would prove next to nothing."""
    if not (data.is_file() and data.name.lower().removesuffix(".gz").endswith((".csv", ".tsv", ".txt"))):
        return False
    size = data.stat().st_size
    return size > (LARGE // PACKED if data.name.lower().endswith(".gz") else LARGE)


def fit_in_shards(
    data: Path,
    *,
    target: str,
    out: Path | None,
    weight: str | None,
    ignore: Sequence[str] | None,
    categorical: Sequence[str] | None,
    cost_complexity: float,
    max_depth: int | None,
    max_leaf_nodes: int | None,
    min_samples_leaf: str | None,
    thresholds: str,
    objective: str,
    class_weight: Sequence[str] | None,
    cost: Sequence[str] | None,
    shard_rows: int | None,
    gap: float | None,
    jobs: int | None,
    backend: str | None,
    spill_folder: Path | None,
    seed: int,
    settings: Settings,
    limits: Limits,
    require_proof: bool,
    progress: bool,
    ascii_only: bool,
) -> None:
    """Fit a tree by divide and bound, and say what is proven about it."""
    from treewright.result import SolveStatus, StopReason
    from treewright.shards import fit_shards
    from treewright.sources import open_source

    check_roles({"--target": (target,), "--weight": (weight,)})
    factors: Any = "balanced" if list(class_weight or ()) == ["balanced"] else None
    if class_weight and factors is None:
        pairs(class_weight, "--class-weight")  # refused before the rows are read
        factors = partial(read_class_weight, class_weight)
    pairs(cost or (), "--cost")
    note(f"Reading {data} and dealing its rows to shards; Ctrl-C then keeps the best tree so far.")
    if max_depth is None or thresholds == "auto":
        chosen = [f"--max-depth {DEPTH}"] * (max_depth is None) + [f"--thresholds {BINS}"] * (
            thresholds == "auto"
        )
        note(f"The table may be large: {list_of(chosen)}, as nothing else is given.")
    left_out = (*(ignore or ()), *settings.ignore)
    note_left_out(left_out)
    model = fit_shards(
        open_source(data, settings=settings),
        target,
        sample_weight=weight,
        ignore=left_out,
        categorical_features=(*(categorical or ()), *settings.categorical),
        cost_complexity=cost_complexity,
        max_depth=DEPTH if max_depth is None else max_depth,
        max_leaf_nodes=max_leaf_nodes,
        min_samples_leaf=read_min_samples_leaf(min_samples_leaf or "1"),
        thresholds=_thresholds(thresholds),
        objective=read_objective(objective),  # type: ignore[arg-type]  # one of the two
        costs=partial(read_costs, cost) if cost else None,
        class_weight=factors,
        shard_rows=SHARD_ROWS if shard_rows is None else shard_rows,
        gap=gap,
        n_jobs=jobs,
        backend=backend,
        random_state=seed,
        time_limit=limits.time_limit,
        step_limit=limits.step_limit,
        memory_limit=limits.memory_limit,
        progress="auto" if progress else False,
        spill_folder=spill_folder,
    )
    result = model.result_
    with finishing():
        if out is not None:
            model.save(out)
        stopped = result.asked_to_stop is StopReason.INTERRUPT
        if stopped:
            note(
                f"{stop_word()}. The best tree found so far " + (f"is saved to {out}." if out else "follows.")
            )
        say(tree_text(result.tree, ascii_only, settings))
        say()
        say(result.sentence())
        for text in result.notes:
            say(as_options(f"Note: {text}"))
        say(effort(result.stats))
        if out is not None:
            say(saved_to(out, data))
    if stopped:
        raise typer.Exit(stop_code())
    if result.status is SolveStatus.FEASIBLE and result.stop_reason is StopReason.TIME_LIMIT:
        note(_advice(DEPTH if max_depth is None else max_depth, thresholds, limits.time_limit, result.stats))
    if require_proof and result.status is not SolveStatus.OPTIMAL:
        raise typer.Exit(1)


def _advice(max_depth: int, thresholds: str, time_limit: float | None, stats: Mapping[str, Any]) -> str:
    """Say what brings a proof over all rows, and when, by what a run that its time limit ended has measured."""
    from treewright.search import time_in_words

    dealing, done = stats["seconds_of_dealing"], stats["shards"] - stats["shards_lost"]
    searching = stats["seconds_of_searching"] * stats["shards"] / done if done else None
    limit = time_limit or 0.0
    said = "Not proven optimal."
    few = thresholds == "auto" or (thresholds.isdigit() and int(thresholds) <= BINS)
    smaller = [f"--max-depth {COUNTED_DEPTH}"] * (max_depth > COUNTED_DEPTH) + [f"--thresholds {BINS}"] * (
        not few
    )
    if smaller:
        # Counting pairs of columns takes less than counting triples or searching, and next to nothing beside reading.
        about = COUNTING * dealing if searching is None or not stats["counted"] else dealing + searching
        more = f" --time-limit {round_up(ROOM * about):g}" if ROOM * about > limit else ""
        where = "" if stats["counted"] else ", if the columns are few enough to be counted in one pass"
        said += (
            f" A proof, of that smaller problem, comes with {' '.join(smaller)}{more}{where} (about "
            f"{time_in_words(about)}, judging by this run, in which reading took {time_in_words(dealing)})."
        )
    longer = max(10 * max(limit, dealing), LEAST_LIMIT)
    if stats["counted"] or searching is None or done == stats["shards"]:
        return f"{said} With more time: --time-limit {longer:g}."
    stopped = stats["searches_stopped"]
    if stopped:  # each search took what it was given, which says nothing of how long it would have taken
        return (
            f"{said} {'1 search was' if stopped == 1 else f'{stopped:,} searches were'} stopped before the end, so it "
            f"is not known how long all {stats['shards']} shards take. More time narrows the gap: --time-limit "
            f"{longer:g}."
        )
    total = dealing + searching / SEARCH_SHARE
    return (
        f"{said} To search all {stats['shards']} shards takes about {time_in_words(total)}, judging by the {done} that "
        f"were searched, and narrows the gap: --time-limit {round_up(ROOM * total):g}."
    )


def _thresholds(text: str) -> Any:
    if text == "auto":
        return BINS
    if text == "all":
        return "all"
    if text.isascii() and text.isdigit():
        return int(text)
    raise InputError(f"--thresholds {text!r}; give 'all' or a number of quantile bins.")


def verify_stream(content: Model, data: Path, target: str | None, settings: Settings) -> bool:
    """Check a model that was fitted on shards against all rows, and print the report."""
    from treewright.verify import verify_shards

    report = verify_shards(content, data, target=target, settings=settings)
    say(str(report))
    return report.ok


def predict_stream(
    content: Model, data: Path, settings: Settings, out: Path | None, proba: bool, leaf: bool, safe: bool
) -> None:
    """Predict the rows of a folder or a large Parquet file, some at a time."""
    from treewright.sources import Roles, encoded_pieces, open_source

    tree = content.tree
    names = answer_names(content)
    if proba and tree.classes is not None:
        names += [f"probability of {label}" for label in tree.classes.tolist()]
    if leaf:
        names.append("leaf")
    number = tree.is_leaf.cumsum()  # from the left, as in the report
    part = None if out is None else out.with_name(f".{out.name}.{os.getpid()}.part")
    done = 0
    try:
        file = None if part is None else part.open("w", encoding="utf-8", newline="")
        try:
            text = csv_text([names], safe)
            opened = open_source(data, settings=settings, reading=content.reading)
            for rows in encoded_pieces(opened, Roles(), tree):
                X = rows.X
                columns = answer_columns(content, X)
                if proba and tree.classes is not None:
                    columns += tree.predict_proba(X).T.tolist()
                if leaf:
                    columns.append(number[tree.apply(X)].tolist())
                text += csv_text(list(zip(*columns, strict=True)), safe)
                done += len(X)
                put(text) if file is None else file.write(text)
                text = ""
        finally:
            if file is not None:
                file.close()
        if part is not None and out is not None:
            part.replace(out)
    finally:
        if part is not None:
            part.unlink(missing_ok=True)
    if out is not None:
        note(f"Predicted {count_of(done, 'row')} to {out}.")
