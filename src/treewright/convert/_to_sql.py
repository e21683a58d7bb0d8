"""A tree as SQL: one CASE expression, one WHEN per leaf.

Flat, not nested: databases limit the depth of an expression, and a reader sees one rule a line. The condition
of a leaf is exact (`all_leaf_conditions`), so the lines could stand in any order. Names are quoted identifiers,
categories and labels quoted strings with their quotes doubled; no comment holds a name. Numbers are written
with an exponent, which makes them binary doubles and not decimals. SQLite 3.40 read one in 7,000 random
decimals of 17 digits a bit off, so numbers of more than 15 digits are written as exact quotients of whole numbers and
powers of two. Checked in SQLite and DuckDB.
"""

from __future__ import annotations

import math
import sys
from typing import Any

from treewright._arguments import check_arguments
from treewright.convert._source import plain_labels, refuse_several_outputs, refuse_sums_of_words
from treewright.convert._tree_of import TreeLike, answering_tree
from treewright.errors import InputError
from treewright.tree import (
    CategoryCondition,
    ColumnKind,
    Condition,
    IntervalCondition,
    LinearCondition,
    Tree,
    all_leaf_conditions,
)

__all__ = ["to_sql"]

SHORT, EXACT_POWER = 15, 22  # up to so many digits and powers of ten one rounding is all that a reader can do
STEP = 50  # powers of two below 2**53 are whole numbers to every database


def to_sql(
    tree: TreeLike, *, table: str | None = None, output: str = "prediction", nan_is_missing: bool = False
) -> str:
    """Return a tree as SQL.

    Parameters
    ----------
    tree : Tree, result or fitted estimator
        An estimator whose predictions are not those of its tree is refused.
    table : str or None, default=None
        Name of the table; the answer is then a query that adds the prediction to its columns. None gives the
        bare CASE expression.
    output : str, default="prediction"
        Name of the predicted column in the query.
    nan_is_missing : bool, default=False
        Treat a NaN in a column of numbers like NULL (DuckDB and PostgreSQL have NaN and sort it above all
        numbers; SQLite stores NULL instead).

    Returns
    -------
    str
        NULL is the missing value. Columns hold numbers, truth values (or 0 and 1), and categories as text; a
        category that the tree has never seen goes to the side that does not list it. Written in standard SQL,
        checked in SQLite and DuckDB; MySQL needs its modes ANSI_QUOTES and NO_BACKSLASH_ESCAPES.

    Raises
    ------
    InputError
        A name, category or label holds a zero character or a lone surrogate, a label cannot be written, or the tree
        adds up columns of words.

    Notes
    -----
    SQLite reads a quoted name that is not a column as text, if it stands alone; in the query all names belong to
    the table, so a missing column is an error there.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treewright import OptimalTreeClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = OptimalTreeClassifier(cost_complexity=0.3, max_depth=1).fit(X[["petal length (cm)"]], y)
    >>> print(to_sql(model.tree_, table="iris"))
    SELECT t.*,
      CASE
        WHEN t."petal length (cm)" <= 2.45e0 THEN 0
        WHEN (t."petal length (cm)" IS NULL OR t."petal length (cm)" > 2.45e0) THEN 1
      END AS "prediction"
    FROM "iris" AS t
    """
    check_arguments(to_sql, locals(), "table")
    tree = answering_tree(tree)
    writer = _Writer(tree, "" if table is None else "t.", nan_is_missing)
    cases: list[str] = []
    case = ""
    for leaf, conditions in all_leaf_conditions(tree):
        if conditions is None:
            continue  # no row gets there
        if not conditions:  # every row does
            cases = []
            case = writer.answers[leaf]
            break
        words = " AND ".join(writer.condition(condition) for condition in conditions)
        cases.append(f"    WHEN {words} THEN {writer.answers[leaf]}")
    if cases:
        case = "\n".join(["CASE", *cases, "  END"])
    if table is None:
        return "\n".join(line.removeprefix("  ") for line in case.split("\n"))
    return f"SELECT t.*,\n  {case} AS {_name(output)}\nFROM {_name(table)} AS t"


