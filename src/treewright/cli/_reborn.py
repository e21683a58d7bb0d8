"""`treewright reborn`: one tree with the decisions of a model file, or of a forest trained on a CSV file."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.cli._clock import Clock
from treewright.cli._exits import CHECK_FAILED, exits_by_code
from treewright.cli._options import (
    ASCII,
    DayFirst,
    DecimalComma,
    Encoding,
    Ignore,
    Missing,
    ModelOut,
    Separator,
)
from treewright.cli._output import note, say
from treewright.cli._read_csv import column_names, read_csv
from treewright.cli._reborn_bar import run_bar
from treewright.cli._reborn_values import AskedValues, reborn_values
from treewright.cli._stop import finishing, stop_code, stop_word
from treewright.cli._wording import tree_text
from treewright.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treewright.convert import Ensemble
    from treewright.result import BornAgainResult
    from treewright.table import CsvTable, Reading, Table
    from treewright.tree import Column, Tree

__all__ = ["reborn"]

TABLE_SUFFIXES = (".csv", ".csv.gz")
PRUNINGS = (None, "rows", "active")
TASKS = ("classification", "regression")
FAITHFUL = ("everywhere", "rows")
SHOWN_LEAVES = 64  # larger trees are not printed


@exits_by_code
def reborn(
    source: Annotated[
        Path,
        typer.Argument(
            help="Model file (XGBoost JSON, LightGBM text, published forest), or CSV file to train a forest on."
        ),
    ],
    out: ModelOut = None,
    faithful: Annotated[
        str,
        typer.Option(
            help="'everywhere': exactly the model's decisions. 'rows': the fewest leaves that agree on the rows."
        ),
    ] = "everywhere",
    task: Annotated[
        str,
        typer.Option(
            help="CSV file: 'classification', or 'regression' to train a regression forest on a target of numbers and "
            "find the fewest leaves near it."
        ),
    ] = "classification",
    predictions: Annotated[
        str | None,
        typer.Option(
            help="CSV file: column of the numbers that a regression model says of the rows; finds the fewest leaves "
            "that are near them.",
            metavar="COLUMN",
        ),
    ] = None,
    within: Annotated[
        float | None,
        typer.Option(
            help="--predictions, --task regression: how far the tree may be from a number.",
            show_default="half of their standard deviation",
            min=0,
        ),
    ] = None,
    tolerance: Annotated[
        float | None,
        typer.Option(
            help="--faithful rows, --predictions, --task regression: share of the rows that may differ.",
            show_default="0.02; 0.1 of numbers",
            min=0,
            max=1,
        ),
    ] = None,
    max_depth: Annotated[
        int | None,
        typer.Option(
            help="--faithful rows, --predictions, --task regression: largest number of splits on a path.",
            show_default="4; 3 of numbers",
            min=0,
        ),
    ] = None,
    max_leaves: Annotated[
        int | None,
        typer.Option(
            help="Largest number of leaves; the search gives up beyond it (--faithful rows: it looks at no larger "
            "tree).",
            show_default="20000; 16 with --faithful rows, and of numbers",
            min=1,
        ),
    ] = None,
    objective: Annotated[
        str,
        typer.Option(
            help="What to minimise: 'depth', 'leaves', 'depth-leaves'; or 'heuristic' for no proof."
        ),
    ] = "depth-leaves",
    prune: Annotated[
        str | None,
        typer.Option(
            help="'rows' removes splits that no row needs; 'active' finds the tree of fewest leaves "
            "after this pruning.",
            show_default="keep all decisions",
        ),
    ] = None,
    rows: Annotated[
        Path | None,
        typer.Option(help="Model file: CSV file of rows to prune with, or to agree on.", metavar="CSV"),
    ] = None,
    domain: Annotated[
        str | None,
        typer.Option(
            help="'rows': decide like the model within the ranges of the rows' columns only, whole numbers where all "
            "values are.",
            metavar="rows",
            show_default="everywhere",
        ),
    ] = None,
    one_hot: Annotated[
        list[str] | None,
        typer.Option(
            help="Columns of which exactly one is 1, with commas between: decide like the model on such rows only. "
            "Repeatable.",
            metavar="A,B,C",
        ),
    ] = None,
    new_rows: Annotated[
        Path | None,
        typer.Option(
            help="CSV file of rows that the model has not seen, to count how often tree and model agree.",
            metavar="CSV",
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            "--target", "-t", help="Column of labels.", metavar="COLUMN", show_default="the last one"
        ),
    ] = None,
    ignore: Ignore = None,
    trees: Annotated[int, typer.Option(help="CSV file: trees of the forest.", min=1)] = 10,
    depth: Annotated[int, typer.Option(help="CSV file: depth of its trees.", min=1)] = 3,
    bins: Annotated[
        int, typer.Option(help="CSV file: quantile bins of each column before training; 0 for none.", min=0)
    ] = 0,
    seed: Annotated[int, typer.Option(help="CSV file: seed of the forest.", min=0)] = 0,
    separator: Separator = None,
    missing: Missing = None,
    encoding: Encoding = None,
    decimal_comma: DecimalComma = None,
    day_first: DayFirst = None,
    time_limit: Annotated[
        float, typer.Option(help="Seconds, reading the file included; inf for no limit.")
    ] = 60.0,
    memory_limit: Annotated[int, typer.Option(help="MiB for the search.", min=1)] = 4096,
    progress: Annotated[bool, typer.Option(help="Progress bar on long runs in a terminal.")] = True,
    check: Annotated[
        bool, typer.Option(help="Prove once more, by independent code, that the tree is faithful.")
    ] = True,
    ascii_only: ASCII = False,
) -> None:
    """Turn a forest or boosted model into the smallest single tree with its decisions.

    On continuous columns the faithful tree of many or deep trees is huge: use --faithful rows for a small tree to
    read, which agrees with the model on nearly all rows; or --bins, fewer or shallower trees, or --prune active. A
    pruned tree decides like the model on the rows it was pruned with. --predictions reads the numbers that a
    regression model of any kind says, and finds the smallest tree near them.

    \b
    Examples:
      treewright reborn forest.txt --out model.json
      treewright reborn booster.json --rows data.csv --faithful rows --tolerance .02 --new-rows test.csv
      treewright reborn booster.json --rows data.csv --prune active
      treewright reborn booster.json --rows data.csv --domain rows
      treewright reborn booster.json --one-hot red,green,blue --one-hot small,large
      treewright reborn data.csv --target y --trees 5 --depth 2 --bins 10
      treewright reborn data.csv --target y --task regression --within 10
      treewright reborn data.csv --predictions yhat --ignore y --within 10 --tolerance .1

    \b
    Exit codes: 0 done, 1 the check failed, 2 bad input or no tree within the limits,
    130 interrupted by Ctrl-C, 143 ended by SIGTERM (the best tree found has been saved).
    """  # noqa: D301  (\b keeps the lines apart in the help)
    from treewright.bornagain import Domain, agreement, distil, solve, solve_active
    from treewright.convert import Ensemble, Model, check_writable, save_model
    from treewright.result import StopReason

    if prune not in PRUNINGS:
        raise InputError(f"--prune {prune!r}; give 'rows' or 'active', or leave it out.")
    if faithful not in FAITHFUL:
        raise InputError(f"--faithful {faithful!r}; give 'everywhere' or 'rows'.")
    if faithful == "rows" and prune is not None:
        raise InputError(
            "--prune is for a tree that is faithful everywhere; leave it out with --faithful rows."
        )
    if domain not in (None, "rows"):
        raise InputError(f"--domain {domain!r}; give 'rows', or leave it out.")
    if faithful == "rows" and domain is not None:
        raise InputError(
            "--domain is for a tree that is faithful everywhere; leave it out with --faithful rows."
        )
    if one_hot and (faithful == "rows" or prune is not None):
        raise InputError("--one-hot is for a tree that is faithful everywhere and not pruned.")
    if out is not None:
        check_writable(out)  # now, not after a minute of search

    csv_options: dict[str, Any] = {
        "separator": separator,
        "missing": missing,
        "encoding": encoding,
        "decimal_comma": decimal_comma,
        "day_first": day_first,
    }

    def read(path: Path, labels: str | None) -> CsvTable:
        return read_csv(path, target=labels, ignore=ignore or (), **csv_options)

    clock = Clock(None if math.isinf(time_limit) else time_limit)
    if task not in TASKS:
        raise InputError(f"--task {task!r}; give 'classification' or 'regression'.")
    of_numbers = predictions is not None or task == "regression"
    if within is not None and not of_numbers:
        raise InputError(
            "--within is for the numbers of a regression model: name their column, --predictions, or let a "
            "forest learn them, --task regression."
        )
    if of_numbers:
        for given, name in (
            (prune, "--prune"),
            (domain, "--domain"),
            (rows, "--rows"),
            (one_hot, "--one-hot"),
        ):
            if given:
                raise InputError(
                    f"{name} is for a model of classes; leave it out with --predictions and --task regression."
                )
        if not source.name.lower().endswith(TABLE_SUFFIXES):
            raise InputError(
                f"{source.name} is no CSV file; --predictions names a column of one, and --task regression "
                "learns from one."
            )
        if bins:
            raise InputError("--bins is for a model of classes; leave it out.")
        reborn_values(
            AskedValues(
                data=source,
                predictions=predictions,
                target=target or column_names(source, separator, encoding)[-1],
                forest=(trees, depth, seed),
                ignore=(*(ignore or ()), *(() if target is None or predictions is None else (target,))),
                csv_options=csv_options,
                new_rows=new_rows,
                within=within,
                share=0.1 if tolerance is None else tolerance,
                max_depth=3 if max_depth is None else max_depth,
                max_leaves=max_leaves or 16,
                memory_limit=memory_limit << 20,
                clock=clock,
                out=out,
                progress=progress,
                ascii_only=ascii_only,
            )
        )
        return
    tolerance = 0.02 if tolerance is None else tolerance
    max_depth = 4 if max_depth is None else max_depth
    X: NDArray[np.float64] | None
    columns: tuple[Column, ...] | None = None
    files_reading: Reading | None = None
    is_table = source.name.lower().endswith(TABLE_SUFFIXES)
    if is_table:
        csv = read(source, target or column_names(source, separator, encoding)[-1])
        ensemble, X = _train(csv, trees, depth, bins, seed)
        columns, files_reading = csv.table.columns, csv.reading
        for text in csv.table.notes:
            note(f"Note: {text}")
    else:
        table = None if rows is None else read(rows, target).table
        has_missing = table is not None and any(column.has_missing for column in table.columns)
        ensemble = Ensemble.load(source, missing="route" if has_missing else "refuse")
        X = None if table is None else _rows_for(ensemble, table)
    if X is None and (prune is not None or domain is not None or faithful == "rows"):
        asked = "--prune" if prune is not None else "--domain" if domain is not None else "--faithful rows"
        raise InputError(f"{asked} needs rows, which a model file lacks: add --rows FILE.csv.")
    unseen = None if new_rows is None else _rows_for(ensemble, read(new_rows, target).table)
    whole = ensemble
    stated = None
    if domain is not None:
        assert X is not None  # checked above
        stated = Domain.of_rows(X)
    if one_hot:
        names = ensemble.feature_names
        groups = Domain.of(names, one_hot=[[name.strip() for name in group.split(",")] for group in one_hot])
        stated = groups if stated is None else stated.with_groups(groups.one_hot)
    if stated is not None:
        ensemble = ensemble.within(stated)
    note(
        f"{len(ensemble.trees)} trees, {ensemble.n_leaves} leaves. Searching; Ctrl-C keeps the best tree so far."
    )
    reading = clock.seconds
    seconds = clock.left()
    with run_bar(progress, seconds) as report:
        shared: dict[str, Any] = {
            "time_limit": seconds,
            "memory_limit": memory_limit << 20,
            "progress": report,
        }
        if faithful == "rows":
            assert X is not None  # checked above
            result = distil(
                ensemble, X, tolerance=tolerance, max_depth=max_depth, max_leaves=max_leaves or 16, **shared
            )
        elif prune == "active":
            assert X is not None  # checked above
            result = solve_active(ensemble, X, **shared)
        else:
            result = solve(ensemble, objective=objective, X=X, max_leaves=max_leaves or 20_000, **shared)
    stopped = result.asked_to_stop is StopReason.INTERRUPT
    with finishing():
        kept = result
        if prune == "rows":
            assert X is not None  # checked above
            kept = _pruned(result, X)
        elif prune == "active":
            kept = _merged(result)
        if columns is not None:
            kept = _with_columns(kept, columns)
        if out is not None:
            save_model(out, Model.of(kept, None, files_reading))
        if stopped:
            note(
                f"{stop_word()}. The best tree found so far " + (f"is saved to {out}." if out else "follows.")
            )
        _say_sizes(ensemble, result, kept)
        say()
        if kept.tree.n_leaves <= SHOWN_LEAVES:
            say(tree_text(kept.tree, ascii_only))
        else:
            say(f"A tree of {kept.tree.n_leaves:,} leaves is not printed.")
        say()
        say(result.sentence())
        if prune == "rows" and kept.tree.n_leaves == result.tree.n_leaves:
            say("Pruning removes nothing: some row needs every split.")
        elif kept.tree.n_leaves != result.tree.n_leaves:
            say(f"{'Merged' if prune == 'active' else 'Pruned'}: {kept.sentence()}")
        if unseen is not None:
            say(agreement(result.tree if columns is None else kept.tree, whole, unseen).sentence())
        for text in kept.notes:
            say(f"Note: {text}")
        limit = "" if clock.time_limit is None else f" --time-limit {clock.time_limit:g} counts both."
        say(f"Reading: {reading:.3f} s. Search: {result.stats['seconds']:.3f} s.{limit}")
        if out is not None:
            again = (
                ""
                if is_table or prune or domain or one_hot or faithful == "rows"
                else f" Check it any time: treewright verify {out} --ensemble {source}"
            )
            say(f"Saved to {out}.{again}")
    if stopped:
        raise typer.Exit(stop_code())
    if check and prune != "active" and faithful == "everywhere":
        _check(result.tree, ensemble, saved=out is not None)


def _check(tree: Tree, ensemble: Ensemble, saved: bool) -> None:
    """Prove by independent code that the tree decides like the ensemble; the tree has been written and shown."""
    from treewright.verify import check_faithful

    try:
        faithful = check_faithful(tree, ensemble)
    except KeyboardInterrupt:
        note(
            f"{stop_word()} before the check by independent code ended.{' The tree is saved.' if saved else ''}"
        )
        raise typer.Exit(stop_code()) from None
    say(f"Checked by independent code: {faithful.sentence()}")
    if not faithful.faithful:
        raise typer.Exit(CHECK_FAILED)


def _train(
    csv: CsvTable, trees: int, depth: int, bins: int, seed: int
) -> tuple[Ensemble, NDArray[np.float64]]:
    """Train a forest on a table; rows with missing values follow the forest's own rule for them."""
    import numpy as np

    from treewright.convert import Ensemble
    from treewright.estimators._born_again import make_forest

    assert csv.target is not None  # a target was named
    _check_numeric(csv.table.columns)
    if csv.target.dtype.kind == "f":
        raise InputError(
            "The column of labels holds numbers that are not whole. Add --task regression for a tree near a regression "
            "forest; or name another column, --target."
        )
    if len(np.unique(csv.target)) < 2:
        raise InputError("The column of labels holds one label only; there is nothing to decide.")
    edges = _edges(csv.table, bins) if bins else None
    X = csv.table.X if edges is None else _bin_numbers(csv.table.X, edges)
    forest = make_forest(trees, depth, seed).fit(X, csv.target)
    ensemble = Ensemble.from_model(forest, missing="route" if np.isnan(X).any() else "refuse")
    if edges is not None:
        ensemble = _in_units(ensemble, edges)
    return replace(ensemble, feature_names=csv.table.names), csv.table.X


