"""Latent trees as scikit-learn estimators: classification, regression, hierarchical clustering."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, ClusterMixin, RegressorMixin
from sklearn.utils.validation import column_or_1d

from treewright.errors import InputError
from treewright.estimators._latent_base import LatentTreeBase
from treewright.estimators._latent_progress import EpochCallback
from treewright.problem import encode_labels
from treewright.table import Table
from treewright.tree import merge_equal_leaves

if TYPE_CHECKING:
    import torch

    from treewright.latent import HardenedTree

__all__ = ["LatentTreeClassifier", "LatentTreeClusterer", "LatentTreeRegressor"]

PARAMETERS = """
    Parameters
    ----------
    depth : int, default=5 (clustering: 3)
        Depth of the tree, >= 1.
    pruning : float, default=1.0
        lambda >= 0 of eq. (3), relative to the rows of a batch: larger shrinks the use of nodes; 0 = none.
    splits : "linear", "elu" or torch Module, default="linear"
        Split functions; a module maps (n_rows, n_inputs) to (n_rows, 2**depth - 1) and is copied.
    hidden_layers : sequence of int, default=()
        Widths of the predictor's hidden layers (with ELU); () is a linear predictor.
    dropout : float, default=0.0
        Of the hidden layers.
    tree_only : bool, default=False
        Whether the predictor sees only the traversals z, not the features.
    routing : {"paper", "published"}, default="paper"
        z = clip(q + 1/2, 0, a) as in eq. (3), or min(clip(q, 0, 1), a) as in the published code.
    batch_norm : bool, default=False
        Normalise split scores over the batch, as the published code does.
    categories : {"ordinal", "onehot"}, default="ordinal"
        Codes of categories as numbers (as in the paper; can be hardened), or one column for each.
    loss : "auto" or callable, default="auto"
        A callable(output, target) that returns a scalar tensor replaces the usual loss.
    optimizer : str or class, default="adamw"
        "adamw", "adam", "sgd", "qhadam" (the paper's; needs pytorch_optimizer), or an Optimizer class.
    optimizer_options : mapping, default=None
        More arguments of the optimizer.
    learning_rate : float, default=0.01
    batch_size : int, default=512
        Largest batch; batches are made equal to within one row.
    epochs : int, default=100
        Most passes over the training rows.
    schedule : {"plateau", "cosine"} or None, default="plateau"
        How the learning rate falls.
    patience : int, default=20
        Epochs without improvement on the validation rows after which training stops.
    validation_fraction : float, default=0.2
        Share of rows held out to select the model; 0 judges by the training rows. Below ten rows none are.
    time_limit : float or None, default=None
        Seconds of training.
    device : str, default="cpu"
        Where to train: a torch device, or "auto" for a GPU if there is one.
    random_state : int, RandomState or None, default=None
        Seed of weights, split, shuffling and dropout.
    checkpoint : path or None, default=None
        File to save to after each epoch; if it exists, `fit` resumes from it.
    progress : "auto", bool or callable, default="auto"
        A progress bar; a callable gets each `treewright.latent.Epoch` and stops training by returning True.
    categorical_features : sequence of str or int, default=None
        Columns of numbers that are to be read as categories.
"""

ATTRIBUTES = """
    Attributes
    ----------
    network_ : LatentTreeNetwork
        On the CPU, in float64, in evaluation mode.
    result_ : TrainResult
        History of all epochs, best epoch, why training stopped.
    columns_ : tuple of Column
    pruning_vector_ : ndarray of shape (2**(depth+1) - 1,)
        a of the training rows.
    active_nodes_ : ndarray
        Breadth-first numbers of the nodes with a > 0.
    n_features_in_ : int
    n_iter_ : int
        Epochs made.
"""

NOTES = """
    Notes
    -----
    Missing values take the column's mean, and a column that has some brings an indicator. Predictions use
    the stored pruning vector, so that a row's prediction does not depend on the other rows (the published
    code does).

    References
    ----------
    V. Zantedeschi, M. Kusner, V. Niculae (2021). Learning Binary Decision Trees by Argmin Differentiation.
    ICML.
