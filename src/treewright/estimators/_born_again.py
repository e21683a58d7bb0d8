"""A forest or boosted model, trained and then replaced by one tree with the same decisions.

Longer than 400 lines: a quarter documents parameters and attributes, which readers look for at the class.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone, is_regressor
from sklearn.ensemble import RandomForestClassifier
from sklearn.utils.validation import check_is_fitted, validate_data

from treewright.bornagain import (
    OBJECTIVES,
    Agreement,
    Domain,
    Ensemble,
    agreement,
    distil,
    label_agreement,
    pruned_result,
    solve,
    solve_active,
)
from treewright.errors import InputError
from treewright.estimators._answers_of_models import tree_of_answers, words_refused
from treewright.estimators._domain import check_domain, is_rows
from treewright.estimators._importances_of_answers import decision_importances
from treewright.estimators._interrupt import settle_interrupt
from treewright.estimators._label_spellings import warn_of_spellings
from treewright.estimators._tree_estimator import TreeClassifier, lossless, warn_of_row_order
from treewright.estimators._unused import refuse_unused
from treewright.problem import encode_labels, warn_of_quantity
from treewright.tree import merge_equal_leaves

__all__ = ["BornAgainTreeClassifier", "make_forest"]

PRUNINGS = (None, "rows", "active")
FAITHFUL = ("everywhere", "rows")


def make_forest(n_trees: int = 5, depth: int = 2, random_state: Any = None) -> RandomForestClassifier:
    """Return an unfitted random forest of `n_trees` trees of depth `depth`, small enough for one tree."""
    return RandomForestClassifier(n_estimators=n_trees, max_depth=depth, random_state=random_state)


class BornAgainTreeClassifier(TreeClassifier):
    """One decision tree that makes the decisions of a tree ensemble: everywhere, or on the training rows.

    `fit` trains the ensemble on the data and then finds its born-again tree (Vidal and Schiffer 2020). Use
    `from_fitted` for an ensemble that is already trained.

    Parameters
    ----------
    estimator : classifier, default=None
        What to train: any classifier that `treewright.bornagain.Ensemble.from_model` reads. For ``faithful="rows"``
        it may be any other classifier, too (voting, stacking, calibrated models, pipelines with scaling). Then only
        its predictions are used, and the tree may split at all thresholds; see
        `treewright.bornagain.distil_labels`. None is a random forest of 5 trees of depth 2. On continuous columns
        the faithful tree of many or deep trees is huge: train on few distinct values (bins), use
        ``prune="active"``, or ask for ``faithful="rows"``.
    faithful : {"everywhere", "rows"}, default="everywhere"
        ``everywhere`` is a tree with exactly the ensemble's decisions on every row of the feature space. ``rows`` is a
        small tree to read: the tree with the fewest leaves that agrees with the ensemble on the training rows, or on
        all but a share `tolerance` of them. It is found by exact search over the ensemble's thresholds; see
        `treewright.bornagain.distil`. In this case `objective` is not used, and `prune` and `domain` are refused.
    tolerance : float, default=0.02
        For ``faithful="rows"``: share of the training rows on which the tree may decide differently. With
        ``faithful="everywhere"``, other values of this and of `max_depth` than the defaults are refused.
    max_depth : int or None, default=4
        For ``faithful="rows"``: largest number of splits on a path; None is unlimited.
    objective : {"depth-leaves", "depth", "leaves", "heuristic"}, default="depth-leaves"
        What is minimised, see `treewright.bornagain.solve`.
    prune : {None, "rows", "active"}, default=None
        ``rows`` removes splits of the faithful tree that no training row needs (section 4.4 of the paper);
        ``active`` finds the fewest leaves that can survive such pruning, without building the faithful tree.
        A pruned tree decides like the ensemble on the training rows. Sibling leaves of one class are merged in
        ``tree_``, which changes no decision. With ``active`` ``result_.tree`` has them apart, as its proof counts them,
        and decides like the ensemble also on the box around the rows of each of these leaves.
    domain : Domain, "rows" or None, default=None
        For ``faithful="everywhere"``: the rows on which the tree has to decide like the ensemble. Fewer rows can mean
        fewer leaves and less time. "rows" is the range from the smallest to the largest value of each column in the
        training rows; columns that hold only whole numbers there take only whole numbers. The tree also answers for
        rows outside, but nothing is proven about them; ``domain_.contains(X)`` tells which rows are inside.
    missing : {"refuse", "route"}, default="refuse"
        "refuse" is an error if values are missing; "route" makes the ensemble's own rule for missing values part of
        the tree.
    time_limit : float or None, default=None
        Seconds for the tree (not for training the ensemble). With ``faithful="rows"`` up to half of them may be used
        for the model's predictions. If these are not complete by then, the tree is made from the rows that have one,
        which were drawn at random. A note says how many there are, and nothing is proven.
    memory_limit : int or None, default=4 GiB
        Bytes.
    max_leaves : int, None or "auto", default="auto"
        Give up if the faithful tree has more leaves; None sets no limit. For ``faithful="rows"`` it is the largest
        number of leaves to try, and cannot be None. "auto" is 20000, and 16 for ``faithful="rows"``.
    n_jobs : int or None, default=None
        Threads of the exact method (``prune="active"`` has one): -1 is all cores, None is 1 unless
        ``joblib.parallel_config`` says otherwise. The proven answer does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Passed to the ensemble if it has a parameter of this name that is not set. None changes nothing.

    Attributes
    ----------
    tree_ : Tree
    result_ : BornAgainResult
        Bounds, status and the sizes of the ensemble. With ``prune="rows"`` it describes the pruned tree.
    ensemble_ : Ensemble or None
        Within the domain, if there is one; ``ensemble_.whole`` is then the original ensemble. None if only the model's
        predictions were used.
    domain_ : Domain or None
    estimator_ : classifier
        The trained ensemble.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Share of the training rows whose decision changes when all splits on the column become leaves. It is about the
        ensemble's decisions, not about the labels, and not scaled to a sum of 1. Without rows (`from_fitted` without
        `X`) there is no such attribute.
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if `X` has column names.

    References
    ----------
    T. Vidal, M. Schiffer (2020). Born-Again Tree Ensembles. ICML.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright.estimators import BornAgainTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = BornAgainTreeClassifier(random_state=0).fit(X, y)
    >>> bool((model.predict(X) == model.estimator_.predict(X)).all())
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        faithful: str = "everywhere",
        tolerance: float = 0.02,
        max_depth: int | None = 4,
        objective: str = "depth-leaves",
        prune: str | None = None,
        domain: Any = None,
        missing: str = "refuse",
        time_limit: float | None = None,
        memory_limit: int | None = 4 * 2**30,
        max_leaves: Any = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.faithful = faithful
        self.tolerance = tolerance
        self.max_depth = max_depth
        self.objective = objective
        self.prune = prune
        self.domain = domain
        self.missing = missing
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.max_leaves = max_leaves
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> BornAgainTreeClassifier:
        """Train the ensemble and find its tree.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)

        Returns
        -------
        BornAgainTreeClassifier
            Itself.

        Raises
        ------
        InputError
            If a parameter is out of range, or the ensemble cannot be read.
        SolverError
            If no faithful tree was completed within the limits.
        KeyboardInterrupt
            Ctrl-C before there was a tree; or later, if the caller loops over fits (`raise_on_interrupt`).
        """
        self._check()
        finite = "allow-nan" if self.missing == "route" else True
        with words_refused(
            "ensembles of trees take numbers. Make columns of 0 and 1 of them: X.to_dummies() of polars, "
            "pandas.get_dummies(X)."
        ):
            rows, _ = validate_data(self, lossless(X), y, dtype=np.float64, ensure_all_finite=finite)
        warn_of_row_order(X, {"y": y})
        labels, position = encode_labels(y, len(rows))  # scikit-learn makes 1.0 of a nullable True
        y = labels[position]
        warn_of_quantity(y)
        warn_of_spellings(y)
        estimator = make_forest() if self.estimator is None else clone(self.estimator)
        known = estimator.get_params()
        if self.random_state is not None and "random_state" in known and known["random_state"] is None:
            estimator.set_params(random_state=self.random_state)
        if len(labels) < 2:
            raise InputError(f"y has one class only ({labels.tolist()[0]!r}); there is nothing to decide.")
        self.estimator_ = estimator.fit(rows, y)
        ensemble = self._read(self.estimator_)
        if ensemble is None:
            self._find_tree_of_answers(rows)
            return self
        if hasattr(self, "feature_names_in_"):  # the ensemble saw an array; a tree speaks of columns
            ensemble = replace(ensemble, feature_names=tuple(map(str, self.feature_names_in_)))
        self._find_tree(ensemble, rows)
        return self

    @classmethod
    def from_fitted(cls, model: Any, X: ArrayLike | None = None, **params: Any) -> BornAgainTreeClassifier:
        """Make the tree of an ensemble that is already trained.

        Parameters
        ----------
        model : fitted classifier or Ensemble
        X : array-like of shape (n_rows, n_features), optional
            Training rows; needed for pruning, otherwise only counted in the nodes.
        **params
            Parameters of the class.

        Returns
        -------
        BornAgainTreeClassifier

        Raises
        ------
        InputError
            As for `fit`; or if pruning, ``faithful="rows"`` or ``domain="rows"`` is given without rows.
        """
        self = cls(**params)
        self._check()
        ensemble = self._read(model)
        for name in ("prune", "faithful", "domain"):
            value = getattr(self, name)
            if X is None and isinstance(value, str) and value != "everywhere":
                raise InputError(f'{name}="{value}" needs training rows; pass X.')
        if not isinstance(model, Ensemble):
            self.estimator_ = model
        if ensemble is None:
            finite = "allow-nan" if self.missing == "route" else True
            rows = validate_data(self, lossless(X), dtype=np.float64, ensure_all_finite=finite)
            self._find_tree_of_answers(rows, X)
            return self
        self.n_features_in_ = ensemble.n_features
        names = getattr(model, "feature_names_in_", None)
        if names is not None:
            self.feature_names_in_ = np.asarray(names, dtype=object)
        self._find_tree(ensemble, None if X is None else ensemble.encode(X))
        return self

    def _check(self) -> None:
        if self.faithful not in FAITHFUL:
            raise InputError(f'faithful={self.faithful!r}; give "everywhere" or "rows".')
        if self.objective not in OBJECTIVES:
            raise InputError(f"objective={self.objective!r}; choose one of {', '.join(OBJECTIVES)}.")
        if self.prune not in PRUNINGS:
            raise InputError(f'prune={self.prune!r}; give "rows", "active" or None.')
        check_domain(self.domain)
        if self.faithful == "everywhere":
            refuse_unused(self, ("tolerance", "max_depth"), 'faithful="rows"')
        else:
            refuse_unused(self, ("prune", "domain"), 'faithful="everywhere"')
        if isinstance(self.max_leaves, str) and self.max_leaves != "auto":
            raise InputError(f'max_leaves={self.max_leaves!r}; give a number, None or "auto".')
        if self.faithful == "rows" and self.max_leaves is None:
            raise InputError('max_leaves=None; with faithful="rows" say up to how many leaves to look.')

    def _read(self, model: Any) -> Ensemble | None:
        """The trees of a model; None where only its answers can be read, which do for ``faithful="rows"``."""
        try:
            return Ensemble.from_model(model, missing=self.missing)
        except InputError:
            if (
                self.faithful != "rows"
                or is_regressor(model)
                or not callable(getattr(model, "predict", None))
            ):
                raise
            return None

    def _find_tree_of_answers(self, rows: NDArray[np.float64], X: Any = None) -> None:
        """The tree of what the model says of the rows; `X` as it takes them."""
        names = getattr(self, "feature_names_in_", [f"x{j}" for j in range(rows.shape[1])])
        self.ensemble_: Ensemble | None = None
        self.domain_: Domain | None = None
        given = rows if X is None else X
        self.classes_, self.result_ = tree_of_answers(
            self.estimator_, rows, given, list(map(str, names)), self._limits_of_rows()
        )
        self.tree_ = self.result_.tree
        settle_interrupt(self.result_.asked_to_stop)

    def _limits_of_rows(self) -> dict[str, Any]:
        return {
            "tolerance": self.tolerance,
            "max_depth": self.max_depth,
            "max_leaves": 16 if isinstance(self.max_leaves, str) else self.max_leaves,  # "auto", see _check
            "time_limit": self.time_limit,
            "memory_limit": self.memory_limit,
            "n_jobs": self.n_jobs,
        }

    def _find_tree(self, ensemble: Ensemble, rows: NDArray[np.float64] | None) -> None:
        domain = Domain.of_rows(rows) if is_rows(self.domain) and rows is not None else self.domain
        if domain is not None:
            ensemble = ensemble.within(domain)
        self.domain_ = ensemble.domain  # an Ensemble may have come with one
        self.ensemble_ = ensemble
        self.classes_ = ensemble.classes
        if self.faithful == "rows":
            assert rows is not None  # checked by both callers
            result = distil(ensemble, rows, **self._limits_of_rows())
        elif self.prune == "active":
            assert rows is not None  # checked by both callers
            result = solve_active(ensemble, rows, time_limit=self.time_limit, memory_limit=self.memory_limit)
        else:
            result = solve(
                ensemble,
                objective=self.objective,
                X=rows,
                time_limit=self.time_limit,
                memory_limit=self.memory_limit,
                max_leaves=20_000 if isinstance(self.max_leaves, str) else self.max_leaves,
                n_jobs=self.n_jobs,
            )
        if self.prune == "rows":
            assert rows is not None  # checked by both callers
            result = pruned_result(result, rows)
        self.result_ = result
        self.tree_ = merge_equal_leaves(result.tree) if self.prune == "active" else result.tree
        settle_interrupt(result.asked_to_stop)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of the training rows whose decision changes when all splits on the column become leaves."""
        check_is_fitted(self, "tree_")
        if self.tree_.n_node_samples[0] == 0:
            raise AttributeError(
                "feature_importances_ counts training rows, and from_fitted had none: pass X, the rows that the "
                "ensemble was trained on."
            )
        return decision_importances(self.tree_)

    def agreement(self, X: Any, *, confidence: float = 0.95) -> Agreement:
        """Count the rows on which the tree and the ensemble make the same decision, with a bound for new rows.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Rows that neither the ensemble nor the tree was made from; no labels are needed.
        confidence : float, default=0.95
            Two-sided level of the Wilson interval.

        Returns
        -------
        Agreement
        """
        rows, ensemble = self._encode(X), self._everywhere()
        if ensemble is not None:
            return agreement(self.tree_, ensemble, rows, confidence=confidence)
        named = hasattr(self.estimator_, "feature_names_in_")  # by its fit: it takes tables as they came
        said = self.estimator_.predict(X if named else rows)
        return label_agreement(self.tree_, said, rows, confidence=confidence)

    def _everywhere(self) -> Ensemble | None:
        """The ensemble as it came, which answers rows outside the domain, too; None if only answers were read."""
        ensemble = self.ensemble_
        return ensemble if ensemble is None or ensemble.whole is None else ensemble.whole

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing == "route"
        tags.input_tags.string = tags.input_tags.categorical = False  # ensembles take numbers
        return tags

    def _encode(self, X: Any) -> NDArray[np.float64]:
        """Check new rows as the ensemble takes them."""
        check_is_fitted(self)
        finite = "allow-nan" if self.missing == "route" else True
        rows = validate_data(self, lossless(X), dtype=np.float64, ensure_all_finite=finite, reset=False)
        ensemble = self._everywhere()
        return np.asarray(rows) if ensemble is None else ensemble.encode(rows)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return 1 for the decision of each row and 0 for the other classes.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            The columns of the training table, in their order or by their names.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Columns in the order of `classes_`.

        Notes
        -----
        The ensemble's probabilities can differ between rows of one leaf of the born-again tree; only the decisions
        agree.
        """
        leaf = self.apply(X)
        return np.asarray(np.eye(len(self.classes_))[self.tree_.prediction[leaf]])
