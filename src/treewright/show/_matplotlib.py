"""A tree as a picture. matplotlib is loaded on first use only.

Sizes are in points throughout: the texts are measured, `arrange` places the blocks, and the axes get data
coordinates in points, so that on paper nothing overlaps at any size. Small trees grow downwards; larger ones
grow to the right, where each leaf needs the height of a line and not the width of a sentence.

Longer than 400 lines: measuring, placing and drawing share the sizes of one picture.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from treewright.errors import InputError, MissingDependencyError
from treewright.show._colours import RGB, class_colours, leaf_tint, tint
from treewright.show._layout import Layout, Size, arrange
from treewright.show._tree_of import TreeLike, tree_of
from treewright.show._values import place_of
from treewright.show._words import leaf_words, question, short_condition, typeset
from treewright.tree import Tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_tree", "tree_figure"]

Orientation = Literal["auto", "down", "right"]

INK = (0.13, 0.13, 0.13)
GREY = (0.33, 0.33, 0.33)  # contrast above 4.5 : 1 on white and on every tint
LINE = (0.62, 0.62, 0.62)
LINE_HEIGHT = 1.25  # of the font size
SMALL = 0.82  # size of the second line of a box
PAD = 0.6  # inside a box, in font sizes
BAR = 0.35  # height of the bar of class shares, in font sizes
MARK = 0.6  # width of the mark at the value of a regression leaf, in font sizes
LEAVES_DOWN = 6  # up to so many leaves a tree grows downwards
MARGIN = 8.0  # around the picture, in points
LARGEST_SIDE = 40 * 72.0  # points; a larger tree is scaled down


@dataclass(frozen=True, slots=True)
class _Block:
    """Texts of one node: its lines, the small line below them, and the label of the edge into it."""

    lines: tuple[str, ...]
    small: str
    label: tuple[str, ...]
    size: Size
    is_leaf: bool


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
        Longest line in characters; longer names are wrapped.

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
    _require_matplotlib()
    tree = tree_of(tree)
    if ax is None:
        import matplotlib.pyplot as plt

        blocks, layout, down = _prepare(tree, orientation, digits, font_size, wrap)
        ax = _full_axes(plt.figure(figsize=_inches(layout, down)))
    else:
        blocks, layout, down = _prepare(tree, orientation, digits, font_size, wrap)
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
    tree = tree_of(tree)
    from matplotlib.figure import Figure

    blocks, layout, down = _prepare(tree, orientation, digits, font_size, wrap)
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
    tree: Tree, orientation: Orientation, digits: int | None, font_size: float, wrap: int
) -> tuple[list[_Block], Layout, bool]:
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
        said = leaf_words(tree, node, digits)
        is_leaf = tree.splits[node] is None
        lines = _wrapped(said.label if is_leaf else question(tree, node, digits), wrap)
        small = said.support if is_leaf else said.rows
        label: tuple[str, ...] = ()
        if node in parents:
            above, goes_left = parents[node]
            label = _wrapped(typeset(short_condition(tree, above, goes_left, digits)), wrap)
        size = _size(lines, small, label, is_leaf, font_size, down)
        blocks.append(_Block(lines, small, label, size, is_leaf))
    if tree.classes is None:
        blocks = _equally_wide(blocks, down)
    sizes = [block.size for block in blocks]
    return (
        blocks,
        arrange(tree, sizes, (1.6 if down else 2.4) * font_size, (1.6 if down else 0.8) * font_size),
        down,
    )


def _equally_wide(blocks: list[_Block], down: bool) -> list[_Block]:
    """Make all leaves as wide as the widest, so that the places of their marks can be compared."""
    side = "across" if down else "along"
    widest = max(getattr(block.size, side) for block in blocks if block.is_leaf)
    return [
        replace(block, size=replace(block.size, **{side: widest})) if block.is_leaf else block
        for block in blocks
    ]


def _wrapped(text: str, wrap: int) -> tuple[str, ...]:
    return tuple(textwrap.wrap(text, wrap, break_on_hyphens=False)) or (" ",)


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

    font = FontProperties(size=font_size, weight=weight)
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


def _draw(ax: Axes, tree: Tree, blocks: list[_Block], layout: Layout, down: bool, font_size: float) -> None:
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
    pen = _Pen(ax, font_size, scale, down)
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


class _Pen:
    """Draws in (along, across) coordinates, whichever way the tree grows."""

    def __init__(self, ax: Axes, font_size: float, scale: float, down: bool) -> None:
        self.ax = ax
        self.font_size = font_size
        self.scale = scale
        self.down = down
        self.boxes: dict[int, tuple[Any, float, float, float, float]] = {}

    def line(self, points: list[tuple[float, float]]) -> None:
        from matplotlib.lines import Line2D

        along, across = zip(*points, strict=True)
        x, y = (across, along) if self.down else (along, across)
        self.ax.add_line(
            Line2D(x, y, color=LINE, linewidth=1.1 * self.scale, zorder=1, solid_joinstyle="round")
        )

    def block(self, node: int, block: _Block, label_at: float, box_at: float, centre: float) -> None:
        from matplotlib.patches import FancyBboxPatch

        size, em = block.size, self.font_size
        if self.down:
            x, y, width, height = centre - size.across / 2, box_at, size.across, size.along
        else:
            x, y, width, height = box_at, centre - size.across / 2, size.along, size.across
        patch = FancyBboxPatch(
            (x, y),
            width,
            height,
            boxstyle=f"round,pad=0,rounding_size={0.4 * em}",
            facecolor="white",
            edgecolor=LINE,
            linewidth=1.1 * self.scale,
            zorder=2,
            gid=f"box-{node}",
        )
        self.ax.add_patch(patch)
        self.boxes[node] = (patch, x, y, width, height)
        top = y + 0.5 * PAD * em
        for k, text in enumerate(block.lines):
            middle = top + (k + 0.5) * LINE_HEIGHT * em
            self._text(x + width / 2, middle, text, "bold" if block.is_leaf else "normal", gid=f"text-{node}")
        middle = top + (len(block.lines) + 0.5 * SMALL) * LINE_HEIGHT * em
        self._text(x + width / 2, middle, block.small, colour=GREY, size=SMALL, gid=f"text-{node}")
        for k, text in enumerate(block.label):
            shift = (k + 0.5 - len(block.label) / 2) * LINE_HEIGHT * em
            if self.down:
                first = label_at + 0.3 * em + 0.5 * LINE_HEIGHT * len(block.label) * em
                self._text(centre, first + shift, text, gid=f"label-{node}", background=True)
            else:
                middle = label_at + (box_at - label_at - 0.6 * em) / 2
                self._text(middle, centre + shift, text, gid=f"label-{node}", background=True)

    def fill(self, node: int, tree: Tree, colours: list[RGB]) -> None:
        """Colour a leaf by its class or value; a bar shows the shares of all classes, or where the value lies."""
        from matplotlib.patches import Rectangle

        patch, x, y, width, height = self.boxes[node]
        colour = colours[int(tree.prediction[node])]
        patch.set_facecolor(leaf_tint(tree, node, colour, 0.2))
        patch.set_edgecolor(colour)
        total = float(tree.value[node].sum()) if tree.predicts_classes else 0.0
        em = self.font_size
        start, length = x + PAD * em, width - 2 * PAD * em
        if tree.classes is None:
            below = y + height - (0.3 + BAR) * em
            parts = (
                (start, length, 0.32 * BAR, tint(colour, 0.45)),
                (start + (length - MARK * em) * place_of(tree, node), MARK * em, BAR, colour),
            )
            for left, long, high, ink in parts:
                corner = (left, below + (BAR - high) / 2 * em)
                self.ax.add_patch(Rectangle(corner, long, high * em, facecolor=ink, linewidth=0, zorder=3))
            return
        if total <= 0:
            return
        for colour, weight in zip(colours, tree.value[node].tolist(), strict=True):
            part = length * weight / total
            corner = (start, y + height - (0.3 + BAR) * em)
            if part > 0:
                self.ax.add_patch(Rectangle(corner, part, BAR * em, facecolor=colour, linewidth=0, zorder=3))
            start += part

    def _text(
        self,
        x: float,
        y: float,
        text: str,
        weight: str = "normal",
        *,
        colour: RGB = INK,
        size: float = 1.0,
        gid: str,
        background: bool = False,
    ) -> None:
        self.ax.text(
            x,
            y,
            text,
            ha="center",
            va="center_baseline",
            color=colour,
            fontsize=self.font_size * size * self.scale,
            fontweight=weight,
            parse_math=False,
            zorder=4,
            gid=gid,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5 * self.scale} if background else None,
        )
