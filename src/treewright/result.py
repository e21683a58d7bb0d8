"""What every method returns: the tree, what is proven about it, and how the run went."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, ClassVar

from treewright.tree import Tree
from treewright.tree._display import html_of
from treewright.tree._tree import leaves_in_words

__all__ = [
    "BornAgainResult",
    "LeafAccuracyResult",
    "PolicyResult",
    "ProbabilityResult",
    "RegressionResult",
    "RowCostsResult",
    "ShardsResult",
    "SolveResult",
    "SolveStatus",
    "StopReason",
    "SurvivalResult",
    "constraints_in_words",
]


ROUNDING = 1e-12  # relative, of an objective as a float64 sum


class SolveStatus(Enum):
    """What is proven about the tree; the value is the message."""

    OPTIMAL = "proven optimal"
    OPTIMAL_UNDER_GUESSES = "optimal if the guesses hold"
    FEASIBLE = "best tree found, not proven optimal"


class StopReason(Enum):
    """Why the search ended before the proof; the value is the message."""

    TIME_LIMIT = "time limit reached"
    STEP_LIMIT = "step limit reached"
    MEMORY_LIMIT = "memory limit reached"
    INTERRUPT = "interrupted"
    CALLBACK = "stopped by the progress callback"


@dataclass(frozen=True, repr=False)
class SolveResult:
    """A tree with its certificate.

    Parameters
    ----------
    tree : Tree
    status : SolveStatus
    objective : float
        Value of the tree, recomputed in float64 from the data: `loss` + cost_complexity * leaves.
    lower_bound : float
        No tree within the constraints and the `scope` has a smaller objective.
    loss : float
        Weighted misclassification (or cost) divided by the total weight.
    scope : str
        Over which trees the bound holds, in words: "all thresholds", or which cuts.
    stop_reason : StopReason or None
        None if the search ran to its end.
    stats : mapping
        Seconds, subproblems and memory of the run.
    options : mapping
        The options the method ran with.
    notes : tuple of str
        Plain sentences that a reader of the certificate must know (what was binned, what was guessed).
    """

    tree: Tree
    status: SolveStatus
    objective: float
    lower_bound: float
    loss: float
    scope: str
    stop_reason: StopReason | None = None
    stats: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def engine(self) -> str | None:
        """The engine that searched: "cuts" (binary columns), "sweep" (ranked columns) or "leaf-accuracy".

        None for other methods, and for model files written before this was recorded. ``stats["engine_reason"]``
        completes "it was chosen because ...".
        """
        engine = self.stats.get("engine")
        return engine if isinstance(engine, str) else None

    @property
    def gap(self) -> float:
        """Relative gap (objective - lower_bound) / objective; 0 when proven optimal."""
        if self.objective <= 0:
            return 0.0
        return max(0.0, (self.objective - self.lower_bound) / self.objective)

    @property
    def rounding(self) -> float:
        """What a proof leaves open: by how much another tree may be better than one with status OPTIMAL.

        0 where the weights and costs are whole numbers, decimals or fractions. Real numbers may have been rounded for
        the search; what is less than float64 shows of the objective counts as 0.
        """
        left = self.objective - self.lower_bound
        return left if left > ROUNDING * abs(self.objective) else 0.0

    def __repr__(self) -> str:
        gap = "" if self.gap == 0 else f", gap {100 * self.gap:.1f}%"
        size = f"{leaves_in_words(self.tree)}, objective {self.objective:.6g}, loss {self.loss:.6g}"
        return f"<{type(self).__name__}: {self.status.value}{gap}; {size}>"

    def _repr_html_(self) -> str:
        return html_of(self.tree, self.sentence())

    def sentence(self) -> str:
        """Say in one plain sentence what is proven."""
        leaves = leaves_in_words(self.tree)
        what = f"{leaves}, objective {self.objective:.6f} (training loss {self.loss:.4f})"
        if self.status is SolveStatus.OPTIMAL and self.rounding > 0:
            return (
                f"Proven optimal over {self.scope} to within {self.rounding:.1e}, by which weights and costs were "
                f"rounded: this tree has {what}, and no tree{self._constraints()} is better by more than that."
            )
        if self.status is SolveStatus.OPTIMAL:
            return (
                f"Proven optimal over {self.scope}: no tree{self._constraints()} has a smaller objective than "
                f"this one with {what}."
            )
        if self.status is SolveStatus.OPTIMAL_UNDER_GUESSES:
            return (
                f"Optimal over {self.scope} if the guesses hold: {what}. Whether they hold or not, "
                f"no tree{self._constraints()} is below {self.lower_bound:.6f}, so at most "
                f"{self.objective - self.lower_bound:.6f} can have been lost."
            )
        why = f" ({self.stop_reason.value})" if self.stop_reason else ""
        return (
            f"Not proven optimal{why}: the best tree found has {what}; over {self.scope} "
            f"no tree{self._constraints()} can be below {self.lower_bound:.6f}, so the gap is at most "
            f"{100 * self.gap:.1f}%."
        )

    def _constraints(self) -> str:
        """Words for the limits that the tree had to keep, such as " of depth at most 3"."""
        return constraints_in_words(self.options)


LIMITS = ("max_depth", "max_leaf_nodes", "min_samples_leaf", "min_leaf_accuracy")


def constraints_in_words(options: Mapping[str, Any], leave_out: Sequence[str] = ()) -> str:
    """Return words for the limits that a tree had to keep, such as " of depth at most 3".

    Parameters
    ----------
    options : mapping
        Of a result. They may come from a file: a limit that is no number is said as it is.
    leave_out : sequence of str
        Limits not to be named.
    """
    said = {name: options.get(name) for name in LIMITS if name not in leave_out}
    limit = {name: f"{value:g}" if isinstance(value, float) else str(value) for name, value in said.items()}
    leaf_or_leaves = "leaf" if said.get("max_leaf_nodes") == 1 else "leaves"
    words = {
        "max_depth": f"depth at most {limit.get('max_depth')}",
        "max_leaf_nodes": f"at most {limit.get('max_leaf_nodes')} {leaf_or_leaves}",
        "min_samples_leaf": f"at least {limit.get('min_samples_leaf')} rows a leaf",
        "min_leaf_accuracy": f"at least {limit.get('min_leaf_accuracy')} of every leaf right",
    }
    named = [
        words[name]
        for name, value in said.items()
        if value is not None and (name, value) != ("min_samples_leaf", 1)
    ]
    return " of " + ", ".join(named) if named else ""


class _ShareOfALoss(SolveResult):
    """A tree whose loss is a share of that of a single leaf, proven up to ``stats["tolerance"]``."""

    KIND: ClassVar[str] = "tree"

    def _in_words(self) -> str:
        """Say what the tree achieves."""
        raise NotImplementedError

    def sentence(self) -> str:
        """Say in one plain sentence what is proven."""
        what = f"{leaves_in_words(self.tree)}, objective {self.objective:.6f} ({self._in_words()})"
        if self.status is SolveStatus.OPTIMAL:
            tolerance = self.stats.get("tolerance")
            by = f" by more than {tolerance:.0e}" if isinstance(tolerance, float) else ""
            return (
                f"Proven optimal over {self.scope}: no {self.KIND}{self._constraints()} has an objective that is "
                f"smaller{by} than that of this one with {what}."
            )
        why = f" ({self.stop_reason.value})" if self.stop_reason else ""
        return (
            f"Not proven optimal{why}: the best {self.KIND} found has {what}; over {self.scope} "
            f"no tree{self._constraints()} can be below {self.lower_bound:.6f}, so the gap is at most "
            f"{100 * self.gap:.1f}%."
        )


@dataclass(frozen=True, repr=False)
class RegressionResult(_ShareOfALoss):
    """A regression tree with its certificate.

    Parameters
    ----------
    tree : Tree
    status : SolveStatus
    objective : float
        `loss` + cost_complexity * leaves.
    lower_bound : float
        No tree within the constraints and the `scope` has a smaller objective.
    loss : float
        Share of a single leaf's loss that the tree leaves; for squared error 1 - R^2 on the training rows.
    scope : str
    stop_reason : StopReason or None
    stats : mapping
        ``tolerance``: by how much rounding to integers can have moved an objective.
    options : mapping
        ``method`` is "regression"; ``criterion`` names the loss.
    notes : tuple of str
    """

    def _in_words(self) -> str:
        return f"{100 * self.loss:.2f}% of the variance left"


@dataclass(frozen=True, repr=False)
class PolicyResult(_ShareOfALoss):
    """A policy tree with its certificate.

    Parameters
    ----------
    tree : Tree
    status : SolveStatus
    objective : float
        `loss` + cost_complexity * leaves.
    lower_bound : float
        No tree within the constraints and the `scope` has a smaller objective.
    loss : float
        Share of the regret of the best single action that the tree leaves; 1 gains nothing, 0 gives every row its best
        action.
    scope : str
    stop_reason : StopReason or None
    stats : mapping
        ``tolerance``: by how much rounding to integers can have moved an objective. ``mean_reward``,
        ``best_single_reward``, ``best_each_reward``: mean rewards after costs on the training rows, of this tree, of
        the best single action, and of the best action for each row.
    options : mapping
        ``method`` is "policy"; ``action_costs`` one number an action, if any is not 0.
    notes : tuple of str
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
class SurvivalResult(_ShareOfALoss):
    """A survival tree with its certificate.

    Parameters
    ----------
    tree : Tree
    status : SolveStatus
    objective : float
        `loss` + cost_complexity * leaves.
    lower_bound : float
        No tree within the constraints and the `scope` has a smaller objective.
    loss : float
        Share of a single leaf's deviance that the tree leaves.
    scope : str
    stop_reason : StopReason or None
    stats : mapping
        ``tolerance``: by how much rounding to integers can have moved an objective.
    options : mapping
        ``method`` is "survival"; ``criterion`` names the loss.
    notes : tuple of str
    """

    KIND: ClassVar[str] = "survival tree"

    def _in_words(self) -> str:
        return f"{100 * self.loss:.2f}% of the deviance left"


