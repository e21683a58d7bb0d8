"""Find a single tree that predicts exactly what the ensemble predicts; the main function of this package.

Objectives "depth", "leaves" and "depth-leaves" run the dynamic program of the compiled core, which proves its
result. If a limit ends it, the result is the smallest faithful tree found so far (a heuristic one is built
first, as an incumbent) with the bounds proven until then. Objective "heuristic" builds only that tree.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._arguments import check_arguments
from treewright._native import core
from treewright.bornagain._course import STOPS, Progress, ended_by, give_up_if_asked, reporter
from treewright.bornagain._engine import DEFAULT_MEMORY, HUGE, Engine
from treewright.bornagain._notes import ensemble_notes
from treewright.bornagain._solve_groups import solve_groups
from treewright.convert import Ensemble
from treewright.errors import InputError, SolverError
from treewright.result import BornAgainResult, SolveStatus, StopReason, told_to_stop
from treewright.search import kept_result, threads_of
from treewright.tree import Tree

__all__ = ["OBJECTIVES", "solve"]

OBJECTIVES = ("depth", "leaves", "depth-leaves", "heuristic")
# Above so many boxes the heuristic's tree is built before the exact run, so that a stop has an incumbent.
QUICK_BOXES = 1e7  # if the run has a limit
SURELY_QUICK_BOXES = 1e8  # if only Ctrl-C can end it
MOST_SECONDS_FIRST = 30.0  # for that tree in a run without a time limit
GRACE = 0.15  # seconds beyond the time limit to complete a tree where there is none
LIMITS = {
    StopReason.TIME_LIMIT: "time_limit",
    StopReason.STEP_LIMIT: "step_limit",
    StopReason.MEMORY_LIMIT: "memory_limit",
}
MOST_CELLS = 5e7  # more are not labelled, as in the core


def solve(
    ensemble: Ensemble,
    *,
    objective: str = "depth-leaves",
    X: ArrayLike | None = None,
    time_limit: float | None = None,
    step_limit: int | None = None,
    memory_limit: int | None = DEFAULT_MEMORY,
    max_leaves: int | None = 20_000,
    samples: int = 1000,
    exact_boxes: float = 1e7,
    random_state: int = 0,
    n_jobs: int | None = 1,
    progress: Callable[[Progress], bool | None] | None = None,
) -> BornAgainResult:
    """Find one tree that decides like the ensemble on every row of the feature space.

    Parameters
    ----------
    ensemble : Ensemble
    objective : {"depth", "leaves", "depth-leaves", "heuristic"}, default="depth-leaves"
        ``depth``: least depth. ``leaves``: fewest leaves. ``depth-leaves``: least depth, then fewest leaves
        within it. ``heuristic``: a faithful tree without proof of its size, for ensembles beyond exact reach.
    X : array-like of shape (n_rows, n_features), optional
        Rows to count in the nodes of the tree (they do not change it).
    time_limit : float or None, default=None
        Seconds; up to half of them are used for the heuristic's tree, which a stopped run returns. Without a limit this
        tree takes at most 30 s, and is left out if the exact method is sure to be quick.
    step_limit : int or None, default=None
        Units of work of the exact method.
    memory_limit : int or None, default=4 GiB
        Bytes of the tables of the exact method.
    max_leaves : int or None, default=20000
        The heuristic gives up above this many leaves. If this can be known in advance, it says so before it starts.
    samples : int, default=1000
        Cells that the heuristic samples in a region.
    exact_boxes : float, default=1e7
        Regions with at most so many boxes are solved to optimality inside the heuristic's tree.
    random_state : int, default=0
        Seed of the sampled cells.
    n_jobs : int or None, default=1
        Threads that fill the tables of the exact method: -1 is all cores, None is 1 unless
        ``joblib.parallel_config`` says otherwise. The answer does not depend on it.
    progress : callable, optional
        Called about 20 times a second with a `Progress`; if it returns True, the run ends.

    Returns
    -------
    BornAgainResult

    Raises
    ------
    InputError
        If a parameter is out of range.
    SolverError
        If no faithful tree was completed within the limits; the message says what to do.
    KeyboardInterrupt
        If Ctrl-C came before any faithful tree was complete.

    Notes
    -----
    Time and memory of the exact methods grow with the number of boxes of cells, which is exponential in the
    number of columns (the problem is NP-hard, Theorem 1); `forecast` counts them. Ctrl-C ends the run like a
    limit.

    References
    ----------
    T. Vidal, M. Schiffer (2020). Born-Again Tree Ensembles. ICML. Equation 4, Theorems 2 to 4, section 4.5.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from treewright.bornagain import Ensemble, solve
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(3, max_depth=2, random_state=0).fit(X, y)
    >>> result = solve(Ensemble.from_model(forest), objective="leaves")
    >>> result.status.value
    'proven optimal'
    >>> bool((result.tree.predict(X) == forest.predict(X)).all())
    True
    """
    check_arguments(
        solve,
        locals(),
        "ensemble",
        "time_limit",
        "step_limit",
        "memory_limit",
        "max_leaves",
        "samples",
        "exact_boxes",
    )
    _check(objective, time_limit, step_limit, memory_limit, max_leaves, samples, exact_boxes)
    options: dict[str, Any] = {
        "method": "born-again",
        "objective": objective,
        "time_limit": time_limit,
        "step_limit": step_limit,
        "memory_limit": memory_limit,
        "max_leaves": max_leaves,
        "samples": samples,
        "exact_boxes": exact_boxes,
        "random_state": random_state,
    }
    if ensemble.domain is not None:
        options["domain"] = ensemble.domain.named(ensemble.feature_names)
    start = time.monotonic()
    rows = None if X is None else ensemble.encode(X)
    if ensemble.domain is not None and ensemble.domain.groups:

        def told(seconds: float, steps: int, size: int) -> bool | None:
            return progress(Progress(seconds, steps, size, "exact")) if progress is not None else None

        def without_groups(part: Ensemble, left: float | None) -> BornAgainResult:
            return solve(
                part,
                objective=objective,
                time_limit=None if left is None else max(left, GRACE),
                step_limit=step_limit,
                memory_limit=memory_limit,
                max_leaves=max_leaves,
                samples=samples,
                exact_boxes=exact_boxes,
                random_state=random_state,
                n_jobs=n_jobs,
                progress=progress,
            )

        return solve_groups(
            ensemble,
            options,
            X=rows,
            report=None if progress is None else told,
            otherwise=without_groups,
            notes=ensemble_notes(ensemble, with_rows=rows is not None),
        )
    engine = Engine(ensemble)
    budget = np.inf if time_limit is None else float(time_limit)
    memory = HUGE if memory_limit is None else int(memory_limit)
    threads = threads_of(n_jobs)
    tuning: dict[str, Any] = {
        "samples": samples,
        "exact_boxes": exact_boxes,
        "seed": random_state,
        "threads": threads,
    }
    if objective == "heuristic":
        left = max(budget - (time.monotonic() - start), 0.0)
        found = _heuristic(engine, max_leaves, left, memory, progress, tuning)
        return kept_result(partial(_finish, engine, rows, found, None, options, time.monotonic() - start))

    incumbent = None
    limited = time_limit is not None or progress is not None
    first = min(budget / 2, MOST_SECONDS_FIRST)
    quick = QUICK_BOXES if limited else SURELY_QUICK_BOXES
    if _forecast_boxes(engine, min(memory / 2, MOST_CELLS), first) > quick:
        incumbent = engine.hybrid(
            max_leaves=np.inf if max_leaves is None else max_leaves,
            time_limit=min(first, max(budget - (time.monotonic() - start), 0.0)),
            memory_limit=memory,
            report=reporter(progress, "heuristic"),
            **tuning,
        )
        give_up_if_asked(incumbent)
        if told_to_stop(ended_by(incumbent)):  # its tree was complete
            return kept_result(
                partial(_finish, engine, rows, incumbent, None, options, time.monotonic() - start)
            )
    exact = engine.exact(
        OBJECTIVES.index(objective),
        threads,
        max(budget - (time.monotonic() - start), 0.0),
        HUGE if step_limit is None else int(step_limit),
        memory,
        reporter(progress, "exact"),
    )
    if not exact["solved"] and not exact["nodes"] and (incumbent is None or not incumbent["complete"]):
        give_up_if_asked(exact)
        # A faithful tree is owed: it gets what is left of the time.
        left = max(budget - (time.monotonic() - start), GRACE)
        incumbent = _heuristic(
            engine, max_leaves, left, memory, progress, tuning, after=exact, first=incumbent
        )
    return kept_result(partial(_finish, engine, rows, incumbent, exact, options, time.monotonic() - start))


def _forecast_boxes(engine: Engine, cell_limit: float, time_limit: float) -> float:
    return float(engine.forecast(cell_limit, time_limit).get("boxes", np.inf))


def _check(
    objective: str,
    time_limit: float | None,
    step_limit: int | None,
    memory_limit: int | None,
    max_leaves: int | None,
    samples: int,
    exact_boxes: float,
) -> None:
    if objective not in OBJECTIVES:
        raise InputError(f"objective={objective!r}; choose one of {', '.join(OBJECTIVES)}.")
    for name, value, least in (
        ("time_limit", time_limit, 0),
        ("step_limit", step_limit, 1),
        ("memory_limit", memory_limit, 2**20),
        ("max_leaves", max_leaves, 1),
        ("samples", samples, 1),
        ("exact_boxes", exact_boxes, 0),
    ):
        if value is not None and not value >= least:
            raise InputError(f"{name}={value!r}; give at least {least}.")


def _heuristic(
    engine: Engine,
    max_leaves: int | None,
    time_limit: float,
    memory_limit: int,
    progress: Callable[[Progress], bool | None] | None,
    tuning: dict[str, Any],
    after: dict[str, Any] | None = None,
    first: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Build the heuristic's tree; refuse before building if it is, or surely will be, beyond `max_leaves`.

    The exact run `after` which it is built says why it ended; `first` is the tree that was tried before that run.
    """
    advice = (
        "Fit a small tree that agrees on rows (faithful=\"rows\") or a pruned one (prune='active'), train on "
        "binned columns, use fewer or shallower trees, or raise max_leaves (None builds whatever it takes)."
    )
    why = ""
    if after is not None:
        why = f"The exact method ended first ({STOPS[after['stop']].value}). "
    cells = engine.forecast(0.0, time_limit)["cells"]
    too_large = (
        f"{why}The faithful tree has more than max_leaves={max_leaves} leaves ({cells:.3g} cells). {advice}"
    )
    if first is not None and first["too_large"]:
        raise SolverError(too_large)
    if max_leaves is not None and cells > 1e7:
        guess = engine.hybrid(
            descents=16, time_limit=min(time_limit / 5, 5.0), memory_limit=memory_limit, **tuning
        )
        if guess["stop"] == core.Stop.INTERRUPT:
            raise KeyboardInterrupt
        if guess["estimate"] > 4.0 * max_leaves:
            raise SolverError(
                f"{why}A faithful tree of this ensemble ({cells:.3g} cells) is expected to have about "
                f"{guess['estimate']:.2g} leaves, far more than max_leaves={max_leaves}. {advice}"
            )
    found = engine.hybrid(
        max_leaves=np.inf if max_leaves is None else max_leaves,
        time_limit=time_limit,
        memory_limit=memory_limit,
        report=reporter(progress, "heuristic"),
        **tuning,
    )
    give_up_if_asked(found)
    if found["too_large"]:
        raise SolverError(too_large)
    if not found["complete"]:
        stop = STOPS[found["stop"]]
        raise SolverError(
            f"{why}No faithful tree was completed ({stop.value}; {cells:.3g} cells). "
            f"Raise {LIMITS.get(stop, 'the limit')}. {advice}"
        )
    return found


