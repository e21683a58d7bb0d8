"""Find an optimal tree by a mixed-integer program; the main function of this package.

The reported objective is that of the tree, computed from the data. The bound is that of the solver, proven in floating
point with a tolerance, which is taken from it; it is never above the objective. A tree is called optimal if the solver
says so and the tree's own objective is within the tolerance of the bound. If other objectives can be that near
(`least_difference`), the certificate states the tolerance.
"""

from __future__ import annotations

import math
import time
from dataclasses import asdict, dataclass
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from treewright._numbers import is_whole
from treewright.binarize import scope_of_all
from treewright.errors import InputError, SolverError
from treewright.mip._formulation import Formulation
from treewright.mip._instance import SCALINGS, TOLERANCE, Instance
from treewright.mip._least_difference import least_difference
from treewright.mip._notes import notes_of
from treewright.mip._outcome import Job, ModelUnfinished, Report, Watch, resident_memory
from treewright.mip._plan import tree_of
from treewright.mip._room import granted_memory, why_too_large
from treewright.mip._strategies import STRATEGIES, Solution, follow
from treewright.mip.binoct import RBinOCT
from treewright.mip.leaf_accuracy import LeafAccuracy, largest_share
from treewright.mip.oct import OCT
from treewright.problem import Problem
from treewright.result import SolveResult, StopReason, told_to_stop
from treewright.search import (
    Limits,
    Progress,
    ProgressCallback,
    is_coarse,
    kept_result,
    leaf_accuracy_result_of,
    result_of,
)
from treewright.tree import Tree

__all__ = ["FORMULATIONS", "SOLVERS", "STRATEGIES", "MIPOptions", "make_formulation", "solve"]

FORMULATIONS: dict[str, type[Formulation]] = {"leaf_accuracy": LeafAccuracy, "oct": OCT, "binoct": RBinOCT}
SOLVERS = {"highs": "treewright.mip._highs", "gurobi": "treewright.mip._gurobi"}
# Of a coefficient in the program of leaf accuracy, beside coefficients of 1. To a solver, a variable within 1e-6 of an
# integer is whole. Times a larger coefficient that is too much of a row's share, and some of its proofs are wrong.
MOST_SHARE = 1e3
DEEPEST = 10  # a full tree of depth 10 has 1024 leaves, each with variables for every row


@dataclass(frozen=True)
class MIPOptions:
    """How a mixed-integer program is written and solved.

    Parameters
    ----------
    solver : {"highs", "gurobi"}, default="highs"
        Gurobi needs its package and a licence.
    threads : int, default=1
        Of the solver.
    scaling : {"rank", "range"}, default="rank"
        How columns are scaled to [0, 1]: by the rank of their values, which keeps all gaps wide, or by (x - min) / (max
        - min) as in the papers.
    tighten : bool, default=True
        Write the stronger constraints (each file of a formulation proves its own) instead of the printed ones.
    seed : int, default=0
        Of the solver.

    Examples
    --------
    >>> from treewright.mip import MIPOptions
    >>> MIPOptions(threads=2).solver
    'highs'
    """

    solver: str = "highs"
    threads: int = 1
    scaling: str = "rank"
    tighten: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        _choose("solver", self.solver, SOLVERS)
        _choose("scaling", self.scaling, SCALINGS)
        for name, least in (("threads", 1), ("seed", 0)):
            value = getattr(self, name)
            if not is_whole(value) or not least <= int(value) < 2**31:
                raise InputError(f"{name}={value!r}; give an integer of at least {least}.")


