"""The trees of a set in their order: by place, all, drawn, found again, or the first that passes a test."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from treewright._numbers import is_whole
from treewright._plural import kind_of
from treewright.convert import TreeLike, tree_of
from treewright.errors import InputError
from treewright.near_optimal._bounds import check_count
from treewright.near_optimal._counts import Cell
from treewright.near_optimal._described import DescribedSet
from treewright.near_optimal._order import Step, place_of, tree_at
from treewright.problem import Problem
from treewright.result import SolveResult, SolveStatus, chosen_options, is_shallow_note
from treewright.tree import Split, Tree, grow

__all__ = ["OrderedSet"]


@dataclass(frozen=True, eq=False, repr=False)
class OrderedSet(DescribedSet):
    """A set whose trees can be had."""

    def __getitem__(self, place: int) -> Tree:
        """Return the tree at a place: 0 is the best, -1 the worst."""
        if not is_whole(place):
            raise TypeError(f"{place!r} is not a rank in the set; give an integer.")
        _, cell, place = self._cell_at(int(place))
        return self._tree(tree_at(self.counts, 0, cell, place))

    def _cell_at(self, place: int) -> tuple[Fraction, Cell, int]:
        """Return the objective (in errors), leaves and errors of a place, and which of their trees it is."""
        wanted = place + (self.n_trees_ if place < 0 else 0)
        if not 0 <= wanted < self.n_trees_:
            raise IndexError(f"There are {self.n_trees_} trees; there is none at rank {place}.")
        for cost, cell, count in self._cells:
            if wanted < count:
                return cost, cell, wanted
            wanted -= count
        raise AssertionError("the counts add up to n_trees_")

    def __iter__(self) -> Iterator[Tree]:
        """Yield all trees, best objective first."""
        for _, cell, count in self._cells:
            for place in range(count):
                yield self._tree(tree_at(self.counts, 0, cell, place))

    def sample(self, n: int, random_state: int | None = None) -> list[Tree]:
        """Draw trees at random, each as likely as any other, with repetition.

        Parameters
        ----------
        n : int
            Number of draws. 20,000 tell any share among the trees to within .014 with 99.9 % confidence
            (Dvoretzky-Kiefer-Wolfowitz).
        random_state : int, default=None
            Seed; the same seed draws the same trees.

        Returns
        -------
        list of Tree

        Raises
        ------
        InputError
            The set is empty, or `n` or `random_state` is not an integer of at least 0.

        Examples
        --------
        >>> from treewright import near_optimal_trees
        >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "yes"]
        >>> trees = near_optimal_trees(X, y, cost_complexity=0.05, max_depth=2, epsilon=1.0)
        >>> len(trees.sample(100, random_state=0))
        100
        """
        check_count("n", n, 0)
        if random_state is not None:
            check_count("random_state", random_state, 0)
        if self.n_trees_ == 0:
            raise InputError("No tree can be drawn: the set is empty.")
        draw = random.Random(None if random_state is None else int(random_state))
        return [self[draw.randrange(self.n_trees_)] for _ in range(n)]

    def rank(self, tree: TreeLike) -> int | None:
        """Return the place of a tree in the set.

        Parameters
        ----------
        tree : Tree, SolveResult or fitted estimator
            Over the columns and labels of the set's table.

        Returns
        -------
        int or None
            0 is the best; None if the tree is not in the set.

        Raises
        ------
        InputError
            It is or holds no tree, or one with other columns or labels than the table of this set.

        Examples
        --------
        >>> from treewright import near_optimal_trees
        >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "yes"]
        >>> trees = near_optimal_trees(X, y, cost_complexity=0.05, max_depth=2, epsilon=1.0)
        >>> trees.rank(trees[2])
        2
        """
        steps = self._steps(self._own_tree(tree))
        found = None if steps is None else place_of(self.counts, 0, steps)
        if found is None:
            return None
        before = 0
        for _, cell, count in self._cells:
            if cell == found[0]:
                return before + found[1]
            before += count
        return None

    def __contains__(self, tree: object) -> bool:
        holds_one = isinstance(tree, (Tree, SolveResult)) or hasattr(tree, "fit")
        return holds_one and self.rank(tree) is not None

    def first(
        self, predicate: Callable[[Tree], bool], at_most: int = 100_000
    ) -> tuple[Tree | None, int, float]:
        """Return the best tree that passes any test.

        Parameters
        ----------
        predicate : callable
            Gets a `Tree` and returns True or False; what it raises is raised.
        at_most : int, default=100000
            How many trees to look at.

        Returns
        -------
        tree : Tree or None
        n_looked_at : int
        bound : float
            No tree that passes has a smaller objective: that of the tree, or of the last one looked at. Where
            the whole set was looked at, no tree up to `bound_` passes.

        Raises
        ------
        InputError
            `predicate` cannot be called, or returns what is neither true nor false, such as an array; or `at_most` is
            not an integer of at least 0.

        Examples
        --------
        >>> from treewright import near_optimal_trees
        >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "yes"]
        >>> trees = near_optimal_trees(X, y, cost_complexity=0.05, max_depth=2, epsilon=1.0)
        >>> tree, looked_at, bound = trees.first(lambda tree: tree.n_leaves < 3)
        >>> tree.n_leaves, looked_at
        (1, 3)
        """
        if not callable(predicate):
            raise InputError(
                f"predicate={predicate!r}; give a function that takes a Tree and returns True or False."
            )
        check_count("at_most", at_most, 0)
        looked, bound = 0, self.best.lower_bound
        for cost, cell, count in self._cells:
            bound = float(cost * self.graph.unit)
            for place in range(count):
                if looked == at_most:
                    return None, looked, bound
                looked += 1
                tree = self._tree(tree_at(self.counts, 0, cell, place))
                if _passes(predicate, tree):
                    return tree, looked, bound
        return None, looked, self.bound_

    def result(self, place: int = 0) -> SolveResult:
        """Return the tree at a place with what is proven about it, to be shown, saved or verified.

        Parameters
        ----------
        place : int, default=0
            0 is the best, -1 the worst.

        Returns
        -------
        SolveResult
            Proven optimal if the tree's objective is the least of all; else it says that the tree was chosen, with
            the least as its lower bound. A note says where it stands.

        Raises
        ------
        IndexError
            The set has no such place.

        Examples
        --------
        >>> from treewright import near_optimal_trees
        >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "yes"]
        >>> trees = near_optimal_trees(X, y, cost_complexity=0.05, max_depth=2, epsilon=1.0)
        >>> trees.result(2).objective
        0.3
        """
        tree = self[place]
        cost, cell, _ = self._cell_at(int(place))
        number = int(place) + (self.n_trees_ if place < 0 else 0) + 1
        best, graph = self.best, self.graph
        proven = best.status is SolveStatus.OPTIMAL
        if graph.rounding:
            loss = _loss(graph.problem, tree)
            objective = loss + graph.problem.cost_complexity * tree.n_leaves
            chosen = objective > best.objective
            optimal, least = proven and not chosen, min(objective, best.lower_bound)
        else:  # as in `table`: rounded once, so that it is a bound that keeps the tree
            loss, objective = float((graph.base + cell[1]) * graph.unit), float(cost * graph.unit)
            chosen, optimal = cost != self.least, proven and cost == self.least
            least = objective if optimal else min(objective, best.lower_bound)
        note = (
            f"Chosen among near-optimal trees: number {number:,} in order of the objective. {self.sentence()}"
        )
        if chosen:  # what was proven of shallower trees is that none of them is better than another tree
            notes = tuple(said for said in best.notes if not is_shallow_note(said))
            stats = {name: value for name, value in best.stats.items() if not name.startswith("proven_depth")}
            best = replace(
                best,
                options={**best.options, **chosen_options(graph.any_label)},
                notes=notes,
                stats=stats,
            )
        return replace(
            best,
            tree=tree,
            loss=loss,
            objective=objective,
            lower_bound=least,
            status=SolveStatus.OPTIMAL if optimal else SolveStatus.FEASIBLE,
            stop_reason=None if optimal else best.stop_reason,
            notes=(*best.notes, note),
        )

    # From numbers of splits to trees and back.

    def _tree(self, steps: list[Step]) -> Tree:
        problem, split_matrix = self.graph.problem, self.graph.split_matrix
        splits: list[Split | None] = [split_matrix.splits[step] if step >= 0 else None for step in steps]
        tree = grow(
            problem.table.columns,
            problem.classes,
            splits,
            problem.table.X,
            problem.y,
            problem.sample_weight,
            problem.costs,
        )
        labels = np.array(
            [-1 - step if step < 0 else label for step, label in zip(steps, tree.prediction, strict=True)]
        )
        return replace(tree, prediction=labels.astype(np.int32))

    def _own_tree(self, model: TreeLike) -> Tree:
        """Return the tree of a model that may be a tree of this set."""
        tree, problem = tree_of(model), self.graph.problem
        if tree.columns != problem.table.columns:
            raise InputError("The columns of the tree are not those of the table of this set.")
        if (
            tree.classes is None
            or not tree.predicts_classes
            or not np.array_equal(tree.classes, problem.classes)
        ):
            raise InputError("The labels of the tree are not those of this set.")
        return tree

    def _steps(self, tree: Tree) -> list[Step] | None:
        numbers = {split: number for number, split in enumerate(self.graph.split_matrix.splits)}
        steps = []
        for node, split in enumerate(tree.splits):
            if split is None:
                steps.append(-1 - int(tree.prediction[node]))
            elif split in numbers:
                steps.append(numbers[split])
            else:
                return None
        return steps


def _passes(predicate: Callable[[Tree], bool], tree: Tree) -> bool:
    answer = predicate(tree)
    try:
        if isinstance(answer, str):  # "no" would be true
            raise TypeError
        return bool(answer)
    except (TypeError, ValueError):  # of an array, a series or a missing value
        raise InputError(
            f"The test of a tree returned {kind_of(answer)}, which is neither true nor false; return one True or False "
            "for the tree, such as numpy.all(...)."
        ) from None


def _loss(problem: Problem, tree: Tree) -> float:
    """Return the weighted share of wrong predictions, or their cost, as float64."""
    label = tree.prediction[tree.apply(problem.table.X)]
    return float(np.sum(problem.sample_weight * problem.costs[problem.y, label])) / problem.total_weight
