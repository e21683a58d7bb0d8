"""`treewright fit`: from a CSV file to a tree with its certificate."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.cli._common import (
    ASCII,
    CHECK_FAILED,
    INTERRUPTED,
    Csv,
    DecimalComma,
    Encoding,
    Ignore,
    Missing,
    ModelOut,
    Separator,
    effort,
    exits_by_code,
    note,
    pairs,
    read_csv,
    say,
    tree_text,
)
from treewright.cli._guess import read_guesses
from treewright.cli._leaf_accuracy import (
    LEAF_ACCURACY,
    MAX_DEPTH,
    MIN_SAMPLES_LEAF,
    refuse_others,
    search_leaf_accuracy,
)
from treewright.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treewright.result import SolveResult
    from treewright.search import Thresholds

__all__ = ["fit"]


@exits_by_code
def fit(
    data: Csv,
    target: Annotated[str, typer.Option("--target", "-t", help="Column of labels.", metavar="COLUMN")],
    out: ModelOut = None,
    method: Annotated[
        str,
        typer.Option(
            help="'exact' proves optimality; 'latent' trains linear splits (needs treewright[latent])."
        ),
    ] = "exact",
    cost_complexity: Annotated[
        float,
        typer.Option("--cost-complexity", "-c", help="Price of one leaf, as a fraction of the total weight."),
    ] = 0.01,
    max_depth: Annotated[
        int | None, typer.Option(help="Most splits on a path.", show_default="unlimited")
    ] = None,
    max_leaf_nodes: Annotated[int | None, typer.Option(help="Most leaves.", show_default="unlimited")] = None,
    min_samples_leaf: Annotated[
        str | None,
        typer.Option(
            help="Fewest rows in a leaf: an integer, or a fraction such as 0.01.",
            show_default="1; leaf-accuracy: 50",
        ),
    ] = None,
    thresholds: Annotated[
        str,
        typer.Option(help="'all', a number of quantile bins, or 'auto': all where it can."),
    ] = "auto",
    objective: Annotated[
        str,
        typer.Option(
            help="'accuracy', 'balanced_accuracy', or 'leaf-accuracy': of the worst leaf (depth 4 if none is given)."
        ),
    ] = "accuracy",
    criterion: Annotated[
        str,
        typer.Option(help="--objective leaf-accuracy: 'accuracy' of the worst leaf, or its 'lower-bound'."),
    ] = "accuracy",
    confidence: Annotated[float, typer.Option(help="--criterion lower-bound: of the Wilson bound.")] = 0.95,
    class_weight: Annotated[
        list[str] | None, typer.Option(help="'balanced', or LABEL=FACTOR. Repeatable.", metavar="FACTOR")
    ] = None,
    cost: Annotated[
        list[str] | None,
        typer.Option(
            help="TRUE:PREDICTED=COST of a wrong prediction; 1 where not given. Repeatable.", metavar="COST"
        ),
    ] = None,
    weight: Annotated[str | None, typer.Option(help="Column of row weights.", metavar="COLUMN")] = None,
    ignore: Ignore = None,
    categorical: Annotated[
        list[str] | None,
        typer.Option(help="Column of numbers to read as categories. Repeatable.", metavar="COLUMN"),
    ] = None,
    separator: Separator = None,
    missing: Missing = None,
    encoding: Encoding = "utf-8",
    decimal_comma: DecimalComma = False,
    time_limit: Annotated[float, typer.Option(help="Seconds of search; inf for no limit.")] = 60.0,
    step_limit: Annotated[
        int | None, typer.Option(help="Subproblems; the same on every machine.", show_default="unlimited")
    ] = None,
    memory_limit: Annotated[
        int | None, typer.Option(help="MiB for the search.", show_default="half of the memory")
    ] = None,
    require_proof: Annotated[
        bool, typer.Option("--require-proof", help="Exit with code 1 if the tree is not proven optimal.")
    ] = False,
    guess: Annotated[
        str,
        typer.Option(
            help="What to guess from a reference model, of 'thresholds,depth,bounds'; says what it may cost."
        ),
    ] = "",
    reference: Annotated[
        str | None,
        typer.Option(
            help="--guess: 'gbdt', 'hist', 'forest', 'extra-trees', 'xgboost' or 'lightgbm'.",
            show_default="gbdt",
        ),
    ] = None,
    n_estimators: Annotated[
        int | None, typer.Option(help="--guess: trees of the reference.", show_default="40")
    ] = None,
    reference_depth: Annotated[
        int | None, typer.Option(help="--guess: splits on a path of each.", show_default="1")
    ] = None,
    guess_tolerance: Annotated[
        float | None,
        typer.Option(
            help="--guess thresholds: fall of the reference's accuracy that is allowed.", show_default="0"
        ),
    ] = None,
    pruning: Annotated[float, typer.Option(help="--method latent: lambda of the paper, >= 0.")] = 1.0,
    epochs: Annotated[int, typer.Option(help="--method latent: most passes over the rows.")] = 100,
    seed: Annotated[int, typer.Option(help="--method latent: seed of weights and order.")] = 0,
    progress: Annotated[bool, typer.Option(help="Progress bar on long runs in a terminal.")] = True,
    ascii_only: ASCII = False,
) -> None:
    """Find the tree of smallest error + cost_complexity x leaves, and say what is proven about it.

    Ctrl-C stops the search; the best tree found so far is kept and saved.

    \b
    Examples:
      treewright fit data.csv --target y --out model.json
      treewright fit data.csv -t y -c .005 --max-depth 5 --time-limit 300 -o model.json
      treewright fit data.csv -t sick --cost yes:no=10 --ignore id --thresholds all
      treewright fit data.csv -t y --guess thresholds,bounds --reference gbdt --n-estimators 40
      treewright fit data.csv -t y --objective leaf-accuracy --max-depth 3 --min-samples-leaf 100

    \b
    Exit codes: 0 a tree was found, 1 not proven and --require-proof was given, 2 bad input,
    130 interrupted (the best tree found has been saved).
    """  # noqa: D301  (\b keeps the lines apart in the help)
    from treewright.convert import Model, Terms, check_writable, save_model
    from treewright.problem import make_problem
    from treewright.result import SolveStatus, StopReason
    from treewright.search import Limits, progress_bar, solve, solve_guided

    if out is not None:
        check_writable(out)  # now, not after an hour of search
    limits = Limits(
        None if math.isinf(time_limit) else time_limit,
        step_limit,
        None if memory_limit is None else memory_limit << 20,
    )
    guesses = read_guesses(
        guess,
        reference=reference,
        n_estimators=n_estimators,
        reference_depth=reference_depth,
        tolerance=guess_tolerance,
        thresholds=thresholds,
        max_depth=max_depth,
    )
    csv = read_csv(
        data,
        target=target,
        weight=weight,
        separator=separator,
        missing=missing,
        encoding=encoding,
        decimal_comma=decimal_comma,
        ignore=ignore or (),
        categorical=categorical or (),
    )
    assert csv.target is not None  # a target was named
    if method == "latent":
        from treewright.cli._latent import fit_latent

        if (
            max_leaf_nodes is not None
            or min_samples_leaf is not None
            or class_weight
            or cost
            or guess
            or require_proof
        ):
            raise InputError(
                "--method latent takes none of --max-leaf-nodes, --min-samples-leaf, --class-weight, --cost, "
                "--guess, --require-proof; leave them out, or use --method exact."
            )
        fit_latent(
            csv, data=data, target=target, out=out, max_depth=max_depth, cost_complexity=cost_complexity,
            pruning=pruning, epochs=epochs, seed=seed, time_limit=limits.time_limit, progress=progress,
            ascii_only=ascii_only,
        )  # fmt: skip
        return
    if method != "exact":
        raise InputError(f"--method {method!r}; give 'exact' or 'latent'.")
    by_leaf = objective == LEAF_ACCURACY
    if by_leaf:
        refuse_others(max_leaf_nodes, cost, guesses)
        objective, cost_complexity = "accuracy", 0.0
        max_depth = MAX_DEPTH if max_depth is None else max_depth
        min_samples_leaf = min_samples_leaf or MIN_SAMPLES_LEAF
    labels = _labels(csv.target)
    factors = _class_weight(class_weight or [], labels)
    by_label = dict(zip(labels.values(), factors, strict=True)) if isinstance(factors, tuple) else None
    costs = _costs(cost or [], labels)
    problem = make_problem(
        csv.table,
        csv.target,
        sample_weight=csv.sample_weight,
        class_weight=by_label if by_label is not None else factors,  # type: ignore[arg-type]  # text: balanced
        costs=costs,
        objective=objective,  # type: ignore[arg-type]  # make_problem checks it
        cost_complexity=cost_complexity,
        max_depth=max_depth,
        max_leaf_nodes=max_leaf_nodes,
        min_samples_leaf=_number(min_samples_leaf or "1"),
    )
    note(
        f"{problem.table.n_rows:,} rows, {len(problem.table.columns)} columns. Searching; Ctrl-C keeps the best "
        "tree so far."
    )
    with progress_bar("auto" if progress else False, limits.time_limit) as report:
        cuts = _thresholds(thresholds)
        result: SolveResult
        if by_leaf:
            result = search_leaf_accuracy(
                problem, cuts, guesses, criterion, confidence, limits=limits, progress=report
            )
        elif guesses.any:
            result = solve_guided(problem, cuts, guesses, limits=limits, progress=report)
        else:
            result = solve(problem, cuts, limits=limits, progress=report)
    terms = Terms(
        cost_complexity=problem.cost_complexity,
        max_depth=result.stats.get("guessed_depth", problem.max_depth),
        max_leaf_nodes=problem.max_leaf_nodes,
        min_samples_leaf=problem.min_samples_leaf,
        objective=objective,
        class_weight=factors,
        costs=costs,
        target=target,
        weight=weight,
    )
    saved = ""
    if out is not None:
        save_model(out, Model.of(result, terms))
        saved = f"Saved to {out}. Check it any time: treewright verify {out} {data}"
    interrupted = result.stop_reason is StopReason.INTERRUPT
    if interrupted:
        note("Interrupted. The best tree found so far " + (f"is saved to {out}." if out else "follows."))
    say(tree_text(result.tree, ascii_only))
    say()
    say(result.sentence())
    for text in result.notes:
        say(f"Note: {text}")
    say(effort(result.stats))
    if saved:
        say(saved)
    if interrupted:
        raise typer.Exit(INTERRUPTED)
    if result.status is SolveStatus.FEASIBLE:
        note("Not proven optimal; try a longer --time-limit, a --max-depth, a larger --cost-complexity.")
    if require_proof and result.status is not SolveStatus.OPTIMAL:
        raise typer.Exit(CHECK_FAILED)


def _thresholds(text: str) -> Thresholds:
    if text in ("auto", "all"):
        return text  # type: ignore[return-value]  # one of the two literals
    if text.isascii() and text.isdigit():
        return int(text)
    raise InputError(f"--thresholds {text!r}; give 'auto', 'all' or a number of quantile bins.")


def _number(text: str) -> int | float:
    """An integer stays one: 1 is one row, 1.0 would be a fraction."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise InputError(f"--min-samples-leaf {text!r}; give an integer, or a fraction below 1.") from None


