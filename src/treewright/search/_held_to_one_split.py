"""Where numbers were rounded too far for a proof: the tree is held against the best tree of one split, in float64.

An engine compares whole numbers. Weights of very different size may become so coarse in them that a tree which is best
by these numbers is worse than a single split by the numbers that were given. Such a result claims no proof; this keeps
it from being worse than what anyone can check by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from treewright.binarize import CandidateSplits, SplitMatrix, candidates_of
from treewright.problem import Problem
from treewright.result import SolveResult
from treewright.search._counted import counted_tree
from treewright.search._result import measured
from treewright.search._single_split import COSTS, best_of_splits, one_split, split_of_labels
from treewright.search._space import RankedSpace
from treewright.table import Table
from treewright.tree import ColumnKind, Split, ThresholdSplit, Tree

__all__ = ["best_split", "best_split_of_classes", "best_split_of_table", "cheaper_tree", "held_to_one_split"]

MOST_WORK = 500_000  # splits times rows that are counted one by one


def held_to_one_split(problem: Problem, result: SolveResult, space: SplitMatrix | RankedSpace) -> SolveResult:
    """Return the result, with the best tree of one split where that is better; only where numbers were rounded.

    Parameters
    ----------
    problem : Problem
    result : SolveResult
    space : SplitMatrix or RankedSpace
        The splits that the result is about.
    """
    if not result.is_rounded or problem.max_depth == 0 or problem.max_leaf_nodes == 1:
        return result
    tree = cheaper_tree(problem, result.tree, best_split(problem, space))
    loss, objective = measured(problem, tree)
    if tree is result.tree:
        return result
    bound = min(objective, result.lower_bound)
    return replace(result, tree=tree, loss=loss, objective=objective, lower_bound=bound)


def cheaper_tree(problem: Problem, tree: Tree, split: Split | None) -> Tree:
    """Return the tree of a split, or a single leaf for None, if it is cheaper than another one; else that.

    Parameters
    ----------
    problem : Problem
    tree : Tree
    split : Split or None
    """
    other = counted_tree(problem, one_split(split))
    return other if measured(problem, other)[1] < measured(problem, tree)[1] else tree


def best_split(problem: Problem, space: SplitMatrix | RankedSpace) -> Split | None:
    """Return the split that costs least among those of a search; None where none has room for two leaves.

    Parameters
    ----------
    problem : Problem
    space : SplitMatrix or RankedSpace
    """
    if isinstance(space, RankedSpace):
        return best_split_of_classes(problem, space.candidates)
    number = best_of_splits(problem, space)
    return None if number is None else space.splits[number]


def best_split_of_classes(problem: Problem, candidates: Sequence[CandidateSplits] = ()) -> Split | None:
    """Return the split that costs least among all splits of the table of a problem.

    Parameters
    ----------
    problem : Problem
    candidates : sequence of CandidateSplits, default=()
        As in `best_split_of_table`.
    """
    y, weight = problem.y, problem.sample_weight
    n_classes, least = problem.n_classes, problem.min_samples_leaf

    def cost(split: Split) -> float:
        left = split.goes_left(problem.table.X)
        sides = (np.bincount(y[side], weight[side], n_classes) @ problem.costs for side in (left, ~left))
        return float(sum(paid.min() for paid in sides))

    def of_numbers(table: Table) -> list[Split | None]:
        return one_split(split_of_labels(table, COSTS, y, weight, n_classes, least, problem.costs))

    return best_split_of_table(problem.table, cost, of_numbers, least, candidates)


def best_split_of_table(
    table: Table,
    cost: Callable[[Split], float],
    of_numbers: Callable[[Table], list[Split | None] | None],
    min_leaf: int,
    candidates: Sequence[CandidateSplits] = (),
) -> Split | None:
    """Return the split of least cost; None where no split has `min_leaf` rows on both sides.

    Parameters
    ----------
    table : Table
    cost : callable
        Of the tree of a split.
    of_numbers : callable
        Finds the best tree of one split of a table without text; None where that takes ranks: all are counted then.
    min_leaf : int
    candidates : sequence of CandidateSplits, default=()
        What the columns offer, where that is known already.

    Notes
    -----
    Of a small table each split is counted by itself: nothing cancels in its two sums. A larger one leaves the numbers
    to the compiled core, which takes the rows on the right as the difference of all and those on the left, and only the
    heaviest categories are looked at.
    """
    some = list(candidates or candidates_of(table))
    most = MOST_WORK // max(1, table.n_rows)
    best: list[Split | None] | None = None
    numbers = [j for j, column in enumerate(table.columns) if column.kind is not ColumnKind.CATEGORICAL]
    if numbers and sum(offered.n_splits() for offered in some) > most:
        best = of_numbers(_with_columns(table, numbers))
    found: list[Split] = []
    if best is not None and best[0] is not None:
        assert isinstance(best[0], ThresholdSplit)  # of numbers
        found.append(replace(best[0], column=numbers[best[0].column]))
    done = set() if best is None else set(numbers)
    for offered in some:
        if offered.position not in done:
            found += offered.splits(max(0, most - len(found)))
    n_left = ((split, int(split.goes_left(table.X).sum())) for split in found)
    kept = [split for split, n in n_left if min(n, table.n_rows - n) >= max(1, min_leaf)]
    return min(kept, key=cost, default=None)


def _with_columns(table: Table, positions: list[int]) -> Table:
    if len(positions) == len(table.columns):
        return table
    X = np.asfortranarray(table.X[:, positions])
    return replace(table, columns=tuple(table.columns[j] for j in positions), X=X)
