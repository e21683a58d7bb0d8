"""What no worst leaf can exceed, from trees of fewest errors: for searches for the best worst leaf that were stopped.

Criterion: the lower end of the Wilson interval, or with z = 0 the accuracy, of which all below holds as well. A leaf
of n observations, c of them right, is worth at least q exactly if c >= q n + z sqrt(q (1 - q) n) (the interval inverts
the score test). Take a tree whose leaves are all worth q, and add this up over some or all of its leaves:

    right >= q N + z sqrt(q (1 - q)) R,    N = sum of n,    R = sum of sqrt(n)                                (1)

(1) says that q is at most the Wilson bound of N observations, `right` of them right, with z R / sqrt(N) in place of z.
Both bounds here are (1) with a lower bound of R and an upper bound of `right`: it falls with R and rises with `right`.

Classes. Add up the leaves that predict class k: right <= n_k, the observations of the class, N >= right, and
R >= sqrt(N), for the root is subadditive. A tree that predicts one class alone is worth no more than one leaf of all
rows. Of any other, the leaves of some class other than the largest are worth no more than a pure leaf of the second
largest class.

Errors. Add up all L leaves: N is the table, and every leaf has at least m observations (the `min_samples_leaf`
lightest rows). The root is concave, so R is least at the end of the range: L - 1 leaves of m and one of the rest.
`right` is N less the errors, and the search for fewest errors tells how many there must be: if no tree of this depth
over these splits, with leaves of any size, has errors + p L below P, then errors >= P - p L. (The trees with large
leaves are among these, so P holds for them; and a search that was stopped gives a smaller P that holds too.) Each
price p is a guess of what a leaf costs at the bound so far: the slope of the chord of the root, in (1). With z = 0 it
is 0, and the bound says that no tree's worst leaf is more accurate than the tree.

Cost: up to four searches for a tree of fewest errors. They end much sooner than a search for the best worst leaf:
.2 s for breast cancer, depth 3, all thresholds, 29 rows a leaf, where the bound of that search is 1 after 9 s; for
accuracy one search of .07 s, and .9842 in place of 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from treewright.binarize import SplitMatrix
from treewright.problem import Problem
from treewright.result import StopReason
from treewright.search._limits import Limits
from treewright.search._solve import solve_binary
from treewright.search._solve_ranked import solve_ranked
from treewright.search._space import RankedSpace

__all__ = ["BoundOnTheWay", "Proven", "bound_by_classes", "bound_by_errors", "split_limits", "wilson"]

SHARE, MOST_SECONDS = 0.1, 2.0  # of the limits, kept for this bound
FIRST, FIRST_OF_CELL = 0.25, 5e-7  # seconds of a search, after which its bound is looked for while it runs
SEARCHES = 4
WORTH = 1e-3  # of the bound: a search that lowers it by less is the last
ROUNDING = 1e-9  # added to every bound: float64 errors of these few operations are far below

LeastCost = Callable[[Problem, Limits], tuple[float, int, StopReason | None]]


@dataclass(frozen=True)
class Proven:
    """An upper bound, and what it took.

    Parameters
    ----------
    upper : float
        No tree has a worst leaf with a Wilson bound above this.
    steps : int
        Of the searches for fewest errors.
    interrupted : bool
        Whether Ctrl-C ended one of them.
    complete : bool
        Whether all of them ended: more time lowers the bound no further.
    """

    upper: float
    steps: int
    interrupted: bool = False
    complete: bool = False


def split_limits(limits: Limits) -> Limits:
    """Return the limits of the search itself: a tenth of steps and seconds, at most two, are kept for the bound."""
    time_limit, steps = limits.time_limit, limits.step_limit
    if time_limit is not None:
        time_limit -= min(SHARE * time_limit, MOST_SECONDS)
    if steps is not None:
        steps = max(1, steps - int(SHARE * steps))
    return replace(limits, time_limit=time_limit, step_limit=steps)


def bound_by_classes(problem: Problem, z: float) -> float:
    """Return what no worst leaf can exceed, whatever the splits: see "Classes" above.

    Parameters
    ----------
    problem : Problem
    z : float
        Quantile of the normal distribution of the Wilson bound, >= 0.
    """
    n = problem.table.n_rows
    observed = np.bincount(problem.y, weights=problem.sample_weight, minlength=max(2, problem.n_classes))
    second, first = np.sort(observed * (n / problem.total_weight))[-2:].tolist()
    one_class = wilson(np.array([first / n]), np.array([float(n)]), z)[0]
    two_classes = wilson(np.array([1.0]), np.array([second]), z)[0] if second > 0 else 0.0
    return min(1.0, float(max(one_class, two_classes)) + ROUNDING)


def bound_by_errors(problem: Problem, space: SplitMatrix | RankedSpace, z: float, limits: Limits) -> Proven:
    """Return what no worst leaf can exceed, by the fewest errors that trees over these splits make.

    Parameters
    ----------
    problem : Problem
        With a ``max_depth`` and plain costs.
    space : SplitMatrix or RankedSpace
        The splits.
    z : float
        As in `bound_by_classes`.
    limits : Limits
        Of all searches together. Started; of the time at most two seconds are taken.

    Returns
    -------
    Proven
    """
    seconds = min(limits.left(), MOST_SECONDS)
    limits = replace(limits, time_limit=seconds, begun=None).started() if seconds > 0 else limits

    def least_cost(relaxed: Problem, left: Limits) -> tuple[float, int, StopReason | None]:
        solver = solve_binary if isinstance(space, SplitMatrix) else solve_ranked
        result = solver(relaxed, space, limits=left)  # type: ignore[arg-type]
        return result.lower_bound, int(result.stats["steps"]), result.asked_to_stop or result.stop_reason

    return _searched(problem, z, limits, least_cost if seconds > 0 else None)


class BoundOnTheWay:
    """What no worst leaf can exceed, as far as it is known while the search runs.

    From the first quarter of a second on (of large tables later), a tenth of the time so far goes to the bound by
    errors, and again whenever the time has doubled, until its own searches end. Under a limit of steps there is none,
    for the result is to be the same every time.

    Parameters
    ----------
    problem, space, z
        As in `bound_by_errors`.
    limits : Limits
        Of the run.
    """

    def __init__(self, problem: Problem, space: SplitMatrix | RankedSpace, z: float, limits: Limits) -> None:
        self._problem, self._space, self._z, self._limits = problem, space, z, limits
        cells = problem.table.n_rows * len(problem.table.columns)
        self._next = math.inf if limits.step_limit is not None else max(FIRST, FIRST_OF_CELL * cells)
        self.upper = bound_by_classes(problem, z)

    def at(self, seconds: float) -> float:
        """Return the bound, so many seconds into the search.

        Parameters
        ----------
        seconds : float

        Raises
        ------
        KeyboardInterrupt
            Ctrl-C came while it was looked for.
        """
        if seconds >= self._next:
            self._next = 2 * seconds
            # One thread, for the search may have all others.
            of_these = replace(self._limits, time_limit=SHARE * seconds, begun=None, n_jobs=1)
            found = bound_by_errors(self._problem, self._space, self._z, of_these.started())
            self.upper = min(self.upper, found.upper)
            if found.interrupted:
                raise KeyboardInterrupt
            if found.complete:
                self._next = math.inf
        return self.upper


def _searched(problem: Problem, z: float, limits: Limits, least_cost: LeastCost | None) -> Proven:
    """Search for fewest errors at one leaf penalty after another, while the bound falls."""
    n = float(problem.table.n_rows)
    lightest = np.partition(problem.sample_weight, problem.min_samples_leaf - 1)[: problem.min_samples_leaf]
    smallest = min(n, float(lightest.sum()) * n / problem.total_weight)
    upper, steps = bound_by_classes(problem, z), 0
    least: list[tuple[float, float]] = []
    for _ in range(SEARCHES if least_cost is not None else 0):
        assert least_cost is not None
        left = limits.after(steps)
        if left is None or left.left() <= 0:
            break
        chord = math.sqrt(smallest) - smallest / (math.sqrt(n) + math.sqrt(smallest))
        price = z * math.sqrt(max(0.0, upper * (1 - upper))) * chord
        relaxed = replace(problem, cost_complexity=price / n, min_samples_leaf=1)
        cost, used, stop = least_cost(relaxed, left)
        steps += used
        least.append((price, cost * n * (1 - ROUNDING)))
        before, upper = upper, min(upper, _by_leaves(problem, smallest, least, z))
        if stop is StopReason.INTERRUPT:
            return Proven(upper, steps, interrupted=True)
        if stop is not None:
            break
        if upper > before - WORTH or z == 0:  # without z all penalties are 0
            return Proven(upper, steps, complete=True)
    return Proven(upper, steps)


def _by_leaves(problem: Problem, smallest: float, least: list[tuple[float, float]], z: float) -> float:
    """Return the largest bound (1) of any number of leaves: `least` are pairs of p and P, all in observations."""
    n = problem.table.n_rows
    most = max(1, n // problem.min_samples_leaf)
    assert problem.max_depth is not None
    if problem.max_depth < 40:
        most = min(most, 2**problem.max_depth)
    leaves = np.arange(1, most + 1, dtype=np.float64)
    errors = np.zeros(most)
    for price, cost in least:
        errors = np.maximum(errors, cost - price * leaves)
    largest = np.bincount(problem.y, weights=problem.sample_weight).max() * n / problem.total_weight
    errors[0] = max(errors[0], n - largest)
    roots = np.sqrt(np.maximum(n - (leaves - 1) * smallest, smallest)) + (leaves - 1) * math.sqrt(smallest)
    # z R / sqrt(N) in place of z, N observations: the same as z with (N / R)^2 observations.
    return float(wilson(1 - np.minimum(errors, n) / n, (n / roots) ** 2, z).max()) + ROUNDING


def wilson(share: NDArray[np.float64], observations: NDArray[np.float64], z: float) -> NDArray[np.float64]:
    """Return the lower ends of Wilson intervals (Wilson 1927) of shares that were right."""
    square = z * z / observations
    root = np.sqrt(share * (1 - share) / observations + square / (4 * observations))
    return np.asarray((share + square / 2 - z * root) / (1 + square), dtype=np.float64)
