"""The training targets of each leaf of a regression tree: spread, standard error, quantiles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from treewright._numbers import is_real
from treewright.errors import InputError
from treewright.estimators._checked_score import CheckedScore
from treewright.estimators._tree_estimator import TreeEstimator
from treewright.guess import rows_by_number
from treewright.problem import RegressionProblem
from treewright.show import rules
from treewright.tree import Tree, exactly, mean_of

__all__ = ["LeafTargets", "TreeRegressor", "leaf_errors", "leaf_targets"]


class LeafTargets:
    """The targets of the training rows of one leaf.

    Parameters
    ----------
    y : ndarray of shape (n_rows,), float64
        In any order; kept ascending.
    sample_weight : ndarray of shape (n_rows,), float64
        Of these rows.
    mean : float
        Weighted mean; it is what the leaf predicts in a tree of means.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.estimators import LeafTargets
    >>> LeafTargets(np.array([1.0, 3.0]), np.ones(2), 2.0).mean
    2.0
    """

    def __init__(self, y: NDArray[np.float64], sample_weight: NDArray[np.float64], mean: float) -> None:
        self.mean = mean
        self._rows, self._are_sorted = (y, sample_weight), False

    def __repr__(self) -> str:
        """Name the number of rows and their mean."""
        return f"<LeafTargets: {len(self._rows[0])} rows, mean {self.mean:.6g}>"

    def _by_value(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Targets and weights, sorted when they are first asked for: no limit of `fit` waits for that."""
        if not self._are_sorted:
            y, weight = self._rows
            # Of rows that weigh the same only the values matter, which are sorted much faster.
            if np.all(weight == weight[:1]):
                self._rows = np.sort(y), weight
            else:
                order = np.argsort(y, kind="stable")
                self._rows = y[order], weight[order]
            self._are_sorted = True
        return self._rows

    @property
    def y(self) -> NDArray[np.float64]:
        """Targets of the rows, ascending."""
        return self._by_value()[0]

    @property
    def sample_weight(self) -> NDArray[np.float64]:
        """Weights of the rows, in the order of their targets."""
        return self._by_value()[1]

    @property
    def standard_deviation(self) -> float:
        """Standard deviation of the targets: the root of their weighted mean squared distance from the mean."""
        apart, unit = self._apart()
        return unit * math.sqrt(float(np.average(apart**2, weights=self.sample_weight)))

    @property
    def standard_error(self) -> float:
        """Standard error of the mean; nan for one row.

        With equal weights the usual s / sqrt(n), s with n - 1; in general the root of n / (n - 1) times the sum of
        squares of weight times deviation, over the sum of weights.
        """
        n = len(self.y)
        if n < 2:
            return math.nan
        apart, unit = self._apart()
        share = self.sample_weight / self.sample_weight.sum()
        return unit * math.sqrt(n / (n - 1) * float(((share * apart) ** 2).sum()))

    def quantile(self, share: float) -> float:
        """Return the smallest target such that at least a share `share` of the weight is at or below it.

        Parameters
        ----------
        share : float
            From 0 to 1.

        Returns
        -------
        float
        """
        below = np.cumsum(self.sample_weight)
        at = int(np.searchsorted(below, share * below[-1] * (1 - 1e-12)))
        return float(self.y[min(at, len(self.y) - 1)])

    def _apart(self) -> tuple[NDArray[np.float64], float]:
        """Differences from the mean in a unit of their own, so that no square overflows; and the unit."""
        half = self.y / 2 - self.mean / 2
        unit = float(np.abs(half).max()) or 1.0
        return half / unit, 2 * unit


def leaf_targets(
    tree: Tree, problem: RegressionProblem
) -> dict[int, LeafTargets] | list[dict[int, LeafTargets]]:
    """Return the targets of each leaf, by the number of its node; of several outputs a list of that."""
    by_node = rows_by_number(tree.apply(problem.table.X), tree.node_count)
    leaves = {node: rows for node, rows in enumerate(by_node) if len(rows)}
    found = [_targets_of(tree, problem, leaves, output) for output in range(problem.n_outputs)]
    return found[0] if len(found) == 1 else found


def _targets_of(
    tree: Tree, problem: RegressionProblem, leaves: dict[int, NDArray[np.int64]], output: int
) -> dict[int, LeafTargets]:
    y, weight = problem.targets[:, output], problem.sample_weight
    found = {}
    for node, rows in leaves.items():
        own, of_rows = y[rows], weight[rows]
        mean = float(tree.value[node, output]) if problem.share is None else mean_of(own, of_rows)
        found[node] = LeafTargets(own, of_rows, mean)
    return found


def leaf_errors(
    tree: Tree, problem: RegressionProblem
) -> dict[int, LeafTargets] | list[dict[int, LeafTargets]]:
    """Return the errors of each leaf with a line, as `leaf_targets` returns targets.

    An error is that of the fitted line, divided by 1 - d / n for d effective coefficients and n rows: what rows left
    out one by one are missed by if all have the same leverage (Golub, Heath and Wahba 1979).
    """
    found: list[dict[int, LeafTargets]] = [{} for _ in range(problem.n_outputs)]
    if not tree.lines:
        return found[0] if len(found) == 1 else found
    leaf, said = tree.apply(problem.table.X), tree.predict(problem.table.X).reshape(problem.targets.shape)
    for node, line in enumerate(tree.lines):
        if line is None:
            continue
        rows = np.flatnonzero(leaf == node)
        free = max(1 - line.freedom / len(rows), 1 / len(rows))
        for output, errors in enumerate(found):
            apart = (problem.targets[rows, output] - said[rows, output]) / free
            weight = problem.sample_weight[rows]
            errors[node] = LeafTargets(apart, weight, mean_of(apart, weight))
    return found[0] if len(found) == 1 else found


