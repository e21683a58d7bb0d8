"""What the gallery of examples needs of its own: our figures, and the tutorial before the rest."""

from __future__ import annotations

from typing import Any
from weakref import WeakSet

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sphinx_gallery.scrapers import figure_rst
from sphinx_gallery.sorting import ExampleTitleSortKey

__all__ = ["TutorialFirst", "save_figures"]


shown: WeakSet[Figure] = WeakSet()


def save_figures(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Show every new figure that an example named, itself or its axes; `treewright.show` makes them without pyplot."""
    paths = []
    for value in list(block_vars["example_globals"].values()):
        figure = value.figure if isinstance(value, Axes) else value
        if isinstance(figure, Figure) and figure.canvas.manager is None and figure not in shown:
            shown.add(figure)  # once, though the name lives on
            path = next(block_vars["image_path_iterator"])
            figure.savefig(path, dpi=110, bbox_inches="tight")
            paths.append(path)
    return figure_rst(paths, gallery_conf["src_dir"])


class TutorialFirst(ExampleTitleSortKey):
    """By title, after the tutorial."""

    def __call__(self, filename: str) -> str:
        """Return what is compared."""
        return "" if filename == "ten_minutes.py" else str(super().__call__(filename))
