"""A tree as a web page for the people who read it, and as a piece of HTML for notebooks."""

from treewright.show._report._choose import choose_page
from treewright.show._report._notebook import notebook_html, notebook_table
from treewright.show._report._report import report

__all__ = ["choose_page", "notebook_html", "notebook_table", "report"]