def solve(
    problem: Problem,
    formulation: str = "leaf_accuracy",
    strategy: str = "warm",
    *,
    limits: Limits | None = None,
    options: MIPOptions | None = None,
    progress: ProgressCallback | None = None,
) -> SolveResult:
    """Find a tree by a mixed-integer program.

    Parameters
    ----------
    problem : Problem
        ``max_depth`` must be an integer of at least 1.
    formulation : {"leaf_accuracy", "oct", "binoct"}, default="leaf_accuracy"
        What is solved: the best worst leaf (Nemecek et al. 2023, Figure 4); least misclassification as Bertsimas and
        Dunn write it; or as regularised BinOCT does.
    strategy : {"direct", "warm", "gradual"}, default="warm"
        Without a start; from the best CART tree; or depth by depth, each from the tree of the depth before and with
        twice as much time.
    limits : Limits, default=None
        A step is a node of the solver's branch-and-bound tree; the memory limit is the number of bytes by which the
        process may grow. None is no limit. A program that needs more than this, or more than the machine has free, is
        not built: the result is then CART's tree, and a note gives the size of the program and what would fit.
    options : MIPOptions, default=None
    progress : callable, default=None
        Called some times a second with a `treewright.search.Progress` (its objective is 1 - Q for "leaf_accuracy");
        a true return value stops the run.

    Returns
    -------
    SolveResult
        A `LeafAccuracyResult` for "leaf_accuracy". It is never worse than the best CART tree within the limits: if the
        solver finds nothing better, that tree is returned and a note says so. Ctrl-C ends the run like a limit; limits
        also hold while the program is built.

    Raises
    ------
    InputError
        A name or limit cannot be used, or costs are given with "leaf_accuracy".
    MissingDependencyError
        The solver is not installed; the message names the extra.
    SolverError
        The solver refuses the model.

    Notes
    -----
    A program has about ``rows * 2**max_depth`` integer variables for every formulation. Beyond some hundred distinct
    rows expect a tree, not a proof; the exact search proves the same optimum in a fraction of the time.

    References
    ----------
    J. Nemecek, T. Pevny, J. Marecek (2023). Improving the Validity of Decision Trees as Explanations.
    D. Bertsimas, J. Dunn (2017). Optimal classification trees. Machine Learning 106.
    X. Hu, C. Rudin, M. Seltzer (2019). Optimal Sparse Decision Trees. Appendix J.

    Examples
    --------
    >>> from treewright.datasets import monks
    >>> from treewright.mip import solve
    >>> from treewright.problem import make_problem
    >>> data = monks(1)
    >>> result = solve(make_problem(data.table, data.y, max_depth=1), "oct")
    >>> result.status.value, result.tree.n_leaves
    ('proven optimal', 2)
    """
    began = time.monotonic()
    limits, options = limits or Limits(), options or MIPOptions()
    _choose("formulation", formulation, FORMULATIONS)
    _choose("strategy", strategy, STRATEGIES)
    _check(problem, formulation)
    run = import_module(SOLVERS[options.solver]).run  # its absence is said before any work
    instance = Instance.of(problem, options.scaling)
    deadline = math.inf if limits.time_limit is None else began + limits.left()
    assert problem.max_depth is not None  # by _check
    held = resident_memory()

    def make(depth: int, watch: Watch) -> Formulation:
        watch()  # counting what a program of a million rows takes is work, too
        granted = granted_memory(limits.memory_limit, held)
        why = why_too_large(FORMULATIONS, formulation, instance, depth, options.tighten, granted)
        if why is not None:
            raise ModelUnfinished(StopReason.MEMORY_LIMIT, why)
        return FORMULATIONS[formulation](instance, depth, options.tighten, watch)

    leaf_accuracy = FORMULATIONS[formulation].maximises_leaf_accuracy
    wide = leaf_accuracy and largest_share(instance, options.tighten) > MOST_SHARE
    solution = follow(
        strategy,
        instance,
        problem.max_depth,
        leaf_accuracy,
        make,
        lambda formulation, job: run(formulation.model, job),
        Job(
            keep=np.empty(0, dtype=np.int64),
            limits=limits,
            threads=int(options.threads),
            seed=int(options.seed),
            report=_reporter(progress, began, wide),
            held=held,
        ),
        deadline,
    )
    terms = {"method": "mip", "formulation": formulation, "strategy": strategy, **asdict(options)}
    if leaf_accuracy:
        terms |= {"method": "leaf-accuracy", "criterion": "accuracy"}  # as the search says it
    seconds = time.monotonic() - began
    return kept_result(partial(_result, problem, instance, solution, terms, leaf_accuracy, wide, seconds))


