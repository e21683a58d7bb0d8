"""A tree as a picture. matplotlib is loaded on first use only.

Sizes are in points throughout: the texts are measured, `arrange` places the blocks, and the axes get data
coordinates in points, so that on paper nothing overlaps at any size. Small trees grow downwards; larger ones
grow to the right, where each leaf needs the height of a line and not the width of a sentence.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from treewright._arguments import check_arguments
from treewright.errors import InputError, MissingDependencyError
from treewright.show._breaks import lines_of
from treewright.show._colours import class_colours
from treewright.show._fonts import cover_letters, families_for
from treewright.show._layout import Layout, Size, arrange
from treewright.show._pen import BAR, LINE_HEIGHT, PAD, SMALL, Block, Pen
from treewright.show._tree_of import TreeLike, costs_of_actions, tree_of
from treewright.show._words import leaf_words, question, short_condition, typeset
from treewright.tree import Tree

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

__all__ = ["plot_tree", "tree_figure"]

Orientation = Literal["auto", "down", "right"]

LEAVES_DOWN = 6  # up to so many leaves a tree grows downwards
MARGIN = 8.0  # around the picture, in points
LONGEST_WORD = 60  # characters; longer ones are cut
LARGEST_SIDE = 40 * 72.0  # points; a larger tree is scaled down


def plot_tree(
    tree: TreeLike,
    ax: Axes | None = None,
    *,
    orientation: Orientation = "auto",
    digits: int | None = 4,
    font_size: float = 10.0,
    wrap: int = 22,
) -> Axes:
    """Draw a tree with matplotlib.

    Parameters
    ----------
    tree : Tree, result or fitted estimator
    ax : Axes, default=None
        Where to draw; the picture is scaled down to fit. None makes a figure of the size that the tree needs.
    orientation : {"auto", "down", "right"}, default="auto"
        Where the tree grows to; "auto" is down for up to 6 leaves, otherwise right.
    digits : int, default=4
        Significant digits of thresholds; None writes every digit that matters.
    font_size : float, default=10
        In points, before scaling.
    wrap : int, default=22
        Longest line in characters; longer names are wrapped. Words of up to 60 characters stay whole.

    Returns
    -------
    Axes
        Leaves are coloured by predicted class; the bar below a leaf shows the shares of all classes; leaves of
        a policy tree are coloured by action. In a regression
        tree a darker leaf has a larger value, and the mark below it stands where the value lies between the smallest
        and the largest of all leaves.

    Raises
    ------
    MissingDependencyError
        matplotlib is not installed.
    InputError
        A parameter is out of range.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.show import plot_tree
    >>> model = OptimalTreeClassifier().fit([[20], [30], [40]], [0, 0, 1])
    >>> len(plot_tree(model, Figure().subplots()).texts) > 0
    True
    """
    check_arguments(plot_tree, locals(), "ax", "digits", "font_size", "wrap")
    _require_matplotlib()
    costs, tree = costs_of_actions(tree), tree_of(tree)
    if ax is None:
        import matplotlib.pyplot as plt

        blocks, layout, down = _prepare(tree, orientation, digits, font_size, wrap, costs)
        ax = _full_axes(plt.figure(figsize=_inches(layout, down)))
    else:
        blocks, layout, down = _prepare(tree, orientation, digits, font_size, wrap, costs)
    _draw(ax, tree, blocks, layout, down, font_size)
    return ax


def tree_figure(
    tree: TreeLike,
    *,
    orientation: Orientation = "auto",
    digits: int | None = 4,
    font_size: float = 10.0,
    wrap: int = 22,
) -> Figure:
    """Draw a tree on a figure of its own that no window shows; for files.

    Parameters
    ----------
    tree, orientation, digits, font_size, wrap
        As in `plot_tree`.

    Returns
    -------
    matplotlib.figure.Figure
        Save it with ``figure.savefig("tree.svg")``.

    Raises
    ------
    MissingDependencyError
        matplotlib is not installed.

    Examples
    --------
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.show import tree_figure
    >>> figure = tree_figure(OptimalTreeClassifier().fit([[20], [30], [40]], [0, 0, 1]).tree_)
    >>> len(figure.axes)
    1
    """
    _require_matplotlib()
    costs, tree = costs_of_actions(tree), tree_of(tree)
    from matplotlib.figure import Figure

    blocks, layout, down = _prepare(tree, orientation, digits, font_size, wrap, costs)
    figure = Figure(figsize=_inches(layout, down))
    _draw(_full_axes(figure), tree, blocks, layout, down, font_size)
    return figure


def _require_matplotlib() -> None:
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise MissingDependencyError(
            "Drawing a tree needs matplotlib, which is not installed: pip install 'treewright[plot]'. "
            "Without it, `treewright.show.to_text` and `to_graphviz` work."
        ) from None


def _prepare(
    tree: Tree,
    orientation: Orientation,
    digits: int | None,
    font_size: float,
    wrap: int,
    costs: NDArray[np.float64] | None,
) -> tuple[list[Block], Layout, bool]:
    """Choose the words, measure them, and place the blocks."""
    if orientation not in ("auto", "down", "right"):
        raise InputError(f'orientation={orientation!r}; choose "auto", "down" or "right".')
    if not font_size > 0 or wrap < 1 or (digits is not None and digits < 1):
        raise InputError(
            f"font_size={font_size}, wrap={wrap}, digits={digits}; font_size must be above 0, wrap and "
            "digits at least 1."
        )
    down = tree.n_leaves <= LEAVES_DOWN if orientation == "auto" else orientation == "down"
    parents = {}
    for node, split in enumerate(tree.splits):
        if split is not None:
            parents[int(tree.children_left[node])] = (node, True)
            parents[int(tree.children_right[node])] = (node, False)
    blocks = []
    for node in range(tree.node_count):
        said = leaf_words(tree, node, digits, costs, plain=False)
        is_leaf = tree.splits[node] is None
        lines = _wrapped(said.label if is_leaf else question(tree, node, digits, plain=False), wrap)
        small = said.support if is_leaf else said.rows
        label: tuple[str, ...] = ()
        if node in parents:
            above, goes_left = parents[node]
            label = _wrapped(typeset(short_condition(tree, above, goes_left, digits)), wrap)
        size = _size(lines, small, label, is_leaf, font_size, down)
        blocks.append(Block(lines, small, label, size, is_leaf))
    if tree.classes is None:
        blocks = _equally_wide(blocks, down)
    sizes = [block.size for block in blocks]
    return (
        blocks,
        arrange(tree, sizes, (1.6 if down else 2.4) * font_size, (1.6 if down else 0.8) * font_size),
        down,
    )


def _equally_wide(blocks: list[Block], down: bool) -> list[Block]:
    """Make all leaves as wide as the widest, so that the places of their marks can be compared."""
    side = "across" if down else "along"
    widest = max(getattr(block.size, side) for block in blocks if block.is_leaf)
    return [
        replace(block, size=replace(block.size, **{side: widest})) if block.is_leaf else block
        for block in blocks
    ]


def _wrapped(text: str, wrap: int) -> tuple[str, ...]:
    return tuple(lines_of(text, wrap, len(text) + 1, LONGEST_WORD).split("\n")) if text.strip() else (" ",)


def _size(
    lines: tuple[str, ...], small: str, label: tuple[str, ...], is_leaf: bool, font_size: float, down: bool
) -> Size:
    weight = "bold" if is_leaf else "normal"
    width = max(*(_width(line, font_size, weight) for line in lines), _width(small, SMALL * font_size))
    width += 2 * PAD * font_size
    height = (len(lines) + SMALL) * LINE_HEIGHT * font_size + PAD * font_size
    height += 1.4 * BAR * font_size if is_leaf else 0.0
    label_width = max((_width(line, font_size) for line in label), default=0.0)
    label_height = len(label) * LINE_HEIGHT * font_size
    if down:
        return Size(height, width, label_height + font_size * (1.1 if label else 0), label_width + font_size)
    return Size(width, height, label_width + font_size * (1.6 if label else 0), label_height)


def _width(text: str, font_size: float, weight: str = "normal") -> float:
    """Width of one line in points, with a reserve for the hinting of other renderers."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family=families_for(text), size=font_size, weight=weight)
    return 1.03 * float(text_to_path.get_text_width_height_descent(text, font, ismath=False)[0])


