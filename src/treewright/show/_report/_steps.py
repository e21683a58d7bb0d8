"""The tree as a flat list of steps that a template turns into nested lists.

The browser does the layout: a node stands before its two branches, a branch is a label on a line and the next node.
What `_layout` computes for paper (bands by depth, no two boxes on one place) is here a grid in `tree.css`, so that the
tree survives any font, zoom and width, and is a plain list for whoever cannot see it. Opening and closing are separate
steps, for a template that called itself would fail on a deep tree.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.show._breaks import longest_piece
from treewright.show._colours import class_colours, hexadecimal
from treewright.show._values import place_of
from treewright.show._words import leaf_words, printable, question, short_condition, typeset
from treewright.tree import Tree, with_unit

__all__ = ["Picture", "Step", "picture"]

MOST_NODES = 1200  # drawn; deeper levels of a larger tree are summed up
MOST_LEVELS = 100  # a browser nests some 500 elements
FOLDED_FROM = 40  # leaves; larger trees start folded
OPEN_LEVELS = 3  # of a tree that starts folded
PAPER = 46.0  # ems across a sheet
NARROW = 40.0  # rems; always an outline below
SMALLEST_FONT = 0.66  # rems; smaller texts of a picture are not read
WIDEST_BOX = 24  # ems, for a long word in a name
FOLD = 1.9  # ems of the check box that folds, before the question of a node
GAP = 1.1  # ems between a box and the lines to its branches
BAR = 100.0  # width of the bar of class shares, in its own units
MARK = 6.0  # width of the mark at the value of a regression leaf


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to write.

    Parameters
    ----------
    kind : str
        "node" opens an inner node and its two branches, "leaf" and "rest" (levels that are not drawn) write one
        item, "end" closes the last node that is open.
    node : int
    subject, edge : str
        Of the branch that leads here: what is asked, and the answer; empty at the root.
    text, support : str
        What stands in the box.
    klass : int
        Predicted class or action; 0 for regression.
    bar : tuple of (class, start, width)
        Shares of the classes, for a bar of width 100; for regression a mark between the smallest and the largest leaf.
    is_open : bool
        Whether the branches show at first.
    """

    kind: str
    node: int = 0
    subject: str = ""
    edge: str = ""
    text: str = ""
    support: str = ""
    klass: int = 0
    bar: tuple[tuple[int, float, float], ...] = ()
    is_open: bool = True


@dataclass(frozen=True, slots=True)
class Picture:
    """A tree that is ready to be written.

    Parameters
    ----------
    steps : tuple of Step
    colours : tuple of str
        ``#rrggbb`` of each class.
    n_leaves, depth : int
    edge, box : int
        Widths of the labels of branches and of the boxes, in ems.
    is_cut : bool
        Whether levels are left out.
    """

    steps: tuple[Step, ...]
    colours: tuple[str, ...]
    n_leaves: int
    depth: int
    edge: int
    box: int
    is_cut: bool

    @property
    def wide(self) -> float:
        """Width of the whole picture, in ems."""
        return self.box + self.depth * (self.edge + self.box + GAP)

    @property
    def outline_below(self) -> float:
        """Width in rems below which the picture would be too small to read, or narrower than an outline is."""
        return max(NARROW, self.wide * SMALLEST_FONT)

    @property
    def size(self) -> str:
        """Name of the class of pictures of this size."""
        return f"tw-size-{self.edge}-{self.box}-{self.depth}"

    @property
    def fits_paper(self) -> bool:
        """Whether the drawn tree is no wider than a sheet; otherwise an outline is printed."""
        return self.wide <= PAPER


def picture(
    tree: Tree, digits: int | None, costs: NDArray[np.float64] | None = None, leaf_unit: str = ""
) -> Picture:
    """Choose the words and the order of all boxes; `costs` of actions are taken off the rewards of leaves.

    Numbers of leaves have the unit `leaf_unit`; a sum that depends on the row has none.
    """
    last_level = _last_level(tree)
    large = tree.n_leaves > FOLDED_FROM
    depth = tree.node_depth.tolist()
    below = _leaves_below(tree)
    steps: list[Step] = []
    pending: list[tuple[int, str, str] | None] = [(0, "", "")]
    while pending:
        item = pending.pop()
        if item is None:
            steps.append(Step("end"))
            continue
        node, subject, edge = item
        said = leaf_words(tree, node, digits, costs, plain=False)
        klass = int(tree.prediction[node])
        if tree.splits[node] is None:
            has_line = tree.lines is not None and tree.lines[node] is not None
            label = said.label if has_line else with_unit(said.label, printable(leaf_unit))
            steps.append(Step("leaf", node, subject, edge, label, said.support, klass, _bar(tree, node)))
        elif depth[node] >= last_level:
            text = f"{below[node]} leaves, not drawn"
            steps.append(Step("rest", node, subject, edge, text, said.rows))
        else:
            asked = question(tree, node, digits, plain=False)
            is_open = not large or depth[node] < OPEN_LEVELS
            steps.append(Step("node", node, subject, edge, asked, said.rows, klass, is_open=is_open))
            pending.append(None)
            for child, goes_left in ((tree.children_right[node], False), (tree.children_left[node], True)):
                pending.append((int(child), asked, typeset(short_condition(tree, node, goes_left, digits))))
    return Picture(
        tuple(steps),
        tuple(hexadecimal(colour) for colour in class_colours(tree)),
        tree.n_leaves,
        tree.depth,
        _ems([step.edge for step in steps], 1.7, range(5, 12)),
        max(
            _ems([words for step in steps for words in (step.text, step.support)], 2.2, range(8, 15)),
            _ems([step.text for step in steps if step.kind == "node"], 2.2 + FOLD, range(8, 15)),
        ),
        last_level < tree.depth,
    )


def _last_level(tree: Tree) -> int:
    """Deepest level that is drawn."""
    per_level = np.bincount(tree.node_depth)
    fits = np.flatnonzero(np.cumsum(per_level) <= MOST_NODES)
    return min(int(fits[-1]), MOST_LEVELS)


def _leaves_below(tree: Tree) -> list[int]:
    below: list[int] = tree.is_leaf.astype(int).tolist()
    for node in reversed(range(tree.node_count)):  # children come after parents
        if tree.splits[node] is not None:
            below[node] = below[tree.children_left[node]] + below[tree.children_right[node]]
    return below


def _bar(tree: Tree, node: int) -> tuple[tuple[int, float, float], ...]:
    if tree.classes is None:
        return ((0, round((BAR - MARK) * place_of(tree, node), 2), MARK),) if tree.n_leaves > 1 else ()
    total = float(tree.value[node].sum()) if tree.predicts_classes else 0.0
    if total <= 0:
        return ()
    parts, start = [], 0.0
    for klass, weight in enumerate(tree.value[node].tolist()):
        width = BAR * weight / total
        if width > 0:
            parts.append((klass, round(start, 2), round(width, 2)))
        start += width
    return tuple(parts)


def _ems(texts: list[str], around: float, choice: range) -> int:
    """A width in `choice` that holds most texts on one line, with `around` beside them; longer ones wrap.

    It is wider than the choice where a single word of a name is.
    """
    longest = max((len(text) for text in texts), default=0)
    word = max((longest_piece(text) for text in texts), default=0)
    wish = min(choice[-1], max(choice[0], math.ceil(0.6 * longest + around)))
    return min(WIDEST_BOX, max(wish, math.ceil(0.6 * word + around)))