def make_formulation(problem: Problem, formulation: str, options: MIPOptions | None = None) -> Formulation:
    """Return the mixed-integer program of a problem, to look at it or to add constraints.

    Parameters
    ----------
    problem : Problem
    formulation : {"leaf_accuracy", "oct", "binoct"}
    options : MIPOptions, default=None

    Raises
    ------
    InputError
        A name cannot be used, or the program does not fit into the machine's memory.

    Examples
    --------
    >>> from treewright.mip import make_formulation
    >>> from treewright.problem import make_problem
    >>> from treewright.table import table_from
    >>> problem = make_problem(table_from([[0], [0], [1]]), [0, 0, 1], max_depth=1)
    >>> type(make_formulation(problem, "oct")).__name__
    'OCT'
    """
    options = options or MIPOptions()
    _choose("formulation", formulation, FORMULATIONS)
    _check(problem, formulation)
    assert problem.max_depth is not None  # by _check
    instance = Instance.of(problem, options.scaling)
    why = why_too_large(
        FORMULATIONS, formulation, instance, problem.max_depth, options.tighten, granted_memory()
    )
    if why is not None:
        raise InputError(why)
    return FORMULATIONS[formulation](instance, problem.max_depth, options.tighten)


def _choose(name: str, value: object, known: Any) -> None:
    if value not in tuple(known):
        raise InputError(f"{name}={value!r}; choose one of {', '.join(map(repr, known))}.")


def _check(problem: Problem, formulation: str) -> None:
    depth = problem.max_depth
    if depth is None or not 1 <= depth <= DEEPEST:
        raise InputError(
            f"max_depth={depth}; a mixed-integer program is written for one depth: give an integer from 1 to "
            f"{DEEPEST} (more than 4 is rarely useful)."
        )
    plain = 1.0 - np.eye(problem.n_classes)
    if FORMULATIONS[formulation].maximises_leaf_accuracy and not np.array_equal(problem.costs, plain):
        raise InputError(
            f'costs cannot be used with formulation="{formulation}", whose objective is an accuracy; leave them out.'
        )


def _reporter(progress: ProgressCallback | None, began: float, wide: bool) -> Report | None:
    if progress is None:
        return None

    def report(seconds: float, objective: float, bound: float, nodes: int) -> bool:
        lower = 0.0 if wide else max(0.0, min(bound, objective))
        return bool(progress(Progress(time.monotonic() - began, objective, lower, nodes, resident_memory())))

    return report


