"""The certificate of a born-again tree, in words of this problem."""

from __future__ import annotations

from dataclasses import dataclass

from treewright.result import SolveResult, SolveStatus

__all__ = ["BornAgainResult"]


@dataclass(frozen=True)
class BornAgainResult(SolveResult):
    """A faithful tree with proven bounds on depth and leaves.

    `objective` is the depth (objective "depth") or the number of leaves (all others); `loss` is 0, for the
    tree decides like the ensemble everywhere. `stats` has the bounds of both sizes: ``depth_lower_bound`` and
    ``leaves_lower_bound`` (for "depth-leaves" among the trees of least depth).
    """

    def sentence(self) -> str:
        """Say in one plain sentence what is proven."""
        ensemble = f"{self.stats['ensemble_trees']} trees with {self.stats['ensemble_leaves']} leaves"
        size = f"depth {self.tree.depth} and {self.tree.n_leaves} leaves"
        if self.status is SolveStatus.OPTIMAL:
            least = {
                "depth": "no faithful tree is shallower",
                "leaves": "no faithful tree has fewer leaves",
                "depth-leaves": "no faithful tree is shallower, and none of this depth has fewer leaves",
                "heuristic": "no faithful tree has fewer leaves",
                "active": "no tree that survives pruning has fewer leaves",
            }[self.options["objective"]]
            where = f"decides like the ensemble ({ensemble}) on {self.scope}"
            return f"This tree of {size} {where}; proven: {least}."
        why = f" ({self.stop_reason.value})" if self.stop_reason else ""
        return (
            f"This tree of {size} decides like the ensemble ({ensemble}) on {self.scope}. Its size is not "
            "proven "
            f"least{why}: at least depth {self.stats['depth_lower_bound']} and "
            f"{self.stats['leaves_lower_bound']} leaves are needed."
        )