"""


def _documented(cls: Any) -> Any:
    """Put the common parameters in the place that a class docstring leaves for them."""
    for place, text in (("parameters", PARAMETERS), ("attributes", ATTRIBUTES), ("notes", NOTES)):
        cls.__doc__ = cls.__doc__.replace("{" + place + "}", text.strip())
    return cls


@_documented
class LatentTreeClassifier(ClassifierMixin, LatentTreeBase):  # type: ignore[misc]
    """Classification tree with linear or other differentiable splits, trained by gradients.

    Minimises (binary) cross-entropy of a predictor over features and traversals (eq. 10).

    {parameters}

    {attributes}

    {notes}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import LatentTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LatentTreeClassifier(depth=2, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True
    """

    classes_: NDArray[Any]

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Train the tree.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
            numpy, pandas or polars; numbers, truth values, text; missing values allowed.
        y : array-like of shape (n_rows,)
            Labels; one class alone gives a constant model.

        Returns
        -------
        LatentTreeClassifier

        Raises
        ------
        MissingDependencyError
            PyTorch is not installed (extra `latent`).
        InputError
            The table, the labels or a parameter cannot be used.
        ModelFileError
            The checkpoint is damaged or of a model of another shape.
        """
        table = self._table(X)
        if isinstance(y, np.ndarray) and y.ndim == 2:
            y = column_or_1d(y, warn=True)
        return self.fit_table(table, y)

    def fit_table(self, table: Table, y: ArrayLike) -> Self:
        """Train the tree on a table that has been read already; see `fit`."""
        self.columns_ = table.columns
        self.classes_, index = encode_labels(y, table.n_rows)
        n_outputs = 1 if len(self.classes_) <= 2 else len(self.classes_)
        self._train(
            table, index.astype(np.int64), n_outputs, "cross_entropy", error=_error_rate, strata=index
        )
        self._hardened = self._keep_hardened(lambda: self._harden_on(table.X, index))
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, shape (n_rows, n_classes), columns in the order of
        `classes_`.
        """
        return self._proba(self._encode(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable label of each row, shape (n_rows,)."""
        rows = self._encode(X)
        labels: NDArray[Any] = self.classes_[self._proba(rows).argmax(axis=1)]
        return labels

    def harden(self, X: Any = None, y: Any = None) -> HardenedTree:
        """Return the common `Tree` with linear splits, and its agreement with this soft model.

        Parameters
        ----------
        X, y : table and labels, default=None
            Rows that fill the leaves and measure the agreement; None returns the tree of the training rows.

        Returns
        -------
        HardenedTree
            `tree`, `agreement` (share of rows with the same predicted class) and a `sentence`.

        Raises
        ------
        InputError
            Splits are a module of their own, or categories were one-hot.
        """
        if X is None:
            return self._kept_hardened()
        rows = self._encode(X)
        return self._harden_on(rows, _known_labels(y, self.classes_))

    def _harden_on(self, rows: NDArray[np.float64], index: NDArray[np.int32]) -> HardenedTree:
        from treewright.latent._harden import HardenedTree, classification_tree

        tree = merge_equal_leaves(
            self._harden(rows, classification_tree(self.columns_, self.classes_, index))
        )
        agreement = float((self._proba(rows).argmax(axis=1) == tree.prediction[tree.apply(rows)]).mean())
        return HardenedTree(
            tree,
            agreement,
            f"The hard tree has {tree.n_leaves} leaves and predicts the same class as the soft model for "
            f"{100 * agreement:.1f}% of {len(rows)} rows.",
        )

    def _proba(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        out = self._outputs(rows)
        if len(self.classes_) == 1:
            return np.ones((len(rows), 1))
        if out.shape[1] == 1:
            positive = 0.5 * (1 + np.tanh(0.5 * out[:, 0]))  # the logistic function, without overflow
            return np.stack([1 - positive, positive], axis=1)
        shifted = np.exp(out - out.max(axis=1, keepdims=True))
        return np.asarray(shifted / shifted.sum(axis=1, keepdims=True))


@_documented
class LatentTreeRegressor(RegressorMixin, LatentTreeBase):  # type: ignore[misc]
    """Regression tree with linear or other differentiable splits, trained by gradients.

    Minimises the mean squared error of a predictor over features and traversals (eq. 10). The target is
    centred and scaled for training; a callable loss sees the scaled one.

    {parameters}

    {attributes}

    {notes}

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from treewright import LatentTreeRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = LatentTreeRegressor(depth=2, pruning=10, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.4)
    True
    """

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Train the tree.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
        y : array-like of shape (n_rows,)
            Finite numbers.

        Returns
        -------
        LatentTreeRegressor

        Raises
        ------
        MissingDependencyError
            PyTorch is not installed (extra `latent`).
        InputError
            The table, the target or a parameter cannot be used.
        ModelFileError
            The checkpoint is damaged or of a model of another shape.
        """
        table = self._table(X)
        self.columns_ = table.columns
        target = _numbers(y, table.n_rows)
        self._center, self._scale = float(target.mean()), float(target.std()) or 1.0
        scaled = (target - self._center) / self._scale
        self._train(table, scaled[:, None], 1, "squared_error")
        self._hardened = self._keep_hardened(lambda: self._harden_on(table.X, target))
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the predicted value of each row, shape (n_rows,)."""
        return self._values(self._encode(X))

    def harden(self, X: Any = None, y: Any = None) -> HardenedTree:
        """Return the common `Tree` with linear splits, and its agreement with this soft model.

        Parameters
        ----------
        X, y : table and target, default=None
            Rows that fill the leaves and measure the agreement; None returns the tree of the training rows.

        Returns
        -------
        HardenedTree
            `tree`, `agreement` (1 - mean squared difference / variance of the soft predictions) and a
            `sentence`.

        Raises
        ------
        InputError
            Splits are a module of their own, or categories were one-hot.
        """
        if X is None:
            return self._kept_hardened()
        rows = self._encode(X)
        return self._harden_on(rows, _numbers(y, len(rows)))

    def _harden_on(self, rows: NDArray[np.float64], target: NDArray[np.float64]) -> HardenedTree:
        from treewright.latent._harden import HardenedTree, regression_tree

        tree = self._harden(rows, regression_tree(self.columns_, target))
        soft, hard = self._values(rows), tree.predict(rows)
        spread, apart = float(soft.var()), float(((soft - hard) ** 2).mean())
        agreement = 1.0 - apart / spread if spread > 0 else 1.0
        return HardenedTree(
            tree,
            agreement,
            f"The hard tree has {tree.n_leaves} leaves and explains {100 * agreement:.1f}% of the "
            "variance of the "
            f"soft model's predictions on {len(rows)} rows.",
        )

    def _values(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(self._outputs(rows)[:, 0] * self._scale + self._center)


@_documented
class LatentTreeClusterer(ClusterMixin, LatentTreeBase):  # type: ignore[misc]
    """Hierarchical clustering by self-supervision: a tree that helps to predict some columns (Section 4.2).

    The tree is trained to regress the columns `targets` from all others; its nodes are the clusters, its
    leaves the finest ones. Without `targets` every column is predicted from the row's path alone.

    {parameters}
    targets : sequence of str or int, default=None
        Columns to predict; they are no inputs. None predicts every column, from the path alone.

    {attributes}
    labels_ : ndarray of shape (n_rows,)
        Cluster (0, 1, ...) of each training row.
    nodes_ : ndarray of shape (n_rows,)
        Breadth-first number of the node that each training row ends at; its ancestors are the row's larger
        clusters.

    {notes}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import LatentTreeClusterer
    >>> from treewright.latent import dendrogram_purity
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LatentTreeClusterer(depth=2, random_state=0).fit(X)
    >>> bool(dendrogram_purity(model.nodes_, y) > 0.5)
    True
    """

    def __init__(
        self,
        depth: int = 3,
        *,
        pruning: float = 1.0,
        splits: Literal["linear", "elu"] | torch.nn.Module = "linear",
        hidden_layers: Sequence[int] = (),
        dropout: float = 0.0,
        tree_only: bool = False,
        routing: Literal["paper", "published"] = "paper",
        batch_norm: bool = False,
        categories: Literal["ordinal", "onehot"] = "ordinal",
        loss: Any = "auto",
        optimizer: str | type = "adamw",
        optimizer_options: Mapping[str, Any] | None = None,
        learning_rate: float = 0.01,
        batch_size: int = 512,
        epochs: int = 100,
        schedule: Literal["plateau", "cosine"] | None = "plateau",
        patience: int = 20,
        validation_fraction: float = 0.2,
        time_limit: float | None = None,
        device: str = "cpu",
        random_state: Any = None,
        checkpoint: str | os.PathLike[str] | None = None,
        progress: Literal["auto"] | bool | EpochCallback = "auto",
        categorical_features: Sequence[str] | Sequence[int] | None = None,
        targets: Sequence[str] | Sequence[int] | None = None,
    ) -> None:
        super().__init__(
            depth,
            pruning=pruning,
            splits=splits,
            hidden_layers=hidden_layers,
            dropout=dropout,
            tree_only=tree_only,
            routing=routing,
            batch_norm=batch_norm,
            categories=categories,
            loss=loss,
            optimizer=optimizer,
            optimizer_options=optimizer_options,
            learning_rate=learning_rate,
            batch_size=batch_size,
            epochs=epochs,
            schedule=schedule,
            patience=patience,
            validation_fraction=validation_fraction,
            time_limit=time_limit,
            device=device,
            random_state=random_state,
            checkpoint=checkpoint,
            progress=progress,
            categorical_features=categorical_features,
        )
        self.targets = targets

    def fit(self, X: Any, y: Any = None) -> Self:
        """Train the tree.

        Parameters
        ----------
        X : array-like or frame of shape (n_rows, n_columns)
        y : ignored

        Returns
        -------
        LatentTreeClusterer

        Raises
        ------
        MissingDependencyError
            PyTorch is not installed (extra `latent`).
        InputError
            The table, the targets or a parameter cannot be used.
        """
        table = self._table(X)
        self.columns_ = table.columns
        chosen = _positions(self.targets, table)
        goal = fit_goal(table, chosen or range(len(table.columns)), self.categories)
        only = True if not chosen else self.tree_only
        self._train(table, goal, goal.shape[1], "squared_error", leave_out=chosen, tree_only=only)
        self.nodes_ = self._blocks(table.X, self.network_.tree.leaf)
        # Clusters that hold training rows come first, so that labels_ has no gaps; then the rest.
        reached = np.unique(self.nodes_)
        self._clusters = np.concatenate([reached, np.setdiff1d(self.network_.tree.shape.nodes, reached)])
        self.labels_ = self._label(self.nodes_)
        return self

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Return the cluster of each row: a number as in `labels_`, or larger if no training row is in it."""
        return self._label(self.apply(X))

    def _label(self, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        order = np.argsort(self._clusters)
        labels: NDArray[np.int64] = order[np.searchsorted(self._clusters, nodes, sorter=order)]
        return labels


def fit_goal(table: Table, columns: Sequence[int], categories: str) -> NDArray[np.float64]:
    """Return the scaled columns to predict, shape (n_rows, n_targets)."""
    from treewright.latent._encode import fit_encoder

    rest = [j for j in range(len(table.columns)) if j not in columns]
    goal: NDArray[np.float64] = fit_encoder(table.X, table.columns, categories, rest).transform(table.X)
    return goal


def _positions(targets: Sequence[str] | Sequence[int] | None, table: Table) -> list[int]:
    """Positions of the target columns; [] for none."""
    if targets is None:
        return []
    found = []
    for target in targets:
        if isinstance(target, str) and target in table.names:
            found.append(table.names.index(target))
        elif isinstance(target, (int, np.integer)) and 0 <= target < len(table.columns):
            found.append(int(target))
        else:
            raise InputError(
                f"targets names {target!r}, which is no column; give names or positions among "
                f"{list(table.names)}."
            )
    if not found or len(set(found)) >= len(table.columns):
        raise InputError("targets must name at least one column and leave at least one to predict them from.")
    return sorted(set(found))


def _error_rate(out: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    guess = (out[:, 0] > 0).long() if out.shape[1] == 1 else out.argmax(1)
    return (guess != y).double().mean()


def _known_labels(y: Any, classes: NDArray[Any]) -> NDArray[np.int32]:
    labels = np.asarray(y)
    index = np.searchsorted(classes, labels).clip(max=len(classes) - 1)
    if not np.array_equal(classes[index], labels):
        unknown = labels[classes[index] != labels][0]
        raise InputError(f"y has the label {unknown!r}, which the model does not know: {list(classes)}.")
    return index.astype(np.int32)


def _numbers(y: Any, n_rows: int) -> NDArray[np.float64]:
    if y is None:
        raise InputError("fit requires y to be passed, but the target y is None; give one number a row.")
    try:
        target: NDArray[np.float64] = column_or_1d(y, dtype=np.float64, warn=True)
    except (TypeError, ValueError) as error:
        raise InputError(f"y must be one finite number a row ({error}).") from None
    if len(target) != n_rows:
        raise InputError(f"y has {len(target)} values for {n_rows} rows; give one number a row.")
    if not np.isfinite(target).all():
        raise InputError("y contains NaN or infinity; drop these rows or fill them in.")
    return target
