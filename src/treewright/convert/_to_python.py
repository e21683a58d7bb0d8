"""A tree as Python source that needs nothing but Python: nested questions over one row.

Numbers are written with the fewest digits that read back as the same float64, texts as ASCII literals, so the
function decides exactly like the tree, ties and missing values included, whatever the names are.
"""

from __future__ import annotations

import math

from treewright._arguments import check_arguments
from treewright.convert._source import (
    check_identifier,
    function_roots,
    head_line,
    plain_labels,
    refuse_sums_of_words,
)
from treewright.convert._tree_of import TreeLike, answering_tree
from treewright.tree import CategorySplit, ColumnKind, LinearSplit, Split, ThresholdSplit, Tree, TreeKind

__all__ = ["to_python"]

HELPERS = {
    "_known(": '''
def _known(value):
    """Whether a value is there: neither None nor NaN."""
    return value is not None and value == value
''',
    "_sum(": '''
def _sum(row, terms):
    """Weighted sum, term by term; NaN if a value is missing."""
    total = 0.0
    for name, weight in terms:
        value = row[name]
        total += weight * (float("nan") if value is None else value)
    return total
''',
    "_line(": '''
def _line(row, total, terms, low, high):
    """A mean and, for each known value, its distance from a center times a slope; within two bounds."""
    for name, center, slope in terms:
        value = row[name]
        if _known(value):
            total += slope * (value - center)
    return min(max(total, low), high)
''',
    "_code(": '''
def _code(value, categories):
    """Position of a category; one past the last for an unseen one."""
    return categories.index(value) if value in categories else len(categories)
''',
}


def to_python(tree: TreeLike, *, name: str = "predict") -> str:
    """Return a tree as Python source.

    Parameters
    ----------
    tree : Tree, result or fitted estimator
        An estimator whose predictions are not those of its tree is refused.
    name : str, default="predict"
        Name of the function.

    Returns
    -------
    str
        A module with one public function. It takes a row as a mapping from column name to value (numbers,
        truth values, categories as text; None or NaN is missing) and returns the label, or the value of a
        regression or survival tree. A category that the tree has never seen goes to the side that does not list it.

    Raises
    ------
    InputError
        `name` is not an identifier, a label is neither a number, a truth value nor text, or the tree adds up columns of
        words.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import OptimalTreeClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = OptimalTreeClassifier(cost_complexity=0.02).fit(X, y)
    >>> code = {}
    >>> exec(to_python(model.tree_), code)
    >>> code["predict"]({name: 1.0 for name in X.columns})
    0
    """
    check_arguments(to_python, locals(), "name")
    check_identifier(name, "Python")
    tree = answering_tree(tree)
    refuse_sums_of_words(tree, "Python source")
    answers = _answers(tree)
    roots = function_roots(tree)
    body: list[str] = []
    for root in roots:
        body += ["", f"def {name if root == 0 else f'_node_{root}'}(row):"]
        if root == 0:
            what = ANSWER[tree.kind] if tree.n_outputs == 1 else f"tuple of {tree.n_outputs} values"
            body.append(f'    """Return the {what} for a row: a mapping from column name to value."""')
        _write(tree, root, answers, frozenset(roots) - {root}, body, 1)
        body.append("")
    code = "\n".join(body)
    calls = code + HELPERS["_line("] if "_line(" in code else code
    helpers = [text for call, text in HELPERS.items() if call in calls]
    return "\n".join([f'"""{head_line(tree)}"""\n', *helpers, code])


ANSWER = {
    TreeKind.CLASSIFICATION: "label",
    TreeKind.REGRESSION: "value",
    TreeKind.POLICY: "action",
    TreeKind.SURVIVAL: "hazard ratio",
}


def _write(
    tree: Tree, node: int, answers: list[str], roots: frozenset[int], lines: list[str], indent: int
) -> None:
    """Append the statements of a subtree; one that is a function of its own is called."""
    pad = "    " * indent
    split = tree.splits[node]
    if split is None:
        lines.append(f"{pad}return {answers[node]}")
    elif node in roots:
        lines.append(f"{pad}return _node_{node}(row)")
    else:
        lines.append(f"{pad}if {_condition(split, tree)}:")
        _write(tree, int(tree.children_left[node]), answers, roots, lines, indent + 1)
        lines.append(f"{pad}else:")
        _write(tree, int(tree.children_right[node]), answers, roots, lines, indent + 1)


def _answers(tree: Tree) -> list[str]:
    if tree.classes is None:
        values = [
            [_answer(tree, node, output) for output in range(tree.n_outputs)]
            for node in range(tree.node_count)
        ]
        return [node[0] if len(node) == 1 else f"({', '.join(node)})" for node in values]
    labels = [ascii(label) for label in plain_labels(tree)]
    return [labels[int(k)] for k in tree.prediction]


def _answer(tree: Tree, node: int, output: int) -> str:
    """A value, or a value and the terms of a line."""
    value = _number(float(tree.value[node, output]))
    line = None if tree.lines is None else tree.lines[node]
    if line is None:
        return value
    terms = ", ".join(
        f"({tree.columns[column].name!a}, {_number(center)}, {_number(slope)})"
        for column, center, slope in zip(line.columns, line.centers, line.slopes[output], strict=True)
    )
    return f"_line(row, {value}, ({terms},), {_number(line.low[output])}, {_number(line.high[output])})"


def _condition(split: Split, tree: Tree) -> str:
    """The condition of the left side."""
    if isinstance(split, LinearSplit):
        terms = ", ".join(
            f"({tree.columns[c].name!a}, {_number(w)})"
            for c, w in zip(split.columns, split.weights, strict=True)
        )
        score = f"_sum(row, ({terms},))"
        # A NaN score is above nothing, so `not >` sends it left and `<=` sends it right.
        compare = f"{score} > {_number(split.threshold)}"
        return f"not {compare}" if split.missing_left else compare.replace(" > ", " <= ")
    column = tree.columns[split.column]
    value = f"row[{column.name!a}]"
    if isinstance(split, CategorySplit):
        names = "".join(f"{column.categories[code]!a}, " for code in split.left)
        inside = f"{value} in ({names.rstrip() if len(split.left) == 1 else names.rstrip(', ')})"
        return f"not _known({value}) or {inside}" if split.missing_left else inside
    if split.threshold == math.inf:
        return "True" if split.missing_left else f"_known({value})"
    if _asks_code(split, tree):
        known = f"_code({value}, {tuple(column.categories)!a}) <= {_number(split.threshold)}"
    else:
        known = f"{value} <= {_number(split.threshold)}"
    return f"not _known({value}) or {known}" if split.missing_left else f"_known({value}) and {known}"


def _asks_code(split: Split, tree: Tree) -> bool:
    """Whether a finite threshold cuts the codes of a categorical column."""
    return (
        isinstance(split, ThresholdSplit)
        and math.isfinite(split.threshold)
        and tree.columns[split.column].kind is ColumnKind.CATEGORICAL
    )


def _number(x: float) -> str:
    return repr(float(x)) if math.isfinite(x) else f'float("{x}")'
