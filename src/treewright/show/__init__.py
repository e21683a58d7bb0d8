"""Trees for people: text, Graphviz, matplotlib and web pages."""

from treewright.show._graphviz import to_graphviz
from treewright.show._latent import (
    plot_active_nodes,
    plot_latent_tree,
    plot_latent_tree_by_class,
    routing_shares,
)
from treewright.show._matplotlib import plot_tree, tree_figure
from treewright.show._report import notebook_html, report
from treewright.show._text import to_text

__all__ = [
    "notebook_html",
    "plot_active_nodes",
    "plot_latent_tree",
    "plot_latent_tree_by_class",
    "plot_tree",
    "report",
    "routing_shares",
    "to_graphviz",
    "to_text",
    "tree_figure",
]
