"""Results whose loss is a share of that of a single leaf, or a mean over rows, compared as integers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from treewright.result._solve import SolveResult, SolveStatus
from treewright.tree import leaves_in_words, power_at_most

__all__ = [
    "AdditiveResult",
    "PolicyResult",
    "ProbabilityResult",
    "RegressionResult",
    "RowCostsResult",
    "SurvivalResult",
]


@dataclass(frozen=True, repr=False)
class AdditiveResult(SolveResult):
    """A tree whose loss is a sum over its leaves, with its certificate; what all such results have in common.

    Parameters
    ----------
    tree : Tree
    status : SolveStatus
    objective : float
        `loss` + cost_complexity * leaves.
    lower_bound : float
        No tree within the constraints and the `scope` has a smaller objective.
    loss : float
        Loss of the tree divided by that of a single leaf, on the training rows.
    scope : str
    stop_reason : StopReason or None
    stats : mapping
        ``tolerance``: by how much rounding to integers can have changed an objective.
    options : mapping
        ``method`` names the kind of tree, ``criterion`` the loss.
    notes : tuple of str

    Examples
    --------
    >>> from treewright import OptimalTreeRegressor
    >>> result = OptimalTreeRegressor(max_depth=1).fit([[20], [30], [40]], [1.0, 1.0, 5.0]).result_
    >>> result.loss, result.status.value
    (0.0, 'proven optimal')
    """

    KIND: ClassVar[str] = "tree"

    def _in_words(self) -> str:
        """Say what the tree achieves."""
        raise NotImplementedError

    def sentence(self) -> str:
        """Return in one sentence what is proven."""
        what = f"{leaves_in_words(self.tree)}, objective {self.objective:.6f} ({self._in_words()})"
        if self.status is SolveStatus.OPTIMAL:
            within = self._tolerance_in_words()
            by = f" by more than {within}" if within else ""
            return (
                f"Proven optimal over {self._space()}: no {self.KIND}{self._constraints()} has an objective that is "
                f"smaller{by} than that of this one with {what}."
            )
        return (
            f"Not proven optimal{self._why()}: the best {self.KIND} found has {what}; over {self._space()} "
            f"{self._bounded()}"
        )

    def _tolerance_in_words(self) -> str:
        tolerance = self.stats.get("tolerance")
        return power_at_most(tolerance) if isinstance(tolerance, float) and tolerance > 0 else ""

    def _space(self) -> str:
        """Say over what the bound holds."""
        return self.scope


@dataclass(frozen=True, repr=False)
class RegressionResult(AdditiveResult):
    """A regression tree with its certificate; the fields are those of `AdditiveResult`.

    For squared error `loss` is 1 - R^2 on the training rows, of several outputs 1 minus the R^2 that weights them by
    their variances. `options` has the ``quantile`` of a criterion "quantile", and ``n_outputs`` where they are several.

    With ``options["leaf_model"]`` "linear" the leaves may hold lines, which were fitted after the tree was chosen for
    constants: all fields speak of the constants, and `stats` has ``lines``, the number of leaves with a line, and
    ``loss_with_lines``. With "simple_linear" the tree was chosen for lines in one column, and all fields speak of them;
    shares are of the variance, and `stats` has ``lines``.

    Examples
    --------
    >>> from treewright import OptimalTreeRegressor
    >>> result = OptimalTreeRegressor(max_depth=1).fit([[20], [30], [40]], [1.0, 1.0, 5.0]).result_
    >>> print(result.sentence())
    Proven optimal over all thresholds: no tree of depth at most 1 has an objective that is smaller by more
    than 5e-13 than that of this one with 2 leaves, objective 0.020000 (0.00% of the variance left).
    """

    @property
    def loss_in_words(self) -> str:
        """Of what `loss` is a share: ``variance``, ``Poisson deviance``, and so on."""
        of = LOSSES_OF_NUMBERS.get(str(self.options.get("criterion")), "variance")
        if self.options.get("criterion") == "quantile":
            of += f" of the {self.options.get('quantile')} quantile"
        outputs = self.options.get("n_outputs")
        if isinstance(outputs, int) and outputs > 1:
            of = f"summed {of} of {outputs} outputs"
        return of

    def _in_words(self) -> str:
        return f"{100 * self.loss:.2f}% of the {self.loss_in_words} left"

    def _space(self) -> str:
        among = ", among all trees whose leaves are lines in one column"
        return self.scope + (among if self.options.get("leaf_model") == "simple_linear" else "")

    def sentence(self) -> str:
        """Return in one sentence what is proven, and in a second one what was done after that."""
        return super().sentence() + self._lines_in_words()

    def _lines_in_words(self) -> str:
        if self.options.get("leaf_model") != "linear":
            return ""
        lines, left = self.stats.get("lines"), self.stats.get("loss_with_lines")
        if not lines or not isinstance(left, float):
            return " It was chosen for constant leaves, and none of them has a line."
        n_leaves = self.tree.n_leaves
        which = "its leaves" if lines == n_leaves else f"{lines} of its {n_leaves} leaves"
        return (
            f" It was chosen for constant leaves; the lines in {which} were fitted afterwards, and with them "
            f"{100 * left:.2f}% of the {self.loss_in_words} is left."
        )


LOSSES_OF_NUMBERS = {
    "poisson": "Poisson deviance",
    "gamma": "gamma deviance",
    "absolute_error": "absolute error",
    "quantile": "quantile loss",
}


@dataclass(frozen=True, repr=False)
class PolicyResult(AdditiveResult):
    """A policy tree with its certificate; the fields are those of `AdditiveResult`.

    The `loss` is the share of the regret of the best single action: 1 gains nothing, 0 gives every row its best action.
    `stats` has also ``mean_reward``, ``best_single_reward`` and ``best_each_reward``: mean rewards after costs on the
    training rows, of this tree, of the best single action, and of the best action for each row. `options` has
    ``action_costs``, one number per action, if any is not 0.

    Examples
    --------
    >>> from treewright import OptimalPolicyTree
    >>> result = OptimalPolicyTree(max_depth=1).fit([[20], [40]], [[1.0, 0.0], [0.0, 3.0]]).result_
    >>> print(result.sentence())
    Proven optimal over all thresholds: no policy tree of depth at most 1 has an objective that is smaller
    by more than 2e-15 than that of this one with 2 leaves, objective 0.020000 (mean reward 2 on the
    training rows against 1.5 by the best single action).
    """

    KIND: ClassVar[str] = "policy tree"

    def _in_words(self) -> str:
        costs = " after costs" if self.options.get("action_costs") else ""
        gained = " against ".join(
            f"{value:.6g} {of}"
            for name, of in REWARDS
            if isinstance(value := self.stats.get(name), (int, float))
        )
        return f"mean reward{costs} {gained or 'unknown'}"


REWARDS = (
    ("mean_reward", "on the training rows"),
    ("best_single_reward", "by the best single action"),
)


@dataclass(frozen=True, repr=False)
class SurvivalResult(AdditiveResult):
    """A survival tree with its certificate; the fields are those of `AdditiveResult`.

    The `loss` is a share of the deviance of a single leaf.

    Examples
    --------
    >>> from treewright import OptimalSurvivalTree
    >>> model = OptimalSurvivalTree(max_depth=1).fit([[20], [30], [40]], ([True, True, True], [9.0, 8.0, 1.0]))
    >>> print(model.result_.sentence())
    Proven optimal over all thresholds: no survival tree of depth at most 1 has an objective that is smaller
    by more than 4e-13 than that of this one with 2 leaves, objective 0.244586 (22.46% of the deviance
    left).
    """

    KIND: ClassVar[str] = "survival tree"

    def _in_words(self) -> str:
        return f"{100 * self.loss:.2f}% of the deviance left"


@dataclass(frozen=True, repr=False)
class ProbabilityResult(AdditiveResult):
    """A probability tree with its certificate; the fields are those of `AdditiveResult`.

    The `loss` is a share of the Brier score of a single leaf, or of its log loss, as ``options["criterion"]`` says
    ("brier" or "log_loss"). `stats` has also ``brier_score`` and ``single_leaf_brier_score``: means over the training
    rows, of all classes together (0 to 2); or ``log_loss`` and ``single_leaf_log_loss``, means in natural logarithms.

    Examples
    --------
    >>> from treewright import OptimalProbabilityTree
    >>> result = OptimalProbabilityTree(max_depth=1).fit([[20], [30], [40]], [0, 0, 1]).result_
    >>> print(result.sentence())
    Proven optimal over all thresholds: no probability tree of depth at most 1 has an objective that is
    smaller by more than 5e-13 than that of this one with 2 leaves, objective 0.020000 (0.00% of the Brier
    score of a single leaf left).
    """

    KIND: ClassVar[str] = "probability tree"

    def _in_words(self) -> str:
        score = "log loss" if self.options.get("criterion") == "log_loss" else "Brier score"
        return f"{100 * self.loss:.2f}% of the {score} of a single leaf left"


@dataclass(frozen=True, repr=False)
class RowCostsResult(AdditiveResult):
    """A classification tree for costs of every row and class, with its certificate.

    The fields are those of `AdditiveResult`, but `loss` is the mean cost of a training row. `stats` has also
    ``single_class_cost`` and ``least_cost``: mean costs of the best single class, and of the cheapest class for every
    row.

    Examples
    --------
    >>> from treewright.problem import make_row_costs_problem
    >>> from treewright.search import solve_row_costs
    >>> from treewright.table import table_from
    >>> costs = [[0, 2], [0, 1], [7, 0]]  # of predicting 0 and 1 for each row
    >>> problem = make_row_costs_problem(table_from([[20], [30], [40]]), [0, 0, 1], costs, max_depth=1)
    >>> print(solve_row_costs(problem).sentence())
    Proven optimal over all thresholds: no tree of depth at most 1 has an objective that is smaller by more
    than 4e-15 than that of this one with 2 leaves, objective 0.020000 (mean cost 0 on the training rows
    against 1 by the best single class).
    """

    def _in_words(self) -> str:
        single = self.stats.get("single_class_cost")
        beside = f" against {single:.6g} by the best single class" if isinstance(single, float) else ""
        return f"mean cost {self.loss:.6g} on the training rows{beside}"