@dataclass(frozen=True, repr=False)
class ProbabilityResult(_ShareOfALoss):
    """A probability tree with its certificate.

    Parameters
    ----------
    tree : Tree
    status : SolveStatus
    objective : float
        `loss` + cost_complexity * leaves.
    lower_bound : float
        No tree within the constraints and the `scope` has a smaller objective.
    loss : float
        Share of a single leaf's Brier score that the tree leaves.
    scope : str
    stop_reason : StopReason or None
    stats : mapping
        ``tolerance``: by how much rounding to integers can have moved an objective. ``brier_score`` and
        ``single_leaf_brier_score``: means over the training rows, of all classes together (0 to 2).
    options : mapping
        ``method`` is "probability"; ``criterion`` names the loss.
    notes : tuple of str
    """

    KIND: ClassVar[str] = "probability tree"

    def _in_words(self) -> str:
        return f"{100 * self.loss:.2f}% of the Brier score of a single leaf left"


@dataclass(frozen=True, repr=False)
class RowCostsResult(_ShareOfALoss):
    """A classification tree for costs of every row and class, with its certificate.

    Parameters
    ----------
    tree : Tree
    status : SolveStatus
    objective : float
        `loss` + cost_complexity * leaves.
    lower_bound : float
        No tree within the constraints and the `scope` has a smaller objective.
    loss : float
        Mean cost of a training row.
    scope : str
    stop_reason : StopReason or None
    stats : mapping
        ``tolerance``: by how much rounding to integers can have moved an objective. ``single_class_cost`` and
        ``least_cost``: mean costs of the best single class, and of the cheapest class for every row.
    options : mapping
        ``method`` is "row_costs".
    notes : tuple of str
    """

    def _in_words(self) -> str:
        single = self.stats.get("single_class_cost")
        beside = f" against {single:.6g} by the best single class" if isinstance(single, float) else ""
        return f"mean cost {self.loss:.6g} on the training rows{beside}"