def _extent(layout: Layout, down: bool) -> tuple[float, float]:
    """Width and height of the picture in points, margins included."""
    across, along = layout.breadth + 2 * MARGIN, layout.length + 2 * MARGIN
    return (across, along) if down else (along, across)


def _inches(layout: Layout, down: bool) -> tuple[float, float]:
    width, height = _extent(layout, down)
    scale = min(1.0, LARGEST_SIDE / max(width, height))
    return width * scale / 72, height * scale / 72


def _full_axes(figure: Any) -> Axes:
    axes: Axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    return axes


def _draw(ax: Axes, tree: Tree, blocks: list[Block], layout: Layout, down: bool, font_size: float) -> None:
    """Put the picture into `ax`; data coordinates are points times the scale, y grows downwards."""
    width, height = _extent(layout, down)
    figure = ax.figure
    box = ax.get_window_extent()
    have_width, have_height = box.width * 72 / figure.dpi, box.height * 72 / figure.dpi
    scale = min(1.0, have_width / width, have_height / height)
    spare_width, spare_height = have_width / scale - width, have_height / scale - height
    ax.set_xlim(-MARGIN - spare_width / 2, width - MARGIN + spare_width / 2)
    ax.set_ylim(height - MARGIN + spare_height / 2, -MARGIN - spare_height / 2)
    ax.set_axis_off()
    pen = Pen(ax, font_size, scale, down)
    colours = class_colours(tree)
    depth = tree.node_depth.tolist()
    for node, block in enumerate(blocks):
        if not block.is_leaf:
            start = layout.band_box[depth[node]] + block.size.along
            bend = layout.band_start[depth[node] + 1] - 0.5 * font_size
            for child in (int(tree.children_left[node]), int(tree.children_right[node])):
                end = layout.band_box[depth[child]]
                here, there = layout.centre[node], layout.centre[child]
                pen.line([(start, here), (bend, here), (bend, there), (end, there)])
    for node, block in enumerate(blocks):
        pen.block(
            node, block, layout.band_start[depth[node]], layout.band_box[depth[node]], layout.centre[node]
        )
        if block.is_leaf:
            pen.fill(node, tree, colours)
    cover_letters(ax)
