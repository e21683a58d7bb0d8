"""How a tree, or a result that contains one, is displayed: as one line in a terminal, as a picture in a notebook.

The picture is drawn by `treewright.show`, a package of a higher layer. Its imports below are the only exception to the
order of the layers, and are listed in ``pyproject.toml``; they run only when a notebook requests a picture or a table.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from treewright._plural import first_of

if TYPE_CHECKING:
    from treewright.tree._tree import Tree

__all__ = ["html_of", "html_of_table", "tree_in_a_line"]

MOST_CLASSES = 6  # number of classes that the line names
LONGEST_NAME = 24  # characters of a class's name


def tree_in_a_line(tree: Tree) -> str:
    """Return for example ``<Tree: 5 leaves, depth 3, 30 columns (4 asked), classes 'benign', 'malignant'>``."""
    leaves = "1 leaf" if tree.n_leaves == 1 else f"{tree.n_leaves} leaves"
    columns = "1 column" if len(tree.columns) == 1 else f"{len(tree.columns)} columns"
    return f"<Tree: {leaves}, depth {tree.depth}, {columns} ({len(tree.asked)} asked), {_predicts(tree)}>"


def _predicts(tree: Tree) -> str:
    if tree.classes is None:
        return "predicts numbers" if tree.n_outputs == 1 else f"predicts {tree.n_outputs} numbers"
    kind = "classes" if tree.predicts_classes else "actions"
    return f"{kind} {first_of([_cut(label) for label in tree.classes.tolist()], MOST_CLASSES)}"


def _cut(label: Any) -> str:
    """Return a label as Python writes it; a long text ends with dots inside its quotation marks."""
    if isinstance(label, str) and len(repr(label)) > LONGEST_NAME:
        label = label[: LONGEST_NAME - 5] + "..."
    return repr(label)


def html_of(model: Any, sentence: str = "") -> str:
    """Return the picture of a tree, or of a result that has one, with a sentence below it."""
    from treewright.show import notebook_html

    shown: Any = notebook_html(model, sentence=sentence)
    return str(shown)


def html_of_table(
    title: str,
    sentence: str,
    head: Sequence[str],
    lines: Iterable[Sequence[str]],
    n_lines: int,
    all_of_them: str,
) -> str:
    """Return a table of numbers with a sentence above it; of long tables the first lines."""
    from treewright.show import notebook_table

    shown: Any = notebook_table(title, sentence, head, lines, n_lines, all_of_them)
    return str(shown)
