"""A small tree that explains, with a model in each leaf that corrects it.

Longer than 400 lines: a quarter documents parameters and attributes, which readers look for at the class.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import validate_data

from treewright._arguments import refuse_lossy
from treewright._numbers import is_real, is_whole
from treewright.errors import InputError
from treewright.estimators._hybrid_warnings import warn_of_few_trials, warn_of_no_gain, warn_of_time
from treewright.estimators._interrupt import InnerFits, inner_fits_return, settle_interrupt
from treewright.estimators._label_spellings import warn_of_spellings
from treewright.estimators._tree_estimator import (
    TreeClassifier,
    is_column_vector,
    warn_of_column_vector,
    warn_of_row_order,
)
from treewright.leaf_accuracy import (
    Clock,
    Extension,
    HybridReport,
    Inputs,
    Shared,
    Treatment,
    Tuning,
    can_be_made_again,
    check_tunable,
    classify,
    compare,
    cross_validate_alone,
    extend_leaves,
    family,
    fit_shared,
    make_leaf_model,
    make_top,
    probabilities,
    right_when_held_out,
)
from treewright.problem import check_sample_weight, make_problem, warn_of_quantity
from treewright.result import SolveResult, StopReason
from treewright.table import Table, encode_like
from treewright.tree import Tree, label_positions, reduce_tree

__all__ = ["HybridTreeClassifier"]

LEAST_SECONDS = 1e-3  # that a top gets if checking the parameters took all


class HybridTreeClassifier(TreeClassifier):
    """A decision tree with a model in each leaf: the tree explains, the models make it accurate.

    The tree on top sends a row to a leaf, and a model predicts it. This is either the leaf's own model, trained on the
    rows of that leaf, or a model that all leaves share, whichever did better on held-out rows. If the model predicts
    the label of the leaf, the path of the tree explains the answer; `report` says for which rows this is so. Leaves
    that are right on all their training rows keep the tree's answer.

    Parameters
    ----------
    top : Tree, classifier or None, default=None
        The tree on top: a `Tree`, an estimator of this library, or scikit-learn's `DecisionTreeClassifier` or
        `ExtraTreeClassifier`, also inside `GridSearchCV` and the like. A fitted one is used as it is; another one is
        cloned and fitted. None is ``DecisionTreeClassifier(max_depth=4, min_samples_leaf=50)``. `sklearn.base.clone`,
        and therefore every cross-validation, discards the fit of an estimator and fits it again on each fold;
        ``FrozenEstimator(top)`` or ``top.tree_`` keeps the fit.
    leaf_estimator : classifier, "xgboost" or None, default=None
        The model in the leaves; None is `HistGradientBoostingClassifier`. "xgboost" needs the extra
        ``treewright[xgboost]``.
    tune : {"rounds", "optuna"} or None, default="rounds"
        "rounds" chooses three things by cross-validation: how many rounds of boosting a model gets; how overconfident
        the model then is (its probabilities are softened by this amount, which changes no predicted label); and what
        predicts in the leaf. That is the tree, the shared model (see `share`), or the leaf's own model if it is better
        than both by more than a standard error. This takes `n_folds` + 1 fits per leaf, and up to three times as many
        on all rows. "optuna" searches the leaf model's parameters over the ranges of Table 6 (for histogram boosting,
        those of them that it has). It needs the extra ``treewright[tune]`` and `n_trials` x `n_folds` fits per leaf,
        and works only for histogram boosting and XGBoost. None uses every leaf model without tuning, as the paper does;
        if labels are noisy, such models often overrule the tree wrongly.
    share : bool, default=True
        With ``tune="rounds"``: also fit one model on all rows. In the following, "better" means by more than a standard
        error on held-out rows. If this model is better than the tree, it predicts in every leaf in which the tree is
        not better. If not, the tree predicts in every leaf in which the model is not better. A leaf's own model
        predicts if it is better than both. A scikit-learn tree that is fitted here is fitted again without the held-out
        rows; other trees on top are judged on their training rows. If `leaf_estimator` is None and there is time, the
        model is also tried with trees of depth 3, and with larger ones if it needs most of its rounds. False follows
        the paper: there are only models of the leaf's own rows, which are few.
    n_trials : int, default=50
        Parameters tried in each leaf by "optuna".
    n_folds : int, default=3
        Stratified folds for tuning. (There is no `cv`, because splits of the whole table cannot be used inside a leaf.)
        A leaf with fewer than `n_folds` rows of one of its classes gets a single tree of depth at most 5 as its own
        model; with "rounds" only if that is clearly better on held-out rows. A leaf with fewer than `n_folds` rows
        keeps the tree.
    time_limit : float or None, default=None
        Seconds for the whole fit, including the top if it is not fitted and has a time limit of its own. The leaves
        share the remaining time. "rounds" and None make as many rounds of boosting as there is time for; "optuna" takes
        the best parameters so far (more jobs end sooner). Leaves that are not reached keep the tree's answer. Once the
        fit of another kind of leaf model has begun, it is not interrupted. In a search such as GridSearchCV every fit
        has this time of its own.
    reduce : bool, default=True
        Drop leaves without training rows and merge sibling leaves of one class before the leaves are extended.
    n_jobs : int or None, default=None
        Number of leaves that are fitted at the same time, as in joblib; the result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the top (if it is not fitted and has none), of the leaf models and of tuning.
    categorical_features : sequence of str or int, default=None
        Numeric columns to read as categories, if `top` is None or a scikit-learn tree that is not fitted; other tops
        decide this themselves.

    Attributes
    ----------
    tree_ : Tree
        The tree on top, reduced.
    result_ : SolveResult or None
        What the top's method proved about it, before the reduction; None if it proves nothing.
    top_ : estimator or None
        The fitted top; None if a `Tree` was given.
    extensions_ : dict from int to Extension
        The model of each leaf of `tree_`, its parameters, and how they were chosen.
    cv_accuracy_ : dict from str to float, or None
        With ``tune="rounds"``: the weighted share of held-out rows that the "tree" alone, the "hybrid" tree, and the
        "model" alone predict right. Trees that are not fitted again (see `share`) are counted on the rows that they
        were made from; the first two figures are then optimistic.
    stop_reason_ : StopReason or None
        INTERRUPT if Ctrl-C ended the fit, TIME_LIMIT if the time limit ended it, the trials of "optuna", or the choice
        of the splits of a scikit-learn tree. Leaves that were not finished then keep the
        tree's answer, and ``cv_accuracy_`` is None if it was not finished.
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if the table had string column names.

    Notes
    -----
    Leaf models, and scikit-learn trees that are fitted here, get numbers: a numeric column as it is, a missing number
    as NaN, and each category as a column of its own. This column is 0 if the row has the category, 1 if it has another,
    and NaN if the value is missing (`treewright.leaf_accuracy._inputs`).

    If `top` is already fitted, `fit` uses its labels; other labels are an error.
    A stored hybrid tree is a pickle, and loading a pickle runs code: load only files that you trust.

    References
    ----------
    J. Nemecek, T. Pevny, J. Marecek (2023). Improving the Validity of Decision Trees as Explanations. Section 3
    (tree extension), Appendix A.6 (tuning, small and pure leaves), Table 6 (ranges).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from treewright import HybridTreeClassifier, OptimalTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> top = OptimalTreeClassifier(0.01, max_depth=2, thresholds=8)
    >>> model = HybridTreeClassifier(top, random_state=0).fit(X, y)
    >>> model.score(X, y) > model.top_.score(X, y)
    True
    >>> bool(model.report(X).share_explained > 0.9)
    True
    """

    result_: SolveResult | None  # type: ignore[assignment]  # some tops prove nothing

    def __init__(
        self,
        top: Any = None,
        *,
        leaf_estimator: Any = None,
        tune: Literal["rounds", "optuna"] | None = "rounds",
        share: bool = True,
        n_trials: int = 50,
        n_folds: int = 3,
        time_limit: float | None = None,
        reduce: bool = True,
        n_jobs: int | None = None,
        random_state: Any = None,
        categorical_features: Sequence[str] | Sequence[int] | None = None,
    ) -> None:
        self.top = top
        self.leaf_estimator = leaf_estimator
        self.tune = tune
        self.share = share
        self.n_trials = n_trials
        self.n_folds = n_folds
        self.time_limit = time_limit
        self.reduce = reduce
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.categorical_features = categorical_features

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the tree on top, if it is not fitted, and a model in each of its leaves.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            numpy, pandas or polars; numbers, truth values, text; missing values allowed.
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,), default=None
            Weights >= 0, for the top, the leaf models and the accuracy by which tuning chooses. Rows of weight 0 are
            left out.

        Returns
        -------
        HybridTreeClassifier
            The fitted estimator.

        Raises
        ------
        InputError
            The table, the labels, the weights or a parameter cannot be used, the top is not a single tree, or the leaf
            estimator cannot predict probabilities; the message says what to do.
        MissingDependencyError
            XGBoost or Optuna is needed and not installed; the message names the extra.
        KeyboardInterrupt
            Ctrl-C before there was a tree; or later, where the caller loops over fits.

        Warns
        -----
        ConvergenceWarning
            The time limit ended the fit, or tuning before all trials were made.
        NoGainWarning
            With ``tune="rounds"``: no leaf model does better than the tree, or the model alone does better than both
            together.
        """
        self._check_parameters()
        clock = Clock.of(self.time_limit)
        weighted = sample_weight is not None
        leaf_model = make_leaf_model(
            self.leaf_estimator, weighted=weighted
        )  # before the top, which may be slow
        if self.tune == "optuna":
            check_tunable(leaf_model)
        validate_data(self, X, skip_check_array=True)
        if is_column_vector(y):
            warn_of_column_vector()
            y = np.ravel(y)
        warn_of_quantity(y)
        warn_of_spellings(y)
        random = check_random_state(self.random_state)
        seed, began = int(random.randint(2**31 - 1)), time.monotonic()
        given = DecisionTreeClassifier(max_depth=4, min_samples_leaf=50) if self.top is None else self.top
        own = type(given).__module__.startswith(
            "treewright."
        )  # others that search end with KeyboardInterrupt
        if not own:
            warn_of_row_order(X, {"y": y, "sample_weight": sample_weight})
        with inner_fits_return() if own else nullcontext(InnerFits()) as inner:
            top = make_top(
                given,
                X,
                y,
                sample_weight,
                random_state=seed,
                categorical_features=self.categorical_features,
                time_limit=None if self.time_limit is None else max(LEAST_SECONDS, clock.left()),
            )
        took = time.monotonic() - began
        theirs = (
            given,
            getattr(given, "estimator", None),
        )  # that of FrozenEstimator is fitted elsewhere, too
        fitted_here = not isinstance(given, Tree) and not any(top.model is model for model in theirs)
        interrupted = inner.interrupted or (
            fitted_here and top.result is not None and top.result.asked_to_stop is StopReason.INTERRUPT
        )
        if top.n_learned is not None:
            warnings.warn(
                f"time_limit={self.time_limit} left the tree on top {top.n_learned:,} rows to choose its splits; its "
                "leaves answer for all rows. Raise time_limit, or give a tree that is fitted.",
                ConvergenceWarning,
                stacklevel=2,
            )
        tree = reduce_tree(top.tree) if self.reduce else top.tree
        classes = tree.classes
        assert classes is not None  # make_top refuses regression trees
        encoded = encode_like(X, tree.columns, expected_by="The tree on top")
        problem = make_problem(Table(tree.columns, encoded), y, sample_weight=sample_weight)
        advice = "Give the tree on top these labels, or one that is not fitted."
        if np.isnan(problem.table.X).any():
            make_leaf_model(self.leaf_estimator, missing=True)
        labels = label_positions(problem.classes, classes, "y holds", advice)[problem.y]
        weight = problem.sample_weight if weighted else None
        rows = problem.table.X
        self.extensions_: dict[int, Extension]
        alone: Shared | None = None
        by_tree: NDArray[np.bool_] | None = None
        late = False
        if not interrupted:
            try:
                if self.tune == "rounds":
                    if fitted_here and top.n_learned is None and can_be_made_again(top.model):
                        by_tree = right_when_held_out(
                            top.model, Inputs.of(tree.columns).matrix(rows), classes[labels], weight,
                            n_folds=self.n_folds, seed=seed, clock=clock, seconds_each=took,
                        )  # fmt: skip
                        late = by_tree is None and len(labels) >= self.n_folds
                    alone, too_late = self._model_of_all_rows(
                        tree, rows, labels, weight, leaf_model, random, clock, by_tree
                    )
                    late |= too_late
                self.extensions_ = extend_leaves(
                    tree,
                    rows,
                    labels,
                    weight,
                    leaf_model,
                    tuning=self._tuning(clock),
                    n_folds=self.n_folds,
                    n_jobs=self.n_jobs,
                    random_state=random,
                    clock=Clock() if self.tune == "optuna" else clock,  # trials have a limit of their own
                    shared=alone if self.share else None,
                    by_tree=by_tree,
                )
            except KeyboardInterrupt:  # before the first leaf, or between two steps
                interrupted = True
        if interrupted:
            self.extensions_ = {
                leaf: Extension(leaf, Treatment.KEPT, 0, np.empty(0, dtype=np.int64), interrupted=True)
                for leaf in np.flatnonzero(tree.is_leaf).tolist()
            }
        self.tree_ = tree
        self.top_ = top.model
        self.result_ = top.result
        self.classes_ = classes
        interrupted |= any(extension.interrupted for extension in self.extensions_.values())
        late |= any(extension.cut_short for extension in self.extensions_.values())
        self.cv_accuracy_: dict[str, float] | None = None
        if alone is not None and not interrupted and not late:
            self.cv_accuracy_ = compare(tree, self.extensions_, rows, labels, weight, alone, by_tree)
        few_trials = self.tune == "optuna" and any(
            0 < extension.n_trials < self.n_trials for extension in self.extensions_.values()
        )
        ended_early = late or few_trials or top.n_learned is not None
        self.stop_reason_ = StopReason.TIME_LIMIT if ended_early else None
        if interrupted:
            self.stop_reason_ = StopReason.INTERRUPT
        if self.cv_accuracy_ is not None:
            warn_of_no_gain(self, problem.table.n_rows)
        if self.tune == "optuna":
            warn_of_few_trials(self)
        elif late and not interrupted:
            warn_of_time(self)
        settle_interrupt(self.stop_reason_)
        return self

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Not there: the models in the leaves use columns that the tree does not."""
        raise AttributeError(
            "A HybridTreeClassifier has no feature_importances_: the models in its leaves use columns that the tree "
            "does not. Use model.top_.feature_importances_ for the tree, or "
            "sklearn.inspection.permutation_importance(model, X, y) for the whole."
        )

    def _asked(self) -> None:
        """The models in the leaves use every column."""

    def _shown_tree(self) -> tuple[Tree | SolveResult, str] | None:
        """The tree on top, and in how many of its leaves a model answers."""
        shown = super()._shown_tree()
        if shown is None:
            return None
        own = sum(extension.model is not None for extension in self.extensions_.values())
        if own == 0:
            said = "In all leaves the tree answers itself."
        else:
            where = (
                "its single leaf"
                if self.tree_.n_leaves == 1
                else f"{own} of its {self.tree_.n_leaves} leaves"
            )
            said = (
                f"This is the tree on top of a hybrid. In {where} a model answers, and can decide otherwise than the "
                "tree. How often it does: model.report(X, y)."
            )
        return shown[0], f"{said} {shown[1]}".rstrip()

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label that the model of each row's leaf predicts.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        encoded = self._encode(X)
        return self.classes_[classify(self.tree_, self.extensions_, encoded)]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class by the model of each row's leaf.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Columns in the order of `classes_`. If the tree predicts in a leaf, these are its shares of training weight.
            A leaf's own model gives probability 0 to a class that it did not see in training.
        """
        encoded = self._encode(X)
        return probabilities(self.tree_, self.extensions_, encoded)

    def report(
        self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> HybridReport:
        """Return for which rows the tree explains the answer, and for which a leaf model overrules it.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
        y : array-like of shape (n_rows,), default=None
            True labels; with them the report says how often tree and hybrid tree are right. On training rows the leaf
            models look too good: give rows that were held back.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights >= 0 for the shares of rows; numbers of rows are not weighted.

        Returns
        -------
        HybridReport
            ``report.overruled`` is a mask of the rows, ``report.leaves`` has one entry per leaf, and
            ``print(report)`` a table.

        Raises
        ------
        InputError
            The length of `y` or `sample_weight` is not the number of rows of `X`, a weight is negative or all are 0, or
            `X` has other columns than the training table.
        """
        encoded = self._encode(X)
        refuse_lossy("y", y)
        truth = None if y is None else np.asarray(y)
        if truth is not None and truth.shape != (len(encoded),):
            raise InputError(f"y has shape {truth.shape}, expected ({len(encoded)},): one label per row.")
        leaf = self.tree_.apply(encoded)
        return HybridReport(
            tree=self.tree_,
            treatments={leaf: extension.treatment for leaf, extension in self.extensions_.items()},
            leaf=leaf,
            explained=self.classes_[self.tree_.prediction[leaf]],
            predicted=self.classes_[classify(self.tree_, self.extensions_, encoded)],
            y=truth,
            sample_weight=None if sample_weight is None else check_sample_weight(sample_weight, len(encoded)),
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        given = self.leaf_estimator
        if hasattr(given, "get_params") and not isinstance(given, type):
            tags.input_tags.allow_nan = family(given) is not None or get_tags(given).input_tags.allow_nan
        return tags

    def _check_parameters(self) -> None:
        if self.tune not in (None, "rounds", "optuna"):
            raise InputError(f'tune={self.tune!r}; give "rounds", "optuna" or None.')
        for name, least in (("n_trials", 1), ("n_folds", 2)):
            value = getattr(self, name)
            if not is_whole(value) or value < least:
                raise InputError(f"{name}={value!r}; give an integer of at least {least}.")
        limit = self.time_limit
        if limit is not None and (not is_real(limit) or not limit > 0):
            raise InputError(f"time_limit={limit!r}; give seconds above 0, or None for no limit.")
        for name in ("share", "reduce"):
            if not isinstance(getattr(self, name), bool):
                raise InputError(f"{name}={getattr(self, name)!r}; give True or False.")

    def _tuning(self, clock: Clock) -> Tuning | None:
        left = None if self.time_limit is None else clock.left()
        return None if self.tune is None else Tuning(self.n_trials, left, self.tune)

    def _model_of_all_rows(
        self,
        tree: Tree,
        X: NDArray[np.float64],
        y: NDArray[np.int64],
        weight: NDArray[np.float64] | None,
        leaf_model: Any,
        random: np.random.RandomState,
        clock: Clock,
        by_tree: NDArray[np.bool_] | None,
    ) -> tuple[Shared | None, bool]:
        """Cross-validate the model alone, and fit it if leaves may share it; say whether the time was too short.

        It takes at most half of the time, and half of what is then left for the fit: the leaves take as long. Other
        settings are tried only while more is left than they need.
        """
        half = clock.share(0.5)
        alone = cross_validate_alone(
            tree, X, y, weight, leaf_model, n_folds=self.n_folds, random_state=random,
            clock=half.share(self.n_folds / (self.n_folds + 1)) if self.share else half,
            try_until=clock if self.leaf_estimator is None else None,
        )  # fmt: skip
        if alone is None:
            return None, len(y) >= self.n_folds and bool((y != y[0]).any())
        if self.share and not fit_shared(alone, tree, X, y, weight, clock.share(0.5), by_tree):
            return None, True
        return alone, False
