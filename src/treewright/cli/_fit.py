"""`treewright fit`: from a CSV file to a tree with its certificate."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Annotated

import typer

from treewright.cli._additive import AdditiveFit
from treewright.cli._clock import Clock
from treewright.cli._csv_options import CsvOptions, reads_csv
from treewright.cli._exits import exits_by_code
from treewright.cli._fit_checks import (
    CLASSIFICATION,
    CONFIDENCE,
    PROBABILITY,
    REGRESSION,
    check_shards,
    check_task,
    criterion_of,
    is_by_leaf,
    refuse_quantity,
    suits_shards,
)  # fmt: skip
from treewright.cli._fit_classes import fit_classes
from treewright.cli._guess import read_guesses
from treewright.cli._leaf_accuracy import THRESHOLDS as LEAF_THRESHOLDS
from treewright.cli._options import ASCII, Ignore, MergeLabels, MergeWords, ModelOut, Rows, SettingsFile
from treewright.cli._policy import fit_policy
from treewright.cli._probability import fit_probability, fit_row_costs, named_costs
from treewright.cli._question import (
    THRESHOLDS_HELP,
    Categorical,
    ClassWeight,
    Cost,
    Event,
    MaxDepth,
    MemoryLimit,
    ProgressBar,
    Reward,
    RowCost,
    StepLimit,
    TimeLimit,
    Weight,
    read_limits,
    read_thresholds,
)
from treewright.cli._read_csv import check_roles, column_names, read_csv, say_what_was_read, settings_with
from treewright.cli._regression import fit_regression, outputs_named
from treewright.cli._shards import (
    Backend,
    Gap,
    Jobs,
    ShardRows,
    SpillFolder,
    fit_in_shards,
    is_large,
    is_stream,
)
from treewright.cli._survival import fit_survival

__all__ = ["fit"]

LEAF_PENALTY = 0.01


@reads_csv
@exits_by_code
def fit(
    data: Rows,
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            "-t",
            help="Column of labels, of numbers (--task regression; several as a,b), or of times (--task survival).",
            metavar="COLUMN",
            show_default="none with --task policy",
        ),
    ] = None,
    out: ModelOut = None,
    task: Annotated[
        str,
        typer.Option(
            help="What to predict: labels ('classification'), shares of labels ('probability'), numbers "
            "('regression'), censored times ('survival') or the action of highest reward ('policy'). Without "
            "--max-depth, all tasks but classification, and --row-cost, have maximum depth 3."
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
            help="Penalty of each leaf, as a fraction of the total weight. Other tasks take a fraction of what a "
            "tree with a single leaf has: of its loss (regression, probability), its deviance (survival) or its "
            "regret (policy). With --row-cost it is a mean cost per row.",
            show_default=f"{LEAF_PENALTY:g}",
        ),
    ] = None,
    reward: Reward = None,
    action_cost: Annotated[
        list[str] | None,
        typer.Option(
            help="--task policy: ACTION=COST, what an action costs wherever it is taken. Repeatable.",
            metavar="COST",
        ),
    ] = None,
    event: Event = None,
    max_depth: MaxDepth = None,
    max_leaf_nodes: Annotated[
        int | None, typer.Option(help="Largest number of leaves.", show_default="unlimited")
    ] = None,
    min_samples_leaf: Annotated[
        str | None,
        typer.Option(
            help="Minimum number of rows in a leaf: an integer, or a fraction of the rows such as 0.01.",
            show_default="1; leaf-accuracy: 0.05",
        ),
    ] = None,
    thresholds: Annotated[
        str | None, typer.Option(help=THRESHOLDS_HELP, show_default="auto; leaf-accuracy: 16")
    ] = None,
    objective: Annotated[
        str,
        typer.Option(
            help="What to maximise: 'accuracy', 'balanced-accuracy', 'f1' of the second of two classes in sorted "
            "order ('labels: {bad: zbad}' in --columns renames one), or 'leaf-accuracy', the accuracy of the "
            "worst leaf (maximum depth 4 unless --max-depth is given)."
        ),
    ] = "accuracy",
    criterion: Annotated[
        str | None,
        typer.Option(
            help="The loss of --task regression: 'squared-error', 'poisson', 'gamma', 'absolute-error' or 'quantile'; "
            "of --task probability: 'brier' or 'log-loss'. With --objective leaf-accuracy: the 'accuracy' of the worst "
            "leaf, or its 'lower-bound'.",
            show_default="lower-bound, squared-error, brier",
        ),
    ] = None,
    quantile: Annotated[
        float | None, typer.Option(help="--criterion quantile: the level, for example 0.9.")
    ] = None,
    leaf_model: Annotated[
        str,
        typer.Option(
            help="--task regression: 'constant' leaves; 'linear': a ridge regression in each leaf, fitted after the "
            "tree was chosen for constant leaves; 'simple-linear': a line in one column in each leaf, proven "
            "optimal together with the tree."
        ),
    ] = "constant",
    confidence: Annotated[
        float, typer.Option(help="--criterion lower-bound: confidence level of the one-sided Wilson bound.")
    ] = CONFIDENCE,
    class_weight: ClassWeight = None,
    cost: Cost = None,
    row_cost: RowCost = None,
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
    require_proof: Annotated[
        bool, typer.Option("--require-proof", help="Exit with code 1 if the tree is not proven optimal.")
    ] = False,
    guess: Annotated[
        str,
        typer.Option(
            help="What to guess from a reference model: one or more of thresholds, depth and bounds, with commas "
            "between. The result says what the guesses may cost."
        ),
    ] = "",
    reference: Annotated[
        str | None,
        typer.Option(
            help="--guess: 'gbdt', 'hist', 'forest', 'extra-trees', 'xgboost' or 'lightgbm'.",
            show_default="gbdt of a size chosen on held-out rows",
        ),
    ] = None,
    n_estimators: Annotated[
        int | None,
        typer.Option(
            help="--guess: number of trees of the reference.", show_default="chosen; 40 with --reference"
        ),
    ] = None,
    reference_depth: Annotated[
        int | None,
        typer.Option(
            help="--guess: depth of each tree of the reference.", show_default="chosen; 1 with --reference"
        ),
    ] = None,
    guess_tolerance: Annotated[
        float | None,
        typer.Option(
            help="--guess thresholds: largest allowed loss of the reference's accuracy.", show_default="0"
        ),
    ] = None,
    pruning: Annotated[
        float | None, typer.Option(help="--method latent: lambda of the paper, >= 0.", show_default="1")
    ] = None,
    epochs: Annotated[
        int | None,
        typer.Option(
            help="--method latent: largest number of passes over the rows.",
            show_default="100; more for small tables",
        ),
    ] = None,
    hardening: Annotated[
        str | None,
        typer.Option(
            help="--method latent: splits of the tree that is saved: 'linear', 'axis' (of one column each) or 'signs' "
            "(as trained).",
            show_default="linear",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            help="Random seed. --method latent: of weights and order; --shard-rows: of the assignment of rows to "
            "shards.",
            show_default="0",
        ),
    ] = None,
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
    first byte read: reading a large file is part of it.

    \b
    Examples:
      treewright fit data.csv --target y --out model.json
      treewright fit data.csv -t y -c .005 --max-depth 5 --time-limit 300 -o model.json
      treewright fit data.csv -t sick --cost yes:no=10 --ignore id --thresholds all
      treewright fit data.csv -t y --guess thresholds,bounds --reference gbdt --n-estimators 40
      treewright fit data.csv -t y --objective leaf-accuracy --max-depth 3 --min-samples-leaf 100
      treewright fit big_folder/ -t y --max-depth 3 --shard-rows 100000 --jobs 2 --out model.json
      treewright fit houses.csv -t price --task regression --max-depth 2
      treewright fit claims.csv -t number --task regression --criterion poisson
      treewright fit loans.csv -t default --task probability --criterion log-loss
      treewright fit loans.csv -t default --row-cost yes=lost_business --row-cost no=lost_loan
      treewright fit patients.csv --task survival --target months --event died
      treewright fit trial.csv --task policy --reward drug --reward none --action-cost drug=2

    \b
    Exit codes: 0 a tree was found, 1 not proven and --require-proof was given, 2 bad input,
    130 interrupted by Ctrl-C, 143 ended by SIGTERM (the best tree found has been saved).
    """  # noqa: D301  (\b keeps the lines apart in the help)
    if thresholds is None:
        thresholds = LEAF_THRESHOLDS if is_by_leaf(objective) and not guess else "auto"
    given = SimpleNamespace(**locals())
    from treewright.convert import check_writable

    if out is not None:
        check_writable(out)  # now, not after an hour of search
    check_task(given)
    leaf_penalty = LEAF_PENALTY if cost_complexity is None else cost_complexity
    in_shards = shard_rows is not None or is_stream(data) or (suits_shards(given) and is_large(data))
    check_shards(given, in_shards=in_shards)
    if in_shards:
        assert target is not None  # only --task policy has none
        fit_in_shards(
            data, target=target, out=out, weight=weight, ignore=ignore, categorical=categorical,
            cost_complexity=leaf_penalty, max_depth=max_depth, max_leaf_nodes=max_leaf_nodes,
            min_samples_leaf=min_samples_leaf, thresholds=thresholds, objective=objective,
            class_weight=class_weight, cost=cost, shard_rows=shard_rows, gap=gap,
            jobs=jobs, backend=backend, spill_folder=spill_folder, seed=seed or 0,
            settings=settings_with(columns, **how), limits=read_limits(time_limit, step_limit, memory_limit),
            require_proof=require_proof, progress=progress, ascii_only=ascii_only,
        )  # fmt: skip
        return
    limits = read_limits(time_limit, step_limit, memory_limit, jobs)
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
    targets: tuple[str, ...] = () if target is None else (target,)
    if task == REGRESSION and target is not None:
        kept = settings_with(columns, **how)
        targets = outputs_named(target, lambda: column_names(data, kept.separator, kept.encoding))
    of_rows = {
        "--reward": tuple(reward or ()),
        "--event": () if event is None else (event,),
        "--row-cost": tuple(named_costs(row_cost or ()).values()),
    }
    check_roles({"--target": targets, "--weight": (weight,), **of_rows})
    used = (*targets[1:], *(name for names in of_rows.values() for name in names))
    csv = read_csv(
        data,
        target=targets[0] if targets else None,
        weight=weight,
        ignore=(*(ignore or ()), *used),
        categorical=categorical or (),
        settings=columns,
        merge_words=merge_words or (),
        merge_labels=merge_labels,
        **how,
    )
    told = {"--weight": (weight,), **of_rows, "--row-cost": row_cost or ()}
    has_classes = task in (CLASSIFICATION, PROBABILITY)
    say_what_was_read(csv, data, target, columns, used, told, has_classes)
    if has_classes:
        refuse_quantity(csv, target)
    loss = criterion_of(task, criterion)
    if task != CLASSIFICATION or row_cost:
        asked = AdditiveFit(
            csv=csv, data=data, weight=weight, out=out, cost_complexity=leaf_penalty, max_depth=max_depth,
            max_leaf_nodes=max_leaf_nodes, min_samples_leaf=min_samples_leaf or "1",
            csv_options={"settings": columns, **how}, limits=limits, clock=clock, require_proof=require_proof,
            progress=progress, ascii_only=ascii_only, titles=columns,
        )  # fmt: skip
        if target is None:
            fit_policy(asked, reward or (), action_cost or ())
        elif event is not None:
            fit_survival(asked, target, event)
        elif task == REGRESSION:
            fit_regression(asked, targets, loss, 0.5 if quantile is None else quantile, leaf_model)
        elif task == PROBABILITY:
            fit_probability(asked, target, loss)
        else:
            fit_row_costs(asked, target, row_cost or ())
        return
    assert target is not None  # only --task policy has none
    if method == "latent":
        from treewright.cli._latent import fit_latent

        fit_latent(
            csv, data=data, target=target, out=out, max_depth=max_depth, cost_complexity=leaf_penalty,
            pruning=1.0 if pruning is None else pruning, epochs=epochs, hardening=hardening or "linear",
            seed=seed or 0, clock=clock, progress=progress, ascii_only=ascii_only, titles=columns,
        )  # fmt: skip
        return
    fit_classes(
        csv, data=data, target=target, out=out, weight=weight, by_leaf=is_by_leaf(objective), objective=objective,
        criterion=loss, confidence=confidence, class_weight=class_weight, cost=cost,
        cost_complexity=cost_complexity, leaf_penalty=leaf_penalty, max_depth=max_depth, max_leaf_nodes=max_leaf_nodes,
        min_samples_leaf=min_samples_leaf, thresholds=thresholds, cuts=cuts, guesses=guesses, time_limit=time_limit,
        limits=limits, clock=clock, require_proof=require_proof, progress=progress, ascii_only=ascii_only,
        titles=columns,
    )  # fmt: skip
