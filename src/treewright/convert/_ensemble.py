"""Any tree ensemble as one kind of object: flat arrays, float64 thresholds, and the model's own arithmetic.

Every reader turns a model into an `Ensemble` whose `predict` repeats the model bit for bit. Two facts make this work:

* A model that rounds its input to float32 before comparing it is the same function of the float64 input with a moved
  threshold: rounding is monotone, so ``float32(x) <= t`` holds exactly up to one largest float64, `float32_threshold`.
* Sums and links (softmax, sigmoid) are repeated in the model's order and precision, so even ties in the last bit fall
  to the same class.

The born-again methods and the independent verifier both read this type and nothing else of the models.

Longer than 400 lines: one class, and half of it documents what it can be asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._arguments import numbers_of
from treewright.convert._check_ensemble import (
    LINKS,
    EnsembleFault,
    check_ensemble,
    check_leaf_classes,
    check_sizes,
    check_structure,
)
from treewright.convert._domain import Domain, check_first_domain, restrict
from treewright.convert._ensemble_tree import BLOCK, EnsembleTree, float32_below
from treewright.convert._exponential import exp32, exp64
from treewright.convert._rows_by_name import rows_by_name
from treewright.errors import InputError

__all__ = ["LINKS", "Ensemble"]


@dataclass(frozen=True, eq=False)
class Ensemble:
    """Trees, and the rule that turns the sum of their leaf values into a class.

    Scores are ``bias + sum of leaf values`` in tree order. A hard vote adds the weight of the tree to the
    score of its class; ties go to the smallest class index.

    Parameters
    ----------
    trees : tuple of EnsembleTree
    classes : ndarray of shape (n_classes,)
        Labels by class index.
    feature_names : tuple of str
        One per column.
    bias : ndarray of shape (n_outputs,), float64
    link : {"argmax", "positive", "softmax32", "softmax64"}, default="argmax"
        ``argmax`` takes the first largest of ``scores / divisor``; ``positive`` takes class 1 if the only
        score is above `cut`; the softmax links take the first largest probability in single or double
        precision.
    divisor : float, default=1.0
    cut : float, default=0.0
    single : bool, default=False
        Whether scores are summed in single precision.
    missing : ndarray of shape (n_features,), bool, optional
        Columns on which the model decides about missing values; elsewhere `predict` refuses them. Default:
        none.
    inputs : {"float64", "float32"}, default="float64"
        ``float32`` means that all statements hold for rows of float32 numbers; `predict` rounds to them
        first.
    source : str, default="ensemble"
        What was read, for messages.
    vote : {"hard", "soft"}, default="soft"
        How the trees are combined, for reports.
    domain : Domain or None, default=None
        The rows that all statements are about, see `within`; others are refused. None is all rows.
    whole : Ensemble or None, default=None
        With a domain: the original ensemble.

    Raises
    ------
    InputError
        If the parts contradict each other: a node is not reached exactly once, a column does not exist, a number is not
        finite, or the scores do not fit the classes.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from treewright.convert import Ensemble
    >>> forest = RandomForestClassifier(3, max_depth=1, random_state=0).fit([[1], [2], [3], [4]], [0, 0, 1, 1])
    >>> ensemble = Ensemble.from_model(forest)
    >>> len(ensemble.trees), ensemble.n_leaves, ensemble.predict([[1.0], [4.0]])
    (3, 6, array([0, 1]))
    """

    trees: tuple[EnsembleTree, ...]
    classes: NDArray[Any]
    feature_names: tuple[str, ...]
    bias: NDArray[np.float64]
    link: str = "argmax"
    divisor: float = 1.0
    cut: float = 0.0
    single: bool = False
    missing: NDArray[np.bool_] | None = None
    inputs: str = "float64"
    source: str = "ensemble"
    vote: str = "soft"
    domain: Domain | None = None
    whole: Ensemble | None = None

    def __post_init__(self) -> None:
        if self.missing is None:
            object.__setattr__(self, "missing", np.zeros(len(self.feature_names), dtype=np.bool_))
        check_ensemble(self)

    @classmethod
    def from_model(cls, model: Any, *, missing: str = "refuse", inputs: str = "float64") -> Ensemble:
        """Read a fitted classifier of scikit-learn, XGBoost or LightGBM.

        Parameters
        ----------
        model : fitted classifier
            RandomForestClassifier, ExtraTreesClassifier, DecisionTreeClassifier, BaggingClassifier or
            AdaBoostClassifier of trees, GradientBoostingClassifier, HistGradientBoostingClassifier, XGBClassifier,
            LGBMClassifier, or a Booster of the last two libraries; also inside a fitted search, a FrozenEstimator, or a
            Pipeline whose other steps do not change rows.
        missing : {"refuse", "route"}, default="refuse"
            ``route`` uses the model's own rule for missing values (which every column then has). With ``refuse`` all
            statements are about rows without missing values, and other rows are refused.
        inputs : {"float64", "float32"}, default="float64"
            Models that round to float32 get thresholds moved by half a unit in the last place, so that they
            hold for every float64. If all values are float32 numbers anyway (small integers, say),
            ``float32`` keeps the model's own thresholds.

        Returns
        -------
        Ensemble

        Raises
        ------
        InputError
            If the model is not fitted, is a regressor, is a wrapper whose decisions are not those of the ensemble
            inside (calibration, votes; the message says what to read), has categorical splits or another part that
            threshold splits cannot express.
        """
        from treewright.convert._read import read_ensemble

        return read_ensemble(model, missing=missing, inputs=inputs)

    @classmethod
    def load(cls, path: str | Path, *, missing: str = "refuse", inputs: str = "float64") -> Ensemble:
        """Read a model file: a published forest file, an XGBoost JSON model or a LightGBM text model.

        Parameters
        ----------
        path : str or Path
        missing, inputs
            As in `from_model`.

        Returns
        -------
        Ensemble

        Raises
        ------
        InputError
            The file does not exist or cannot be read.
        ModelFileError
            It is damaged, cut short or of another kind.
        """
        from treewright.convert._read import load_ensemble

        return load_ensemble(path, missing=missing, inputs=inputs)

    @classmethod
    def hard_vote(
        cls,
        trees: Sequence[EnsembleTree],
        classes: ArrayLike,
        *,
        weights: ArrayLike | None = None,
        n_features: int | None = None,
        feature_names: Sequence[str] | None = None,
        source: str = "ensemble",
    ) -> Ensemble:
        """Make an ensemble with a weighted majority vote.

        Parameters
        ----------
        trees : sequence of EnsembleTree
            `value` of shape (n_nodes, 1) holds the class index of each leaf.
        classes : array-like of shape (n_classes,)
        weights : array-like of shape (n_trees,), default: all 1
            Positive weights of the votes.
        n_features : int, optional
            Needed if `feature_names` is not given.
        feature_names : sequence of str, optional
        source : str, default="ensemble"

        Returns
        -------
        Ensemble

        Raises
        ------
        InputError
            If a weight is not positive, or a leaf names a class that does not exist.
        """
        labels = np.asarray(classes)
        w = np.ones(len(trees)) if weights is None else numbers_of("weights", weights)
        if w.shape != (len(trees),) or not np.all((w > 0) & np.isfinite(w)):
            raise InputError(f"weights must be {len(trees)} positive numbers, one per tree; got {w!r}.")
        if feature_names is None and n_features is None:
            raise InputError("Give n_features or feature_names.")
        width = len(feature_names) if feature_names is not None else int(n_features or 0)
        check_sizes(width, len(labels), len(trees), sum(len(tree.feature) for tree in trees), len(labels))
        voting = []
        for t, (tree, weight) in enumerate(zip(trees, w, strict=True)):
            try:
                check_structure(tree, width)
                check_leaf_classes(tree, len(labels))
            except EnsembleFault as fault:
                raise EnsembleFault(f"Tree {t} of the {source} cannot be used: {fault}") from None
            leaf = np.flatnonzero(tree.feature < 0)
            vote = np.zeros((len(tree.feature), len(labels)))
            vote[leaf, tree.value[leaf, 0].astype(np.int64)] = weight
            voting.append(replace(tree, value=vote))
        if feature_names is None:
            feature_names = [f"x{f}" for f in range(width)]
        return cls(
            tuple(voting), labels, tuple(feature_names), np.zeros(len(labels)), source=source, vote="hard"
        )

    def within(self, domain: Domain) -> Ensemble:
        """Return the ensemble for a domain: the same decisions on its rows, fewer thresholds; it refuses other rows.

        Parameters
        ----------
        domain : Domain
            Every statement about the new ensemble, a faithful tree included, is about these rows only.

        Raises
        ------
        InputError
            If the domain has another number of columns, or this ensemble has a domain already.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.ensemble import RandomForestClassifier
        >>> from treewright.bornagain import Domain, Ensemble
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> counts = X.round()
        >>> ensemble = Ensemble.from_model(RandomForestClassifier(5, random_state=0).fit(counts, y))
        >>> part = ensemble.within(Domain.of_rows(counts))
        >>> sum(map(len, part.thresholds)) < sum(map(len, ensemble.thresholds))
        True
        """
        check_first_domain(self.domain, domain, self.n_features)
        assert self.missing is not None  # set in __post_init__
        if domain.groups and self.missing.any():
            raise InputError(
                "A domain with groups of columns is for ensembles without a rule for missing values; read it with "
                'missing="refuse".'
            )
        trees = tuple(restrict(tree, domain, self.missing) for tree in self.trees)
        return replace(self, trees=trees, domain=domain, whole=self)

    def as_hard_vote(self) -> Ensemble:
        """Let every tree vote for the class of its largest leaf score, as Vidal and Schiffer 2020 do.

        The result is another model than this one: it no longer equals the library's own soft vote.

        Returns
        -------
        Ensemble

        Raises
        ------
        InputError
            If the leaves hold no score for each class (binary boosted models).
        """
        if self.domain is not None and self.whole is not None:
            return self.whole.as_hard_vote().within(self.domain)
        if self.bias.shape != (self.n_classes,):
            raise InputError(
                f"The leaves of {self.source} hold one score, not one per class; they cannot vote."
            )
        trees = [replace(t, value=np.argmax(t.value, axis=1)[:, None].astype(np.float64)) for t in self.trees]
        voting = Ensemble.hard_vote(trees, self.classes, feature_names=self.feature_names, source=self.source)
        return replace(voting, missing=self.missing, inputs=self.inputs)

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return len(self.feature_names)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @property
    def n_leaves(self) -> int:
        """Leaves of all trees together; with a domain, those of the original trees."""
        if self.whole is not None:
            return self.whole.n_leaves
        return sum(tree.n_leaves for tree in self.trees)

    @property
    def depth(self) -> int:
        """Sum of the trees' depths: no optimal tree is deeper (Vidal and Schiffer 2020, Theorem 2)."""
        return sum(tree.depth for tree in self.trees)

    @property
    def scope(self) -> str:
        """The rows that statements about this model hold for, in words."""
        assert self.missing is not None  # set in __post_init__
        rows = "all rows of float32 numbers" if self.inputs == "float32" else "all rows"
        if self.domain is not None:
            rows += " of the domain"
        return f"{rows}, missing values included" if self.missing.any() else f"{rows} without missing values"

    @cached_property
    def thresholds(self) -> tuple[NDArray[np.float64], ...]:
        """Distinct finite thresholds of each column, ascending; the planes of the cells.

        Of several that no row of float32 numbers lies between, the least one, if all statements are about such rows.
        """
        found: list[list[NDArray[np.float64]]] = [[] for _ in range(self.n_features)]
        for tree in self.trees:
            for f in np.unique(tree.feature[tree.feature >= 0]):
                found[f].append(tree.threshold[tree.feature == f])
        lists = [np.unique(np.concatenate(t)) if t else np.empty(0) for t in found]
        lists = [t[np.isfinite(t)] for t in lists]
        if self.inputs == "float32":
            lists = [t[np.unique(float32_below(t), return_index=True)[1]] for t in lists]
        return tuple(lists)

    @cached_property
    def is_exact(self) -> bool:
        """Whether all sums are small integers, exact in any order; so are their differences, in double precision."""
        largest = sum(float(np.abs(tree.value).max()) for tree in self.trees) + float(np.abs(self.bias).max())
        whole = all(np.all(tree.value == np.round(tree.value)) for tree in self.trees)
        return bool(
            whole
            and largest < (2**24 if self.single else 2**52)
            and abs(self.cut) < 2**52
            and np.all(self.bias == np.round(self.bias))
            and self.divisor == 1.0
            and self.cut == round(self.cut)
            and self.link in ("argmax", "positive")
        )

    def scores(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the raw sums of rows, shape (n_rows, n_outputs), in the model's own precision.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features), float64
            Rows as `encode` returns them; they are not checked again.

        Returns
        -------
        ndarray of shape (n_rows, n_outputs), float64
        """
        total = np.empty((len(X), len(self.bias)))
        for begin in range(0, len(X), BLOCK):
            total[begin : begin + BLOCK] = self._sums(X[begin : begin + BLOCK])
        return total

    def _sums(self, block: NDArray[np.float64]) -> NDArray[Any]:
        kind = np.float32 if self.single else np.float64
        sums = np.tile(self.bias.astype(kind), (len(block), 1))
        for tree in self.trees:
            sums += tree.value.astype(kind)[tree.apply(block)]
        return sums

    def answers(self, X: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the class index of each encoded row; the sums of all rows are never in memory at once.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features), float64
            Rows as `encode` returns them; they are not checked again.

        Returns
        -------
        ndarray of shape (n_rows,), int64
        """
        out = np.empty(len(X), dtype=np.int64)
        for begin in range(0, len(X), BLOCK):
            out[begin : begin + BLOCK] = self.classify(
                self._sums(X[begin : begin + BLOCK]).astype(np.float64)
            )
        return out

    def classify(self, scores: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the class index of each row of `scores` (n_rows, n_outputs).

        Parameters
        ----------
        scores : ndarray of shape (n_rows, n_outputs), float64
            Raw sums, as `scores` returns them.

        Returns
        -------
        ndarray of shape (n_rows,), int64
        """
        if self.link == "positive":
            return np.asarray(scores[:, 0] > self.cut, dtype=np.int64)
        if self.link in ("softmax32", "softmax64"):
            kind, exp = (np.float32, exp32) if self.link == "softmax32" else (np.float64, exp64)
            s = scores.astype(kind)
            e = exp(s - s.max(axis=1, keepdims=True))
            scores = e / np.cumsum(e.astype(np.float64), axis=1)[:, -1:].astype(kind)
        else:
            scores = scores / self.divisor
        return np.asarray(np.argmax(scores, axis=1), dtype=np.int64)

    def encode(self, X: ArrayLike) -> NDArray[np.float64]:
        """Check rows and return them as float64.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_features)
            Numbers. The columns of a frame are found by their names, if those of the model are not just numbered.

        Returns
        -------
        ndarray of shape (n_rows, n_features), float64
            Rounded to float32 if that is what the model reads.

        Raises
        ------
        InputError
            If the shape is wrong, or a value is missing where the model has no rule for it.
        """
        rows = numbers_of("X", rows_by_name(X, self.feature_names, self.source))
        if self.inputs == "float32":
            rows = rows.astype(np.float32).astype(np.float64)
        if rows.ndim != 2 or rows.shape[1] != self.n_features:
            raise InputError(f"X must have shape (n_rows, {self.n_features}); got {rows.shape}.")
        assert self.missing is not None  # set in __post_init__
        lacking = np.flatnonzero(np.isnan(rows).any(axis=0) & ~self.missing)
        if len(lacking):
            raise InputError(
                f"Column {self.feature_names[lacking[0]]!r} has missing values, and the {self.source} was "
                "read without a rule for them. Fill them in, or read the model with missing='route' if it "
                "was trained with them."
            )
        if self.domain is not None:
            self.domain.check(rows, self.feature_names)
        return rows

    def predict_index(self, X: ArrayLike) -> NDArray[np.int64]:
        """Return the class index of each row.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Numbers; checked as in `encode`.

        Returns
        -------
        ndarray of shape (n_rows,), int64
            Positions in `classes`.

        Raises
        ------
        InputError
            As in `encode`.
        """
        return self.answers(self.encode(X))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the label of each row, equal to the prediction of the library that the model came from.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            NaN marks a missing value.

        Returns
        -------
        ndarray of shape (n_rows,)

        Raises
        ------
        InputError
            If a value is missing in a column for which the model has no rule.
        """
        return np.asarray(self.classes[self.predict_index(X)])
