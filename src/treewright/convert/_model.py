"""What a model file holds: a tree and, if a method made it, its certificate and the question it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from treewright import __version__
from treewright.convert._tree_of import TreeLike, saved_tree
from treewright.errors import InputError
from treewright.result import (
    BornAgainResult,
    F1Result,
    LeafAccuracyResult,
    PolicyResult,
    ProbabilityResult,
    RegressionResult,
    RowCostsResult,
    ShardsResult,
    SolveResult,
    SolveStatus,
    StopReason,
    SurvivalResult,
)
from treewright.table import Reading
from treewright.tree import Tree

__all__ = ["Certificate", "Model", "Terms"]

RESULTS: dict[str, type[SolveResult]] = {
    "born-again": BornAgainResult,
    "f1": F1Result,
    "leaf-accuracy": LeafAccuracyResult,
    "policy": PolicyResult,
    "probability": ProbabilityResult,
    "regression": RegressionResult,
    "row_costs": RowCostsResult,
    "survival": SurvivalResult,
    "shards": ShardsResult,
}


@dataclass(frozen=True)
class Terms:
    """The problem that the tree solves, as far as it can be described without the rows.

    Together with the table, the problem can be set up again from these terms, so that the tree can be verified.

    Parameters
    ----------
    cost_complexity : float
        Penalty of one leaf as a fraction of the total weight.
    max_depth, max_leaf_nodes : int or None
    min_samples_leaf : int
        Rows, not a fraction.
    objective : str, default="accuracy"
        "accuracy", "balanced_accuracy" or "f1"; the criterion of a regression tree ("squared_error", "poisson",
        "gamma", "absolute_error", "quantile") or of a probability tree ("brier", "log_loss"); "policy", "survival" and
        "row_costs" of these trees, "values" of a tree near the numbers of a model on rows, "values-everywhere" of one
        near a regression ensemble on every row.
    class_weight : tuple of float, "balanced" or None
        One factor per class, in the order of ``tree.classes``.
    costs : tuple of tuple of float, or None
        ``costs[true][predicted]``; None is plain misclassification.
    target, weight : str or None
        Columns of the training file that held the labels and the row weights.
    min_leaf_accuracy : float or None
        Share of its weight that every leaf had to predict right.
    rewards : tuple of str, or None
        Policy tree: columns of the training file that held the rewards, one per action.
    action_costs : tuple of float, or None
        Policy tree: subtracted from the rewards, one per action; None subtracts nothing.
    event : str or None
        Survival tree: column of the training file that says whether the event was seen; `target` has the times.
    quantile : float or None
        Regression tree of this quantile.
    targets : tuple of str, or None
        Regression tree of several outputs: columns of the training file that held them; `target` is None then.
    row_costs : tuple of str, or None
        Costs of rows: columns of the training file that held them, one per class, in the order of ``tree.classes``.
    tolerance, share : float or None
        Tree near the numbers of a model, which are in the column `target`: how far it may be from them, and on what
        share of the rows it may be further (None for nearness everywhere). `max_leaf_nodes` is the largest number of
        leaves that was tried.

    Examples
    --------
    >>> from treewright.convert import Terms
    >>> Terms(cost_complexity=0.01, max_depth=3, target="ill").objective
    'accuracy'
    """

    cost_complexity: float
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    min_samples_leaf: int = 1
    objective: str = "accuracy"
    class_weight: tuple[float, ...] | str | None = None
    costs: tuple[tuple[float, ...], ...] | None = None
    target: str | None = None
    weight: str | None = None
    min_leaf_accuracy: float | None = None
    rewards: tuple[str, ...] | None = None
    action_costs: tuple[float, ...] | None = None
    event: str | None = None
    quantile: float | None = None
    targets: tuple[str, ...] | None = None
    row_costs: tuple[str, ...] | None = None
    tolerance: float | None = None
    share: float | None = None


@dataclass(frozen=True)
class Certificate:
    """What is claimed about a tree: the fields of `SolveResult`, and the problem.

    Parameters
    ----------
    status : SolveStatus
    objective, lower_bound, loss : float
    scope : str
    stop_reason : StopReason or None
    stats, options : mapping
    notes : tuple of str
    terms : Terms or None
        None if only the result was stored, not the problem.

    Examples
    --------
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.convert import Model
    >>> claim = Model.of(OptimalTreeClassifier().fit([[20], [30], [40]], [0, 0, 1]).result_).certificate
    >>> claim.objective, claim.lower_bound
    (0.02, 0.02)
    """

    status: SolveStatus
    objective: float
    lower_bound: float
    loss: float
    scope: str
    stop_reason: StopReason | None = None
    stats: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    terms: Terms | None = None


@dataclass(frozen=True)
class Model:
    """The content of a model file.

    Parameters
    ----------
    tree : Tree
    certificate : Certificate or None
        None if the tree comes from elsewhere and nothing is claimed about it.
    written_by : str
        Version of treewright that wrote the file.
    reading : Reading or None
        How the text file of the training rows was read; None if there was no such file.

    Examples
    --------
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.convert import Model
    >>> Model.of(OptimalTreeClassifier().fit([[20], [30], [40]], [0, 0, 1]).result_).certificate.status.value
    'proven optimal'
    """

    tree: Tree
    certificate: Certificate | None = None
    written_by: str = __version__
    reading: Reading | None = None

    @classmethod
    def of(cls, result: TreeLike, terms: Terms | None = None, reading: Reading | None = None) -> Model:
        """Return the model of a result, with the problem that it solves.

        Parameters
        ----------
        result : SolveResult, Tree or fitted estimator
            From an estimator its result is taken. A tree alone has no certificate.
        terms : Terms, default=None
        reading : Reading, default=None
            How the file of its rows was read.

        Raises
        ------
        InputError
            It has no tree, its predictions are not those of its tree, or `terms` are given for a tree without a result.
        """
        if isinstance(result, Model):
            raise InputError(
                "Got a Model, which Model.of makes of a result; use it as it is, or dataclasses.replace."
            )
        if not isinstance(result, (SolveResult, Tree)):
            result = saved_tree(result)
        if isinstance(result, Tree):
            if terms is not None:
                raise InputError(
                    "terms say what the certificate of a result is about, and this tree comes without one; give the "
                    "result, or leave terms out."
                )
            return cls(result, reading=reading)
        return cls(
            result.tree,
            Certificate(
                status=result.status,
                objective=result.objective,
                lower_bound=result.lower_bound,
                loss=result.loss,
                scope=result.scope,
                stop_reason=result.stop_reason,
                stats=dict(result.stats),
                options=dict(result.options),
                notes=tuple(result.notes),
                terms=terms,
            ),
            reading=reading,
        )

    @property
    def result(self) -> SolveResult | None:
        """The result as the method returned it; None without a certificate."""
        claim = self.certificate
        if claim is None:
            return None
        kind = RESULTS.get(str(claim.options.get("method")), SolveResult)
        return kind(
            tree=self.tree,
            status=claim.status,
            objective=claim.objective,
            lower_bound=claim.lower_bound,
            loss=claim.loss,
            scope=claim.scope,
            stop_reason=claim.stop_reason,
            stats=claim.stats,
            options=claim.options,
            notes=claim.notes,
        )