def _labels(target: NDArray[Any]) -> dict[str, Any]:
    """The labels by their text, in the order of the classes."""
    import numpy as np

    return {str(label): label for label in np.unique(target).tolist()}


def _class_weight(entries: list[str], labels: dict[str, Any]) -> tuple[float, ...] | str | None:
    if not entries or entries == ["balanced"]:
        return entries[0] if entries else None
    factors = dict.fromkeys(labels, 1.0)
    for name, factor in pairs(entries, "--class-weight"):
        if name not in labels:
            raise InputError(f"--class-weight names the label {name!r}; the labels are {', '.join(labels)}.")
        factors[name] = factor
    return tuple(factors.values())


def _costs(entries: list[str], labels: dict[str, Any]) -> tuple[tuple[float, ...], ...] | None:
    if not entries:
        return None
    names = list(labels)
    matrix = [[float(i != j) for j in range(len(names))] for i in range(len(names))]
    for name, price in pairs(entries, "--cost"):
        places = [(i, j) for i, a in enumerate(names) for j, b in enumerate(names) if f"{a}:{b}" == name]
        if len(places) != 1:
            raise InputError(
                f"--cost {name!r}; give TRUE:PREDICTED=COST with two of the labels {', '.join(names)}."
            )
        matrix[places[0][0]][places[0][1]] = price
    return tuple(map(tuple, matrix))
