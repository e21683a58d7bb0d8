"""The result of a search for a tree with the best worst leaf."""

from __future__ import annotations

from dataclasses import dataclass

from treewright.result._solve import SolveResult, SolveStatus
from treewright.tree import at_most, leaves_in_words

__all__ = ["LeafAccuracyResult"]


@dataclass(frozen=True, repr=False)
class LeafAccuracyResult(SolveResult):
    """A tree with the best worst leaf: the value of a tree is that of its worst leaf, and more is better.

    Parameters
    ----------
    tree : Tree
    status : SolveStatus
        OPTIMAL if no tree has a better worst leaf and, among those as good, none a smaller loss (and, at the same loss,
        fewer leaves). A mixed-integer program solves only for the worst leaf (``loss_proven`` is then False). If
        float64 had to round, worst leaves within a relative 2**-40 count as equally good, so that the last bits do not
        decide ties. This is so for the Wilson bound, and for weights that are neither whole numbers, nor decimals of up
        to six places, nor multiples of one number. Where the tree has such a leaf in place of the best one, the
        sentence says by how much that can be better.
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
        two. ``leaf_accuracy``: training accuracy of the worst leaf, whatever the criterion. ``tolerance``, only where
        it is not 0: by how much a worst leaf may be better although the value is proven.
    options : mapping
        ``method`` is "leaf-accuracy"; ``criterion``, ``confidence``, the constraints.
    notes : tuple of str

    Examples
    --------
    >>> from treewright import LeafAccuracyTreeClassifier
    >>> model = LeafAccuracyTreeClassifier(max_depth=1, min_samples_leaf=1).fit([[20], [30], [40]], [0, 0, 1])
    >>> print(model.result_.sentence())
    Proven optimal over all thresholds: lower confidence bound of the worst leaf 0.269866 (Wilson, 0.95); no
    tree of depth at most 1 has a better worst leaf, and none with a worst leaf as good makes fewer errors
    than this one (2 leaves, training loss 0.0000).
    """

    @property
    def upper_bound(self) -> float:
        """No tree within the constraints and the `scope` has a better worst leaf than this."""
        bound = self.stats.get("upper_bound", 1.0)
        return float(bound) if isinstance(bound, (int, float)) else 1.0

    @property
    def gap(self) -> float:
        """Relative gap (upper_bound - objective) / upper_bound; 0 when proven optimal, except for a tolerance."""
        if self.upper_bound <= 0:
            return 0.0
        return max(0.0, (self.upper_bound - self.objective) / self.upper_bound)

    def sentence(self) -> str:
        """Return in one sentence what is proven."""
        leaves = leaves_in_words(self.tree)
        size = f"{leaves}, training loss {self.loss:.4f}"
        if self.options.get("criterion") == "lower_bound":
            confidence = self.options.get("confidence")
            worst = f"lower confidence bound of the worst leaf {self.objective:.6f} (Wilson, {confidence})"
        else:
            worst = f"training accuracy of the worst leaf {self.objective:.6f}"
        if self.status is SolveStatus.OPTIMAL and self.stats.get("loss_proven") is False:
            within = self._tolerance_in_words()
            better = f"one that is better by more than {within}" if within else "a better one"
            return f"Proven optimal over {self.scope}: {worst} ({size}); no tree{self._constraints()} has {better}."
        if self.status is SolveStatus.OPTIMAL:
            better = self._better_in_words()
            return (
                f"Proven optimal over {self.scope}: {worst}; no tree{self._constraints()} has {better}, "
                f"and none with a worst leaf as good makes fewer errors than this one ({size})."
            )
        why = f" ({self.stop_reason.value})" if self.stop_reason else ""
        if self.stats.get("value_proven") is True:
            return (
                f"Proven over {self.scope}: {worst}; no tree{self._constraints()} has {self._better_in_words()}. Not "
                f"proven{why}: that none with a worst leaf as good makes fewer errors than this one ({size})."
            )
        return (
            f"Not proven optimal{why}: {worst} ({size}); over {self.scope} no tree{self._constraints()} can have a "
            f"worst leaf above {at_most(self.upper_bound)}."
        )

    @property
    def rounding(self) -> float:
        """By how much the worst leaf of another tree may be better than that of a proven one."""
        tolerance = self.stats.get("tolerance")
        proven = self.stats.get("value_proven") is True
        return tolerance if proven and isinstance(tolerance, float) and tolerance > 0 else 0.0

    def _better_in_words(self) -> str:
        within = self._tolerance_in_words()
        return f"a worst leaf that is better by more than {within}" if within else "a better worst leaf"
