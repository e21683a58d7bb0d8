"""The set of all near-optimal trees, as an object that people ask."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.near_optimal._answers import ColumnUse
from treewright.near_optimal._compared import ComparedSet
from treewright.near_optimal._counts import Counts
from treewright.near_optimal._votes import votes_of_rows, votes_of_training_rows
from treewright.table import encode_like

__all__ = ["NearOptimalTrees"]


@dataclass(frozen=True, eq=False, repr=False)
class NearOptimalTrees(ComparedSet):
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
        The bound that was requested, in errors.
    stop_reason : StopReason or None
        What ended the run before the bound was reached; the set is then complete up to `bound_`, which is smaller.
    rules : tuple of str, default=()
        The restrictions given to `where`, in words.

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

    def columns(self, *, reliance: bool = True) -> list[ColumnUse]:
        """Say for each column how many trees use it, what the best with and without it costs, and its reliance.

        Parameters
        ----------
        reliance : bool, default=True
            Whether to find out how much trees rely on each column, which takes the most time.

        Returns
        -------
        list of ColumnUse
            In the order of the table. Where ``best_without`` is None, no tree within the bound does without the
            column: it is needed.

        Notes
        -----
        The reliance of a tree on a column is what its loss on the training rows rises by, on average, if the column's
        values are replaced by those of rows drawn at random, whatever the rest of a row says: the expectation of
        permutation importance, exactly, with no permutation drawn. Its range over all trees is the model class reliance
        of Fisher et al. for this set, found without listing trees.

        References
        ----------
        A. Fisher, C. Rudin, F. Dominici (2019). All Models are Wrong, but Many are Useful: Learning a Variable's
        Importance by Studying an Entire Class of Prediction Models Simultaneously. JMLR 20. (model reliance and model
        class reliance; they take the ratio of the losses, here it is their difference)

        Examples
        --------
        >>> from treewright import near_optimal_trees
        >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "yes"]
        >>> trees = near_optimal_trees(X, y, cost_complexity=0.05, max_depth=2, epsilon=1.0)
        >>> use = trees.columns()[0]
        >>> print(f"{use.name} in {use.share:.0%}; best with it {use.best_with:.2f}, without it {use.best_without:.2f}")
        x0 in 67%; best with it 0.15, without it 0.30
        """
        out = []
        first = self._by_first_split()
        graph, n_trees = self.graph, self.n_trees_
        leaf = sum(count for _, cell, count in self._cells if cell[0] == 1)
        for number, name in enumerate(graph.problem.table.names):
            others = Counts(graph, self._without({number}))
            with_it, without = self.counts.least_errors(others)
            share = 1 - (leaf + others.n_split_trees()) / n_trees if with_it and n_trees else 0.0
            at_root = sum(first[split] for split in first if self._column(split) == number)
            out.append(
                ColumnUse(
                    name,
                    max(share, 0.0) if without else 1.0 if with_it else 0.0,
                    at_root / n_trees if n_trees else 0.0,
                    self._least(with_it),
                    self._least(without),
                    self._reliance(others, asked=bool(with_it)) if reliance else None,
                )
            )
        return out

    def vote_share(self, X: Any = None) -> NDArray[np.float64]:
        """Return for each row the share of the trees that predict each label, shape (n_rows, n_classes).

        Computed from exact counts, without listing trees.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns), default=None
            New rows; None is the training rows. All training rows are one pass over the graph, of new ones each
            distinct row is one along its own nodes.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Rows add up to 1, up to rounding.

        Raises
        ------
        InputError
            The set is empty, or `X` has other columns than the table.

        Examples
        --------
        >>> from treewright import near_optimal_trees
        >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "yes"]
        >>> trees = near_optimal_trees(X, y, cost_complexity=0.05, max_depth=2, epsilon=1.0)
        >>> trees.vote_share().round(2).tolist()
        [[0.67, 0.33], [0.0, 1.0], [0.0, 1.0], [0.0, 1.0]]
        """
        self._some("no vote")
        if X is None:
            return votes_of_training_rows(self.counts, self.n_trees_)
        return votes_of_rows(self.counts, self.n_trees_, encode_like(X, self.graph.problem.table.columns))

    def reachable_labels(self, X: Any = None) -> NDArray[np.bool_]:
        """Return for each row which labels some tree of the set predicts.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns), default=None
            New rows; None is the training rows.

        Returns
        -------
        ndarray of bool, shape (n_rows, n_classes)

        Raises
        ------
        InputError
            The set is empty.

        Examples
        --------
        >>> from treewright import near_optimal_trees
        >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "yes"]
        >>> trees = near_optimal_trees(X, y, cost_complexity=0.05, max_depth=2, epsilon=1.0)
        >>> trees.reachable_labels().tolist()
        [[True, True], [False, True], [False, True], [False, True]]
        """
        return self.vote_share(X) > 0

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

        Examples
        --------
        >>> from treewright import near_optimal_trees
        >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "yes"]
        >>> trees = near_optimal_trees(X, y, cost_complexity=0.05, max_depth=2, epsilon=1.0)
        >>> trees.ambiguity()
        0.25
        """
        problem = self.graph.problem
        reachable = self.reachable_labels()
        best = self[0]
        label = best.prediction[best.apply(problem.table.X)]
        reachable[np.arange(len(label)), label] = False
        return float(problem.sample_weight[reachable.any(axis=1)].sum() / problem.total_weight)

    def _reliance(self, others: Counts, *, asked: bool) -> tuple[float, float] | None:
        if not asked:
            return (0.0, 0.0) if self.n_trees_ else None
        return self.counts.reliance(others)

    def _least(self, errors: Mapping[int, int]) -> float | None:
        """Return the least objective of trees whose fewest errors are given by their leaves; None if there are none."""
        graph = self.graph
        costs = [graph.base + some + graph.leaf_penalty * leaves for leaves, some in errors.items()]
        return float(min(costs) * graph.unit) if costs else None

    def _by_first_split(self) -> dict[int, int]:
        """Return the number of trees that begin with each split."""
        counts = self.counts
        out: dict[int, int] = {}
        for edge, count in counts.root_edges().items():
            twins = counts.twins(edge, 0)
            for split in twins:
                out[split] = out.get(split, 0) + count // len(twins)
        return out
