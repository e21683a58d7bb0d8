"""What a notebook shows of a fitted estimator: its tree and its certificate in one sentence."""

from __future__ import annotations

from treewright.show._report._page import render_fragment
from treewright.show._report._steps import picture
from treewright.show._tree_of import TreeLike, costs_of_actions, tree_of

__all__ = ["notebook_html"]


def notebook_html(tree: TreeLike, *, sentence: str = "", parameters: str = "", digits: int | None = 6) -> str:
    """Return a tree as a piece of HTML; one page can contain several.

    Parameters
    ----------
    tree : Tree, result or fitted estimator
        Of any kind, regression included.
    sentence : str, default=""
        Stands below the tree; what is proven, for example.
    parameters : str, default=""
        Shown on demand.
    digits : int or None, default=6
        Significant digits of numbers; None writes all.

    Returns
    -------
    str
        Has no script, no id and no request; branches fold by check boxes.

    Examples
    --------
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.show import notebook_html
    >>> "x0" in notebook_html(OptimalTreeClassifier().fit([[20], [30], [40]], [0, 0, 1]).tree_)
    True
    """
    return render_fragment(picture(tree_of(tree), digits, costs_of_actions(tree)), sentence, parameters)
