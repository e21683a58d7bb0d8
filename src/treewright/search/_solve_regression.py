"""Exact regression trees: from a problem to a tree with its certificate."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError
from treewright.problem import RegressionProblem
from treewright.result import RegressionResult
from treewright.search._additive_losses import AdditiveLoss, SquaredErrorLoss
from treewright.search._additive_result import AdditiveQuestion
from treewright.search._limits import Limits, ProgressCallback
from treewright.search._options import RankedOptions
from treewright.search._pinball import PinballLoss
from treewright.search._ratio_deviance import RatioDeviance
from treewright.search._shallow import search_then_shallower
from treewright.tree import Split, Tree, grow_regression

__all__ = ["grown", "normalized", "regression_loss", "solve_regression", "what_is_rounded"]


def solve_regression(
    problem: RegressionProblem,
    *,
    limits: Limits | None = None,
    options: RankedOptions | None = None,
    progress: ProgressCallback | None = None,
    shallower: bool = True,
) -> RegressionResult:
    """Find the regression tree with the smallest objective over all thresholds.

    Parameters
    ----------
    problem : RegressionProblem
    limits : Limits, default=None
        With None the only limit is the machine's memory.
    options : RankedOptions, default=None
        Switches of the bounds; the optimum depends on none.
    progress, shallower
        As in `treewright.search.solve`.

    Returns
    -------
    RegressionResult
        Status OPTIMAL if the search ended; otherwise the best tree with a proven lower bound. Ctrl-C ends the search
        in the same way.

    Raises
    ------
    SolverError
        No tree meets the constraints.

    Notes
    -----
    Branch and bound over sets of rows; the bounds and their proofs are in ``cpp/include/treewright/objective/`` and
    ``cpp/include/treewright/bounds/``. Losses are compared as integers; ``result.stats["tolerance"]`` and the sentence
    say how much the rounding can hide.

    Examples
    --------
    >>> from treewright.problem import make_regression_problem
    >>> from treewright.search import solve_regression
    >>> from treewright.table import table_from
    >>> problem = make_regression_problem(table_from([[20], [30], [40]]), [1.0, 1.0, 5.0], max_depth=1)
    >>> solve_regression(problem).tree.splits[0].threshold
    35.0
    """
    if shallower:
        search = partial(solve_regression, options=options, shallower=False)
        return search_then_shallower(search, problem, limits, progress)
    loss = regression_loss(problem)
    is_constant = bool((problem.y.min(axis=0) == problem.y.max(axis=0)).all())
    question = AdditiveQuestion(
        kind=RegressionResult,
        problem=problem,
        loss=loss,
        one_leaf=0.0 if is_constant else loss.leaf_loss(),
        grow=partial(grown, problem),
        options={"method": "regression", "criterion": problem.criterion}
        | ({"quantile": problem.quantile} if problem.criterion == "quantile" else {})
        | ({"n_outputs": problem.n_outputs} if problem.n_outputs > 1 else {}),
        rounded=what_is_rounded(problem),
        nothing_to_gain="All targets are equal: one leaf is right on every row.",
    )
    return question.solved(limits, options, progress)


def regression_loss(problem: RegressionProblem) -> AdditiveLoss:
    """Return the loss of a problem, in a unit of its own.

    Parameters
    ----------
    problem : RegressionProblem

    Returns
    -------
    AdditiveLoss
        What a leaf with given rows costs is its ``leaf_loss(rows)``.

    Raises
    ------
    InputError
        Poisson and gamma: a weight, or with gamma a weight times its target, is 0 in float64 beside the largest.

    Examples
    --------
    >>> from treewright.problem import make_regression_problem
    >>> from treewright.search import regression_loss
    >>> from treewright.table import table_from
    >>> problem = make_regression_problem(table_from([[20], [30], [40]]), [1.0, 1.0, 5.0])
    >>> type(regression_loss(problem)).__name__
    'SquaredErrorLoss'
    """
    weight = problem.sample_weight
    if problem.criterion == "squared_error":
        return SquaredErrorLoss(normalized(problem.y), weight)
    y = np.ldexp(problem.y, -int(np.frexp(float(np.abs(problem.y).max()))[1]))  # below 1, and nothing lost
    if problem.criterion in ("poisson", "gamma"):
        share = weight / weight.max()
        weighted = share * y
        if not (share if problem.criterion == "poisson" else weighted).all():
            raise InputError(_of_lost_weights(problem))
        return (
            RatioDeviance(weighted, share)
            if problem.criterion == "poisson"
            else RatioDeviance(share, weighted)
        )
    assert problem.share is not None  # of all other criteria leaves say a quantile
    return PinballLoss(y, weight, problem.share)


def what_is_rounded(problem: RegressionProblem) -> str:
    """Say what of a problem the search rounds, in words that begin a sentence."""
    if problem.criterion in ("poisson", "gamma"):
        return "Logarithms, and weights and targets that are not whole numbers,"
    return "The weights and targets"


def _of_lost_weights(problem: RegressionProblem) -> str:
    """The message about weights, or weights times targets, that vanish beside the largest."""
    weight = problem.sample_weight
    return (
        f"sample_weight reaches from {weight.min():g} to {weight.max():g}: the smallest are 0 in float64 beside the "
        f"largest, and criterion={problem.criterion!r} has no sum of them. Leave "
        "out the rows of next to no weight (weight 0), or give weights that differ less."
    )


def normalized(y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Centre the targets and divide them by a power of two, so that no square overflows or vanishes.

    Of several outputs each is centred by itself, and all are divided by the same: that keeps what they weigh.
    """
    # Column by column: along rows of a few numbers numpy takes ten times as long.
    columns = y.reshape(len(y), -1).T
    high, low = np.array([[column.max(), column.min()] for column in columns]).T
    spread = float((high / 2 - low / 2).max())
    if spread == 0:
        return np.zeros_like(y)
    exponent = int(np.frexp(spread)[1])
    # Rounding keeps the order: what is largest stays so.
    middle = np.ldexp(high, -exponent) / 2 + np.ldexp(low, -exponent) / 2
    scaled: NDArray[np.float64] = np.ldexp(y, -exponent)
    scaled -= middle
    return scaled


def grown(problem: RegressionProblem, splits: Sequence[Split | None]) -> Tree:
    """Return the tree with these splits, depth-first, and the values of a problem's rows."""
    table = problem.table
    return grow_regression(table.columns, splits, table.X, problem.y, problem.sample_weight, problem.share)
