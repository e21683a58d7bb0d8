"""The set of all near-optimal trees, as an object that people ask."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import InputError
from treewright.near_optimal._answers import ColumnUse, Size
from treewright.near_optimal._bounds import check_bound, check_count, up_to
from treewright.near_optimal._graph import Cell, Counts, Membership, SetGraph
from treewright.near_optimal._order import Step, place_of, tree_at
from treewright.near_optimal._votes import vote_counts
from treewright.result import SolveResult, SolveStatus, StopReason, constraints_in_words
from treewright.tree import Split, Tree, grow

__all__ = ["NearOptimalTrees"]


@dataclass(frozen=True, eq=False)
class NearOptimalTrees:
    """All trees whose objective is at most a bound.

    Made by `treewright.near_optimal_trees`. The trees are ordered by objective, then by leaves; equal ones by
    a rule that does not depend on the order of rows. Nothing is listed: the set is held as one graph, whatever
    its size.

    Parameters
    ----------
    counts : Counts
        The graph, which trees of it belong to this set, and the number of subtrees at each node.
    best : SolveResult
        The optimal tree with its certificate.
    least : Fraction
        Objective of `best`, in errors.
    asked : Fraction
        The bound that was asked for, in errors.
    stop_reason : StopReason or None
        What ended the run before the bound was reached; the set is then complete up to `bound_`, which is smaller.
    rules : tuple of str, default=()
        What `where` was asked, in words.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import near_optimal_trees
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> trees = near_optimal_trees(X, y, cost_complexity=0.02, max_depth=3, epsilon=0.1)
    >>> trees.status_, trees[0].n_leaves
    ('complete', 3)
    >>> tree, looked_at, bound = trees.first(lambda tree: tree.depth == 2)
    >>> tree in trees
    True
    """

    counts: Counts
    best: SolveResult
    least: Fraction
    asked: Fraction
    stop_reason: StopReason | None = None
    rules: tuple[str, ...] = ()

    @property
    def graph(self) -> SetGraph:
        """All trees up to the bound, sharing their subtrees."""
        return self.counts.graph

    @property
    def membership(self) -> Membership:
        """Which trees of the graph belong to this set."""
        return self.counts.membership

    @cached_property
    def _cells(self) -> list[tuple[Fraction, Cell, int]]:
        """Objective in errors, leaves and errors, and number of trees, in the order of the set."""
        graph = self.graph
        return sorted(
            (graph.base + errors + graph.leaf_price * leaves, (leaves, errors), count)
            for (leaves, errors), count in self.counts.cells(0).items()
        )

    @cached_property
    def n_trees_(self) -> int:
        """How many trees are in the set: exact, however large."""
        return sum(count for _, _, count in self._cells)

    @property
    def bound_(self) -> float:
        """Largest objective of a tree in the set; the set is complete up to it.

        nan if a run was stopped before it had proven anything: `status_` says so.
        """
        budget = self.membership.budget
        return float(budget * self.graph.unit) if budget >= 0 else math.nan

    @property
    def status_(self) -> str:
        """Either "complete", or up to which objective the set is complete and why."""
        if self.stop_reason is None:
            return "complete"
        asked = float(self.asked * self.graph.unit)
        if self.membership.budget < 0:
            return f"not known: nothing was proven up to any objective ({self.stop_reason.value})"
        how_far = "below" if self.graph.empty else "up to"
        return f"complete {how_far} an objective of {self.bound_:.6g} instead of {asked:.6g} ({self.stop_reason.value})"

    def sentence(self) -> str:
        """Say in plain sentences what the set is and what is proven.

        Returns
        -------
        str
            Of an empty set: that there is no such tree, which is a proof as far as the set is complete.
        """
        if self.membership.budget < 0:
            return f"The set is {self.status_}; the least that was found is {self.best.objective:.6g}, not proven."
        n = self.n_trees_
        trees = "no tree" if n == 0 else "1 tree" if n == 1 else f"{n:,} trees"
        if self.rules:
            trees += f" {' and '.join(self.rules)}"
        bound = f"{'below' if self.graph.empty else 'of at most'} {self.bound_:.6g}"
        within = f"{'have' if n > 1 else 'has'} an objective {bound}"
        said = f"Among all trees{constraints_in_words(self.best.options)} over {self.best.scope}, {trees} {within}"
        if self.rules and n:
            said += f", the best of them {float(self._cells[0][0] * self.graph.unit):.6g}"
        proven = (
            f"the least of all is {self.best.objective:.6g}, proven"
            if self.best.status is SolveStatus.OPTIMAL
            else f"the least that was found is {self.best.objective:.6g}, not proven"
        )
        return f"{said}; {proven}. The set is {self.status_}."

    def table(self) -> list[Size]:
        """Return how many trees there are of each size and loss.

        Returns
        -------
        list of Size
            Best objective first; at equal objectives fewer leaves first. The numbers of trees add up to
            `n_trees_`.
        """
        graph = self.graph
        return [
            Size(leaves, float((graph.base + errors) * graph.unit), float(cost * graph.unit), count)
            for cost, (leaves, errors), count in self._cells
        ]

    # The trees themselves.

    def __len__(self) -> int:
        if self.n_trees_ >= 2**63:
            raise OverflowError("More trees than len() can say; use n_trees_.")
        return self.n_trees_

    def __bool__(self) -> bool:
        return self.n_trees_ > 0

    def __getitem__(self, place: int) -> Tree:
        """Return the tree at a place: 0 is the best, -1 the worst."""
        if isinstance(place, bool) or not isinstance(place, (int, np.integer)):
            raise TypeError(f"{place!r} is no place in the set; give an integer.")
        _, cell, place = self._cell_at(int(place))
        return self._tree(tree_at(self.counts, 0, cell, place))

    def _cell_at(self, place: int) -> tuple[Fraction, Cell, int]:
        """Return the objective (in errors), leaves and errors of a place, and which of their trees it is."""
        wanted = place + (self.n_trees_ if place < 0 else 0)
        if not 0 <= wanted < self.n_trees_:
            raise IndexError(f"There are {self.n_trees_} trees; there is none at {place}.")
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
            The set is empty, or `n` is no integer of at least 0.
        """
        check_count("n", n, 0)
        if self.n_trees_ == 0:
            raise InputError("There is no tree to draw: the set is empty.")
        draw = random.Random(random_state)
        return [self[draw.randrange(self.n_trees_)] for _ in range(n)]

    def rank(self, tree: Tree) -> int | None:
        """Return the place of a tree in the set.

        Parameters
        ----------
        tree : Tree
            Over the columns and labels of the set's table.

        Returns
        -------
        int or None
            0 is the best; None if the tree is not in the set.

        Raises
        ------
        InputError
            The tree has other columns or labels than the table of this set.
        """
        problem = self.graph.problem
        if tree.columns != problem.table.columns:
            raise InputError("The tree speaks of other columns than the table of this set.")
        if (
            tree.classes is None
            or not tree.predicts_classes
            or not np.array_equal(tree.classes, problem.classes)
        ):
            raise InputError("The tree predicts other labels than those of this set.")
        steps = self._steps(tree)
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
        return isinstance(tree, Tree) and self.rank(tree) is not None

    def first(
        self, predicate: Callable[[Tree], bool], at_most: int = 100_000
    ) -> tuple[Tree | None, int, float]:
        """Return the best tree that passes any test.

        Parameters
        ----------
        predicate : callable
            Gets a `Tree`; what it raises is raised.
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
            `predicate` cannot be called, or `at_most` is no integer of at least 0.
        """
        if not callable(predicate):
            raise InputError(
                f"predicate={predicate!r}; give a function that takes a Tree and answers yes or no."
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
                if predicate(tree):
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
            Proven optimal if the tree's objective is the least of all; else with the least as its lower bound, and
            a note that says where it stands.

        Raises
        ------
        IndexError
            The set has no such place.
        """
        tree = self[place]
        cost, cell, _ = self._cell_at(int(place))
        number = int(place) + (self.n_trees_ if place < 0 else 0) + 1
        best, graph = self.best, self.graph
        optimal = best.status is SolveStatus.OPTIMAL and cost == self.least
        loss = float((graph.base + cell[1]) * graph.unit)
        objective = loss + graph.problem.cost_complexity * tree.n_leaves
        note = (
            f"Chosen among near-optimal trees: number {number:,} in order of the objective. {self.sentence()}"
        )
        return replace(
            best,
            tree=tree,
            loss=loss,
            objective=objective,
            lower_bound=objective if optimal else min(objective, best.lower_bound),
            status=SolveStatus.OPTIMAL if optimal else SolveStatus.FEASIBLE,
            stop_reason=None if optimal else best.stop_reason,
            notes=(*best.notes, note),
        )

    # Smaller sets.

    def where(
        self,
        *,
        without: str | Sequence[str] | None = None,
        only: str | Sequence[str] | None = None,
        root: str | Sequence[str] | None = None,
        max_leaves: int | None = None,
        max_objective: float | None = None,
    ) -> NearOptimalTrees:
        """Return the trees that keep rules; rules add up.

        Parameters
        ----------
        without : str or sequence of str, default=None
            Columns that no split asks.
        only : str or sequence of str, default=None
            The only columns that splits ask.
        root : str or sequence of str, default=None
            Columns one of which the first split asks; a tree of one leaf has none, and is left out.
        max_leaves : int, default=None
            Largest number of leaves.
        max_objective : float, default=None
            Largest objective; a tree exactly on it stays.

        Returns
        -------
        NearOptimalTrees
            Perhaps empty: then no tree up to `bound_` keeps the rules, which is a proof.

        Raises
        ------
        InputError
            A column that the table does not have, or a limit that is no number.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from treewright import near_optimal_trees
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> trees = near_optimal_trees(X, y, cost_complexity=0.02, max_depth=3, epsilon=0.2)
        >>> bool(trees.where(without=["petal length (cm)", "petal width (cm)"]))
        False
        """
        member = self.membership
        every = range(len(self.graph.cuts.splits))
        open_splits, root_splits = member.open_splits, member.root_splits
        if without is not None:
            closed = self._columns("without", without)
            open_splits = _both(open_splits, (s for s in every if self._column(s) not in closed))
        if only is not None:
            kept = self._columns("only", only)
            open_splits = _both(open_splits, (s for s in every if self._column(s) in kept))
        if root is not None:
            first = self._columns("root", root)
            root_splits = _both(root_splits, (s for s in every if self._column(s) in first))
        rules = [
            *self.rules,
            *_in_words("without", without, " or "),
            *_in_words("with no columns but", only, ", "),
            *_in_words("with the first split on", root, " or "),
        ]
        fewer: dict[str, Any] = {}
        if max_leaves is not None:
            check_count("max_leaves", max_leaves, 1)
            rules.append(f"of at most {max_leaves} {'leaf' if max_leaves == 1 else 'leaves'}")
            max_leaves = min(int(max_leaves), member.max_leaves or int(max_leaves))
        else:
            max_leaves = member.max_leaves
        budget = member.budget
        if max_objective is not None:
            check_bound(max_objective=max_objective)
            wanted = up_to(max_objective) / self.graph.unit
            fewer["asked"] = min(wanted, self.asked)
            if wanted <= budget:  # all that is asked for now is there
                budget, fewer["stop_reason"] = wanted, None
        smaller = Membership(budget, max_leaves, open_splits, root_splits)
        counts = Counts(self.graph, smaller, self.counts.raw["n_words"])
        return replace(self, counts=counts, rules=tuple(rules), **fewer)

    # What the trees have in common.

    def columns(self) -> list[ColumnUse]:
        """Say for each column in how many trees it is asked, and what the best tree with and without it costs.

        Returns
        -------
        list of ColumnUse
            In the order of the table. Where ``best_without`` is None, no tree within the bound does without the
            column: it is needed.
        """
        out = []
        first = self._by_first_split()
        for number, name in enumerate(self.graph.problem.table.names):
            without = self.where(without=name)
            others = without.counts.cells(0)
            with_it = [cost for cost, cell, count in self._cells if count > others.get(cell, 0)]
            at_root = sum(first[split] for split in first if self._column(split) == number)
            out.append(
                ColumnUse(
                    name,
                    1 - without.n_trees_ / self.n_trees_ if self.n_trees_ else 0.0,
                    at_root / self.n_trees_ if self.n_trees_ else 0.0,
                    float(min(with_it) * self.graph.unit) if with_it else None,
                    float(without._cells[0][0] * self.graph.unit) if without._cells else None,
                )
            )
        return out

    def vote_share(self) -> NDArray[np.float64]:
        """Return for each training row the share of the trees that predict each label, shape (n_rows, n_classes).

        Computed from exact counts, without listing trees.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Rows add up to 1, up to rounding.

        Raises
        ------
        InputError
            The set is empty.
        """
        if self.n_trees_ == 0:
            raise InputError("The set is empty: there is no vote.")
        return vote_counts(self.counts, self.n_trees_)

    def reachable_labels(self) -> NDArray[np.bool_]:
        """Return for each training row which labels some tree of the set predicts.

        Returns
        -------
        ndarray of bool, shape (n_rows, n_classes)

        Raises
        ------
        InputError
            The set is empty.
        """
        return self.vote_share() > 0

    def ambiguity(self) -> float:
        """Return the weighted share of training rows that some tree labels unlike the best tree does.

        Returns
        -------
        float
            0 if all trees of the set agree on all rows.

        Raises
        ------
        InputError
            The set is empty.

        References
        ----------
        C. Marx, F. Calmon, B. Ustun (2020). Predictive Multiplicity in Classification. ICML. (Definition 3)
        """
        problem = self.graph.problem
        reachable = self.reachable_labels()
        best = self[0]
        label = best.prediction[best.apply(problem.table.X)]
        reachable[np.arange(len(label)), label] = False
        return float(problem.sample_weight[reachable.any(axis=1)].sum() / problem.total_weight)

    def _by_first_split(self) -> dict[int, int]:
        """Return the number of trees that begin with each split."""
        counts = self.counts
        out: dict[int, int] = {}
        for edge, count in counts.root_edges().items():
            twins = counts.twins(edge, 0)
            out |= {split: count // len(twins) for split in twins}
        return out

    # From numbers of splits to trees and back.

    def _tree(self, steps: list[Step]) -> Tree:
        problem, cuts = self.graph.problem, self.graph.cuts
        splits: list[Split | None] = [cuts.splits[step] if step >= 0 else None for step in steps]
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

    def _steps(self, tree: Tree) -> list[Step] | None:
        numbers = {split: number for number, split in enumerate(self.graph.cuts.splits)}
        steps = []
        for node, split in enumerate(tree.splits):
            if split is None:
                steps.append(-1 - int(tree.prediction[node]))
            elif split in numbers:
                steps.append(numbers[split])
            else:
                return None
        return steps

    def _column(self, split: int) -> int:
        return self.graph.cuts.splits[split].column

    def _columns(self, rule: str, names: str | Sequence[str]) -> set[int]:
        table = self.graph.problem.table
        wanted = _listed(names)
        for name in wanted:
            if name not in table.names:
                raise InputError(f"{rule}={name!r}: the table has the columns {', '.join(table.names)}.")
        return {table.names.index(name) for name in wanted}

    def __repr__(self) -> str:
        return f"<NearOptimalTrees: {self.n_trees_:,} trees up to {self.bound_:.6g}, {self.status_}>"

    def __getstate__(self) -> dict[str, Any]:
        raise TypeError(
            "A set cannot be pickled; make it again from its table, which takes as long as the first time."
        )


def _listed(names: str | Sequence[str]) -> list[Any]:
    if isinstance(names, str) or not isinstance(names, Iterable):
        return [names]
    return list(names)


def _in_words(rule: str, names: str | Sequence[str] | None, between: str) -> list[str]:
    """Return a rule of `where` as it stands in a sentence, if it was given."""
    return [] if names is None else [f"{rule} {between.join(map(repr, _listed(names)))}"]


def _both(known: frozenset[int] | None, others: Iterator[int]) -> frozenset[int]:
    new = frozenset(others)
    return new if known is None else known & new