class TreeRegressor(CheckedScore, RegressorMixin, TreeEstimator):  # type: ignore[misc]
    """Base of the regressors that end with one `Tree`; `fit` of a subclass sets ``tree_`` and calls `_keep_leaves`."""

    leaf_targets_: dict[int, LeafTargets] | list[dict[int, LeafTargets]]
    leaf_errors_: dict[int, LeafTargets] | list[dict[int, LeafTargets]]

    def _keep_leaves(self, problem: RegressionProblem) -> None:
        """Set what is kept of the training rows of each leaf."""
        self.leaf_targets_ = leaf_targets(self.tree_, problem)
        self.leaf_errors_ = leaf_errors(self.tree_, problem)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the value of each row's leaf: its mean target or quantile, or what its line says.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)

        Returns
        -------
        ndarray of shape (n_rows,), or (n_rows, n_outputs) for several outputs

        Raises
        ------
        ValueError
            Other columns than those of the training table; or, in a column that the tree splits on, text where numbers
            were, or a category that the training rows did not have.
        """
        encoded = self._encode(X)
        return np.asarray(self.tree_.predict(encoded), dtype=np.float64)

    def predict_interval(self, X: Any, coverage: float = 0.9) -> NDArray[np.float64]:
        """Return quantiles of the training targets of each row's leaf.

        In a leaf with a line: its value for the row plus quantiles of the training rows' errors, each divided by
        1 - d / n for d effective coefficients of the line and n rows, for a line is nearer to its own rows than to new
        ones.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
        coverage : float, default=0.9
            Share of the training weight of a leaf that lies between the two at least, above 0 and below 1; as much is
            left out below as above.

        Returns
        -------
        ndarray of shape (n_rows, 2), or (n_rows, n_outputs, 2) for several outputs
            The quantiles (1 - coverage) / 2 and (1 + coverage) / 2. The tree was fitted to these very rows, so of new
            rows somewhat less lies within, most in small leaves; the share on held-out rows says how much.

        Raises
        ------
        InputError
            `coverage` is not a number between 0 and 1.
        """
        if not is_real(coverage) or not 0 < float(coverage) < 1:
            raise InputError(f"coverage={coverage!r}; give a number above 0 and below 1, for example 0.9.")
        encoded = self._encode(X)
        leaf = self.tree_.apply(encoded)
        nodes, at = np.unique(leaf, return_inverse=True)
        tail = (1 - float(coverage)) / 2
        outputs, errors = _by_output(self.leaf_targets_), _by_output(self.leaf_errors_)
        ends = [
            [
                [
                    errors[output].get(int(node), targets[int(node)]).quantile(share)
                    for share in (tail, 1 - tail)
                ]
                for output, targets in enumerate(outputs)
            ]
            for node in nodes
        ]
        found = np.array(ends, dtype=np.float64).reshape(-1, len(outputs), 2)[at.reshape(-1)]
        on_line = np.isin(leaf, list(errors[0]))
        said = self.tree_.predict(encoded[on_line]).reshape(-1, len(outputs), 1)
        found[on_line] += said
        return found[:, 0] if len(outputs) == 1 else found

    def leaf_records(self, quantiles: Sequence[float] = (0.1, 0.5, 0.9)) -> list[dict[str, Any]]:
        """Return one row for each leaf (of several outputs: for each leaf and output), ready for a data frame.

        Parameters
        ----------
        quantiles : sequence of float, default=(0.1, 0.5, 0.9)
            Of the training targets; each from 0 to 1.

        Returns
        -------
        list of dict
            ``leaf`` (the number that `apply` returns), ``rule`` (conditions with six digits), ``rows``, ``prediction``
            (a quantile, or the same as the next; in a leaf with a line what it says of a row at its centers), ``mean``,
            ``standard_deviation``, ``standard_error`` (of the mean; nan for one row), ``quantile_0.1`` and so on; for
            several outputs also ``output``, counted from 0.

        Raises
        ------
        InputError
            A quantile is not a number from 0 to 1.
        """
        check_is_fitted(self)
        for share in quantiles:
            if not is_real(share) or not 0 <= float(share) <= 1:
                raise InputError(f"quantiles has {share!r}; give numbers from 0 to 1.")
        words = {rule.leaf: " and ".join(rule.conditions) for rule in rules(self.tree_, digits=6)}
        outputs = _by_output(self.leaf_targets_)
        return [
            {
                "leaf": node,
                **({"output": output} if len(outputs) > 1 else {}),
                "rule": words[node],
                "rows": len(targets.y),
                "prediction": float(self.tree_.value[node, output]),
                "mean": targets.mean,
                "standard_deviation": targets.standard_deviation,
                "standard_error": targets.standard_error,
                **{
                    f"quantile_{exactly(float(share))}": targets.quantile(float(share)) for share in quantiles
                },
            }
            for node in sorted(outputs[0])
            for output, targets in enumerate(of_leaf[node] for of_leaf in outputs)
        ]


def _by_output(kept: dict[int, LeafTargets] | list[dict[int, LeafTargets]]) -> list[dict[int, LeafTargets]]:
    return [kept] if isinstance(kept, dict) else kept
