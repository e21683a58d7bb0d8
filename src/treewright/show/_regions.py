"""Where a tree decides what, over two of its columns (guessing paper, Figure 6).

Each leaf is a rectangle in the plane of two columns of numbers when all other columns are held at fixed values.
The picture is made of the thresholds themselves, not of a raster: between two neighbouring thresholds the
decision is constant, so one prediction a cell is exact.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._arguments import check_arguments, refuse_lossy
from treewright.errors import InputError
from treewright.show._axes import INK, axes_or_new, tidy
from treewright.show._breaks import lines_of
from treewright.show._colours import RGB, class_colours, tint
from treewright.show._fonts import cover_letters
from treewright.show._tree_of import TreeLike, tree_with_rows
from treewright.show._words import printable
from treewright.table import encode_like
from treewright.tree import Column, ColumnKind, LinearSplit, ThresholdSplit, Tree, with_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_decision_regions"]

LINE, TITLE_LINE, LEGEND_LINE = 44, 56, 24  # characters below the axes, above the picture, beside it
MOST_LINES = 3  # of one name; the rest is cut
MOST_TITLE_LINES = 6
MARKERS = "osD^vPX*"
SHADE = 0.22  # of a region: light, so that the points stand out
RASTER = 300  # points a side where a linear split runs across
MOST_POINTS = 2000  # drawn; of larger tables an even sample, chosen the same way each time


def plot_decision_regions(
    tree: TreeLike,
    X: Any,
    y: ArrayLike | None = None,
    *,
    columns: tuple[str | int, str | int] | None = None,
    at: Mapping[str, Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the decisions of a classification tree over two columns of numbers.

    Parameters
    ----------
    tree : Tree, result or fitted estimator
    X : array-like or frame of shape (n_rows, n_columns)
        Rows: they set the ranges and are drawn as points.
    y : array-like of shape (n_rows,), default=None
        Their labels, drawn by colour and mark; None draws no points.
    columns : pair of str or int, default=None
        Horizontal and vertical axis. None takes the two numeric columns that the tree splits on first.
    at : mapping of str to value, default=None
        Values of other columns (numbers, or categories as text; None is missing). Those that are not given
        are held at the median, or the most frequent category, of `X`.
    ax : Axes, default=None
        None makes a figure.

    Returns
    -------
    Axes
        The title says at which values the other columns that the tree splits on are held.

    Raises
    ------
    InputError
        The tree predicts numbers, a column does not exist or holds no numbers, fewer than two can be drawn,
        or `y` has another length.
    MissingDependencyError
        matplotlib is not installed (extra `plot`).

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.show import plot_decision_regions
    >>> X, y = [[20, 1.5], [30, 2.5], [40, 3.5]], [0, 0, 1]
    >>> model = OptimalTreeClassifier().fit(X, y)
    >>> plot_decision_regions(model, X, y, ax=Figure().subplots()).get_xlabel()
    'x0'
    """
    check_arguments(plot_decision_regions, locals(), "columns", "at", "ax")
    tree = tree_with_rows(tree)
    if tree.classes is None:
        raise InputError(
            "Decision regions need a tree of classes or actions; this one predicts numbers. "
            "treewright.show.plot_tree draws it."
        )
    rows = encode_like(X, tree.columns)
    refuse_lossy("y", y)
    labels = None if y is None else np.asarray(y)
    if labels is not None and labels.shape != (len(rows),):
        raise InputError(f"y has shape {labels.shape}; X has {len(rows)} rows, so give ({len(rows)},).")
    across, up = _chosen(tree, columns)
    base = _base_row(tree, rows, dict(at or {}))
    ranges = [_range(tree, rows[:, j], j) for j in (across, up)]
    edges = [_edges(tree, j, low, high) for j, (low, high) in zip((across, up), ranges, strict=True)]
    # A cell takes the values on its upper edge, which goes left with the rest of the cell.
    cells = np.tile(base, (len(edges[1]) - 1, len(edges[0]) - 1, 1))
    cells[:, :, across] = edges[0][None, 1:]
    cells[:, :, up] = edges[1][1:, None]
    decided = tree.prediction[tree.apply(cells.reshape(-1, len(base)))].reshape(cells.shape[:2])
    ax = axes_or_new(ax, 5.4, 4.2)
    from matplotlib.colors import ListedColormap

    colours = class_colours(tree)
    shades = ListedColormap([tint(colour, SHADE) for colour in colours])
    ax.pcolormesh(
        *edges, decided, cmap=shades, vmin=-0.5, vmax=len(colours) - 0.5, rasterized=decided.size > 10_000
    )
    _outline(ax, edges, decided)
    if labels is not None:
        _points(ax, tree, rows, labels, across, up)
    _legend(ax, tree, decided, labels)
    ax.set_xlim(*ranges[0])
    ax.set_ylim(*ranges[1])
    ax.set_xlabel(lines_of(_axis_words(tree.columns[across]), LINE, MOST_LINES), parse_math=False)
    ax.set_ylabel(lines_of(_axis_words(tree.columns[up]), LINE - 8, MOST_LINES), parse_math=False)
    held = _held_words(tree, base, {across, up})
    if held:
        ax.set_title(held, fontsize=9, loc="left", parse_math=False)
    tidy(ax)
    cover_letters(ax)
    return ax


