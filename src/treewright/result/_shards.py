"""The result of a search over shards of the rows."""

from __future__ import annotations

from dataclasses import dataclass

from treewright._plural import count_of
from treewright.result._solve import SolveResult, SolveStatus
from treewright.tree import at_least, leaves_in_words, percent_at_most

__all__ = ["ShardsResult"]


@dataclass(frozen=True, repr=False)
class ShardsResult(SolveResult):
    """A tree over all rows of a source, with a bound that was proven on shards of them.

    Parameters
    ----------
    tree : Tree
    status : SolveStatus
        OPTIMAL only if the cost of the tree on all rows is exactly the sum of the costs of the best trees of the
        shards.
    objective : float
        Of the tree on all rows.
    lower_bound : float
        The mean of the bounds that were proven on the shards, weighted by the weight of their rows: no tree within the
        constraints and the `scope` has a smaller objective on all rows.
    loss : float
    scope : str
    stop_reason : StopReason or None
    stats : mapping
        ``rows``; ``class_weights``, of the rows as they were read; for each part of the rows ``shard_rows``,
        ``shard_weights`` and ``shard_bounds``; how many are ``shards_proven`` optimal, and ``shards_lost``, of which no
        more is known than the penalty of one leaf; where right labels cost something, ``shard_floors``: that penalty
        and the least cost of each row.
    options : mapping
        ``method`` is "shards".
    notes : tuple of str

    Examples
    --------
    >>> import numpy as np
    >>> from treewright import fit_shards
    >>> X = np.arange(200.0).reshape(-1, 1)
    >>> result = fit_shards(X, X[:, 0] > 80, max_depth=1, shard_rows=100, progress=False).result_
    >>> result.lower_bound <= result.objective
    True
    """

    def _tolerance_in_words(self) -> str:
        return ""

    def sentence(self) -> str:
        """Return in one sentence what is proven."""
        rows, shards = self.stats.get("rows"), self.stats.get("shards")
        over = count_of(rows, "row") if isinstance(rows, int) else "all rows"
        of_shards = (
            count_of(shards, "shard") if isinstance(shards, int) else "shards"
        )  # a file may lack the number
        parts = f"{of_shards} of these rows" if shards != 1 else "these rows"
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
        known = "the penalty of one leaf" + (
            " and the least cost of each row" if "shard_floors" in self.stats else ""
        )
        without = f"; of {lost} of them nothing is known but {known}" if lost else ""
        return (
            f"Within {percent_at_most(self.gap)} of the best possible over {over} and {self.scope}{why}: this tree "
            f"has {what}, and no tree{self._constraints()} can be below {at_least(self.lower_bound)}, as proven on "
            f"{parts}{without}."
        )
