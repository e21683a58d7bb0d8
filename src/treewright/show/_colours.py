"""Colours of classes: distinguishable for colour-blind eyes, and light enough for black text."""

from __future__ import annotations

import colorsys

from treewright.show._values import place_of
from treewright.tree import Tree

__all__ = ["class_colours", "hexadecimal", "leaf_tint", "rgb", "tint"]

RGB = tuple[float, float, float]

# M. Okabe, K. Ito (2002), Color Universal Design; yellow comes last because it is hard to see as a line.
OKABE_ITO = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#999999", "#F0E442")
GOLDEN_ANGLE = 0.381966  # of a turn; spreads any number of hues evenly


def class_colours(tree: Tree) -> list[RGB]:
    """Return one colour per class (one in all for a regression tree)."""
    n_classes = 1 if tree.classes is None else len(tree.classes)
    if n_classes <= len(OKABE_ITO):
        return [rgb(code) for code in OKABE_ITO[:n_classes]]
    return [colorsys.hls_to_rgb((GOLDEN_ANGLE * k) % 1.0, 0.45, 0.65) for k in range(n_classes)]


def leaf_tint(tree: Tree, node: int, colour: RGB, strength: float) -> RGB:
    """Return the ground of a leaf: of `strength` for a class; the darker, the larger the value of a regression leaf."""
    if tree.classes is not None:
        return tint(colour, strength)
    return tint(colour, LIGHTEST + (DARKEST - LIGHTEST) * place_of(tree, node))


LIGHTEST, DARKEST = 0.04, 0.30  # grey text keeps a contrast above 4.5 : 1 on both


def tint(colour: RGB, strength: float) -> RGB:
    """Mix with white: strength 1 is the colour, 0 is white."""
    red, green, blue = (1.0 - strength * (1.0 - part) for part in colour)
    return red, green, blue


def hexadecimal(colour: RGB) -> str:
    """Return ``#rrggbb``."""
    return "#" + "".join(f"{round(255 * part):02x}" for part in colour)


def rgb(code: str) -> RGB:
    """Return the parts, 0 to 1, of ``#rrggbb``."""
    red, green, blue = (int(code[k : k + 2], 16) / 255 for k in (1, 3, 5))
    return red, green, blue