def _finish(
    engine: Engine,
    rows: NDArray[np.float64] | None,
    incumbent: dict[str, Any] | None,
    exact: dict[str, Any] | None,
    options: dict[str, Any],
    seconds: float,
) -> BornAgainResult:
    ensemble, objective = engine.ensemble, options["objective"]
    trees: list[tuple[Tree, bool]] = []
    leaves_bound, depth_bound = 1, 0
    stats: dict[str, Any] = {"seconds": seconds}
    if exact is not None:
        leaves_bound, depth_bound = exact["leaves_bound"], exact["depth_bound"]
        if exact["nodes"]:
            trees.append((engine.tree(exact["nodes"], rows), bool(exact["solved"])))
        names = ("cells", "reduced_cells", "boxes", "tight_boxes", "rows", "bytes", "states", "steps")
        stats |= {name: exact[name] for name in names} | {"core_seconds": exact["seconds"]}
    if incumbent is not None and incumbent["complete"]:
        leaves_bound = max(leaves_bound, incumbent["leaves_bound"])
        proven = incumbent["optimal"] and objective in ("heuristic", "leaves")
        trees.append((engine.tree(incumbent["nodes"], rows), proven))
        stats |= {
            "certified_regions": incumbent["certified_regions"],
            "exact_regions": incumbent["exact_regions"],
        }
    # A binary tree of depth d has at most 2^d leaves, and depth + 1 leaves at least.
    depth_bound = max(depth_bound, int(leaves_bound - 1).bit_length())
    leaves_bound = max(leaves_bound, depth_bound + 1)

    def size(tree: Tree) -> tuple[int, int]:
        by_leaves = objective in ("leaves", "heuristic")
        return (tree.n_leaves, tree.depth) if by_leaves else (tree.depth, tree.n_leaves)

    tree, optimal = min(trees, key=lambda pair: (not pair[1], size(pair[0])))
    value, bound = (tree.depth, depth_bound) if objective == "depth" else (tree.n_leaves, leaves_bound)
    if objective == "depth-leaves" and tree.depth > depth_bound:
        bound = depth_bound + 1  # the bound on leaves holds for trees of least depth; any tree has this many
    stats |= {
        "depth": tree.depth,
        "leaves": tree.n_leaves,
        "depth_lower_bound": tree.depth if optimal and objective != "leaves" else depth_bound,
        "leaves_lower_bound": tree.n_leaves if optimal and objective != "depth" else leaves_bound,
        "ensemble_trees": len(ensemble.trees),
        "ensemble_leaves": ensemble.n_leaves,
        "ensemble_depth": max(t.depth for t in ensemble.trees),
    }
    if optimal and objective == "heuristic":
        stats["depth_lower_bound"] = depth_bound
    last = exact if exact is not None else incumbent
    stop = STOPS.get(last["stop"]) if last is not None and not optimal else None
    if last is not None:
        stats |= told_to_stop(ended_by(last))
    notes: tuple[str, ...] = ()
    if stop is StopReason.MEMORY_LIMIT:
        boxes = stats["boxes"]
        counts = f"{stats['cells']:.3g} cells" + (f", {boxes:.3g} boxes" if boxes is not None else "")
        notes = (
            f"The exact method does not fit into the memory limit ({counts}). Raise memory_limit, or train "
            "on fewer distinct values per column.",
        )
    most = options["max_leaves"]
    if most is not None and tree.n_leaves > most:
        none = objective in ("leaves", "heuristic") and (tree.n_leaves if optimal else leaves_bound) > most
        instead = "no faithful tree has so few." if none else 'objective="leaves" finds the fewest.'
        notes += (
            f"It has more leaves than max_leaves={most}, which ends only the heuristic search; {instead}",
        )
    return BornAgainResult(
        tree=tree,
        status=SolveStatus.OPTIMAL if optimal else SolveStatus.FEASIBLE,
        objective=float(value),
        lower_bound=float(value if optimal else min(bound, value)),
        loss=0.0,
        scope=ensemble.scope,
        stop_reason=stop,
        stats=stats,
        options=options,
        notes=(*ensemble_notes(ensemble, with_rows=rows is not None), *notes),
    )
