"""The result of a search for the tree of largest F1."""

from __future__ import annotations

from dataclasses import dataclass

from treewright.result._solve import ROUNDING, SolveResult

__all__ = ["F1Result"]


@dataclass(frozen=True, repr=False)
class F1Result(SolveResult):
    """A tree of largest F1 with its certificate; the fields are those of `SolveResult`.

    The `loss` is 1 - F1 of the second class on the training rows. The `objective` is the same if each leaf counts as
    ``cost_complexity`` of the total weight predicted wrong.

    Examples
    --------
    >>> from treewright import OptimalTreeClassifier
    >>> model = OptimalTreeClassifier(cost_complexity=0, objective="f1").fit([[20], [30], [40]], [0, 0, 1])
    >>> print(model.result_.sentence())
    Proven optimal over all thresholds: no tree has a smaller objective than this one with 2 leaves,
    objective 0.000000 (training F1 1.0000 of class 1).
    """

    @property
    def rounding(self) -> float:
        """What a proof leaves open: by how much another tree may be better than one with status OPTIMAL.

        0 if float64 cannot show it, neither in the objective nor in the difference of the objective from 1. Near 1 the
        penalty of the leaves is nearly all of the objective, and trees of very different F1 differ only in its last
        digits.
        """
        left = self.objective - self.lower_bound
        return left if left > ROUNDING * min(abs(self.objective), abs(1 - self.objective)) else 0.0

    def _loss_in_words(self) -> str:
        classes = self.tree.classes
        label = "unknown" if classes is None or len(classes) != 2 else repr(classes.tolist()[1])
        return f"training F1 {1 - self.loss:.4f} of class {label:.60}"
