"""What a notebook shows: of a fitted estimator its tree, of a set of trees a table; what is proven, in one sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from treewright.show._report._page import render_fragment, render_table
from treewright.show._report._steps import picture
from treewright.show._tree_of import TreeLike, costs_of_actions, tree_of

__all__ = ["notebook_html", "notebook_table"]

MOST_LINES = 20


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


def notebook_table(
    title: str,
    sentence: str,
    head: Sequence[str],
    lines: Iterable[Sequence[str]],
    n_lines: int,
    all_of_them: str,
) -> str:
    """Return a table of numbers as a piece of HTML.

    Parameters
    ----------
    title : str
        For readers who do not see the table.
    sentence : str
        Stands above the table.
    head : sequence of str
    lines : iterable of sequences of str
        The first 20 are shown.
    n_lines : int
        How many lines there are.
    all_of_them : str
        The call that returns all lines.

    Returns
    -------
    str
        As `notebook_html` returns it.

    Examples
    --------
    >>> from treewright.show import notebook_table
    >>> "<td>4</td>" in notebook_table("Squares", "Squares of numbers.", ["n", "n * n"], [["2", "4"]], 1, "squares()")
    True
    """
    shown = list(islice(lines, MOST_LINES))
    left = n_lines - len(shown)
    lines_left = "1 more line" if left == 1 else f"{left:,} more lines"
    rest = f"{lines_left}; {all_of_them} returns all." if left else ""
    return render_table(title, sentence, head, shown, rest)