@dataclass(frozen=True, repr=False)
class BornAgainResult(SolveResult):
    """A tree with the decisions of an ensemble, and proven bounds on its depth and leaves.

    Parameters
    ----------
    tree : Tree
    status : SolveStatus
    objective : float
        Depth (objective "depth") or number of leaves (all others).
    lower_bound : float
        No faithful tree has a smaller objective.
    loss : float
        0, for the tree decides like the ensemble.
    scope : str
        Over which rows it does, in words.
    stop_reason : StopReason or None
    stats : mapping
        Has the sizes of the ensemble (``ensemble_trees``, ``ensemble_leaves``) and the bounds of both sizes:
        ``depth_lower_bound`` and ``leaves_lower_bound`` (for "depth-leaves" among the trees of least depth).
    options : mapping
        ``method`` is "born-again"; ``objective`` says what was minimised.
    notes : tuple of str
    """

    def sentence(self) -> str:
        """Say in one plain sentence what is proven."""
        of = {name: self.stats.get(name, "unknown") for name in BORN_AGAIN_STATS}  # a file may lack some
        ensemble = f"{of['ensemble_trees']} trees with {of['ensemble_leaves']} leaves"
        leaves = leaves_in_words(self.tree)
        size = f"depth {self.tree.depth} and {leaves}"
        if self.options.get("objective") == "rows":
            return self._sentence_of_rows(f"This tree of {size}", ensemble)
        if self.status is SolveStatus.OPTIMAL:
            least = PROVEN_LEAST.get(str(self.options.get("objective")), "no faithful tree is smaller")
            where = f"decides like the ensemble ({ensemble}) on {self.scope}"
            return f"This tree of {size} {where}; proven: {least}."
        why = f" ({self.stop_reason.value})" if self.stop_reason else ""
        least = f": at least depth {of['depth_lower_bound']} and {of['leaves_lower_bound']} leaves are needed"
        return (
            f"This tree of {size} decides like the ensemble ({ensemble}) on {self.scope}. Its size is not proven "
            f"least{why}{least if of['leaves_lower_bound'] != 1 else ''}."
        )

    def _sentence_of_rows(self, tree: str, ensemble: str) -> str:
        """The sentence of a tree that agrees with the ensemble on rows, not everywhere."""
        alike, asked, rows = (
            self.stats.get(name, "unknown") for name in ("rows_alike", "rows_asked", "rows")
        )
        said = f"{tree} decides like the ensemble ({ensemble}) on {alike} of {rows} rows; {asked} were asked."
        depth = self.options.get("max_depth")
        within = "over the ensemble's thresholds" + ("" if depth is None else f" of depth {depth} or less")
        if self.status is not SolveStatus.OPTIMAL:
            why = f" ({self.stop_reason.value})" if self.stop_reason else ""
            least = self.stats.get("leaves_lower_bound", "unknown")
            return f"{said} Its size is not proven least{why}: at least {least} leaves are needed for that."
        if self.loss * rows > rows - asked + 0.5:
            most = self.options.get("max_leaves")
            return f"{said} Proven: no tree {within} with at most {most} leaves agrees on more rows."
        return (
            f"{said} Proven: no tree {within} with fewer leaves agrees on as many as were asked, and none with as "
            "many leaves agrees on more."
        )


