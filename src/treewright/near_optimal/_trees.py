"""The set of all near-optimal trees, as an object that people ask."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.near_optimal._answers import ColumnUse
from treewright.near_optimal._compared import ComparedSet
from treewright.near_optimal._counts import root_cells
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
        unit, graph = self.graph.unit, self.graph
        for number, name in enumerate(graph.problem.table.names):
            others = root_cells(graph, self._without({number}))
            with_it = [cost for cost, cell, count in self._cells if count > others.get(cell, 0)]
            without = [cost for cost, cell, _ in self._cells if cell in others]
            at_root = sum(first[split] for split in first if self._column(split) == number)
            out.append(
                ColumnUse(
                    name,
                    1 - sum(others.values()) / self.n_trees_ if self.n_trees_ else 0.0,
                    at_root / self.n_trees_ if self.n_trees_ else 0.0,
                    float(min(with_it) * unit) if with_it else None,
                    float(min(without) * unit) if without else None,
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
            for split in twins:
                out[split] = out.get(split, 0) + count // len(twins)
        return out