class _Writer:
    """Writes conditions over the columns of one tree."""

    def __init__(self, tree: Tree, prefix: str, nan_is_missing: bool) -> None:
        self.columns = tree.columns
        self.prefix = prefix
        self.nan_is_missing = nan_is_missing
        refuse_several_outputs(tree, "a SQL expression")
        refuse_sums_of_words(tree, "a SQL expression")
        if tree.classes is None:
            self.answers = [self._answer(tree, node) for node in range(tree.node_count)]
        else:
            labels = [_label(label) for label in plain_labels(tree)]
            self.answers = [labels[int(k)] for k in tree.prediction]

    def _answer(self, tree: Tree, node: int) -> str:
        """A value; with a line its terms, that of a missing value 0, within the bounds."""
        mean = _number(float(tree.value[node, 0]))
        line = None if tree.lines is None else tree.lines[node]
        if line is None:
            return mean
        terms = [
            f"{_number(slope)} * COALESCE({self.value(column)} - {_number(center)}, 0e0)"
            for column, center, slope in zip(line.columns, line.centers, line.slopes[0], strict=True)
        ]
        said, low, high = " + ".join([mean, *terms]), _number(line.low[0]), _number(line.high[0])
        return f"CASE WHEN {said} < {low} THEN {low} WHEN {said} > {high} THEN {high} ELSE {said} END"

    def value(self, column: int) -> str:
        """A column as a number, or as text if it is categorical."""
        name = self.prefix + _name(self.columns[column].name)
        kind = self.columns[column].kind
        if kind is ColumnKind.CATEGORICAL:
            return name
        if kind is ColumnKind.BINARY and self.columns[column].categories:
            return f"CAST({name} AS INTEGER)"  # a truth value is not a number everywhere
        return f"NULLIF({name}, CAST('NaN' AS DOUBLE PRECISION))" if self.nan_is_missing else name

    def condition(self, condition: Condition) -> str:
        if isinstance(condition, LinearCondition):
            return self._linear(condition)
        value = self.value(condition.column)
        known = (
            self._interval(condition, value)
            if isinstance(condition, IntervalCondition)
            else self._categories(condition, value)
        )
        if known is None:
            return f"{value} IS NULL"
        return f"({value} IS NULL OR {known})" if condition.missing else known

    def _interval(self, condition: IntervalCondition, value: str) -> str | None:
        """The known values that pass; None if none does."""
        if not condition.some_known:
            return None
        parts = []
        if condition.low is not None:
            parts.append(
                f"{value} >= {_number(-sys.float_info.max)}"
                if condition.low == -math.inf
                else f"{value} > {_number(condition.low)}"
            )
        if condition.high == -math.inf:
            parts.append(f"{value} < {_number(-sys.float_info.max)}")
        elif condition.high is not None and condition.high != math.inf:
            parts.append(f"{value} <= {_number(condition.high)}")
        joined = " AND ".join(parts) or f"{value} IS NOT NULL"
        return f"({joined})" if condition.missing and len(parts) > 1 else joined

    def _categories(self, condition: CategoryCondition, value: str) -> str | None:
        """The known categories that pass; None if none does."""
        names = self.columns[condition.column].categories
        if not condition.others:
            listed = ", ".join(_text(names[code]) for code in condition.codes)
            return f"{value} IN ({listed})" if listed else None
        barred = ", ".join(_text(name) for k, name in enumerate(names) if k not in condition.codes)
        return f"{value} NOT IN ({barred})" if barred else f"{value} IS NOT NULL"

    def _linear(self, condition: LinearCondition) -> str:
        split = condition.split
        terms = zip(split.columns, split.weights, strict=True)
        score = " + ".join(f"{_number(weight)} * {self.value(column)}" for column, weight in terms)
        limit = split.threshold
        if limit == math.inf:
            known = f"({score}) IS NOT NULL" if condition.goes_left else "1 = 0"
        elif limit == -math.inf:
            known = f"{score} {'<' if condition.goes_left else '>='} {_number(-sys.float_info.max)}"
        else:
            known = f"{score} {'<=' if condition.goes_left else '>'} {_number(limit)}"
        return f"(({score}) IS NULL OR {known})" if split.missing_left == condition.goes_left else known


def _label(label: Any) -> str:
    if isinstance(label, bool):
        return str(label).upper()
    if isinstance(label, int):
        return str(label)
    return _number(label) if isinstance(label, float) else _text(label)


def _number(x: float) -> str:
    """A finite number as databases read it exactly; longer ones with their decimal in a comment."""
    text = repr(float(x))
    digits, _, exponent = text.lstrip("-").partition("e")
    whole, _, fraction = digits.partition(".")
    significant = (whole + fraction).strip("0")
    power = int(exponent or 0) - len(fraction)
    if len(significant) > SHORT or abs(power) > EXACT_POWER:
        return f"({_binary(x)} /* {text} */)"
    text = text if exponent else f"{text.removesuffix('.0')}e0"
    return f"({text})" if x < 0 else text


def _binary(x: float) -> str:
    """A number as a whole number times or over powers of two, every step of which is exact."""
    mantissa, exponent = math.frexp(x)
    whole = int(math.ldexp(mantissa, 53))
    exponent -= 53
    zeros = (whole & -whole).bit_length() - 1
    whole, exponent = whole >> zeros, exponent + zeros
    sign = "*" if exponent > 0 else "/"
    steps, rest = divmod(abs(exponent), STEP)
    factors = [2**STEP] * steps + ([2**rest] if rest else [])
    return " ".join([f"{whole}e0", *(f"{sign} {factor}e0" for factor in factors)])


def _text(text: str) -> str:
    return "'" + _checked(text).replace("'", "''") + "'"


def _name(name: str) -> str:
    return '"' + _checked(name).replace('"', '""') + '"'


def _checked(text: str) -> str:
    if "\0" in text or not _is_unicode(text):
        raise InputError(
            f"{text!r} cannot be written in SQL: it holds a zero character or is not valid Unicode text. Rename "
            "the column or category and fit again."
        )
    return text


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
