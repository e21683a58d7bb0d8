"""Divide and bound: deal the rows to shards, search each, add the bounds up, and count the trees over all rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._arguments import check_arguments
from treewright._numbers import is_real, is_whole
from treewright.convert import Terms
from treewright.errors import InputError, SolverError
from treewright.result import StopReason
from treewright.search import Limits, ProgressCallback, kept_result, progress_bar
from treewright.shards._ask import ask, check_choice, check_question, chosen_thresholds
from treewright.shards._coded import Coded
from treewright.shards._count_cells import coded_of, count_cells
from treewright.shards._deal import Deal, deal
from treewright.shards._folder import spill_folder as spill
from treewright.shards._question import Question
from treewright.shards._result import gap_of, result_of
from treewright.shards._run import Run
from treewright.shards._sampled import sampled_thresholds
from treewright.shards._sharded_tree import ShardedTree
from treewright.shards._trees import Shape
from treewright.shards._work import Place
from treewright.shards._workers import Pool
from treewright.sources import Roles, open_source

__all__ = ["ShardedTree", "fit_shards"]


def fit_shards(
    source: Any,
    target: str | ArrayLike,
    *,
    sample_weight: str | ArrayLike | None = None,
    ignore: Sequence[str] = (),
    categorical_features: Sequence[str] = (),
    cost_complexity: float = 0.01,
    max_depth: int | None = 3,
    max_leaf_nodes: int | None = None,
    min_samples_leaf: int | float = 1,
    thresholds: Literal["all"] | int | Mapping[str, Sequence[float]] = "all",
    objective: Literal["accuracy", "balanced_accuracy"] = "accuracy",
    costs: ArrayLike | Callable[[NDArray[Any]], ArrayLike | None] | None = None,
    class_weight: Mapping[Any, float]
    | Literal["balanced"]
    | Callable[[NDArray[Any]], Mapping[Any, float]]
    | None = None,
    shard_rows: int = 100_000,
    gap: float | None = None,
    shuffle: bool = True,
    random_state: int | None = 0,
    n_jobs: int | None = None,
    backend: str | None = None,
    time_limit: float | None = None,
    step_limit: int | None = None,
    memory_limit: int | None = None,
    progress: Literal["auto"] | bool | ProgressCallback = "auto",
    spill_folder: str | Path | None = None,
) -> ShardedTree:
    """Fit a tree to a table of any size, with a proven bound on how far it can be from the best one.

    The rows are assigned to shards at random, and each shard is searched separately. For every tree the objective over
    all rows is the mean of its objectives over the shards, weighted by their rows. So the weighted mean of the bounds
    proven for the shards is a proven lower bound for all rows. The trees that were found are evaluated on all rows, and
    the best is returned; its leaves are labelled and its thresholds improved on all rows.

    Parameters
    ----------
    source : path, array or frame
        A file or folder of Parquet or CSV files, a list of files, a polars LazyFrame, a DuckDB relation, a Dask
        DataFrame, a pyarrow dataset; or a table in memory: a numpy array, a frame of pandas, polars or pyarrow. It is
        read once, files with columns of dates twice; during the run the rows are stored on disk.
    target : str or array-like of shape (n_rows,)
        Column of labels; or the labels themselves, with an array or frame in memory.
    sample_weight : str or array-like of shape (n_rows,), default=None
        Weights >= 0, given in the same way; None is 1 for each row.
    ignore : sequence of str, default=()
        Columns that are not features.
    categorical_features : sequence of str, default=()
        Numeric columns to read as categories.
    cost_complexity : float, default=0.01
        Penalty of one leaf, as a fraction of the total weight.
    max_depth : int or None, default=3
        Largest number of splits on a path; None is unlimited.
    max_leaf_nodes : int or None, default=None
        Largest number of leaves; None is unlimited.
    min_samples_leaf : int or float, default=1
        Minimum number of rows in a leaf; a float in (0, 1) is a fraction of all rows of weight above 0. The searches of
        the shards ignore it. This only enlarges the set of trees, so the bound stays valid, but the gap can be wider.
    thresholds : "all", int or mapping, default="all"
        Which thresholds of continuous columns the tree may use: "all" between distinct values; an int for that many
        quantile bins, of some rows drawn at random; a mapping from column name to thresholds. Over few thresholds and
        columns, to depth 3 and without weights or a `step_limit`, rows are counted instead of searched in shards:
        the tree is then proven optimal over all rows (``result_.stats["counted"]``).
    objective : {"accuracy", "balanced_accuracy"}, default="accuracy"
    costs : array-like of shape (n_classes, n_classes) or callable, default=None
        ``costs[i, j]`` is the cost of predicting class j for class i (classes sorted). A callable gets the sorted
        labels, after the source was read, and returns the costs.
    class_weight : dict, "balanced", callable or None, default=None
        "balanced" is over all rows. A callable gets the sorted labels and returns the dict.
    shard_rows : int, default=100_000
        Number of rows in a shard. More rows make the gap smaller and the searches longer.
    gap : float or None, default=None
        Relative gap at which to stop. As long as it is not reached and time is left, shards are joined in pairs and
        searched again. None searches the shards once.
    shuffle : bool, default=True
        Assign the rows to shards at random. False cuts them in their order, which is useful only if that order is
        random. Otherwise the bound is still valid, but far from the objective of the tree.
    random_state : int or None, default=0
        Seed of this assignment; None draws one.
    n_jobs : int or None, default=None
        Shards that are searched at once; None is 1 (or what `joblib.parallel_config` says), -1 all cores.
    backend : str or None, default=None
        "loky" (processes), "threading" or "dask", through joblib; or "ray". Workers on other machines need
        `spill_folder` to be a folder that they share.
    time_limit : float or None, default=None
        Seconds from the call on. Reading the source is not interrupted, nor is the evaluation of one tree on all rows.
    step_limit : int or None, default=None
        Steps of each search; unlike seconds, the result is the same on every machine.
    memory_limit : int or None, default=None
        Bytes for all searches at once; None is half of the machine's memory.
    progress : "auto", bool or callable, default="auto"
        A progress bar; a callable gets a `ShardProgress` and stops the run by returning True.
    spill_folder : str or Path, default=None
        Where the rows are stored during the run, 1 to 8 bytes per value; None is the system's temporary folder.

    Returns
    -------
    ShardedTree
        ``tree_``, ``result_``, ``predict``, ``save``. After Ctrl-C or a limit it is the best tree so far, with the
        bound that is proven so far; the bound of a shard that was not searched is the penalty of one leaf.

    Raises
    ------
    InputError
        The source or a parameter cannot be used; files differ in their columns or types; the source changed while it
        was read; no space is left.
    SolverError
        Not one shard could be searched.
    KeyboardInterrupt
        Ctrl-C while the source was read.

    Notes
    -----
    The argument is written out in ``treewright/shards/_bound.py``. If a search or its worker fails, only the bound of
    its shard is lost, never the result, and ``result_.notes`` says so. Time grows linearly with the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright import fit_shards
    >>> X = np.random.default_rng(0).normal(size=(20_000, 4))
    >>> y = (X[:, 0] > 0.5) & (X[:, 1] < 1)
    >>> model = fit_shards(X, y, max_depth=2, shard_rows=5_000)
    >>> model.result_.stats["shards"], model.result_.gap < 0.01
    (4, True)
    """
    check_arguments(fit_shards, locals(), "ignore", "categorical_features", "spill_folder")
    limits = Limits(time_limit, step_limit, memory_limit).started()
    check_choice(thresholds)
    rows, wanted = _check_rows(shard_rows), _check_gap(gap)
    check_question(
        cost_complexity=cost_complexity,
        max_depth=max_depth,
        max_leaf_nodes=max_leaf_nodes,
        min_samples_leaf=min_samples_leaf,
        objective=objective,
    )
    pool = Pool(n_jobs, backend)
    pool.workers()  # refuses what joblib does not know before the source is read
    named_target = target if isinstance(target, str) else None
    named_weight = sample_weight if isinstance(sample_weight, str) else None
    if named_target is not None and named_target == named_weight:
        raise InputError(
            f"target and sample_weight are the same column {named_target!r}; name the column of weights, or leave "
            "sample_weight out for weight 1 of each row."
        )
    opened = open_source(
        source,
        None if named_target is not None else target,
        None if named_weight is not None else sample_weight,
    )
    roles = Roles(named_target, named_weight, tuple(ignore), tuple(categorical_features))
    seed = _seed(random_state)
    with spill(spill_folder) as folder, progress_bar(progress, time_limit) as report:
        sampled = sampled_thresholds(opened, roles, thresholds, seed)
        dealt = deal(
            opened,
            roles,
            shard_rows=rows,
            folder=folder,
            seed=seed,
            shuffle=bool(shuffle),
            codings=None if sampled is None else sampled.codings,
        )
        costs = costs(dealt.classes) if callable(costs) else costs
        class_weight = class_weight(dealt.classes) if callable(class_weight) else class_weight
        question = ask(
            dealt,
            cost_complexity=cost_complexity,
            max_depth=max_depth,
            max_leaf_nodes=max_leaf_nodes,
            min_samples_leaf=min_samples_leaf,
            objective=objective,
            costs=costs,
            class_weight=class_weight,
        )
        place = Place(question, dealt.schema, dealt.labels)
        # Where all rows are of classes of factor 0, there is nothing to search, and every tree costs 0.
        counting = replace(
            dealt, shards=[own for own in dealt.shards if question.weight_of(own.class_weight)]
        )
        chosen, said = chosen_thresholds(
            thresholds, place, counting, sampled, seed=seed, shuffled=bool(shuffle)
        )
        run = Run(place, counting.shards, chosen, limits, pool.of_tasks(len(counting.shards)), report)
        coded = None if step_limit is not None else coded_of(run, dealt.n_read, dealt.weighted)
        shape = _bounded(run, wanted) if coded is None else _counted(run, coded)
        notes = (*dealt.notes, *_weightless(dealt), *said, *_not_random(dealt, bool(shuffle)))
        put_together = partial(
            result_of, seed=seed, shuffled=bool(shuffle), counted_by_codes=coded is not None
        )
        result = kept_result(partial(put_together, run, shape, dealt, notes=notes))
    terms = Terms(
        cost_complexity=question.cost_complexity,
        max_depth=question.max_depth,
        max_leaf_nodes=question.max_leaf_nodes,
        min_samples_leaf=question.min_samples_leaf,
        objective=objective,
        class_weight=_kept_weights(class_weight, question),
        costs=None if costs is None else tuple(map(tuple, question.costs.tolist())),
        target=named_target,
        weight=named_weight,
    )
    return ShardedTree(result, terms, getattr(opened, "reading", None))


def _bounded(run: Run, wanted: float | None, shards: Sequence[int] | None = None) -> Shape:
    """Search all shards or some, and joined ones while the gap is too large; return the best tree."""
    parts: list[tuple[int, ...]] = [(k,) for k in (range(len(run.shards)) if shards is None else shards)]
    failures = run.failures  # of counts, if they were tried
    run.search(parts)
    if not run.searches and run.failures - failures == len(parts):
        raise SolverError(
            f"None of the {len(parts)} shards could be searched. The first failure: {run.failed}"
        )
    try:
        shape = run.choose()
        while wanted is not None and len(parts) > 1 and gap_of(run, shape) > wanted:
            if run.ended() or run.limits.left() == 0:
                break
            pairs = [parts[k : k + 2] for k in range(0, len(parts), 2)]
            parts = [tuple(k for part in pair for k in part) for pair in pairs]
            run.search([part for pair, part in zip(pairs, parts, strict=True) if len(pair) > 1])
            shape = run.choose()
    except KeyboardInterrupt:  # while trees were counted
        run.stop_reason = StopReason.INTERRUPT
        shape = run.choose()
    return shape


def _counted(run: Run, coded: Coded) -> Shape:
    """Count the rows by their codes, search the shards of which that failed, and return the best tree."""
    try:
        lost = count_cells(run, coded)
        if not lost or run.ended():
            return run.choose()
    except KeyboardInterrupt:  # while the tree was counted
        run.stop_reason = StopReason.INTERRUPT
        return run.choose()
    return _bounded(run, None, lost)


def _seed(random_state: int | None) -> int:
    if random_state is None:
        return int(np.random.default_rng().integers(2**31))
    if not is_whole(random_state) or random_state < 0:
        raise InputError(
            f"random_state={random_state!r}; give an integer of at least 0, or None to draw one."
        )
    return int(random_state)


def _check_rows(shard_rows: int) -> int:
    if not is_whole(shard_rows) or shard_rows < 1:
        raise InputError(f"shard_rows={shard_rows!r}; give a number of rows of at least 1, such as 100_000.")
    return int(shard_rows)


def _check_gap(gap: float | None) -> float | None:
    if gap is not None and (not is_real(gap) or not 0 <= gap < 1):
        raise InputError(f"gap={gap!r}; give a share from 0 to 1, such as 0.001 for 0.1%, or None.")
    return None if gap is None else float(gap)


def _weightless(dealt: Deal) -> tuple[str, ...]:
    if not dealt.n_weightless:
        return ()
    return (f"{dealt.n_weightless:,} of {dealt.n_read:,} rows have weight zero and were left out.",)


SURE = 8.0  # standard deviations


def _not_random(dealt: Deal, shuffled: bool) -> tuple[str, ...]:
    """Say so if the classes are spread over shards that were cut as they lie in a way that chance does not do."""
    if shuffled or len(dealt.shards) < 2:
        return ()
    counts = np.array([shard.class_rows for shard in dealt.shards], dtype=np.float64)
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    freedom = (len(counts) - 1) * max(1, counts.shape[1] - 1)
    excess = ((counts - expected) ** 2 / np.maximum(expected, 1e-300)).sum() - freedom
    if excess < SURE * np.sqrt(2 * freedom):
        return ()
    return (
        "The rows are not in random order: the classes are spread unevenly over the shards. The bound holds, but "
        "the gap may be much larger than that of shuffled rows; use shuffle=True.",
    )


def _kept_weights(class_weight: Any, question: Question) -> tuple[float, ...] | str | None:
    if class_weight is None or isinstance(class_weight, str):
        return class_weight
    return tuple(float(factor) for factor in question.factors)
