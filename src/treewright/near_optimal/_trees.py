"""The set of all near-optimal trees, as an object that people ask."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.errors import InputError
from treewright.near_optimal._answers import ColumnUse
from treewright.near_optimal._column_uses import column_uses
from treewright.near_optimal._compared import ComparedSet
from treewright.near_optimal._votes import votes_of_rows, votes_of_training_rows
from treewright.near_optimal._watch import Watch
from treewright.problem import check_sample_weight
from treewright.search import threads_of
from treewright.table import encode_like

__all__ = ["NearOptimalTrees"]


@dataclass(frozen=True, eq=False, repr=False)
class NearOptimalTrees(ComparedSet):
    """All trees whose objective is at most a bound.

    Made by `treewright.near_optimal_trees`. The trees are ordered by objective, then by leaves; equal ones by a rule
    that does not depend on the order of rows. The trees are not listed: the set is one graph, whatever its size.

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

    def columns(
        self, *, reliance: bool = True, time_limit: float | None = None, n_jobs: int | None = None
    ) -> list[ColumnUse]:
        """Return for each column: how many trees use it, what the best ones with and without it cost, its reliance.

        Parameters
        ----------
        reliance : bool, default=True
            Whether to compute how much trees rely on each column, which takes the most time.
        time_limit : float or None, default=None
            Seconds; None is no limit.
        n_jobs : int or None, default=None
            Threads, each for one column at a time: -1 is all cores, None is one. The answer does not depend on it.

        Returns
        -------
        list of ColumnUse
            In the order of the table. If ``best_without`` is None, every tree within the bound uses the column.
            ``reliance`` is computed last, and is None if `time_limit` ended before.

        Raises
        ------
        SolverError
            `time_limit` ended before the shares of all columns were known; the message lists those that are known.

        Notes
        -----
        The reliance of a tree on a column is the average increase of its loss on the training rows if the column's
        values are replaced by those of rows drawn at random, independently of the rest of the row. It is the exact
        expectation of permutation importance; no permutation is drawn. Its range over all trees is the model class
        reliance of Fisher et al. for this set, found without listing trees.

        References
        ----------
        A. Fisher, C. Rudin, F. Dominici (2019). All Models are Wrong, but Many are Useful: Learning a Variable's
        Importance by Studying an Entire Class of Prediction Models Simultaneously. JMLR 20. (model reliance and model
        class reliance; the paper takes the ratio of the losses, here it is their difference)

        Examples
        --------
        >>> from treewright import near_optimal_trees
        >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "yes"]
        >>> trees = near_optimal_trees(X, y, cost_complexity=0.05, max_depth=2, epsilon=1.0)
        >>> use = trees.columns()[0]
        >>> print(f"{use.name} in {use.share:.0%}; best with it {use.best_with:.2f}, without it {use.best_without:.2f}")
        x0 in 67%; best with it 0.15, without it 0.30
        """
        return column_uses(self, reliance, Watch.started(time_limit), threads_of(n_jobs))

    def vote_share(self, X: Any = None) -> NDArray[np.float64]:
        """Return for each row the share of the trees that predict each label, shape (n_rows, n_classes).

        Computed from exact counts, without listing trees.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns), default=None
            New rows; None is the training rows. All training rows together take one pass over the graph. Each distinct
            new row takes a pass over its own nodes.

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

    def ambiguity(self, X: Any = None, *, sample_weight: ArrayLike | None = None) -> float:
        """Return the weighted share of rows that some tree labels differently from the best tree.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns), default=None
            New rows, at least one; None is the training rows.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights >= 0 of the new rows. Training rows have those of training.

        Returns
        -------
        float
            0 if all trees of the set agree on all rows.

        Raises
        ------
        InputError
            The set is empty, `X` has other columns than the table, or the weights do not fit.

        Notes
        -----
        Labels of the rows are not needed: trees are compared with the best one, not with what is true.

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
        if X is None:
            if sample_weight is not None:
                raise InputError(
                    "sample_weight is for new rows only; training rows keep the weights of the fit."
                )
            rows, weight = problem.table.X, problem.sample_weight
        else:
            rows = encode_like(X, problem.table.columns)
            weight = check_sample_weight(sample_weight, len(rows))
        reachable = self.reachable_labels(X)
        best = self[0]
        label = best.prediction[best.apply(rows)]
        reachable[np.arange(len(label)), label] = False
        return float(weight[reachable.any(axis=1)].sum() / weight.sum())

    def _by_first_split(self) -> dict[int, int]:
        """Return the number of trees that begin with each split."""
        counts = self.counts
        out: dict[int, int] = {}
        for edge, count in counts.root_edges().items():
            twins = counts.twins(edge, 0)
            for split in twins:
                out[split] = out.get(split, 0) + count // len(twins)
        return out