def _result(
    problem: Problem,
    instance: Instance,
    solution: Solution,
    terms: dict[str, Any],
    leaf_accuracy: bool,
    wide: bool,
    seconds: float,
) -> SolveResult:
    last = solution.runs[-1]
    outcome = last.outcome
    complete = last.depth == problem.max_depth  # else a gradual run ended early: no bound for this depth
    if outcome.infeasible and complete and not wide:
        raise SolverError(
            f"{outcome.solver} says that no tree meets the constraints ({outcome.words}), yet a single leaf does. Try "
            'another seed, scaling="rank", or tighten=False.'
        )
    tree = tree_of(solution.plan, instance)
    objective = _measured(problem, tree, leaf_accuracy)
    cost = 1 - objective if leaf_accuracy else objective
    bound = outcome.bound if complete and not wide else -math.inf
    tolerance = TOLERANCE * (1.0 if leaf_accuracy else instance.unit)
    least = 0.0 if leaf_accuracy else problem.cost_complexity  # every tree has a leaf, and pays for it
    trivial = cost <= least  # no mistake in any leaf, or none in one leaf: there is nothing to prove
    by_solver = outcome.proven and complete and cost <= bound + tolerance
    # The bound may be off by the tolerance, and the objective be above it by as much.
    is_exact = trivial or (by_solver and least_difference(problem, leaf_accuracy) > 2 * tolerance)
    left = 0.0 if is_exact or not by_solver else 2 * tolerance
    proven = trivial or (by_solver and (leaf_accuracy or is_exact or not is_coarse(tolerance, cost)))
    bound = cost if is_exact else min(cost, max(least, bound - tolerance))
    notes = [*problem.table.notes, *notes_of(instance, solution, cost, tolerance, terms["scaling"])]
    if wide and not proven:
        notes.append(
            f"The bound of {outcome.solver} is not used: all rows together weigh more than {MOST_SHARE:,.0f} times as "
            "much as the lightest leaf can, which is beyond its tolerance. "
            'LeafAccuracyTreeClassifier(criterion="accuracy") has no such limit.'
        )
    if by_solver and proven:
        notes.append(f"Proven by {outcome.solver} in floating point, to its tolerance of {tolerance:g}.")
    elif by_solver:
        notes.append(
            f"{outcome.solver} ended, but with its tolerance of {tolerance:g} it cannot tell this tree from one that "
            "is better by that much. The exact search has no such tolerance."
        )
    shape = None if last.formulation is None else last.formulation.model
    stop = _stop(solution)
    stats: dict[str, Any] = {
        **told_to_stop(stop),
        "seconds": seconds,
        "subproblems": sum(run.outcome.nodes for run in solution.runs),
        "solver": outcome.solver,
        "solver_status": outcome.words,
        "solver_objective": min((i.objective for i in outcome.incumbents), default=None),
        "solver_bound": outcome.bound if math.isfinite(outcome.bound) else None,
        "variables": None if shape is None else shape.n_variables,
        "integer_variables": None if shape is None else int(shape.integer.sum()),
        "constraints": None if shape is None else sum(len(rows.lower) for rows in shape.constraints),
        "distinct_rows": instance.n_rows,
        "tree_found_by": solution.source,
        "runs": [
            {
                "depth": run.depth,
                "seconds": run.outcome.seconds,
                "nodes": run.outcome.nodes,
                "status": run.outcome.words,
                "bound": run.outcome.bound if math.isfinite(run.outcome.bound) else None,
                "incumbents": [list(tree) for tree in run.trees],
            }
            for run in solution.runs
        ],
    }
    limits = ("cost_complexity", "max_depth", "max_leaf_nodes", "min_samples_leaf")
    common: dict[str, Any] = {
        "scope": scope_of_all(problem.table),
        "stop": stop,
        "stats": stats,
        "options": {name: getattr(problem, name) for name in limits} | terms,
        "notes": tuple(notes),
        "tolerance": tolerance,
    }
    if not leaf_accuracy:
        return result_of(
            problem, tree, proven=proven, lower_bound=bound, slack=left / 2 if proven else 0.0, **common
        )
    return leaf_accuracy_result_of(
        problem,
        tree,
        criterion="accuracy",
        confidence=None,
        value_proven=proven,
        loss_proven=False,  # the program asks for the worst leaf alone
        value_alone=True,
        upper_bound=1 - bound,
        within=left,
        **common,
    )


def _stop(solution: Solution) -> StopReason | None:
    return next((run.outcome.stop for run in reversed(solution.runs) if run.outcome.stop is not None), None)


def _measured(problem: Problem, tree: Tree, leaf_accuracy: bool) -> float:
    """Return the objective of a tree, from the weights in its leaves."""
    value = tree.value[tree.is_leaf]
    here = np.arange(len(value)), tree.prediction[tree.is_leaf]
    if leaf_accuracy:
        return float((value[here] / value.sum(axis=1)).min())
    return (
        float((value @ problem.costs)[here].sum() / problem.total_weight)
        + problem.cost_complexity * tree.n_leaves
    )