def _chosen(tree: Tree, columns: tuple[str | int, str | int] | None) -> tuple[int, int]:
    """The two columns of the picture."""
    names = [column.name for column in tree.columns]
    numbers = [j for j, column in enumerate(tree.columns) if column.kind is not ColumnKind.CATEGORICAL]
    if columns is None:
        asked = [c for s in tree.splits if s is not None for c in getattr(s, "columns", (s.column,))]
        order = [*dict.fromkeys(c for c in asked if c in numbers), *numbers]
        first = list(dict.fromkeys(order))[:2]
        if len(first) < 2:
            raise InputError("The picture needs two columns of numbers; the tree has fewer.")
        return first[0], first[1]
    found = []
    for column in columns:
        j = names.index(column) if column in names else column
        if not isinstance(j, (int, np.integer)) or not 0 <= j < len(names):
            raise InputError(f"columns={columns!r}: there is no column {column!r} among {names[:10]}.")
        if j not in numbers:
            raise InputError(f"columns={columns!r}: column {names[j]!r} holds categories; choose numbers.")
        found.append(int(j))
    if len(found) != 2 or found[0] == found[1]:
        raise InputError(f"columns={columns!r}; give two different columns.")
    return found[0], found[1]


def _base_row(tree: Tree, rows: NDArray[np.float64], at: dict[str, Any]) -> NDArray[np.float64]:
    """The values at which the other columns are held, encoded."""
    names = [column.name for column in tree.columns]
    unknown = [name for name in at if name not in names]
    if unknown:
        raise InputError(f"at names the column {unknown[0]!r}, which is not among {names[:10]}.")
    base = np.full(len(names), np.nan)
    for j, column in enumerate(tree.columns):
        known = rows[~np.isnan(rows[:, j]), j]
        if column.name in at:
            value = at[column.name]
            if value is None:
                continue
            if column.kind is ColumnKind.CATEGORICAL:
                if value not in column.categories:
                    raise InputError(
                        f"at gives {value!r} for {column.name!r}; it knows {column.categories[:10]}."
                    )
                value = column.categories.index(value)
            base[j] = float(value)
        elif len(known):
            whole = column.kind is not ColumnKind.CONTINUOUS
            base[j] = np.bincount(known.astype(np.int64)).argmax() if whole else np.median(known)
    return base


def _range(tree: Tree, x: NDArray[np.float64], column: int) -> tuple[float, float]:
    """Values and thresholds of a column, with a margin."""
    finite = [s.threshold for s in tree.splits if isinstance(s, ThresholdSplit) and s.column == column]
    seen = np.array([*x[np.isfinite(x)], *(t for t in finite if np.isfinite(t))])
    if not len(seen):
        return 0.0, 1.0
    low, high = float(seen.min()), float(seen.max())
    margin = 0.05 * (high - low) or 0.5
    return low - margin, high + margin


