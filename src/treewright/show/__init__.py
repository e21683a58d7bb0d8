"""Trees for people: text, Graphviz and matplotlib."""

from treewright.show._graphviz import to_graphviz
from treewright.show._matplotlib import plot_tree, tree_figure
from treewright.show._text import to_text

__all__ = ["plot_tree", "to_graphviz", "to_text", "tree_figure"]
