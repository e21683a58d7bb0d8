"""The result of a search for a classification tree: the tree, what is proven about it, and how the run went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from treewright._plural import list_of
from treewright.result._one_leaf import why_stopped_at_one_leaf
from treewright.tree import Tree, at_least, at_most, exactly, leaves_in_words, percent_at_most, power_at_most
from treewright.tree._display import html_of

__all__ = [
    "SolveResult",
    "SolveStatus",
    "StopReason",
    "asked_to_stop",
    "chosen_options",
    "constraints_in_words",
    "note_of_rounding",
    "told_to_stop",
]


ROUNDING = 1e-12  # relative, of an objective as a float64 sum
INTERRUPTED, BY_CALLBACK = (
    "interrupted",
    "stopped_by_callback",
)  # in the statistics of a run that a user ended
CHOSEN, NEAR_OPTIMAL = "chosen", "near-optimal"  # in the options of a tree that was chosen among such trees
LEAF_LABELS = "leaf_labels"
FORMER_ENGINES = {"cuts": "binary", "sweep": "ranked"}  # the names in older model files
ROUNDED = "were rounded for the search"  # in the note of a search that ended, but whose rounding leaves too much open


class SolveStatus(Enum):
    """What is proven about the tree; the value of a member is its message.

    Examples
    --------
    >>> from treewright import OptimalTreeClassifier
    >>> result = OptimalTreeClassifier().fit([[20], [30], [40]], [0, 0, 1]).result_
    >>> result.status, result.status.value
    (<SolveStatus.OPTIMAL: 'proven optimal'>, 'proven optimal')
    """

    OPTIMAL = "proven optimal"
    OPTIMAL_UNDER_GUESSES = "optimal if the guesses hold"
    FEASIBLE = "best tree found, not proven optimal"


class StopReason(Enum):
    """Why the search ended before the proof; the value of a member is its message.

    Examples
    --------
    >>> from treewright.result import StopReason
    >>> StopReason.TIME_LIMIT.value
    'time limit reached'
    """

    TIME_LIMIT = "time limit reached"
    STEP_LIMIT = "step limit reached"
    MEMORY_LIMIT = "memory limit reached"
    INTERRUPT = "interrupted"
    CALLBACK = "stopped by the progress callback"


def asked_to_stop(stop_reason: StopReason | None, stats: Mapping[str, Any]) -> StopReason | None:
    """Return whether a user ended a run: INTERRUPT, CALLBACK or None.

    A caller that runs one search after another should stop after the first for which this is not None.

    Parameters
    ----------
    stop_reason : StopReason or None
        Why there is no proof; None if there is one, even if the run was ended after it.
    stats : mapping
        Where the engine notes who ended the run (`told_to_stop`).

    Examples
    --------
    >>> from treewright.result import StopReason, asked_to_stop, told_to_stop
    >>> asked_to_stop(StopReason.INTERRUPT, told_to_stop(StopReason.INTERRUPT))
    <StopReason.INTERRUPT: 'interrupted'>
    """
    if stop_reason is StopReason.INTERRUPT or stats.get(INTERRUPTED) is True:
        return StopReason.INTERRUPT
    if stop_reason is StopReason.CALLBACK or stats.get(BY_CALLBACK) is True:
        return StopReason.CALLBACK
    return None


def told_to_stop(ended_by: StopReason | None) -> dict[str, bool]:
    """Return the entry of the statistics that says that a user ended the run; none for limits.

    Parameters
    ----------
    ended_by : StopReason or None
        What ended the run, after the proof or before.

    Examples
    --------
    >>> from treewright.result import StopReason, told_to_stop
    >>> told_to_stop(StopReason.INTERRUPT), told_to_stop(StopReason.TIME_LIMIT)
    ({'interrupted': True}, {})
    """
    names = {StopReason.INTERRUPT: INTERRUPTED, StopReason.CALLBACK: BY_CALLBACK}
    return {names[ended_by]: True} if ended_by in names else {}


def chosen_options(any_label: bool) -> dict[str, str]:
    """Return the entries of the options that say that a tree was chosen among near-optimal ones.

    Parameters
    ----------
    any_label : bool
        Whether its leaves could have any label, or only the cheapest.

    Examples
    --------
    >>> from treewright.result import chosen_options
    >>> chosen_options(any_label=True)
    {'chosen': 'near-optimal', 'leaf_labels': 'any'}
    """
    return {CHOSEN: NEAR_OPTIMAL, LEAF_LABELS: "any" if any_label else "cheapest"}


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
        The trees for which the bound holds, in words: "all thresholds", or which splits.
    stop_reason : StopReason or None
        None if the search ran to its end.
    stats : mapping
        Seconds, subproblems and memory of the run; ``interrupted`` or ``stopped_by_callback`` if a user ended it.
    options : mapping
        The options the method ran with; ``chosen`` and ``leaf_labels`` if the tree was chosen among near-optimal ones.
    notes : tuple of str
        Plain sentences that a reader of the certificate must know (what was binned, what was guessed).

    Examples
    --------
    >>> from treewright import OptimalTreeClassifier
    >>> result = OptimalTreeClassifier(cost_complexity=0.01).fit([[20], [30], [40]], [0, 0, 1]).result_
    >>> result.objective, result.lower_bound, result.loss
    (0.02, 0.02, 0.0)
    >>> print(result.sentence())
    Proven optimal over all thresholds: no tree has a smaller objective than this one with 2 leaves,
    objective 0.020000 (training loss 0.0000).
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
        """The engine that searched: "binary" (columns), "ranked" (columns) or "leaf-accuracy".

        None for other methods, and for model files written before this was recorded. ``stats["engine_reason"]``
        completes "it was chosen because ...".
        """
        engine = self.stats.get("engine")
        if not isinstance(engine, str):
            return None
        return FORMER_ENGINES.get(engine, engine)

    @property
    def asked_to_stop(self) -> StopReason | None:
        """Whether a user ended the run: INTERRUPT (Ctrl-C), CALLBACK, or None.

        It can also be set after a proof: the search may still look for the fewest leaves when the user ends it. The
        result is then OPTIMAL, and ``stop_reason`` is None. A loop over searches should check this attribute.
        """
        return asked_to_stop(self.stop_reason, self.stats)

    @property
    def proven_depth(self) -> int | None:
        """Largest depth for which it is proven that no tree is better, if a search for deeper trees was stopped.

        None if nothing was proven separately for shallower trees; the status then says everything.
        """
        depth = self.stats.get("proven_depth")
        return depth if isinstance(depth, int) else None

    @property
    def gap(self) -> float:
        """Relative gap (objective - lower_bound) / objective; 0 when proven optimal, except for `rounding`."""
        if self.objective <= 0:
            return 0.0
        return max(0.0, (self.objective - self.lower_bound) / self.objective)

    @property
    def rounding(self) -> float:
        """By how much another tree may be better than one with status OPTIMAL, because of rounding.

        0 if the weights and costs are whole numbers, decimals or fractions. Real numbers may have been rounded for the
        search; differences too small for float64 to show in the objective count as 0. A mixed-integer program leaves
        what its solver tolerates, if objectives can be that near to each other.
        """
        left = self.objective - self.lower_bound
        return left if left > ROUNDING * abs(self.objective) else 0.0

    @property
    def is_chosen(self) -> bool:
        """Whether the tree was chosen among near-optimal ones; better trees may then have been found."""
        return self.status is SolveStatus.FEASIBLE and self.options.get(CHOSEN) == NEAR_OPTIMAL

    @property
    def status_in_words(self) -> str:
        """The status in words for a reader; for a chosen tree it does not claim that no better tree was found."""
        return "chosen among near-optimal trees" if self.is_chosen else self.status.value

    @property
    def is_rounded(self) -> bool:
        """Whether rounded numbers prevent a proof for this tree, possibly together with other reasons."""
        return self.status is SolveStatus.FEASIBLE and any(ROUNDED in note for note in self.notes)

    @property
    def is_only_rounded(self) -> bool:
        """Whether only rounded numbers prevent a proof for this tree: a larger limit would not bring one."""
        return self.is_rounded and self.stop_reason is None

    def _why(self) -> str:
        """Words for what kept the search from a proof, in parentheses."""
        if self.stop_reason is not None:
            return f" ({self.stop_reason.value})"
        return " (numbers were rounded)" if self.is_only_rounded else ""

    def _bounded(self) -> str:
        """Words for the lower bound and the gap, neither of which says more than is proven."""
        return (
            f"no tree{self._constraints()} can be below {at_least(self.lower_bound)}, so the gap is at most "
            f"{percent_at_most(self.gap)}."
        )

    def __repr__(self) -> str:
        if self.status is SolveStatus.OPTIMAL:
            within = self._tolerance_in_words()
            gap = f" to within {within}" if within else ""
        else:
            gap = "" if self.gap == 0 else f", gap {percent_at_most(self.gap)}"
        size = f"{leaves_in_words(self.tree)}, objective {self.objective:.6g}, loss {self.loss:.6g}"
        return f"<{type(self).__name__}: {self.status_in_words}{gap}; {size}>"

    def _repr_html_(self) -> str:
        return html_of(self, " ".join(filter(None, [self.sentence(), why_stopped_at_one_leaf(self)])))

    def sentence(self) -> str:
        """Return in one sentence what is proven."""
        leaves = leaves_in_words(self.tree)
        what = f"{leaves}, objective {self.objective:.6f} ({self._loss_in_words()})"
        if self.status is SolveStatus.OPTIMAL and self.rounding > 0:
            return (
                f"Proven optimal over {self.scope} to within {self._tolerance_in_words()}, {self._why_within()}: this "
                f"tree has {what}, and no tree{self._constraints()} is better by more than that."
            )
        if self.status is SolveStatus.OPTIMAL:
            return (
                f"Proven optimal over {self.scope}: no tree{self._constraints()} has a smaller objective than "
                f"this one with {what}."
            )
        if self.status is SolveStatus.OPTIMAL_UNDER_GUESSES:
            return (
                f"Optimal over {self.scope} if the guesses hold: {what}. Whether they hold or not, "
                f"no tree{self._constraints()} over these splits is below {at_least(self.lower_bound)}, so at most "
                f"{at_most(self.objective - self.lower_bound)} can have been lost."
            )
        if self.is_chosen:
            return (
                f"Chosen among near-optimal trees: this tree has {what}; over {self.scope} {self._bounded()}"
            )
        return f"Not proven optimal{self._why()}: the best tree found has {what}; over {self.scope} {self._bounded()}"

    def _tolerance_in_words(self) -> str:
        """By how much another tree may be better than a proven one, as the sentence says; "" if by nothing."""
        return power_at_most(self.rounding, 2) if self.rounding > 0 else ""

    def _why_within(self) -> str:
        by_solver = self.options.get("method") == "mip"
        return "which the solver tolerates" if by_solver else "by which weights and costs were rounded"

    def _loss_in_words(self) -> str:
        """Words for what the tree loses on the training rows."""
        return f"training loss {self.loss:.4f}"

    def _constraints(self) -> str:
        """Words for the limits that the tree had to keep, such as " of depth at most 3"."""
        return constraints_in_words(self.options)


LIMITS = ("max_depth", "max_leaf_nodes", "min_samples_leaf", "min_leaf_accuracy")


def constraints_in_words(options: Mapping[str, Any], leave_out: Sequence[str] = ()) -> str:
    """Return words for the limits that a tree had to keep, such as " of depth at most 3".

    Parameters
    ----------
    options : mapping
        Options of a result. They may come from a file: a limit that is not a number is written unchanged.
    leave_out : sequence of str
        Limits not to be named.

    Examples
    --------
    >>> from treewright.result import constraints_in_words
    >>> constraints_in_words({"max_depth": 3})
    ' of depth at most 3'
    """
    said = {name: options.get(name) for name in LIMITS if name not in leave_out}
    limit = {name: exactly(value) if isinstance(value, float) else str(value) for name, value in said.items()}
    leaf_or_leaves = "leaf" if said.get("max_leaf_nodes") == 1 else "leaves"
    words = {
        "max_depth": f"depth at most {limit.get('max_depth')}",
        "max_leaf_nodes": f"at most {limit.get('max_leaf_nodes')} {leaf_or_leaves}",
        "min_samples_leaf": f"at least {limit.get('min_samples_leaf')} rows per leaf",
        "min_leaf_accuracy": f"at least {limit.get('min_leaf_accuracy')} of every leaf right",
    }
    named = [
        words[name]
        for name, value in said.items()
        if value is not None and (name, value) != ("min_samples_leaf", 1)
    ]
    return f" of {list_of(named)}" if named else ""


def note_of_rounding(what: str, amount: float) -> str:
    """Return the note of a search that ended without a proof because its numbers were rounded too far.

    Parameters
    ----------
    what : str
        What was rounded, in words that begin a sentence: "The rewards".
    amount : float
        By how much an objective may have moved, above 0.

    Examples
    --------
    >>> from treewright.result import note_of_rounding
    >>> note_of_rounding("weights", 1e-12)
    'weights were rounded for the search; that may move an objective by 1.0e-12.'
    """
    return f"{what} {ROUNDED}; that may move an objective by {power_at_most(amount, 2)}."
