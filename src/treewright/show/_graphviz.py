"""A tree in Graphviz's dot language, as text; drawing it needs Graphviz, making it does not."""

from __future__ import annotations

import textwrap

from treewright._arguments import check_arguments
from treewright.show._colours import class_colours, hexadecimal, leaf_tint
from treewright.show._tree_of import TreeLike, costs_of_actions, tree_of
from treewright.show._words import leaf_words, question, short_condition

__all__ = ["to_graphviz"]


def to_graphviz(tree: TreeLike, *, digits: int | None = 4, wrap: int = 24) -> str:
    """Return the dot source of a tree.

    Parameters
    ----------
    tree : Tree, result or fitted estimator
    digits : int, default=4
        Significant digits of thresholds; None writes every digit that matters.
    wrap : int, default=24
        Longest line in a box, in characters.

    Returns
    -------
    str
        For example for ``dot -Tsvg``. Leaves are filled by class.

    Examples
    --------
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.show import to_graphviz
    >>> to_graphviz(OptimalTreeClassifier().fit([[20], [30], [40]], [0, 0, 1]).tree_).splitlines()[0]
    'digraph Tree {'
    """
    check_arguments(to_graphviz, locals(), "digits", "wrap")
    costs, tree = costs_of_actions(tree), tree_of(tree)
    colours = class_colours(tree)
    lines = [
        "digraph Tree {",
        '  node [shape=box, style="rounded,filled", fillcolor=white, color="#555555", fontname="helvetica"];',
        '  edge [color="#555555", fontname="helvetica"];',
    ]
    for node, split in enumerate(tree.splits):
        if split is not None:
            lines.append(f"  {node} [label={_quoted(question(tree, node, digits), wrap)}];")
            for child, goes_left in ((tree.children_left[node], True), (tree.children_right[node], False)):
                words = short_condition(tree, node, goes_left, digits)
                lines.append(f"  {node} -> {child} [label={_quoted(words, wrap)}];")
            continue
        said = leaf_words(tree, node, digits, costs)
        colour = colours[int(tree.prediction[node])]
        lines.append(
            f"  {node} [label={_quoted(said.label, wrap, *filter(None, [said.support]))}, "
            f'fillcolor="{hexadecimal(leaf_tint(tree, node, colour, 0.25))}", color="{hexadecimal(colour)}"];'
        )
    return "\n".join([*lines, "}"]) + "\n"


def _quoted(text: str, wrap: int, *more: str) -> str:
    """A dot string of wrapped lines. Dot reads backslash escapes and HTML entities, so both are escaped."""
    lines = [*(textwrap.wrap(text, wrap) or [text]), *more]
    escaped = [line.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;") for line in lines]
    return '"' + "\\n".join(escaped) + '"'
