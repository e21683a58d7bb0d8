"""Two trees of one size side by side: the greedy one, and the best possible."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from treewright._arguments import check_arguments
from treewright.errors import InputError
from treewright.show._axes import INK, pyplot
from treewright.show._fonts import cover_letters
from treewright.show._matplotlib import plot_tree
from treewright.show._tree_of import TreeLike

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["plot_trees_beside"]

WIDTH, HEIGHT = 7.0, 3.8  # inches a tree


def plot_trees_beside(trees: Sequence[TreeLike], titles: Sequence[str]) -> Figure:
    """Draw trees side by side, each with a title above it.

    Parameters
    ----------
    trees : sequence of Tree, result or fitted estimator
    titles : sequence of str
        One per tree.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    InputError
        There is no tree, or not one title for each.
    MissingDependencyError
        matplotlib is not installed (extra `plot`).

    Examples
    --------
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.show import plot_trees_beside
    >>> model = OptimalTreeClassifier().fit([[20], [30], [40]], [0, 0, 1])
    >>> len(plot_trees_beside([model, model], ["one", "another"]).axes)
    2
    """
    check_arguments(plot_trees_beside, locals(), "trees", "titles")
    if len(trees) != len(titles) or not titles:
        raise InputError(
            f"There are {len(trees)} trees and {len(titles)} titles; give trees, and one title for each."
        )
    figure: Figure = pyplot().figure(figsize=(WIDTH * len(trees), HEIGHT))
    for place, (tree, title) in enumerate(zip(trees, titles, strict=True)):
        share = 1 / len(trees)
        ax = figure.add_axes((place * share, 0.0, share, 0.9))
        plot_tree(tree, ax)
        ax.set_title(title, fontsize=13, color=INK, parse_math=False)
    cover_letters(figure)
    return figure
