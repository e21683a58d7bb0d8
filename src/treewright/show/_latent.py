"""Pictures of latent trees: who goes where (Figures 6 and 8 of the paper), and what stays active (Figure 7).

Any fitted latent tree estimator will do: what is read of it is `apply`, `pruning_vector_`, `depth` and
`result_`. Zantedeschi, Kusner and Niculae 2021. matplotlib is loaded on first use only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._numbers import is_whole
from treewright._plural import kind_of
from treewright.errors import InputError
from treewright.show._axes import GREY, INK, pyplot, tidy
from treewright.show._colours import OKABE_ITO, tint
from treewright.show._fonts import cover_letters

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_active_nodes", "plot_latent_tree", "plot_latent_tree_by_class", "routing_shares"]

BLUE = (0.0, 0x72 / 255, 0xB2 / 255)
LINE = (0.62, 0.62, 0.62)


def routing_shares(nodes: ArrayLike, depth: int) -> NDArray[np.float64]:
    """Return the share of rows through each node, among the rows that reach its level.

    Parameters
    ----------
    nodes : array-like of shape (n_rows,), int
        Node that each row ends at, breadth first (``model.apply(X)``).
    depth : int

    Returns
    -------
    ndarray of shape (2**(depth+1) - 1,)
        Shares of one level add up to 1, or to 0 if no row reaches this level.

    Raises
    ------
    InputError
        A row has several nodes: the model is a sum of trees.

    Examples
    --------
    >>> from treewright.show import routing_shares
    >>> routing_shares([1, 1, 2, 2], depth=1)
    array([1. , 0.5, 0.5])
    """
    nodes = np.asarray(nodes)
    if nodes.ndim != 1:
        raise InputError(
            f"nodes has shape {nodes.shape}, one node a row is expected; a sum of several trees is not drawn."
        )
    count = np.bincount(nodes, minlength=2 ** (depth + 1) - 1).astype(np.float64)
    for t in range(len(count) - 1, 0, -1):
        count[(t - 1) // 2] += count[t]
    for level in range(depth + 1):
        here = slice(2**level - 1, 2 ** (level + 1) - 1)
        count[here] /= max(count[here].sum(), 1.0)
    return count


def plot_latent_tree(
    model: Any, X: Any, ax: Axes | None = None, *, max_depth: int | None = None, title: str | None = None
) -> Axes:
    """Draw the tree with the share of rows through each node, as in Figure 6.

    A node shows the rounded percentage of rows through it among those that reach its level ("-" for none);
    a darker node has a larger a. Pruned nodes (a = 0) are left out.

    Parameters
    ----------
    model : fitted LatentTreeClassifier, LatentTreeRegressor or LatentTreeClusterer
    X : array-like or frame of shape (n_rows, n_columns)
        Rows to route.
    ax : Axes, default=None
        None makes a figure.
    max_depth : int or None, default=None
        Levels to draw; None draws all.
    title : str or None, default=None

    Returns
    -------
    Axes

    Raises
    ------
    MissingDependencyError
        matplotlib is not installed (extra `plot`).
    InputError
        The model is a sum of several trees.

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from treewright import LatentTreeClassifier
    >>> from treewright.show import plot_latent_tree
    >>> X = np.random.default_rng(0).random((60, 2))
    >>> y = X[:, 0] > 0.5
    >>> model = LatentTreeClassifier(depth=2, epochs=3, random_state=0).fit(X, y)
    >>> len(plot_latent_tree(model, X, Figure().subplots()).texts) > 0
    True
    """
    depth = int(model.depth)
    drawn = depth if max_depth is None else min(depth, _levels(max_depth))
    shares = routing_shares(model.apply(X), depth)
    a = np.asarray(model.pruning_vector_)
    leaves = 2**drawn
    if ax is None:
        figure = pyplot().figure(figsize=(max(3.0, 0.62 * leaves), 0.9 * (drawn + 1)), layout="constrained")
        ax = figure.add_subplot()
    radius = 0.36
    for t in range(2 ** (drawn + 1) - 1):
        if a[t] <= 0:
            continue
        x, y = _place(t, drawn)
        if t:
            up_x, up_y = _place((t - 1) // 2, drawn)
            ax.plot([up_x, x], [up_y, y], color=LINE, linewidth=1, zorder=1)
        text = "-" if shares[t] == 0 else f"{100 * shares[t]:.0f}"
        strength = 0.08 + 0.92 * float(a[t])
        ax.scatter([x], [y], s=460, color=tint(BLUE, strength), edgecolor=LINE, zorder=2)
        ink = "white" if strength > 0.55 else "black"
        ax.text(x, y, text, ha="center", va="center", fontsize=9, color=ink, zorder=3)
    ax.set_xlim(-radius - 0.4, leaves - 1 + radius + 0.4)
    ax.set_ylim(-drawn - 0.6, 0.6)
    ax.axis("off")
    if title is not None:
        ax.set_title(title)
    cover_letters(ax)
    return ax


def plot_latent_tree_by_class(
    model: Any, X: Any, y: ArrayLike, *, classes: Sequence[Any] | None = None, max_depth: int | None = 3
) -> Figure:
    """Draw one tree per class with the share of its rows through each node, as in Figure 8.

    Parameters
    ----------
    model : fitted latent tree estimator
    X : array-like or frame of shape (n_rows, n_columns)
    y : array-like of shape (n_rows,)
        Labels; the model need not have seen them.
    classes : sequence, default=None
        Labels to draw; None draws all.
    max_depth : int or None, default=3
        Levels to draw.

    Returns
    -------
    Figure

    Raises
    ------
    InputError
        A class has no rows, or the model is a sum of several trees.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright import LatentTreeClassifier
    >>> from treewright.show import plot_latent_tree_by_class
    >>> X = np.random.default_rng(0).random((60, 2))
    >>> y = X[:, 0] > 0.5
    >>> model = LatentTreeClassifier(depth=2, epochs=3, random_state=0).fit(X, y)
    >>> len(plot_latent_tree_by_class(model, X, y).axes)
    2
    """
    labels = np.asarray(y)
    shown = list(np.unique(labels)) if classes is None else list(classes)
    for label in shown:
        if not (labels == label).any():
            raise InputError(
                f"y has no row of class {label!r}; give classes among {list(np.unique(labels))}."
            )
    drawn = int(model.depth) if max_depth is None else min(int(model.depth), _levels(max_depth))
    across = min(3, len(shown)) if len(shown) != 4 else 2  # no hole in the grid of the usual numbers
    down = -(-len(shown) // across)
    size = (across * max(3.0, 0.62 * 2**drawn), down * (0.9 * (drawn + 1) + 0.3))
    figure: Figure = pyplot().figure(figsize=size, layout="constrained")
    for place, label in enumerate(shown):
        ax = figure.add_subplot(down, across, place + 1)
        rows = _Routed(model, np.asarray(model.apply(X))[labels == label])
        plot_latent_tree(rows, None, ax, max_depth=max_depth, title=str(label))
    cover_letters(figure)
    return figure


def plot_active_nodes(model: Any, ax: Axes | None = None) -> Axes:
    """Draw the percentage of active nodes and the validation score over the epochs, as in Figure 7.

    Figure 7 shows the nodes that are active in a batch, on average; beside it are those of all training rows.

    Parameters
    ----------
    model : fitted latent tree estimator
    ax : Axes, default=None
        None makes a figure.

    Returns
    -------
    Axes
        Of the active nodes; the score has the axis on the right.

    Raises
    ------
    InputError
        The model is no fitted latent tree.

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from treewright import LatentTreeClassifier
    >>> from treewright.show import plot_active_nodes
    >>> X = np.random.default_rng(0).random((60, 2))
    >>> y = X[:, 0] > 0.5
    >>> model = LatentTreeClassifier(depth=2, epochs=3, random_state=0).fit(X, y)
    >>> plot_active_nodes(model, Figure().subplots()).get_xlabel()
    'epoch'
    """
    history = getattr(getattr(model, "result_", None), "history", None)
    if history is None:
        raise InputError(
            "Active nodes need a fitted latent tree, which keeps the history of its training; this is "
            f"{kind_of(model)}."
        )
    if ax is None:
        ax = pyplot().figure(figsize=(6.0, 3.2), layout="constrained").add_subplot()
    epochs = [epoch.number for epoch in history]
    best = int(model.result_.best_epoch)
    shares = [100 * epoch.active_nodes for epoch in history]
    ax.plot(epochs, shares, color=OKABE_ITO[0], linewidth=1.8, label="active nodes")
    batch = [100 * epoch.active_in_batch for epoch in history]
    ax.plot(epochs, batch, color=OKABE_ITO[4], linestyle=":", linewidth=1.8, label="the same in a batch")
    ax.set_xlabel("epoch")
    ax.set_ylabel("active nodes (%)")
    ax.set_ylim(0, 102)
    right = ax.twinx()
    scores = [epoch.validation_error for epoch in history]
    label = "validation error"
    if best in epochs:  # 0 before anything was scored
        right.plot([best], [scores[epochs.index(best)]], "o", color=OKABE_ITO[5], clip_on=False)
        label += f", best in epoch {best}"
    (line,) = right.plot(epochs, scores, color=OKABE_ITO[5], linestyle="--", label=label)
    right.set_ylabel("validation error")
    right.set_ylim(bottom=0)
    right.spines["top"].set_visible(False)
    right.tick_params(colors=GREY, labelcolor=INK)
    tidy(ax, grid="y")
    lines = [*ax.get_lines(), line]
    words = [str(line.get_label()) for line in lines]
    ax.legend(lines, words, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2, frameon=False, fontsize=9)
    return ax


class _Routed:
    """A model that answers `apply` with known nodes."""

    def __init__(self, model: Any, nodes: NDArray[np.int64]) -> None:
        self.depth, self.pruning_vector_, self.nodes = model.depth, model.pruning_vector_, nodes

    def apply(self, X: Any) -> NDArray[np.int64]:
        return self.nodes


def _place(t: int, depth: int) -> tuple[float, float]:
    """Centre of node t: leaves are one unit apart, levels one below another."""
    level = (t + 1).bit_length() - 1
    width = 2 ** (depth - level)
    return (t + 1 - 2**level) * width + (width - 1) / 2, -float(level)


def _levels(max_depth: int) -> int:
    if not is_whole(max_depth) or max_depth < 0:
        raise InputError(f"max_depth must be an integer >= 0, or None for all levels; got {max_depth!r}.")
    return int(max_depth)
