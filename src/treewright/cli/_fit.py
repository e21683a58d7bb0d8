"""`treewright fit`: from a CSV file to a tree with its certificate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.cli._common import (
    ASCII,
    CHECK_FAILED,
    Clock,
    DayFirst,
    DecimalComma,
    Encoding,
    Ignore,
    MergeLabels,
    MergeWords,
    Missing,
    ModelOut,
    Separator,
    SettingsFile,
    effort,
    exits_by_code,
    finishing,
    note,
    read_csv,
    say,
    say_what_was_read,
    settings_with,
    size_of,
    stop_code,
    stop_word,
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
from treewright.cli._policy import fit_policy
from treewright.cli._question import (
    Categorical,
    ClassWeight,
    Cost,
    MaxDepth,
    MemoryLimit,
    ProgressBar,
    StepLimit,
    ThresholdChoice,
    TimeLimit,
    Weight,
    advice,
    read_limits,
    read_thresholds,
    state_question,
)
from treewright.cli._regression import fit_regression
from treewright.cli._shards import Backend, Gap, Jobs, ShardRows, SpillFolder, fit_in_shards, is_stream
from treewright.cli._survival import fit_survival
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.problem import Problem
    from treewright.result import SolveResult
    from treewright.search import Thresholds
    from treewright.table import CsvTable

__all__ = ["fit"]

CONFIDENCE = 0.95
PRICE = 0.01  # of a leaf
CLASSIFICATION, REGRESSION, POLICY, SURVIVAL = TASKS = (
    "classification",
    "regression",
    "policy",
    "survival",
)  # --task
FEW_BINS = 4  # of each column, for a tree at once


@exits_by_code
def fit(
    data: Annotated[
        Path,
        typer.Argument(
            help="CSV file with a header line (plain or gzip); or a Parquet file, or a folder of either."
        ),
    ],
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            "-t",
            help="Column of labels, of numbers (--task regression), or of times (--task survival).",
            metavar="COLUMN",
            show_default="none with --task policy",
        ),
    ] = None,
    out: ModelOut = None,
    task: Annotated[
        str,
        typer.Option(
            help="'classification' of labels, 'regression': least squared error, 'survival': least deviance of "
            "censored "
            "times, or 'policy': most reward (these of depth 3 if none is given)."
        ),
    ] = CLASSIFICATION,
    method: Annotated[
        str,
        typer.Option(
            help="'exact' proves optimality; 'latent' trains linear splits (needs treewright[latent])."
        ),
    ] = "exact",
    cost_complexity: Annotated[
        float | None,
        typer.Option(
            "--cost-complexity",
            "-c",
            help="Price of one leaf, as a fraction of the total weight (regression: of the variance, survival: "
            "of the deviance, "
            "policy: of the regret of the best single action).",
            show_default=f"{PRICE:g}",
        ),
    ] = None,
    reward: Annotated[
        list[str] | None,
        typer.Option(
            help="--task policy: column of the rewards of one action. Repeatable, once an action.",
            metavar="COLUMN",
        ),
    ] = None,
    action_cost: Annotated[
        list[str] | None,
        typer.Option(
            help="--task policy: ACTION=COST, what an action costs wherever it is taken. Repeatable.",
            metavar="COST",
        ),
    ] = None,
    event: Annotated[
        str | None,
        typer.Option(
            help="--task survival: column that says whether the event was seen (1) or not (0); --target has the times.",
            metavar="COLUMN",
        ),
    ] = None,
    max_depth: MaxDepth = None,
    max_leaf_nodes: Annotated[int | None, typer.Option(help="Most leaves.", show_default="unlimited")] = None,
    min_samples_leaf: Annotated[
        str | None,
        typer.Option(
            help="Fewest rows in a leaf: an integer, or a fraction such as 0.01.",
            show_default="1; leaf-accuracy: 0.05",
        ),
    ] = None,
    thresholds: ThresholdChoice = "auto",
    objective: Annotated[
        str,
        typer.Option(
            help="'accuracy', 'balanced-accuracy', or 'leaf-accuracy': of the worst leaf (depth 4 if none is given)."
        ),
    ] = "accuracy",
    criterion: Annotated[
        str,
        typer.Option(help="--objective leaf-accuracy: 'accuracy' of the worst leaf, or its 'lower-bound'."),
    ] = "lower-bound",
    confidence: Annotated[
        float, typer.Option(help="--criterion lower-bound: of the one-sided Wilson bound.")
    ] = CONFIDENCE,
    class_weight: ClassWeight = None,
    cost: Cost = None,
    weight: Weight = None,
    ignore: Ignore = None,
    categorical: Categorical = None,
    merge_words: MergeWords = None,
    merge_labels: MergeLabels = False,
    columns: SettingsFile = None,
    separator: Separator = None,
    missing: Missing = None,
    encoding: Encoding = None,
    decimal_comma: DecimalComma = None,
    day_first: DayFirst = None,
    time_limit: TimeLimit = 30.0,
    step_limit: StepLimit = None,
    memory_limit: MemoryLimit = None,
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
    epochs: Annotated[
        int | None,
        typer.Option(
            help="--method latent: most passes over the rows.", show_default="100, small tables more"
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(help="--method latent: of weights and order. --shard-rows: of the dealing.")
    ] = 0,
    shard_rows: ShardRows = None,
    gap: Gap = None,
    jobs: Jobs = None,
    backend: Backend = None,
    spill_folder: SpillFolder = None,
    progress: ProgressBar = True,
    ascii_only: ASCII = False,
) -> None:
    """Find the tree of smallest error + cost_complexity x leaves, and say what is proven about it.

    Ctrl-C and SIGTERM stop the search; the best tree found so far is kept and saved. The time limit counts from the
    first byte read, so that reading a large file is part of it.

    \b
    Examples:
      treewright fit data.csv --target y --out model.json
      treewright fit data.csv -t y -c .005 --max-depth 5 --time-limit 300 -o model.json
      treewright fit data.csv -t sick --cost yes:no=10 --ignore id --thresholds all
      treewright fit data.csv -t y --guess thresholds,bounds --reference gbdt --n-estimators 40
      treewright fit data.csv -t y --objective leaf-accuracy --max-depth 3 --min-samples-leaf 100
      treewright fit big_folder/ -t y --max-depth 3 --shard-rows 100000 --jobs 2 --out model.json
      treewright fit houses.csv -t price --task regression --max-depth 2
      treewright fit patients.csv --task survival --target months --event died
      treewright fit trial.csv --task policy --reward drug --reward none --action-cost drug=2

    \b
    Exit codes: 0 a tree was found, 1 not proven and --require-proof was given, 2 bad input,
    130 interrupted by Ctrl-C, 143 ended by SIGTERM (the best tree found has been saved).
    """  # noqa: D301  (\b keeps the lines apart in the help)
    from treewright.convert import Model, check_writable, save_model
    from treewright.result import SolveStatus, StopReason
    from treewright.search import Guesses, Limits, progress_bar, solve, solve_guided

    if out is not None:
        check_writable(out)  # now, not after an hour of search
    by_leaf = objective.replace("_", "-") == LEAF_ACCURACY
    if method not in ("exact", "latent"):
        raise InputError(f"--method {method!r}; give 'exact' or 'latent'.")
    if task not in TASKS:
        raise InputError(f"--task {task!r}; give one of {', '.join(map(repr, TASKS))}.")
    if task != POLICY:
        _refuse_all(
            "{option} is for --task policy; add that, or leave it out.",
            {"--reward": bool(reward), "--action-cost": bool(action_cost)},
        )
    if (event is not None) is not (task == SURVIVAL):
        raise InputError(
            "--task survival needs --event: the column that says whether the event was seen (1) or not (0)."
            if event is None
            else "--event is for --task survival; add that, or leave it out."
        )
    if task != CLASSIFICATION:
        _refuse_all(
            f"--task {task} takes no {{option}}; leave it out.",
            {
                "--target (it has --reward)": task == POLICY and target is not None,
                "--method": method != "exact",
                "--thresholds (it searches all)": thresholds not in ("auto", "all"),
                "--objective": objective != "accuracy",
                "--criterion": criterion != "lower-bound",
                "--confidence": confidence != CONFIDENCE,
                "--class-weight": bool(class_weight),
                "--cost": bool(cost),
                "--guess": bool(guess),
                "--merge-labels": merge_labels,
            },
        )
    if method == "latent":
        _refuse_all(
            "--method latent takes no {option}; leave it out, or use --method exact.",
            {
                "--max-leaf-nodes": max_leaf_nodes is not None,
                "--min-samples-leaf": min_samples_leaf is not None,
                "--thresholds": thresholds != "auto",
                "--objective": objective != "accuracy",
                "--class-weight": bool(class_weight),
                "--cost": bool(cost),
                "--step-limit": step_limit is not None,
                "--memory-limit": memory_limit is not None,
                "--guess": bool(guess),
                "--require-proof": require_proof,
            },
        )
    if not by_leaf:
        _refuse_all(
            "{option} is for --objective leaf-accuracy; add that, or leave it out.",
            {"--criterion": criterion != "lower-bound", "--confidence": confidence != CONFIDENCE},
        )
    if target is None and task != POLICY:
        raise InputError("Missing option '--target': name the column to predict.")
    price = PRICE if cost_complexity is None else cost_complexity
    if shard_rows is not None or is_stream(data):
        _refuse_all(
            "{option} does not go with shards (--shard-rows, a folder, a Parquet file); leave it out.",
            {
                f"--task {task}": task != CLASSIFICATION,
                "--method latent": method == "latent",
                "--objective leaf-accuracy": by_leaf,
                "--cost": bool(cost),
                "--guess": bool(guess),
                "--merge-words": bool(merge_words),
                "--merge-labels": merge_labels,
            },
        )
        assert target is not None  # only --task policy has none
        fit_in_shards(
            data, target=target, out=out, weight=weight, ignore=ignore, categorical=categorical, cost_complexity=price,
            max_depth=max_depth, max_leaf_nodes=max_leaf_nodes, min_samples_leaf=min_samples_leaf,
            thresholds=thresholds, objective=objective, class_weight=class_weight, shard_rows=shard_rows, gap=gap,
            jobs=jobs, backend=backend, spill_folder=spill_folder, seed=seed,
            settings=settings_with(columns, separator, missing, encoding, decimal_comma, day_first),
            limits=read_limits(time_limit, step_limit, memory_limit), require_proof=require_proof, progress=progress,
            ascii_only=ascii_only,
        )  # fmt: skip
        return
    _refuse_all(
        "{option} is for shards; add --shard-rows, or leave it out.",
        {
            "--gap": gap is not None,
            "--backend": backend is not None,
            "--spill-folder": spill_folder is not None,
        },
    )
    if method == "latent" or by_leaf or guess:
        _refuse_all(
            "{option} is for the exact search, without guesses, and for shards; leave it out.",
            {"--jobs": jobs is not None},
        )
    limits = replace(read_limits(time_limit, step_limit, memory_limit), n_jobs=1 if jobs is None else jobs)
    cuts = read_thresholds(thresholds)
    clock = Clock(limits.time_limit)
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
        day_first=day_first,
        ignore=(*(ignore or ()), *(reward or ()), *(() if event is None else (event,))),
        categorical=categorical or (),
        settings=columns,
        merge_words=merge_words or (),
        merge_labels=merge_labels,
    )
    say_what_was_read(csv if task == CLASSIFICATION else replace(csv, target=None), data, target)
    if task == CLASSIFICATION:
        _refuse_quantity(csv, target)
    written = {"separator": separator, "missing": missing, "encoding": encoding}
    if target is None:
        fit_policy(
            csv, data=data, rewards=reward or (), action_cost=action_cost or (), weight=weight, out=out,
            cost_complexity=price, max_depth=max_depth, max_leaf_nodes=max_leaf_nodes,
            min_samples_leaf=min_samples_leaf or "1",
            csv_options=written | {"decimal_comma": decimal_comma, "day_first": day_first},
            limits=limits, clock=clock, require_proof=require_proof, progress=progress, ascii_only=ascii_only,
        )  # fmt: skip
        return
    if event is not None:
        fit_survival(
            csv, data=data, target=target, event=event, weight=weight, out=out, cost_complexity=price,
            max_depth=max_depth, max_leaf_nodes=max_leaf_nodes, min_samples_leaf=min_samples_leaf or "1",
            csv_options=written | {"decimal_comma": decimal_comma, "day_first": day_first},
            limits=limits, clock=clock, require_proof=require_proof, progress=progress, ascii_only=ascii_only,
        )  # fmt: skip
        return
    if task == REGRESSION:
        fit_regression(
            csv, data=data, target=target, weight=weight, out=out, cost_complexity=price, max_depth=max_depth,
            max_leaf_nodes=max_leaf_nodes, min_samples_leaf=min_samples_leaf or "1",
            csv_options=written | {"decimal_comma": decimal_comma, "day_first": day_first},
            limits=limits, clock=clock, require_proof=require_proof, progress=progress, ascii_only=ascii_only,
        )  # fmt: skip
        return
    if method == "latent":
        from treewright.cli._latent import fit_latent

        fit_latent(
            csv, data=data, target=target, out=out, max_depth=max_depth, cost_complexity=price,
            pruning=pruning, epochs=epochs, seed=seed, clock=clock, progress=progress, ascii_only=ascii_only,
        )  # fmt: skip
        return
    if by_leaf:
        refuse_others(cost_complexity, max_leaf_nodes, cost, guesses)
        objective, price = "accuracy", 0.0
        max_depth = MAX_DEPTH if max_depth is None else max_depth
        min_samples_leaf = min_samples_leaf or MIN_SAMPLES_LEAF
    question = state_question(
        csv,
        target=target,
        weight=weight,
        objective=objective,
        class_weight=class_weight,
        cost=cost,
        min_samples_leaf=min_samples_leaf or "1",
        cost_complexity=price,
        max_depth=max_depth,
        max_leaf_nodes=max_leaf_nodes,
    )
    problem = question.problem
    note(f"{size_of(problem.table)}. Searching; Ctrl-C keeps the best tree so far.")
    reading = clock.seconds
    limits = replace(limits, time_limit=clock.left(), begun=None)
    with progress_bar("auto" if progress else False, limits.time_limit) as report:
        how: dict[str, Any] = {"limits": limits, "progress": report}
        try:
            result: SolveResult
            if by_leaf:
                result = search_leaf_accuracy(problem, cuts, guesses, criterion, confidence, **how)
            elif guesses.any:
                result = solve_guided(problem, cuts, guesses, **how)
            else:
                result = solve(problem, cuts, **how)
        except (
            KeyboardInterrupt
        ):  # before the search itself began: while splits were made, or a reference trained
            with finishing():
                few: dict[str, Any] = {"limits": Limits(time_limit=0.1, step_limit=1)}
                result = (
                    search_leaf_accuracy(problem, FEW_BINS, Guesses(), criterion, confidence, **few)
                    if by_leaf
                    else solve(problem, FEW_BINS, **few)
                )
                result = replace(result, stop_reason=StopReason.INTERRUPT, status=SolveStatus.FEASIBLE)
    with finishing():
        saved = ""
        if out is not None:
            terms = question.terms(max_depth=result.stats.get("guessed_depth", problem.max_depth))
            save_model(out, Model.of(result, terms, csv.reading))
            saved = f"Saved to {out}. Check it any time: treewright verify {out} {data}"
        stopped = result.stop_reason is StopReason.INTERRUPT
        if stopped:
            note(
                f"{stop_word()}. The best tree found so far " + (f"is saved to {out}." if out else "follows.")
            )
        say(tree_text(result.tree, ascii_only))
        say()
        say(result.sentence())
        for text in (text for text in result.notes if text not in csv.table.notes):  # those were said
            say(f"Note: {text}")
        say(effort(result.stats, reading, clock.time_limit))
        if saved:
            say(saved)
    if stopped:
        raise typer.Exit(stop_code())
    if result.status is SolveStatus.FEASIBLE:
        note(
            advice(
                result.stop_reason, time_limit=time_limit, max_depth=max_depth, thresholds=thresholds,
                price=None if by_leaf else price,
                trial=None if by_leaf or guesses.any else _trial(problem, cuts, time_limit),
            )
        )  # fmt: skip
    if require_proof and result.status is not SolveStatus.OPTIMAL:
        raise typer.Exit(CHECK_FAILED)


def _refuse_quantity(csv: CsvTable, target: str | None) -> None:
    """Refuse a target of many different numbers: each would be a class of its own, which is proven in no time."""
    from treewright.table import is_quantity

    if csv.target is None or not is_quantity(csv.target):
        return
    count = len(set(csv.target.tolist()))
    if csv.target.dtype.kind != "i" or ROWS_OF_A_CLASS * count > len(csv.target):
        raise InputError(
            f"The target {target} has {count:,} different numbers: it is a quantity, and each number would be a class "
            "of its own. To predict the number, add --task regression; to predict a class, make it two or a few "
            "classes in the file, such as above and below a limit."
        )


ROWS_OF_A_CLASS = 20  # on average; whole numbers with fewer are no numbers of classes
TRIAL_SECONDS = 2.0  # of one smaller problem


def _trial(problem: Problem, cuts: Thresholds, time_limit: float) -> Callable[[dict[str, Any]], float | None]:
    """Return what tries a smaller problem for a moment: at most a tenth of the time limit for all trials."""
    from treewright.result import SolveStatus
    from treewright.search import Limits, solve

    def seconds(change: dict[str, Any]) -> float | None:
        fields = dict(change)
        offered = fields.pop("thresholds", cuts)
        limits = Limits(min(TRIAL_SECONDS, time_limit / 30)).started()
        result = solve(replace(problem, **fields), offered, limits=limits)
        return float(result.stats["seconds"]) if result.status is SolveStatus.OPTIMAL else None

    return seconds


def _refuse_all(message: str, given: dict[str, bool]) -> None:
    """Refuse the first option that was given and that nothing would use."""
    for option, is_given in given.items():
        if is_given:
            raise InputError(message.format(option=option))
