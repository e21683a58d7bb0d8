"""What the writers of source code share: labels as plain values, names in comments, functions of bounded depth.

Python refuses more than 100 levels of indentation and C compilers need no more than 127, so a subtree that
starts at every `LEVELS`-th level becomes a function of its own. Names and categories come from files: in code
they appear as literals only, in comments only with characters that cannot end the comment.
"""

from __future__ import annotations

import keyword
import math
import string
from typing import Any

import numpy as np

from treewright import __version__
from treewright._plural import kind_of
from treewright.errors import InputError
from treewright.tree import ColumnKind, LinearSplit, Split, Tree, describe, leaves_in_words

__all__ = [
    "check_identifier",
    "comment",
    "function_roots",
    "head_line",
    "plain_labels",
    "refuse_lines",
    "refuse_several_outputs",
    "refuse_sums_of_words",
    "split_comment",
]

LEVELS = 20  # splits on a path within one function
COMMENT = frozenset(string.ascii_letters + string.digits + " _.,:;=<>!(){}[]+-|&%#@^~$")
LONGEST_COMMENT = 90
C_WORDS = """
    alignas alignof asm auto bool break case catch char class const const_cast constexpr continue
    default delete do double dynamic_cast else enum explicit export extern false float for friend goto
    if inline int isnan long main mutable namespace new nullptr operator private protected public
    register reinterpret_cast restrict return short signed sizeof static static_cast struct switch
    template this thread_local throw true try typedef typeid typename union unsigned using virtual void
    volatile wchar_t while
"""  # of C and C++
C_FUNCTIONS = """
    abs acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor fma
    fmax fmin fmod frexp gamma hypot ilogb INFINITY j0 j1 jn ldexp lgamma llrint llround log log10 log1p log2 logb lrint
    lround modf NAN nan nearbyint nextafter nexttoward pow remainder remquo rint round scalbln scalbn sin sinh sqrt tan
    tanh tgamma trunc y0 y1 yn
"""  # of math.h, which the file includes; most also with an f or l behind
PYTHON_FUNCTIONS = ["float", "len", "max", "min"]  # called by the written code


def plain_labels(tree: Tree) -> list[Any]:
    """Return the class labels as truth values, integers, floats or text.

    Raises
    ------
    InputError
        A label is of another type, or not finite.
    """
    assert tree.classes is not None  # callers ask for classification trees only
    labels = [label.item() if isinstance(label, np.generic) else label for label in tree.classes]
    for label in labels:
        if not isinstance(label, (bool, int, float, str)) or (
            isinstance(label, float) and not math.isfinite(label)
        ):
            raise InputError(
                f"The class {label!r} is {kind_of(label)}; source code can hold finite numbers, truth "
                "values and text. Fit on such labels."
            )
    return labels


def refuse_several_outputs(tree: Tree, what: str) -> None:
    """Refuse a tree whose leaves predict several numbers, for code that gives one.

    Raises
    ------
    InputError
    """
    if tree.n_outputs > 1:
        raise InputError(
            f"This regression tree predicts {tree.n_outputs} numbers a row; {what} gives one. Use to_python or "
            "to_onnx, or fit a tree for each output."
        )


def refuse_lines(tree: Tree, what: str) -> None:
    """Refuse a tree with a line in a leaf, for a form that has none; `what` completes "but ... constants".

    Raises
    ------
    InputError
    """
    if any(line is not None for line in tree.lines or ()):
        raise InputError(
            f"This regression tree has lines in its leaves, but {what} constants. Use to_python, to_c, to_sql or "
            'to_onnx, or fit with leaf_model="constant".'
        )


def check_identifier(name: str, language: str) -> None:
    """Refuse a function name that the language cannot use.

    Raises
    ------
    InputError
    """
    if language == "C":
        functions = C_FUNCTIONS.split()
        words = [*C_WORDS.split(), *functions, *(word + end for word in functions for end in "fl")]
    else:
        words = [*keyword.kwlist, *PYTHON_FUNCTIONS]
    if not (name.isascii() and name.isidentifier()) or name in words or name.startswith("_"):
        raise InputError(
            f"name={name!r} cannot name a {language} function; use letters, digits and _ , starting with a "
            "letter, and no name that the language or the code itself uses."
        )


def comment(text: str) -> str:
    """Text as it may stand in a comment of any language: no line end, no comment end, no backslash."""
    plain = "".join(c if c in COMMENT else "_" for c in text)
    return plain if len(plain) <= LONGEST_COMMENT else plain[: LONGEST_COMMENT - 3] + "..."


def split_comment(tree: Tree, split: Split) -> str:
    """The condition of the left side, for a comment."""
    return comment(describe(split, tree.columns))


def head_line(tree: Tree) -> str:
    """What the file is, for its first comment."""
    leaves = leaves_in_words(tree)
    return f"A {tree.kind.value} tree of {leaves}, written by treewright {__version__}."


def function_roots(tree: Tree) -> list[int]:
    """Nodes that start a function: the root, and every inner node `LEVELS` splits below another."""
    depth = tree.node_depth
    return [
        node
        for node, split in enumerate(tree.splits)
        if node == 0 or (split is not None and depth[node] % LEVELS == 0)
    ]


def refuse_sums_of_words(tree: Tree, written: str) -> None:
    """Refuse a tree with linear splits over columns of words, which only the table's own codes make numbers.

    Parameters
    ----------
    tree : Tree
    written : str
        What was to be written: "a SQL expression".

    Raises
    ------
    InputError
    """
    for split in tree.splits:
        for column in split.columns if isinstance(split, LinearSplit) else ():
            if tree.columns[column].kind is ColumnKind.CATEGORICAL:
                raise InputError(
                    f"The tree adds up numbers, and the column {tree.columns[column].name!r} holds words, so it cannot "
                    f"be written as {written}. Leave the column out, or give it as 0/1 columns, one for each word."
                )
