"""Trees of largest F1: a sequence of exact searches at costs of false positives and false negatives (Dinkelbach).

F1 is no sum over leaves, but a ratio of two such sums. Write t for the weight of true positives of a tree, w for the
weight predicted wrong plus that of its leaves (``leaf_weight`` each), P for the weight of all positive rows. The
objective is ``w / (2 t + w)``, which grows with ``w / t``. For a tree S with t > 0 and any r >= 0 let

    h(S) = w - 2 r t + 2 r P = FP + (1 + 2 r) FN + leaf_weight * leaves,

which is a loss of plain costs, for t = P - FN. At ``r = w(T) / (2 t(T))`` of a tree T, h(T) = 2 r P, and a tree S has
h(S) < 2 r P if, and only if, ``w(S) / t(S) < w(T) / t(T)``. So a search for the least h either finds a better tree,
with which the next one begins, or proves that T is optimal. Every round makes the ratio smaller, and there are finitely
many trees. Dinkelbach (1967) proves that the ratios converge faster than linearly; two to six rounds are usual. The
first tree is a leaf that predicts the positive class: t = P > 0. The first rounds are quick ones of few steps, until
none finds a better tree: the bound of a round is the better, the nearer its ratio is to the best one.

**The bound of a round that was stopped, or whose numbers were rounded.** Let it prove ``h(S) >= B`` for every tree S,
and ``d = max(0, 2 r P - B)``. Then ``w >= 2 r t - d``; and ``w >= P - t + c``, for FN = P - t and every tree has a leaf
of weight c. The objective is at least ``m / (2 t + m)`` with m the larger of the two (0 at least). Below
``t' = (P + c + d) / (1 + 2 r)``, where the two are equal, the second is the larger one, and the quotient falls in t;
above, the first is, and it grows in t: ``m / t = 2 r - d / t``. So its least value over all t <= P is at
``min(t', P)``. With d = 0 that is the objective of T itself. A tree with t = 0 has objective 1, and the bound is never
above 1.

W. Dinkelbach (1967). On Nonlinear Fractional Programming. Management Science 13. STReeD finds such trees otherwise, by
the Pareto front of both kinds of errors at every node (van der Linden et al. 2023).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial

import numpy as np

from treewright.problem import F1Problem, Problem
from treewright.result import (
    F1Result,
    SolveResult,
    SolveStatus,
    StopReason,
    note_of_rounding,
    told_to_stop,
)
from treewright.search._choose_engine import Choice, choose_engine
from treewright.search._costs_in_weights import costs_in_weights
from treewright.search._counted import counted_tree
from treewright.search._held_to_one_split import best_split
from treewright.search._integers import is_coarse
from treewright.search._kept import kept_result
from treewright.search._limits import Limits, Progress, ProgressCallback
from treewright.search._options import BinaryOptions, RankedOptions
from treewright.search._result import pruning_of
from treewright.search._searches import Searches
from treewright.search._single_split import MOST_CELLS, one_split
from treewright.search._solve import search_chosen
from treewright.search._space import Thresholds
from treewright.tree import Split, Tree, settle_missing

__all__ = ["solve_f1"]

QUICK_STEPS = 200  # of the first rounds, which only look for a ratio to begin with
FLOAT = 1e-13  # relative, of sums of real weights


@dataclass(frozen=True)
class _Found:
    """A tree with its weight of true positives, the weight that it gets wrong, and that of its leaves."""

    tree: Tree
    right: float
    errors: float
    leaves: float

    @property
    def wrong(self) -> float:
        """Weight of errors and leaves."""
        return self.errors + self.leaves

    @property
    def loss(self) -> float:
        """1 - F1."""
        return self.errors / (2 * self.right + self.errors) if self.right > 0 else 1.0

    @property
    def objective(self) -> float:
        return self.wrong / (2 * self.right + self.wrong) if self.right > 0 else 1.0

    @property
    def ratio(self) -> Fraction:
        """Wrong / right: the smaller, the better; exact for these two numbers."""
        return Fraction(self.wrong) / Fraction(self.right)

    def is_better(self, other: _Found) -> bool:
        """Whether its objective is smaller, or equal with fewer leaves."""
        if self.right == 0 or other.right == 0:  # no row is positive
            return self.tree.n_leaves <= other.tree.n_leaves
        return (self.ratio, self.tree.n_leaves) < (other.ratio, other.tree.n_leaves)


def solve_f1(
    problem: F1Problem,
    thresholds: Thresholds = "auto",
    *,
    limits: Limits | None = None,
    options: BinaryOptions | RankedOptions | None = None,
    progress: ProgressCallback | None = None,
) -> F1Result:
    """Find the tree of largest F1, with a penalty for leaves, or prove how much better another one can be.

    Parameters
    ----------
    problem : F1Problem
    thresholds : "auto", "all", int or mapping, default="auto"
        As in `treewright.search.solve`.
    limits : Limits, default=None
        Of all rounds together; With None the only limit is the machine's memory.
    options : BinaryOptions or RankedOptions, default=None
        As in `treewright.search.solve`.
    progress : callable, default=None
        Called about 20 times a second with a `Progress`; a true return value stops the search.

    Returns
    -------
    F1Result
        ``stats["searches"]`` counts the rounds.

    Raises
    ------
    SolverError
        No tree meets the constraints.

    Examples
    --------
    >>> from treewright.problem import make_f1_problem
    >>> from treewright.search import solve_f1
    >>> from treewright.table import table_from
    >>> problem = make_f1_problem(table_from([[20], [30], [40]]), [0, 0, 1], cost_complexity=0.0)
    >>> result = solve_f1(problem)
    >>> result.objective, result.status.value
    (0.0, 'proven optimal')
    """
    limits = (limits or Limits()).started()
    run = _Run(problem, Searches(limits, progress))
    choice = choose_engine(
        run.next(), thresholds, options, limits=limits
    )  # quantiles are of the rows themselves
    steps: int | None = QUICK_STEPS
    last: SolveResult | None = None
    is_over = False
    try:
        while not is_over:
            now = _Round.of(run.next())
            within = run.left(steps)
            report = run.searches.report(partial(run.bounds_within, now))
            last = choice.sign(search_chosen(choice, options, now.asked, within, report))
            is_over = run.is_over(now, last, quick=steps is not None and within.step_limit == steps)
            if not run.improved:
                steps = None
        if not run.proven:
            run.hold_to_one_split(partial(_best_single_split, choice, options, limits))
    except KeyboardInterrupt:  # between two searches, which keep their trees
        if last is None:
            raise
        run.stop = StopReason.INTERRUPT
        if not run.proven:
            run.hold_to_one_split(partial(_best_single_split, choice, options, limits))
    assert last is not None  # there is a first round
    return kept_result(partial(run.result, last))


def _best_single_split(
    choice: Choice, options: BinaryOptions | RankedOptions | None, limits: Limits, this: _Round
) -> Sequence[Split | None]:
    """Return the splits of the best tree of one split at a round.

    It is sought in float64: in the whole numbers of an engine, weights of very different size are coarse. Of a large
    table it is the first step of a search, which takes less time.
    """
    table = this.costs.table
    if table.n_rows * len(table.columns) <= MOST_CELLS:
        return one_split(best_split(this.costs, choice.space))
    first = Limits(step_limit=1, memory_limit=limits.memory_limit)
    return search_chosen(choice, options, replace(this.asked, max_depth=1), first, None).tree.splits


@dataclass(frozen=True, eq=False)
class _Round:
    """A problem of plain costs, and the same with the costs in the weights of the rows."""

    costs: Problem
    asked: Problem

    @classmethod
    def of(cls, costs: Problem) -> _Round:
        return cls(costs, costs_in_weights(costs))

    @property
    def price(self) -> float:
        """Cost of a false positive."""
        return float(self.costs.costs[0, 1])

    @property
    def twice(self) -> float:
        """2 r."""
        return (float(self.costs.costs[1, 0]) - self.price) / self.price

    def is_exact(self, last: SolveResult) -> bool:
        """Whether its proof is one without any tolerance: whole numbers went in, and none was rounded."""
        numbers = (self.costs.costs, self.costs.sample_weight)
        return all(bool((one % 1 == 0).all()) for one in numbers) and last.lower_bound == last.objective


@dataclass
class _Run:
    """What the rounds know of each other."""

    problem: F1Problem
    searches: Searches
    best: _Found = field(init=False)
    bound: float = field(init=False)  # of all objectives
    proven: bool = False
    stop: StopReason | None = None
    improved: bool = False  # by the last round

    def __post_init__(self) -> None:
        self.positive, self.leaf = self.problem.positive_weight, self.problem.leaf_weight
        single = counted_tree(self.problem.at(1.0, 0.0), [None])
        self.best = self._measured(replace(single, prediction=np.ones(1, dtype=np.int32)))
        self.bound = self.leaf / (2 * self.positive + self.leaf) if self.positive > 0 else 1.0

    @property
    def is_single(self) -> bool:
        """Whether no tree may split. A leaf of the positive class is then the best: the other one has t = 0."""
        return self.problem.max_depth == 0 or self.problem.max_leaf_nodes == 1

    def _measured(self, tree: Tree) -> _Found:
        leaf, yes = tree.is_leaf, tree.prediction == 1
        false, right = tree.value[leaf & yes].sum(axis=0)
        missed = tree.value[
            leaf & ~yes, 1
        ].sum()  # not a difference, which real weights would leave something of
        return _Found(tree, float(right), float(false + missed), self.leaf * tree.n_leaves)

    def next(self) -> Problem:
        """Return the problem of the next round; without any positive row, of fewest leaves."""
        return self.problem.at(self.best.right or 1.0, self.best.wrong if self.positive > 0 else 0.0)

    def left(self, steps: int | None) -> Limits:
        """Return what the rounds before have left of the limits, which is something, or so many steps."""
        left = self.searches.left()
        if steps is not None and (left.step_limit is None or left.step_limit > steps):
            left = replace(left, step_limit=steps)
        return left

    def bounds_within(self, this: _Round, now: Progress) -> tuple[float, float]:
        """Return the best objective and the bound of the run while a round is searched."""
        return self.best.objective, max(self.bound, self._bound(this, now.lower_bound))

    def _bound(self, this: _Round, cost: float) -> float:
        """Return the bound on objectives where no tree costs less in a round; see the top of this file."""
        if self.positive == 0:
            return 1.0
        threshold = this.twice * self.positive
        below = threshold - cost * this.asked.total_weight / this.price
        below = max(0.0, below + FLOAT * (threshold + self.problem.total_weight))
        right = min(self.positive, (self.positive + self.leaf + below) / (1 + this.twice))
        wrong = self.positive - right + self.leaf
        return wrong / (2 * right + wrong)

    def is_over(self, this: _Round, last: SolveResult, *, quick: bool) -> bool:
        """Take the answer of a round, which was quick or not; return whether it was the last one."""
        self.searches.add(last)
        self.bound = max(self.bound, self._bound(this, last.lower_bound))
        proven = last.status is SolveStatus.OPTIMAL
        found, before = self._settled(this, last.tree.splits, proven=proven), self.best
        if found is not None and found.is_better(before):
            self.best = found
        self.improved = self.positive > 0 and self.best.ratio < before.ratio
        if proven and not self.improved:
            self.proven = True
            if self.is_single or this.is_exact(
                last
            ):  # no tree is better than this one, without any tolerance
                self.bound = self.best.objective
            return True
        self.stop = last.stop_reason or last.asked_to_stop
        cut = quick and self.stop is StopReason.STEP_LIMIT  # by this round alone
        if cut or (self.stop is None and (proven or self.improved)):
            self.stop = self.searches.used_up()
            return self.stop is not None
        return self.stop is not None or not self.improved

    def hold_to_one_split(self, best: Callable[[_Round], Sequence[Split | None]]) -> None:
        """Take the best tree of one split if it is better than what a stopped or rounded run has found.

        A round looks at single splits at the ratio of the tree before it, where another one may be the best. Rounds
        over single splits alone end with the one of largest F1, or show that none beats the tree at hand.
        """
        if self.positive == 0 or self.is_single:
            return
        while True:
            this = _Round.of(self.next())
            found = self._settled(this, best(this), proven=False)
            if found is None or found.ratio >= self.best.ratio:
                return
            self.best = found

    def _settled(self, this: _Round, splits: Sequence[Split | None], *, proven: bool) -> _Found | None:
        """Return the tree of a round with its best labels, and pruned; None if it finds no positive row."""
        found = self._measured(counted_tree(this.costs, splits))
        if self.positive == 0:
            return replace(found, right=0.0)
        while found.right > 0:
            at = self.problem.at(found.right, found.wrong)
            tree = counted_tree(at, found.tree.splits)
            if not proven:  # a proven one is pruned, at the ratio of its round
                tree = pruning_of(at, tree).tree
            again = self._measured(tree)
            if again.right == 0 or again.ratio >= found.ratio:
                return again if again.right > 0 and again.ratio == found.ratio else found
            found = again
        return None

    def result(self, last: SolveResult) -> F1Result:
        """Put the best tree and the bound into a result."""
        best, notes = self.best, last.notes
        objective = best.objective
        left = objective - min(objective, self.bound)
        if self.proven and is_coarse(left / 2, objective):
            self.proven = False
            notes = (*notes, note_of_rounding("The weights", left))
        elif not self.proven and self.stop is None:  # a round could not be proven for its numbers
            notes = (*notes, note_of_rounding("The weights", max(left, FLOAT)))
        X, weight = self.problem.table.X, self.problem.sample_weight  # rounds weigh a row by its cost, too
        tree = settle_missing(best.tree, X, weight)
        return F1Result(
            tree=tree,
            status=SolveStatus.OPTIMAL if self.proven else SolveStatus.FEASIBLE,
            objective=objective,
            lower_bound=min(objective, self.bound),
            loss=best.loss,
            scope=last.scope,
            stop_reason=None if self.proven else self.stop,
            stats={**last.stats, **self.searches.stats(), **told_to_stop(self.stop)},
            options={**last.options, "method": "f1", "cost_complexity": self.problem.cost_complexity},
            notes=tuple(dict.fromkeys(notes)),
        )