def _edges(tree: Tree, column: int, low: float, high: float) -> NDArray[np.float64]:
    """Lines between which the decision is constant; a raster besides where a linear split asks the column."""
    inner = [s.threshold for s in tree.splits if isinstance(s, ThresholdSplit) and s.column == column]
    if any(isinstance(s, LinearSplit) and column in s.columns for s in tree.splits):
        inner += np.linspace(low, high, RASTER)[1:-1].tolist()
    return np.unique([low, *(t for t in inner if low < t < high), high])


def _outline(ax: Axes, edges: list[NDArray[np.float64]], decided: NDArray[np.int32]) -> None:
    """White lines between cells of different decisions, so that regions show without colours too."""
    from matplotlib.collections import LineCollection

    x, y = edges
    lines = [
        [(x[j + 1], y[i]), (x[j + 1], y[i + 1])] for i, j in np.argwhere(decided[:, :-1] != decided[:, 1:])
    ]
    lines += [[(x[j], y[i + 1]), (x[j + 1], y[i + 1])] for i, j in np.argwhere(decided[:-1] != decided[1:])]
    ax.add_collection(LineCollection(lines, colors=[(0.45, 0.45, 0.45)], linewidths=0.9), autolim=False)


def _points(
    ax: Axes, tree: Tree, rows: NDArray[np.float64], labels: NDArray[Any], across: int, up: int
) -> None:
    assert tree.classes is not None  # checked by the caller
    step = -(-len(rows) // MOST_POINTS)
    size = float(np.clip(5000 / max(len(rows), 1), 9, 24))
    for k, (label, colour) in enumerate(zip(tree.classes, _point_colours(tree), strict=True)):
        here = np.flatnonzero(labels == label)[::step]
        ax.scatter(
            rows[here, across],
            rows[here, up],
            s=size,
            marker=MARKERS[k % len(MARKERS)],
            color=colour,
            edgecolors="white",
            linewidths=0.4,
            zorder=3,
        )


def _point_colours(tree: Tree) -> list[RGB]:
    """The colours of the classes, darker: a point must stand out from a region of its own class."""
    return [(0.78 * red, 0.78 * green, 0.78 * blue) for red, green, blue in class_colours(tree)]


def _legend(ax: Axes, tree: Tree, decided: NDArray[np.int32], labels: NDArray[Any] | None) -> None:
    """One entry per class that is decided or drawn, outside the plane."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    assert tree.classes is not None  # checked by the caller
    entries: list[Any] = []
    shades = [tint(colour, SHADE) for colour in class_colours(tree)]
    for k, (label, colour) in enumerate(zip(tree.classes, _point_colours(tree), strict=True)):
        drawn = labels is not None and bool((labels == label).any())
        if not drawn and not (decided == k).any():
            continue
        name = lines_of(printable(str(label)), LEGEND_LINE, MOST_LINES)
        if drawn:
            mark = MARKERS[k % len(MARKERS)]
            style: dict[str, Any] = {"markerfacecolor": colour, "markeredgecolor": "white", "markersize": 7}
            entries.append(Line2D([], [], linestyle="", marker=mark, label=name, **style))
        else:
            entries.append(Patch(facecolor=shades[k], edgecolor=colour, label=name))
    legend = ax.legend(
        handles=entries, loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, labelcolor=INK
    )
    for text in legend.get_texts():
        text.set_parse_math(False)


def _axis_words(column: Column) -> str:
    return printable(f"{column.name} ({column.unit})" if column.unit else column.name)


def _held_words(tree: Tree, base: NDArray[np.float64], drawn: set[int]) -> str:
    """At which values the other columns are held that the tree asks."""
    asked = {c for s in tree.splits if s is not None for c in getattr(s, "columns", (s.column,))} - drawn
    words = []
    for j in sorted(asked):
        column, value = tree.columns[j], base[j]
        if np.isnan(value):
            words.append(f"{column.name} missing")
        elif column.kind is ColumnKind.CONTINUOUS:
            words.append(f"{column.name} = {with_unit(f'{value:.4g}', column.unit)}")
        else:
            names = column.categories or ("0", "1")
            words.append(
                f"{column.name} = {names[int(value)] if value in range(len(names)) else f'{value:g}'}"
            )
    return lines_of(printable("at " + ", ".join(words)), TITLE_LINE, MOST_TITLE_LINES) if words else ""