BORN_AGAIN_STATS = ("ensemble_trees", "ensemble_leaves", "depth_lower_bound", "leaves_lower_bound")
PROVEN_LEAST = {
    "depth": "no faithful tree is shallower",
    "leaves": "no faithful tree has fewer leaves",
    "depth-leaves": "no faithful tree is shallower, and none of this depth has fewer leaves",
    "heuristic": "no faithful tree has fewer leaves",
    "active": "no tree that survives pruning has fewer leaves",
}


@dataclass(frozen=True, repr=False)
class LeafAccuracyResult(SolveResult):
    """A tree with the best worst leaf: the value of a tree is that of its worst leaf, and more is better.

    Parameters
    ----------
    tree : Tree
    status : SolveStatus
        OPTIMAL if no tree has a better worst leaf and, among those as good, none a smaller loss (and, at the same
        loss, fewer leaves). A mixed-integer program asks for the first alone (``loss_proven`` is then False).
    objective : float
        Value of the worst leaf, to be maximised: its training accuracy (weighted), or the lower confidence bound
        of it, as ``options["criterion"]`` says.
    lower_bound : float
        The optimum is at least this: the tree's own value.
    loss : float
        Weighted misclassification divided by the total weight.
    scope : str
    stop_reason : StopReason or None
    stats : mapping
        ``upper_bound``: the optimum is at most this. ``value_proven``, ``loss_proven``: what was proven of the
        two. ``leaf_accuracy``: training accuracy of the worst leaf, whatever the criterion.
    options : mapping
        ``method`` is "leaf-accuracy"; ``criterion``, ``confidence``, the constraints.
    notes : tuple of str
    """

    @property
    def upper_bound(self) -> float:
        """No tree within the constraints and the `scope` has a better worst leaf than this."""
        bound = self.stats.get("upper_bound", 1.0)
        return float(bound) if isinstance(bound, (int, float)) else 1.0

    @property
    def gap(self) -> float:
        """Relative gap (upper_bound - objective) / upper_bound; 0 when proven optimal."""
        if self.upper_bound <= 0:
            return 0.0
        return max(0.0, (self.upper_bound - self.objective) / self.upper_bound)

    def sentence(self) -> str:
        """Say in one plain sentence what is proven."""
        leaves = leaves_in_words(self.tree)
        size = f"{leaves}, training loss {self.loss:.4f}"
        if self.options.get("criterion") == "lower_bound":
            confidence = self.options.get("confidence")
            worst = f"lower confidence bound of the worst leaf {self.objective:.6f} (Wilson, {confidence})"
        else:
            worst = f"training accuracy of the worst leaf {self.objective:.6f}"
        if self.status is SolveStatus.OPTIMAL and self.stats.get("loss_proven") is False:
            return f"Proven optimal over {self.scope}: {worst} ({size}); no tree{self._constraints()} has a better one."
        if self.status is SolveStatus.OPTIMAL:
            return (
                f"Proven optimal over {self.scope}: {worst}; no tree{self._constraints()} has a better worst leaf, "
                f"and none with a worst leaf as good makes fewer errors than this one ({size})."
            )
        why = f" ({self.stop_reason.value})" if self.stop_reason else ""
        if self.stats.get("value_proven") is True:
            return (
                f"Proven over {self.scope}: {worst}; no tree{self._constraints()} has a better worst leaf. Not "
                f"proven{why}: that none with a worst leaf as good makes fewer errors than this one ({size})."
            )
        return (
            f"Not proven optimal{why}: {worst} ({size}); over {self.scope} no tree{self._constraints()} can have a "
            f"worst leaf above {self.upper_bound:.6f}."
        )


