"""Target leakage: columns that may reveal the target because they are recorded together with it, or after it.

Examples are a date of cancellation, a loss, or the target itself under another name. A tree that can use such a column
is proven optimal and makes no errors, but is useless, because the column is empty or unknown when a new row must be
predicted. A file does not say when each column becomes known, so signs of leakage are reported:

- a column whose values correspond to the labels one to one;
- a column that is filled in (nearly) all rows of some labels, and in (nearly) no others;
- for a target of numbers, a column on one line with it, and a date at which a time ends (`_elapsed`);
- a column in which a single split, a threshold or a word, predicts the label in (nearly) every row. This may also be a
  good reason, so nothing is proposed.

A few rows may differ, because people correct what they entered. The cost is a sort of some rows of each column, and of
all rows if these show a sign.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._plural import list_of
from treewright.table._alike import one_spelling
from treewright.table._elapsed import of_elapsed
from treewright.table._finding import Finding
from treewright.table._quantity import MANY_LABELS, is_quantity
from treewright.table._raw import text_of_number
from treewright.table._table import Table
from treewright.tree import Column, ColumnKind

__all__ = ["of_leaks"]

FEWEST_ROWS = 20
FEWEST_OF_A_LABEL = 5
SLIPS = 0.005  # allowed exceptions, as a share of the rows
SLIPS_OF_A_LABEL = 0.1  # allowed exceptions, as a share of the rows of the rarest label
MANY_ROWS = 10_000  # about this many rows are examined before all are
FEW_SLIPS = 5.0  # additional exceptions that these rows may have by chance
SAME_LINE = 1e-9  # allowed difference of a correlation from 1


def of_leaks(table: Table, labels: NDArray[Any], target: str) -> Iterator[Finding]:
    """Yield a finding for each column that is likely not known before the target.

    Parameters
    ----------
    table : Table
    labels : ndarray of shape (n_rows,)
    target : str
        Name of the column of labels.

    Yields
    ------
    Finding
    """
    if table.n_rows < FEWEST_ROWS:
        return
    if is_quantity(labels):
        if labels.dtype.kind in "if":
            yield from _of_numbers(table, labels.astype(np.float64), target)
            yield from of_elapsed(table, labels.astype(np.float64), target)
        return
    words, codes = _coded(labels)
    rarest = int(np.bincount(codes).min())
    if not 2 <= len(words) <= MANY_LABELS or rarest < FEWEST_OF_A_LABEL:
        return
    slips = min(SLIPS * table.n_rows, SLIPS_OF_A_LABEL * rarest)
    step = max(1, table.n_rows // MANY_ROWS)
    some = codes[::step]
    glanced = step > 1 and bool((np.bincount(some, minlength=len(words)) >= FEWEST_OF_A_LABEL).all())
    for column, values in zip(table.columns, table.X.T, strict=True):
        # A sign that is refuted by some of the rows is refuted by all rows.
        if glanced and not _of_column(
            column, values[::step], words, some, target, 2 * slips / step + FEW_SLIPS
        ):
            continue
        if text := _of_column(column, values, words, codes, target, slips):
            yield text


def _coded(labels: NDArray[Any]) -> tuple[list[str], NDArray[np.int64]]:
    """Return the labels as words, ascending, spellings of the same word merged, and each row's position in them."""
    rows = Counter(labels.tolist())
    names = {} if labels.dtype.kind in "if" else one_spelling(str(word) for word, _ in rows.most_common())
    word_of = {label: names.get(str(label), str(label)) for label in rows}
    words = sorted(set(word_of.values()))
    places = {word: place for place, word in enumerate(words)}
    code_of = {label: places[word] for label, word in word_of.items()}
    return words, np.fromiter((code_of[label] for label in labels.tolist()), np.int64, len(labels))


