"""Why a search that was stopped ended with a single leaf, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treewright.result._solve import SolveResult

__all__ = ["why_stopped_at_one_leaf"]


def why_stopped_at_one_leaf(result: SolveResult) -> str:
    """Say why the tree of a stopped search is a single leaf; "" of other trees, and of one that loses nothing.

    Parameters
    ----------
    result : SolveResult

    Returns
    -------
    str

    Examples
    --------
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.result import why_stopped_at_one_leaf
    >>> why_stopped_at_one_leaf(OptimalTreeClassifier().fit([[20], [30], [40]], [0, 0, 1]).result_)
    ''
    """
    if result.tree.n_leaves > 1 or result.stop_reason is None or not result.loss > 0:
        return ""
    return (
        f"The tree is a single leaf because the search ended ({result.stop_reason.value}) before it found a better "
        "one, which need not mean that there is none."
    )
