"""From the answer of a search for an additive loss to a result; the same for all such losses.

Losses are told as shares of the loss of a single leaf. A proof that leaves open more than `MOST_TOLERANCE` of it,
because numbers were rounded to integers, is none, and a note says so.

Every tree is pruned here before it is handed out (`_prune_additive.py`), as `_result.py` does it: that keeps a stopped
search from a tree that is worse than its own subtrees, and a proof that a pruning refutes is withdrawn. Where so much
was rounded that there is no proof, it is held against the best tree of one split (`_held_to_one_split.py`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from treewright.binarize import CandidateSplits, scope_of_all
from treewright.problem import TreeProblem
from treewright.result import SolveResult, SolveStatus, StopReason, note_of_rounding
from treewright.search._additive import AdditiveAnswer, loss_of, solve_additive
from treewright.search._additive_losses import AdditiveLoss
from treewright.search._held_to_one_split import best_split_of_table
from treewright.search._kept import kept_result
from treewright.search._limits import Limits, ProgressCallback, retold
from treewright.search._options import BinaryOptions, RankedOptions
from treewright.search._prune_additive import pruned_by_leaves, pruned_splits
from treewright.search._ranked_run import NOTHING_COUNTED
from treewright.search._result import ROUNDING, SECONDS_OF_PRUNING, refute
from treewright.search._single_split import NOTHING_SEARCHED, UNRANKED, ends_unranked, one_split
from treewright.tree import Split, Tree, settle_missing

__all__ = ["AdditiveQuestion", "as_shares", "interrupted", "search_all_thresholds"]

MOST_TOLERANCE = 1e-8  # of the loss of one leaf
NODES_OF_ONE_SPLIT = 3
ENGINE = {"engine": "ranked", "engine_reason": "it looks at all thresholds"}

Result = TypeVar("Result", bound=SolveResult)


def search_all_thresholds(
    problem: TreeProblem,
    loss: AdditiveLoss,
    one_leaf: float,
    *,
    limits: Limits | None,
    options: RankedOptions | None,
    progress: ProgressCallback | None,
    candidates: Sequence[CandidateSplits] | None = None,
    share_of: float | None = None,
) -> AdditiveAnswer:
    """Search the ranked columns of a problem, within its limits; progress is told in shares.

    Parameters
    ----------
    problem : TreeProblem
    loss : AdditiveLoss
    one_leaf : float
        Loss of a single leaf, above 0.
    limits, options, progress, candidates, share_of
        As in `solve_additive`.
    """
    limits = (limits or Limits()).started()
    stop = ends_unranked(problem, limits, options, few_values=True)
    if stop is not None:
        at_stake = max(one_leaf - loss.unavoidable(), 0.0) if share_of is None else share_of
        leaf_penalty = problem.cost_complexity * at_stake
        splits = loss.best_split(problem.table, problem.min_samples_leaf, 1 - leaf_penalty / one_leaf)
        if splits is not None:
            return _unranked(problem, loss, one_leaf, splits, stop, options, leaf_penalty)
    return solve_additive(
        problem.table,
        loss,
        cost_complexity=problem.cost_complexity,
        max_depth=problem.max_depth,
        max_leaf_nodes=problem.max_leaf_nodes,
        min_samples_leaf=problem.min_samples_leaf,
        limits=limits,
        options=options,
        progress=as_shares(progress, one_leaf),
        candidates=candidates,
        share_of=share_of,
    )


def interrupted(
    problem: TreeProblem, loss: AdditiveLoss, one_leaf: float, options: BinaryOptions | None
) -> AdditiveAnswer:
    """Return the best tree of one split, or a single leaf, as the answer of a search that Ctrl-C ended at its begin.

    Parameters
    ----------
    problem : TreeProblem
        Its leaf penalty is a share of `one_leaf`.
    loss : AdditiveLoss
    one_leaf : float
        Loss of a single leaf, above 0.
    options : BinaryOptions or None
        Of the search.
    """
    penalty, leaf = problem.cost_complexity * one_leaf, one_split(None)
    split = _one_split(problem, loss)
    splits = leaf if split is None or loss_of(split, problem.table, loss) + penalty >= one_leaf else split
    return _unranked(
        problem,
        loss,
        one_leaf,
        splits,
        StopReason.INTERRUPT,
        options or BinaryOptions(),
        penalty,
        NOTHING_SEARCHED,
    )


def _unranked(
    problem: TreeProblem,
    loss: AdditiveLoss,
    one_leaf: float,
    splits: list[Split | None],
    stop: StopReason,
    options: BinaryOptions | RankedOptions | None,
    leaf_penalty: float,
    stats: Mapping[str, Any] = NOTHING_COUNTED | UNRANKED,
) -> AdditiveAnswer:
    """Return the best tree of one split as the answer of a search that ended before it began."""
    tree_loss = loss_of(splits, problem.table, loss)
    objective = tree_loss + leaf_penalty * (2 if len(splits) > 1 else 1)
    return AdditiveAnswer(
        tuple(splits),
        False,
        objective,
        min(objective, loss.unavoidable() + leaf_penalty),
        tree_loss,
        one_leaf,
        leaf_penalty,
        0.0,
        stop,
        dict(stats),
        (options or RankedOptions()).used(),
    )


def as_shares(progress: ProgressCallback | None, one_leaf: float) -> ProgressCallback | None:
    """Return a callback that tells `progress` objectives as shares of one leaf's loss."""
    return retold(
        progress,
        lambda now: replace(now, objective=now.objective / one_leaf, lower_bound=now.lower_bound / one_leaf),
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class AdditiveQuestion(Generic[Result]):
    """What a loss says of itself; the search and what is made of its answer are the same for all.

    Parameters
    ----------
    kind : type
        Of the result.
    problem : TreeProblem
    loss : AdditiveLoss
        What is searched; prunings are judged by it.
    one_leaf : float
        Loss of a single leaf.
    grow : callable
        From splits, depth-first, to the tree.
    options : mapping
        What is asked, beside the limits.
    rounded : str
        What is rounded, in words that begin a sentence: "The rewards".
    nothing_to_gain : str
        Why one leaf is enough, where it has no loss.
    measure : callable, default=None
        Loss of a tree in units of `one_leaf`, where it is not `loss`.
    leaves_choose : bool, default=False
        Whether there are several trees of one leaf, as where its line may be in any column.
    tolerance : float, default=0.0
        What may be lost beside that of an answer.
    stats : callable, default=none
        Further statistics of a tree.
    """

    kind: type[Result]
    problem: TreeProblem
    loss: AdditiveLoss
    one_leaf: float
    grow: Callable[[Any], Tree]
    options: Mapping[str, Any]
    rounded: str
    nothing_to_gain: str
    measure: Callable[[Tree], float] | None = None
    leaves_choose: bool = False
    tolerance: float = 0.0
    stats: Callable[[Tree], Mapping[str, Any]] = lambda _: {}

    def solved(
        self, limits: Limits | None, options: RankedOptions | None, progress: ProgressCallback | None
    ) -> Result:
        """Return the result over all thresholds."""
        if self.one_leaf == 0:
            return self.trivial()
        answer = search_all_thresholds(
            self.problem, self.loss, self.one_leaf, limits=limits, options=options, progress=progress
        )
        return self.answered(answer)

    def trivial(self) -> Result:
        """Return the result of a problem that a single leaf solves without loss."""
        problem, tree = self.problem, self.grow([None])
        return self.kind(
            tree=tree,
            status=SolveStatus.OPTIMAL,
            objective=problem.cost_complexity,
            lower_bound=problem.cost_complexity,
            loss=0.0,
            scope=scope_of_all(problem.table),
            stats={"seconds": 0.0, "subproblems": 0, "tolerance": 0.0, **self.stats(tree)},
            options={**self.options, **_limits_of(problem)},
            notes=(*problem.notes, self.nothing_to_gain),
        )

    def answered(self, answer: AdditiveAnswer, notes: tuple[str, ...] = ()) -> Result:
        """Return the result of a search, with what is proven of its tree; `notes` are those of a proof.

        Warns
        -----
        RefutedProofWarning
            A pruning of the tree is better than was claimed possible. It is handed out without any claim.
        """
        return kept_result(partial(self._answered, answer, notes))

    def _answered(self, answer: AdditiveAnswer, notes: tuple[str, ...]) -> Result:
        problem, loss, one_leaf, grow = self.problem, self.loss, self.one_leaf, self.grow
        leaf_penalty = problem.cost_complexity

        def share_of(tree: Tree) -> float:
            if self.measure is not None:
                return self.measure(tree) / one_leaf
            return loss_of(list(tree.splits), problem.table, loss) / one_leaf

        tree, is_only = grow(answer.splits), not self.leaves_choose and _is_one_leaf(problem)
        share = answer.loss / one_leaf if self.measure is None else share_of(tree)
        objective = share + leaf_penalty * tree.n_leaves
        open_to = 0.0 if is_only else (answer.tolerance + self.tolerance) / one_leaf
        bound = (
            max(objective - open_to, leaf_penalty)  # every tree has a leaf
            if answer.proven or is_only
            else max((answer.lower_bound - self.tolerance) / one_leaf, leaf_penalty)
        )
        finished, is_coarse = answer.proven or is_only, open_to > MOST_TOLERANCE
        refuted = answer.refuted
        # Of equal trees the one with fewer leaves.
        others = [(_pruned(problem, tree, loss, one_leaf), ROUNDING)]
        if is_coarse:
            others.append((_one_split(problem, loss), 0.0))
        for splits, as_good in others:
            if splits is None:
                continue
            other = grow(splits)
            other_share = share_of(other)
            other_objective = other_share + leaf_penalty * other.n_leaves
            if other_objective < bound - ROUNDING:
                refuted = (*refuted, refute(f"no objective below {bound:.9g}", f"{other_objective:.9g}"))
                finished, bound = False, leaf_penalty  # every tree has a leaf
            if (is_coarse or not finished) and other_objective < objective + as_good:
                tree, share, objective = other, other_share, other_objective
        proven = finished and not is_coarse
        told = (*problem.notes, *problem.table.notes, *(notes if proven else ()))
        if finished and not proven:
            told = (*told, note_of_rounding(self.rounded, open_to))
        rows, weight = problem.table.X, problem.sample_weight
        return self.kind(
            tree=settle_missing(tree, rows, weight),
            status=SolveStatus.OPTIMAL if proven else SolveStatus.FEASIBLE,
            objective=objective,
            lower_bound=max(0.0, min(objective, bound)),
            loss=share,
            scope=scope_of_all(problem.table),
            stop_reason=None if answer.proven or is_only else answer.stop,
            stats={**ENGINE, **answer.stats, "tolerance": open_to, **self.stats(tree)},
            options={**self.options, **_limits_of(problem), **answer.options},
            notes=(*told, *refuted),
        )


def _is_one_leaf(problem: TreeProblem) -> bool:
    """Whether one leaf is the only tree that is allowed: the best one, however numbers are rounded."""
    return problem.max_depth == 0 or problem.max_leaf_nodes == 1


def _one_split(problem: TreeProblem, loss: AdditiveLoss) -> list[Split | None] | None:
    """Return the best tree of one split, None where there is none."""
    if _is_one_leaf(problem):
        return None
    table, least = problem.table, problem.min_samples_leaf

    def cost(split: Split) -> float:
        return loss_of(one_split(split), table, loss)

    split = best_split_of_table(table, cost, lambda numbers: loss.best_split(numbers, least), least)
    return None if split is None else one_split(split)


def _limits_of(problem: TreeProblem) -> dict[str, Any]:
    return {
        name: getattr(problem, name)
        for name in ("cost_complexity", "max_depth", "max_leaf_nodes", "min_samples_leaf")
    }


def _pruned(
    problem: TreeProblem, tree: Tree, loss: AdditiveLoss, one_leaf: float
) -> list[Split | None] | None:
    """Return the splits of the best pruning of a tree, None if it is the tree itself."""
    table, leaf_penalty = problem.table, problem.cost_complexity
    if len(tree.splits) == 1:
        return None
    # Of one split there are so few prunings that no sums are made for them.
    sums = None if len(tree.splits) <= NODES_OF_ONE_SPLIT else loss.row_sums()
    if sums is not None:
        about: dict[str, Any] = {"one_leaf": one_leaf, "cost_complexity": leaf_penalty}
        return pruned_splits(table, tree.splits, sums, seconds=SECONDS_OF_PRUNING, **about)
    least = problem.min_samples_leaf

    def cost(rows: NDArray[np.intp]) -> float:
        return leaf_penalty + loss.leaf_loss(rows) / one_leaf if len(rows) >= least else math.inf

    return pruned_by_leaves(table, tree.splits, cost, slack=ROUNDING, seconds=SECONDS_OF_PRUNING)
