"""A tree as C source (C99 and later, also C++): one function over an array of doubles, and its tables of names.

Numbers are decimal constants with the fewest digits that read back as the same double (C compilers round to
nearest). Column names, categories and labels are string constants in UTF-8, every byte that could do harm as an
octal escape, so that neither quotes nor trigraphs nor newlines end them. A weighted sum goes through volatile
variables: a fused multiply-add would round once where the tree rounds twice.
"""

from __future__ import annotations

import math
import string

from treewright._arguments import check_arguments
from treewright.convert._source import (
    check_identifier,
    comment,
    function_roots,
    head_line,
    plain_labels,
    refuse_several_outputs,
    split_comment,
)
from treewright.convert._tree_of import TreeLike, answering_tree
from treewright.tree import CategorySplit, ColumnKind, Line, LinearSplit, Split, Tree

__all__ = ["to_c"]

PLAIN = frozenset(string.ascii_letters + string.digits + " _.,:;=<>!(){}[]+-*/|&%#@^~$'")


def to_c(tree: TreeLike, *, name: str = "treewright_predict") -> str:
    """Return a tree as C source.

    Parameters
    ----------
    tree : Tree, result or fitted estimator
        An estimator whose predictions are not those of its tree is refused.
    name : str, default="treewright_predict"
        Name of the function, and start of the names of its tables.

    Returns
    -------
    str
        A file with ``int name(const double *x)``, which returns the position of the class in ``name_classes`` (``double
        name(const double *x)`` for a regression or survival tree). ``x`` holds one value per column in the order of
        ``name_columns``: numbers unchanged, truth values as 0 and 1, a category as its position in its table
        ``name_categories_<column>`` (any other number for an unseen one, which goes to the side that does not list it),
        NaN for a missing value. It compiles without warnings under ``-Wall -Wextra -Wpedantic -Wconversion``, and
        refuses ``-ffast-math``, which drops NaN.

    Raises
    ------
    InputError
        `name` is not a C identifier, a label cannot be written, or a text holds a zero character.

    Examples
    --------
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.convert import to_c
    >>> source = to_c(OptimalTreeClassifier().fit([[20], [30], [40]], [0, 0, 1]).tree_, name="decide")
    >>> "decide(" in source
    True
    """
    check_arguments(to_c, locals(), "name")
    check_identifier(name, "C")
    tree = answering_tree(tree)
    lines = [
        f"/* {head_line(tree)} */",
        "#include <math.h>",
        "",
        "#ifdef __FAST_MATH__",
        '#error "missing values are NaN, which -ffast-math drops"',
        "#endif",
        "",
        *_strings(f"{name}_columns", [column.name for column in tree.columns]),
    ]
    for j, column in enumerate(tree.columns):
        if column.kind is ColumnKind.CATEGORICAL:
            lines += _strings(f"{name}_categories_{j}", list(column.categories))
    refuse_several_outputs(tree, "a C function")
    if tree.classes is None:
        kind, answers = "double", [_number(float(value)) for value in tree.value[:, 0]]
    else:
        kind, answers = "int", [str(int(k)) for k in tree.prediction]
        lines += _strings(f"{name}_classes", [str(label) for label in plain_labels(tree)])
    roots = function_roots(tree)
    for root in reversed(roots):  # a function stands above those that call it
        lines.append("")
        if root == 0:
            lines += [f"{kind} {name}(const double *x);", f"{kind} {name}(const double *x)", "{"]
        else:
            lines += [f"static {kind} {name}_node_{root}(const double *x)", "{"]
        body: list[str] = []
        _write(tree, root, answers, name, frozenset(roots) - {root}, body, 1)
        code = [line.partition("/*")[0] for line in body]
        if not any("x[" in line or "(x)" in line for line in code):
            lines.append("    (void)x;")  # one leaf, or a split that sends everything left
        lines += body
        lines.append("}")
    return "\n".join(lines) + "\n"


def _write(
    tree: Tree,
    node: int,
    answers: list[str],
    name: str,
    roots: frozenset[int],
    lines: list[str],
    indent: int,
) -> None:
    """Append the statements of a subtree; one that is a function of its own is called."""
    pad = "    " * indent
    split = tree.splits[node]
    if split is None:
        label = "" if tree.classes is None else f" /* {comment(str(tree.classes[tree.prediction[node]]))} */"
        line = None if tree.lines is None else tree.lines[node]
        if line is not None:
            lines += _line(line, node, answers[node], pad)
            return
        lines.append(f"{pad}return {answers[node]};{label}")
        return
    if node in roots:
        lines.append(f"{pad}return {name}_node_{node}(x);")
        return
    if isinstance(split, LinearSplit):
        lines.append(f"{pad}volatile double term_{node}, sum_{node} = 0.0;")
        for column, weight in zip(split.columns, split.weights, strict=True):
            lines.append(f"{pad}term_{node} = {_number(weight)} * x[{column}];")
            lines.append(f"{pad}sum_{node} = sum_{node} + term_{node};")
    lines.append(f"{pad}if ({_condition(split, node)}) {{ /* {split_comment(tree, split)} */")
    _write(tree, int(tree.children_left[node]), answers, name, roots, lines, indent + 1)
    lines.append(f"{pad}}} else {{")
    _write(tree, int(tree.children_right[node]), answers, name, roots, lines, indent + 1)
    lines.append(f"{pad}}}")


def _line(line: Line, node: int, mean: str, pad: str) -> list[str]:
    """The statements of a leaf with a line; a missing value has no term."""
    written = [f"{pad}volatile double term_{node}, sum_{node} = {mean};"]
    for column, center, slope in zip(line.columns, line.centers, line.slopes[0], strict=True):
        written += [
            f"{pad}if (!isnan(x[{column}])) {{",
            f"{pad}    term_{node} = x[{column}] - {_number(center)};",
            f"{pad}    term_{node} = {_number(slope)} * term_{node};",
            f"{pad}    sum_{node} = sum_{node} + term_{node};",
            f"{pad}}}",
        ]
    for sign, bound in (("<", _number(line.low[0])), (">", _number(line.high[0]))):
        written += [f"{pad}if (sum_{node} {sign} {bound}) {{", f"{pad}    return {bound};", f"{pad}}}"]
    return [*written, f"{pad}return sum_{node};"]


def _condition(split: Split, node: int) -> str:
    """The condition of the left side. NaN is neither <= nor > anything."""
    if isinstance(split, CategorySplit):
        value = f"x[{split.column}]"
        known = " || ".join(f"{value} == {code}.0" for code in split.left) or "0"
        return f"isnan({value}) || {known}" if split.missing_left else known
    value = f"sum_{node}" if isinstance(split, LinearSplit) else f"x[{split.column}]"
    if split.threshold == math.inf:
        return "1" if split.missing_left else f"!isnan({value})"
    limit = _number(split.threshold)
    return f"!({value} > {limit})" if split.missing_left else f"{value} <= {limit}"


def _number(x: float) -> str:
    if math.isnan(x):
        return "(double)NAN"
    if math.isinf(x):
        return "(double)INFINITY" if x > 0 else "-(double)INFINITY"
    return repr(float(x))


def _strings(name: str, texts: list[str]) -> list[str]:
    """A table of string constants."""
    return [f"const char *const {name}[] = {{", *(f"    {_literal(text)}," for text in texts), "};"]


def _literal(text: str) -> str:
    coded = text.encode("utf-8", "backslashreplace")  # a lone surrogate has no UTF-8
    return '"' + "".join(chr(b) if chr(b) in PLAIN else f"\\{b:03o}" for b in coded) + '"'
