"""Draws the blocks of a picture of a tree and the lines between them, with matplotlib, whichever way the tree grows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treewright.show._colours import RGB, leaf_tint, tint
from treewright.show._layout import Size
from treewright.show._values import place_of
from treewright.tree import Tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["BAR", "LINE_HEIGHT", "PAD", "SMALL", "Block", "Pen"]

INK = (0.13, 0.13, 0.13)
GREY = (0.33, 0.33, 0.33)  # contrast above 4.5 : 1 on white and on every tint
LINE = (0.62, 0.62, 0.62)
LINE_HEIGHT = 1.25  # of the font size
SMALL = 0.82  # size of the second line of a box
PAD = 0.6  # inside a box, in font sizes
BAR = 0.35  # height of the bar of class shares, in font sizes
MARK = 0.6  # width of the mark at the value of a regression leaf, in font sizes


@dataclass(frozen=True, slots=True)
class Block:
    """Texts of one node: its lines, the small line below them, and the label of the edge into it."""

    lines: tuple[str, ...]
    small: str
    label: tuple[str, ...]
    size: Size
    is_leaf: bool


class Pen:
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

    def block(self, node: int, block: Block, label_at: float, box_at: float, centre: float) -> None:
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
