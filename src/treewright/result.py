"""What every method returns: the tree, what is proven about it, and how the run went."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from treewright.tree import Tree

__all__ = ["SolveResult", "SolveStatus", "StopReason"]


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


@dataclass(frozen=True)
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
    def gap(self) -> float:
        """Relative gap (objective - lower_bound) / objective; 0 when proven optimal."""
        if self.objective <= 0:
            return 0.0
        return max(0.0, (self.objective - self.lower_bound) / self.objective)

    def sentence(self) -> str:
        """Say in one plain sentence what is proven."""
        leaves = "1 leaf" if self.tree.n_leaves == 1 else f"{self.tree.n_leaves} leaves"
        what = f"{leaves}, objective {self.objective:.6f} (training loss {self.loss:.4f})"
        if self.status is SolveStatus.OPTIMAL:
            return (
                f"Proven optimal over {self.scope}: no tree{self._constraints()} has a smaller objective than "
                f"this one with {what}."
            )
        if self.status is SolveStatus.OPTIMAL_UNDER_GUESSES:
            return (
                f"Optimal over {self.scope} if the guesses hold: {what}. Whether they hold or not, "
                f"no tree is below {self.lower_bound:.6f}, so at most "
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
        words = []
        if self.options.get("max_depth") is not None:
            words.append(f"depth at most {self.options['max_depth']}")
        if self.options.get("max_leaf_nodes") is not None:
            words.append(f"at most {self.options['max_leaf_nodes']} leaves")
        if (self.options.get("min_samples_leaf") or 1) > 1:
            words.append(f"at least {self.options['min_samples_leaf']} rows a leaf")
        return " of " + ", ".join(words) if words else ""
