"""A tree as indented text: every line is one condition, and a line with an arrow ends at a leaf."""

from __future__ import annotations

from treewright._arguments import check_arguments
from treewright.errors import InputError
from treewright.show._tree_of import TreeLike, costs_of_actions, tree_of
from treewright.show._words import condition, leaf_words, printable
from treewright.tree import Tree

__all__ = ["to_text"]

ALIGN_LIMIT = 72  # columns; beyond, arrows follow their condition instead of standing in a column


def to_text(tree: TreeLike, *, digits: int | None = 6, ascii_only: bool = False, counts: bool = False) -> str:
    """Return a tree as text.

    Parameters
    ----------
    tree : Tree, result or fitted estimator
    digits : int, default=6
        Significant digits of thresholds; None writes every digit that matters.
    ascii_only : bool, default=False
        Draw the lines in ASCII. Names stay as they are.
    counts : bool, default=False
        Write the training weight of each class (policy trees: the mean reward of each action) behind each leaf.

    Returns
    -------
    str
        Without a newline at the end. Control characters in names are written as escapes.

    Raises
    ------
    InputError
        `digits` is below 1.

    Notes
    -----
    For a pipeline the tree of its last step is written, over the columns that this step gets.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.tree import Column, ColumnKind, ThresholdSplit, grow
    >>> tree = grow(
    ...     [Column("age", ColumnKind.CONTINUOUS)],
    ...     np.array(["no", "yes"]),
    ...     [ThresholdSplit(0, 42.0), None, None],
    ...     np.array([[20.0], [40.0], [60.0]]),
    ...     np.array([0, 0, 1], dtype=np.int32),
    ...     np.ones(3),
    ...     1.0 - np.eye(2),
    ... )
    >>> print(to_text(tree))
    ├─ age <= 42  → no   100% of 2 rows
    └─ age > 42   → yes  100% of 1 row
    """
    check_arguments(to_text, locals(), "digits")
    if digits is not None and digits < 1:
        raise InputError(f"digits={digits}; give at least 1, or None for all digits.")
    costs, tree = costs_of_actions(tree), tree_of(tree)
    branch, last, line, arrow = ("|- ", "`- ", "|  ", "->") if ascii_only else ("├─ ", "└─ ", "│  ", "→")
    entries: list[tuple[str, int]] = []  # the text of a line up to its arrow, and its leaf or -1
    pending: list[tuple[int, str, str]] = [(0, "", "")]
    while pending:
        node, head, indent = pending.pop()
        split = tree.splits[node]
        entries.append((head, node if split is None else -1))
        if split is not None:
            left, right = int(tree.children_left[node]), int(tree.children_right[node])
            no, yes = condition(tree, node, False, digits), condition(tree, node, True, digits)
            pending.append((right, f"{indent}{last}{no}", indent + "   "))
            pending.append((left, f"{indent}{branch}{yes}", indent + line))
    if len(entries) > 1:
        del entries[0]  # the root has no condition
    leaves = [node for _, node in entries if node >= 0]
    words = {node: leaf_words(tree, node, digits, costs) for node in leaves}
    arrows = max(len(head) for head, node in entries if node >= 0)
    labels = max(len(words[node].label) for node in leaves)
    lines = []
    for head, node in entries:
        if node < 0:
            lines.append(head)
            continue
        said = words[node]
        gap = " " * (arrows - len(head)) if arrows <= ALIGN_LIMIT else ""
        pad = " " * (labels - len(said.label)) if labels <= ALIGN_LIMIT // 2 else ""
        lead = f"{head}{gap}  " if head else ""
        text = f"{lead}{arrow} {said.label}{pad}  {said.support}"
        if counts:
            text += f"  {_counts(tree, node)}"
        lines.append(text.rstrip())
    return "\n".join(lines)


def _counts(tree: Tree, node: int) -> str:
    if tree.classes is None:
        return ""
    pairs = zip(tree.classes, tree.value[node].tolist(), strict=True)
    return "(" + ", ".join(f"{printable(str(label))} {weight:g}" for label, weight in pairs) + ")"
