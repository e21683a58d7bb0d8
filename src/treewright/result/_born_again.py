"""The result of a search for a tree with the decisions of an ensemble."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from treewright.result._solve import SolveResult, SolveStatus
from treewright.tree import exactly, leaves_in_words

__all__ = ["BornAgainResult"]


@dataclass(frozen=True, repr=False)
class BornAgainResult(SolveResult):
    """A tree that makes the decisions of an ensemble, and proven bounds on its depth and leaves.

    Parameters
    ----------
    tree : Tree
    status : SolveStatus
    objective : float
        Depth (objective "depth") or number of leaves (all others).
    lower_bound : float
        No faithful tree has a smaller objective.
    loss : float
        0 for a faithful tree. For a tree that agrees on rows, the share of the rows on which it does not. For a tree
        that is near a regression ensemble everywhere, the largest distance from it.
    scope : str
        The rows on which it agrees, in words.
    stop_reason : StopReason or None
    stats : mapping
        Has the sizes of the ensemble (``ensemble_trees``, ``ensemble_leaves``) and the bounds of both sizes:
        ``depth_lower_bound`` and ``leaves_lower_bound`` (for "depth-leaves" among the trees of least depth).
    options : mapping
        ``method`` is "born-again"; ``objective`` says what was minimised.
    notes : tuple of str

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from treewright.bornagain import Ensemble, solve
    >>> forest = RandomForestClassifier(3, max_depth=1, random_state=0).fit([[1], [2], [3], [4]], [0, 0, 1, 1])
    >>> print(solve(Ensemble.from_model(forest)).sentence())
    This tree of depth 1 and 2 leaves decides like the ensemble (3 trees with 6 leaves) on all rows without
    missing values; proven: no faithful tree is shallower, and none of this depth has fewer leaves.
    """

    def sentence(self) -> str:
        """Return in one sentence what is proven."""
        of = {name: self.stats.get(name, "unknown") for name in BORN_AGAIN_STATS}  # a file may lack some
        one_tree, one_leaf = (of[f"ensemble_{name}"] == 1 for name in ("trees", "leaves"))
        trees = f"{of['ensemble_trees']} {'tree' if one_tree else 'trees'}"
        ensemble = f"{trees} with {of['ensemble_leaves']} {'leaf' if one_leaf else 'leaves'}"
        leaves = leaves_in_words(self.tree)
        size = f"depth {self.tree.depth} and {leaves}"
        if self.options.get("objective") == "rows":
            return self._sentence_of_rows(
                f"This tree of {size} decides like the ensemble ({ensemble}) on", "agrees"
            )
        if self.options.get("objective") == "labels":
            return self._sentence_of_rows(f"This tree of {size} decides like the model on", "agrees")
        if self.options.get("objective") == "values":
            tolerance = self.options.get("tolerance", "unknown")
            apart = exactly(tolerance) if isinstance(tolerance, (int, float)) else tolerance
            within = f"is within {apart} of the model's numbers on"
            return self._sentence_of_rows(f"This tree of {size} {within}", "is as near")
        if self.options.get("objective") == "values-everywhere":
            return self._sentence_of_distance(f"This tree of {size}")
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

    def _sentence_of_distance(self, tree: str) -> str:
        """The sentence of a tree that is near a regression ensemble on every row."""
        tolerance = self.options.get("tolerance", "unknown")
        known = isinstance(tolerance, (int, float))
        asked = exactly(tolerance) if known else tolerance
        said = f"{tree} says a number within {_not_below(self.loss)} of the model's on {self.scope}: proven."
        if not known or self.loss > tolerance:
            why = "max_leaves is too small" if self.stop_reason is None else self.stop_reason.value
            said += f" It was asked to be within {asked} ({why})."
        least = self.stats.get("leaves_lower_bound", "unknown")
        if least == 1:
            return said
        where = "everywhere in the domain" if " of the domain" in self.scope else "everywhere"
        return f"{said} A tree of fewer than {least} leaves cannot be within {asked} {where}."

    def _keeps(self, rows: Any, asked: Any) -> bool:
        """Whether the tree agrees on as many rows as were asked; not where a file does not say how many."""
        known = all(isinstance(count, int) and abs(count) < LARGEST_COUNT for count in (rows, asked))
        return known and self.loss * rows <= rows - asked + 0.5

    def _sentence_of_rows(self, tree: str, agrees: str) -> str:
        """The sentence of a tree that agrees with the ensemble, or is near a model, on rows, not everywhere."""
        alike, asked, rows = (
            self.stats.get(name, "unknown") for name in ("rows_alike", "rows_asked", "rows")
        )
        said = f"{tree} {alike} of {rows} rows; {asked} were asked."
        depth = self.options.get("max_depth")
        of_ensemble = self.options.get("objective") == "rows"
        over = "the ensemble's thresholds" if of_ensemble else self.options.get("splits", "all thresholds")
        within = f"over {over}" + ("" if depth is None else f" of depth {depth} or less")
        if self.status is not SolveStatus.OPTIMAL:
            why = f" ({self.stop_reason.value})" if self.stop_reason else ""
            least = self.stats.get("leaves_lower_bound", "unknown")
            if least == self.tree.n_leaves and self._keeps(rows, asked):
                return (
                    f"{said} Proven: no tree {within} with fewer leaves {agrees} on as many as were asked. Whether one "
                    f"with as many leaves {agrees} on more is open{why}."
                )
            return f"{said} Its size is not proven least{why}: at least {least} leaves are needed for that."
        if not self._keeps(rows, asked):
            most = self.options.get("max_leaves")
            return f"{said} Proven: no tree {within} with at most {most} leaves {agrees} on more rows."
        return (
            f"{said} Proven: no tree {within} with fewer leaves {agrees} on as many as were asked, and none with as "
            f"many leaves {agrees} on more."
        )


def _not_below(number: float) -> str:
    """Return four digits of a number, rounded up."""
    said = f"{number:.4g}"
    return (
        said if float(said) >= number else f"{number + 0.5 * 10 ** (math.floor(math.log10(number)) - 3):.4g}"
    )


LARGEST_COUNT = 2**53  # a file may say anything
BORN_AGAIN_STATS = ("ensemble_trees", "ensemble_leaves", "depth_lower_bound", "leaves_lower_bound")
PROVEN_LEAST = {
    "depth": "no faithful tree is shallower",
    "leaves": "no faithful tree has fewer leaves",
    "depth-leaves": "no faithful tree is shallower, and none of this depth has fewer leaves",
    "heuristic": "no faithful tree has fewer leaves",
    "active": "no tree that survives pruning has fewer leaves",
}