@dataclass(frozen=True, repr=False)
class ShardsResult(SolveResult):
    """A tree over all rows of a source, with a bound that was proven on shards of them.

    Parameters
    ----------
    tree : Tree
    status : SolveStatus
        OPTIMAL only if the tree costs on all rows exactly what the best trees of the shards cost together.
    objective : float
        Of the tree on all rows.
    lower_bound : float
        The mean of the bounds that were proven on the shards, weighted by the weight of their rows: no tree within the
        constraints and the `scope` has a smaller objective on all rows.
    loss : float
    scope : str
    stop_reason : StopReason or None
    stats : mapping
        ``rows``; for each part of the rows ``shard_rows``, ``shard_weights`` and ``shard_bounds``; how many are
        ``shards_proven`` optimal, and ``shards_lost``, of which no more is known than the penalty of one leaf.
    options : mapping
        ``method`` is "shards".
    notes : tuple of str
    """

    def sentence(self) -> str:
        """Say in one plain sentence what is proven."""
        rows, shards = self.stats.get("rows"), self.stats.get("shards")
        over = f"{rows:,} rows" if isinstance(rows, int) else "all rows"
        parts = f"{shards:,} shards of these rows" if shards != 1 else "these rows"
        leaves = leaves_in_words(self.tree)
        what = f"{leaves}, objective {self.objective:.6f} (training loss {self.loss:.4f})"
        if self.status is SolveStatus.OPTIMAL:
            how = f", as proven on {parts}, whose best trees together cost as much" if shards != 1 else ""
            return (
                f"Proven optimal over {self.scope} and {over}: no tree{self._constraints()} has a smaller objective "
                f"than this one with {what}{how}."
            )
        why = f" ({self.stop_reason.value})" if self.stop_reason else ""
        lost = self.stats.get("shards_lost")
        without = f"; of {lost} of them nothing is known but the penalty of one leaf" if lost else ""
        return (
            f"Within {_rounded_up(100 * self.gap)}% of the best possible over {over} and {self.scope}{why}: this tree "
            f"has {what}, and no tree{self._constraints()} can be below {self.lower_bound:.6f}, as proven on "
            f"{parts}{without}."
        )


def _rounded_up(percentage: float) -> str:
    """Two digits of a percentage, never less than it is."""
    if percentage <= 0:
        return "0"
    digits = max(0, 1 - math.floor(math.log10(percentage)))
    scale = 10**digits
    return f"{math.ceil(percentage * scale - 1e-9) / scale:.{digits}f}"
