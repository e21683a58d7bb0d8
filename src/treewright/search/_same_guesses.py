"""A search with what another run has guessed, without another reference: smaller problems are tried so."""

from __future__ import annotations

from dataclasses import replace

from treewright.binarize import SplitMatrix, make_splits
from treewright.problem import Problem
from treewright.result import SolveResult
from treewright.search._guided import Guessed, solve_guided
from treewright.search._limits import Limits
from treewright.search._solve import solve
from treewright.search._space import Thresholds
from treewright.tree import Split

__all__ = ["search_with_same_guesses"]


def search_with_same_guesses(
    guessed: Guessed, problem: Problem, thresholds: SplitMatrix | Thresholds, limits: Limits
) -> SolveResult:
    """Search a smaller problem, or one of fewer rows, with what a run has guessed.

    Parameters
    ----------
    guessed : Guessed
    problem : Problem
    thresholds : "auto", "all", int, mapping or SplitMatrix
        Ignored if thresholds were guessed.
    limits : Limits

    Returns
    -------
    SolveResult

    Examples
    --------
    >>> from treewright.datasets import iris
    >>> from treewright.guess import named_reference
    >>> from treewright.problem import make_problem
    >>> from treewright.search import Guesses, Limits, search_with_same_guesses, solve_guided
    >>> data, known = iris(), []
    >>> problem = make_problem(data.table, data.y, max_depth=1)
    >>> guesses = Guesses(thresholds=True, reference=named_reference("gbdt"))
    >>> first = solve_guided(problem, "guess", guesses, tell=known.append)
    >>> search_with_same_guesses(known[0], problem, "auto", Limits()).loss == first.loss
    True
    """
    offered = thresholds
    if guessed.splits is not None:
        groups: list[list[Split]] = [[] for _ in problem.table.columns]
        for split in guessed.splits.splits:
            groups[split.column].append(split)
        offered = make_splits(problem.table, groups, guessed.splits.scope)
    if not guessed.guesses.lower_bounds:
        return solve(problem, offered, limits=limits)
    known = problem.classes[guessed.predictions]
    bounds_alone = replace(guessed.guesses, thresholds=False, depth=False, reference=known)
    return solve_guided(problem, offered, bounds_alone, limits=limits)
