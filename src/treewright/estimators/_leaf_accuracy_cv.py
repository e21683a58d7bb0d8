"""The tree with the best worst leaf, its depth and smallest leaf chosen on held-back rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing, check_random_state

from treewright.errors import InputError
from treewright.estimators._leaf_accuracy import LeafAccuracyTreeClassifier
from treewright.estimators._tree_estimator import TreeClassifier, is_column_vector
from treewright.result import LeafAccuracyResult
from treewright.search import LeafAccuracyOptions
from treewright.search._limits import ProgressCallback

__all__ = ["LeafAccuracyTreeClassifierCV"]


class LeafAccuracyTreeClassifierCV(TreeClassifier):
    """`LeafAccuracyTreeClassifier` with `max_depth` and `min_samples_leaf` chosen by cross-validated leaf accuracy.

    For every pair of candidates a tree is fitted on each training part of the splits. Its leaf accuracy *on the
    held-back rows* is the smallest share of them that a leaf predicts right (leaves that no held-back row reaches
    do not count); the mean over the splits is the pair's score. The pair of highest score wins, at equal scores the
    shallower tree, then the larger smallest leaf; with it a tree is fitted on all rows.

    Parameters
    ----------
    max_depths : sequence of int, default=(2, 3, 4)
    min_samples_leaves : sequence of int or float, default=(50, 100, 200)
        Those that a training part has too few rows for are left out.
    criterion, confidence, thresholds, class_weight, categorical_features
        As in `LeafAccuracyTreeClassifier`.
    cv : int, splitter or iterable, default=5
        As in scikit-learn: a number of stratified folds, a splitter, or pairs of row numbers.
    time_limit : float or None, default=30
        Seconds for each fit; there are ``len(max_depths) * len(min_samples_leaves) * folds + 1``.
    step_limit, memory_limit
        As in `LeafAccuracyTreeClassifier`, for each fit.
    progress : "auto", bool or callable, default="auto"
        Of the last fit, that on all rows.
    reference, search_options
        As in `LeafAccuracyTreeClassifier`.
    random_state : int, RandomState or None, default=0
        Shuffles the rows before they are split into `cv` folds if that is a number; None leaves their order.

    Attributes
    ----------
    best_params_ : dict
        ``max_depth`` and ``min_samples_leaf``.
    best_score_ : float
        Mean leaf accuracy on held-back rows of that pair. It was chosen as the largest, so it promises a little too
        much.
    cv_results_ : dict of ndarray
        ``max_depth``, ``min_samples_leaf``, ``mean_leaf_accuracy``, ``std_leaf_accuracy``, ``mean_accuracy`` of every
        pair, and ``leaf_accuracy`` of shape (n_pairs, n_splits).
    best_estimator_ : LeafAccuracyTreeClassifier
        Fitted on all rows.
    tree_, result_, leaf_accuracy_, classes_, n_features_in_, feature_names_in_
        Those of `best_estimator_`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from treewright import LeafAccuracyTreeClassifierCV
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = LeafAccuracyTreeClassifierCV((1, 2), min_samples_leaves=(30, 60), thresholds=4, cv=3).fit(X, y)
    >>> sorted(model.best_params_)
    ['max_depth', 'min_samples_leaf']
    """

    result_: LeafAccuracyResult

    def __init__(
        self,
        max_depths: Sequence[int] = (2, 3, 4),
        *,
        min_samples_leaves: Sequence[int | float] = (50, 100, 200),
        criterion: Literal["accuracy", "lower_bound"] = "accuracy",
        confidence: float = 0.95,
        thresholds: Literal["auto", "all", "guess"] | int | Mapping[str, Sequence[float]] = "auto",
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        categorical_features: Sequence[str] | Sequence[int] | None = None,
        cv: int | Iterable[Any] | Any = 5,
        time_limit: float | None = 30.0,
        step_limit: int | None = None,
        memory_limit: int | None = None,
        progress: Literal["auto"] | bool | ProgressCallback = "auto",
        reference: Any = None,
        search_options: LeafAccuracyOptions | None = None,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.max_depths = max_depths
        self.min_samples_leaves = min_samples_leaves
        self.criterion = criterion
        self.confidence = confidence
        self.thresholds = thresholds
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.cv = cv
        self.time_limit = time_limit
        self.step_limit = step_limit
        self.memory_limit = memory_limit
        self.progress = progress
        self.reference = reference
        self.search_options = search_options
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Score the candidates, choose, and fit on all rows.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,), default=None
            Weights of the rows, in fitting and in scoring.

        Returns
        -------
        LeafAccuracyTreeClassifierCV

        Raises
        ------
        InputError
            No pair of candidates fits the rows, or whatever `LeafAccuracyTreeClassifier.fit` raises.

        Warns
        -----
        ConvergenceWarning
            The last fit reached a limit; or some fits of the cross-validation did (counted in one warning).
        """
        depths, leaves = list(self.max_depths), list(self.min_samples_leaves)
        if not depths or not leaves:
            raise InputError("max_depths and min_samples_leaves need at least one candidate each.")
        model = LeafAccuracyTreeClassifier(
            criterion=self.criterion,
            confidence=self.confidence,
            thresholds=self.thresholds,
            class_weight=self.class_weight,
            categorical_features=self.categorical_features,
            time_limit=self.time_limit,
            step_limit=self.step_limit,
            memory_limit=self.memory_limit,
            progress=False,
            reference=self.reference,
            search_options=self.search_options,
        )
        problem = model._problem(X, y, sample_weight)  # the checks, before any work
        labels = np.asarray(y).ravel() if not hasattr(y, "to_numpy") else np.asarray(y.to_numpy()).ravel()
        weight = (
            np.ones(len(labels)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        )
        splits = self._splits(labels)
        fewest = min(len(train) for train, _ in splits)
        leaves = [leaf for leaf in leaves if isinstance(leaf, float) or leaf <= fewest]
        if not leaves:
            raise InputError(
                f"min_samples_leaves={tuple(self.min_samples_leaves)!r} are all above the {fewest} rows of the "
                "smallest training part; give smaller ones, or more rows."
            )
        pairs = list(product(depths, leaves))
        scores = np.zeros((len(pairs), len(splits)))
        right = np.zeros_like(scores)
        unproven = 0
        for k, (train, test) in enumerate(splits):
            part, held = _safe_indexing(X, train), _safe_indexing(X, test)
            for i, (depth, leaf) in enumerate(pairs):
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always", ConvergenceWarning)
                    fitted = clone(model).set_params(max_depth=depth, min_samples_leaf=leaf)
                    fitted.fit(part, labels[train], sample_weight=weight[train])
                unproven += sum(issubclass(w.category, ConvergenceWarning) for w in caught)
                scores[i, k], right[i, k] = _score(fitted, held, labels[test], weight[test])
        order = sorted(range(len(pairs)), key=lambda i: (-scores[i].mean(), pairs[i][0], -pairs[i][1]))
        best = pairs[order[0]]
        self.best_params_ = {"max_depth": best[0], "min_samples_leaf": best[1]}
        self.best_score_ = float(scores[order[0]].mean())
        self.cv_results_ = {
            "max_depth": np.array([depth for depth, _ in pairs]),
            "min_samples_leaf": np.array([leaf for _, leaf in pairs]),
            "mean_leaf_accuracy": scores.mean(axis=1),
            "std_leaf_accuracy": scores.std(axis=1),
            "mean_accuracy": right.mean(axis=1),
            "leaf_accuracy": scores,
        }
        if unproven:
            warnings.warn(
                f"{unproven} of {scores.size} fits of the cross-validation reached a limit; their best trees were "
                "scored. Raise time_limit, or give fewer thresholds.",
                ConvergenceWarning,
                stacklevel=2,
            )
        final = clone(model).set_params(progress=self.progress, **self.best_params_)
        self.best_estimator_ = final.fit(X, labels if is_column_vector(y) else y, sample_weight=sample_weight)
        self.result_ = final.result_
        self.tree_ = final.tree_
        self.leaf_accuracy_ = final.leaf_accuracy_
        self.classes_ = problem.classes
        self.n_features_in_ = final.n_features_in_
        if hasattr(final, "feature_names_in_"):
            self.feature_names_in_ = final.feature_names_in_
        return self

    def _splits(self, labels: NDArray[Any]) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Return the row numbers of the training and held-back parts."""
        n_rows = len(labels)
        order = np.arange(n_rows)
        if isinstance(self.cv, int) and self.random_state is not None:
            order = check_random_state(self.random_state).permutation(n_rows)
        splitter = check_cv(self.cv, labels[order], classifier=True)
        parts = splitter.split(np.zeros((n_rows, 1)), labels[order])
        return [(np.sort(order[train]), np.sort(order[test])) for train, test in parts]


def _score(
    model: LeafAccuracyTreeClassifier, X: Any, y: NDArray[Any], weight: NDArray[np.float64]
) -> tuple[float, float]:
    """Return the least share of a leaf's held-back weight that it predicts right, and the share of all."""
    leaf = model.apply(X)
    right = np.bincount(leaf, weights=weight * (model.predict(X) == y), minlength=model.tree_.node_count)
    total = np.bincount(leaf, weights=weight, minlength=model.tree_.node_count)
    reached = total > 0
    if not reached.any():
        return 0.0, 0.0
    return float((right[reached] / total[reached]).min()), float(right.sum() / total.sum())