def _edges(table: Table, bins: int) -> list[NDArray[np.float64]]:
    """The thresholds between the quantile bins of each column, ascending."""
    import numpy as np

    from treewright.binarize import quantiles
    from treewright.tree import ThresholdSplit

    if bins < 2:
        raise InputError(f"--bins {bins}; give 2 or more, or 0 to leave the columns as they are.")
    edges: list[list[float]] = [[] for _ in table.columns]
    for split in quantiles(table, bins).splits:
        if isinstance(split, ThresholdSplit) and math.isfinite(split.threshold):
            edges[split.column].append(split.threshold)
    return [np.unique(np.asarray(own, dtype=np.float64)) for own in edges]


def _bin_numbers(X: NDArray[np.float64], edges: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Number the bins of each column from 0: bin i holds ``edges[i - 1] < x <= edges[i]``."""
    import numpy as np

    numbers = [np.searchsorted(own, x, side="left") for own, x in zip(edges, X.T, strict=True)]
    return np.where(np.isnan(X), np.nan, np.column_stack(numbers))


def _in_units(ensemble: Ensemble, edges: list[NDArray[np.float64]]) -> Ensemble:
    """Let an ensemble over bin numbers speak of the columns: ``number <= t`` is ``x <= edges[floor(t)]``."""
    import numpy as np

    trees = []
    for tree in ensemble.trees:
        threshold = tree.threshold.copy()
        for f, own in enumerate(edges):
            here = (tree.feature == f) & np.isfinite(threshold)
            threshold[here] = own[np.floor(threshold[here]).astype(np.int64)]
        trees.append(replace(tree, threshold=threshold))
    return replace(ensemble, trees=tuple(trees))


def _rows_for(ensemble: Ensemble, table: Table) -> NDArray[np.float64]:
    """Columns of the model by name or, where the model has no such names, the first ones in order."""
    names = table.names
    if set(ensemble.feature_names) <= set(names):
        places = [names.index(name) for name in ensemble.feature_names]
    elif len(names) >= ensemble.n_features:
        places = list(range(ensemble.n_features))
        note("The rows have other column names than the model: their first columns are taken, in order.")
    else:
        raise InputError(
            f"The rows have {len(names)} columns, the model {ensemble.n_features}; give the columns that it "
            "was trained on, in order."
        )
    _check_numeric([table.columns[place] for place in places])
    return table.X[:, places]


def _check_numeric(columns: tuple[Column, ...] | list[Column]) -> None:
    from treewright.tree import ColumnKind

    words = [column.name for column in columns if column.kind is ColumnKind.CATEGORICAL]
    if words:
        raise InputError(
            f"The column {words[0]!r} holds text, and the ensembles read here take numbers. Leave it out with "
            "--ignore, or give one 0/1 column per category."
        )


def _pruned(result: BornAgainResult, X: NDArray[np.float64]) -> BornAgainResult:
    """The result of pruning by rows: decisions are kept on the rows, and nothing is proven about the size."""
    from treewright.bornagain import prune
    from treewright.result import SolveStatus

    tree = prune(result.tree, X)
    if tree.n_leaves == result.tree.n_leaves:  # every split is needed: the faithful tree, with its proof
        return result
    return replace(
        result,
        tree=tree,
        status=SolveStatus.FEASIBLE,
        objective=float(tree.n_leaves),
        lower_bound=1.0,
        scope=f"the {len(X)} rows that it was pruned with",
        stats={**result.stats, "depth_lower_bound": 0, "leaves_lower_bound": 1},
        notes=(*result.notes, "A pruned tree may differ from the ensemble where there are no training rows."),
    )


def _merged(result: BornAgainResult) -> BornAgainResult:
    """The result with sibling leaves of one class merged: all decisions stay, the proof was of them apart."""
    from treewright.result import SolveStatus
    from treewright.tree import merge_equal_leaves

    tree = merge_equal_leaves(result.tree)
    if tree.n_leaves == result.tree.n_leaves:
        return result
    n_apart = result.tree.n_leaves
    apart = f"Sibling leaves of one class were merged, which changes no decision; apart they were {n_apart}."
    return replace(
        result,
        tree=tree,
        status=SolveStatus.FEASIBLE,
        objective=float(tree.n_leaves),
        lower_bound=1.0,
        stats={
            **result.stats,
            "depth": tree.depth,
            "leaves": tree.n_leaves,
            "depth_lower_bound": 0,
            "leaves_lower_bound": 1,
        },
        notes=(*result.notes, apart),
    )


def _with_columns(result: BornAgainResult, columns: tuple[Column, ...]) -> BornAgainResult:
    """Let the tree speak of the table's columns (0/1, true/false), so that it reads such files again."""
    kinds = tuple(
        replace(column, has_missing=own.has_missing)
        for column, own in zip(columns, result.tree.columns, strict=True)
    )
    return replace(result, tree=replace(result.tree, columns=kinds))


def _say_sizes(ensemble: Ensemble, result: BornAgainResult, kept: BornAgainResult) -> None:
    deepest = max(tree.depth for tree in ensemble.trees)
    rows = [
        (ensemble.source, str(len(ensemble.trees)), deepest, ensemble.n_leaves),
        ("born-again tree", "1", result.tree.depth, result.tree.n_leaves),
        ("proven at least", "", result.stats["depth_lower_bound"], result.stats["leaves_lower_bound"]),
    ]
    if kept.tree.n_leaves != result.tree.n_leaves:
        rows.append(("pruned, merged", "1", kept.tree.depth, kept.tree.n_leaves))
    width = max(20, *(len(name) for name, *_ in rows))
    say(f"{'':<{width}} {'trees':>7} {'depth':>7} {'leaves':>7}")
    for name, n_trees, depth, leaves in rows:
        say(f"{name:<{width}} {n_trees:>7} {depth:>7} {leaves:>7}")
