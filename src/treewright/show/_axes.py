"""What all charts share: matplotlib on first use only, and axes with little ink."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treewright.errors import MissingDependencyError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["GREY", "GRID", "INK", "axes_or_new", "pyplot", "tidy"]

INK = (0.13, 0.13, 0.13)
GREY = (0.36, 0.36, 0.36)  # contrast above 4.5 : 1 on white
GRID = (0.90, 0.90, 0.90)


def pyplot() -> Any:
    """Return `matplotlib.pyplot`.

    Raises
    ------
    MissingDependencyError
    """
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise MissingDependencyError(
            "Pictures need matplotlib, which is not installed: pip install 'treewright[plot]'."
        ) from error
    return plt


def axes_or_new(ax: Axes | None, width: float, height: float) -> Axes:
    """Return `ax`, or the axes of a new figure of so many inches."""
    if ax is not None:
        return ax
    made: Axes = pyplot().figure(figsize=(width, height), layout="constrained").add_subplot()
    return made


def tidy(ax: Axes, *, grid: str | None = None) -> None:
    """Take the frame away on two sides, and put faint lines behind the marks along one axis."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(GREY)
    ax.tick_params(colors=GREY, labelcolor=INK)
    if grid is not None:
        ax.grid(axis=grid, color=GRID, linewidth=0.8)  # type: ignore[arg-type]
        ax.set_axisbelow(True)
