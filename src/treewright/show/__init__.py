"""Trees for people: text, rules, Graphviz, matplotlib and web pages."""

from treewright.show._cart import plot_trees_beside
from treewright.show._frontier import plot_frontier
from treewright.show._graphviz import to_graphviz
from treewright.show._latent import (
    plot_active_nodes,
    plot_latent_tree,
    plot_latent_tree_by_class,
    routing_shares,
)
from treewright.show._leaf_accuracies import plot_leaf_accuracies
from treewright.show._matplotlib import plot_tree, tree_figure
from treewright.show._progress import ProgressRecorder, plot_search_progress
from treewright.show._regions import plot_decision_regions
from treewright.show._report import choose_page, notebook_html, report
from treewright.show._report import notebook_table as notebook_table
from treewright.show._roc_frontier import plot_roc_frontier
from treewright.show._rules import Rule, rules, rules_frame, to_rules
from treewright.show._survival_curves import plot_survival_curves
from treewright.show._text import to_text
from treewright.show._titles import with_titles

__all__ = [
    "ProgressRecorder",
    "Rule",
    "choose_page",
    "notebook_html",
    "plot_active_nodes",
    "plot_decision_regions",
    "plot_frontier",
    "plot_latent_tree",
    "plot_latent_tree_by_class",
    "plot_leaf_accuracies",
    "plot_roc_frontier",
    "plot_search_progress",
    "plot_survival_curves",
    "plot_tree",
    "plot_trees_beside",
    "report",
    "routing_shares",
    "rules",
    "rules_frame",
    "to_graphviz",
    "to_rules",
    "to_text",
    "tree_figure",
    "with_titles",
]
