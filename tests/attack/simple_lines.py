"""Lines in one column of each leaf, in exact fractions: the squares that they leave, and what a file says of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from attack.case import Case
from attack.checks import Mismatch
from attack.exact import Stated

__all__ = ["has_simple_lines", "least_squares", "line_columns", "must_answer", "simple_line_answers"]

NEAR = Fraction(1, 10**9)  # of the loss of one constant
MOST_WEIGHT = 2**22


def has_simple_lines(case: Case) -> bool:
    """Whether the tree is to be best for its lines."""
    return case.options.get("leaf_model") == "simple_linear"


def line_columns(case: Case) -> list[str]:
    """The columns that may have a line: all but those of categories."""
    categories = case.options.get("categorical_features", ())
    return [
        name
        for name, shown in zip(case.columns, case.names, strict=True)
        if not case.is_text(name) and shown not in categories
    ]


def least_squares(stated: Stated, rows: Sequence[int]) -> Fraction:
    """What the best line in one column leaves of the squares of these rows, or their mean."""
    case = stated.case
    y = [Fraction(case.y[stated.kept[i]]) for i in rows]
    w = [stated.weights[i] for i in rows]
    constant = _residual(w, y, y)
    best = constant
    for name in line_columns(case):
        values = [case.columns[name][stated.kept[i]] for i in rows]
        if any(v is None for v in values):
            continue  # a row lacks the value: no line of this leaf
        x = [Fraction(v) for v in values]  # type: ignore[arg-type]
        width = _residual(w, x, x)
        if width:
            best = min(best, constant - _residual(w, x, y) ** 2 / width)
    return best


def _residual(w: Sequence[Fraction], u: Sequence[Fraction], v: Sequence[Fraction]) -> Fraction:
    """Weighted sum of products about the means."""
    total = sum(w, Fraction(0))
    if not total:
        return Fraction(0)
    a, b = (sum((k * z for k, z in zip(w, one, strict=True)), Fraction(0)) / total for one in (u, v))
    return sum((k * (p - a) * (q - b) for k, p, q in zip(w, u, v, strict=True)), Fraction(0))


def simple_line_answers(found: Any) -> Iterator[Mismatch]:
    """Each line of the file is in one column that all rows of its leaf know, is flat beyond them, and is the best."""
    case, stated, nodes = found.case, found.stated, found.walker.content["nodes"]
    lines = sum(node["line"] is not None for node in nodes)
    if found.result.stats["lines"] != lines:
        yield Mismatch("another number of lines", f"{found.result.stats['lines']}, the file has {lines}")
    for leaf, rows in found.groups.items():
        line, here = nodes[leaf]["line"], [case.rows[stated.kept[i]] for i in rows]
        said = [found.walker.number(leaf, row) for row in here]
        if line is not None:
            (column,) = line["columns"]
            if list(case.columns)[column] not in line_columns(case) or any(r[column] is None for r in here):
                yield Mismatch("a line in a column that cannot have it", f"leaf {leaf}: column {column}")
            if (min(said), max(said)) != (line["low"][0], line["high"][0]):
                yield Mismatch("a line does not end at its rows", f"leaf {leaf}: {line}, says {said}")
        left = sum(
            (
                stated.weights[i] * (Fraction(case.y[stated.kept[i]]) - Fraction(v)) ** 2
                for i, v in zip(rows, said, strict=True)
            ),
            Fraction(0),
        )
        if left > stated.lost(rows) + NEAR * stated.whole:
            words = f"leaf {leaf}: leaves {float(left)!r}, the best line {float(stated.lost(rows))!r}"
            yield Mismatch("a line is not the best of its leaf", words)


def must_answer(case: Case) -> bool:
    """Whether numbers are so plain that the documentation gives no reason to refuse them."""
    columns = [case.columns[name] for name in line_columns(case)]
    numbers = [v for column in (*columns, case.y) for v in column if v is not None]
    given = [1.0] * case.n_rows if case.weight is None else case.weight
    part = min(w for w in given if w)
    weights = [w / part for w in given] if len(set(given) - {0.0}) == 1 else [w * 16 for w in given]
    return (
        all(v == int(v) and abs(v) < 2**20 for v in numbers)
        and all(w == int(w) for w in weights)
        and sum(weights) <= MOST_WEIGHT
    )