def _of_column(
    column: Column,
    values: NDArray[np.float64],
    words: list[str],
    codes: NDArray[np.int64],
    target: str,
    slips: float,
) -> Finding | None:
    """Return the strongest sign that a column is recorded together with the target; None if there is none."""
    name, missing = column.name, np.isnan(values)
    distinct, own = np.unique(np.where(missing, np.inf, values), return_inverse=True)
    if len(distinct) == len(words):
        counts = np.zeros((len(distinct), len(words)), dtype=np.int64)
        np.add.at(counts, (own, codes), 1)
        if ((counts > 0).sum(axis=0) == 1).all() and ((counts > 0).sum(axis=1) == 1).all():
            pairs = "; ".join(
                f"{words[int(k)]} where it is {'empty' if np.isinf(value) else _word(column, value)}"
                for value, k in zip(distinct[:3], counts.argmax(axis=1)[:3], strict=True)
            )
            text = (
                f"{name} says the same as the target {target} in every row ({target} is {pairs}): a tree would split "
                "on nothing else. Leave it out, unless it is known before the outcome."
            )
            return Finding(name, text, "ignore", name)
    if missing.any() and not missing.all():
        filled = np.array([np.mean(~missing[codes == k]) for k in range(len(words))])
        wrong = sum(min(missing[codes == k].sum(), (~missing[codes == k]).sum()) for k in range(len(words)))
        if wrong <= slips and filled.min() < 0.5 < filled.max():
            whose = list_of(word for word, share in zip(words, filled, strict=True) if share > 0.5)
            text = (
                f"{name} is filled in where {target} is {whose}, and empty elsewhere: it seems to be recorded with the "
                "outcome, or after it. A tree that splits on it cannot predict new rows. Leave it out."
            )
            return Finding(name, text, "ignore", name)
    if len(words) == 2 and (question := _one_question(column, values, codes == 1, slips)):
        text = (
            f"{name} alone tells {target} in {'every row' if question[1] == 0 else 'all but a few rows'} "
            f"({question[0]}). If it is known only with the outcome, or after it, leave it out."
        )
        return Finding(name, text, value=name)
    return None


def _one_question(
    column: Column, values: NDArray[np.float64], second: NDArray[np.bool_], slips: float
) -> tuple[str, int] | None:
    """Return the split that separates two labels with at most `slips` errors, in words, and its number of errors."""
    known = ~np.isnan(values)
    if known.sum() < len(values) - slips:
        return None
    if column.kind is ColumnKind.CATEGORICAL and not column.ordered:
        words = np.unique(values[known])
        if 10 * len(words) > known.sum():  # many words have one label each by chance
            return None
        for word in words:
            wrong = int(((values == word) != second).sum())
            wrong = min(wrong, len(values) - wrong)
            if wrong <= slips:
                return f"the word {_word(column, word)} against all others", wrong
        return None
    order = np.argsort(values[known], kind="stable")
    ordered, label = values[known][order], second[known][order]
    cuts = np.flatnonzero(np.diff(ordered) > 0)
    if not len(cuts):
        return None
    below = np.cumsum(label)[cuts]
    wrong = (
        below + (len(label) - (cuts + 1)) - (label.sum() - below)
    )  # errors of the split that predicts the first label below the cut
    wrong = np.minimum(wrong, len(label) - wrong)
    best = int(wrong.argmin())
    if wrong[best] > slips:
        return None
    return f"up to {_word(column, ordered[cuts[best]])} against above", int(wrong[best])


def _of_numbers(table: Table, numbers: NDArray[np.float64], target: str) -> Iterator[Finding]:
    for column, values in zip(table.columns, table.X.T, strict=True):
        known = ~np.isnan(values)
        if column.kind is ColumnKind.CATEGORICAL or known.sum() < FEWEST_ROWS:
            continue
        x, y = values[known] - values[known].mean(), numbers[known] - numbers[known].mean()
        size = float(np.sqrt((x @ x) * (y @ y)))
        if size > 0 and abs(float(x @ y)) >= (1 - SAME_LINE) * size:
            text = (
                f"{column.name} and the target {target} lie on one line: each can be computed from the other. If it is "
                "known only with the outcome, or after it, leave it out."
            )
            yield Finding(column.name, text, "ignore", column.name)


def _word(column: Column, value: float) -> str:
    if column.kind is ColumnKind.CATEGORICAL:
        return column.categories[int(value)][:40]
    return text_of_number(float(value))
