"""Trees for people: text, Graphviz and matplotlib."""

from treewright.show._graphviz import to_graphviz
from treewright.show._latent import (
    plot_active_nodes,
    plot_latent_tree,
    plot_latent_tree_by_class,
    routing_shares,
)
from treewright.show._matplotlib import plot_tree, tree_figure
from treewright.show._text import to_text

__all__ = [
    "plot_active_nodes",
    "plot_latent_tree",
    "plot_latent_tree_by_class",
    "plot_tree",
    "routing_shares",
    "to_graphviz",
    "to_text",
    "tree_figure",
]
