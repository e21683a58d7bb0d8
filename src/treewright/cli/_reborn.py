"""`treewright reborn`: one tree with the decisions of a model file, or of a forest trained on a CSV file."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.cli._clock import Clock
from treewright.cli._csv_options import CsvOptions, reads_csv
from treewright.cli._exits import CHECK_FAILED, exits_by_code
from treewright.cli._options import ASCII, Ignore, ModelOut, SettingsFile
from treewright.cli._output import note, say
from treewright.cli._question import ProgressBar, Threads, TimeLimit
from treewright.cli._read_csv import column_names, read_csv, settings_with
from treewright.cli._reborn_bar import run_bar
from treewright.cli._reborn_checks import check_asked, is_table, of_numbers
from treewright.cli._reborn_domain import AskedDomain
from treewright.cli._reborn_end import prove_again, say_stopped, show_tree
from treewright.cli._reborn_everywhere import reborn_everywhere
from treewright.cli._reborn_kept import with_columns
from treewright.cli._reborn_rows import load_with, rows_for, train_on
from treewright.cli._reborn_values import AskedValues, reborn_values
from treewright.cli._stop import finishing, stop_code
from treewright.cli._wording import as_options
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.convert import Ensemble
    from treewright.result import BornAgainResult
    from treewright.table import CsvTable, Settings
    from treewright.tree import Tree

__all__ = ["reborn"]


@reads_csv
@exits_by_code
def reborn(
    source: Annotated[
        Path,
        typer.Argument(
            help="Model file (XGBoost JSON, LightGBM text, published forest); or CSV, Parquet or Arrow file to train "
            "a forest on."
        ),
    ],
    out: ModelOut = None,
    faithful: Annotated[
        str | None,
        typer.Option(
            help="'everywhere': the tree has the model's decisions, or is near its numbers, on every possible row. "
            "'rows': the tree with the fewest leaves that agrees, or is near, on the given rows.",
            show_default="everywhere; rows with --predictions, and a CSV file with --task regression",
        ),
    ] = None,
    task: Annotated[
        str,
        typer.Option(
            help="'classification' or 'regression'. 'regression' with a CSV file: train a regression forest and find "
            "a tree near it; with a model file: read a model that predicts numbers."
        ),
    ] = "classification",
    predictions: Annotated[
        str | None,
        typer.Option(
            help="CSV file: column with the predictions of a regression model; finds the tree with the fewest leaves "
            "that is near them.",
            metavar="COLUMN",
        ),
    ] = None,
    within: Annotated[
        float | None,
        typer.Option(
            help="--predictions, --task regression: how far the tree may be from a number.",
            show_default="half of the numbers' standard deviation",
            min=0,
        ),
    ] = None,
    tolerance: Annotated[
        float | None,
        typer.Option(
            help="--faithful rows, --predictions: share of the rows that may differ.",
            show_default="0.02; 0.1 for numbers",
            min=0,
            max=1,
        ),
    ] = None,
    max_depth: Annotated[
        int | None,
        typer.Option(
            help="--faithful rows, --predictions: largest number of splits on a path.",
            show_default="4; 3 for numbers",
            min=0,
        ),
    ] = None,
    max_leaves: Annotated[
        int | None,
        typer.Option(
            help="Largest number of leaves. If the smallest tree cannot be found, the search for a faithful one "
            "gives up above this number; with --faithful rows no larger tree is considered.",
            show_default="20000; for numbers 1000; 16 on rows",
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
            help="'rows': decide like the model, or be near its numbers, only within the ranges of the rows' columns; "
            "columns that hold only whole numbers take only whole numbers.",
            metavar="rows",
            show_default="everywhere",
        ),
    ] = None,
    one_hot: Annotated[
        list[str] | None,
        typer.Option(
            help="Columns, with commas between, of which exactly one is 1: decide like the model, or be near its "
            "numbers, only on such rows. Repeatable.",
            metavar="A,B,C",
        ),
    ] = None,
    at_most_one: Annotated[
        list[str] | None,
        typer.Option(
            help="The same for columns of which at most one is 1, because a category was dropped or can be unknown. "
            "Repeatable.",
            metavar="A,B",
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
    columns: SettingsFile = None,
    trees: Annotated[int, typer.Option(help="CSV file: number of trees of the forest.", min=1)] = 10,
    depth: Annotated[int, typer.Option(help="CSV file: depth of its trees.", min=1)] = 3,
    bins: Annotated[
        int, typer.Option(help="CSV file: quantile bins of each column before training; 0 for none.", min=0)
    ] = 0,
    seed: Annotated[int, typer.Option(help="CSV file: seed of the forest.", min=0, max=2**32 - 1)] = 0,
    forest_out: Annotated[
        Path | None,
        typer.Option(
            help="CSV file with --task regression: file to write the forest to, for verify --ensemble.",
            metavar="FILE",
        ),
    ] = None,
    *,
    how: CsvOptions,
    time_limit: TimeLimit = 60.0,
    memory_limit: Annotated[int, typer.Option(help="MiB for the search.", min=1)] = 4096,
    jobs: Threads = None,
    progress: ProgressBar = True,
    check: Annotated[
        bool, typer.Option(help="Prove again, by independent code, that the tree is faithful.")
    ] = True,
    ascii_only: ASCII = False,
) -> None:
    """Turn a forest or boosted model into the smallest single tree that makes the same decisions.

    On continuous columns the faithful tree of many or deep trees is huge. Use --faithful rows for a small tree to read,
    which agrees with the model on nearly all rows. Or use --bins, fewer or shallower trees, or --prune active; a pruned
    tree decides like the model on the rows it was pruned with. For any regression model, --predictions reads its
    predictions from a column and finds the smallest tree near them. --task regression --faithful everywhere finds a
    tree that is near a regression forest or booster on every row there can be.

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
      treewright reborn booster.json --task regression --within 10 --out near.json
      treewright reborn booster.json --task regression --within 10 --one-hot red,green,blue
      treewright reborn data.csv -t y --task regression --faithful everywhere --within 10 --forest-out forest.json

    \b
    Exit codes: 0 done, 1 the check failed, 2 bad input or no tree within the limits,
    130 interrupted by Ctrl-C, 143 ended by SIGTERM (the best tree found has been saved).
    """  # noqa: D301  (\b keeps the lines apart in the help)
    given = SimpleNamespace(**locals())
    n_jobs = 1 if jobs is None else jobs
    from treewright.bornagain import agreement, distil, merged_result, pruned_result, solve, solve_active
    from treewright.convert import Model, check_writable, save_model
    from treewright.result import StopReason

    check_asked(given)
    if faithful is None:
        faithful = "rows" if of_numbers(given) and is_table(source) else "everywhere"
    if forest_out is not None:
        check_writable(forest_out)
    if out is not None:
        check_writable(out)  # now, not after a minute of search

    def read(path: Path, labels: str | None) -> CsvTable:
        return read_csv(path, target=labels, ignore=ignore or (), **how_read)

    how_read: dict[str, Any] = {"settings": columns, **how}
    limits = AskedDomain(domain is not None, one_hot or (), at_most_one or ())
    clock = Clock(None if math.isinf(time_limit) else time_limit)
    if of_numbers(given):
        find = reborn_everywhere if faithful == "everywhere" else reborn_values
        find(
            AskedValues(
                data=source,
                predictions=predictions,
                target=_target_of(source, target, settings_with(columns, **how))
                if is_table(source)
                else target,
                forest=(trees, depth, seed),
                ignore=(*(ignore or ()), *(() if target is None or predictions is None else (target,))),
                csv_options=how_read,
                rows=rows,
                new_rows=new_rows,
                within=within,
                share=0.1 if tolerance is None else tolerance,
                max_depth=3 if max_depth is None else max_depth,
                max_leaves=max_leaves or (1000 if faithful == "everywhere" else 16),
                domain=limits,
                memory_limit=memory_limit << 20,
                n_jobs=n_jobs,
                clock=clock,
                out=out,
                forest_out=forest_out,
                check=check,
                progress=progress,
                ascii_only=ascii_only,
                titles=columns,
            )
        )
        return
    tolerance = 0.02 if tolerance is None else tolerance
    max_depth = 4 if max_depth is None else max_depth
    if is_table(source):
        csv = read(source, _target_of(source, target, settings_with(columns, **how)))
        decider = train_on(csv, trees, depth, bins, seed)
        for text in csv.table.notes:
            note(f"Note: {text}")
    else:
        decider = load_with(source, None if rows is None else read(rows, target).table)
    ensemble, X, own_columns = decider.ensemble, decider.X, decider.columns
    if X is None and (prune is not None or domain is not None or faithful == "rows"):
        asked = "--prune" if prune is not None else "--domain" if domain is not None else "--faithful rows"
        raise InputError(f"{asked} needs rows, which a model file lacks: add --rows FILE.csv.")
    unseen = None if new_rows is None else rows_for(ensemble, read(new_rows, target).table)
    whole = ensemble
    stated = limits.stated(ensemble.feature_names, X)
    if stated is not None:
        ensemble = ensemble.within(stated)
    note(
        f"{len(ensemble.trees)} trees, {ensemble.n_leaves} leaves. Searching; Ctrl-C keeps the best tree so far."
    )
    reading = clock.seconds
    seconds = clock.left()
    if clock.time_limit is not None and reading > clock.time_limit / 2:
        note(f"Reading took {reading:.0f} of the {clock.time_limit:g} s of --time-limit.")
    with run_bar(progress, seconds) as report:
        shared: dict[str, Any] = {
            "time_limit": seconds,
            "memory_limit": memory_limit << 20,
            "progress": report,
        }
        if faithful == "rows":
            assert X is not None  # checked above
            result = distil(
                ensemble,
                X,
                tolerance=tolerance,
                max_depth=max_depth,
                max_leaves=max_leaves or 16,
                n_jobs=n_jobs,
                **shared,
            )
        elif prune == "active":
            assert X is not None  # checked above
            result = solve_active(ensemble, X, **shared)
        else:
            result = solve(
                ensemble, objective=objective, X=X, max_leaves=max_leaves or 20_000, n_jobs=n_jobs, **shared
            )
    stopped = result.asked_to_stop is StopReason.INTERRUPT
    with finishing():
        kept = result
        if prune == "rows":
            assert X is not None  # checked above
            kept = pruned_result(result, X)
        elif prune == "active":
            kept = merged_result(result)
        if own_columns is not None:
            kept = with_columns(kept, own_columns)
        if out is not None:
            save_model(out, Model.of(kept, None, decider.reading))
        if stopped:
            say_stopped(out)
        _say_sizes(ensemble, result, kept)
        say()
        show_tree(kept.tree, ascii_only, columns)
        smaller = kept.tree.n_leaves != result.tree.n_leaves
        before = f"before {'merging' if prune == 'active' else 'pruning'}" if smaller else ""
        say(f"{before.capitalize()}: {result.sentence()}" if smaller else result.sentence())
        if smaller:
            say(f"{'Merged' if prune == 'active' else 'Pruned'}: {kept.sentence()}")
        elif prune == "rows":
            say("Pruning removes nothing: some row needs every split.")
        if unseen is not None:
            say(agreement(kept.tree, whole, unseen).sentence())
        for text in kept.notes:
            say(as_options(f"Note: {text}"))
        limit = "" if clock.time_limit is None else f" --time-limit {clock.time_limit:g} counts both."
        say(f"Reading: {reading:.3f} s. Search: {result.stats['seconds']:.3f} s.{limit}")
        if out is not None:
            again = (
                ""
                if is_table(source) or prune or faithful == "rows"
                else f" Check it any time: treewright verify {out} --ensemble {source}"
            )
            say(f"Saved to {out}.{again}")
    if stopped:
        raise typer.Exit(stop_code())
    if check and prune != "active" and faithful == "everywhere":
        _check(result.tree, ensemble, before, saved=out is not None)


def _target_of(source: Path, target: str | None, kept: Settings) -> str:
    """Return the column of labels or numbers: the one named, or the last that is not left out."""
    if target:
        return target
    names = column_names(source, kept.separator, kept.encoding)
    return ([name for name in names if name not in kept.ignore] or names)[-1]


def _check(tree: Tree, ensemble: Ensemble, before: str, saved: bool) -> None:
    """Prove by independent code that the tree decides like the ensemble, as it was `before` it became smaller."""
    from treewright.verify import check_faithful

    report = prove_again(lambda: check_faithful(tree, ensemble), saved=saved)
    say(f"Checked by independent code{before and f', {before}'}: {report.sentence()}")
    if not report.faithful:
        raise typer.Exit(CHECK_FAILED)


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
